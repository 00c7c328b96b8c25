//! Resolves parsed terms to terms over the variables of a rule.

use super::{Condition, Relation, Slot, Term};
use crate::text::ast::{self, NodeId, NodeKind, Sign};
use crate::text::{Error, ErrorKind, Span};

/// Maximum nesting depth of a term in a rule.
const MAX_DEPTH: u32 = 64;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sort {
    Constant,
    Expression,
}

/// Declared sorts; an undeclared name is an expression.
#[derive(Clone, Default)]
pub(super) struct Sorts {
    names: Vec<(String, Sort, Span)>,
}

impl Sorts {
    pub(super) fn declare(&mut self, name: &str, span: Span, sort: Sort) -> Result<(), Error> {
        if self.declared_sort(name).is_some() {
            let message = format!("'{name}' is already declared");
            return Err(Error::new(ErrorKind::Rule, span, message));
        }
        self.names.push((name.to_owned(), sort, span));
        Ok(())
    }

    /// Adds the sorts of `others` for names that are not declared here.
    pub(super) fn over(&self, others: &Sorts) -> Sorts {
        let mut all = self.clone();
        all.names.extend(others.names.iter().cloned());
        all
    }

    /// Declares the names in `constants` that are undeclared as constants.
    pub(super) fn with_constants(&self, constants: &[String]) -> Sorts {
        let inferred = |name: &String| (name.clone(), Sort::Constant, 0..0);
        let names = constants.iter().map(inferred).collect();
        self.over(&Sorts { names })
    }

    /// Returns the sort of a declared name.
    pub(super) fn declared_sort(&self, name: &str) -> Option<Sort> {
        let mut names = self.names.iter();
        names.find(|(known, _, _)| known == name).map(|(_, sort, _)| *sort)
    }

    /// Returns the declared names, with their spans.
    pub(super) fn declared(&self) -> impl Iterator<Item = (&str, &Span)> {
        self.names.iter().map(|(name, _, span)| (name.as_str(), span))
    }
}

/// The variables of the rule being parsed.
#[derive(Default)]
pub struct Variables {
    /// The constants.
    pub constants: Vec<String>,
    /// The expressions.
    pub expressions: Vec<String>,
}

/// Resolves terms under the sorts of one rule.
pub(super) struct TermReader<'s> {
    pub(super) sorts: &'s Sorts,
}

impl TermReader<'_> {
    /// Resolves comparisons joined by `and` to conditions between two terms each.
    pub(super) fn formula(
        &self,
        term: &ast::Term<'_>,
        id: NodeId,
        variables: &mut Variables,
    ) -> Result<Vec<Condition>, Error> {
        let node = term.node(id);
        match &node.kind {
            NodeKind::And(parts) => {
                let mut all = Vec::new();
                for part in parts {
                    all.extend(self.formula(term, *part, variables)?);
                }
                Ok(all)
            }
            NodeKind::Compare(operands, relations) => {
                let mut sides = Vec::new();
                for operand in operands {
                    sides.push(self.term(term, *operand, variables, 0)?);
                }
                let pairs = sides.iter().zip(sides.iter().skip(1)).zip(relations);
                Ok(pairs
                    .map(|((lhs, rhs), relation)| condition(lhs.clone(), *relation, rhs.clone()))
                    .collect())
            }
            NodeKind::Or(_) | NodeKind::Not(_) => Err(Error::new(
                ErrorKind::Rule,
                node.span.clone(),
                "comparisons in a rule can only be joined with `and`",
            )
            .hint("write one rule per case, with the condition of the case in `where`")),
            _ => Err(Error::new(ErrorKind::Rule, node.span.clone(), "expected a comparison")
                .hint("conditions compare two terms: c >= 1, 0 <= y < c")),
        }
    }

    pub(super) fn term(
        &self,
        text: &ast::Term<'_>,
        id: NodeId,
        variables: &mut Variables,
        depth: u32,
    ) -> Result<Term, Error> {
        let node = text.node(id);
        if depth > MAX_DEPTH {
            return Err(too_deep(node.span.clone()));
        }
        type Make = fn(Box<Term>, Box<Term>) -> Term;
        let pair = |make: Make, x: NodeId, y: NodeId, variables: &mut Variables| {
            let x = self.term(text, x, variables, depth + 1)?;
            let y = self.term(text, y, variables, depth + 1)?;
            Ok(make(Box::new(x), Box::new(y)))
        };
        if let Some(value) = text.literal(id) {
            let value = i64::try_from(value).map_err(|_| {
                Error::new(
                    ErrorKind::Overflow,
                    node.span.clone(),
                    "the integer does not fit in 64 bits",
                )
            })?;
            return Ok(Term::Integer(value));
        }
        Ok(match &node.kind {
            NodeKind::Name(name) => return self.variable(name, &node.span, variables),
            NodeKind::Negate(x) => negated(self.term(text, *x, variables, depth + 1)?),
            NodeKind::Sum(operands) => {
                let mut terms = Vec::new();
                for (sign, operand) in operands {
                    let operand = self.term(text, *operand, variables, depth + 1)?;
                    terms.push(if *sign == Sign::Minus { negated(operand) } else { operand });
                }
                Term::Sum(terms)
            }
            NodeKind::Multiply(x, y) => pair(Term::Product, *x, *y, variables)?,
            NodeKind::FloorDiv(x, y) => pair(Term::FloorDiv, *x, *y, variables)?,
            NodeKind::CeilDiv(x, y) => {
                // x ceildiv c is -((-x) floordiv c)
                let negative: Make = |x, y| Term::FloorDiv(Box::new(negated(*x)), y);
                negated(pair(negative, *x, *y, variables)?)
            }
            NodeKind::Mod(x, y) => pair(Term::Mod, *x, *y, variables)?,
            NodeKind::Call(which @ ("min" | "max"), operands) if operands.len() >= 2 => {
                let make = if *which == "min" { Term::Min } else { Term::Max };
                let mut folded = self.term(text, operands[0], variables, depth + 1)?;
                for operand in &operands[1..] {
                    let operand = self.term(text, *operand, variables, depth + 1)?;
                    folded = make(Box::new(folded), Box::new(operand));
                    // Folding creates nesting, and recursion traverses the result.
                    if operands.len() > MAX_DEPTH as usize {
                        return Err(too_deep(node.span.clone()));
                    }
                }
                folded
            }
            NodeKind::Call(end @ ("lo" | "hi"), operands) if operands.len() == 1 => {
                match self.term(text, operands[0], variables, depth + 1)? {
                    Term::Expression(slot) if *end == "lo" => Term::Lo(slot),
                    Term::Expression(slot) => Term::Hi(slot),
                    _ => {
                        let message = format!("{end}(..) takes an expression variable");
                        return Err(Error::new(ErrorKind::Rule, node.span.clone(), message));
                    }
                }
            }
            _ => {
                return Err(Error::new(
                    ErrorKind::Rule,
                    node.span.clone(),
                    "unsupported in a rule term",
                )
                .hint("terms consist of + - * floordiv ceildiv mod min max"));
            }
        })
    }

    pub(super) fn variable(
        &self,
        name: &str,
        span: &Span,
        variables: &mut Variables,
    ) -> Result<Term, Error> {
        let slot = |list: &mut Vec<String>| {
            let known = list.iter().position(|known| known == name);
            let position = known.unwrap_or(list.len());
            let slot = Slot::try_from(position).map_err(|_| {
                let message =
                    format!("a rule can have at most {} variables of each sort", 1 << Slot::BITS);
                Error::new(ErrorKind::TooLarge, span.clone(), message)
            })?;
            if known.is_none() {
                list.push(name.to_owned());
            }
            Ok(slot)
        };
        match self.sorts.declared_sort(name) {
            Some(Sort::Constant) => slot(&mut variables.constants).map(Term::Constant),
            Some(Sort::Expression) | None => slot(&mut variables.expressions).map(Term::Expression),
        }
    }
}

fn too_deep(span: Span) -> Error {
    Error::new(ErrorKind::TooLarge, span, "the term is nested too deeply")
}

fn negated(term: Term) -> Term {
    match term {
        Term::Integer(value) if value != i64::MIN => Term::Integer(-value),
        other => Term::Product(Box::new(Term::Integer(-1)), Box::new(other)),
    }
}

fn condition(lhs: Term, relation: ast::Relation, rhs: Term) -> Condition {
    let (lhs, relation, rhs) = match relation {
        ast::Relation::Equal => (lhs, Relation::Equal, rhs),
        ast::Relation::Less => (lhs, Relation::Less, rhs),
        ast::Relation::LessEqual => (lhs, Relation::LessEqual, rhs),
        ast::Relation::Greater => (rhs, Relation::Less, lhs),
        ast::Relation::GreaterEqual => (rhs, Relation::LessEqual, lhs),
    };
    Condition { lhs, relation, rhs }
}
