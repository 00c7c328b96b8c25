//! The arguments of a command.
//!
//! Arguments come from a line (`cut.rs`), or from the words of a process's command line, which are already separate. Both
//! sources give the same [`Arguments`], so commands do not depend on the source.

use super::failure::{Failure, Place};
use affinor::text::{Error, ErrorKind, Span};

/// An argument with its position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Argument {
    /// The text, without surrounding spaces and comments.
    pub text: String,
    origin: Origin,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Origin {
    /// The byte of the command's line at which the argument begins.
    Line(usize),
    /// The number, from 1, of the word of a process's command line.
    Word(usize),
}

impl Argument {
    /// Creates an argument from word `number` (1-based) of a process's command line.
    #[must_use]
    pub fn word(text: impl Into<String>, number: usize) -> Argument {
        Argument { text: text.into(), origin: Origin::Word(number) }
    }

    /// Creates an argument from the word at byte `offset` of the command's line.
    pub(super) fn at(text: &str, offset: usize) -> Argument {
        Argument { text: text.to_owned(), origin: Origin::Line(offset) }
    }

    pub(super) fn in_line(line: &str, span: Span) -> Argument {
        let text = &line[span.clone()];
        let trimmed = text.trim_start();
        Argument {
            text: trimmed.trim_end().to_owned(),
            origin: Origin::Line(span.start + text.len() - trimmed.len()),
        }
    }

    /// Returns the offset of the argument in the command's line, if it comes from a line.
    #[must_use]
    pub fn offset(&self) -> Option<usize> {
        match self.origin {
            Origin::Line(offset) => Some(offset),
            Origin::Word(_) => None,
        }
    }

    /// Returns the part of this argument at `span`, which must lie on character boundaries.
    #[must_use]
    pub fn part(&self, span: Span) -> Option<Argument> {
        let text = self.text.get(span.clone())?;
        let trimmed = text.trim_start();
        let start = span.start + text.len() - trimmed.len();
        Some(match self.origin {
            Origin::Line(offset) => Argument {
                text: trimmed.trim_end().to_owned(),
                origin: Origin::Line(offset + start),
            },
            Origin::Word(number) => Argument {
                // The part keeps its offset in the word: the text before it becomes spaces.
                text: format!("{}{}", " ".repeat(start), trimmed.trim_end()),
                origin: Origin::Word(number),
            },
        })
    }

    /// Creates a failure whose span is in this argument's text; without a span, it covers the whole argument.
    #[must_use]
    pub fn blame(&self, mut error: Error) -> Failure {
        error.span.get_or_insert(0..self.text.len());
        match self.origin {
            Origin::Line(offset) => Failure::new(error.shifted(offset), Place::Command),
            Origin::Word(number) => Failure::new(error, Place::Argument(number)),
        }
    }

    /// Creates a failure about the whole argument.
    #[must_use]
    pub fn wrong(&self, kind: ErrorKind, message: impl Into<String>) -> Failure {
        self.blame(Error::without_span(kind, message))
    }
}

/// The arguments of a call: at most as many as the command takes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Arguments {
    /// The positional arguments, in order.
    pub positional: Vec<Argument>,
    /// The options `--name`, with their values if they take one, in the order given.
    pub options: Vec<(&'static str, Option<Argument>)>,
}

impl Arguments {
    /// Checks whether `--name` is given.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.options.iter().any(|(option, _)| *option == name)
    }

    /// Returns the value of `--name`; the last one wins.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<&Argument> {
        let given = self.options.iter().rfind(|(option, _)| *option == name)?;
        given.1.as_ref()
    }
}
