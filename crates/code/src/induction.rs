//! Induction variables: names that change by the same amount in each iteration of a loop, as in `ptr += stride`.
//!
//! Law: suppose that a single statement changes `x`, by `e`, that it is directly in the loop's body, that nothing in `e` changes
//! in the loop, and that no iteration skips the statement. Then `x` is `x0 + n * e` before that statement in iteration `n`,
//! counted from 0, where `x0` is the value before the loop. Any other name that the loop changes is unknown.

use super::changes::{changes, increment};
use super::extent::{loop_length, statements};
use super::memory::Head;
use super::program::Reader;
use super::token::{Class, is_assignment};
use super::tokens::Tokens;
use super::trips::nested;
use super::types::{Type, is_type};
use affinor_maps::text::ast::{NodeId, NodeKind, Sign};
use affinor_maps::text::{Error, Span};

/// An induction variable: a name, its value before the loop, and the amount by which it grows or shrinks.
pub struct Step<'t> {
    pub name: &'t str,
    pub start: NodeId,
    pub by: NodeId,
    pub is_up: bool,
    /// Whether an inner loop steps it, and the growth of its step in each further iteration, if the step differs.
    pub inner: Option<Option<NodeId>>,
}

impl<'t> Reader<'t> {
    /// Returns the induction variables of the loop whose header begins here.
    pub fn steps(&mut self, column: Option<usize>) -> Vec<Step<'t>> {
        let tokens = self.tokens().clone();
        let length = loop_length(&tokens, column);
        // A `continue` skips the steps after it.
        let leaves_out = |at: usize| matches!(tokens.ahead(at).text, "goto" | "case");
        if (0..length).any(leaves_out) {
            return Vec::new();
        }
        let left = (0..length).find(|at| tokens.ahead(*at).text == "continue").unwrap_or(length);
        let changed = changes(&tokens, length);
        let mut steps = Vec::new();
        for at in statements(&tokens, length).into_iter().filter(|at| *at < left) {
            let Some((name, from, is_up)) = increment(&tokens, at) else {
                continue;
            };
            let is_once = changed.iter().filter(|other| **other == name).count() == 1;
            let is_plain = self.types.get(name) != Some(&Type::Bool);
            if !is_once || !is_plain || self.loops.contains(&name) || self.parser.is_unknown(name) {
                continue;
            }
            let span = tokens.ahead(at).span.clone();
            let Some(start) = self.before_step(name, span.clone()) else {
                continue;
            };
            let by = match from {
                Some(from) => self.amount(&tokens, from, length, &changed),
                None => self.parser.push(NodeKind::Integer(1), span.clone()).ok(),
            };
            steps.extend(by.map(|by| Step { name, start, by, is_up, inner: None }));
        }
        for inner in nested(&tokens, length) {
            let name = inner.name;
            let is_once = changed.iter().filter(|other| **other == name).count() == 1;
            let is_plain = self.types.get(name) != Some(&Type::Bool);
            if !is_once || !is_plain || self.loops.contains(&name) || self.parser.is_unknown(name) {
                continue;
            }
            let span = tokens.ahead(inner.at).span.clone();
            let Some(start) = self.before_step(name, span) else {
                continue;
            };
            let change = self.change_of(&tokens, &inner, length, &changed);
            let is_up = inner.is_up;
            steps.extend(change.map(|change| Step {
                name,
                start,
                by: change.first,
                is_up,
                inner: Some(change.more),
            }));
        }
        steps
    }

    /// Returns the value of the name before the loop; the offset of a pointer parameter is 0.
    fn before_step(&mut self, name: &'t str, span: Span) -> Option<NodeId> {
        let memory = self.parser.memory();
        let (is_pointer, is_parameter) =
            (memory.pointers.contains_key(name), memory.parameters.contains(name));
        match self.parser.locals.get(name) {
            Some(start) => Some(*start),
            None if is_pointer => self.parser.first_element(span).ok(),
            None if is_parameter || self.types.contains_key(name) => {
                self.parser.push(NodeKind::Name(name), span).ok()
            }
            None => None,
        }
    }

    /// Parses the loop-invariant amount that begins at `from`; returns `None` for any other amount.
    pub fn amount(
        &mut self,
        tokens: &Tokens<'t>,
        from: usize,
        length: usize,
        changed: &[&str],
    ) -> Option<NodeId> {
        let (mut end, mut depth) = (from, 0usize);
        let is_end = |at: usize, depth: usize| {
            let token = tokens.ahead(at);
            let is_line = tokens.by_lines && token.indent.is_some();
            let is_outside = depth == 0 && matches!(token.text, ")" | ",");
            matches!(token.text, ";" | "}") || token.class == Class::End || is_line || is_outside
        };
        while !is_end(end, depth) {
            match tokens.ahead(end).text {
                "(" => depth += 1,
                ")" => depth -= 1,
                _ => {}
            }
            let (token, next) = (tokens.ahead(end), tokens.ahead(end + 1).text);
            let is_kept = match token.class {
                Class::Integer => true,
                Class::Name => {
                    let name = token.text;
                    !matches!(next, "(" | "[")
                        && !changed.contains(&name)
                        && !self.parser.is_unknown(name)
                        && !self.parser.memory().pointers.contains_key(name)
                        && !binds(tokens, length, name)
                }
                _ => matches!(token.text, "+" | "-" | "*" | "/" | "//" | "%" | "(" | ")"),
            };
            if !is_kept {
                return None;
            }
            end += 1;
        }
        let outside = self.tokens().clone();
        (0..from).for_each(|_| self.tokens().advance());
        let value = self.parser.choice();
        let read = outside.len() - self.tokens().len();
        *self.tokens() = outside;
        let is_used = std::mem::take(&mut self.parser.memory().is_used);
        value.ok().filter(|_| read == end && !is_used)
    }

    /// Gives the induction variables their values in an iteration of the loop.
    pub fn begin_steps(&mut self, steps: Vec<Step<'t>>, head: Head) -> Result<(), Error> {
        for step in steps {
            let value = self.stepped_value(&step, head)?;
            self.parser.locals.insert(step.name, value);
            self.parser.memory().unknown.remove(step.name);
        }
        Ok(())
    }

    /// Returns `x0 + n * e`.
    fn stepped_value(&mut self, step: &Step<'t>, head: Head) -> Result<NodeId, Error> {
        let span = self.parser.terms.span(step.by);
        let of = self.types.get(step.name).copied().unwrap_or(Type::Plain);
        let parser = &mut self.parser;
        let is_zero = *parser.terms.kind(head.first) == NodeKind::Integer(0);
        let moved = match (head.is_up, is_zero) {
            (true, true) => head.variable,
            (is_up, _) => {
                let (larger, smaller) = match is_up {
                    true => (head.variable, head.first),
                    false => (head.first, head.variable),
                };
                let kind = NodeKind::Sum(vec![(Sign::Plus, larger), (Sign::Minus, smaller)]);
                parser.push(kind, span.clone())?
            }
        };
        let is_same = head.step.is_some_and(|own| {
            let (own, by) = (parser.terms.kind(own), parser.terms.kind(step.by));
            own == by && matches!(by, NodeKind::Integer(_) | NodeKind::Name(_))
        });
        let mut change = moved;
        if !is_same {
            let mut number = match head.step {
                Some(own) => parser.push(NodeKind::FloorDiv(moved, own), span.clone())?,
                None => moved,
            };
            // The number of iterations is widened, so that the total of unsigned amounts does not wrap if 64 bits hold it.
            if parser.c.is_some()
                && matches!(of, Type::Plain | Type::Signed(64) | Type::Unsigned(64))
            {
                let wide = Type::Signed(64).conversion();
                number = parser.push(NodeKind::Call(wide, vec![number]), span.clone())?;
            }
            change = parser.push(NodeKind::Multiply(number, step.by), span.clone())?;
            if let Some(more) = step.inner.flatten() {
                // The sum of 0, 1, .., n - 1 is n * (n - 1) / 2.
                let one = parser.push(NodeKind::Integer(1), span.clone())?;
                let two = parser.push(NodeKind::Integer(2), span.clone())?;
                let before = NodeKind::Sum(vec![(Sign::Plus, number), (Sign::Minus, one)]);
                let before = parser.push(before, span.clone())?;
                let twice = parser.push(NodeKind::Multiply(number, before), span.clone())?;
                let total = parser.push(NodeKind::FloorDiv(twice, two), span.clone())?;
                let total = parser.push(NodeKind::Multiply(more, total), span.clone())?;
                let kind = NodeKind::Sum(vec![(Sign::Plus, change), (Sign::Plus, total)]);
                change = parser.push(kind, span.clone())?;
            }
        }
        let sign = if step.is_up { Sign::Plus } else { Sign::Minus };
        let kind = NodeKind::Sum(vec![(Sign::Plus, step.start), (sign, change)]);
        let value = parser.push(kind, span.clone())?;
        match of {
            Type::Plain => Ok(value),
            of => self.parser.push(NodeKind::Call(of.conversion(), vec![value]), span),
        }
    }
}

/// Returns whether the loop binds this name: in its header, in that of an inner loop, or by a declaration.
fn binds(tokens: &Tokens<'_>, length: usize, name: &str) -> bool {
    let mut in_head = true;
    (0..length).any(|at| {
        let (token, next) = (tokens.ahead(at), tokens.ahead(at + 1).text);
        match token.text {
            "for" => in_head = true,
            "in" | "=" | ":" => in_head = false,
            _ => {}
        }
        let is_declared = at > 0 && is_type(tokens.ahead(at - 1).text);
        token.text == name && (in_head || is_declared || is_assignment(next))
    })
}
