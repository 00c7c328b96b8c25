//! Bounds of variables that follow from a condition: the bounds from an `or` enclose those of all its cases.

use super::formula::{Comparison, Formula};
use crate::expr::{End, Expr, bounded, interval_of, narrow};
use crate::num::Interval;

/// Maximum number of times that the parts of a condition tighten the bounds of each other's variables.
const MAX_ROUNDS: usize = 3;

/// Tightens the bounds of variables by a condition; returns `false` if no values are left.
pub(super) fn hull(part: &Formula, bounds: &mut Vec<Interval>) -> bool {
    match part {
        Formula::All(parts) => {
            for _ in 0..MAX_ROUNDS {
                let before = bounds.clone();
                if !parts.iter().all(|part| hull(part, bounds)) {
                    return false;
                }
                if *bounds == before {
                    break;
                }
            }
            true
        }
        Formula::Any(cases) => {
            let mut all: Option<Vec<Interval>> = None;
            for case in cases {
                let mut own = bounds.clone();
                if hull(case, &mut own) {
                    all = Some(match all {
                        None => own,
                        Some(all) => all.iter().zip(&own).map(|(x, y)| x.hull(*y)).collect(),
                    });
                }
            }
            let is_met = all.is_some();
            *bounds = all.unwrap_or_default();
            is_met
        }
        Formula::Is(comparison) => compared(comparison, bounds),
    }
}

fn compared(comparison: &Comparison, bounds: &mut [Interval]) -> bool {
    let ends: &[End] = match comparison.is_equation {
        true => &[End::Lower, End::Upper],
        false => &[comparison.end],
    };
    for end in ends {
        let Ok((expr, within)) = bounded(&comparison.difference, *end, &Expr::constant(0)) else {
            continue;
        };
        let range = interval_of(&expr, &|id| bounds[id.index()]);
        if range.intersect(within).is_empty() {
            return false;
        }
        match expr.as_variable() {
            Some(id) => bounds[id.index()] = bounds[id.index()].intersect(within),
            None => narrow(&expr, within, bounds),
        }
    }
    bounds.iter().all(|bounds| !bounds.is_empty())
}
