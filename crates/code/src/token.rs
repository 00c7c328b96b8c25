//! The lexer of kernel code: Python, C, CUDA and Triton.
//!
//! Spaces, `# ..` and `/* .. */` separate tokens. `//` divides, as in Python; where no value can stand before it, it begins
//! a comment of C. A name may have dots and `::` (`threadIdx.x`, `std::min`). A suffix of an integer (`4u`, `8ULL`) is
//! part of it; `16d0` is two tokens. Signs of mathematics (`≤`, `×`, `∧`) are the operators that they mean.

use super::types::is_type;
use affinor::text::Span;
use logos::Logos;

/// A token class.
#[derive(Logos, Clone, Copy, PartialEq, Eq, Debug)]
#[logos(skip r"[ \t\r\f]+")]
#[logos(skip(r"#[^\n]*", allow_greedy = true))]
#[logos(skip r"\\\r?\n")]
#[logos(skip r"/\*([^*]|\*+[^*/])*\*+/")]
pub enum Class {
    /// An integer with its prefix, separators and suffix.
    #[regex(r"0[xX][0-9a-fA-F_']+([uUlLzZ]+)?")]
    #[regex(r"0[bBoO][0-7_']+([uUlLzZ]+)?")]
    #[regex(r"[0-9][0-9_']*([uUlLzZ]+)?")]
    Integer,
    /// A number with a fraction or an exponent.
    #[regex(r"([0-9]+\.[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?f?")]
    #[regex(r"[0-9]+[eE][+-]?[0-9]+f?")]
    Fraction,
    /// A name, with dots and `::`.
    #[regex(r"[\p{XID_Start}_]\p{XID_Continue}*((\.|::)[\p{XID_Start}_]\p{XID_Continue}*)*")]
    Name,
    /// An operator or a bracket.
    #[regex(r"\.\.\.|<<=|>>=|//=|<<|>>|==>|=>|<=|>=|==|!=|&&|\|\||//|\*\*|->|\+=|-=|\*=|/=|%=|&=|\|=|\^=")]
    #[regex(r"[-+*/%&|^~!<>=?:,;()\[\]{}@]")]
    #[regex(r"[≤≥≠×·⋅÷−∧∨¬∈⌊⌋⌈⌉]")]
    Operator,
    /// A text in quotes, which only says how something else is meant.
    #[regex(r#""[^"\n]*""#)]
    #[regex(r"'[^'\n]*'")]
    Text,
    /// The end of a line.
    #[token("\n")]
    Newline,
    /// Invalid text.
    Rubbish,
    /// The end of the text.
    End,
}

/// Signs of mathematics that stand for an operator.
const SIGNS: [(&str, &str); 12] = [
    ("≤", "<="),
    ("≥", ">="),
    ("≠", "!="),
    ("×", "*"),
    ("·", "*"),
    ("⋅", "*"),
    ("÷", "/"),
    ("−", "-"),
    ("∧", "and"),
    ("∨", "or"),
    ("¬", "not"),
    ("∈", "in"),
];

/// Is it a sign of mathematics that code is read with?
#[must_use]
pub fn is_sign(letter: char) -> bool {
    matches!(letter, '⌊' | '⌋' | '⌈' | '⌉')
        || SIGNS.iter().any(|(sign, _)| sign.starts_with(letter))
}

/// A token.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Token<'t> {
    pub class: Class,
    pub text: &'t str,
    pub span: Span,
    /// The column of a token that begins a line.
    pub indent: Option<usize>,
}

/// Words before the name of an array, besides types of integers.
const C_WORDS: [&str; 7] =
    ["float", "double", "half", "const", "return", "__restrict__", "restrict"];

/// The words that are no names of variables.
const RESERVED: [&str; 14] = [
    "and", "or", "not", "if", "else", "for", "in", "lambda", "def", "return", "domain", "mod",
    "floordiv", "ceildiv",
];

/// The name `in` of C, which Python reserves. No token is written so.
const NAME_IN: &str = "in ";

/// Gives each `in` that no value stands before, as in `out[i] = in[j]` and `float *in`, the class of names to its readers.
fn name_arrays(list: &mut [Token]) {
    for at in 0..list.len() {
        let before = at.checked_sub(1).map(|at| &list[at]);
        let is_behind_value = before.is_some_and(|before| match before.class {
            Class::Operator => matches!(before.text, ")" | "]"),
            Class::Name => !is_type(before.text) && !C_WORDS.contains(&before.text),
            _ => true,
        });
        if list[at].text == "in" && !is_behind_value {
            list[at].text = NAME_IN;
        }
    }
}

/// Is it a word for conditions behind a value?
#[must_use]
pub fn is_condition_word(word: &str) -> bool {
    matches!(word, "where" | "with" | "when" | "given")
}

/// The tokens of a text, with those that begin a line, without comments.
pub fn lexed(text: &str) -> Vec<Token<'_>> {
    let mut list: Vec<Token> = Vec::new();
    let mut line = Some(0);
    let mut is_comment = false;
    for (class, span) in Class::lexer(text).spanned() {
        let class = class.unwrap_or(Class::Rubbish);
        if class == Class::Newline {
            (line, is_comment) = (Some(span.end), false);
            continue;
        }
        let own = text.get(span.clone()).unwrap_or("");
        is_comment |=
            own == "//" && list.last().is_none_or(|before| matches!(before.text, ";" | "{" | "}"));
        if is_comment {
            continue;
        }
        let sign = SIGNS.iter().find(|(sign, _)| *sign == own);
        list.push(Token {
            class,
            text: sign.map_or(own, |(_, operator)| operator),
            indent: line.take().map(|start| span.start - start),
            span,
        });
    }
    name_arrays(&mut list);
    list
}

/// The tokens of a part of a line.
pub fn bare(text: &str) -> Vec<Token<'_>> {
    let tokens = Class::lexer(text).spanned().filter_map(|(class, span)| {
        let text = text.get(span.clone())?;
        Some(Token { class: class.unwrap_or(Class::Rubbish), text, span, indent: None })
    });
    tokens.collect()
}

/// Is it no name of a variable?
pub fn is_reserved(word: &str) -> bool {
    RESERVED.contains(&word)
}

/// Is it `=`, `+=`, ..?
pub fn is_assignment(operator: &str) -> bool {
    let is_comparison = matches!(operator, "==" | "<=" | ">=" | "!=" | "=>" | "==>");
    operator.ends_with('=') && !is_comparison
}

/// Does a line that ends so go on in the next one: with an operator that needs another operand?
#[must_use]
pub fn goes_on(text: &str) -> bool {
    let last =
        Class::lexer(text).spanned().filter(|(class, _)| *class != Ok(Class::Newline)).last();
    let Some((Ok(class), span)) = last else {
        return false;
    };
    let word = text.get(span).unwrap_or("");
    match class {
        // A question has its mark at the end.
        Class::Operator => !matches!(word, ")" | "]" | "}" | ";" | "@" | "?"),
        Class::Name => matches!(
            word,
            "and" | "or" | "not" | "if" | "else" | "in" | "mod" | "floordiv" | "ceildiv" | "return"
        ),
        _ => false,
    }
}
