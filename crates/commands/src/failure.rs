//! An error together with the text it is about.

use super::output::Status;
use affinor::text::{Error, ErrorKind};
use std::sync::Arc;

/// The reason why a command, or one of its inputs, has no answer.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{error}")]
pub struct Failure {
    /// The error; its span is in the text of `place`.
    pub error: Error,
    /// The text.
    pub place: Place,
}

/// The text that an error is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Place {
    /// The command, as passed to [`Session::run`](super::Session::run).
    Command,
    /// The word with this number, from 1, passed to [`Session::call`](super::Session::call).
    Argument(usize),
    /// A file or stream that the command reads.
    Source(Box<Source>),
}

/// A text with a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Source {
    /// The path; `-` is standard input.
    pub name: String,
    /// The text, or the part of it that starts at line `first_line`.
    pub text: Arc<str>,
    /// 1-based number of the text's first line.
    pub first_line: usize,
}

/// Creates the error for interrupted work.
#[must_use]
pub fn stopped() -> Error {
    Error::without_span(ErrorKind::Interrupted, "stopped")
}

impl Failure {
    /// Creates a failure.
    #[must_use]
    pub fn new(error: Error, place: Place) -> Failure {
        Failure { error, place }
    }

    /// Adds a hint.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Failure {
        self.error = self.error.hint(hint);
        self
    }

    /// Checks whether the failure ends a command that otherwise continues with the next file or operand.
    #[must_use]
    pub fn ends_the_command(&self) -> bool {
        matches!(self.error.kind, ErrorKind::Usage | ErrorKind::Interrupted)
    }

    /// Returns the exit status of a run that ends with this failure.
    #[must_use]
    pub fn status(&self) -> Status {
        match self.error.kind {
            ErrorKind::Usage => Status::Usage,
            _ => Status::Wrong,
        }
    }
}
