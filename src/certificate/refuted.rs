//! Points of the domain at which a comparison is tested before a proof is attempted.
//!
//! This need not be trusted: if a sum is negative at a point, only the search for a proof is skipped. With parameters, most
//! questions that a search generates are false, and each would be searched to its full depth.

use super::point::Point;
use super::range::Facts;
use super::sum::Sum;
use super::values::Values;
use super::witness::Witnesses;
use crate::expr::VariableId;

/// The number of points to keep, and the number below which others are searched for.
const POINTS: [usize; 2] = [8, 3];

/// Maximum number of points tried in one replay.
const MAX_TRIED: u32 = 2_000;

/// Maximum number of constraints evaluated at a time.
const MAX_CHECKS: usize = 20_000;

impl Facts {
    /// Returns whether a sum is negative at a point at which no fact, and nothing in `case`, is negative.
    pub(super) fn is_refuted(&mut self, values: &Values<'_>, sum: &Sum, case: &[Sum]) -> bool {
        let mut witnesses = std::mem::take(&mut self.witnesses);
        if !witnesses.is_current {
            self.find(values, &mut witnesses);
        }
        let is_refuted = witnesses.points.iter_mut().any(|point| {
            let mut value = |sum: &Sum| {
                values.spend(1 + sum.terms().len())?;
                point.value(values, sum)
            };
            value(sum).is_some_and(|value| value < 0) && case.iter().all(|x| value(x) >= Some(0))
        });
        self.witnesses = witnesses;
        is_refuted
    }

    /// Keeps the points that are still in the domain, and searches for others if few are left: from a point near the ends of the
    /// intervals, by changes that do not reduce the number of constraints that hold.
    fn find(&self, values: &Values<'_>, witnesses: &mut Witnesses) {
        witnesses.is_current = true;
        witnesses.points.retain_mut(|point| self.is_inside(values, point));
        if witnesses.points.len() >= POINTS[1] {
            return;
        }
        let mut left = MAX_CHECKS / (1 + self.constraints.len());
        let mut best: Option<(Point, usize)> = None;
        while witnesses.points.len() < POINTS[0] && left > 0 && witnesses.tried < MAX_TRIED {
            left -= 1;
            witnesses.tried += 1;
            let mut point = match &best {
                Some((point, _)) if witnesses.number(32) > 0 => self.changed(witnesses, point),
                _ => {
                    best = None;
                    self.drawn(witnesses)
                }
            };
            let held = self.held(values, &mut point);
            if held == self.constraints.len() {
                best = None;
                let place = witnesses.points.len();
                witnesses.points.push(self.raised(values, point, place));
            } else if best.as_ref().is_none_or(|(_, before)| *before <= held) {
                best = Some((point, held));
            }
        }
    }

    fn drawn(&self, witnesses: &mut Witnesses) -> Point {
        let variables = (0u32..).map(VariableId).zip(&self.variables);
        Point {
            variables: variables.map(|(id, bounds)| (id, witnesses.near(*bounds))).collect(),
            ..Point::default()
        }
    }

    /// Returns a point with one variable changed, possibly to a multiple of another, which is common for sizes.
    fn changed(&self, witnesses: &mut Witnesses, point: &Point) -> Point {
        let mut point = point.clone();
        point.known.clear();
        let count = u32::try_from(self.variables.len()).unwrap_or(u32::MAX);
        let [id, other] =
            [0; 2].map(|_| VariableId(witnesses.number(i64::from(count).max(1)) as u32));
        if let Some(bounds) = self.variables.get(id.index()) {
            let number = witnesses.near(*bounds);
            let multiple = number.saturating_mul(point.variables.get(&other).copied().unwrap_or(1));
            let is_multiple = witnesses.number(2) == 0 && bounds.contains(multiple);
            let value = if is_multiple { multiple } else { number };
            point.variables.insert(id, value);
        }
        point
    }

    /// Counts the constraints that hold at a point.
    fn held(&self, values: &Values<'_>, point: &mut Point) -> usize {
        let mut holds = |constraint: &&Sum| {
            let spent = values.spend(1 + constraint.terms().len());
            spent.is_some() && point.value(values, constraint) >= Some(0)
        };
        self.constraints.iter().filter(|x| holds(x)).count()
    }

    fn is_inside(&self, values: &Values<'_>, point: &mut Point) -> bool {
        let mut bounds = (0u32..).map(VariableId).zip(&self.variables);
        bounds.all(|(id, bounds)| {
            let value = point.variables.get(&id);
            value.is_some_and(|value| bounds.contains(*value))
        }) && self.constraints.iter().all(|constraint| {
            let spent = values.spend(1 + constraint.terms().len());
            spent.is_some() && point.value(values, constraint) >= Some(0)
        })
    }

    /// Raises variables one after the other as far as the domain allows: parameters last, or first, or none.
    fn raised(&self, values: &Values<'_>, mut point: Point, place: usize) -> Point {
        let mut order: Vec<VariableId> =
            (0u32..).map(VariableId).take(self.variables.len()).collect();
        match place % 3 {
            0 => return point,
            1 => {}
            _ => order.reverse(),
        }
        for id in order {
            for step in [4096, 512, 64, 32, 16, 8, 4, 2, 1] {
                let mut next = point.clone();
                next.known.clear();
                let Some(value) = next.variables.get_mut(&id) else {
                    break;
                };
                *value = value.saturating_add(step);
                if self.is_inside(values, &mut next) {
                    point = next;
                }
            }
        }
        point
    }
}
