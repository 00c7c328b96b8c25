//! The stream of the tokens of a text.

use super::do_loop::without_do;
use super::macros::{expanded, macros};
use super::stepped::with_steps_apart;
use super::token::{Class, Token, is_reserved, lexed};
use affinor_maps::text::{Error, ErrorKind, Span};
use std::rc::Rc;

/// The maximal size of a text of code, in bytes.
pub const MAX_BYTES: usize = 1 << 16;

/// Rejects branches of C's preprocessor; the other lines with `#` are comments, as in Python.
fn check_branches(text: &str) -> Result<(), Error> {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let span = start..start + line.trim_end().len();
        start += line.len();
        if line.trim_start().starts_with("#if") && text.contains("#endif") {
            let message = "branches of the preprocessor are not supported";
            let error = Error::new(ErrorKind::Unsupported, span, message);
            return Err(error.hint("keep the branch that is compiled, without `#if` and `#endif`"));
        }
    }
    Ok(())
}

/// The tokens of a text, with a current position.
#[derive(Clone)]
pub struct Tokens<'t> {
    /// The text of the tokens.
    pub source: &'t str,
    /// Shared by the copies that look ahead.
    list: Rc<Vec<Token<'t>>>,
    at: usize,
    /// The number of open brackets; inside brackets, the ends of lines mean nothing.
    pub depth: usize,
    /// Whether the end of a line ends a statement.
    pub by_lines: bool,
    /// Whether the text is declared to be C.
    pub truncates: bool,
}

impl<'t> Tokens<'t> {
    /// Whether the text divides by `//`, which begins a comment in C.
    pub fn has_floor_division(&self) -> bool {
        !self.truncates && self.list.iter().any(|token| token.text == "//")
    }

    /// Renames names, all at the same time.
    pub fn rename(&mut self, names: &[(&str, &'t str)]) {
        let own =
            Rc::make_mut(&mut self.list).iter_mut().filter(|token| token.class == Class::Name);
        for token in own {
            if let Some((_, name)) = names.iter().find(|(before, _)| *before == token.text) {
                token.text = name;
            }
        }
    }

    /// Returns whether a token is this name.
    pub fn has_name(&self, name: &str) -> bool {
        self.list.iter().any(|token| token.class == Class::Name && token.text == name)
    }

    /// Splits `text` into tokens.
    ///
    /// # Errors
    /// [`ErrorKind::TooLarge`].
    pub fn new(text: &'t str) -> Result<Tokens<'t>, Error> {
        if text.len() > MAX_BYTES {
            let message = format!("a text of code may have at most {} KiB", MAX_BYTES >> 10);
            return Err(Error::new(ErrorKind::TooLarge, 0..text.len(), message));
        }
        check_branches(text)?;
        let mut list = with_steps_apart(without_do(expanded(lexed(text), &macros(text))?));
        let end = list.last().map_or(0, |last: &Token| last.span.end);
        list.push(Token { class: Class::End, text: "", span: end..end, indent: Some(0) });
        Ok(Tokens {
            source: text,
            list: Rc::new(list),
            at: 0,
            depth: 0,
            by_lines: false,
            truncates: false,
        })
    }

    /// Returns the current token.
    pub fn current(&self) -> &Token<'t> {
        self.ahead(0)
    }

    /// Returns the token `count` places ahead.
    pub fn ahead(&self, count: usize) -> &Token<'t> {
        &self.list[(self.at + count).min(self.list.len() - 1)]
    }

    /// Returns the end of the previous token.
    pub fn previous_end(&self) -> usize {
        self.at.checked_sub(1).map_or(0, |at| self.list[at].span.end)
    }

    /// Returns whether the text ends here, or a statement that ends with its line.
    pub fn is_end(&self) -> bool {
        let token = self.current();
        let is_new_line = self.by_lines && self.depth == 0 && token.indent.is_some();
        token.class == Class::End || (is_new_line && self.at > 0)
    }

    /// Returns whether this is among the remaining tokens.
    pub fn has(&self, text: &str) -> bool {
        self.list[self.at..].iter().any(|token| token.text == text)
    }

    /// Returns the number of remaining tokens.
    pub fn len(&self) -> usize {
        self.list.len() - self.at
    }

    /// Keeps the current token from ending a statement even though it begins a line.
    pub fn forget_line(&mut self) {
        let last = self.list.len() - 1;
        if self.at < last && self.list[self.at].indent.is_some() {
            Rc::make_mut(&mut self.list)[self.at].indent = None;
        }
    }

    /// Returns whether the previous token is of this class.
    pub fn is_behind(&self, class: Class) -> bool {
        self.at.checked_sub(1).is_some_and(|at| self.list[at].class == class)
    }

    /// Returns the text of the previous token.
    pub fn previous(&self) -> &'t str {
        self.at.checked_sub(1).map_or("", |at| self.list[at].text)
    }

    /// Returns the last operator before the current token.
    pub fn previous_operator(&self) -> &'t str {
        let mut before = self.list[..self.at].iter().rev();
        let operator = before.find(|token| token.class == Class::Operator);
        operator.map_or("", |token| token.text)
    }

    /// Moves to the previous token.
    pub fn back(&mut self) {
        self.at = self.at.saturating_sub(1);
    }

    /// Moves to the next token.
    pub fn advance(&mut self) {
        self.at = (self.at + 1).min(self.list.len() - 1);
    }

    /// Returns whether the current token is this word or operator.
    pub fn is(&self, text: &str) -> bool {
        self.current().text == text && self.current().class != Class::End && !self.is_end()
    }

    /// Consumes the current token if it is this word or operator.
    pub fn eat(&mut self, text: &str) -> bool {
        let found = self.is(text);
        if found {
            self.advance();
        }
        found
    }

    /// Consumes this word or operator, even if it begins a line.
    pub fn eat_anywhere(&mut self, text: &str) -> bool {
        let found = self.current().text == text;
        if found {
            self.advance();
        }
        found
    }

    /// Consumes the word or operator, which must be here.
    ///
    /// # Errors
    /// [`ErrorKind::Syntax`] if another token is here.
    pub fn take(&mut self, text: &str) -> Result<(), Error> {
        match self.eat(text) {
            true => Ok(()),
            false => Err(self.unexpected(&format!("`{text}`"))),
        }
    }

    /// Consumes a name without dots that is not a keyword.
    ///
    /// # Errors
    /// [`ErrorKind::Syntax`] if another token is here.
    pub fn name(&mut self) -> Result<(&'t str, Span), Error> {
        let token = self.current().clone();
        if token.class != Class::Name || is_reserved(token.text) || token.text.contains(['.', ':'])
        {
            return Err(self.unexpected("the name of a variable"));
        }
        self.advance();
        Ok((token.text, token.span))
    }

    /// Returns the error for an unexpected token.
    pub fn unexpected(&self, expected: &str) -> Error {
        let token = self.current();
        let found = match token.class {
            Class::End => "the end of the text".to_owned(),
            _ => format!("`{}`", affinor_maps::text::token::excerpt(token.text)),
        };
        let message = format!("expected {expected}, found {found}");
        Error::new(ErrorKind::Syntax, token.span.clone(), message)
    }
}
