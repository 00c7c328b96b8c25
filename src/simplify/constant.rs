//! Results that have one value on their whole domain.

use crate::expr::{Domain, Expr, ExprKind};

/// Maximum number of points of a domain at which a result is evaluated.
const MAX_POINTS: u64 = 20_000;

/// Maximum number of operations of such a result.
const MAX_OPERATIONS: u64 = 1_000;

/// Returns the value of `expr`, if the box of its domain is small and it is the same at every point that satisfies the
/// constraints. Most expressions differ at the second point.
pub fn only_value(expr: &Expr, domain: &Domain) -> Option<i64> {
    let is_plain = match expr.kind() {
        ExprKind::Constant(_) | ExprKind::Variable(_) => true,
        ExprKind::Sum(sum) => sum
            .terms()
            .iter()
            .all(|(_, x)| matches!(x.kind(), ExprKind::Variable(_))),
        _ => false,
    };
    if is_plain || expr.cost().ops > MAX_OPERATIONS {
        return None;
    }
    let bounds: Vec<_> = domain.intervals().collect();
    let count = bounds.iter().try_fold(1u64, |count, bounds| {
        let count = count.checked_mul(bounds.count()?)?;
        (count <= MAX_POINTS).then_some(count)
    })?;
    let mut value = None;
    let first: Vec<i64> = bounds.iter().map(|bounds| bounds.lo()).collect();
    let last: Vec<i64> = bounds.iter().map(|bounds| bounds.hi()).collect();
    let middle = bounds
        .iter()
        .map(|bounds| bounds.lo() + (bounds.hi() - bounds.lo()) / 2);
    for point in [&first, &last, &middle.collect()] {
        if !is_same(expr, domain, point, &mut value)? {
            return None;
        }
    }
    let mut point = first;
    for _ in 0..count {
        if !is_same(expr, domain, &point, &mut value)? {
            return None;
        }
        for (at, bounds) in point.iter_mut().zip(&bounds) {
            if *at < bounds.hi() {
                *at += 1;
                break;
            }
            *at = bounds.lo();
        }
    }
    value
}

/// Whether `expr` has no other value at a point; `None` on overflow.
fn is_same(expr: &Expr, domain: &Domain, point: &[i64], value: &mut Option<i64>) -> Option<bool> {
    for constraint in domain.constraints() {
        if !constraint
            .bounds
            .contains(constraint.expr.eval(point).ok()?)
        {
            return Some(true);
        }
    }
    let here = expr.eval(point).ok()?;
    Some(*value.get_or_insert(here) == here)
}
