//! Interval evaluation of expressions.
//!
//! Law: the interval contains every value of the expression over the box of its variables. Correlation between operands
//! is ignored.

use super::{Divisor, Expr, ExprKind, VariableId};
use crate::num::Interval;

/// Returns an interval that contains all values of `expr`, from the bounds of its variables.
#[must_use]
pub fn interval_of(expr: &Expr, bounds: &dyn Fn(VariableId) -> Interval) -> Interval {
    interval_by_operands(expr, bounds, |x| interval_of(x, bounds))
}

/// Returns an interval that contains all values of `expr`, from the bounds of variables and the intervals `of` operands.
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
