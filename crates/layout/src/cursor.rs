//! A position in the tokens of a layout's text.

use affinor::text::{Error, ErrorKind, Span};

/// The tokens of a text, and the number of tokens read.
pub struct Cursor<'t, T: Token> {
    text: &'t str,
    tokens: Vec<(Result<T, ()>, Span)>,
    next: usize,
}

/// A class of tokens, with its lexer.
pub trait Token: Copy + PartialEq {
    /// Splits a text into tokens with their positions; `Err` for invalid text.
    fn tokens(text: &str) -> Vec<(Result<Self, ()>, Span)>;
}

impl<'t, T: Token> Cursor<'t, T> {
    pub fn new(text: &'t str) -> Cursor<'t, T> {
        Cursor { text, tokens: T::tokens(text), next: 0 }
    }

    pub fn text(&self) -> &'t str {
        self.text
    }

    /// Returns the token `ahead` positions after the next one.
    pub fn peek(&self, ahead: usize) -> Option<T> {
        self.rest().nth(ahead).flatten()
    }

    /// Returns the unread tokens; `None` for invalid text.
    pub fn rest(&self) -> impl Iterator<Item = Option<T>> {
        self.tokens.iter().skip(self.next).map(|(token, _)| token.ok())
    }

    pub fn is_at_end(&self) -> bool {
        self.next == self.tokens.len()
    }

    /// Returns the position of the next token, or the end of the text.
    pub fn place(&self) -> Span {
        let end = self.text.len();
        self.tokens.get(self.next).map_or(end..end, |(_, span)| span.clone())
    }

    pub fn skip(&mut self) {
        self.next = self.tokens.len().min(self.next + 1);
    }

    pub fn take(&mut self, token: T) -> Option<Span> {
        let (found, span) = self.tokens.get(self.next)?;
        if *found != Ok(token) {
            return None;
        }
        self.next += 1;
        Some(span.clone())
    }

    pub fn expect(&mut self, token: T, what: &str) -> Result<Span, Error> {
        self.take(token).ok_or_else(|| self.expected(what))
    }

    /// Returns the error that the next token is not `what`.
    pub fn expected(&self, what: &str) -> Error {
        let span = self.place();
        let found = match self.is_at_end() {
            true => "the end of the layout".to_owned(),
            false => format!("`{}`", &self.text[span.clone()]),
        };
        Error::new(ErrorKind::Syntax, span, format!("expected {what}, found {found}"))
    }
}
