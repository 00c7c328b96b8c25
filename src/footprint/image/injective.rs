//! Injectivity: does a map read each element at most once?
//!
//! Law: a map is injective if no two distinct points of its domain, with the same values of the runtime variables, have
//! the same results. A runtime variable has one value, so its values do not distinguish points.

use super::Basis;
use super::points::{Points, Stop, few_points};
use crate::expr::{Domain, Expr, ExprError, IndexingMap, Variable, VariableId, VariableKind};
use crate::num::{Interval, PLUS_INFINITY};
use crate::prove::{Budget, Reason, Verdict, covered, is_empty};
use rustc_hash::FxHashMap;

/// Two points that read the same element.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Collision {
    /// The first point.
    pub first: Vec<i64>,
    /// The second point.
    pub second: Vec<i64>,
    /// The element.
    pub element: Vec<i64>,
}

/// Decides whether `map` is injective. The basis is that of a proof; a collision was evaluated.
///
/// # Errors
/// [`Stop::Eval`] if a value does not fit, [`Stop::Interrupted`].
pub fn injective(map: &IndexingMap, budget: &Budget) -> Result<(Verdict<Collision>, Basis), Stop> {
    if map.domain().is_known_empty() {
        return Ok((Verdict::Proved, Basis::Proved));
    }
    if let Some(most) = few_points(map.domain()) {
        let verdict = match collision(map, most, budget)? {
            None => Verdict::Proved,
            Some(found) => Verdict::Refuted(found),
        };
        return Ok((verdict, Basis::Counted));
    }
    Ok((by_proof(map, budget)?, Basis::Proved))
}

/// Whether `map` is proved injective, without enumeration.
pub(super) fn proved_injective(map: &IndexingMap, budget: &Budget) -> Result<bool, Stop> {
    Ok(by_proof(map, budget)? == Verdict::Proved)
}

/// The first point that reads the same element as an earlier one.
fn collision(map: &IndexingMap, most: u64, budget: &Budget) -> Result<Option<Collision>, Stop> {
    let runtime: Vec<VariableId> = map.domain().ids(VariableKind::Runtime).collect();
    let mut readers: FxHashMap<Vec<i64>, Vec<i64>> = FxHashMap::default();
    for point in Points::new(map.domain(), most, budget)? {
        let point = point?;
        let element = map.eval(&point)?;
        let values = runtime.iter().map(|id| point[id.index()]);
        let key = element.iter().copied().chain(values).collect();
        if let Some(first) = readers.insert(key, point.clone()) {
            return Ok(Some(Collision {
                first,
                second: point,
                element,
            }));
        }
    }
    Ok(None)
}

/// Proves for each variable that no two points with the same results differ in it.
pub(super) fn by_proof(map: &IndexingMap, budget: &Budget) -> Result<Verdict<Collision>, Stop> {
    let variables = map.domain().variables();
    let mut open = None;
    for (number, variable) in (0..).zip(variables) {
        if variable.kind == VariableKind::Runtime || variable.bounds.as_point().is_some() {
            continue;
        }
        let Ok(pairs) = pairs(map, number) else {
            open = Some(Reason::Overflow);
            continue;
        };
        if covered(&pairs, &[], budget).is_ok() {
            continue;
        }
        match is_empty(&pairs, budget) {
            Verdict::Proved => {}
            Verdict::Unknown(Reason::Interrupted) => return Err(Stop::Interrupted),
            Verdict::Unknown(reason) => open = Some(reason),
            Verdict::Refuted(both) => return Ok(Verdict::Refuted(taken_apart(map, &both)?)),
        }
    }
    Ok(open.map_or(Verdict::Proved, Verdict::Unknown))
}

/// Pairs of points of `map`, the second one with smaller values of variable `number`, with the same results and the
/// same runtime variables: first all variables of the first point, then the second point's own.
fn pairs(map: &IndexingMap, number: u32) -> Result<Domain, ExprError> {
    let domain = map.domain();
    let as_dimension =
        |v: &Variable| Variable::new(v.name.clone(), VariableKind::Dimension, v.bounds);
    let own = |variable: &&Variable| variable.kind != VariableKind::Runtime;
    let count = domain.variables().len() as u32;
    let (mut next, mut second) = (count, Vec::new());
    for (place, variable) in (0..).zip(domain.variables()) {
        let is_own = own(&variable);
        let id = VariableId(if is_own { next } else { place });
        second.push(Expr::variable(id));
        next += u32::from(is_own);
    }
    let mut variables: Vec<Variable> = domain.variables().iter().map(as_dimension).collect();
    variables.extend(domain.variables().iter().filter(own).map(as_dimension));
    let mut pairs = Domain::new(variables);
    for constraint in domain.constraints() {
        pairs.constrain(&constraint.expr, constraint.bounds);
        pairs.constrain(&constraint.expr.substitute(&second)?, constraint.bounds);
    }
    for result in map.results() {
        let difference = result.sub(&result.substitute(&second)?)?;
        pairs.constrain(&difference, Interval::point(0));
    }
    let first = Expr::variable(VariableId(number));
    let apart = first.sub(&second[number as usize])?;
    pairs.constrain(&apart, Interval::new(1, PLUS_INFINITY));
    Ok(pairs)
}

fn taken_apart(map: &IndexingMap, both: &[i64]) -> Result<Collision, Stop> {
    let variables = map.domain().variables();
    let (larger, own) = both.split_at(variables.len().min(both.len()));
    let mut own = own.iter();
    let smaller = variables.iter().zip(larger).map(|(variable, value)| {
        let of_second = match variable.kind {
            VariableKind::Runtime => None,
            _ => own.next(),
        };
        of_second.copied().unwrap_or(*value)
    });
    Ok(Collision {
        first: smaller.collect(),
        second: larger.to_vec(),
        element: map.eval(larger)?,
    })
}
