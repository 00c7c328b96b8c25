//! The position of the parser, and parsers of parts that occur everywhere: values, types, ends of values and aliases.

use crate::token::{Range, Token, Tokens};
use crate::tree::{Binding, Use};
use crate::types::{Type, Types};
use affinor_maps::text::Error;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The state of parsing a text.
pub(crate) struct Parser<'a> {
    pub(crate) tokens: Tokens<'a>,
    pub(crate) at: usize,
    pub(crate) aliases: FxHashMap<&'a str, Range>,
    pub(crate) types: Types<'a>,
    pub(crate) depth: usize,
    pub(crate) results: usize,
    /// The first token that has no comma before it.
    pub(crate) joined: Option<usize>,
}

impl<'a> Parser<'a> {
    pub(crate) fn peek(&self, ahead: usize) -> Option<Token> {
        self.tokens.get(self.at + ahead)
    }

    pub(crate) fn take(&mut self, token: Token) -> bool {
        let found = self.peek(0) == Some(token);
        self.at += usize::from(found);
        found
    }

    /// Collects the definitions of aliases, which may come after their uses (those of locations do).
    pub(crate) fn find_aliases(&mut self) {
        let mut at = 0;
        while at < self.tokens.len() {
            let is_alias =
                matches!(self.tokens.get(at), Some(Token::AttributeAlias | Token::TypeAlias));
            if is_alias && self.tokens.get(at + 1) == Some(Token::Equals) {
                let end = self.alias_end(at + 2);
                self.aliases.insert(self.tokens.word(at), at + 2..end);
                at = end.max(at + 1);
            } else {
                at = self.tokens.behind(at);
            }
        }
    }

    /// Returns the end of an alias's value: the end of its line, unless a bracket is open.
    pub(crate) fn alias_end(&self, start: usize) -> usize {
        let mut at = start;
        while at < self.tokens.len() && (at == start || !self.tokens.starts_line(at)) {
            at = self.tokens.behind(at);
        }
        at
    }

    /// Returns the end of the value after `key =`: `[0] x [1]`, `[b, f]x[i, o]->[b, f]`, `dense<0> : tensor<2xi64>`,
    /// `THREE_FRY`.
    pub(crate) fn value_end(&self, start: usize, end: usize) -> usize {
        let mut at = self.tokens.behind(start);
        while at < end {
            let begins_group = matches!(
                self.tokens.get(at + 1),
                Some(Token::OpenBracket | Token::OpenBrace | Token::OpenParenthesis)
            );
            match self.tokens.get(at) {
                Some(Token::Word) if self.tokens.is(at, "x") && begins_group => at += 1,
                Some(Token::Arrow) if begins_group => at += 1,
                Some(Token::Less) if self.tokens.partner(at) > at => at = self.tokens.behind(at),
                Some(Token::OpenBracket) => at = self.tokens.behind(at),
                _ => break,
            }
        }
        at.min(end)
    }

    pub(crate) fn binding(&self, at: usize) -> Binding<'a> {
        let Use { name, span } = self.value(at);
        Binding { name, span, ty: None, attributes: None }
    }

    pub(crate) fn value(&self, at: usize) -> Use<'a> {
        Use { name: value_name(self.tokens.word(at)), span: self.tokens.span(at) }
    }

    /// Returns whether the braces at the current position are a region: they contain ops or a block.
    pub(crate) fn at_region(&self) -> bool {
        let first = self.at + 1;
        let second = self.tokens.get(first + 1);
        match self.tokens.get(first) {
            Some(Token::Value | Token::Block) => true,
            Some(Token::String) => second == Some(Token::OpenParenthesis),
            Some(Token::Word) => match second {
                Some(Token::Equals) => false,
                Some(Token::Comma | Token::CloseBrace) => {
                    let word = self.tokens.word(first);
                    [".return", ".yield", ".terminator"].iter().any(|end| word.ends_with(end))
                        || word == "return"
                }
                _ => true,
            },
            // An empty region of a function or a module.
            Some(Token::CloseBrace) => {
                let before = self.at.checked_sub(1).map(|before| self.tokens.word(before));
                matches!(before, Some("module" | "do" | "cond"))
            }
            Some(Token::AttributeAlias) => second == Some(Token::Equals),
            _ => false,
        }
    }

    pub(crate) fn type_list(&mut self) -> Result<Vec<Rc<Type>>, Error> {
        let at = self.at;
        self.list_of_types().ok_or_else(|| self.tokens.expected(at, "a type"))
    }

    /// Parses `type, type`, or `(type {attributes}, type)`; returns `None` and consumes nothing on any other text.
    pub(crate) fn list_of_types(&mut self) -> Option<Vec<Rc<Type>>> {
        let mut types = Vec::new();
        if self.peek(0) == Some(Token::OpenParenthesis) {
            let behind = self.tokens.behind(self.at);
            for part in self.tokens.list(self.tokens.inside(self.at)) {
                let (ty, end) = self.types.read(&self.tokens, &self.aliases, part.start)?;
                types.push(ty);
                // Attributes and a location may follow a type.
                if end < part.end
                    && self.tokens.get(end) != Some(Token::OpenBrace)
                    && !self.tokens.is(end, "loc")
                {
                    self.joined.get_or_insert(end);
                }
            }
            self.at = behind;
            return Some(types);
        }
        loop {
            let Some((ty, end)) = self.types.read(&self.tokens, &self.aliases, self.at) else {
                return (!types.is_empty()).then_some(types);
            };
            types.push(ty);
            self.at = end;
            let follows = match self.peek(1) {
                Some(Token::Word) => self.peek(2) != Some(Token::Equals),
                token => token == Some(Token::TypeAlias),
            };
            if self.peek(0) != Some(Token::Comma) || !follows {
                return Some(types);
            }
            self.at += 1;
        }
    }
}

/// Strips `%` from `%4#1`; `%4#0` is the same value as `%4`.
pub(crate) fn value_name(word: &str) -> &str {
    let name = word.strip_prefix('%').unwrap_or(word);
    name.strip_suffix("#0").unwrap_or(name)
}

/// Strips `@` from `@f`.
pub(crate) fn symbol_name(word: &str) -> &str {
    word.trim_start_matches('@').trim_matches('"')
}
