//! Sums over numbered unknowns.

use crate::expr::Expr;
use crate::num::{Interval, Sum};

/// Number of an unknown integer: a variable of the map, a quotient, or a minimum.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct Unknown(pub(super) u32);

impl Unknown {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// `constant + coefficient * unknown + ..`
pub(super) type Linear = Sum<Unknown>;

/// Evaluates a form, given the values of all unknowns by number; `None` on overflow.
pub(super) fn value_of(form: &Linear, values: &[i64]) -> Option<i64> {
    let mut total = i128::from(form.constant);
    for (unknown, coefficient) in form.terms() {
        let value = *values.get(unknown.index())?;
        total = total.checked_add(i128::from(*coefficient) * i128::from(value))?;
    }
    i64::try_from(total).ok()
}

/// Returns a form as an expression, given the expressions of all unknowns by number; `None` on overflow.
pub(super) fn expr_of(form: &Linear, unknowns: &[Expr]) -> Option<Expr> {
    let terms = form.terms().iter();
    let terms = terms.map(|(unknown, c)| Some((*c, unknowns.get(unknown.index())?.clone())));
    Expr::sum(form.constant, terms.collect::<Option<Vec<_>>>()?).ok()
}

/// Returns the integers whose product with `divisor` lies in `interval`.
pub(super) fn quotients(interval: Interval, divisor: i64) -> Interval {
    if interval.is_empty() {
        return interval;
    }
    Interval::new(interval.ceildiv(divisor).lo(), interval.floordiv(divisor).hi())
}
