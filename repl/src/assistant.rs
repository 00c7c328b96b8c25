//! The rustyline helper. It only uses the words of the line: no key press waits for the simplifier or the solver, and only
//! Tab reads a file.

use affinor_commands::{Class, Pieces, is_open};
use affinor_prompt::{Ink, Vocabulary, paint};
use rustyline::completion::{Completer, FilenameCompleter, Pair};
use rustyline::highlight::{CmdKind, Highlighter};
use rustyline::hint::{Hint, Hinter};
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{
    Cmd, ConditionalEventHandler, Context, Event, EventContext, EventHandler, Helper, KeyCode,
    KeyEvent, Modifiers, RepeatCount,
};
use std::borrow::Cow;
use std::cell::Cell;
use std::io::Read;

/// The maximum number of bytes of a module that are read for its names.
const MOST_BYTES: u64 = 16 << 20;

/// Completes, hints, highlights and validates.
#[derive(Helper)]
pub struct Assistant {
    /// The names that can be typed.
    pub vocabulary: Vocabulary,
    files: FilenameCompleter,
    color: bool,
    /// Whether the line is accepted; brackets are then no longer marked.
    is_final: Cell<bool>,
}

impl Assistant {
    /// Creates an assistant with an empty vocabulary.
    pub fn new(color: bool) -> Assistant {
        Assistant {
            vocabulary: Vocabulary::default(),
            files: FilenameCompleter::new(),
            color,
            is_final: Cell::new(false),
        }
    }
}

impl Completer for Assistant {
    type Candidate = Pair;

    fn complete(
        &self,
        line: &str,
        position: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<Pair>)> {
        let completion = affinor_prompt::complete(&line[..position], &self.vocabulary);
        let mut candidates = completion.candidates;
        if let Some((path, of)) = affinor_prompt::wanted(&line[..completion.start]) {
            let word = &line[completion.start..position];
            let names = affinor_prompt::names(&beginning(&path), &of).into_iter();
            let names: Vec<String> = names.filter(|name| name.starts_with(word)).collect();
            if !names.is_empty() {
                candidates = names;
            }
        }
        if completion.takes_file && candidates.is_empty() {
            return self.files.complete_path(line, position);
        }
        let pair = |word: String| Pair { display: word.clone(), replacement: word };
        let pairs = candidates.into_iter().map(pair).collect();
        Ok((completion.start, pairs))
    }
}

/// Returns the beginning of a text file, for the names in it; it is empty for a file that cannot be read. Only Tab reads
/// files.
fn beginning(path: &str) -> String {
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map(|file| file.take(MOST_BYTES));
    match file.and_then(|mut file| file.read_to_end(&mut bytes)) {
        Ok(_) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(_) => String::new(),
    }
}

/// A hint: the right arrow accepts the rest of the word, never the usage after it.
pub struct HowToGoOn {
    shown: String,
    rest: usize,
}

impl Hint for HowToGoOn {
    fn display(&self) -> &str {
        &self.shown
    }

    fn completion(&self) -> Option<&str> {
        self.shown.get(..self.rest).filter(|rest| !rest.is_empty())
    }
}

impl Hinter for Assistant {
    type Hint = HowToGoOn;

    fn hint(&self, line: &str, position: usize, _: &Context<'_>) -> Option<HowToGoOn> {
        if position == line.len() && line.ends_with('\n') {
            return Some(HowToGoOn { rest: 0, shown: going_on(line) });
        }
        // Without colour, a hint would look like input.
        if !self.color || position < line.len() {
            return None;
        }
        let hint = affinor_prompt::hint(line)?;
        Some(HowToGoOn { rest: hint.rest.len(), shown: hint.rest + &hint.usage })
    }
}

/// Returns the mark of a line that continues the command above it, shown until something is typed there.
fn going_on(above: &str) -> String {
    let mut brackets = Vec::new();
    for piece in Pieces::new(above) {
        match piece.class {
            Class::Open => brackets.push(above.get(piece.span).unwrap_or("")),
            Class::Close => _ = brackets.pop(),
            _ => {}
        }
    }
    let open = match brackets.last() {
        Some(open) => format!("`{open}` is open"),
        None => "the line above goes on".to_owned(),
    };
    format!("... {open}; Enter ends the command as it is, Esc drops it")
}

/// Handles Esc: it drops a command of several lines, as Ctrl-C does, and otherwise has no effect.
struct Drops;

impl ConditionalEventHandler for Drops {
    fn handle(&self, _: &Event, _: RepeatCount, _: bool, context: &EventContext) -> Option<Cmd> {
        let is_open = context.line().contains('\n');
        Some(if is_open { Cmd::Interrupt } else { Cmd::Noop })
    }
}

/// Returns the Esc key with its handler.
pub fn escape() -> (KeyEvent, EventHandler) {
    (KeyEvent(KeyCode::Esc, Modifiers::NONE), EventHandler::Conditional(Box::new(Drops)))
}

impl Highlighter for Assistant {
    fn highlight<'l>(&self, line: &'l str, position: usize) -> Cow<'l, str> {
        if !self.color {
            return Cow::Borrowed(line);
        }
        let cursor = match self.is_final.get() {
            true => usize::MAX,
            false => position,
        };
        let mut painted = String::with_capacity(line.len() * 2);
        let mut done = 0;
        for part in paint(line, cursor, &self.vocabulary) {
            let pieces = line.get(done..part.span.start).zip(line.get(part.span.clone()));
            let Some((before, piece)) = pieces else {
                continue;
            };
            painted.push_str(before);
            painted.push_str("\x1b[");
            painted.push_str(ansi(part.ink));
            painted.push('m');
            painted.push_str(piece);
            painted.push_str("\x1b[0m");
            done = part.span.end;
        }
        painted.push_str(line.get(done..).unwrap_or(""));
        Cow::Owned(painted)
    }

    fn highlight_hint<'h>(&self, hint: &'h str) -> Cow<'h, str> {
        if !self.color {
            return Cow::Borrowed(hint);
        }
        Cow::Owned(format!("\x1b[2m{hint}\x1b[0m"))
    }

    fn highlight_char(&self, _: &str, _: usize, kind: CmdKind) -> bool {
        self.is_final.set(kind == CmdKind::ForcedRefresh);
        self.color
    }
}

impl Validator for Assistant {
    /// Continues the command on Enter within an open bracket; on an empty line, Enter ends the command anyway, so that the
    /// user can leave an unbalanced one.
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        let input = context.input();
        let wants_out = input.ends_with('\n');
        Ok(if wants_out || !is_open(input) {
            ValidationResult::Valid(None)
        } else {
            ValidationResult::Incomplete
        })
    }
}

fn ansi(ink: Ink) -> &'static str {
    match ink {
        Ink::Command => "1;36",
        Ink::Switch => "36",
        Ink::Keyword => "35",
        Ink::Number => "33",
        Ink::Map => "32",
        Ink::Variable => "34",
        Ink::Comment => "2",
        Ink::Quoted => "33",
        Ink::Unknown => "31",
        Ink::Partner => "1;4",
    }
}
