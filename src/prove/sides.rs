//! Evaluates one or two maps over the same variables together.

use super::tape::{Overflow, Runner, Tape};
use super::{Counterexample, enumerate, sample};
use crate::expr::{EvalError, IndexingMap};
use crate::num::{Interval, MINUS_INFINITY, PLUS_INFINITY};

/// Maps with one tape for all their constraints and results.
pub(super) struct Sides<'a> {
    maps: Vec<&'a IndexingMap>,
    tape: Tape,
    /// For each map, the index of the root of its first constraint; its results follow.
    starts: Vec<usize>,
}

impl<'a> Sides<'a> {
    pub(super) fn new(maps: &[&'a IndexingMap]) -> Sides<'a> {
        let mut expressions = Vec::new();
        let mut starts = Vec::new();
        for map in maps {
            starts.push(expressions.len());
            expressions.extend(map.domain().constraints().iter().map(|c| &c.expr));
            expressions.extend(map.results());
        }
        Sides { maps: maps.to_vec(), tape: Tape::new(expressions), starts }
    }

    /// Number of distinct operations in all maps together.
    pub(super) fn size(&self) -> u64 {
        self.tape.operations().len() as u64
    }

    pub(super) fn runner(&self) -> Runner<'_> {
        Runner::new(&self.tape)
    }

    /// Returns, for each variable, the smallest interval that contains its bounds in all maps.
    pub(super) fn hull(&self) -> Vec<Interval> {
        let mut hull = vec![
            Interval::EMPTY;
            self.maps.first().map_or(0, |map| map.domain().variables().len())
        ];
        for map in &self.maps {
            for (total, variable) in hull.iter_mut().zip(map.domain().variables()) {
                *total = enumerate::hull(*total, variable.bounds);
            }
        }
        hull
    }

    /// Moves `runner` to `point` and passes the maps there to `look`.
    ///
    /// # Errors
    /// [`Overflow`] if a value does not fit in 128 bits, or a divisor is not positive.
    pub(super) fn at<R>(
        &self,
        runner: &mut Runner,
        point: &[i64],
        first_changed: usize,
        look: impl FnOnce(&Views) -> R,
    ) -> Result<R, Overflow> {
        let view = |value: &dyn Fn(usize) -> i128| look(&Views { sides: self, point, value });
        match runner.move_to(point, first_changed) {
            Ok(()) => Ok(view(&|root| i128::from(runner.root(root)))),
            Err(Overflow) => {
                let exact = self.tape.exact(point)?;
                Ok(view(&|root| exact[root]))
            }
        }
    }
}

/// The maps at one point, with exact values.
pub(super) struct Views<'a> {
    sides: &'a Sides<'a>,
    point: &'a [i64],
    value: &'a dyn Fn(usize) -> i128,
}

impl Views<'_> {
    /// Returns whether the point is in the domain of map `side`.
    pub(super) fn inside(&self, side: usize) -> bool {
        let domain = self.sides.maps[side].domain();
        let mut variables = domain.variables().iter().zip(self.point);
        let mut constraints = (self.sides.starts[side]..).zip(domain.constraints());
        !domain.is_known_empty()
            && variables.all(|(variable, x)| variable.bounds.contains(*x))
            && constraints.all(|(root, constraint)| holds(constraint.bounds, (self.value)(root)))
    }

    /// Returns the results of map `side`.
    pub(super) fn results(&self, side: usize) -> impl Iterator<Item = i128> {
        let map = self.sides.maps[side];
        let start = self.sides.starts[side] + map.domain().constraints().len();
        (start..start + map.results().len()).map(|root| (self.value)(root))
    }
}

/// Returns whether `value`, which may exceed 64 bits, is in `interval`.
fn holds(interval: Interval, value: i128) -> bool {
    (interval.lo() == MINUS_INFINITY || i128::from(interval.lo()) <= value)
        && (interval.hi() == PLUS_INFINITY || value <= i128::from(interval.hi()))
}

/// Searches for a point at which two maps differ.
pub(super) struct Search<'a> {
    sides: &'a Sides<'a>,
    runner: Runner<'a>,
    /// Whether a comparison overflowed, or a difference was too large to report.
    pub(super) beyond: bool,
}

impl<'a> Search<'a> {
    /// Creates a search; `sides` has two maps.
    pub(super) fn new(sides: &'a Sides<'a>) -> Search<'a> {
        Search { sides, runner: sides.runner(), beyond: false }
    }

    /// Checks `point` for a counterexample; the coordinates before `first_changed` are those of the last call.
    pub(super) fn look_at(
        &mut self,
        point: &[i64],
        first_changed: usize,
    ) -> Option<Counterexample> {
        let same = self.sides.at(&mut self.runner, point, first_changed, |maps| {
            let (left, right) = (maps.inside(0), maps.inside(1));
            left == right && (!left || maps.results(0).eq(maps.results(1)))
        });
        if same == Ok(true) {
            return None;
        }
        // Evaluated without the tape: outside a domain a divisor need not be positive.
        let outside = |map: &IndexingMap| value_at(map, point) == Ok(None);
        if same.is_err() && self.sides.maps.iter().all(|map| outside(map)) {
            return None;
        }
        let found = checked(self.sides.maps[0], self.sides.maps[1], point);
        self.beyond |= found.is_none();
        found
    }
}

/// Returns the two maps at `point` if they differ there according to [`Expr::eval`](crate::expr::Expr::eval).
pub(super) fn checked(
    left: &IndexingMap,
    right: &IndexingMap,
    point: &[i64],
) -> Option<Counterexample> {
    let (left, right) = (value_at(left, point).ok()?, value_at(right, point).ok()?);
    (left != right).then(|| Counterexample { point: point.to_vec(), left, right })
}

/// Evaluates `map` at `point`; `None` outside its domain.
pub(super) fn value_at(map: &IndexingMap, point: &[i64]) -> Result<Option<Vec<i64>>, EvalError> {
    if map.domain().contains(point)? { map.eval(point).map(Some) } else { Ok(None) }
}

/// Shrinks a counterexample, coordinate by coordinate.
pub(super) fn shrunk(
    left: &IndexingMap,
    right: &IndexingMap,
    found: Counterexample,
) -> Counterexample {
    let mut best = found;
    let bounds = Sides::new(&[left, right]).hull();
    let mut moved = true;
    while moved {
        moved = false;
        for (index, interval) in bounds.iter().enumerate() {
            for candidate in nearer_to_zero(best.point[index], *interval) {
                let mut point = best.point.clone();
                point[index] = candidate;
                if let Some(nearer) = checked(left, right, &point) {
                    best = nearer;
                    moved = true;
                    break;
                }
            }
        }
    }
    best
}

/// Returns values nearer than `value` to the member of `interval` nearest to 0, by distance: all that are very near, then some in
/// between.
fn nearer_to_zero(value: i64, interval: Interval) -> Vec<i64> {
    const VERY_NEAR: i64 = 12;
    let target = sample::nearest_to_zero(interval);
    let around = sample::near(interval, VERY_NEAR);
    let distance = |x: &i64| (i128::from(*x) - i128::from(target)).unsigned_abs();
    let mut values: Vec<i64> = (around.lo()..=around.hi()).collect();
    let mut step = (i128::from(value) - i128::from(target)) / 2;
    while step != 0 {
        values.extend(i64::try_from(i128::from(value) - step));
        step /= 2;
    }
    values.retain(|x| distance(x) < distance(&value));
    values.sort_by_key(|x| (distance(x), *x < target));
    values
}
