//! Enumerates the points of a domain, in order: the last variable moves fastest.

use affinor::expr::{Domain, EvalError};
use affinor::num::{Fuel, Interrupt, Interval, Stopped};
use affinor::prove::{Budget, count_points, list_points};

/// Maximum number of points of a box that are enumerated.
pub const MOST_POINTS: u64 = 1_000_000;

/// Maximum number of points that are listed if the box has more than [`MOST_POINTS`].
const MOST_LISTED: u64 = 100_000;

/// Number of points between two checks of the interrupt.
const LOOK_EVERY: u64 = 1_024;

/// The reason why not all points were enumerated.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Stop {
    /// The box has more points than [`MOST_POINTS`], or is not bounded.
    #[error("more than {MOST_POINTS} points to enumerate")]
    TooMany,
    /// The budget's fuel was spent.
    #[error("the budget of steps")]
    Steps,
    /// Ended by the budget's interrupt.
    #[error("interrupted")]
    Interrupted,
    /// A value does not fit.
    #[error(transparent)]
    Eval(#[from] EvalError),
}

impl From<Stopped> for Stop {
    fn from(stopped: Stopped) -> Stop {
        match stopped {
            Stopped::Steps => Stop::Steps,
            Stopped::Interrupted => Stop::Interrupted,
        }
    }
}

/// An iterator over the points of a domain.
///
/// Each step visits one point of the box of the variables; those that violate constraints are skipped.
pub struct Points<'a> {
    domain: &'a Domain,
    bounds: Vec<Interval>,
    /// The points, if the box is large but has few points in the domain.
    listed: Option<std::vec::IntoIter<Vec<i64>>>,
    interrupt: Option<Interrupt>,
    fuel: Option<Fuel>,
    next: Option<Vec<i64>>,
    tried: u64,
    most: u64,
}

impl<'a> Points<'a> {
    /// Enumerates `domain`: its box if that has at most `most` points, else the integer points that satisfy its constraints if
    /// there are at most `most` of them, else the first points of the box.
    ///
    /// # Errors
    /// [`Stop::TooMany`] if neither the bounds of a variable nor the constraints bound it.
    pub fn new(domain: &'a Domain, most: u64, budget: &Budget) -> Result<Points<'a>, Stop> {
        let bounds: Vec<Interval> = domain.intervals().collect();
        let is_empty = domain.is_known_empty() || bounds.iter().any(|bounds| bounds.is_empty());
        let is_small =
            box_points(bounds.iter().copied()).is_some_and(|points| points <= u128::from(most));
        let listed = match is_small || domain.constraints().is_empty() {
            true => None,
            false => list_points(domain, most.min(MOST_LISTED), budget).map(Vec::into_iter),
        };
        if listed.is_none() && bounds.iter().any(|bounds| !bounds.is_bounded()) {
            return Err(Stop::TooMany);
        }
        let first = bounds.iter().map(|bounds| bounds.lo()).collect();
        Ok(Points {
            domain,
            bounds,
            listed,
            interrupt: budget.interrupt.clone(),
            fuel: budget.fuel.clone(),
            next: (!is_empty).then_some(first),
            tried: 0,
            most,
        })
    }

    fn step(&mut self) -> Result<Option<Vec<i64>>, Stop> {
        if let Some(listed) = &mut self.listed {
            return Ok(listed.next());
        }
        while let Some(point) = self.next.take() {
            if self.tried >= self.most {
                return Err(Stop::TooMany);
            }
            let looks = self.tried.is_multiple_of(LOOK_EVERY);
            if looks && self.interrupt.as_ref().is_some_and(Interrupt::is_triggered) {
                return Err(Stop::Interrupted);
            }
            if let Some(fuel) = &self.fuel {
                fuel.spend(1)?;
            }
            self.tried += 1;
            let movable =
                (0..point.len()).rev().find(|place| point[*place] < self.bounds[*place].hi());
            self.next = movable.map(|place| {
                let mut next = point.clone();
                next[place] += 1;
                for (later, bounds) in next.iter_mut().zip(&self.bounds).skip(place + 1) {
                    *later = bounds.lo();
                }
                next
            });
            if self.domain.contains(&point)? {
                return Ok(Some(point));
            }
        }
        Ok(None)
    }
}

impl Iterator for Points<'_> {
    type Item = Result<Vec<i64>, Stop>;

    fn next(&mut self) -> Option<Result<Vec<i64>, Stop>> {
        let step = self.step();
        if step.is_err() {
            self.next = None;
            self.listed = None;
        }
        step.transpose()
    }
}

/// Returns the number of points of a box; `None` if infinite or beyond 128 bits.
pub fn box_points(bounds: impl Iterator<Item = Interval>) -> Option<u128> {
    let mut counts = bounds.map(|bounds| bounds.count().map(u128::from));
    counts.try_fold(1_u128, |total, count| total.checked_mul(count?))
}

/// Returns the number of points with which [`Points`] enumerates `domain`, if it is small: that of the box, or else of the
/// domain.
pub(super) fn few_points(domain: &Domain, budget: &Budget) -> Option<u64> {
    let of_box = box_points(domain.intervals()).and_then(|points| u64::try_from(points).ok());
    of_box.filter(|points| *points <= MOST_POINTS).or_else(|| {
        let has_constraints = !domain.constraints().is_empty();
        let own = has_constraints.then(|| count_points(domain, budget)).flatten()?;
        u64::try_from(own).ok().filter(|points| *points <= MOST_LISTED)
    })
}
