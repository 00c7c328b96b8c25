//! The lexer for CuTe layouts.

use logos::{Logos, SpannedIter};

/// A token class.
#[derive(Logos, Clone, Copy, PartialEq, Eq, Debug)]
#[logos(skip r"[ \t\r\n]+")]
pub(super) enum Token {
    /// Decimal digits, with a sign if negative; CUTLASS puts `_` before one that is known to the compiler.
    #[regex("-?[0-9]+")]
    #[regex("_-?[0-9]+")]
    Integer,
    /// `_`, a mode that a tiler leaves as it is
    #[token("_")]
    Any,
    /// `Swizzle`, `Sw` or `S`
    #[token("Swizzle")]
    #[token("Sw")]
    #[token("S")]
    Swizzle,
    /// `Layout`, as Python writes one
    #[token("Layout")]
    Layout,
    /// `ComposedLayout`, as Python writes one with a swizzle
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

/// The tokens of a text with byte spans; invalid text is an error.
pub(super) type Tokens<'t> = SpannedIter<'t, Token>;

pub(super) fn tokens(text: &str) -> Tokens<'_> {
    Token::lexer(text).spanned()
}
