//! Values of attributes (numbers, words, entries) in all forms of MLIR.

use crate::dense::{self, Values};
use crate::parse::Text;
use crate::token::{Range, Token};
use crate::types;

/// Maximum number of elements of a splat, such as `dense<0> : tensor<4x2xi64>`, that is expanded to a list.
const MAX_LIST: i64 = 4096;
/// Maximum length of a chain of aliases.
const MAX_ALIASES: usize = 16;

impl<'a> Text<'a> {
    /// Returns `range`, or the range of its definition if it is an alias.
    pub(crate) fn meant(&self, range: &Range) -> Range {
        let mut range = range.clone();
        for _ in 0..MAX_ALIASES {
            let is_alias = self.tokens.get(range.start) == Some(Token::AttributeAlias);
            match self.aliases.get(self.tokens.word(range.start)) {
                Some(meant) if is_alias && range.len() == 1 => range = meant.clone(),
                _ => break,
            }
        }
        range
    }

    /// Reads `[1, 2]`, `array<i64: 1, 2>`, `dense<[1, 2]> : tensor<2xi64>`, `dense<0> : tensor<4x2xi64>`.
    pub(crate) fn integers(&self, range: &Range) -> Option<Vec<i64>> {
        let range = self.meant(range);
        if self.tokens.is(range.start, "dense") {
            return match self.dense(&range)? {
                (Values::Listed(values), _) => values.iter().map(|v| number(v)).collect(),
                (Values::Splat(value), Some(count)) if (0..=MAX_LIST).contains(&count) => {
                    Some(vec![number(&value)?; usize::try_from(count).ok()?])
                }
                _ => None,
            };
        }
        let mut numbers = Vec::new();
        for at in range {
            match self.tokens.get(at)? {
                Token::Integer => numbers.push(number(self.tokens.word(at))?),
                Token::Word => match self.tokens.word(at) {
                    "true" => numbers.push(1),
                    "false" => numbers.push(0),
                    "array" | "i64" | "i32" | "i1" | "index" => {}
                    _ => return None,
                },
                Token::OpenBracket
                | Token::CloseBracket
                | Token::Less
                | Token::Greater
                | Token::Comma
                | Token::Colon => {}
                _ => return None,
            }
        }
        Some(numbers)
    }

    /// Reads the values of `dense<..> : type`, with the number of elements.
    fn dense(&self, range: &Range) -> Option<(Values, Option<i64>)> {
        let angles = range.start + 1;
        let colon = self.tokens.find(range, Token::Colon)?;
        let ty = types::of(self.tokens.slice(&(colon + 1..range.end)))?;
        let values = dense::values(&self.tokens, &self.tokens.inside(angles), &ty.element)?;
        Some((values, ty.count()))
    }

    /// Reads rows of equally many numbers: `dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>`, `[[0, 1], [2, 3]]`.
    pub(crate) fn rows(&self, range: &Range) -> Option<Vec<Vec<i64>>> {
        let range = self.meant(range);
        let numbers = self.integers(&range)?;
        let columns = match self.tokens.find(&range, Token::Colon) {
            Some(colon) => {
                let ty = types::of(self.tokens.slice(&(colon + 1..range.end)))?;
                usize::try_from(*ty.fixed()?.get(1)?).ok()?
            }
            None => {
                let rows = self.tokens.list(self.tokens.inside(range.start));
                return rows.iter().map(|row| self.integers(row)).collect();
            }
        };
        match columns {
            0 => Some(Vec::new()),
            columns => Some(numbers.chunks(columns).map(<[i64]>::to_vec).collect()),
        }
    }

    /// Reads `3`, `3 : i64`.
    pub(crate) fn integer(&self, range: &Range) -> Option<i64> {
        let range = self.meant(range);
        match self.tokens.get(range.start)? {
            Token::Integer => number(self.tokens.word(range.start)),
            _ => None,
        }
    }

    /// Reads `true` or `false`; an attribute without a value is true.
    pub(crate) fn truth(&self, range: &Range) -> Option<bool> {
        let range = self.meant(range);
        match self.tokens.slice(&range).split(' ').next()? {
            "" | "true" | "unit" => Some(true),
            "false" => Some(false),
            _ => None,
        }
    }

    /// Reads the word of `LT`, `#stablehlo<comparison_direction LT>`.
    pub(crate) fn word(&self, range: &Range) -> Option<&'a str> {
        let range = self.meant(range);
        let at = range.rev().find(|&at| self.tokens.get(at) == Some(Token::Word))?;
        Some(self.tokens.word(at))
    }

    /// Reads the text between quotes, including its escapes.
    pub(crate) fn string(&self, range: &Range) -> Option<&'a str> {
        let range = self.meant(range);
        match self.tokens.get(range.start)? {
            Token::String => Some(inner(self.tokens.word(range.start))),
            _ => None,
        }
    }

    /// Reads `@f`, without `@`.
    pub(crate) fn symbol(&self, range: &Range) -> Option<&'a str> {
        let range = self.meant(range);
        match self.tokens.get(range.start)? {
            Token::Symbol => Some(self.tokens.word(range.start).trim_matches(['@', '"'])),
            _ => None,
        }
    }

    /// Reads the entries of `{a = b}`, `#stablehlo.gather<offset_dims = [2]>`.
    pub(crate) fn entries(&self, range: &Range) -> Vec<(&'a str, Range)> {
        let range = self.meant(range);
        let opens = |at: &usize| {
            matches!(self.tokens.get(*at), Some(Token::OpenBrace | Token::Less))
                && self.tokens.partner(*at) > *at
        };
        let Some(open) = range.clone().find(opens) else { return Vec::new() };
        let parts = self.tokens.list(self.tokens.inside(open));
        parts
            .into_iter()
            .map(|part| {
                let key = self.tokens.word(part.start).trim_matches('"');
                let value = match self.tokens.get(part.start + 1) {
                    Some(Token::Equals) => part.start + 2..part.end,
                    _ => part.end..part.end,
                };
                (key, value)
            })
            .collect()
    }

    /// Returns the entry `key` among those of [`Text::entries`].
    pub(crate) fn entry(&self, range: &Range, key: &str) -> Option<Range> {
        let found = self.entries(range).into_iter().find(|(name, _)| *name == key);
        found.map(|(_, range)| range)
    }
}

fn number(word: &str) -> Option<i64> {
    match word {
        "true" => Some(1),
        "false" => Some(0),
        _ => match word.strip_prefix("0x") {
            Some(digits) => i64::from_str_radix(digits, 16).ok(),
            None => word.parse().ok(),
        },
    }
}

/// Returns a string without its quotes.
fn inner(word: &str) -> &str {
    word.strip_prefix('"').and_then(|word| word.strip_suffix('"')).unwrap_or(word)
}
