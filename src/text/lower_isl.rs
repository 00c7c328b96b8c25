//! Lowers maps of isl: comparisons become bounds and constraints, other connectives than `and` one on a min or max, and outputs that are names are solved for.
//!
//! Law: the map has the pairs of inputs and outputs of isl's relation, as long as parameters are integers, as isl's are. An
//! output that is a name is determined by an equation in which its coefficient is 1 or -1; with none, the relation is no
//! function, and is rejected.

use super::ast::{NodeId, NodeKind, Relation, Term};
use super::lower::{Sizes, expr, expr_error};
use super::lower_maps::{check_divisors, check_names};
use super::parse_isl::IslText;
use super::scope::Scope;
use super::token::excerpt;
use crate::expr::{
    Domain, End, Expr, ExprError, ExprKind, IndexingMap, Variable, VariableId, VariableKind,
    bounded,
};
use crate::num::Interval;
use crate::text::{Error, ErrorKind, Span};

/// Maximum depth of `or`, `and` and `not` one inside the other.
const MAX_CONNECTIVES: usize = 100;

/// Lowers a map of isl. `text` is its source.
///
/// # Errors
/// As those of a map in parentheses; [`ErrorKind::Unsupported`] for a relation that is no function.
pub(super) fn map<'t>(map: &IslText<'t>, text: &'t str) -> Result<IndexingMap, Error> {
    check_names(&map.variables)?;
    let outputs = outputs(map);
    let names = map.variables.iter().map(|variable| variable.name);
    let mut lowering = Lowering {
        text,
        scope: Scope::new(names.chain(outputs.iter().map(|(name, _)| *name))),
        sizes: Sizes::of_any(map.is_symbolic),
        dimensions: map.variables.iter().filter(|v| v.kind == VariableKind::Dimension).count(),
    };
    let results = map.results.iter().map(|term| lowering.expr(term));
    let mut results = results.collect::<Result<Vec<Expr>, Error>>()?;
    let mut comparisons = Vec::new();
    if let Some(condition) = &map.condition {
        lowering.comparisons(condition, condition.root(), &mut comparisons)?;
    }
    let values = solved(map.variables.len(), &outputs, &mut comparisons, text)?;
    let placed = |expr: &Expr, span: &Span| {
        let placed = expr.substitute(&values);
        placed.map_err(|error| expr_error(error, span, text))
    };
    for (result, term) in results.iter_mut().zip(&map.results) {
        *result = placed(result, &term.span())?;
    }
    let variables = map.variables.iter();
    let variables = variables.map(|v| Variable::new(v.name, v.kind, Interval::ALL));
    let mut domain = Domain::new(variables.collect());
    for comparison in &comparisons {
        let (expr, span) = (placed(&comparison.difference, &comparison.span)?, &comparison.span);
        let ends: &[End] = match comparison.is_equation {
            true => &[End::Lower, End::Upper],
            false => &[comparison.end],
        };
        for end in ends {
            let constraint = bounded(&expr, *end, &Expr::constant(0));
            let (expr, bounds) = constraint.map_err(|error| expr_error(error, span, text))?;
            domain.constrain(&expr, bounds);
        }
    }
    if let Some(sizes) = &mut lowering.sizes {
        for (divisor, span) in &mut sizes.divisors {
            *divisor = placed(divisor, span)?;
        }
    }
    check_divisors(&domain, lowering.sizes.as_ref())?;
    Ok(IndexingMap::new(domain, results))
}

/// The outputs that are names of no variable, with their spans.
fn outputs<'t>(map: &IslText<'t>) -> Vec<(&'t str, Span)> {
    let mut outputs: Vec<(&str, Span)> = Vec::new();
    for term in &map.results {
        let node = term.node(term.root());
        if let NodeKind::Name(name) = node.kind
            && map.variables.iter().all(|variable| variable.name != name)
            && outputs.iter().all(|(known, _)| *known != name)
        {
            outputs.push((name, node.span.clone()));
        }
    }
    outputs
}

/// `difference >= 0` or `<= 0`, or `= 0`.
struct Comparison {
    difference: Expr,
    end: End,
    is_equation: bool,
    span: Span,
}

impl Comparison {
    /// An expression that is at least 0 where it holds, or where it does not.
    fn truth(&self, holds: bool) -> Result<Expr, ExprError> {
        let minus = self.difference.scale(-1)?;
        let beyond = |x: &Expr| x.add(&Expr::constant(-1));
        match (self.is_equation, self.end, holds) {
            (true, _, true) => Expr::min(vec![self.difference.clone(), minus]),
            (true, _, false) => Expr::max(vec![beyond(&self.difference)?, beyond(&minus)?]),
            (false, End::Lower, true) => Ok(self.difference.clone()),
            (false, End::Upper, true) => Ok(minus),
            (false, End::Lower, false) => beyond(&minus),
            (false, End::Upper, false) => beyond(&self.difference),
        }
    }
}

fn no_comparison(span: &Span) -> Error {
    let message = "expected a comparison such as `0 <= i < n`";
    Error::new(ErrorKind::Syntax, span.clone(), message)
}

struct Lowering<'t> {
    text: &'t str,
    scope: Scope<'t>,
    sizes: Option<Sizes>,
    dimensions: usize,
}

impl Lowering<'_> {
    fn expr(&mut self, term: &Term) -> Result<Expr, Error> {
        expr(term, &self.scope, self.text, self.sizes.as_mut())
    }

    /// The comparisons of a conjunction.
    fn comparisons(
        &mut self,
        term: &Term,
        root: NodeId,
        list: &mut Vec<Comparison>,
    ) -> Result<(), Error> {
        let mut waiting = vec![root];
        while let Some(id) = waiting.pop() {
            let node = term.node(id);
            match &node.kind {
                NodeKind::And(operands) => waiting.extend(operands.iter().rev()),
                NodeKind::Compare(operands, relations) => {
                    let values = operands.iter().map(|x| self.expr(&term.part(*x)));
                    let values = values.collect::<Result<Vec<Expr>, Error>>()?;
                    for (pair, relation) in values.windows(2).zip(relations) {
                        list.push(self.comparison(&pair[0], *relation, &pair[1], &node.span)?);
                    }
                }
                NodeKind::Or(_) | NodeKind::Not(_) => {
                    let difference = self.truth(term, id, true, 0)?;
                    let span = node.span.clone();
                    list.push(Comparison { difference, end: End::Lower, is_equation: false, span });
                }
                _ => return Err(no_comparison(&node.span)),
            }
        }
        Ok(())
    }

    /// An expression that is at least 0 where a condition holds, or where it does not: `and` is the least of such, `or` the
    /// greatest.
    fn truth(&mut self, term: &Term, id: NodeId, holds: bool, depth: usize) -> Result<Expr, Error> {
        let node = term.node(id);
        if depth > MAX_CONNECTIVES {
            let message =
                format!("more than {MAX_CONNECTIVES} connectives are one inside the other");
            return Err(Error::new(ErrorKind::TooLarge, node.span.clone(), message));
        }
        let mut parts = Vec::new();
        let is_least = match &node.kind {
            NodeKind::Not(x) => return self.truth(term, *x, !holds, depth + 1),
            NodeKind::And(operands) | NodeKind::Or(operands) => {
                for x in operands {
                    parts.push(self.truth(term, *x, holds, depth + 1)?);
                }
                matches!(node.kind, NodeKind::And(_)) == holds
            }
            NodeKind::Compare(operands, relations) => {
                let values = operands.iter().map(|x| self.expr(&term.part(*x)));
                let values = values.collect::<Result<Vec<Expr>, Error>>()?;
                for (pair, relation) in values.windows(2).zip(relations) {
                    let comparison = self.comparison(&pair[0], *relation, &pair[1], &node.span)?;
                    let part = comparison.truth(holds);
                    parts.push(part.map_err(|error| expr_error(error, &node.span, self.text))?);
                }
                holds
            }
            _ => return Err(no_comparison(&node.span)),
        };
        let joined = if is_least { Expr::min(parts) } else { Expr::max(parts) };
        joined.map_err(|error| expr_error(error, &node.span, self.text))
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
        // A bounded variable stands on the left: its bound is shown with it.
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

/// The values of all variables: of the inputs and parameters these themselves, of each output the solution of an equation, which is
/// then used up.
fn solved(
    inputs: usize,
    outputs: &[(&str, Span)],
    comparisons: &mut Vec<Comparison>,
    text: &str,
) -> Result<Vec<Expr>, Error> {
    let all = inputs + outputs.len();
    let mut values: Vec<Expr> = (0..all as u32).map(|id| Expr::variable(VariableId(id))).collect();
    let mut open: Vec<usize> = (inputs..all).collect();
    while !open.is_empty() {
        let is_open = |id: VariableId| open.contains(&id.index());
        let found = comparisons.iter().enumerate().find_map(|(place, comparison)| {
            let equation = comparison.is_equation.then_some(&comparison.difference)?;
            let (id, value) = value_of_one(equation, &is_open)?;
            Some((place, id, value))
        });
        let Some((place, id, value)) = found else {
            let (name, span) = &outputs[open[0] - inputs];
            let message =
                format!("no equation gives the output `{}` in terms of the inputs", excerpt(name));
            let error = Error::new(ErrorKind::Unsupported, span.clone(), message);
            return Err(error.hint("an index map is a function: write the output as an expression"));
        };
        let span = comparisons.remove(place).span;
        open.retain(|other| *other != id.index());
        let mut single: Vec<Expr> =
            (0..all as u32).map(|id| Expr::variable(VariableId(id))).collect();
        single[id.index()] = value;
        let mut place = |expr: &mut Expr| -> Result<(), Error> {
            let placed = expr.substitute(&single);
            *expr = placed.map_err(|error| expr_error(error, &span, text))?;
            Ok(())
        };
        values.iter_mut().try_for_each(&mut place)?;
        let differences = comparisons.iter_mut().map(|comparison| &mut comparison.difference);
        differences.into_iter().try_for_each(place)?;
    }
    Ok(values)
}

/// An open variable, the only one of a sum that is 0, with its value.
fn value_of_one(sum: &Expr, is_open: &dyn Fn(VariableId) -> bool) -> Option<(VariableId, Expr)> {
    let mut open = sum.variables().into_iter().filter(|id| is_open(*id));
    let (Some(id), None) = (open.next(), open.next()) else {
        return None;
    };
    let variable = Expr::variable(id);
    let coefficient = match sum.kind() {
        ExprKind::Variable(_) => 1,
        ExprKind::Sum(terms) => terms.terms().iter().find(|(_, term)| *term == variable)?.0,
        _ => return None,
    };
    if !matches!(coefficient, 1 | -1) {
        return None;
    }
    // `c*y + rest = 0` with `c = 1` or `c = -1`, so `y = -c * rest`.
    let rest = sum.sub(&variable.scale(coefficient).ok()?).ok()?;
    let value = rest.scale(-coefficient).ok()?;
    (!value.variables().contains(&id)).then_some((id, value))
}
