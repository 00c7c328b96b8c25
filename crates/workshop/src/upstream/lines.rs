//! Finds the lines of a list in a text: calls of rule macros, and `lhs -> rhs if condition`.
//!
//! A line of the text that begins with `#` or `//` is a comment; inside a call `//` begins a comment, elsewhere it divides. Text
//! that is not a line of a list is skipped, so that part of a source file can be read as it is.

use affinor::text::{Error, ErrorKind, Span};

/// A notation for rules.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum System {
    /// `rewrite(lhs, rhs, condition)`
    Halide,
    /// `TVM_TRY_REWRITE_IF(lhs, rhs, condition)`
    Tvm,
    /// `lhs -> rhs if condition`
    Plain,
}

impl System {
    /// Returns the name of the system as printed.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            System::Halide => "halide",
            System::Tvm => "tvm",
            System::Plain => "plain",
        }
    }
}

/// The calls that state rules.
const CALLS: [(&str, System); 5] = [
    ("rewrite", System::Halide),
    ("TVM_TRY_REWRITE", System::Tvm),
    ("TVM_TRY_REWRITE_IF", System::Tvm),
    ("TVM_TRY_RECURSIVE_REWRITE", System::Tvm),
    ("TVM_TRY_RECURSIVE_REWRITE_IF", System::Tvm),
];

/// The arrows between the sides of a plain line.
const ARROWS: [&str; 3] = [" -> ", " => ", " → "];

/// The words between the right side and the condition of a plain line.
const CONDITIONS: [&str; 3] = [" if ", " where ", " when "];

/// Accessors of TVM, which do not affect the value.
const ACCESSORS: [&str; 2] = [".Eval()", "->value"];

/// A line before its expressions are read. Spans refer to the whole text.
pub(super) struct Found {
    pub(super) system: System,
    pub(super) span: Span,
    pub(super) form: Form,
}

pub(super) enum Form {
    /// A call, as one expression.
    Call,
    /// The two sides, and the list of conditions.
    Arrow(Span, Span, Vec<Span>),
    /// The line has a form that cannot be read.
    Wrong(Error),
}

/// Finds the lines of a text; returns them with the text, in which comments and accessors are blanked out without changing
/// positions.
pub(super) fn find(text: &str) -> (String, Vec<Found>) {
    let mut cleaned = cleaned(text);
    let mut found = Vec::new();
    let (mut start, mut behind) = (0, 0);
    while start < cleaned.len() {
        let end = cleaned[start..].find('\n').map_or(cleaned.len(), |at| start + at + 1);
        let mut at = start.max(behind);
        let is_comment = |text: &str| text.trim_start().starts_with(['#']) || is_remark(text);
        let mut calls = 0;
        while at < end && !is_comment(&cleaned[at..end]) {
            let Some((call, system)) = call_in(&cleaned, at..end) else {
                break;
            };
            let before = &cleaned[behind..call.start];
            let guard = about_fractions(before).map(|span| behind + span.start..behind + span.end);
            let line = called(&mut cleaned, call, system, guard);
            (at, behind) = (line.span.end, line.span.end);
            calls += 1;
            found.push(line);
        }
        if calls == 0 && at < end && !is_comment(&cleaned[at..end]) {
            found.extend(arrow(&cleaned, at..end));
        }
        start = end;
    }
    (cleaned, found)
}

fn is_remark(text: &str) -> bool {
    text.trim_start().starts_with("//")
}

/// Blanks out comments between `/*` and `*/`, and accessors; replaces braces around a list by parentheses.
fn cleaned(text: &str) -> String {
    let (mut cleaned, mut rest) = (String::with_capacity(text.len()), text);
    while let Some((before, comment)) = rest.split_once("/*") {
        let end = comment.find("*/").map_or(comment.len(), |end| end + 2);
        cleaned.push_str(before);
        cleaned.push_str("  ");
        cleaned.push_str(&blanks(&comment[..end]));
        rest = &comment[end..];
    }
    cleaned.push_str(rest);
    let mut text = cleaned;
    for accessor in ACCESSORS {
        text = text.replace(accessor, &" ".repeat(accessor.len()));
    }
    while let Some(start) = text.find("PMatchesOneOf{") {
        let open = start + "PMatchesOneOf".len();
        let close = closing(&text, open);
        text.replace_range(open..=open, "(");
        if let Some(close) = close.filter(|close| text.get(*close..=*close) == Some("}")) {
            text.replace_range(close..=close, ")");
        }
    }
    text
}

/// Replaces each character by as many spaces as it has bytes; keeps line ends.
fn blanks(text: &str) -> String {
    let blank = |c: char| match c {
        '\n' => "\n".to_owned(),
        other => " ".repeat(other.len_utf8()),
    };
    text.chars().map(blank).collect()
}

/// Returns the position of the bracket that closes the one at `open`; any kind of bracket closes any other.
fn closing(text: &str, open: usize) -> Option<usize> {
    let mut depth = 0usize;
    for (at, c) in text.get(open..)?.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(open + at);
                }
            }
            _ => {}
        }
    }
    None
}

/// Finds the name of the first rule call in `within`, before a comment.
fn call_in(text: &str, within: Span) -> Option<(Span, System)> {
    let line = &text[within.clone()];
    let line = line.split("//").next().unwrap_or("");
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut at = 0;
    while let Some(start) = line[at..].find(is_part).map(|found| at + found) {
        let length = line[start..].find(|c| !is_part(c));
        let end = length.map_or(line.len(), |length| start + length);
        let named = CALLS.iter().find(|(name, _)| *name == &line[start..end]);
        if let Some((_, system)) = named
            && line[end..].trim_start().starts_with('(')
        {
            return Some((within.start + start..within.start + end, *system));
        }
        at = end;
    }
    None
}

/// Finds the call whose name is at `name`. Blanks out comments inside it.
fn called(text: &mut String, name: Span, system: System, guard: Option<Span>) -> Found {
    let mut at = name.end;
    // Comments may contain brackets.
    while let Some(comment) = text[at..].find("//").map(|found| at + found) {
        let is_inside = text[name.end..]
            .find('(')
            .and_then(|open| closing(&text[..comment], name.end + open))
            .is_none();
        if !is_inside {
            break;
        }
        let end = text[comment..].find('\n').map_or(text.len(), |found| comment + found);
        let blanked = blanks(&text[comment..end]);
        text.replace_range(comment..end, &blanked);
        at = end;
    }
    let open = text[name.end..].find('(').map(|found| name.end + found);
    let close = open.and_then(|open| closing(text, open));
    let wrong = |kind, span, message: &str| Form::Wrong(Error::new(kind, span, message));
    let (end, form) = match (close, guard) {
        (None, _) => {
            let rest = text[name.end..].find('\n');
            let end = rest.map_or(text.len(), |rest| name.end + rest);
            let message = "the bracket after the name is not closed";
            (end, wrong(ErrorKind::Syntax, name.clone(), message))
        }
        (Some(close), Some(guard)) => {
            let message = "a rule about floating-point numbers";
            (close + 1, wrong(ErrorKind::Unsupported, guard, message))
        }
        (Some(close), None) => (close + 1, Form::Call),
    };
    Found { system, span: name.start..end, form }
}

/// Finds a guard between two lines that restricts the next one to floating-point numbers.
fn about_fractions(between: &str) -> Option<Span> {
    const WORD: &str = "is_float()";
    let start = between.rfind("||").map_or(0, |at| at + 2);
    let at = between[start..].find(WORD)? + start;
    let is_negated = between[start..at].contains('!');
    (!is_negated).then_some(at..at + WORD.len())
}

/// Parses `lhs -> rhs if condition, condition`.
fn arrow(text: &str, within: Span) -> Option<Found> {
    let line = &text[within.clone()];
    let line = &line[..line.trim_end().len()];
    let start = within.start + line.len() - line.trim_start().len();
    let end = within.start + line.len();
    let first = |words: &[&'static str], from: usize| {
        let places =
            words.iter().filter_map(|word| Some((from + text[from..end].find(word)?, word.len())));
        places.min()
    };
    let (at, length) = first(&ARROWS, start)?;
    let right = at + length;
    let (rhs, conditions) = match first(&CONDITIONS, right) {
        None => (right..end, Vec::new()),
        Some((at, length)) => (right..at, between_commas(text, at + length..end)),
    };
    Some(Found {
        system: System::Plain,
        span: start..end,
        form: Form::Arrow(start..at, rhs, conditions),
    })
}

fn between_commas(text: &str, within: Span) -> Vec<Span> {
    let (mut parts, mut start, mut depth) = (Vec::new(), within.start, 0usize);
    for (at, c) in text[within.clone()].char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(start..within.start + at);
                start = within.start + at + 1;
            }
            _ => {}
        }
    }
    parts.push(start..within.end);
    parts
}
