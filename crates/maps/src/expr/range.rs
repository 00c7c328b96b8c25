//! Interval evaluation of expressions.
//!
//! Law: the interval contains every value of the expression over the box of its variables. Correlation between operands
//! is ignored.

use super::{Divisor, Expr, ExprKind, VariableId};
use crate::num::{self, Interval, MINUS_INFINITY, PLUS_INFINITY};

/// Returns an interval that contains all values of `expr`, from the bounds of its variables.
#[must_use]
pub fn interval_of(expr: &Expr, bounds: &dyn Fn(VariableId) -> Interval) -> Interval {
    interval_by_operands(expr, bounds, |x| interval_of(x, bounds))
}

/// Returns an interval that contains all values of `expr`, from the bounds of its variables and the intervals `of` its operands.
pub fn interval_by_operands(
    expr: &Expr,
    bounds: &dyn Fn(VariableId) -> Interval,
    mut of: impl FnMut(&Expr) -> Interval,
) -> Interval {
    match expr.kind() {
        ExprKind::Constant(value) => Interval::point(*value),
        ExprKind::Variable(id) => bounds(*id),
        ExprKind::Sum(sum) => sum
            .terms()
            .iter()
            .fold(Interval::point(sum.constant()), |total, (c, x)| total.add(of(x).scale(*c))),
        ExprKind::Product(list) => {
            let ranges = list.iter().map(of);
            ranges.fold(Interval::point(1), Interval::multiply)
        }
        ExprKind::FloorDiv(x, Divisor::Integer(c)) => of(x).floordiv(*c),
        ExprKind::CeilDiv(x, Divisor::Integer(c)) => of(x).ceildiv(*c),
        ExprKind::Mod(x, Divisor::Integer(c)) => of(x).modulo(*c),
        ExprKind::FloorDiv(x, Divisor::Named(divisor)) => of(x).floordiv_by(of(divisor)),
        ExprKind::CeilDiv(x, Divisor::Named(divisor)) => of(x).ceildiv_by(of(divisor)),
        ExprKind::Mod(x, Divisor::Named(divisor)) => of(x).modulo_by(of(divisor)),
        ExprKind::Min(list) => {
            let ranges = list.iter().map(of);
            ranges.reduce(Interval::min).unwrap_or(Interval::EMPTY)
        }
        ExprKind::Max(list) => {
            let ranges = list.iter().map(of);
            ranges.reduce(Interval::max).unwrap_or(Interval::EMPTY)
        }
    }
}

/// Narrows the bounds of the variables that are terms of a sum, given an interval that contains the sum.
///
/// `c*x` is the sum minus its other terms, so it lies in the sum of their intervals (`range-sum`, `range-scale`,
/// `range-scale-negative`), whose ends are divided by the factor (`constraint-scale`).
pub fn narrow(expr: &Expr, of_sum: Interval, bounds: &mut [Interval]) {
    let ExprKind::Sum(sum) = expr.kind() else {
        return;
    };
    let mut ranges: Vec<Interval> = Vec::with_capacity(sum.terms().len());
    for (factor, term) in sum.terms() {
        let range = interval_of(term, &|id: VariableId| bounds[id.index()]);
        ranges.push(range.scale(*factor));
    }
    for (place, (factor, term)) in sum.terms().iter().enumerate() {
        let Some(id) = term.as_variable() else {
            continue;
        };
        let others = ranges.iter().enumerate().filter(|(other, _)| *other != place);
        let rest = others.fold(Interval::point(sum.constant()), |all, (_, range)| all.add(*range));
        let multiple = of_sum.add(rest.scale(-1));
        if let Some(own) = divided(multiple, *factor) {
            bounds[id.index()] = bounds[id.index()].intersect(own);
            ranges[place] = bounds[id.index()].scale(*factor);
        }
    }
}

/// Returns the integers whose multiple by a nonzero factor lies in an interval; `None` if a number does not fit.
fn divided(multiple: Interval, factor: i64) -> Option<Interval> {
    let (multiple, factor) = match factor > 0 {
        true => (multiple, factor),
        false => (multiple.scale(-1), factor.checked_neg()?),
    };
    let (lo, hi) = (multiple.lo(), multiple.hi());
    let lo = if lo == MINUS_INFINITY { lo } else { num::ceildiv(lo, factor) };
    let hi = if hi == PLUS_INFINITY { hi } else { num::floordiv(hi, factor) };
    Some(Interval::new(lo, hi))
}
