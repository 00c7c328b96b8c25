//! Bounds of a result in terms of parameters, each shown to be attained by one of several points for each size.
//!
//! Law: an expression over parameters is the bound of a result if the result is nowhere beyond it and, for all sizes with a
//! nonempty domain, one of the proposed points is in the domain and its result attains it. Both parts state that a system has no
//! integer point. The proposals, from the other files, need not be trusted.

mod cells;
mod pieces;
mod places;
mod samples;
mod search;

use super::Budget;
use crate::expr::{Domain, End, Expr, ExprError, ExprKind, IndexingMap, VariableId};
use crate::num::{Interval, MINUS_INFINITY, PLUS_INFINITY};
use cells::point_of;
use samples::Samples;
use search::Search;

/// Fuel for a bound: its samples and proofs.
const STEPS: u64 = 1 << 26;

/// Maximum number of rounds in which a missed size is added.
const ROUNDS: usize = 12;

/// Maximum number of points in one proof.
const POINTS: usize = 8;

/// Returns the bound of result `number` in terms of parameters, if points are found that attain it for all parameter values.
#[must_use]
pub fn end_by_size(map: &IndexingMap, number: usize, end: End, budget: &Budget) -> Option<Expr> {
    let result = map.results().get(number)?;
    let only = IndexingMap::new(map.domain().clone(), vec![result.clone()]);
    let budget = budget.with_fuel(STEPS);
    let mut samples = Samples::of(&only, end, &budget)?;
    let mut search = Search::new(&only, &budget);
    for _ in 0..ROUNDS {
        let mut guess = |always_inside: bool| {
            let is_covered = !budget.is_interrupted() && search.cover(&samples, always_inside);
            let values = is_covered.then(|| search.values())??;
            pieces::joined(&values, &samples)
        };
        // Points that are always in the domain have no values beyond the bound, so their values can be joined.
        let bound = guess(true).or_else(|| guess(false))?;
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

/// Returns the distance of a value from the bound, nonnegative on the inner side.
fn room(value: &Expr, bound: &Expr, end: End) -> Result<Expr, ExprError> {
    match end {
        End::Lower => value.sub(bound),
        End::Upper => bound.sub(value),
    }
}

/// Returns a point whose result is beyond the bound: the inner `None` if there is none, the outer if this is unknown.
fn beyond(map: &IndexingMap, bound: &Expr, end: End, budget: &Budget) -> Option<Option<Vec<i64>>> {
    let is_all = |bound: &Expr| match (bound.kind(), end) {
        (ExprKind::Min(list), End::Lower) | (ExprKind::Max(list), End::Upper) => list.clone(),
        _ => vec![bound.clone()],
    };
    // Below a min is below all of its operands; below a max, below one of them. Above, the other way round.
    let one_of = match (bound.kind(), end) {
        (ExprKind::Max(list), End::Lower) | (ExprKind::Min(list), End::Upper) => list.clone(),
        _ => vec![bound.clone()],
    };
    for bound in one_of {
        let mut within = map.domain().clone();
        for bound in is_all(&bound) {
            let room = room(map.results().first()?, &bound, end).ok()?;
            within.constrain(&room, Interval::new(MINUS_INFINITY, -1));
        }
        if let Some(point) = point_of(&within, budget)? {
            return Some(Some(point));
        }
    }
    Some(None)
}

/// Returns a point with sizes at which none of `points` both is in the domain and attains the bound; the outer `None` if
/// unknown.
fn short(
    map: &IndexingMap,
    bound: &Expr,
    end: End,
    points: &[&[Expr]],
    budget: &Budget,
) -> Option<Option<Vec<i64>>> {
    let needs = points.iter().map(|places| needs(map, bound, end, places).ok());
    let needs = needs.collect::<Option<Vec<Vec<Expr>>>>()?;
    failing(map.domain(), &needs, budget)
}

/// Returns a point at which each list has a negative expression; the outer `None` if unknown.
fn failing(domain: &Domain, lists: &[Vec<Expr>], budget: &Budget) -> Option<Option<Vec<i64>>> {
    let Some((first, rest)) = lists.split_first() else {
        return point_of(domain, budget);
    };
    for expr in first {
        let mut within = domain.clone();
        within.constrain(expr, Interval::new(MINUS_INFINITY, -1));
        let known = point_of(&within, budget)?;
        if known.is_some() {
            let point = if rest.is_empty() { known } else { failing(&within, rest, budget)? };
            if point.is_some() {
                return Some(point);
            }
        }
    }
    Some(None)
}

/// Returns sums that are nonnegative if the point is in the domain and its result is the bound or beyond it.
fn needs(
    map: &IndexingMap,
    bound: &Expr,
    end: End,
    places: &[Expr],
) -> Result<Vec<Expr>, ExprError> {
    let domain = map.domain();
    let mut all = vec![room(bound, &map.results()[0].substitute(places)?, end)?];
    let variables = (0..places.len() as u32).map(VariableId);
    let open = variables.filter(|id| !domain.is_parameter(*id));
    let mut inside: Vec<(Expr, Interval)> =
        open.map(|id| (places[id.index()].clone(), domain.bounds(id))).collect();
    for constraint in domain.constraints() {
        // A constraint on parameters alone holds if the domain has a point.
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
    Ok(all)
}
