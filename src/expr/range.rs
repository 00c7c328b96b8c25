//! Interval evaluation of expressions.
//!
//! Law: the interval contains every value of the expression over the box of its variables. Correlation between operands
//! is ignored.

use super::{Expr, ExprKind, VariableId};
use crate::num::Interval;

/// Returns an interval that contains all values of `expr`, from the bounds of its variables.
#[must_use]
pub fn interval_of(expr: &Expr, bounds: &dyn Fn(VariableId) -> Interval) -> Interval {
    match expr.kind() {
        ExprKind::Constant(value) => Interval::point(*value),
        ExprKind::Variable(id) => bounds(*id),
        ExprKind::Sum(sum) => sum
            .terms()
            .iter()
            .fold(Interval::point(sum.constant()), |total, (c, x)| {
                total.add(interval_of(x, bounds).scale(*c))
            }),
        ExprKind::FloorDiv(x, c) => interval_of(x, bounds).floordiv(*c),
        ExprKind::CeilDiv(x, c) => interval_of(x, bounds).ceildiv(*c),
        ExprKind::Mod(x, c) => interval_of(x, bounds).modulo(*c),
        ExprKind::Min(list) => list
            .iter()
            .map(|x| interval_of(x, bounds))
            .reduce(Interval::min)
            .unwrap_or(Interval::EMPTY),
        ExprKind::Max(list) => list
            .iter()
            .map(|x| interval_of(x, bounds))
            .reduce(Interval::max)
            .unwrap_or(Interval::EMPTY),
    }
}
