//! The lexer of kernel code: Python, C, CUDA and Triton.
//!
//! Spaces, `# ..` and `/* .. */` separate tokens. `//` divides, as in Python; where no value can stand before it, it begins
//! a comment of C. A name may have dots and `::` (`threadIdx.x`, `std::min`). A suffix of an integer (`4u`, `8ULL`) is
//! part of it; `16d0` is two tokens. Signs of mathematics (`≤`, `×`, `∧`) are the operators that they mean.

use super::macros::{expanded, macros};
use affinor::text::{Error, ErrorKind, Span};
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

/// The words that are no names of variables.
const RESERVED: [&str; 14] = [
    "and", "or", "not", "if", "else", "for", "in", "lambda", "def", "return", "domain", "mod",
    "floordiv", "ceildiv",
];

/// Is it a word for conditions behind a value?
#[must_use]
pub fn is_condition_word(word: &str) -> bool {
    matches!(word, "where" | "with" | "when" | "given")
}

/// Most bytes of a text of code.
pub const MAX_BYTES: usize = 1 << 16;

/// The tokens of a text, with a current one.
#[derive(Clone)]
pub struct Tokens<'t> {
    /// The text of the tokens.
    pub source: &'t str,
    list: Vec<Token<'t>>,
    at: usize,
    /// How many brackets are open: inside, the ends of lines mean nothing.
    pub depth: usize,
    /// Whether the end of a line ends a statement.
    pub by_lines: bool,
    /// Whether the text is said to be C.
    pub truncates: bool,
}

impl<'t> Tokens<'t> {
    /// Gives names other names, all at once.
    pub fn rename(&mut self, names: &[(&str, &'t str)]) {
        let own = self.list.iter_mut().filter(|token| token.class == Class::Name);
        for token in own {
            if let Some((_, name)) = names.iter().find(|(before, _)| *before == token.text) {
                token.text = name;
            }
        }
    }

    /// Is this the name of a token?
    pub fn has_name(&self, name: &str) -> bool {
        self.list.iter().any(|token| token.class == Class::Name && token.text == name)
    }

    /// The tokens of `text`.
    ///
    /// # Errors
    /// [`ErrorKind::TooLarge`].
    pub fn new(text: &'t str) -> Result<Tokens<'t>, Error> {
        if text.len() > MAX_BYTES {
            let message = format!("a text of code may have at most {} KiB", MAX_BYTES >> 10);
            return Err(Error::new(ErrorKind::TooLarge, 0..text.len(), message));
        }
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
            is_comment |= own == "//"
                && list.last().is_none_or(|before| matches!(before.text, ";" | "{" | "}"));
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
        let mut list = expanded(list, &macros(text))?;
        let end = list.last().map_or(0, |last: &Token| last.span.end);
        list.push(Token { class: Class::End, text: "", span: end..end, indent: Some(0) });
        Ok(Tokens { source: text, list, at: 0, depth: 0, by_lines: false, truncates: false })
    }

    /// The current token.
    pub fn current(&self) -> &Token<'t> {
        self.ahead(0)
    }

    /// The token that many places on.
    pub fn ahead(&self, count: usize) -> &Token<'t> {
        &self.list[(self.at + count).min(self.list.len() - 1)]
    }

    /// The end of the previous token.
    pub fn previous_end(&self) -> usize {
        self.at.checked_sub(1).map_or(0, |at| self.list[at].span.end)
    }

    /// Is the text done, or a statement whose end is that of its line?
    pub fn is_end(&self) -> bool {
        let token = self.current();
        let is_new_line = self.by_lines && self.depth == 0 && token.indent.is_some();
        token.class == Class::End || (is_new_line && self.at > 0)
    }

    /// Is this among the tokens that are left?
    pub fn has(&self, text: &str) -> bool {
        self.list[self.at..].iter().any(|token| token.text == text)
    }

    /// The number of tokens that are left.
    pub fn len(&self) -> usize {
        self.list.len() - self.at
    }

    /// The current token does not end a statement, though it begins a line.
    pub fn forget_line(&mut self) {
        let last = self.list.len() - 1;
        if self.at < last {
            self.list[self.at].indent = None;
        }
    }

    /// Is the token before the current one of this class?
    pub fn is_behind(&self, class: Class) -> bool {
        self.at.checked_sub(1).is_some_and(|at| self.list[at].class == class)
    }

    /// The last operator before the current token.
    pub fn previous_operator(&self) -> &'t str {
        let mut before = self.list[..self.at].iter().rev();
        let operator = before.find(|token| token.class == Class::Operator);
        operator.map_or("", |token| token.text)
    }

    /// Moves to the previous token.
    pub fn back(&mut self) {
        self.at = self.at.saturating_sub(1);
    }

    /// Moves to the next token.
    pub fn advance(&mut self) {
        self.at = (self.at + 1).min(self.list.len() - 1);
    }

    /// Is the current token this word or operator?
    pub fn is(&self, text: &str) -> bool {
        self.current().text == text && self.current().class != Class::End && !self.is_end()
    }

    /// Consumes the current token if it is this word or operator.
    pub fn eat(&mut self, text: &str) -> bool {
        let found = self.is(text);
        if found {
            self.advance();
        }
        found
    }

    /// Consumes this word or operator, also where a line begins.
    pub fn eat_anywhere(&mut self, text: &str) -> bool {
        let found = self.current().text == text;
        if found {
            self.advance();
        }
        found
    }

    /// Consumes the word or operator.
    ///
    /// # Errors
    /// [`ErrorKind::Syntax`] if there is another.
    pub fn take(&mut self, text: &str) -> Result<(), Error> {
        match self.eat(text) {
            true => Ok(()),
            false => Err(self.unexpected(&format!("`{text}`"))),
        }
    }

    /// Consumes a name without dots that is no keyword.
    ///
    /// # Errors
    /// [`ErrorKind::Syntax`] if there is none.
    pub fn name(&mut self) -> Result<(&'t str, Span), Error> {
        let token = self.current().clone();
        if token.class != Class::Name || is_reserved(token.text) || token.text.contains(['.', ':'])
        {
            return Err(self.unexpected("the name of a variable"));
        }
        self.advance();
        Ok((token.text, token.span))
    }

    /// The error for a token that is not expected.
    pub fn unexpected(&self, expected: &str) -> Error {
        let token = self.current();
        let found = match token.class {
            Class::End => "the end of the text".to_owned(),
            _ => format!("`{}`", affinor::text::token::excerpt(token.text)),
        };
        let message = format!("expected {expected}, found {found}");
        Error::new(ErrorKind::Syntax, token.span.clone(), message)
    }
}

/// Is it no name of a variable?
pub fn is_reserved(word: &str) -> bool {
    RESERVED.contains(&word)
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
        Class::Operator => !matches!(word, ")" | "]" | "}" | ";" | "@"),
        Class::Name => matches!(
            word,
            "and" | "or" | "not" | "if" | "else" | "in" | "mod" | "floordiv" | "ceildiv" | "return"
        ),
        _ => false,
    }
}
