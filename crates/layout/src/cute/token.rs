//! The lexer for CuTe layouts.

use affinor::text::Span;
use logos::Logos;

/// A token class.
#[derive(Logos, Clone, Copy, PartialEq, Eq, Debug)]
#[logos(skip r"[ \t\r\n]+")]
pub(super) enum Token {
    /// Decimal digits, with a sign if negative; CUTLASS prefixes compile-time constants with `_`.
    #[regex("-?[0-9]+")]
    #[regex("_-?[0-9]+")]
    Integer,
    /// `_`, a mode that a tiler leaves unchanged
    #[token("_")]
    Any,
    /// `Swizzle`, `Sw` or `S`
    #[token("Swizzle")]
    #[token("Sw")]
    #[token("S")]
    Swizzle,
    /// `Layout`, in Python's notation
    #[token("Layout")]
    Layout,
    /// `ComposedLayout`, a layout with a swizzle in Python's notation
    #[token("ComposedLayout")]
    Composed,
    /// `offset`
    #[token("offset")]
    Offset,
    /// `=`
    #[token("=")]
    Equals,
    /// `o`, composition
    #[token("o")]
    #[token("∘")]
    After,
    /// `(`
    #[token("(")]
    Open,
    /// `)`
    #[token(")")]
    Close,
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
}

impl crate::cursor::Token for Token {
    fn tokens(text: &str) -> Vec<(Result<Token, ()>, Span)> {
        Token::lexer(text).spanned().collect()
    }
}
