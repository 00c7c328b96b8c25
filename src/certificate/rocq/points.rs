//! Points of a domain, at which values that are equal must agree. A guess only: what is guessed wrong is not proved.

use crate::expr::Domain;
use crate::num::{Interval, MINUS_INFINITY, PLUS_INFINITY};

/// How many points are wanted, and how many are tried for them.
const WANTED: usize = 12;
const TRIES: u64 = 600;

/// The part of an unbounded interval from which points are taken.
const WINDOW: i64 = 1_000;

/// Some points of a domain, in an order that depends on it alone.
pub(super) fn points(domain: &Domain) -> Vec<Vec<i64>> {
    let bounds: Vec<Interval> = domain.variables().iter().map(|x| x.bounds).collect();
    let mut state = 1u64;
    let mut next = || {
        // Knuth's constants for a linear congruential generator.
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        state >> 33
    };
    let mut found = Vec::new();
    for _ in 0..TRIES {
        let point: Vec<i64> = bounds.iter().map(|within| pick(*within, next())).collect();
        if domain.contains(&point) == Ok(true) {
            found.push(point);
        }
        if found.len() == WANTED {
            break;
        }
    }
    found
}

fn pick(within: Interval, number: u64) -> i64 {
    let (lo, hi) = match (within.lo(), within.hi()) {
        (MINUS_INFINITY, PLUS_INFINITY) => (-WINDOW, WINDOW),
        (lo, PLUS_INFINITY) => (lo, lo.saturating_add(WINDOW)),
        (MINUS_INFINITY, hi) => (hi.saturating_sub(WINDOW), hi),
        (lo, hi) => (lo, hi),
    };
    let count = i128::from(hi) - i128::from(lo) + 1;
    match count {
        ..1 => lo, // the interval is empty
        count => {
            let offset = i128::from(number).rem_euclid(count);
            i64::try_from(i128::from(lo) + offset).unwrap_or(lo)
        }
    }
}
