//! Renders an [`Error`] as text for people or JSON for programs. No other module does.
//!
//! Law: line, column and length are 1-based, in bytes, and refer to the whole source, even if only a window of it is
//! shown. The size of the output is bounded for any source, and no control character of the source reaches a terminal.
//!
//! A span over several lines is shown to the end of its first line.

use crate::text::{Error, Span};
use codespan_reporting::diagnostic::{Diagnostic, Label};
use codespan_reporting::files::{self, Files};
use codespan_reporting::term::termcolor::Buffer;
use codespan_reporting::term::{self, Chars, Config};
use serde_json::{Value, json};

/// A source text and its name: a file name, or `-`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Source<'s> {
    /// The name used in messages.
    pub name: &'s str,
    /// The text that the spans of errors refer to.
    pub text: &'s str,
    /// 1-based number of the first line, for a part of a longer text.
    pub first_line: usize,
}

/// How errors are rendered for people.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Look {
    /// Draw with ASCII characters only; the source itself is not changed.
    pub ascii: bool,
    /// Colour with ANSI escape sequences.
    pub color: bool,
    /// Number of terminal columns, if a line of the source is to fit there.
    pub width: Option<usize>,
}

/// A position in a text, 1-based; the column counts bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// Number of the line.
    pub line: usize,
    /// Byte in the line.
    pub column: usize,
}

impl Source<'_> {
    /// Returns the position of byte `offset`, or the end of the text.
    #[must_use]
    pub fn place(&self, offset: usize) -> Place {
        let before = &self.text.as_bytes()[..offset.min(self.text.len())];
        let newlines = before.iter().filter(|byte| **byte == b'\n').count();
        let line_start = before.iter().rposition(|byte| *byte == b'\n');
        Place {
            line: self.first_line + newlines,
            column: before.len() - line_start.map_or(0, |newline| newline + 1) + 1,
        }
    }
}

/// Renders the message, the line of the source with carets, and the hint.
#[must_use]
pub fn render_text(error: &Error, source: &Source, look: Look) -> String {
    let mut diagnostic =
        Diagnostic::error().with_code(error.kind.code()).with_message(printable(&error.message));
    if let Some(hint) = &error.hint {
        diagnostic = diagnostic.with_notes(vec![format!("hint: {}", printable(hint))]);
    }
    let window = Window::around(source, error.span.clone().unwrap_or(0..0), look.width);
    if error.span.is_some() {
        diagnostic = diagnostic.with_labels(vec![Label::primary((), window.span.clone())]);
    }
    let config = Config {
        chars: if look.ascii { Chars::ascii() } else { Chars::box_drawing() },
        ..Config::default()
    };
    let mut buffer = if look.color { Buffer::ansi() } else { Buffer::no_color() };
    if term::emit_to_write_style(&mut buffer, &config, &window, &diagnostic).is_err() {
        // Writing to memory does not fail; the message alone is the fallback.
        return format!("error[{}]: {}\n", error.kind.code(), printable(&error.message));
    }
    let mut text = String::from_utf8_lossy(buffer.as_slice()).into_owned();
    text.truncate(text.trim_end_matches('\n').len());
    text.push('\n');
    text
}

/// Maximum number of characters before the span that [`render_line`] shows.
const SHOWN_AFTER_WHAT: usize = 24;

/// Renders the error in one line, for a source of one line that the user has just typed: the position, the message and the hint.
/// A source of several lines is rendered by [`render_text`].
#[must_use]
pub fn render_line(error: &Error, source: &Source, look: Look) -> String {
    if source.text.trim_end().contains('\n') {
        return render_text(error, source, look);
    }
    let mut place = String::new();
    if let Some(span) = &error.span {
        let Place { line, column } = source.place(span.start);
        let before = source.text[..boundary(source.text, span.start)].trim();
        let is_typed = source.name == "-" && source.first_line == 1;
        place = match (is_typed, before.is_empty()) {
            (true, true) => String::new(),
            (true, false) => format!(" at column {column}"),
            (false, _) => format!(" at {}:{line}:{column}", printable(source.name)),
        };
        if !before.is_empty() {
            let more = before.chars().count().saturating_sub(SHOWN_AFTER_WHAT);
            let from = before.char_indices().nth(more).map_or(0, |(at, _)| at);
            let dots = if more > 0 { "..." } else { "" };
            place += &format!(", after `{dots}{}`", printable(before[from..].trim_start()));
        }
    }
    let hint = error.hint.as_ref().map(|hint| printable(hint));
    let hint = hint.map_or(String::new(), |hint| format!("; hint: {hint}"));
    let (bold, plain) = match look.color {
        true => ("\u{1b}[1;31m", "\u{1b}[0m"),
        false => ("", ""),
    };
    let (code, message) = (error.kind.code(), printable(&error.message));
    format!("{bold}error[{code}]{plain}{place}: {message}{hint}\n")
}

/// Renders the error as a JSON object; without a span, the position is `null`.
#[must_use]
pub fn render_json(error: &Error, source: &Source) -> Value {
    let place = error.span.as_ref().map(|span| source.place(span.start));
    json!({
        "schema": 1,
        "error": {
            "kind": error.kind.code(),
            "message": error.message,
            "source": source.name,
            "line": place.map(|place| place.line),
            "column": place.map(|place| place.column),
            "length": error.span.as_ref().map(|span| span.len()),
            "hint": error.hint,
        }
    })
}

/// Maximum number of bytes of a line shown before the start of the span, and after it.
const SHOWN_BEFORE: usize = 40;
const SHOWN_AFTER: usize = 70;

/// Number of columns beside a displayed line, and the minimum width of a line.
const FRAME: usize = 16;
const LEAST: usize = 20;

/// The visible part of one line, as the only line of a file.
struct Window {
    name: String,
    text: String,
    /// The marked span in `text`.
    span: Span,
    place: Place,
}

impl Window {
    fn around(source: &Source, span: Span, width: Option<usize>) -> Window {
        let text = source.text;
        // The number of the line, its frame and the marks of omitted text take some columns.
        let room = width.map_or(usize::MAX, |width| width.saturating_sub(FRAME).max(LEAST));
        let all = (SHOWN_BEFORE + SHOWN_AFTER).min(room);
        let shown_before = SHOWN_BEFORE.min(all / 2);
        let shown_after = SHOWN_AFTER.min(all - shown_before);
        let start = boundary(text, span.start);
        let line_start = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |length| start + length);
        let first = boundary(text, line_start.max(start.saturating_sub(shown_before)));
        let last = boundary(text, line_end.min(start + shown_after));
        let end = boundary(text, span.end).clamp(start, last);

        let mut shown = String::new();
        if first > line_start {
            shown.push_str("...");
        }
        shown.push_str(&printable(&text[first..start]));
        let marked_from = shown.len();
        shown.push_str(&printable(&text[start..end]));
        let marked_to = shown.len();
        shown.push_str(&printable(&text[end..last]));
        if last < line_end {
            shown.push_str("...");
        }
        Window {
            name: printable(source.name),
            text: shown,
            span: marked_from..marked_to,
            place: source.place(start),
        }
    }
}

impl<'a> Files<'a> for Window {
    type FileId = ();
    type Name = &'a str;
    type Source = &'a str;

    fn name(&'a self, (): ()) -> Result<&'a str, files::Error> {
        Ok(&self.name)
    }

    fn source(&'a self, (): ()) -> Result<&'a str, files::Error> {
        Ok(&self.text)
    }

    fn line_index(&'a self, (): (), _: usize) -> Result<usize, files::Error> {
        Ok(0)
    }

    fn line_number(&'a self, (): (), _: usize) -> Result<usize, files::Error> {
        Ok(self.place.line)
    }

    fn column_number(&'a self, (): (), _: usize, _: usize) -> Result<usize, files::Error> {
        Ok(self.place.column)
    }

    fn line_range(&'a self, (): (), _: usize) -> Result<Span, files::Error> {
        Ok(0..self.text.len())
    }
}

/// Returns the last character boundary at or before `offset`.
fn boundary(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

/// Strips characters that move the cursor or reorder the line, except tabs.
fn printable(text: &str) -> String {
    let harmful = |c: char| {
        (c.is_control() && c != '\t')
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
    };
    let shown = |c: char| if harmful(c) { '\u{fffd}' } else { c };
    text.trim_end_matches('\r').chars().map(shown).collect()
}
