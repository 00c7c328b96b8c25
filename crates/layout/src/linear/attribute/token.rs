//! The lexer for Triton's layout attributes.

use affinor::text::Span;
use logos::Logos;

/// A token class.
#[derive(Logos, Clone, Copy, PartialEq, Eq, Debug)]
#[logos(skip r"[ \t\r\n]+")]
pub(super) enum Token {
    /// Decimal digits, with a sign if negative
    #[regex("-?[0-9]+")]
    Integer,
    /// `64x32xf16`: sizes separated by `x`, and optionally a type
    #[regex("[0-9]+x[0-9a-zA-Z]*")]
    Sizes,
    /// A name of a parameter, or `true`
    #[regex("[a-zA-Z_][a-zA-Z0-9_]*")]
    Word,
    /// `#blocked` or `#ttg.blocked`
    #[regex(r"#[a-zA-Z_][a-zA-Z0-9_.]*")]
    Hash,
    /// `!ttg.memdesc`
    #[regex(r"![a-zA-Z_][a-zA-Z0-9_.]*")]
    Type,
    /// `=`
    #[token("=")]
    Equals,
    /// `:+`, after an interval
    #[token(":+")]
    Padding,
    /// `:`
    #[token(":")]
    Colon,
    /// `,`
    #[token(",")]
    Comma,
    /// `<`
    #[token("<")]
    Less,
    /// `>`
    #[token(">")]
    Greater,
    /// `{`
    #[token("{")]
    Brace,
    /// `}`
    #[token("}")]
    BraceEnd,
    /// `[`
    #[token("[")]
    Bracket,
    /// `]`
    #[token("]")]
    BracketEnd,
}

impl crate::cursor::Token for Token {
    fn tokens(text: &str) -> Vec<(Result<Token, ()>, Span)> {
        Token::lexer(text).spanned().collect()
    }
}
