//! The one error type that users see: a kind, a message, a span, a hint.
//!
//! Modules with errors of their own (building an expression, composing maps) convert them where the source text is
//! known. Only `render` turns an [`Error`] into text.

use std::ops::Range;

/// Stable classes of errors; programs may rely on [`ErrorKind::code`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
pub enum ErrorKind {
    /// The text does not follow the grammar.
    Syntax,
    /// A name is unknown, taken, or a keyword.
    Name,
    /// Division or remainder by zero, by a negative number where that has no meaning, or by a
    /// non-literal.
    Division,
    /// A number, coefficient or value does not fit in 64 bits.
    Overflow,
    /// Nested more deeply, or larger, than the program accepts.
    TooLarge,
    /// The domain is incomplete, in the wrong order, or contradicts the variable list.
    Domain,
    /// Numbers of results, dimensions or coordinates do not match.
    Arity,
    /// A shape or layout is not valid.
    Shape,
    /// An HLO module is not valid.
    Hlo,
    /// A rule file is not valid.
    Rule,
    /// A command was called with wrong arguments.
    Usage,
    /// A file could not be read or written.
    File,
    /// The input is not UTF-8, or not the expected JSON.
    Encoding,
    /// Valid, but not supported.
    Unsupported,
    /// Stopped by the user.
    Interrupted,
    /// A defect of this program.
    Internal,
}

impl ErrorKind {
    /// All kinds, in the order of the documentation.
    pub const ALL: [ErrorKind; 16] = [
        ErrorKind::Syntax,
        ErrorKind::Name,
        ErrorKind::Division,
        ErrorKind::Overflow,
        ErrorKind::TooLarge,
        ErrorKind::Domain,
        ErrorKind::Arity,
        ErrorKind::Shape,
        ErrorKind::Hlo,
        ErrorKind::Rule,
        ErrorKind::Usage,
        ErrorKind::File,
        ErrorKind::Encoding,
        ErrorKind::Unsupported,
        ErrorKind::Interrupted,
        ErrorKind::Internal,
    ];

    /// Returns the word for machine-readable output.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            ErrorKind::Syntax => "syntax",
            ErrorKind::Name => "name",
            ErrorKind::Division => "division",
            ErrorKind::Overflow => "overflow",
            ErrorKind::TooLarge => "too-large",
            ErrorKind::Domain => "domain",
            ErrorKind::Arity => "arity",
            ErrorKind::Shape => "shape",
            ErrorKind::Hlo => "hlo",
            ErrorKind::Rule => "rule",
            ErrorKind::Usage => "usage",
            ErrorKind::File => "file",
            ErrorKind::Encoding => "encoding",
            ErrorKind::Unsupported => "unsupported",
            ErrorKind::Interrupted => "interrupted",
            ErrorKind::Internal => "internal",
        }
    }
}

/// A byte range of the source text.
pub type Span = Range<usize>;

/// An error: the fault, its position, and a hint for fixing it.
///
/// ```
/// use affinor_maps::text::{ErrorKind, parse_map};
///
/// let text = "(d0) -> (d0 / n), domain: d0 in [0, 9]";
/// let error = parse_map(text).unwrap_err();
/// assert_eq!((error.kind, error.message.as_str()), (ErrorKind::Name, "unknown variable `n`"));
/// assert_eq!(error.span.map(|span| &text[span]), Some("n"));
/// assert_eq!(error.hint.as_deref(), Some("known variables: d0"));
/// ```
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// The class of the error.
    pub kind: ErrorKind,
    /// One sentence in lower case, without a full stop.
    pub message: String,
    /// Position in the source text, if known.
    pub span: Option<Span>,
    /// A hint: text to type, or a thing to do, instead.
    pub hint: Option<String>,
}

impl Error {
    /// Creates an error at `span`.
    #[must_use]
    pub fn new(kind: ErrorKind, span: Span, message: impl Into<String>) -> Error {
        Error { kind, message: message.into(), span: Some(span), hint: None }
    }

    /// Creates an error without a position.
    #[must_use]
    pub fn without_span(kind: ErrorKind, message: impl Into<String>) -> Error {
        Error { kind, message: message.into(), span: None, hint: None }
    }

    /// Adds a hint.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Error {
        self.hint = Some(hint.into());
        self
    }

    /// Moves the span by `offset` bytes, for a text that is part of another.
    #[must_use]
    pub fn shifted(mut self, offset: usize) -> Error {
        self.span = self.span.map(|span| span.start + offset..span.end + offset);
        self
    }
}
