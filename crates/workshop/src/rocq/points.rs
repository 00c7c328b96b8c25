//! Points of a domain, at which equal values must agree. Only a heuristic: a wrong guess fails to be proved.

use affinor::certificate::witness::Numbers;
use affinor::expr::Domain;
use affinor::num::{Interval, MINUS_INFINITY, PLUS_INFINITY};

/// The number of points wanted, and the number of draws to find them.
const WANTED: usize = 12;
const TRIES: usize = 600;

/// The width of the part of an interval from which values are drawn, at its lower end if it has one.
const WINDOW: i64 = 1 << 20;

/// Returns some points of a domain, in an order that depends on the domain alone.
pub(super) fn points(domain: &Domain) -> Vec<Vec<i64>> {
    let mut numbers = Numbers::default();
    let variables = domain.variables();
    let tried = (0..TRIES).map(|_| -> Vec<i64> {
        let bounds = variables.iter().map(|variable| variable.bounds);
        bounds.map(|bounds| pick(bounds, &mut numbers)).collect()
    });
    let found = tried.filter(|point| domain.contains(point) == Ok(true));
    found.take(WANTED).collect()
}

/// Draws a value from an interval; returns any value if it is empty.
fn pick(bounds: Interval, numbers: &mut Numbers) -> i64 {
    let number = numbers.below(WINDOW);
    match (bounds.lo(), bounds.hi()) {
        (MINUS_INFINITY, PLUS_INFINITY) => number - WINDOW / 2,
        (MINUS_INFINITY, hi) => hi.saturating_sub(number),
        (lo, hi) => match hi.checked_sub(lo).and_then(|width| width.checked_add(1)) {
            Some(count) if (1..WINDOW).contains(&count) => lo + number % count,
            _ => lo.saturating_add(number),
        },
    }
}
