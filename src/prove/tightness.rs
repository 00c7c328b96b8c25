//! Tightness of the bounds of a result.

use super::extremes::{Wide, wide_extremes};
use super::obligations::Obligations;
use super::sides::{Sides, value_at};
use super::{Budget, Verdict, enumerate, is_empty, sample};
use crate::expr::IndexingMap;
use crate::num::{Interval, MINUS_INFINITY, PLUS_INFINITY};
use std::ops::ControlFlow;

/// Whether the bounds of an interval are attained; `None` if unknown.
///
/// An infinite bound counts as attained if the values are unbounded on that side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tightness {
    /// Whether the lower bound is attained.
    pub lo: Option<bool>,
    /// Whether the upper bound is attained.
    pub hi: Option<bool>,
}

impl Tightness {
    /// Returns whether both bounds are tight; `None` if unknown.
    #[must_use]
    pub fn is_smallest(self) -> Option<bool> {
        match (self.lo, self.hi) {
            (Some(true), Some(true)) => Some(true),
            (Some(false), _) | (_, Some(false)) => Some(false),
            _ => None,
        }
    }
}

/// Decides, for each result, whether the bounds of its interval are attained in the domain.
///
/// `intervals` has one interval per result that contains all its values, such as those of [`IndexingMap::ranges`], or
/// narrower. The empty interval is tight iff the domain is empty.
#[must_use]
pub fn tightness(map: &IndexingMap, intervals: &[Interval], budget: &Budget) -> Vec<Tightness> {
    let seen = Seen::new(map, budget);
    let results = 0..map.results().len();
    results
        .zip(intervals)
        .map(|(index, interval)| {
            if interval.is_empty() {
                let empty = match is_empty(map.domain(), budget) {
                    Verdict::Proved => Some(true),
                    Verdict::Refuted(_) => Some(false),
                    Verdict::Unknown(_) => None,
                };
                return Tightness { lo: empty, hi: empty };
            }
            let decide = |end: i64, lowest: bool| {
                let reached = seen.reached(index, end, lowest);
                reached.or_else(|| End { map, index, end, lowest }.decide(budget))
            };
            Tightness { lo: decide(interval.lo(), true), hi: decide(interval.hi(), false) }
        })
        .collect()
}

/// The least and greatest values at some points, or at all points.
struct Seen {
    all: bool,
    extremes: Option<Vec<(i128, i128)>>,
}

impl Seen {
    fn new(map: &IndexingMap, budget: &Budget) -> Seen {
        let sides = Sides::new(&[map]);
        let bounds = sides.hull();
        let mut runner = sides.runner();
        let mut extremes: Option<Vec<(i128, i128)>> = None;
        let mut meet = |point: &[i64], first_changed: usize| {
            sides.at(&mut runner, point, first_changed, |maps| {
                if maps.inside(0) {
                    widen(&mut extremes, maps.results(0));
                }
            })
        };
        let mut all = enumerate::points(&bounds).is_some_and(|points| points <= budget.points);
        if all {
            let stopped =
                enumerate::each_point(&bounds, budget, |point, first_changed| {
                    match meet(point, first_changed) {
                        Ok(()) => ControlFlow::Continue(()),
                        Err(overflow) => ControlFlow::Break(overflow),
                    }
                });
            all = stopped == Ok(None);
        } else {
            for point in sample::points(&bounds, budget.samples) {
                let _ = meet(&point, 0); // a point without exact values is skipped
            }
        }
        Seen { all, extremes }
    }

    /// Returns whether `end` is the extreme value; `None` if more points could decide.
    fn reached(&self, index: usize, end: i64, lowest: bool) -> Option<bool> {
        let Some(extremes) = &self.extremes else {
            return self.all.then_some(false);
        };
        let (lo, hi) = *extremes.get(index)?;
        let reached = match (lowest, end) {
            (true, MINUS_INFINITY) => lo <= i128::from(MINUS_INFINITY),
            (false, PLUS_INFINITY) => hi >= i128::from(PLUS_INFINITY),
            (true, end) => lo == i128::from(end),
            (false, end) => hi == i128::from(end),
        };
        // From finitely many values, nothing follows about an infinite bound.
        let finite = end != MINUS_INFINITY && end != PLUS_INFINITY;
        if self.all || (reached && finite) { Some(reached) } else { None }
    }
}

/// Extends the extremes by the values at one more point.
fn widen(extremes: &mut Option<Vec<(i128, i128)>>, values: impl Iterator<Item = i128>) {
    match extremes {
        None => *extremes = Some(values.map(|value| (value, value)).collect()),
        Some(extremes) => {
            for ((lo, hi), value) in extremes.iter_mut().zip(values) {
                *lo = value.min(*lo);
                *hi = value.max(*hi);
            }
        }
    }
}

/// One bound of the interval of one result.
struct End<'a> {
    map: &'a IndexingMap,
    index: usize,
    end: i64,
    lowest: bool,
}

impl End<'_> {
    fn decide(&self, budget: &Budget) -> Option<bool> {
        let result = self.map.results().get(self.index)?;
        let others = match (self.lowest, self.end) {
            (true, MINUS_INFINITY) | (false, PLUS_INFINITY) => return self.is_endless(budget),
            (true, end) => Interval::new(end.checked_add(1)?, PLUS_INFINITY),
            (false, end) => Interval::new(MINUS_INFINITY, end.checked_sub(1)?),
        };
        let domain = self.map.domain();
        let require = |work: &mut Obligations| work.require([(result, others)]);
        let mut work = Obligations::within(domain, budget, require)?;
        let mut accept = |point: &[i64]| {
            let values = value_at(self.map, point).ok()??;
            (values.get(self.index) == Some(&self.end)).then_some(())
        };
        if budget.forms {
            work.by_intervals();
            if work.by_points(budget, &mut accept).ok()?.is_some() {
                return Some(true);
            }
        }
        let attained = work.by_solver(budget, &mut accept).ok()?;
        Some(attained.is_some())
    }

    fn is_endless(&self, budget: &Budget) -> Option<bool> {
        let result = self.map.results().get(self.index)?.clone();
        let only = IndexingMap::new(self.map.domain().clone(), vec![result]);
        let [lowest, greatest] = wide_extremes(&only, budget).into_iter().next()?;
        Some(match if self.lowest { lowest } else { greatest }? {
            Wide::Endless => true,
            Wide::Empty => false,
            Wide::At(value, _) if self.lowest => value <= i128::from(MINUS_INFINITY),
            Wide::At(value, _) => value >= i128::from(PLUS_INFINITY),
        })
    }
}
