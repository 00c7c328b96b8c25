//! The cases in which an expression of minima and maxima is within bounds.
//!
//! Law: at a point where the subexpressions are within their ranges, the expression is within the bounds if and only if all
//! conditions of one of the cases hold. Cases may overlap.

use affinor::expr::{Expr, ExprKind};
use affinor::num::{Interval, MINUS_INFINITY, PLUS_INFINITY};

/// Conditions that hold together.
pub(super) type Case = Vec<(Expr, Interval)>;

/// Maximum number of cases.
const CASES: usize = 64;

/// Returns the cases in which `expr` is in `bounds`; `None` if there are too many.
pub(super) fn cases(
    expr: &Expr,
    bounds: Interval,
    range: &dyn Fn(&Expr) -> Interval,
) -> Option<Vec<Case>> {
    let own = range(expr);
    if bounds.contains_all(own) {
        return Some(vec![Case::new()]);
    }
    if bounds.intersect(own).is_empty() {
        return Some(Vec::new());
    }
    let is_bounded = (own.lo() < bounds.lo(), own.hi() > bounds.hi());
    let above = Interval::new(bounds.lo(), PLUS_INFINITY);
    let below = Interval::new(MINUS_INFINITY, bounds.hi());
    match expr.kind() {
        ExprKind::Sum(sum) if sum.terms().len() == 1 => {
            let (factor, x) = sum.terms().first()?;
            let shifted = bounds.add(Interval::point(sum.constant().checked_neg()?));
            let multiple = if *factor < 0 { shifted.scale(-1) } else { shifted };
            let size = factor.checked_abs()?;
            let inside = Interval::new(multiple.ceildiv(size).lo(), multiple.floordiv(size).hi());
            cases(x, inside, range)
        }
        ExprKind::Min(list) => match is_bounded {
            (true, false) => all(list, above, range),
            (false, true) => any(list, below, range),
            _ => both(all(list, above, range)?, &any(list, below, range)?),
        },
        ExprKind::Max(list) => match is_bounded {
            (true, false) => any(list, above, range),
            (false, true) => all(list, below, range),
            _ => both(any(list, above, range)?, &all(list, below, range)?),
        },
        ExprKind::Sum(sum) => {
            let condition = without_constant(sum.constant(), sum.terms(), bounds);
            Some(vec![vec![condition.unwrap_or_else(|| (expr.clone(), bounds))]])
        }
        _ => Some(vec![vec![(expr.clone(), bounds)]]),
    }
}

/// Returns the same condition on the sum without its constant and with a positive first coefficient, so that two conditions on
/// a difference are about one expression.
fn without_constant(
    constant: i64,
    terms: &[(i64, Expr)],
    bounds: Interval,
) -> Option<(Expr, Interval)> {
    let sign = terms.first()?.0.signum();
    let terms = terms.iter().map(|(factor, x)| Some((factor.checked_mul(sign)?, x.clone())));
    let expr = Expr::sum(0, terms.collect::<Option<Vec<_>>>()?).ok()?;
    Some((expr, bounds.add(Interval::point(constant.checked_neg()?)).scale(sign)))
}

/// Returns the cases in which every one of `list` is in `bounds`.
fn all(list: &[Expr], bounds: Interval, range: &dyn Fn(&Expr) -> Interval) -> Option<Vec<Case>> {
    let mut known = vec![Case::new()];
    for expr in list {
        known = both(known, &cases(expr, bounds, range)?)?;
    }
    Some(known)
}

/// Returns the cases in which one of `list` is in `bounds`.
fn any(list: &[Expr], bounds: Interval, range: &dyn Fn(&Expr) -> Interval) -> Option<Vec<Case>> {
    let mut known = Vec::new();
    for expr in list {
        known.extend(cases(expr, bounds, range)?);
        if known.len() > CASES {
            return None;
        }
    }
    if known.iter().any(Vec::is_empty) {
        return Some(vec![Case::new()]);
    }
    Some(known)
}

/// Returns the cases in which one case of each list holds.
fn both(lhs: Vec<Case>, rhs: &[Case]) -> Option<Vec<Case>> {
    if lhs.len().checked_mul(rhs.len())? > CASES {
        return None;
    }
    let pairs = lhs.iter().flat_map(|x| rhs.iter().map(|y| [&x[..], &y[..]].concat()));
    Some(pairs.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::indexing::testing::points;
    use affinor::expr::{VariableId, interval_of};
    use affinor::text::parse_map;

    /// Checks the cases at every point, and their number.
    #[track_caller]
    fn check(expr: &str, bounds: (i64, i64), count: Option<usize>) {
        let text = format!("(d0, d1) -> ({expr}), domain: d0 in [0, 5], d1 in [0, 6]");
        let map = parse_map(&text).expect("a map");
        let expr = &map.results()[0];
        let range = |expr: &Expr| interval_of(expr, &|id: VariableId| map.domain().bounds(id));
        let bounds = Interval::new(bounds.0, bounds.1);
        let found = cases(expr, bounds, &range);
        assert_eq!(found.as_ref().map(Vec::len), count, "{text}");
        for point in points(&[6, 7]) {
            let value = |expr: &Expr| expr.eval(&point).expect("small");
            let holds =
                |case: &Case| case.iter().all(|(expr, within)| within.contains(value(expr)));
            let Some(found) = &found else { return };
            assert_eq!(found.iter().any(holds), bounds.contains(value(expr)), "{text} {point:?}");
        }
    }

    #[test]
    fn cases_are_the_points_within_bounds() {
        check("min(d0 - d1 + 1, 1)", (1, 1), Some(1));
        check("1 - min(max(d0 - d1, 0), 1)", (1, 1), Some(1));
        // Equal is one case, different two.
        check("max(min(max(d0 - d1, d1 - d0), 1), 0)", (0, 0), Some(1));
        check("max(min(max(d0 - d1, d1 - d0), 1), 0)", (1, 1), Some(2));
        check("min(max(d0 * -3 + 4, d1 - 2), 2)", (-1, 1), Some(2));
        check("max(min(d0, 3), d1)", (2, 4), Some(2));
        check("min(d0, d1) + max(d0, d1)", (3, 8), Some(1));
        check("d0 * 2", (3, 3), Some(0));
        check("d0 * -2 + 1", (-7, -3), Some(1));
        check("d0", (6, 9), Some(0));
        check("d0", (0, 9), Some(1));
    }

    #[test]
    fn too_many_cases_are_not_listed() {
        let one = |k: usize| format!("max(d0 * {k} - 3, d1 * {k} - 4)");
        let list = |count: usize| (1..=count).map(one).collect::<Vec<_>>().join(", ");
        check(&format!("min({})", list(6)), (0, 40), Some(64));
        check(&format!("min({})", list(7)), (0, 40), None);
    }
}
