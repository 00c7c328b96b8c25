//! The lexer for MLIR, and the matching of brackets.
//!
//! Law: brackets of the kinds `()`, `[]`, `{}` are balanced, or there is an error at the one that is not. `<` and `>` are
//! brackets if they match inside those, and operators otherwise. With the matching brackets known, irrelevant parts are
//! skipped in one step, without recursion. Source: MLIR, *Language reference*.

use affinor_maps::text::{Error, ErrorKind, Span};
use logos::Logos;

/// A token class; the text is at the token's span.
#[derive(Logos, Clone, Copy, PartialEq, Eq, Debug)]
#[logos(skip r"[ \t\r\n\x0C\u{A0}\u{FEFF}]+")]
#[logos(skip(r"//[^\n]*", allow_greedy = true))]
pub(crate) enum Token {
    /// `%arg0`, `%4#1`, `%c_0`
    #[regex(r"%([0-9]+|[A-Za-z_$.\-][A-Za-z0-9_$.\-]*)(#[0-9]+)?")]
    Value,
    /// `@main`, `@"a name"`
    #[regex(r#"@([A-Za-z_][A-Za-z0-9_$.]*|"([^"\\\n]|\\.)*")"#)]
    Symbol,
    /// `^bb0`
    #[regex(r"\^[A-Za-z0-9_$.\-]+")]
    Block,
    /// `#map`, `#stablehlo.gather`
    #[regex(r"#[A-Za-z_][A-Za-z0-9_$.]*")]
    AttributeAlias,
    /// `!stablehlo.token`, `!t`
    #[regex(r"![A-Za-z_][A-Za-z0-9_$.]*")]
    TypeAlias,
    /// `stablehlo.add`, `tensor`, `x8xf32`
    #[regex(r"[A-Za-z_][A-Za-z0-9_$.]*")]
    Word,
    /// `12`, `-1`, `0xFF800000`
    #[regex(r"-?[0-9]+")]
    #[regex(r"0x[0-9a-fA-F]+")]
    Integer,
    /// `1.000000e+00`
    #[regex(r"-?[0-9]+\.[0-9]*([eE][-+]?[0-9]+)?")]
    Float,
    /// `"text \"quoted\""`
    #[regex(r#""([^"\\\n]|\\.)*""#)]
    String,
    /// `(`
    #[token("(")]
    OpenParenthesis,
    /// `)`
    #[token(")")]
    CloseParenthesis,
    /// `[`
    #[token("[")]
    OpenBracket,
    /// `]`
    #[token("]")]
    CloseBracket,
    /// `{`, and `{-#`, which opens the resources at the end of a file
    #[token("{")]
    #[token("{-#")]
    OpenBrace,
    /// `}`
    #[token("}")]
    #[token("#-}")]
    CloseBrace,
    /// `<`
    #[token("<")]
    Less,
    /// `>`
    #[token(">")]
    Greater,
    /// `,`
    #[token(",")]
    Comma,
    /// `:`
    #[token(":")]
    Colon,
    /// `=`
    #[token("=")]
    Equals,
    /// `->`
    #[token("->")]
    Arrow,
    /// Punctuation that no supported op needs.
    #[token("::")]
    #[token("==")]
    #[token(">=")]
    #[token("<=")]
    #[token("...")]
    #[token("+")]
    #[token("-")]
    #[token("*")]
    #[token("/")]
    #[token("?")]
    #[token("|")]
    #[token("#")]
    #[token("&")]
    #[token(";")]
    #[token("!")]
    Sign,
}

/// The tokens of a text.
pub(crate) struct Tokens<'a> {
    pub(crate) text: &'a str,
    list: Vec<(Token, u32, u32)>,
    /// The matching bracket of each bracket; the token's own number for anything else, including operators.
    partners: Vec<u32>,
}

/// A range of tokens, by number.
pub(crate) type Range = std::ops::Range<usize>;

impl<'a> Tokens<'a> {
    pub(crate) fn of(text: &'a str) -> Result<Tokens<'a>, Error> {
        if u32::try_from(text.len()).is_err() {
            return Err(Error::without_span(ErrorKind::TooLarge, "the text is larger than 4 GB"));
        }
        let mut list = Vec::with_capacity(text.len() / 4);
        for (token, span) in Token::lexer(text).spanned() {
            match token {
                // The cast is lossless, since the length of the text fits.
                #[expect(clippy::cast_possible_truncation, reason = "the length was checked")]
                Ok(token) => list.push((token, span.start as u32, span.end as u32)),
                Err(()) => return Err(no_token(text, span)),
            }
        }
        let partners = partners(&list)?;
        let tokens = Tokens { text, list, partners };
        tokens.check_commas()?;
        Ok(tokens)
    }

    /// Rejects commas that separate nothing, and values in a line without a comma between them.
    fn check_commas(&self) -> Result<(), Error> {
        use Token::{
            CloseBrace, CloseBracket, CloseParenthesis, Colon, Comma, Equals, Integer, OpenBrace,
            OpenBracket, OpenParenthesis, Value,
        };
        for at in 1..self.len() {
            match (self.list[at - 1].0, self.list[at].0) {
                (OpenParenthesis | OpenBracket | OpenBrace | Comma, Comma) => {
                    return Err(self.expected(at, "an element before `,`"));
                }
                (Comma, CloseParenthesis | CloseBracket | CloseBrace)
                    if self.get(at.wrapping_sub(2)) != Some(Colon) =>
                {
                    return Err(self.expected(at, "an element after `,`"));
                }
                (Value, Value) if !self.starts_line(at) => {
                    // The second may begin the results of the next op. Each token is visited for one pair only.
                    let ends = |at: &usize| match (self.get(at - 1), self.get(*at)) {
                        (Some(Value), Some(Value)) => true,
                        (_, next) => !matches!(next, Some(Value | Comma | Colon | Integer)),
                    };
                    let behind = (at + 1..).find(ends);
                    if behind.and_then(|behind| self.get(behind)) != Some(Equals) {
                        return Err(self.expected(at, "`,` between values"));
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    pub(crate) fn get(&self, at: usize) -> Option<Token> {
        self.list.get(at).map(|&(token, ..)| token)
    }

    /// Returns the span of a token; at the end of the text, the last character.
    pub(crate) fn span(&self, at: usize) -> Span {
        match self.list.get(at) {
            Some(&(_, start, end)) => start as usize..end as usize,
            None => {
                let end = self.text.trim_end().len();
                let last = self.text[..end].chars().next_back().map_or(0, char::len_utf8);
                end - last..end
            }
        }
    }

    pub(crate) fn word(&self, at: usize) -> &'a str {
        match self.list.get(at) {
            Some(&(_, start, end)) => &self.text[start as usize..end as usize],
            None => "",
        }
    }

    pub(crate) fn is(&self, at: usize, word: &str) -> bool {
        self.word(at) == word
    }

    /// Returns the span of all tokens of `range`.
    pub(crate) fn span_of(&self, range: &Range) -> Span {
        let start = self.span(range.start);
        match range.end.checked_sub(1) {
            Some(last) if last >= range.start => start.start..self.span(last).end,
            _ => start,
        }
    }

    pub(crate) fn slice(&self, range: &Range) -> &'a str {
        match range.is_empty() {
            true => "",
            false => &self.text[self.span_of(range)],
        }
    }

    /// Returns the number of the bracket that closes the one at `at`; `at` if that is not an opening bracket.
    pub(crate) fn partner(&self, at: usize) -> usize {
        self.partners.get(at).map_or(at, |&partner| partner as usize)
    }

    /// Returns the token after the one at `at`, or after the group that it opens.
    pub(crate) fn behind(&self, at: usize) -> usize {
        self.partner(at).max(at) + 1
    }

    /// Returns the attribute at `at`: `#map`, `affine_map<..>`, `#xla.indexing_map<..>`.
    pub(crate) fn attribute(&self, at: usize) -> Range {
        at..match self.get(at) {
            Some(Token::AttributeAlias) if self.get(at + 1) != Some(Token::Less) => at + 1,
            _ => self.behind(at + 1),
        }
    }

    /// Returns the tokens between the brackets of the group at `at`.
    pub(crate) fn inside(&self, at: usize) -> Range {
        at + 1..self.partner(at).max(at + 1)
    }

    /// Returns whether the token is the first one of its line.
    pub(crate) fn starts_line(&self, at: usize) -> bool {
        let before = at.checked_sub(1).map_or(0, |before| self.span(before).end);
        let start = self.span(at).start;
        self.text.get(before..start).is_none_or(|between| between.contains('\n'))
    }

    /// Splits `range` at the commas outside of brackets; an empty range has no parts.
    pub(crate) fn list(&self, range: Range) -> Vec<Range> {
        let mut parts = Vec::new();
        let (mut start, mut at) = (range.start, range.start);
        while at < range.end {
            if self.get(at) == Some(Token::Comma) {
                parts.push(start..at);
                start = at + 1;
            }
            at = self.behind(at);
        }
        if start < range.end {
            parts.push(start..range.end);
        }
        parts
    }

    /// Returns the first `token` of `range` outside of brackets.
    pub(crate) fn find(&self, range: &Range, token: Token) -> Option<usize> {
        let mut at = range.start;
        while at < range.end {
            if self.get(at) == Some(token) {
                return Some(at);
            }
            at = self.behind(at);
        }
        None
    }

    /// Returns the error for an unexpected token at `at`.
    pub(crate) fn expected(&self, at: usize, what: &str) -> Error {
        let found = match self.word(at) {
            "" => "the end of the text".to_owned(),
            word => format!("`{}`", shortened(word)),
        };
        let error =
            Error::new(ErrorKind::Hlo, self.span(at), format!("expected {what}, found {found}"));
        match self.get(at) {
            None => error.hint("the text may be truncated"),
            Some(_) => error,
        }
    }
}

/// Truncates `word` to about thirty characters.
pub(crate) fn shortened(word: &str) -> String {
    match word.char_indices().nth(30) {
        Some((end, _)) => format!("{}..", &word[..end]),
        None => word.to_owned(),
    }
}

fn no_token(text: &str, span: Span) -> Error {
    let found = &text[span.clone()];
    if found.starts_with('"') || text[span.start..].starts_with('"') {
        let error = Error::new(ErrorKind::Hlo, span.start..span.start + 1, "a string has no end");
        return error.hint("close it with `\"`");
    }
    let message = format!("`{}` is not a token of MLIR", shortened(found));
    Error::new(ErrorKind::Hlo, span, message).hint("expected MLIR as `print` writes it")
}

fn partners(list: &[(Token, u32, u32)]) -> Result<Vec<u32>, Error> {
    #[expect(clippy::cast_possible_truncation, reason = "there are fewer tokens than characters")]
    let mut partners: Vec<u32> = (0..list.len() as u32).collect();
    let mut open: Vec<usize> = Vec::new();
    let span = |at: usize| list[at].1 as usize..list[at].2 as usize;
    for (at, &(token, ..)) in list.iter().enumerate() {
        let opening = match token {
            Token::OpenParenthesis | Token::OpenBracket | Token::OpenBrace | Token::Less => {
                open.push(at);
                continue;
            }
            Token::CloseParenthesis => Token::OpenParenthesis,
            Token::CloseBracket => Token::OpenBracket,
            Token::CloseBrace => Token::OpenBrace,
            Token::Greater => Token::Less,
            _ => continue,
        };
        match open.last() {
            Some(&last) if list[last].0 == opening => {
                open.pop();
                #[expect(clippy::cast_possible_truncation, reason = "fewer than characters")]
                {
                    (partners[last], partners[at]) = (at as u32, last as u32);
                }
            }
            // One around it is closed first.
            Some(&last) if open.iter().any(|&outer| list[outer].0 == opening) => {
                let error = Error::new(ErrorKind::Hlo, span(last), "this bracket is not closed");
                let around = sign(opening);
                return Err(error.hint(format!("the `{around}` around it is closed before")));
            }
            Some(&last) => {
                let error = Error::new(ErrorKind::Hlo, span(at), "this closes another bracket");
                let open = sign(list[last].0);
                return Err(error.hint(format!("`{open}` before it is open still")));
            }
            None => {
                let error = Error::new(ErrorKind::Hlo, span(at), "this closes no bracket");
                return Err(error.hint("remove it, or open one before it"));
            }
        }
    }
    match open.first() {
        None => Ok(partners),
        Some(&at) => {
            let error = Error::new(ErrorKind::Hlo, span(at), "this bracket is never closed");
            Err(error.hint("the text may be truncated"))
        }
    }
}

fn sign(token: Token) -> &'static str {
    match token {
        Token::OpenParenthesis => "(",
        Token::OpenBracket => "[",
        Token::OpenBrace => "{",
        _ => "<",
    }
}
