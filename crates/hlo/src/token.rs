//! The lexer for HLO text.
//!
//! Source: XLA, `hlo_lexer.cc`, for names, patterns and comments. `/*..*/` and `//` comments may occur anywhere. Number patterns
//! (`1x3`, `0_0x1_1`) and convolution labels are one token each, as in XLA.

use logos::Logos;
use std::fmt;

/// A token class; the text is at the token's span.
#[derive(Logos, Clone, Copy, PartialEq, Eq, Debug)]
// Includes the no-break spaces and byte-order marks of text that was copied from pages.
#[logos(skip r"[ \t\r\n\x0C\u{A0}\u{FEFF}]+")]
#[logos(skip(r"//[^\n]*", allow_greedy = true))]
#[logos(skip r"/\*([^*]|\*+[^*/])*\*+/")]
// Lines that separate parts of a text.
#[logos(skip r"[ \t\r\n\x0C]*\n[ \t]*(---+|===+|\*\*\*+|~~~+)[ \t\r]*")]
pub(super) enum Token {
    /// `%add.1`, `all-gather`, `f32`, `kLoop`; `%0`, a value name of MLIR
    #[regex(r"%?[A-Za-z_][A-Za-z0-9_.\-]*")]
    #[regex(r"%[0-9][A-Za-z0-9_.\-]*")]
    Name,
    /// `12`, `-1`
    #[regex(r"-?[0-9]+")]
    Integer,
    /// `3x3`, `0_0x1_-1`
    #[regex(r"-?[0-9]+[x_][0-9x_\-]*")]
    Pattern,
    /// `b01f_01io->b01f`
    #[regex(r"[0-9a-z?]+_[0-9a-z?]+->[0-9a-z?]+", priority = 20)]
    Labels,
    /// `"text \"quoted\""`
    #[regex(r#""([^"\\]|\\.|\\\n)*""#)]
    String,
    /// `'axis_0'`
    #[regex(r"'[^'\n]*'")]
    Axis,
    /// `{`
    #[token("{")]
    OpenBrace,
    /// `}`
    #[token("}")]
    CloseBrace,
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
    /// `<=`
    #[token("<=")]
    AtMost,
    /// `*`
    #[token("*")]
    Star,
    /// `?`
    #[token("?")]
    Question,
    /// `#`
    #[token("#")]
    Hash,
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Token::Name => "a name",
            Token::Integer => "an integer",
            Token::Pattern => "numbers such as `3x3` or `0_0x1_1`",
            Token::Labels => "labels such as `b01f_01io->b01f`",
            Token::String => "a string in double quotes",
            Token::Axis => "an axis in single quotes",
            Token::OpenBrace => "`{`",
            Token::CloseBrace => "`}`",
            Token::OpenParenthesis => "`(`",
            Token::CloseParenthesis => "`)`",
            Token::OpenBracket => "`[`",
            Token::CloseBracket => "`]`",
            Token::Comma => "`,`",
            Token::Colon => "`:`",
            Token::Equals => "`=`",
            Token::Arrow => "`->`",
            Token::AtMost => "`<=`",
            Token::Star => "`*`",
            Token::Question => "`?`",
            Token::Hash => "`#`",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Token::{self, *};
    use logos::Logos;

    #[track_caller]
    fn check(text: &str, expected: &[(Token, &str)]) {
        let found: Vec<_> = Token::lexer(text)
            .spanned()
            .map(|(token, span)| (token.unwrap(), &text[span]))
            .collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn names_keep_dots_and_dashes() {
        check(
            "%get-tuple-element.3 = all-gather",
            &[(Name, "%get-tuple-element.3"), (Equals, "="), (Name, "all-gather")],
        );
        check("%_0-", &[(Name, "%_0-")]);
        check("%0 %4.1", &[(Name, "%0"), (Name, "%4.1")]);
    }

    #[test]
    fn patterns_and_labels_are_one_token() {
        check("3x3", &[(Pattern, "3x3")]);
        check("-1_-1x2_2", &[(Pattern, "-1_-1x2_2")]);
        check("1_4_1x4_8_0", &[(Pattern, "1_4_1x4_8_0")]);
        check("bf012_i20o1->bf012", &[(Labels, "bf012_i20o1->bf012")]);
        check("0b1f_01io->b01f", &[(Labels, "0b1f_01io->b01f")]);
        check("b0?f_0?io->?b0f", &[(Labels, "b0?f_0?io->?b0f")]);
        check("bf_io->bf", &[(Labels, "bf_io->bf")]);
    }

    #[test]
    fn arrows_of_signatures_are_not_labels() {
        check(
            "(f32[])->s32[]",
            &[
                (OpenParenthesis, "("),
                (Name, "f32"),
                (OpenBracket, "["),
                (CloseBracket, "]"),
                (CloseParenthesis, ")"),
                (Arrow, "->"),
                (Name, "s32"),
                (OpenBracket, "["),
                (CloseBracket, "]"),
            ],
        );
    }

    #[test]
    fn comments_are_skipped() {
        check(
            "a /*index=5*/ b // c d\n e /***/ /* * / **/f",
            &[(Name, "a"), (Name, "b"), (Name, "e"), (Name, "f")],
        );
    }

    #[test]
    fn strings_keep_escapes() {
        check(r#""a \"b\" \\" x"#, &[(String, r#""a \"b\" \\""#), (Name, "x")]);
    }

    #[test]
    fn what_is_no_token() {
        for text in ["$", "'x", "%", "% 0", "\"open", "/* open", "-", "é", "\u{0}"] {
            assert_eq!(Token::lexer(text).next(), Some(Err(())), "{text}");
        }
    }
}
