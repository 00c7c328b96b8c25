//! Values by cases: an expression for each case, and the limits under which it holds.
//!
//! Law: the limits of the cases of a value exclude each other, and together cover all points. The same holds for the limits of a
//! condition and its negation.

use affinor_maps::expr::{Expr, ExprError, ExprKind, VariableId, interval_of};
use affinor_maps::num::{Interval, MINUS_INFINITY, PLUS_INFINITY};

/// The maximal number of cases of a value.
pub const MAX_CASES: usize = 64;

/// `expr in bounds`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Limit {
    /// A sum without a constant, whose first coefficient is positive.
    pub expr: Expr,
    pub bounds: Interval,
}

/// A conjunction of limits.
pub type Limits = Vec<Limit>;

/// A value under limits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Case {
    pub limits: Limits,
    pub value: Expr,
}

/// The points at which one of these conjunctions holds; they exclude each other.
pub type Region = Vec<Limits>;

/// Returns `expr in bounds` as a limit.
///
/// # Errors
/// [`ExprError::Overflow`] if a number does not fit.
pub fn limit(expr: &Expr, bounds: Interval) -> Result<Limit, ExprError> {
    let (constant, bare) = match expr.kind() {
        ExprKind::Sum(sum) => (sum.constant(), Expr::sum(0, sum.terms().iter().cloned())?),
        _ => (0, expr.clone()),
    };
    let shifted = |end: i64, infinity: i64| match end == infinity {
        true => Ok(end),
        false => end.checked_sub(constant).ok_or(ExprError::Overflow),
    };
    if bounds.is_empty() {
        return Ok(Limit { expr: bare, bounds });
    }
    let (lo, hi) = (shifted(bounds.lo(), MINUS_INFINITY)?, shifted(bounds.hi(), PLUS_INFINITY)?);
    let is_negative = match bare.kind() {
        ExprKind::Sum(sum) => sum.terms().first().is_some_and(|(c, _)| *c < 0),
        _ => false,
    };
    if !is_negative {
        let bounds = Interval::new(lo, hi);
        return Ok(Limit { expr: bare, bounds });
    }
    Ok(Limit { expr: bare.scale(-1)?, bounds: Interval::new(lo, hi).scale(-1) })
}

/// Returns an expression that is 1 where all limits hold, and 0 elsewhere.
///
/// # Errors
/// [`ExprError`] if a number does not fit.
pub fn truth_of<'l>(limits: impl Iterator<Item = &'l Limit>) -> Result<Expr, ExprError> {
    let mut ends = vec![Expr::constant(1)];
    for limit in limits {
        let shifted = |end: i64| end.checked_add(1).ok_or(ExprError::Overflow);
        if limit.bounds.lo() != MINUS_INFINITY {
            let above = shifted(limit.bounds.lo().checked_neg().ok_or(ExprError::Overflow)?)?;
            ends.push(Expr::sum(above, [(1, limit.expr.clone())])?);
        }
        if limit.bounds.hi() != PLUS_INFINITY {
            let below = shifted(limit.bounds.hi())?;
            ends.push(Expr::sum(below, [(-1, limit.expr.clone())])?);
        }
    }
    match ends.len() {
        1 => Ok(Expr::constant(1)),
        _ => Expr::max([Expr::min(ends)?, Expr::constant(0)]),
    }
}

/// Returns the region of all points.
pub fn everywhere() -> Region {
    vec![Limits::new()]
}

/// Returns the conjunction of both; `None` if they exclude each other.
pub fn both(
    left: &Limits,
    right: &Limits,
    bounds: &dyn Fn(VariableId) -> Interval,
) -> Option<Limits> {
    let mut limits = left.clone();
    for limit in right {
        let range = interval_of(&limit.expr, bounds);
        if limit.bounds.contains_all(range) {
            continue; // redundant
        }
        match limits.iter_mut().find(|other| other.expr == limit.expr) {
            Some(other) => other.bounds = other.bounds.intersect(limit.bounds),
            None => limits.push(limit.clone()),
        }
    }
    let is_possible = |limit: &Limit| {
        let range = interval_of(&limit.expr, bounds);
        !range.intersect(limit.bounds).is_empty()
    };
    limits.iter().all(is_possible).then_some(limits)
}

/// Returns the intersection of both regions; `None` if it has too many cases.
pub fn intersected(
    left: &Region,
    right: &Region,
    bounds: &dyn Fn(VariableId) -> Interval,
) -> Option<Region> {
    let pairs = left.iter().flat_map(|l| right.iter().map(move |r| (l, r)));
    let region: Region = pairs.filter_map(|(l, r)| both(l, r, bounds)).collect();
    (region.len() <= MAX_CASES).then_some(region)
}

/// Returns the complement of the region; `None` if it has too many cases.
pub fn negated(region: &Region, bounds: &dyn Fn(VariableId) -> Interval) -> Option<Region> {
    let mut rest = everywhere();
    for limits in region {
        let mut outside = Region::new();
        let mut before = Limits::new();
        for limit in limits {
            for end in outside_of(limit.bounds) {
                let mut beyond = before.clone();
                beyond.push(Limit { expr: limit.expr.clone(), bounds: end });
                outside.push(beyond);
            }
            before.push(limit.clone());
        }
        rest = intersected(&rest, &outside, bounds)?;
    }
    Some(rest)
}

/// Returns the integers below and above an interval.
fn outside_of(bounds: Interval) -> Vec<Interval> {
    if bounds.is_empty() {
        return vec![Interval::ALL];
    }
    let mut ends = Vec::new();
    if bounds.lo() != MINUS_INFINITY {
        ends.push(Interval::new(MINUS_INFINITY, bounds.lo() - 1));
    }
    if bounds.hi() != PLUS_INFINITY {
        ends.push(Interval::new(bounds.hi() + 1, PLUS_INFINITY));
    }
    ends
}

/// Returns the bounds of a variable at the points where the limits hold.
pub fn bounds_within(limits: &Limits, id: VariableId, plain: Interval) -> Interval {
    limits.iter().fold(plain, |bounds, limit| match limit.expr.as_variable() {
        Some(limited) if limited == id => bounds.intersect(limit.bounds),
        _ => bounds,
    })
}
