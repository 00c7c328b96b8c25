//! Parses MLIR text to ops in regions.
//!
//! In the generic form, each part of an op is labelled. A pretty form is a line of parts, which continues on the next line with
//! a token that cannot begin an op: a bracket, a word without a dialect, a colon. So an op of an unknown dialect is parsed like
//! any other. Law: nesting is bounded, and each token is visited a bounded number of times for each region around it.

use crate::cursor::{Parser, symbol_name, value_name};
use crate::token::{Range, Token, Tokens, shortened};
use crate::tree::{Binding, Op, Region, ResultName};
use crate::types::Types;
use affinor_maps::text::{Error, ErrorKind};
use rustc_hash::FxHashMap;

/// A parsed text.
pub(crate) struct Text<'a> {
    pub(crate) tokens: Tokens<'a>,
    /// The definitions of `#map`, `!t`, `#loc1`.
    pub(crate) aliases: FxHashMap<&'a str, Range>,
    pub(crate) ops: Vec<Op<'a>>,
}

/// Maximum nesting depth of regions.
const MAX_NESTING: usize = 64;
/// Maximum number of results `N` of `%4:N`.
const MAX_RESULTS: usize = 1 << 20;

/// Words without a dialect that begin an op.
const BARE_OPS: [&str; 10] = [
    "module",
    "return",
    "call",
    "call_indirect",
    "func",
    "constant",
    "br",
    "cond_br",
    "tensor_load",
    "unrealized_conversion_cast",
];

pub(crate) fn read(text: &str) -> Result<Text<'_>, Error> {
    let tokens = Tokens::of(text)?;
    let mut parser = Parser {
        tokens,
        at: 0,
        aliases: FxHashMap::default(),
        types: Types::default(),
        depth: 0,
        results: 0,
        joined: None,
    };
    parser.find_aliases();
    let end = parser.tokens.len();
    let ops = parser.ops(end)?;
    if let Some(at) = parser.types.wrong {
        let range = at..parser.tokens.behind(at + 1);
        let written = shortened(parser.tokens.slice(&range));
        let message = format!("`{written}` is not a type of MLIR");
        let error = Error::new(ErrorKind::Hlo, parser.tokens.span_of(&range), message);
        return Err(
            error.hint("sizes are numbers or `?`, elements `f32`, `i8`, `index`, `!dialect.type`")
        );
    }
    if let Some(at) = parser.joined {
        return Err(parser.tokens.expected(at, "`,` in front of this"));
    }
    Ok(Text { tokens: parser.tokens, aliases: parser.aliases, ops })
}

impl<'a> Parser<'a> {
    fn ops(&mut self, end: usize) -> Result<Vec<Op<'a>>, Error> {
        let mut ops = Vec::new();
        while self.at < end && self.peek(0) != Some(Token::Block) {
            match self.peek(0) {
                Some(Token::AttributeAlias | Token::TypeAlias)
                    if self.peek(1) == Some(Token::Equals) =>
                {
                    self.at = self.alias_end(self.at + 2);
                }
                // Resource sections are skipped.
                Some(Token::OpenBrace) if self.tokens.is(self.at, "{-#") => {
                    self.at = self.tokens.behind(self.at);
                }
                _ => ops.push(self.op(end)?),
            }
        }
        Ok(ops)
    }

    fn op(&mut self, end: usize) -> Result<Op<'a>, Error> {
        let start = self.at;
        let mut op = Op { results: self.result_names()?, ..Op::default() };
        let name = self.tokens.word(self.at);
        let is_generic = self.peek(0) == Some(Token::String);
        op.name = match self.peek(0) {
            Some(Token::Word) => name,
            Some(Token::String) => name.trim_matches('"'),
            _ => {
                let error = self.tokens.expected(self.at, "an op");
                return Err(error.hint("an op is `%result = dialect.op %operand : type`"));
            }
        };
        op.name_span = self.tokens.span(self.at);
        self.at += 1;
        let behind_name = self.at;
        if is_generic && self.peek(0) != Some(Token::OpenParenthesis) {
            let error = self.tokens.expected(self.at, "`(` and the operands");
            return Err(error.hint("the generic form is `\"dialect.op\"(%a) : (type) -> type`"));
        }
        while self.at < end && !self.begins_op(&op) {
            self.part(&mut op, end)?;
        }
        if op.short() == "func" {
            typed(&op)?;
        }
        op.span = self.tokens.span_of(&(start..self.at));
        op.tokens = behind_name..self.at;
        // A result computed into a destination has the destination's type.
        if op.arrow_types.is_none() && op.destinations > 0 && !op.results.is_empty() {
            let given = op.operand_types.len();
            let first = given.saturating_sub(op.destinations);
            op.arrow_types = Some(op.operand_types[first..].to_vec());
        }
        Ok(op)
    }

    /// Parses `%a, %4:2 =`, or nothing.
    fn result_names(&mut self) -> Result<Vec<ResultName<'a>>, Error> {
        let mut results = Vec::new();
        while self.peek(0) == Some(Token::Value) {
            let span = self.tokens.span(self.at);
            let name = value_name(self.tokens.word(self.at));
            self.at += 1;
            let mut count = 1;
            if self.take(Token::Colon) {
                let number = self.tokens.word(self.at).parse().ok();
                self.results = self.results.saturating_add(number.unwrap_or(0));
                match number.filter(|_| self.results <= MAX_RESULTS) {
                    Some(number) => count = number,
                    None => return Err(self.tokens.expected(self.at, "a number of results")),
                }
                self.at += 1;
            }
            results.push(ResultName { name, count, span });
            if self.take(Token::Comma) {
                continue;
            }
            if !self.take(Token::Equals) {
                let error = self.tokens.expected(self.at, "`=` after the name of a result");
                return Err(error.hint("an op is `%result = dialect.op %operand : type`"));
            }
            break;
        }
        Ok(results)
    }

    /// Returns whether the current token begins another op, rather than continuing `op`.
    fn begins_op(&self, op: &Op<'a>) -> bool {
        // Those of maps have no types.
        let is_mapped = matches!(op.name, "affine.apply" | "affine.max" | "affine.min");
        let before = self.tokens.get(self.at.wrapping_sub(1));
        let ends_region = !op.regions.is_empty() && before == Some(Token::CloseBrace);
        let is_complete = op.arrow_types.is_some()
            || !op.operand_types.is_empty()
            || ends_region
            || op.short() == "barrier"
            || is_mapped && !(op.groups.is_empty() && op.operands.is_empty());
        let starts_line = self.tokens.starts_line(self.at);
        let goes_on = matches!(
            before,
            Some(Token::Comma | Token::Equals | Token::Colon | Token::Arrow | Token::Sign)
        );
        match self.peek(0) {
            Some(Token::Block) => true,
            _ if goes_on => false,
            Some(Token::Value) => {
                starts_line
                    || is_complete && matches!(self.peek(1), Some(Token::Equals | Token::Colon))
            }
            Some(Token::String) => starts_line && self.peek(1) == Some(Token::OpenParenthesis),
            Some(Token::Word) => {
                let word = self.tokens.word(self.at);
                let names_op = word.contains('.') || BARE_OPS.contains(&word);
                names_op && (starts_line || is_complete)
            }
            Some(Token::AttributeAlias | Token::TypeAlias) => {
                starts_line && self.peek(1) == Some(Token::Equals)
            }
            Some(Token::OpenBrace) => self.tokens.is(self.at, "{-#"),
            _ => false,
        }
    }

    /// Parses one part of an op.
    fn part(&mut self, op: &mut Op<'a>, end: usize) -> Result<(), Error> {
        let at = self.at;
        match self.tokens.get(at) {
            Some(Token::Value) => {
                let bound = self.peek(1) == Some(Token::Equals);
                self.at += 1;
                match bound {
                    true => op.bindings.push(self.binding(at)),
                    false => op.operands.push(self.value(at)),
                }
            }
            Some(Token::Symbol) => {
                op.symbols.push(symbol_name(self.tokens.word(at)));
                self.at += 1;
            }
            Some(Token::Word) => self.word(op, end),
            Some(Token::OpenParenthesis) => match self.peek(1) {
                Some(Token::OpenBrace) => self.regions(op)?,
                _ => self.parenthesis(op)?,
            },
            Some(Token::OpenBrace) => match self.at_region() {
                true => {
                    let region = self.region(op)?;
                    op.regions.push(region);
                }
                false => {
                    self.dictionary(op, self.tokens.inside(at));
                    self.at = self.tokens.behind(at);
                }
            },
            Some(Token::Less) if self.peek(1) == Some(Token::OpenBrace) => {
                self.dictionary(op, self.tokens.inside(at + 1));
                self.at = self.tokens.behind(at);
            }
            Some(Token::OpenBracket) if self.binds_results(self.tokens.behind(at)) => {
                // As in `xla.loop (%a)[%i] -> (%x) in #map`: `[%i]` and `(%x)` are defined for the region.
                let results = self.tokens.behind(at) + 1;
                for at in self.tokens.inside(at).chain(self.tokens.inside(results)) {
                    if self.tokens.get(at) == Some(Token::Value) {
                        op.bindings.push(self.binding(at));
                    }
                }
                self.at = self.tokens.behind(results);
            }
            Some(Token::OpenBracket) => {
                self.at = self.tokens.behind(at);
                op.groups.push(at..self.at);
                let used = (at..self.at).filter(|&at| self.tokens.get(at) == Some(Token::Value));
                let first = op.operands.len();
                op.operands.extend(used.map(|at| self.value(at)));
                op.indices.push(first..op.operands.len());
            }
            Some(Token::Colon) => {
                self.at += 1;
                self.types(op)?;
            }
            Some(Token::Arrow) => {
                self.at += 1;
                op.arrow_types = Some(self.type_list()?);
            }
            Some(
                Token::Integer
                | Token::Float
                | Token::String
                | Token::AttributeAlias
                | Token::TypeAlias
                | Token::Less,
            ) => {
                self.at = self.tokens.behind(at);
                if self.peek(0) == Some(Token::Less) && self.tokens.partner(self.at) > self.at {
                    self.at = self.tokens.behind(self.at);
                }
                op.groups.push(at..self.at);
            }
            _ => self.at = self.tokens.behind(at),
        }
        Ok(())
    }

    /// Returns whether `-> (%x)` or `-> ()` is at this position, with a map after it.
    fn binds_results(&self, at: usize) -> bool {
        self.tokens.get(at) == Some(Token::Arrow)
            && self.tokens.get(at + 1) == Some(Token::OpenParenthesis)
            && self.tokens.is(self.tokens.behind(at + 1), "in")
    }

    /// Parses a word, `key = value`, a location, or a word with angle brackets.
    fn word(&mut self, op: &mut Op<'a>, end: usize) {
        let (at, word) = (self.at, self.tokens.word(self.at));
        let group = |parser: &Self| match parser.peek(1) {
            Some(Token::Less) if parser.tokens.partner(at + 1) > at + 1 => true,
            Some(Token::OpenParenthesis) => word == "loc",
            _ => false,
        };
        if self.peek(1) == Some(Token::Equals) {
            let end = self.value_end(at + 2, end);
            op.named.push((word, at + 2..end));
            self.at = end;
            // Another `key = value` in the line; ops of linalg have no commas there.
            let is_key = self.peek(0) == Some(Token::Word) && self.peek(1) == Some(Token::Equals);
            if is_key && op.name.starts_with("stablehlo.") && !self.tokens.starts_line(end) {
                self.joined.get_or_insert(end);
            }
        } else if group(self) {
            self.at = self.tokens.behind(at + 1);
            match word {
                "loc" => op.named.push((word, at..self.at)),
                _ => op.groups.push(at..self.at),
            }
        } else {
            op.words.push(word);
            self.at += 1;
            // The result type of a cast comes after `to` or `into`, the operand type after `from`.
            if matches!(word, "to" | "into" | "from")
                && !op.operand_types.is_empty()
                && let Some((ty, end)) = self.types.read(&self.tokens, &self.aliases, self.at)
            {
                match word {
                    "from" => {
                        let given = std::mem::replace(&mut op.operand_types, vec![ty]);
                        op.arrow_types = Some(given);
                    }
                    _ => op.arrow_types = Some(vec![ty]),
                }
                self.at = end;
            }
        }
    }

    /// Parses `({..}, {..})`.
    fn regions(&mut self, op: &mut Op<'a>) -> Result<(), Error> {
        let close = self.tokens.partner(self.at);
        self.at += 1;
        while self.at < close {
            if self.peek(0) != Some(Token::OpenBrace) {
                return Err(self.tokens.expected(self.at, "a region in braces"));
            }
            let region = self.region(op)?;
            op.regions.push(region);
            if !self.take(Token::Comma) && self.at < close {
                return Err(self.tokens.expected(self.at, "`,` or `)` after a region"));
            }
        }
        self.at = close + 1;
        Ok(())
    }

    /// Parses `(%a, %b)`, `(%x = %a)`, `(%x: type {attributes})`, `(%a init: %b)`, `(%a, k = 3)`, or parts of a pretty form.
    fn parenthesis(&mut self, op: &mut Op<'a>) -> Result<(), Error> {
        let inside = self.tokens.inside(self.at);
        let before = self.at.checked_sub(1).map(|before| self.tokens.word(before));
        // In these lists, the types come after all values, not after each value.
        let is_typed_list = matches!(before, Some("ins" | "outs" | "shared_outs"));
        let behind = self.tokens.behind(self.at);
        let first = op.operands.len();
        // As in `affine.parallel (%i, %j) = (0, 0) to ..`.
        let binds = self.tokens.get(behind) == Some(Token::Equals) || self.tokens.is(behind, "in");
        self.at = inside.start;
        while self.at < inside.end {
            let at = self.at;
            match (self.tokens.get(at), self.tokens.get(at + 1)) {
                (Some(Token::Value), Some(Token::Colon)) if !is_typed_list => {
                    let mut binding = self.binding(at);
                    let ty = self.types.read(&self.tokens, &self.aliases, at + 2);
                    let Some((ty, end)) = ty else {
                        return Err(self.tokens.expected(at + 2, "the type of a value"));
                    };
                    binding.ty = Some(ty);
                    self.at = end;
                    if self.peek(0) == Some(Token::OpenBrace) {
                        binding.attributes = Some(self.tokens.inside(self.at));
                    }
                    op.bindings.push(binding);
                }
                (Some(Token::Value), Some(Token::Equals)) => {
                    op.bindings.push(self.binding(at));
                    self.at += 2;
                }
                (Some(Token::Value), _) if binds => {
                    op.bindings.push(self.binding(at));
                    self.at += 1;
                }
                (Some(Token::Value), _) => {
                    op.operands.push(self.value(at));
                    self.at += 1;
                }
                (Some(Token::Colon), _) if is_typed_list => {
                    self.at += 1;
                    let types = self.list_of_types().unwrap_or_default();
                    op.operand_types.extend(types);
                }
                (Some(Token::Word), Some(Token::Equals)) => {
                    self.at = self.value_end(at + 2, inside.end);
                    op.named.push((self.tokens.word(at), at + 2..self.at));
                }
                _ => self.at = self.tokens.behind(at),
            }
        }
        if before == Some("outs") {
            op.destinations = op.operands.len() - first;
        }
        self.at = behind;
        Ok(())
    }

    /// Adds the attributes between braces.
    fn dictionary(&mut self, op: &mut Op<'a>, inside: Range) {
        for entry in self.tokens.list(inside) {
            let key = self.tokens.word(entry.start).trim_matches('"');
            let has_value = self.tokens.get(entry.start + 1) == Some(Token::Equals);
            let value = if has_value { entry.start + 2..entry.end } else { entry.end..entry.end };
            if let Some(equals) = self.tokens.find(&value, Token::Equals) {
                self.joined.get_or_insert(equals - 1);
            }
            op.named.push((key, value));
        }
    }

    fn types(&mut self, op: &mut Op<'a>) -> Result<(), Error> {
        // In an op of another dialect, anything may follow a colon.
        let Some(types) = self.list_of_types() else { return Ok(()) };
        op.operand_types.extend(types);
        if self.take(Token::Arrow) {
            op.arrow_types = Some(self.type_list()?);
        }
        Ok(())
    }

    fn region(&mut self, op: &mut Op<'a>) -> Result<Region<'a>, Error> {
        if self.depth == MAX_NESTING {
            let message = format!("regions are nested more than {MAX_NESTING} deep");
            return Err(Error::new(ErrorKind::TooLarge, self.tokens.span(self.at), message));
        }
        self.depth += 1;
        let (start, close) = (self.at, self.tokens.partner(self.at));
        self.at += 1;
        // Values that were bound before the region are its arguments.
        let mut region =
            Region { arguments: std::mem::take(&mut op.bindings), ..Region::default() };
        let mut blocks = 0;
        loop {
            if self.peek(0) == Some(Token::Block) {
                let arguments = self.block_label()?;
                if blocks == 0 && region.arguments.is_empty() {
                    region.arguments = arguments;
                }
                blocks += 1;
            } else if blocks == 0 {
                blocks = 1;
            }
            let ops = self.ops(close)?;
            match blocks {
                0 | 1 => region.ops = ops,
                _ => region.more_blocks += 1,
            }
            if self.at >= close {
                break;
            }
        }
        self.at = close + 1;
        self.depth -= 1;
        region.span = self.tokens.span_of(&(start..close + 1));
        Ok(region)
    }

    /// Parses `^bb0(%a: type, ..):`.
    fn block_label(&mut self) -> Result<Vec<Binding<'a>>, Error> {
        self.at += 1;
        let mut holder = Op::default();
        if self.peek(0) == Some(Token::OpenParenthesis) {
            self.parenthesis(&mut holder)?;
        }
        typed(&holder)?;
        match self.take(Token::Colon) {
            true => Ok(holder.bindings),
            false => Err(self.tokens.expected(self.at, "`:` after the label of a block")),
        }
    }
}

/// Checks that each argument of a function or a block has a type: one without was read as an operand.
fn typed(op: &Op<'_>) -> Result<(), Error> {
    let Some(argument) = op.operands.first() else { return Ok(()) };
    let message = format!("expected `:` and a type after `%{}`", argument.name);
    Err(Error::new(ErrorKind::Hlo, argument.span.clone(), message))
}
