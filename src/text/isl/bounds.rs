//! Bounds of variables that follow from a condition: those of `or` are of all its cases.

use super::formula::{Comparison, Formula};
use crate::expr::{End, Expr, ExprKind, interval_of};
use crate::num::{Interval, MINUS_INFINITY, PLUS_INFINITY};

/// Maximum number of times that the parts of a condition tighten the bounds of each other's variables.
const MAX_ROUNDS: usize = 3;

/// Tightens the bounds of variables by a condition; `false` if no values are left.
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
                        Some(all) => all.iter().zip(&own).map(both).collect(),
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

/// The least interval with both.
fn both((x, y): (&Interval, &Interval)) -> Interval {
    Interval::new(x.lo().min(y.lo()), x.hi().max(y.hi()))
}

fn compared(comparison: &Comparison, bounds: &mut [Interval]) -> bool {
    let of = |bounds: &[Interval], expr: &Expr| interval_of(expr, &|id| bounds[id.index()]);
    let range = of(bounds, &comparison.difference);
    let (at_least, at_most) = match (comparison.is_equation, comparison.end) {
        (true, _) => (true, true),
        (false, end) => (end == End::Lower, end == End::Upper),
    };
    if at_least && range.hi() < 0 || at_most && range.lo() > 0 {
        return false;
    }
    let variable = [(1, comparison.difference.clone())];
    let (constant, terms) = match comparison.difference.kind() {
        ExprKind::Sum(sum) => (sum.constant(), sum.terms()),
        _ => (0, &variable[..]),
    };
    for (index, (factor, term)) in terms.iter().enumerate() {
        let Some(id) = term.as_variable() else { continue };
        let others = terms.iter().enumerate().filter(|(other, _)| *other != index);
        let rest = Interval::linear(constant, others.map(|(_, (c, x))| (*c, of(bounds, x))));
        let own = if at_least { end(*factor, rest.hi(), true) } else { Interval::ALL };
        let own =
            own.intersect(if at_most { end(*factor, rest.lo(), false) } else { Interval::ALL });
        bounds[id.index()] = bounds[id.index()].intersect(own);
        if bounds[id.index()].is_empty() {
            return false;
        }
    }
    true
}

/// The x with `factor*x + rest >= 0`, or `<= 0`.
fn end(factor: i64, rest: i64, at_least: bool) -> Interval {
    if factor == 0 || rest == PLUS_INFINITY || rest == MINUS_INFINITY {
        return Interval::ALL;
    }
    let (factor, rest) = (i128::from(factor), i128::from(rest));
    let (is_lower, by) = ((factor > 0) == at_least, factor.abs());
    let limit = if factor > 0 { -rest } else { rest }; // `x >= limit/by`, or `<=`
    let rounded = if is_lower { -(-limit).div_euclid(by) } else { limit.div_euclid(by) };
    match i64::try_from(rounded) {
        Ok(least) if is_lower => Interval::new(least.min(PLUS_INFINITY - 1), PLUS_INFINITY),
        Ok(most) => Interval::new(MINUS_INFINITY, most.max(MINUS_INFINITY + 1)),
        Err(_) => Interval::ALL,
    }
}
