//! Reads HLO text token by token, and reports only the first error.
//!
//! Shared by all parsers: looking at the next token, expecting a token, integers, limited nesting, and values that are kept as
//! text up to their closing bracket.

use super::token::Token;
use affinor_maps::text::{Error, ErrorKind, Span};
use logos::{Lexer, Logos};

/// Maximum nesting of brackets, which bounds recursion. Models seen so far nest them 5 deep.
pub(super) const MAX_NESTING: usize = 64;

/// A position in a text.
pub(super) struct Cursor<'a> {
    text: &'a str,
    lexer: Lexer<'a, Token>,
    /// The token after the position, if it was already lexed.
    ahead: Option<(Result<Token, ()>, Span)>,
    /// The end of the last token that was taken.
    end: usize,
    depth: usize,
    /// The kind of the errors created here.
    pub(super) kind: ErrorKind,
}

impl<'a> Cursor<'a> {
    /// Creates a cursor at the start of `text`.
    pub(super) fn new(text: &'a str, kind: ErrorKind) -> Cursor<'a> {
        Cursor { text, lexer: Token::lexer(text), ahead: None, end: 0, depth: 0, kind }
    }

    /// Creates a cursor at the start of `span`, which also ends there. Positions stay relative to the whole text.
    pub(super) fn within(&self, span: Span) -> Cursor<'a> {
        let text = self.text.get(..span.end).unwrap_or(self.text);
        let mut cursor = Cursor::new(text, self.kind);
        cursor.move_to(span.start);
        cursor
    }

    /// Returns the text at `span`.
    pub(super) fn slice(&self, span: Span) -> &'a str {
        self.text.get(span).unwrap_or_default()
    }

    /// Returns the end of the last token that was taken.
    pub(super) fn end(&self) -> usize {
        self.end
    }

    fn look(&mut self) -> &(Result<Token, ()>, Span) {
        let (text, lexer) = (self.text, &mut self.lexer);
        self.ahead.get_or_insert_with(|| match lexer.next() {
            Some(token) => (token, lexer.span()),
            // The end of the text is an error at an empty span.
            None => (Err(()), text.len()..text.len()),
        })
    }

    /// Returns the next token; `None` at the end and before a character that begins no token.
    pub(super) fn peek(&mut self) -> Option<Token> {
        self.look().0.ok()
    }

    /// Returns the span of the next token; an empty span at the end.
    pub(super) fn peek_span(&mut self) -> Span {
        self.look().1.clone()
    }

    /// Returns the text of the next token.
    pub(super) fn peek_text(&mut self) -> &'a str {
        let span = self.peek_span();
        self.slice(span)
    }

    /// Returns the token after the next one.
    pub(super) fn peek_second(&mut self) -> Option<Token> {
        self.look();
        self.lexer.clone().next()?.ok()
    }

    /// Returns the third token from here.
    pub(super) fn peek_third(&mut self) -> Option<Token> {
        self.look();
        let mut lexer = self.lexer.clone();
        lexer.next()?.ok()?;
        lexer.next()?.ok()
    }

    /// Returns the character after the next token, ignoring blanks.
    pub(super) fn character_behind(&mut self) -> Option<char> {
        let end = self.peek_span().end;
        self.text.get(end..)?.trim_start().chars().next()
    }

    /// Returns whether only blanks and comments are left.
    pub(super) fn at_end(&mut self) -> bool {
        let length = self.text.len();
        let (token, span) = self.look();
        token.is_err() && span.start == length
    }

    /// Takes the next token.
    pub(super) fn advance(&mut self) -> Span {
        let span = self.peek_span();
        self.ahead = None;
        self.end = span.end;
        span
    }

    /// Takes the next token if it is `token`.
    pub(super) fn take(&mut self, token: Token) -> bool {
        let found = self.peek() == Some(token);
        if found {
            self.advance();
        }
        found
    }

    /// Takes `token`, or fails.
    pub(super) fn expect(&mut self, token: Token) -> Result<Span, Error> {
        if self.peek() == Some(token) {
            Ok(self.advance())
        } else {
            Err(self.expected(&token.to_string()))
        }
    }

    /// Takes the name of a definition: as in XLA, a colon directly after it belongs to it, and is dropped.
    pub(super) fn expect_label(&mut self, what: &str) -> Result<(&'a str, Span), Error> {
        let (name, span) = self.expect_name(what)?;
        if self.peek() == Some(Token::Colon) && self.peek_span().start == span.end {
            self.advance();
        }
        Ok((name, span))
    }

    /// Takes a name; drops `%` before it.
    pub(super) fn expect_name(&mut self, what: &str) -> Result<(&'a str, Span), Error> {
        if self.peek() != Some(Token::Name) {
            return Err(self.expected(what));
        }
        let span = self.advance();
        let text = self.slice(span.clone());
        Ok((text.strip_prefix('%').unwrap_or(text), span))
    }

    /// Takes a 64-bit integer.
    pub(super) fn expect_integer(&mut self) -> Result<(i64, Span), Error> {
        let span = self.expect(Token::Integer)?;
        Ok((integer(self.slice(span.clone()), span.clone())?, span))
    }

    /// Takes integers separated by commas, up to and including `close`.
    pub(super) fn integers_until(&mut self, close: Token) -> Result<Vec<i64>, Error> {
        self.list_until(close, |cursor| Ok(cursor.expect_integer()?.0))
    }

    /// Takes entries separated by commas, up to and including `close`.
    pub(super) fn list_until<T>(
        &mut self,
        close: Token,
        mut entry: impl FnMut(&mut Cursor<'a>) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        let mut entries = Vec::new();
        if self.take(close) {
            return Ok(entries);
        }
        loop {
            entries.push(entry(self)?);
            if !self.take(Token::Comma) {
                break;
            }
        }
        match self.peek() {
            Some(token) if token == close => {
                self.advance();
                Ok(entries)
            }
            _ => Err(self.expected(&format!("`,` or {close}"))),
        }
    }

    /// Takes `{0,1}`.
    pub(super) fn braced_integers(&mut self) -> Result<Vec<i64>, Error> {
        self.expect(Token::OpenBrace)?;
        self.integers_until(Token::CloseBrace)
    }

    /// Returns the entries of a braced list that fills all of `span`.
    pub(super) fn whole_list<T>(
        &self,
        span: &Span,
        entry: impl FnMut(&mut Cursor<'a>) -> Result<T, Error>,
    ) -> Option<Vec<T>> {
        let mut inner = self.within(span.clone());
        inner.expect(Token::OpenBrace).ok()?;
        let entries = inner.list_until(Token::CloseBrace, entry).ok()?;
        inner.at_end().then_some(entries)
    }

    /// Enters a nesting level while `inside` runs.
    pub(super) fn nested<T>(
        &mut self,
        inside: impl FnOnce(&mut Cursor<'a>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.enter()?;
        let result = inside(self);
        self.leave();
        result
    }

    /// Enters a nesting level; [`Cursor::leave`] leaves it.
    pub(super) fn enter(&mut self) -> Result<(), Error> {
        if self.depth == MAX_NESTING {
            return Err(too_deep(self.peek_span()));
        }
        self.depth += 1;
        Ok(())
    }

    /// Leaves the level entered by [`Cursor::enter`].
    pub(super) fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// Fails unless the end is reached.
    pub(super) fn expect_end(&mut self, what: &str) -> Result<(), Error> {
        if self.at_end() {
            return Ok(());
        }
        Err(self.expected(&format!("the end of {what}")))
    }

    /// Returns the error "expected `what`, found .." at the next token.
    pub(super) fn expected(&mut self, what: &str) -> Error {
        let (token, mut span) = self.look().clone();
        let text = self.slice(span.clone());
        let found = if span.start == self.text.len() {
            "the end of the text".to_owned()
        } else if token.is_ok() {
            quoted(text)
        } else if text.starts_with('"') {
            return self.unclosed_string(span.start);
        } else if self.slice(span.start..span.start + 2) == "/*" {
            return self.unclosed_comment(span.start);
        } else {
            let first = text.chars().next().unwrap_or_default();
            span.end = span.start + first.len_utf8();
            format!("`{}`", first.escape_debug())
        };
        self.error(span, format!("expected {what}, found {found}"))
    }

    fn error(&self, span: Span, message: impl Into<String>) -> Error {
        Error::new(self.kind, span, message)
    }

    fn unclosed_string(&self, start: usize) -> Error {
        let error = self.error(start..start + 1, "unclosed string");
        error.hint("close it with `\"`")
    }

    fn unclosed_comment(&self, start: usize) -> Error {
        let error = self.error(start..start + 1, "unclosed comment");
        error.hint("close it with `*/`")
    }

    /// Takes a value as text: up to a blank, a comma or a closing bracket that is not inside brackets or quotes.
    pub(super) fn raw_value(&mut self) -> Result<Span, Error> {
        let start = self.peek_span().start;
        let end = self.scan(start, true)?;
        if start == end {
            return Err(self.expected("a value"));
        }
        self.move_to(end);
        Ok(start..end)
    }

    /// Returns whether a value ends here: before the next attribute, instruction or closing bracket, or at the end.
    pub(super) fn at_end_of_value(&mut self) -> bool {
        let between = self.end..self.peek_span().start;
        if self.at_end() || self.slice(between).contains('\n') {
            return true;
        }
        match self.peek() {
            Some(Token::Comma) => match (self.peek_second(), self.peek_third()) {
                (Some(Token::Name), third) => third == Some(Token::Equals),
                (None | Some(Token::CloseBrace | Token::CloseParenthesis), _) => true,
                _ => false,
            },
            Some(Token::CloseBrace | Token::CloseParenthesis | Token::CloseBracket) => true,
            Some(Token::Name) => self.begins_instruction(),
            _ => false,
        }
    }

    /// After a value that was taken as text, takes the rest of its line, up to the next attribute, the next instruction or a
    /// closing bracket. Returns whether anything was taken.
    pub(super) fn raw_rest(&mut self) -> Result<bool, Error> {
        let start = self.end;
        while !self.at_end_of_value() {
            match self.peek() {
                Some(Token::Comma) => {
                    self.advance();
                }
                _ => {
                    self.raw_value()?;
                }
            }
        }
        Ok(self.end > start)
    }

    /// Returns whether the next token, a name, begins an instruction or a computation.
    fn begins_instruction(&mut self) -> bool {
        let (text, end) = (self.peek_text(), self.peek_span().end);
        match self.peek_second() {
            // Instructions have a blank there, parts of a value such as `device_ids=(0,1)` do not.
            Some(Token::Equals) => !self.slice(end..self.text.len()).starts_with('='),
            Some(Token::OpenBrace | Token::OpenParenthesis) => true,
            _ => matches!(text, "ROOT" | "ENTRY"),
        }
    }

    /// Takes text up to, but excluding, the closing parenthesis that matches the one just taken.
    pub(super) fn raw_until_parenthesis(&mut self) -> Result<Span, Error> {
        let open = self.end.saturating_sub(1)..self.end;
        let start = self.end;
        let end = self.scan(start, false)?;
        if !self.slice(end..self.text.len()).starts_with(')') {
            return Err(self.not_closed(open));
        }
        self.move_to(end);
        Ok(start..end)
    }

    /// Moves to byte `position`, a character boundary.
    pub(super) fn move_to(&mut self, position: usize) {
        self.lexer = Token::lexer(self.text);
        self.lexer.bump(position.min(self.text.len()));
        self.ahead = None;
        self.end = position;
    }

    /// Returns the end of balanced text from `start`. With `word`, a blank or a comma ends it, too.
    fn scan(&self, start: usize, word: bool) -> Result<usize, Error> {
        let bytes = self.text.as_bytes();
        let mut open: Vec<(u8, usize)> = Vec::new();
        let mut at = start;
        while let Some(&byte) = bytes.get(at) {
            match byte {
                b'{' | b'(' | b'[' => {
                    if open.len() == MAX_NESTING {
                        return Err(too_deep(at..at + 1));
                    }
                    open.push((byte, at));
                }
                b'}' | b')' | b']' => match open.pop() {
                    None => return Ok(at),
                    Some((opening, _)) if matches!(&[opening, byte], b"{}" | b"()" | b"[]") => {}
                    Some((opening, position)) => {
                        let (byte, opening) = (char::from(byte), char::from(opening));
                        let message = format!("`{byte}` does not close `{opening}`");
                        let hint = format!("the open bracket is at byte {position}");
                        return Err(self.error(at..at + 1, message).hint(hint));
                    }
                },
                b'"' => {
                    at = self.end_of_string(at)?;
                    continue;
                }
                b'/' if matches!(bytes.get(at + 1), Some(b'*' | b'/')) => {
                    if word && open.is_empty() {
                        return Ok(at);
                    }
                    at = self.end_of_comment(at)?;
                    continue;
                }
                b',' if word && open.is_empty() => return Ok(at),
                _ if word && open.is_empty() && byte.is_ascii_whitespace() => return Ok(at),
                _ => {}
            }
            at += 1;
        }
        match open.pop() {
            None => Ok(at),
            Some((_, position)) => Err(self.not_closed(position..position + 1)),
        }
    }

    fn not_closed(&self, open: Span) -> Error {
        let bracket = self.slice(open.clone());
        self.error(open, format!("unclosed `{bracket}`")).hint("the text may be truncated")
    }

    fn end_of_string(&self, start: usize) -> Result<usize, Error> {
        let mut escaped = false;
        for (offset, byte) in self.slice(start + 1..self.text.len()).bytes().enumerate() {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => return Ok(start + offset + 2),
                _ => {}
            }
        }
        Err(self.unclosed_string(start))
    }

    fn end_of_comment(&self, start: usize) -> Result<usize, Error> {
        let comment = self.slice(start + 2..self.text.len());
        if self.slice(start..start + 2) == "//" {
            return Ok(start + 2 + comment.find('\n').unwrap_or(comment.len()));
        }
        match comment.find("*/") {
            Some(length) => Ok(start + 2 + length + 2),
            None => Err(self.unclosed_comment(start)),
        }
    }
}

/// Returns an error of kind `hlo` at `span`.
pub(super) fn wrong(span: Span, message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Hlo, span, message)
}

/// Parses a 64-bit integer.
pub(super) fn integer(text: &str, span: Span) -> Result<i64, Error> {
    text.parse().map_err(|_| {
        let message = format!("{} does not fit in 64 bits", quoted(text));
        Error::new(ErrorKind::Overflow, span, message)
            .hint("numbers lie between -2^63 and 2^63 - 1")
    })
}

/// Parses `1_-2_3` as numbers.
pub(super) fn underscored(text: &str, span: &Span) -> Result<Vec<i64>, Error> {
    text.split('_')
        .map(|number| match number {
            "" | "-" => Err(wrong(span.clone(), "missing number in the pattern")),
            _ if number.chars().skip(1).any(|c| c == '-') => {
                Err(wrong(span.clone(), "a minus sign must be followed by a number"))
            }
            _ => integer(number, span.clone()),
        })
        .collect()
}

/// Quotes `text` in backquotes, truncated if long: a name in a broken file can be megabytes long.
pub(super) fn quoted(text: &str) -> String {
    const LONGEST: usize = 40;
    match text.char_indices().nth(LONGEST) {
        None => format!("`{text}`"),
        Some((end, _)) => format!("`{}..`", text.get(..end).unwrap_or_default()),
    }
}

fn too_deep(span: Span) -> Error {
    let message = format!("brackets are nested more than {MAX_NESTING} deep");
    Error::new(ErrorKind::TooLarge, span, message)
}
