//! Intervals of the results of a map, computed from several forms of the map.
//!
//! Law: each interval contains all values of the result on the domain. A sum with dependent terms gets tighter bounds once
//! the terms are combined: by the simplifier, or with `x - c*(x floordiv c)` for `x mod c`. A map with few points is bounded
//! by its values, a map with linear forms exactly ([`extremes`]).

use super::failure::Failure;
use super::table::Call;
use affinor::expr::{Domain, End, Expr, ExprError, ExprKind, IndexingMap};
use affinor::num::Interval;
use affinor::prove::{Extreme, end_by_size, extremes};
use affinor_ops::footprint::image::Points;
use rustc_hash::FxHashMap;

/// The maximum number of points of a map whose values are enumerated.
const MOST_POINTS: u64 = 1 << 16;

/// The known bounds of a result.
pub struct Ends {
    /// An interval that contains all values.
    pub range: Interval,
    /// Points at which the ends are attained, if the interval is known to be the smallest and the domain is not empty; `None`
    /// for an infinite end.
    pub attained: Option<[Option<Vec<i64>>; 2]>,
    /// Whether the interval is known to be the smallest.
    pub is_smallest: bool,
}

/// Returns the known bounds of each result.
///
/// # Errors
/// An interruption.
pub fn ends(call: &Call<'_>, map: &IndexingMap) -> Result<Vec<Ends>, Failure> {
    let exact = extremes(map, &call.proof_budget());
    call.go_on()?;
    let is_exact = exact.iter().flatten().all(Option::is_some);
    let bounds = match is_exact {
        true => vec![Interval::ALL; exact.len()],
        false => ranges(call, map)?,
    };
    let all = exact.into_iter().zip(bounds);
    Ok(all.map(|([lowest, greatest], bounds)| exactly(lowest, greatest, bounds)).collect())
}

/// Returns an end of a result as an expression in the sizes, if points are found that attain it for all sizes.
///
/// # Errors
/// An interruption.
pub fn by_size(
    call: &Call<'_>,
    map: &IndexingMap,
    number: usize,
    end: End,
) -> Result<Option<Expr>, Failure> {
    let found = end_by_size(map, number, end, &call.proof_budget());
    call.go_on()?;
    let Some(found) = found else {
        return Ok(None);
    };
    let ends = IndexingMap::new(map.domain().clone(), vec![found.clone()]);
    let simple = call.simplifier()?.simplify(&ends, &call.search_options()?).map;
    let [simple_end] = simple.results() else {
        return Ok(Some(found));
    };
    let is_of_sizes = simple_end.variables().into_iter().all(|id| map.domain().is_parameter(id));
    let is_simple = simple.domain().variables() == map.domain().variables();
    Ok(Some(if is_simple && is_of_sizes { simple_end.clone() } else { found }))
}

fn exactly(lowest: Option<Extreme>, greatest: Option<Extreme>, bounds: Interval) -> Ends {
    if let (Some(Extreme::Empty), _) | (_, Some(Extreme::Empty)) = (&lowest, &greatest) {
        return Ends { range: Interval::EMPTY, attained: None, is_smallest: true };
    }
    let value = |extreme: &Option<Extreme>, otherwise: i64| match extreme {
        Some(Extreme::At(value, _)) => *value,
        _ => otherwise,
    };
    let range = Interval::new(value(&lowest, bounds.lo()), value(&greatest, bounds.hi()));
    let is_smallest = lowest.is_some() && greatest.is_some();
    let point = |extreme: Option<Extreme>| match extreme {
        Some(Extreme::At(_, point)) => Some(point),
        _ => None,
    };
    let points = [point(lowest), point(greatest)];
    Ends { range, attained: is_smallest.then_some(points), is_smallest }
}

fn ranges(call: &Call<'_>, map: &IndexingMap) -> Result<Vec<Interval>, Failure> {
    let mut ranges = map.ranges();
    let simplified = call.simplifier()?.simplify(map, &call.search_options()?).map;
    for other in [&simplified, map] {
        for (range, result) in ranges.iter_mut().zip(other.results()) {
            *range = range.intersect(other.domain().range_of(result));
            if let Ok(expanded) = expanded(result, &mut FxHashMap::default()) {
                *range = range.intersect(other.domain().range_of(&expanded));
            }
        }
    }
    if let Some(listed) = listed(call, map) {
        ranges = listed;
    }
    call.go_on()?;
    Ok(ranges)
}

/// Returns the intervals of the values, by enumeration, if there are few points.
fn listed(call: &Call<'_>, map: &IndexingMap) -> Option<Vec<Interval>> {
    let domain: &Domain = map.domain();
    let widths = domain.intervals().map(Interval::count);
    let count = widths.into_iter().try_fold(1u64, |all, width| all.checked_mul(width?))?;
    if count > MOST_POINTS {
        return None;
    }
    let mut ranges = vec![Interval::EMPTY; map.results().len()];
    for point in Points::new(domain, count, &call.proof_budget()).ok()? {
        let values = map.eval(&point.ok()?).ok()?;
        for (range, value) in ranges.iter_mut().zip(values) {
            *range = match range.is_empty() {
                true => Interval::point(value),
                false => Interval::new(range.lo().min(value), range.hi().max(value)),
            };
        }
    }
    Some(ranges)
}

/// Returns the expression with its remainders written as quotients.
fn expanded(expr: &Expr, known: &mut FxHashMap<Expr, Expr>) -> Result<Expr, ExprError> {
    if let Some(known) = known.get(expr) {
        return Ok(known.clone());
    }
    let found = match expr.kind() {
        ExprKind::Sum(sum) => {
            let terms = sum.terms().iter().map(|(c, x)| Ok((*c, expanded(x, known)?)));
            Expr::sum(sum.constant(), terms.collect::<Result<Vec<_>, ExprError>>()?)?
        }
        ExprKind::Mod(x, divisor) => match divisor.as_integer() {
            Some(c) => Expr::sum(0, [(1, x.clone()), (-c, x.floordiv(c)?)])?,
            None => expr.clone(),
        },
        _ => expr.clone(),
    };
    known.insert(expr.clone(), found.clone());
    Ok(found)
}
