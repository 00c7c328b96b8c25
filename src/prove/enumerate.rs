//! Enumerates the points of a box, in order.

use super::{Budget, Reason};
use crate::num::Interval;
use std::ops::ControlFlow;

/// Number of points between two checks of the interrupt.
const LOOK_EVERY: u64 = 1_024;

/// Number of points of a box; `None` if it is infinite or exceeds `u64`.
pub(super) fn points(bounds: &[Interval]) -> Option<u64> {
    bounds.iter().try_fold(1u64, |total, interval| total.checked_mul(interval.count()?))
}

/// Returns the smallest interval that contains both.
pub(super) fn hull(x: Interval, y: Interval) -> Interval {
    match (x.is_empty(), y.is_empty()) {
        (true, _) => y,
        (_, true) => x,
        _ => Interval::new(x.lo().min(y.lo()), x.hi().max(y.hi())),
    }
}

/// Calls `visit` with every point of the box and the index of the first coordinate that changed; the last coordinate
/// moves fastest. Stops at `Break`.
///
/// # Errors
/// [`Reason::Interrupted`].
pub(super) fn each_point<B>(
    bounds: &[Interval],
    budget: &Budget,
    mut visit: impl FnMut(&[i64], usize) -> ControlFlow<B>,
) -> Result<Option<B>, Reason> {
    if bounds.iter().any(|interval| interval.is_empty()) {
        return Ok(None);
    }
    let mut point: Vec<i64> = bounds.iter().map(|interval| interval.lo()).collect();
    let mut first_changed = 0;
    for step in 0u64.. {
        if step % LOOK_EVERY == 0 && budget.is_interrupted() {
            return Err(Reason::Interrupted);
        }
        if let ControlFlow::Break(found) = visit(&point, first_changed) {
            return Ok(Some(found));
        }
        let movable = (0..point.len()).rev().find(|index| point[*index] < bounds[*index].hi());
        let Some(index) = movable else { break };
        point[index] += 1;
        for later in index + 1..point.len() {
            point[later] = bounds[later].lo();
        }
        first_changed = index;
    }
    Ok(None)
}
