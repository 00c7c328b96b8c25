//! The lexer of kernel code: Python, C, CUDA and Triton.
//!
//! Spaces, `# ..` and `/* .. */` separate tokens. `//` divides, as in Python; if no value can precede it, it begins a C comment.
//! A name may contain dots and `::` (`threadIdx.x`, `std::min`). The suffix of an integer (`4u`, `8ULL`) is part of it; `16d0` is
//! two tokens. Mathematical signs (`≤`, `×`, `∧`) are read as the operators that they mean.

use super::types::is_type;
use affinor_maps::text::Span;
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
    /// A quoted text, which only annotates other parts.
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

/// Mathematical signs, each with its operator.
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

/// Returns whether this is a mathematical sign that code may contain.
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

/// Words that may precede the name of an array, besides words of integer types.
const C_WORDS: [&str; 7] =
    ["float", "double", "half", "const", "return", "__restrict__", "restrict"];

/// The words that cannot name a variable.
const RESERVED: [&str; 14] = [
    "and", "or", "not", "if", "else", "for", "in", "lambda", "def", "return", "domain", "mod",
    "floordiv", "ceildiv",
];

/// The text of a C variable called `in`, which Python reserves. No other token has this text.
const NAME_IN: &str = "in ";

/// Makes each `in` that does not follow a value a name, as in `out[i] = in[j]` and `float *in`.
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

/// Returns whether the word introduces conditions after a value.
#[must_use]
pub fn is_condition_word(word: &str) -> bool {
    matches!(word, "where" | "with" | "when" | "given")
}

/// Returns the tokens of a text without comments, with the columns of those that begin a line.
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

/// Returns the tokens of a part of a line.
pub fn bare(text: &str) -> Vec<Token<'_>> {
    let tokens = Class::lexer(text).spanned().filter_map(|(class, span)| {
        let text = text.get(span.clone())?;
        Some(Token { class: class.unwrap_or(Class::Rubbish), text, span, indent: None })
    });
    tokens.collect()
}

/// Returns whether the word cannot name a variable.
pub fn is_reserved(word: &str) -> bool {
    RESERVED.contains(&word)
}

/// Returns whether this is an assignment operator: `=`, `+=`, ..
pub fn is_assignment(operator: &str) -> bool {
    let is_comparison = matches!(operator, "==" | "<=" | ">=" | "!=" | "=>" | "==>");
    operator.ends_with('=') && !is_comparison
}

/// Returns the number of tokens up to the bracket that closes the first one, 1 if the first one is not a bracket; `None` if it is
/// not closed.
pub fn balanced_length<'t>(texts: impl Iterator<Item = &'t str>) -> Option<usize> {
    let mut depth = 0usize;
    let mut ends = texts.map(|text| {
        match text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0
    });
    ends.position(|is_end| is_end).map(|at| at + 1)
}

/// Returns whether a line with this text continues on the next line: it ends with an operator that needs another operand.
#[must_use]
pub fn goes_on(text: &str) -> bool {
    let last =
        Class::lexer(text).spanned().filter(|(class, _)| *class != Ok(Class::Newline)).last();
    let Some((Ok(class), span)) = last else {
        return false;
    };
    let word = text.get(span).unwrap_or("");
    match class {
        // A question ends with a question mark.
        Class::Operator => !matches!(word, ")" | "]" | "}" | ";" | "@" | "?"),
        Class::Name => matches!(
            word,
            "and" | "or" | "not" | "if" | "else" | "in" | "mod" | "floordiv" | "ceildiv" | "return"
        ),
        _ => false,
    }
}
