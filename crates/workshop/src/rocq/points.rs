//! Points of a domain, at which values that are equal must agree. A guess only: a wrong guess is not proved.

use affinor::certificate::witness::Numbers;
use affinor::expr::Domain;
use affinor::num::{Interval, MINUS_INFINITY, PLUS_INFINITY};

/// How many points are wanted, and how many are tried for them.
const WANTED: usize = 12;
const TRIES: usize = 600;

/// The part of an interval from which points are taken, at its lower end if it has one.
const WINDOW: i64 = 1 << 20;

/// Some points of a domain, in an order that depends on it alone.
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

/// A value of an interval; any, if it is empty.
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
