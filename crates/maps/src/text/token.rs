//! The lexer of the text language, shared by maps and rule files.
//!
//! Whitespace and comments (`#` to the end of the line) separate tokens and have no other meaning, except that a newline
//! separates two items of a domain. A `#` that begins the name of an MLIR attribute ([`attribute_length`]) does not begin a
//! comment. A run of invalid text is one [`Token::Rubbish`]. An integer directly followed by a name (`16d0`) is two tokens.

use crate::text::{Error, ErrorKind, Span};
use logos::Logos;

/// A token class.
#[derive(Logos, Clone, Copy, PartialEq, Eq, Debug)]
#[logos(skip r"[ \t\r\n\f]+")]
pub enum Token {
    /// Decimal digits, of any length.
    #[regex(r"[0-9]+")]
    Integer,
    /// A letter or `_`, then letters, digits and `_` (letters as Unicode defines identifiers).
    #[regex(r"[\p{XID_Start}_]\p{XID_Continue}*")]
    Name,
    /// `floordiv` or `floorDiv`
    #[token("floordiv")]
    #[token("floorDiv")]
    FloorDiv,
    /// `ceildiv` or `ceilDiv`
    #[token("ceildiv")]
    #[token("ceilDiv")]
    CeilDiv,
    /// `mod`
    #[token("mod")]
    Mod,
    /// `min`
    #[token("min")]
    Min,
    /// `max`
    #[token("max")]
    Max,
    /// `in`
    #[token("in")]
    In,
    /// `domain`
    #[token("domain")]
    Domain,
    /// `empty`
    #[token("empty")]
    Empty,
    /// `affine_map`
    #[token("affine_map")]
    AffineMap,
    /// `affine_set`
    #[token("affine_set")]
    AffineSet,
    /// `#xla.indexing_map`, `#map0`: the name of an MLIR attribute.
    #[token("#")]
    Attribute,
    /// `"`
    #[token("\"")]
    Quote,
    /// `+`
    #[token("+")]
    Plus,
    /// `-`
    #[token("-")]
    Minus,
    /// `*`
    #[token("*")]
    Star,
    /// `/` or `//`
    #[token("/")]
    #[token("//")]
    Slash,
    /// `%`
    #[token("%")]
    Percent,
    /// `(`
    #[token("(")]
    LeftParen,
    /// `)`
    #[token(")")]
    RightParen,
    /// `[`
    #[token("[")]
    LeftBracket,
    /// `]`
    #[token("]")]
    RightBracket,
    /// `{`
    #[token("{")]
    LeftBrace,
    /// `}`
    #[token("}")]
    RightBrace,
    /// `,`
    #[token(",")]
    Comma,
    /// `:`
    #[token(":")]
    Colon,
    /// `;`
    #[token(";")]
    Semicolon,
    /// `.`
    #[token(".")]
    Dot,
    /// `->`
    #[token("->")]
    Arrow,
    /// `=>`
    #[token("=>")]
    Implies,
    /// `<=>`
    #[token("<=>")]
    Equivalent,
    /// `=` or `==`
    #[token("=")]
    #[token("==")]
    Equal,
    /// `!=`
    #[token("!=")]
    Unequal,
    /// `<`
    #[token("<")]
    Less,
    /// `<=`
    #[token("<=")]
    LessEqual,
    /// `>`
    #[token(">")]
    Greater,
    /// `>=`
    #[token(">=")]
    GreaterEqual,
    /// A run of invalid text.
    Rubbish,
    /// The end of the text, repeated indefinitely.
    End,
}

impl Token {
    /// Returns whether the token is a keyword, which cannot be the name of a variable.
    #[must_use]
    pub fn is_keyword(self) -> bool {
        matches!(
            self,
            Token::FloorDiv
                | Token::CeilDiv
                | Token::Mod
                | Token::Min
                | Token::Max
                | Token::In
                | Token::Domain
                | Token::Empty
                | Token::AffineMap
                | Token::AffineSet
        )
    }
}

/// Returns whether `text` is a valid variable name.
#[must_use]
pub fn is_name(text: &str) -> bool {
    let tokens = Tokens::new(text);
    tokens.token() == Token::Name && tokens.span() == (0..text.len())
}

/// A token stream with a current token.
///
/// It is lazy, so a text of any length takes constant memory.
#[derive(Clone)]
pub struct Tokens<'t> {
    text: &'t str,
    lexer: logos::Lexer<'t, Token>,
    current: (Token, Span),
    /// The token after a run of rubbish, which was lexed to find the end of the run.
    pending: Option<(Token, Span)>,
    previous_end: usize,
}

impl<'t> Tokens<'t> {
    /// Tokenizes `text`, starting at the first token.
    #[must_use]
    pub fn new(text: &'t str) -> Tokens<'t> {
        let mut tokens = Tokens {
            text,
            lexer: Token::lexer(text),
            current: (Token::End, 0..0),
            pending: None,
            previous_end: 0,
        };
        tokens.current = tokens.read();
        tokens
    }

    /// Returns the class of the current token.
    #[must_use]
    pub fn token(&self) -> Token {
        self.current.0
    }

    /// Returns the span of the current token; empty at the end of the text.
    #[must_use]
    pub fn span(&self) -> Span {
        self.current.1.clone()
    }

    /// Returns the text of the current token.
    #[must_use]
    pub fn word(&self) -> &'t str {
        self.text.get(self.span()).unwrap_or("")
    }

    /// Returns the text from `start` to the end of the previous token.
    #[must_use]
    pub fn text_since(&self, start: usize) -> &'t str {
        self.text.get(start..self.previous_end).unwrap_or("")
    }

    /// Returns the end of the previous token; 0 at the first.
    #[must_use]
    pub fn previous_end(&self) -> usize {
        self.previous_end
    }

    /// Returns whether the current token follows the previous one without a space.
    #[must_use]
    pub fn is_adjacent(&self) -> bool {
        self.previous_end == self.current.1.start
    }

    /// Returns whether there is a newline between the previous and the current token.
    #[must_use]
    pub fn is_after_newline(&self) -> bool {
        let between = self.text.get(self.previous_end..self.current.1.start);
        between.is_some_and(|between| between.contains('\n'))
    }

    /// Moves to the next token.
    pub fn advance(&mut self) {
        self.previous_end = self.current.1.end;
        self.current = self.read();
    }

    /// Consumes the current token if it is a `token`; returns whether it did.
    pub fn eat(&mut self, token: Token) -> bool {
        let found = self.token() == token;
        if found {
            self.advance();
        }
        found
    }

    /// Consumes the current token if it is a `token`; returns its span.
    ///
    /// # Errors
    /// [`ErrorKind::Syntax`] otherwise; `expected` describes the token.
    pub fn expect(&mut self, token: Token, expected: &str) -> Result<Span, Error> {
        let span = self.span();
        if self.eat(token) { Ok(span) } else { Err(self.unexpected(expected)) }
    }

    /// Creates the error for an unexpected token.
    #[must_use]
    pub fn unexpected(&self, expected: &str) -> Error {
        let (found, span) = match self.token() {
            // After the last token: trailing whitespace and comments are not to blame.
            Token::End => {
                let end = self.previous_end;
                ("the end of the text".to_owned(), end..end)
            }
            _ => (format!("`{}`", excerpt(self.word())), self.span()),
        };
        let message = format!("expected {expected}, found {found}");
        Error::new(ErrorKind::Syntax, span, message)
    }

    fn read(&mut self) -> (Token, Span) {
        let (token, mut span) = match self.pending.take() {
            Some(word) => word,
            None => self.lex(),
        };
        if token == Token::Rubbish {
            loop {
                let next = self.lex();
                if next.0 == Token::Rubbish && next.1.start == span.end {
                    span.end = next.1.end;
                } else {
                    self.pending = Some(next);
                    break;
                }
            }
        }
        (token, span)
    }

    fn lex(&mut self) -> (Token, Span) {
        loop {
            match self.lexer.next() {
                None => return (Token::End, self.text.len()..self.text.len()),
                Some(Ok(Token::Attribute)) => {
                    let rest = self.text.get(self.lexer.span().start..).unwrap_or("");
                    if let Some(length) = attribute_length(rest) {
                        self.lexer.bump(length - 1); // after the `#`
                        return (Token::Attribute, self.lexer.span());
                    }
                    let comment = rest.find('\n').unwrap_or(rest.len());
                    self.lexer.bump(comment - 1);
                }
                Some(Ok(token)) => return (token, self.lexer.span()),
                Some(Err(())) => return (Token::Rubbish, self.lexer.span()),
            }
        }
    }
}

/// Returns the length of the attribute name at the start of `text`; `None` if its `#` begins a comment.
///
/// An attribute of a dialect is `#dialect.name<`. `#map`, `#map3` and `#set` are the aliases that MLIR gives to maps
/// and sets, unless a comment would continue after them.
#[must_use]
pub fn attribute_length(text: &str) -> Option<usize> {
    let name = text.strip_prefix('#')?;
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '.');
    let length = name.find(|c| !is_part(c)).unwrap_or(name.len());
    let (name, rest) = name.split_at(length);
    let is_word = |word: &str| word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let is_attribute = match name.split_once('.') {
        Some((dialect, name)) => is_word(dialect) && is_word(name) && rest.starts_with('<'),
        None => {
            let number = name.strip_prefix("map").or(name.strip_prefix("set"));
            let rest = rest.trim_start_matches([' ', '\t', '\r']);
            let is_numbered =
                number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()));
            // In `eval #map`, a point may follow the alias.
            let is_argument = |c: char| c.is_ascii_digit() || c == '[';
            let ends = rest.is_empty()
                || rest.starts_with(['\n', ';', '=', '#'])
                || rest.starts_with(is_argument);
            (is_numbered && ends) || (is_word(name) && is_used(rest))
        }
    };
    is_attribute.then_some(length + 1)
}

/// Returns whether the text after the name of an alias shows that it is an alias: a definition, or a position in a list of
/// maps.
fn is_used(rest: &str) -> bool {
    let is_attribute = |text: &str| {
        text.trim_start().starts_with(['#']) || text.trim_start().starts_with("affine_")
    };
    match rest.chars().next() {
        Some('=') => is_attribute(&rest[1..]),
        // Applied to values, as in `affine.apply #map(%i)`.
        Some('(') => rest[1..].trim_start().starts_with('%'),
        Some(',') => is_attribute(&rest[1..]),
        Some(']' | '>') => true,
        _ => false,
    }
}

/// Returns the first 40 characters of `text` on one line, for a message.
#[must_use]
pub fn excerpt(text: &str) -> String {
    const LIMIT: usize = 40;
    let on_one_line = |c: char| if c.is_whitespace() { ' ' } else { c };
    let mut shown: String = text.chars().take(LIMIT).map(on_one_line).collect();
    if text.chars().nth(LIMIT).is_some() {
        shown.push_str("...");
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[(Token, &str)]) {
        let mut tokens = Tokens::new(text);
        let mut found = Vec::new();
        while tokens.token() != Token::End {
            found.push((tokens.token(), tokens.word()));
            tokens.advance();
        }
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn words() {
        use Token::*;
        check("16d0 floordiv2", &[(Integer, "16"), (Name, "d0"), (Name, "floordiv2")]);
        check(
            "a//b/c<=>d<=e->f=>-",
            &[
                (Name, "a"),
                (Slash, "//"),
                (Name, "b"),
                (Slash, "/"),
                (Name, "c"),
                (Equivalent, "<=>"),
                (Name, "d"),
                (LessEqual, "<="),
                (Name, "e"),
                (Arrow, "->"),
                (Name, "f"),
                (Implies, "=>"),
                (Minus, "-"),
            ],
        );
        check("größe # min\n_x", &[(Name, "größe"), (Name, "_x")]);
        check("#", &[]);
        check("x #xla.map y", &[(Name, "x")]);
        check("x #note: <\ny", &[(Name, "x"), (Name, "y")]);
        check(
            "#xla.indexing_map<\"x\">",
            &[
                (Attribute, "#xla.indexing_map"),
                (Less, "<"),
                (Quote, "\""),
                (Name, "x"),
                (Quote, "\""),
                (Greater, ">"),
            ],
        );
        check("#map ; #map1 # map", &[(Attribute, "#map"), (Semicolon, ";"), (Attribute, "#map1")]);
        check("#map of rows\n#set0 ", &[(Attribute, "#set0")]);
        check("x @€@@ §y", &[(Name, "x"), (Rubbish, "@€@@"), (Rubbish, "§"), (Name, "y")]);
    }

    #[test]
    fn names() {
        for name in ["d0", "tid", "_", "größe", "modd1"] {
            assert!(is_name(name), "{name}");
        }
        for other in ["", "0d", "min", "floorDiv", "a b", " a", "a-b", "d0#"] {
            assert!(!is_name(other), "{other}");
        }
    }

    #[test]
    fn excerpts_are_short() {
        assert_eq!(excerpt("größe"), "größe");
        assert_eq!(excerpt(&"ö".repeat(40)).chars().count(), 40);
        assert_eq!(excerpt(&"x".repeat(99)).len(), 43);
    }
}
