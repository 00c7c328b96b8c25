//! Merges maps of a union that differ only by numbers in arithmetic progression.
//!
//! Laws, for maps `m_0, .., m_(k-1)` where the results and the bounds of constraints of `m_i` are those of `m_0` plus `i` times
//! constants:
//!
//! * if `m_i` is restricted to the values `[lo + w * i, lo + w * i + w - 1]` of one dimension `d`, the last perhaps to fewer,
//!   and all else is equal, they are one map about all of these values, with `(d - lo) floordiv w` substituted for `i`;
//! * if all bounds are equal, they are one map with a range variable substituted for `i`.

use super::adjoined::{adjoined, loose, same_exactness};
use super::reads::OperandMap;
use super::times::{Lost, Times};
use affinor::expr::{Domain, Expr, ExprError, IndexingMap, Variable, VariableId, VariableKind};
use affinor::num::{Interval, MINUS_INFINITY, PLUS_INFINITY};

/// Returns the same union with fewer maps.
pub(super) fn fitted(times: &Times<'_>, maps: Vec<OperandMap>) -> Result<Vec<OperandMap>, Lost> {
    let mut maps = adjoined(times, maps)?;
    while maps.len() > 1 {
        let Some((first, members, whole)) = progression(times, &maps)? else {
            break;
        };
        let whole = times.tidied(&whole)?.ok_or(Lost)?;
        let mut place = 0;
        maps.retain(|_| {
            place += 1;
            !members.contains(&(place - 1))
        });
        maps.insert(first.min(maps.len()), whole);
        maps = adjoined(times, maps)?;
    }
    Ok(maps)
}

/// Finds the progression whose merger saves most maps: its first place, all its places, and the merged map.
#[allow(clippy::type_complexity, reason = "the one caller takes it apart")]
fn progression(
    times: &Times<'_>,
    maps: &[OperandMap],
) -> Result<Option<(usize, Vec<usize>, OperandMap)>, Lost> {
    let maps: Vec<OperandMap> = maps.iter().map(loose).collect::<Result<_, _>>()?;
    let dimensions =
        maps.iter().map(|map| map.map.domain().count(VariableKind::Dimension)).max().unwrap_or(0);
    let mut best: Option<Progression> = None;
    for (first, map) in maps.iter().enumerate() {
        times.fuel.spend(((dimensions + 1) * maps.len()) as u64).map_err(|_| Lost)?;
        if !map.runtime.is_empty() {
            continue;
        }
        for along in (0..dimensions).rev().map(Some).chain([None]) {
            let found = Progression::from(&maps, first, along)?;
            let length = best.as_ref().map_or(1, |best| best.members.len());
            best = found.filter(|found| found.members.len() > length).or(best);
        }
    }
    let Some(best) = best else {
        return Ok(None);
    };
    let whole = best.whole(&maps)?;
    Ok(Some((best.members.iter().copied().min().unwrap_or(0), best.members, whole)))
}

/// Maps whose numbers grow by constants.
struct Progression {
    /// The places of the maps, in order.
    members: Vec<usize>,
    /// The dimension that the maps partition, if any.
    along: Option<usize>,
    growth: Growth,
}

/// The differences of the numbers of a map to those of another.
#[derive(PartialEq)]
struct Growth {
    results: Vec<i64>,
    constraints: Vec<i64>,
}

impl Growth {
    /// Returns the growth from one map to another, which must be equal otherwise, except for the bounds of the dimension
    /// `along`.
    fn between(
        lhs: &OperandMap,
        rhs: &OperandMap,
        along: Option<usize>,
    ) -> Result<Option<Growth>, ExprError> {
        let (own, other) = (lhs.map.domain(), rhs.map.domain());
        let variables = own.variables().iter().zip(other.variables()).enumerate();
        let mut variables = variables.map(|(k, (own, other))| {
            own.kind == other.kind && (Some(k) == along || own.bounds == other.bounds)
        });
        let is_alike = rhs.runtime.is_empty()
            && same_exactness(lhs, rhs)
            && own.variables().len() == other.variables().len()
            && lhs.map.results().len() == rhs.map.results().len()
            && own.constraints().len() == other.constraints().len()
            && variables.all(|alike| alike);
        if !is_alike {
            return Ok(None);
        }
        let mut growth = Growth { results: Vec::new(), constraints: Vec::new() };
        for (own, other) in lhs.map.results().iter().zip(rhs.map.results()) {
            let Some(more) = other.sub(own)?.as_constant() else {
                return Ok(None);
            };
            growth.results.push(more);
        }
        for (own, other) in own.constraints().iter().zip(other.constraints()) {
            let more = shift(own.bounds, other.bounds);
            let Some(more) = more.filter(|_| own.expr == other.expr) else {
                return Ok(None);
            };
            growth.constraints.push(more);
        }
        Ok(Some(growth))
    }
}

/// Returns the distance by which the first interval is shifted to give the second.
fn shift(lhs: Interval, rhs: Interval) -> Option<i64> {
    let of = |lhs: i64, rhs: i64| match lhs == MINUS_INFINITY || lhs == PLUS_INFINITY {
        true => (lhs == rhs).then_some(None),
        false => rhs.checked_sub(lhs).map(Some),
    };
    match (of(lhs.lo(), rhs.lo())?, of(lhs.hi(), rhs.hi())?) {
        (Some(lo), Some(hi)) => (lo == hi).then_some(lo),
        (Some(only), None) | (None, Some(only)) => Some(only),
        (None, None) => Some(0),
    }
}

impl Progression {
    /// Returns the longest progression that starts with map `first`.
    fn from(
        maps: &[OperandMap],
        first: usize,
        along: Option<usize>,
    ) -> Result<Option<Progression>, Lost> {
        let bounds = |place: usize| {
            let along = along.map(|along| VariableId(along as u32));
            along.map(|along| maps[place].map.domain().bounds(along))
        };
        let width = bounds(first).map(Interval::count);
        if width == Some(None) {
            return Ok(None);
        }
        let width = width.flatten();
        let mut found: Option<Progression> = None;
        loop {
            let last = found.as_ref().map_or(first, |found| found.members[found.members.len() - 1]);
            // Only the last map may be about fewer values.
            if bounds(last).is_some_and(|bounds| bounds.count() != width) {
                break;
            }
            let mut next = None;
            for (place, map) in maps.iter().enumerate() {
                let is_used = found.as_ref().is_some_and(|found| found.members.contains(&place));
                let follows = match (bounds(last), bounds(place)) {
                    (Some(before), Some(behind)) => {
                        before.hi().checked_add(1) == Some(behind.lo()) && behind.count() <= width
                    }
                    _ => true,
                };
                if place == last || is_used || !follows {
                    continue;
                }
                let Some(growth) = Growth::between(&maps[last], map, along)? else {
                    continue;
                };
                let is_next = match &found {
                    Some(found) => found.growth == growth,
                    None => along.is_some() || is_least(maps, first, &growth)?,
                };
                if is_next {
                    next = Some((place, growth));
                    break;
                }
            }
            let Some((place, growth)) = next else {
                break;
            };
            match &mut found {
                Some(found) => found.members.push(place),
                None => found = Some(Progression { members: vec![first, place], along, growth }),
            }
        }
        // Two maps that differ by a constant are clearer unmerged.
        Ok(found.filter(|found| along.is_some() || found.members.len() > 2))
    }

    /// Merges all of its maps into one.
    fn whole(&self, maps: &[OperandMap]) -> Result<OperandMap, ExprError> {
        let first = &maps[self.members[0]];
        let last = &maps[self.members[self.members.len() - 1]];
        let old = first.map.domain();
        let mut variables = old.variables().to_vec();
        let step = match self.along {
            Some(along) => {
                let id = VariableId(along as u32);
                let own = old.bounds(id);
                variables[along].bounds =
                    Interval::new(own.lo(), last.map.domain().bounds(id).hi());
                let width = own.count().and_then(|width| i64::try_from(width).ok()).unwrap_or(1);
                Expr::sum(-own.lo(), [(1, Expr::variable(id))])?.floordiv(width)?
            }
            None => {
                let id = VariableId(variables.len() as u32);
                let name = format!("s{}", old.count(VariableKind::Range));
                let values = Interval::of_size(self.members.len() as i64);
                variables.push(Variable::new(name, VariableKind::Range, values));
                Expr::variable(id)
            }
        };
        let mut domain = Domain::new(variables);
        for (constraint, more) in old.constraints().iter().zip(&self.growth.constraints) {
            let expr = Expr::sum(0, [(1, constraint.expr.clone()), (-more, step.clone())])?;
            domain.constrain(&expr, constraint.bounds);
        }
        let results = first.map.results().iter().zip(&self.growth.results);
        let results = results
            .map(|(result, more)| Expr::sum(0, [(1, result.clone()), (*more, step.clone())]));
        let map = IndexingMap::new(domain, results.collect::<Result<_, _>>()?);
        Ok(OperandMap { map, ..first.clone() })
    }
}

/// Returns whether `growth` is the distance from map `first` to its nearest neighbour: no map is between.
fn is_least(maps: &[OperandMap], first: usize, growth: &Growth) -> Result<bool, ExprError> {
    let is_up = |growth: &Growth| {
        let mut all = growth.results.iter().chain(&growth.constraints);
        all.find(|more| **more != 0).is_some_and(|more| *more > 0)
    };
    if !is_up(growth) {
        return Ok(false);
    }
    let size = |growth: &Growth| -> Vec<i64> {
        growth.results.iter().chain(&growth.constraints).copied().collect()
    };
    for (place, map) in maps.iter().enumerate() {
        if place == first {
            continue;
        }
        if let Some(other) = Growth::between(&maps[first], map, None)?
            && is_up(&other)
            && size(&other) < size(growth)
        {
            return Ok(false);
        }
    }
    Ok(true)
}
