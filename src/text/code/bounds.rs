//! Parses the bounds of variables: behind values, and in the heads of loops. The grammar is in the head of
//! [`program`](super::program). Every bound becomes a condition.

use super::parse::is_type;
use super::program::Reader;
use super::token::{Class, Tokens};
use crate::text::ast::{NodeId, NodeKind, Relation, Sign};
use crate::text::{Error, Span};

impl<'t> Reader<'t> {
    /// What is said behind the values.
    pub fn bounds(&mut self) -> Result<(), Error> {
        loop {
            while self.tokens().eat_anywhere(";") {}
            let is_domain = self.tokens().is(",") && self.tokens().ahead(1).text == "domain";
            if is_domain {
                self.tokens().advance();
            }
            if self.tokens().eat("domain") {
                self.tokens().take(":")?;
                self.items()?;
            } else if self.tokens().is("where") && self.tokens().ahead(1).text != "(" {
                self.tokens().advance();
                self.items()?;
            } else if self.tokens().eat("for") {
                self.loop_over()?;
            } else {
                return Ok(());
            }
        }
    }

    fn items(&mut self) -> Result<(), Error> {
        loop {
            let item = self.parser.choice()?;
            match self.tokens().eat("in") {
                true => self.within(item)?,
                false => self.conditions.push(item),
            }
            let has_comma = self.tokens().eat(",");
            let next = self.tokens().current().clone();
            let is_done = next.class == Class::End || next.text == "for";
            if is_done || !(has_comma || next.indent.is_some()) {
                return Ok(());
            }
        }
    }

    /// `i in range(n)`, or the head of a loop of C.
    pub fn loop_over(&mut self) -> Result<(), Error> {
        if self.tokens().eat("(") {
            while is_type(self.tokens().current().text) {
                self.tokens().advance();
            }
            let variable = self.variable()?;
            self.tokens().take("=")?;
            let first = self.parser.choice()?;
            self.compared(first, Relation::LessEqual, variable)?;
            self.tokens().take(";")?;
            let condition = self.parser.choice()?;
            self.conditions.push(condition);
            self.tokens().take(";")?;
            return self.step(variable, first);
        }
        loop {
            let variable = self.variable()?;
            self.tokens().take("in")?;
            self.within(variable)?;
            // `for i in range(8), j in range(4)`
            let tokens = self.tokens();
            let has_more = tokens.is(",") && tokens.ahead(2).text == "in";
            if !has_more {
                return Ok(());
            }
            tokens.advance();
        }
    }

    /// `i++`, `++i`, `i += 2`
    fn step(&mut self, variable: NodeId, first: NodeId) -> Result<(), Error> {
        let counts = |tokens: &mut Tokens| tokens.eat("+") && tokens.eat("+");
        if counts(self.tokens()) {
            self.tokens().name()?;
        } else {
            self.tokens().name()?;
            if self.tokens().eat("+=") {
                let step = self.parser.choice()?;
                self.stepped(variable, first, step)?;
            } else if !counts(self.tokens()) {
                return Err(self.tokens().unexpected("`++` or `+=`"));
            }
        }
        self.tokens().take(")")
    }

    fn variable(&mut self) -> Result<NodeId, Error> {
        let (name, span) = self.tokens().name()?;
        self.bound.push(name);
        self.parser.push(NodeKind::Name(name), span)
    }

    /// `[lo, hi]` or `range(..)` behind `item in`.
    fn within(&mut self, item: NodeId) -> Result<(), Error> {
        if self.tokens().is("range") || self.tokens().is("tl.range") {
            self.tokens().advance();
            self.tokens().take("(")?;
            let start = self.tokens().previous_end();
            let mut ends = vec![self.parser.choice()?];
            while ends.len() < 3 && self.tokens().eat(",") {
                ends.push(self.parser.choice()?);
            }
            self.tokens().take(")")?;
            let (first, end) = match ends[..] {
                [end] => (self.parser.push(NodeKind::Integer(0), start..start)?, end),
                _ => (ends[0], ends[1]),
            };
            self.compared(first, Relation::LessEqual, item)?;
            self.compared(item, Relation::Less, end)?;
            return match ends.get(2) {
                Some(step) => self.stepped(item, first, *step),
                None => Ok(()),
            };
        }
        if !self.tokens().is("[") {
            let error = self
                .tokens()
                .unexpected("an interval `[lo, hi]` or `range(..)`");
            return Err(
                error.hint("both ends of an interval are included; `range(n)` ends before n")
            );
        }
        self.tokens().advance();
        if let Some(end) = self.end()? {
            self.compared(end, Relation::LessEqual, item)?;
        }
        self.tokens().take(",")?;
        if let Some(end) = self.end()? {
            self.compared(item, Relation::LessEqual, end)?;
        }
        self.tokens().take("]")
    }

    /// An end of an interval, unless it is infinite.
    fn end(&mut self) -> Result<Option<NodeId>, Error> {
        let is_negative = self.tokens().is("-") && self.tokens().ahead(1).text == "inf";
        if is_negative || self.tokens().is("inf") {
            (0..=usize::from(is_negative)).for_each(|_| self.tokens().advance());
            return Ok(None);
        }
        self.parser.choice().map(Some)
    }

    fn compared(&mut self, left: NodeId, relation: Relation, right: NodeId) -> Result<(), Error> {
        let span = self.spanned(left, right);
        let kind = NodeKind::Compare(vec![left, right], vec![relation]);
        let condition = self.parser.push(kind, span)?;
        self.conditions.push(condition);
        Ok(())
    }

    /// `(item - first) mod step == 0`
    fn stepped(&mut self, item: NodeId, first: NodeId, step: NodeId) -> Result<(), Error> {
        let span = self.parser.terms.span(step);
        let difference = NodeKind::Sum(vec![(Sign::Plus, item), (Sign::Minus, first)]);
        let difference = self.parser.push(difference, span.clone())?;
        let rest = self
            .parser
            .push(NodeKind::Mod(difference, step), span.clone())?;
        let zero = self.parser.push(NodeKind::Integer(0), span)?;
        self.compared(rest, Relation::Equal, zero)
    }

    fn spanned(&self, left: NodeId, right: NodeId) -> Span {
        let (left, right) = (self.parser.terms.span(left), self.parser.terms.span(right));
        left.start.min(right.start)..left.end.max(right.end)
    }
}
