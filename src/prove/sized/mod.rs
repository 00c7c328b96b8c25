//! Ends of a result in terms of parameters, each shown by points that have it, one or another for each size.
//!
//! Law: an expression over parameters is the end of a result if the result is nowhere beyond it, and for all sizes with which
//! the domain has a point, one of the points in terms of parameters is in the domain and its result is not short of it. Both
//! say that a system has no integer point. Which sizes, points and expressions are tried (the files beside) does not matter.

mod pieces;
mod places;
mod samples;
mod search;

use super::Budget;
use super::extremes::any_point;
use crate::expr::{Domain, End, Expr, ExprError, IndexingMap};
use crate::num::{Interval, MINUS_INFINITY, PLUS_INFINITY};
use samples::Samples;
use search::Search;

/// Fuel for an end: its samples and proofs.
const STEPS: u64 = 1 << 25;

/// How often a size that was overlooked is looked at.
const ROUNDS: usize = 12;

/// Most points of one proof.
const POINTS: usize = 8;

/// The end of result `number` in terms of parameters, if points are found that have it for all of them.
#[must_use]
pub fn end_by_size(map: &IndexingMap, number: usize, end: End, budget: &Budget) -> Option<Expr> {
    let result = map.results().get(number)?;
    let only = IndexingMap::new(map.domain().clone(), vec![result.clone()]);
    let budget = budget.with_fuel(STEPS);
    let mut samples = Samples::of(&only, end, &budget)?;
    let mut search = Search::new(&only);
    for _ in 0..ROUNDS {
        if budget.is_interrupted() || !search.cover(&samples) {
            return None;
        }
        let bound = pieces::joined(&search.values()?, &samples)?;
        let overlooked = match beyond(&only, &bound, end, &budget)? {
            Some(point) => point,
            None => match short(&only, &bound, end, &search.best(&samples, POINTS), &budget)? {
                Some(point) => point,
                None => return Some(bound),
            },
        };
        samples.add(&overlooked)?;
    }
    None
}

/// How far a value is on the inner side of the end.
fn room(value: &Expr, bound: &Expr, end: End) -> Result<Expr, ExprError> {
    match end {
        End::Lower => value.sub(bound),
        End::Upper => bound.sub(value),
    }
}

/// A point whose result is beyond the bound, if there is one; nothing where that is not known.
fn beyond(map: &IndexingMap, bound: &Expr, end: End, budget: &Budget) -> Option<Option<Vec<i64>>> {
    let room = room(map.results().first()?, bound, end).ok()?;
    negative(map.domain(), &room, budget)
}

/// A point for whose sizes none of the places is in the domain and has the bound; nothing where that is not known.
fn short(
    map: &IndexingMap,
    bound: &Expr,
    end: End,
    points: &[&[Expr]],
    budget: &Budget,
) -> Option<Option<Vec<i64>>> {
    let there = points.iter().map(|places| excess(map, bound, end, places).ok());
    let there = there.collect::<Option<Vec<Expr>>>()?;
    negative(map.domain(), &Expr::max(there).ok()?, budget)
}

/// What is not negative where the point is in the domain and its result is the bound or beyond.
fn excess(map: &IndexingMap, bound: &Expr, end: End, places: &[Expr]) -> Result<Expr, ExprError> {
    let domain = map.domain();
    let mut all = vec![room(bound, &map.results()[0].substitute(places)?, end)?];
    let variables = places.iter().cloned().zip(domain.intervals());
    let mut inside: Vec<(Expr, Interval)> = Vec::new();
    inside.extend(variables.filter(|(place, _)| place.as_variable().is_none()));
    for constraint in domain.constraints() {
        // One on parameters alone holds where the domain has a point.
        if !constraint.expr.variables().into_iter().all(|id| domain.is_parameter(id)) {
            inside.push((constraint.expr.substitute(places)?, constraint.bounds));
        }
    }
    for (value, bounds) in inside {
        if bounds.lo() != MINUS_INFINITY {
            all.push(value.sub(&Expr::constant(bounds.lo()))?);
        }
        if bounds.hi() != PLUS_INFINITY {
            all.push(Expr::constant(bounds.hi()).sub(&value)?);
        }
    }
    all.retain(|value| value.as_constant().is_none_or(|value| value < 0));
    if all.is_empty() {
        all.push(Expr::constant(0));
    }
    Expr::min(all)
}

/// A point at which an expression is negative; nothing where that is not known.
fn negative(domain: &Domain, expr: &Expr, budget: &Budget) -> Option<Option<Vec<i64>>> {
    let mut within = domain.clone();
    within.constrain(expr, Interval::new(MINUS_INFINITY, -1));
    if within.is_known_empty() {
        return Some(None);
    }
    any_point(&within, budget)
}
