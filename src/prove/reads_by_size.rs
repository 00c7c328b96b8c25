//! Equality of the reads of maps with parameters, for all parameter values.
//!
//! A map reads everything that another one reads if each point of the other has values of the range variables with which this
//! map reads the same element. The values are proposed as expressions, and proved. Differences are searched for at values of the
//! parameters.

use super::named::{Draws, Wanted, ends_of, extends, proposal};
use super::{Budget, Counterexample, Reason, Verdict};
use crate::expr::{Domain, Expr, IndexingMap, VariableId, VariableKind};
use crate::num::{Interval, MINUS_INFINITY, PLUS_INFINITY};
use crate::text::Error;

/// Number of parameter assignments at which a difference is searched for.
const SIZES: usize = 16;

/// The maximum number of draws to find these.
const DRAWS: usize = 200;

/// Compares the reads of two maps without parameters.
type Compare<'a> = &'a dyn Fn(&IndexingMap, &IndexingMap, &Budget) -> Result<Verdict, Error>;

/// Decides for maps with equally many parameters whether their reads are equal: returns a counterexample, or `None`.
pub(super) fn decide(
    maps: [&IndexingMap; 2],
    compare: Compare<'_>,
    budget: &Budget,
) -> Result<Option<Counterexample>, Reason> {
    if let Some(found) = at_sizes(maps, compare, budget)? {
        return Ok(Some(found));
    }
    includes(maps[0], maps[1], budget)?;
    includes(maps[1], maps[0], budget)?;
    Ok(None)
}

/// Returns small values of the parameters for which one of the domains has a point.
pub fn sizes_of(maps: [&IndexingMap; 2]) -> Vec<Vec<(VariableId, i64)>> {
    let mut found: Vec<Vec<(VariableId, i64)>> = Vec::new();
    for map in maps {
        let mut draws = Draws::new(map.domain());
        for point in (0..DRAWS).filter_map(|_| draws.draw()) {
            let parameters = map.domain().ids(VariableKind::Parameter);
            // By the number among the parameters: the maps may differ in other variables.
            let values = (0..).map(VariableId).zip(parameters.map(|id| point[id.index()]));
            found.push(values.collect());
        }
    }
    found.sort_by_cached_key(|values| {
        let total = values.iter().map(|(_, value)| u128::from(value.unsigned_abs()));
        (total.sum::<u128>(), values.clone())
    });
    found.dedup();
    found.truncate(SIZES);
    found
}

/// Substitutes values for the parameters, which are numbered among themselves; bounds that become numbers are bounds of
/// variables.
pub fn with_sizes(map: &IndexingMap, sizes: &[(VariableId, i64)]) -> Option<IndexingMap> {
    let parameters: Vec<VariableId> = map.domain().ids(VariableKind::Parameter).collect();
    let value =
        |(number, value): &(VariableId, i64)| Some((*parameters.get(number.index())?, *value));
    let values: Option<Vec<_>> = sizes.iter().map(value).collect();
    let (mut domain, results) = map.bound(&values?).ok()?.into_parts();
    for id in (0..domain.variables().len() as u32).map(VariableId) {
        let [lower, upper] = ends_of(&domain, id, &|_| false);
        let lower = lower.iter().filter_map(Expr::as_constant).max();
        let upper = upper.iter().filter_map(Expr::as_constant).min();
        let bounds = Interval::new(lower.unwrap_or(MINUS_INFINITY), upper.unwrap_or(PLUS_INFINITY));
        domain.constrain(&Expr::variable(id), bounds);
    }
    Some(IndexingMap::new(domain, results))
}

fn at_sizes(
    maps: [&IndexingMap; 2],
    compare: Compare<'_>,
    budget: &Budget,
) -> Result<Option<Counterexample>, Reason> {
    let cheap = Budget {
        points: budget.points / 20,
        samples: budget.samples / 20,
        solver_steps: 0,
        ..budget.clone()
    };
    for sizes in sizes_of(maps) {
        let [Some(left), Some(right)] = maps.map(|map| with_sizes(map, &sizes)) else {
            continue;
        };
        match compare(&left, &right, &cheap) {
            Ok(Verdict::Refuted(mut found)) => {
                found.point.extend(sizes.iter().map(|(_, value)| value));
                return Ok(Some(found));
            }
            Ok(Verdict::Unknown(Reason::Interrupted)) => return Err(Reason::Interrupted),
            _ => {}
        }
    }
    Ok(None)
}

/// Shows that `to` reads everything that `from` reads, for all values of the dimensions, runtime variables and parameters. Both
/// maps have equally many of these.
///
/// # Errors
/// The [`Reason`] why it is not shown; it may still be true.
pub fn includes(from: &IndexingMap, to: &IndexingMap, budget: &Budget) -> Result<(), Reason> {
    if from.domain().is_known_empty() {
        return Ok(());
    }
    let read = reader(from, to).ok_or(Reason::NoProposal)?;
    extends(&read, from, budget)
}

/// Returns `to` over the variables of `from`, with proposed values of its range variables.
fn reader(from: &IndexingMap, to: &IndexingMap) -> Option<IndexingMap> {
    let (own, other) = (to.domain(), from.domain());
    let is_range = |domain: &Domain, id: VariableId| {
        domain.variables()[id.index()].kind == VariableKind::Range
    };
    let fixed = |domain: &Domain| -> Vec<VariableId> {
        let all = (0..domain.variables().len() as u32).map(VariableId);
        all.filter(|id| !is_range(domain, *id)).collect()
    };
    // The variables of `to`, then the range variables of `from`.
    let count = own.variables().len() as u32;
    let mut after = count;
    let (mut shared_own, mut shared_other) = (fixed(own).into_iter(), fixed(other).into_iter());
    let mut to_own = Vec::new();
    for id in (0..other.variables().len() as u32).map(VariableId) {
        to_own.push(Expr::variable(match is_range(other, id) {
            true => {
                after += 1;
                VariableId(after - 1)
            }
            false => shared_own.next()?,
        }));
    }
    let mut back = Vec::new();
    for id in (0..count).map(VariableId) {
        back.push(match is_range(own, id) {
            true => Expr::constant(0), // solved for
            false => Expr::variable(shared_other.next()?),
        });
    }
    back.extend(other.ids(VariableKind::Range).map(Expr::variable));
    let wanted: Option<Vec<Expr>> =
        from.results().iter().map(|x| x.substitute(&to_own).ok()).collect();
    let values = proposal(&Wanted {
        domain: own,
        is_unknown: &|id| is_range(own, id),
        equations: to.results().iter().cloned().zip(wanted?).collect(),
        free: after,
        may_overlap: true,
    })?;
    let placed: Option<Vec<Expr>> = values.iter().map(|x| x.substitute(&back).ok()).collect();
    to.over(other, &placed?)
}
