//! Pointers of C: parameters, arrays, and names that point into them, `const float* p = A + row * n;`.
//!
//! Law: a known pointer is an array and an offset in elements. Any other pointer is unknown, including the result of a cast,
//! which may change the size of the elements.

use super::kernel::Kernel;
use super::kinds::is_builtin;
use super::program::Reader;
use super::token::{Class, is_reserved};
use affinor_maps::text::Error;
use affinor_maps::text::ast::{NodeId, NodeKind, Sign};

impl<'t> Reader<'t> {
    /// Records the array that `float s[256]` declares. Its name points to its elements, unless it is an array of arrays.
    pub fn name_array(&mut self) {
        let tokens = self.tokens().clone();
        let words = (0..).take_while(|at| tokens.ahead(*at).class == Class::Name).count();
        let Some(close) = (words..tokens.len()).find(|at| tokens.ahead(*at).text == "]") else {
            return;
        };
        let name = tokens.ahead(words - 1).text;
        self.parser.locals.remove(name);
        self.parser.memory().unknown.remove(name);
        match tokens.ahead(close + 1).text == "[" {
            true => self.parser.memory().pointers.remove(name),
            false => self.parser.memory().pointers.insert(name, name),
        };
    }

    /// Parses `[const float*] p = A + i`, `p = &A[i]`, `p += i` or `p++`; returns whether the statement is one of these.
    pub fn pointer_assignment(&mut self, kernel: &mut Kernel<'t>) -> Result<bool, Error> {
        let tokens = self.tokens().clone();
        let mut at = 0;
        while tokens.ahead(at).class == Class::Name || matches!(tokens.ahead(at).text, "*" | "&") {
            at += 1;
        }
        let is_prefix = at == 0 && matches!(tokens.current().text, "+" | "-");
        let (place, operator) = match is_prefix {
            true => (2, tokens.current().text),
            false => (at.saturating_sub(1), tokens.ahead(at).text),
        };
        let name = tokens.ahead(place).text;
        let is_pointer = self.parser.memory().pointers.contains_key(name);
        let behind = usize::from(tokens.ahead(at + 1).text == "&") + at + 1;
        let source = tokens.ahead(behind).text;
        let is_declared = (0..place).any(|at| tokens.ahead(at).text == "*");
        if is_declared && operator == "=" && self.is_array(behind) {
            self.parser.memory().pointers.entry(source).or_insert(source);
        }
        let points = self.parser.memory().pointers.contains_key(source);
        let is_count = self.is_count(&tokens);
        let is_reference = (0..at).any(|at| tokens.ahead(at).text == "&");
        let is_one = matches!(operator, "+=" | "-=") || operator == "=" || is_count;
        let reads = is_pointer || operator == "=" && points;
        if !is_one || !reads || is_reference || (at == 0 && !is_prefix) {
            return Ok(false);
        }
        self.check_loops(&[name])?;
        let value = match operator {
            "=" => self.address(at + 1)?,
            _ => self.moved(name, operator, is_count)?,
        };
        if value.is_none() {
            self.parser.memory().found.clear();
            *self.tokens() = tokens;
            (0..=at.max(place)).for_each(|_| self.tokens().advance());
            self.rest()?;
        }
        self.assigned(kernel, &[name]);
        let memory = self.parser.memory();
        match value {
            Some((array, offset)) => {
                memory.pointers.insert(name, array);
                memory.unknown.remove(name);
                self.parser.locals.insert(name, offset);
            }
            None => {
                memory.unknown.insert(name);
                self.parser.locals.remove(name);
            }
        }
        Ok(true)
    }

    /// Returns whether the name at `at` is the only one of its statement that may be an array, if no header declares the arrays.
    fn is_array(&self, at: usize) -> bool {
        let tokens = &self.parser.tokens;
        let is_free = |at: &usize| {
            let token = tokens.ahead(*at);
            let name = token.text;
            let is_bound = self.loops.contains(&name)
                || is_builtin(name)
                || self.types.contains_key(name)
                || self.parser.locals.contains_key(name)
                || self.parser.is_unknown(name);
            token.class == Class::Name && !is_reserved(name) && !is_bound
        };
        let is_end = |at: &usize| matches!(tokens.ahead(*at).text, ";" | "");
        let end = (at..tokens.len()).find(is_end).unwrap_or(at);
        is_free(&at) && (at..end).filter(is_free).count() == 1 && tokens.ahead(at + 1).text != "("
    }

    /// Parses the array and offset after `p = `, which begins `ahead` tokens ahead.
    fn address(&mut self, ahead: usize) -> Result<Option<(&'t str, NodeId)>, Error> {
        (0..ahead).for_each(|_| self.tokens().advance());
        let is_element = self.tokens().eat("&");
        let source = self.tokens().current().text;
        let Some(array) = self.parser.memory().pointers.get(source).copied() else {
            return Ok(None);
        };
        let start = self.tokens().clone();
        if is_element {
            let offset = self.offset(source)?;
            self.tokens().advance();
            if !self.tokens().eat("[") {
                return Ok(None);
            }
            let Some(index) = self.number()? else {
                return Ok(None);
            };
            let is_closed = self.tokens().eat("]") && self.tokens().is(";");
            let span = self.parser.terms.span(index);
            let kind = NodeKind::Sum(vec![(Sign::Plus, offset), (Sign::Plus, index)]);
            let sum = self.parser.push(kind, span)?;
            return Ok((is_closed && !self.parser.is_unknown(source)).then_some((array, sum)));
        }
        self.parser.memory().is_address = true;
        let value = self.number();
        self.parser.memory().is_address = false;
        let value = value?;
        let read = start.len() - self.tokens().len();
        let memory = self.parser.memory();
        let is_pointer = |at: &usize| memory.pointers.contains_key(start.ahead(*at).text);
        let is_one = (0..read).filter(is_pointer).count() == 1;
        let is_sum = read == 1 || matches!(start.ahead(1).text, "+" | "-");
        let is_choice = (0..read).any(|at| matches!(start.ahead(at).text, "?" | "&" | "|" | "<<"));
        let is_end = self.tokens().is(";");
        Ok(value.filter(|_| is_one && is_sum && !is_choice && is_end).map(|value| (array, value)))
    }

    /// Returns the pointer after `p += n`, `p -= n` or `p++`.
    fn moved(
        &mut self,
        name: &'t str,
        operator: &'t str,
        is_count: bool,
    ) -> Result<Option<(&'t str, NodeId)>, Error> {
        let span = self.tokens().current().span.clone();
        let before = self.offset(name)?;
        let by = match is_count {
            true => {
                (0..3).for_each(|_| self.tokens().advance());
                Some(self.parser.push(NodeKind::Integer(1), span.clone())?)
            }
            false => {
                (0..2).for_each(|_| self.tokens().advance());
                self.number()?
            }
        };
        let array = self.parser.memory().pointers.get(name).copied();
        let (Some(by), Some(array)) = (by.filter(|_| self.tokens().is(";")), array) else {
            return Ok(None);
        };
        let sign = if operator.starts_with('+') { Sign::Plus } else { Sign::Minus };
        let kind = NodeKind::Sum(vec![(Sign::Plus, before), (sign, by)]);
        let value = self.parser.push(kind, span)?;
        Ok((!self.parser.is_unknown(name)).then_some((array, value)))
    }

    fn offset(&mut self, name: &str) -> Result<NodeId, Error> {
        let span = self.tokens().current().span.clone();
        match self.parser.locals.get(name) {
            Some(offset) => Ok(*offset),
            None => self.parser.first_element(span),
        }
    }

    /// Parses a number that does not depend on memory; returns `None` for any other, or if no expression is here.
    fn number(&mut self) -> Result<Option<NodeId>, Error> {
        let value = self.parser.choice();
        let is_used = std::mem::take(&mut self.parser.memory().is_used);
        Ok(value.ok().filter(|_| !is_used))
    }
}
