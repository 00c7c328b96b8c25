//! Results that are constant on their whole domain.

use crate::expr::{Domain, Expr, ExprKind};

/// Maximum number of points of a domain at which a result is evaluated.
const MAX_POINTS: u64 = 20_000;

/// Maximum number of operations of such a result and the constraints.
const MAX_OPERATIONS: u64 = 1_000;

/// Returns the value of `expr`, if the box of its domain is small and the value is the same at every point that satisfies the
/// constraints. Most expressions differ at the second point.
pub fn only_value(expr: &Expr, domain: &Domain) -> Option<i64> {
    let is_plain = match expr.kind() {
        ExprKind::Constant(_) | ExprKind::Variable(_) => true,
        ExprKind::Sum(sum) => {
            sum.terms().iter().all(|(_, x)| matches!(x.kind(), ExprKind::Variable(_)))
        }
        _ => false,
    };
    let constraints = domain.constraints().iter();
    let operations = constraints.fold(expr.cost().ops, |total, constraint| {
        total.saturating_add(1 + constraint.expr.cost().ops)
    });
    if is_plain || operations > MAX_OPERATIONS {
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
    let middle = bounds.iter().map(|bounds| bounds.lo() + (bounds.hi() - bounds.lo()) / 2);
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

/// Returns whether `expr` has the same value as before at a point; `None` on overflow.
fn is_same(expr: &Expr, domain: &Domain, point: &[i64], value: &mut Option<i64>) -> Option<bool> {
    for constraint in domain.constraints() {
        if !constraint.bounds.contains(constraint.expr.eval(point).ok()?) {
            return Some(true);
        }
    }
    let here = expr.eval(point).ok()?;
    Some(*value.get_or_insert(here) == here)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::parse_map;

    #[test]
    fn results_with_one_value() {
        for (text, expected) in [
            ("(d0) -> (d0 mod 2 floordiv 2), domain: d0 in [0, 40]", Some(0)),
            ("(d0) -> (d0 floordiv 41), domain: d0 in [0, 40]", Some(0)),
            // The value differs at the last point only.
            ("(d0) -> (d0 floordiv 40), domain: d0 in [0, 40]", None),
            ("(d0, d1) -> (min(d0, d1) floordiv 9), domain: d0 in [0, 9], d1 in [0, 9]", None),
            // A constraint excludes that point, or another one.
            (
                "(d0, d1) -> (min(d0, d1) floordiv 9), domain: d0 in [0, 9], d1 in [0, 9], d0 + d1 in [0, 17]",
                Some(0),
            ),
            (
                "(d0, d1) -> (min(d0, d1) floordiv 9), domain: d0 in [0, 9], d1 in [0, 9], d0 + d1 in [1, 18]",
                None,
            ),
            // Boxes of 20,000 points and of one more; no point at all.
            ("(d0) -> (d0 floordiv 20000), domain: d0 in [0, 19999]", Some(0)),
            ("(d0) -> (d0 floordiv 20001), domain: d0 in [0, 20000]", None),
            ("(d0) -> (d0 mod 2 floordiv 2), domain: d0 in [-inf, inf]", None),
            (
                "(d0, d1) -> (d0 floordiv 2), domain: d0 in [0, 9], d1 in [0, 9], d0 + d1 in [90, 99]",
                None,
            ),
        ] {
            let map = parse_map(text).unwrap_or_else(|error| panic!("{error:?} in {text}"));
            assert_eq!(only_value(&map.results()[0], map.domain()), expected, "{text}");
        }
    }
}
