//! Parses conditions specific to isl: `exists`, and lists as sides of comparisons.

use super::super::ast::{NodeId, NodeKind, Relation};
use super::super::token::Token;
use super::{Grammar, Open, TermParser, term};
use crate::text::Error;

impl TermParser<'_, '_> {
    /// Returns whether a comma after an arithmetic operand separates items of a side of a comparison.
    pub(super) fn begins_list(&self) -> bool {
        self.grammar == Grammar::Isl && !matches!(self.open.last(), Some(Open::Call(..)))
    }

    /// Parses `exists` and the names after it.
    pub(super) fn exists(&mut self) -> Result<(), Error> {
        let start = self.tokens.span().start;
        self.tokens.advance();
        if self.tokens.token() == Token::LeftParen {
            let span = self.tokens.span();
            self.nest(Open::Bracket(span))?;
        }
        let (mut names, mut equations) = (Vec::new(), Vec::new());
        loop {
            let (name, span) = (self.tokens.word(), self.tokens.expect(Token::Name, "a name")?);
            if self.tokens.eat(Token::Equal) {
                let sides = [self.push(NodeKind::Name(name), span.clone())?, self.definition()?];
                let whole = span.start..self.terms.span(sides[1]).end;
                let kind = NodeKind::Compare(sides.to_vec(), vec![Relation::Equal]);
                equations.push(self.push(kind, whole)?);
            }
            names.push((name, span));
            if !self.tokens.eat(Token::Comma) {
                break;
            }
        }
        if self.tokens.token() != Token::Colon {
            let error = self.tokens.unexpected("`,` or `:`");
            return Err(error.hint("write `exists k : i = 4k`"));
        }
        self.nest(Open::Exists(start, names, equations))
    }

    /// Parses the term that a name after `exists` is defined by.
    fn definition(&mut self) -> Result<NodeId, Error> {
        let term = term(self.tokens)?;
        let mut ids: Vec<NodeId> = Vec::with_capacity(term.nodes().len());
        for (_, node) in term.nodes() {
            let kind = node.kind.with_operands(|x| ids.get(x.index()).copied().unwrap_or(*x));
            ids.push(self.push(kind, node.span.clone())?);
        }
        Ok(ids.last().copied().unwrap_or(term.root()))
    }
}
