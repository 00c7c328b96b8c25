//! The lexer for CuTe layouts.

use logos::{Logos, SpannedIter};

/// A token class.
#[derive(Logos, Clone, Copy, PartialEq, Eq, Debug)]
#[logos(skip r"[ \t\r\n]+")]
pub(super) enum Token {
    /// Decimal digits, with a sign if negative.
    #[regex("-?[0-9]+")]
    Integer,
    /// `Swizzle` or `Sw`
    #[token("Swizzle")]
    #[token("Sw")]
    Swizzle,
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
