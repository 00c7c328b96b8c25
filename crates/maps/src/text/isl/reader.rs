//! Reads terms and conditions of isl and resolves their names.

use super::super::ast::{NodeId, NodeKind, Relation, Term};
use super::super::lower::{Sizes, expr, expr_error};
use super::super::scope::Scope;
use super::super::token::excerpt;
use super::eliminate::without;
use super::formula::{Comparison, Formula};
use super::parse::Named;
use crate::expr::{End, Expr, VariableId};
use crate::text::{Error, ErrorKind, Span};

/// Maximum nesting depth of `or`, `and`, `not` and `exists`.
const MAX_CONNECTIVES: usize = 100;

/// The position of a part in a condition.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// The part must hold.
    Outside,
    /// Below `or`.
    Inside,
    /// Below `not`.
    Denied,
}

/// Reads terms and conditions.
pub(super) struct Reader<'t> {
    pub text: &'t str,
    pub scope: Scope<'t>,
    pub sizes: Option<Sizes>,
    /// The number of inputs, which are numbered first.
    pub dimensions: usize,
    /// The first unused variable number.
    pub next: u32,
    /// Existentially quantified integers, as variables.
    pub hidden: Vec<(VariableId, &'t str)>,
}

impl<'t> Reader<'t> {
    /// Creates a new variable.
    pub fn fresh(&mut self) -> VariableId {
        self.next += 1; // the parser stops long before 2^32
        VariableId(self.next - 1)
    }

    pub fn expr(&mut self, term: &Term) -> Result<Expr, Error> {
        expr(term, &self.scope, self.text, self.sizes.as_mut())
    }

    /// Reads a condition that must hold.
    pub fn condition(&mut self, term: &Term<'t>) -> Result<Formula, Error> {
        self.formula(term, (term.root(), 0), true, Place::Outside)
    }

    /// Creates `lhs = rhs`.
    pub fn equation(&self, lhs: &Expr, rhs: &Expr, span: &Span) -> Result<Formula, Error> {
        self.comparison(lhs, Relation::Equal, rhs, span).map(Formula::Is)
    }

    /// Reads a condition, or its negation if `holds` is false.
    fn formula(
        &mut self,
        term: &Term<'t>,
        (id, depth): (NodeId, usize),
        holds: bool,
        place: Place,
    ) -> Result<Formula, Error> {
        let node = term.node(id);
        if depth > MAX_CONNECTIVES {
            let message = format!("more than {MAX_CONNECTIVES} connectives are nested");
            return Err(Error::new(ErrorKind::TooLarge, node.span.clone(), message));
        }
        match &node.kind {
            NodeKind::Not(x) => self.formula(term, (*x, depth + 1), !holds, place),
            NodeKind::And(operands) | NodeKind::Or(operands) => {
                let is_all = matches!(node.kind, NodeKind::And(_)) == holds;
                let inside = match (is_all, place) {
                    (false, Place::Outside) => Place::Inside,
                    _ => place,
                };
                let mut parts = Vec::with_capacity(operands.len());
                for x in operands {
                    parts.push(self.formula(term, (*x, depth + 1), holds, inside)?);
                }
                Ok(if is_all { Formula::All(parts) } else { Formula::Any(parts) })
            }
            NodeKind::Compare(operands, relations) => {
                let all = Formula::All(self.comparisons(term, operands, relations, &node.span)?);
                let negated = || all.negated().map_err(|e| expr_error(e, &node.span, self.text));
                if holds { Ok(all) } else { negated() }
            }
            NodeKind::Exists(names, body) => {
                self.exists((term, &node.span), names, (*body, depth + 1), holds, place)
            }
            _ => Err(no_comparison(&node.span)),
        }
    }

    /// Reads the comparisons of a chain, one for each pair of items of adjacent lists.
    fn comparisons(
        &mut self,
        term: &Term<'t>,
        operands: &[NodeId],
        relations: &[Relation],
        span: &Span,
    ) -> Result<Vec<Formula>, Error> {
        let mut sides = Vec::with_capacity(operands.len());
        for operand in operands {
            let list = match &term.node(*operand).kind {
                NodeKind::List(list) => list.as_slice(),
                _ => std::slice::from_ref(operand),
            };
            let values = list.iter().map(|x| self.expr(&term.part(*x)));
            sides.push(values.collect::<Result<Vec<Expr>, Error>>()?);
        }
        let mut parts = Vec::new();
        for (pair, relation) in sides.windows(2).zip(relations) {
            for (lhs, rhs) in pair[0].iter().flat_map(|x| pair[1].iter().map(move |y| (x, y))) {
                parts.push(Formula::Is(self.comparison(lhs, *relation, rhs, span)?));
            }
        }
        Ok(parts)
    }

    /// Reads a condition on existential integers. Below `or` and `not` they are eliminated immediately; those that cannot be
    /// eliminated, and those of a condition that must hold, become variables.
    fn exists(
        &mut self,
        (term, span): (&Term<'t>, &Span),
        names: &[Named<'t>],
        body: (NodeId, usize),
        holds: bool,
        place: Place,
    ) -> Result<Formula, Error> {
        let outer = self.scope.clone();
        let first = self.hidden.len();
        for (index, (name, span)) in names.iter().enumerate() {
            if names[..index].iter().any(|(known, _)| known == name) {
                let message = format!("the variable `{}` is declared twice", excerpt(name));
                let error = Error::new(ErrorKind::Name, span.clone(), message);
                return Err(error.hint("choose another name"));
            }
            let id = self.fresh();
            self.hidden.push((id, name));
            self.scope.bind(name, id);
        }
        let inside = match (holds, place) {
            (true, place) => place,
            (false, _) => Place::Denied,
        };
        let read = self.formula(term, body, true, inside);
        self.scope = outer;
        let mut read = read?;
        if inside != Place::Outside {
            for index in (first..self.hidden.len()).rev() {
                let (id, _) = self.hidden[index];
                if !self.divides(id)
                    && let Some(free) = without(id, &read)
                {
                    read = free;
                    self.hidden.remove(index);
                }
            }
        }
        if inside == Place::Denied && self.hidden.len() > first {
            let message = "`exists` after `not` is not supported for this condition";
            let error = Error::new(ErrorKind::Unsupported, span.clone(), message);
            return Err(error.hint("write `i mod 4 != 0` for `not exists k : i = 4k`"));
        }
        let negated = || read.negated().map_err(|error| expr_error(error, span, self.text));
        if holds { Ok(read) } else { negated() }
    }

    /// Returns whether a variable occurs in a divisor.
    pub fn divides(&self, id: VariableId) -> bool {
        let divisors = self.sizes.iter().flat_map(|sizes| &sizes.divisors);
        divisors.into_iter().any(|(divisor, _)| divisor.variables().contains(&id))
    }

    fn comparison(
        &self,
        lhs: &Expr,
        relation: Relation,
        rhs: &Expr,
        span: &Span,
    ) -> Result<Comparison, Error> {
        let (mut lhs, mut rhs) = (lhs, rhs);
        let (mut end, strictly) = match relation {
            Relation::Equal => (End::Lower, 0),
            Relation::GreaterEqual => (End::Lower, 0),
            Relation::Greater => (End::Lower, 1),
            Relation::LessEqual => (End::Upper, 0),
            Relation::Less => (End::Upper, 1),
        };
        // A bounded variable is put on the left, so that its bound is displayed with it.
        let is_dimension = |expr: &Expr| {
            let id = expr.as_variable();
            id.is_some_and(|id| id.index() < self.dimensions)
        };
        if lhs.as_constant().is_some() || is_dimension(rhs) && !is_dimension(lhs) {
            (lhs, rhs) = (rhs, lhs);
            end = match end {
                End::Lower => End::Upper,
                End::Upper => End::Lower,
            };
        }
        let beyond = match end {
            End::Lower => -strictly,
            End::Upper => strictly,
        };
        let difference = lhs.sub(rhs).and_then(|x| x.add(&Expr::constant(beyond)));
        Ok(Comparison {
            difference: difference.map_err(|error| expr_error(error, span, self.text))?,
            end,
            is_equation: relation == Relation::Equal,
            span: span.clone(),
        })
    }
}

fn no_comparison(span: &Span) -> Error {
    let message = "expected a comparison such as `0 <= i < n`";
    Error::new(ErrorKind::Syntax, span.clone(), message)
}
