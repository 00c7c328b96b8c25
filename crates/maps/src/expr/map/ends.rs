//! Bounds that are expressions: `d0 in [0, m - 1]` means `d0 in [0, inf]` and `d0 - m in [-inf, -1]`.

use crate::expr::{Expr, ExprError, ExprKind};
use crate::num::{Interval, MINUS_INFINITY, PLUS_INFINITY};

/// An end of an interval.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum End {
    /// The lower end.
    Lower,
    /// The upper end.
    Upper,
}

impl End {
    /// Returns the other end.
    #[must_use]
    pub fn other(self) -> End {
        match self {
            End::Lower => End::Upper,
            End::Upper => End::Lower,
        }
    }

    /// Returns the infinite value of this end, for an interval without a bound here.
    #[must_use]
    pub fn infinity(self) -> i64 {
        match self {
            End::Lower => MINUS_INFINITY,
            End::Upper => PLUS_INFINITY,
        }
    }

    /// Returns the integers that satisfy `number` as a bound at this end.
    #[must_use]
    pub fn beyond(self, number: i64) -> Interval {
        match self {
            End::Lower => Interval::new(number, PLUS_INFINITY),
            End::Upper => Interval::new(MINUS_INFINITY, number),
        }
    }
}

/// Returns `expr >= bound` or `expr <= bound` as a constraint on the difference, without its constant.
///
/// # Errors
/// [`ExprError`] if it is not representable.
pub fn bounded(expr: &Expr, end: End, bound: &Expr) -> Result<(Expr, Interval), ExprError> {
    let difference = expr.sub(bound)?;
    let (constant, compared) = match difference.kind() {
        ExprKind::Constant(value) => (*value, Expr::constant(0)),
        ExprKind::Sum(sum) => (sum.constant(), Expr::sum(0, sum.terms().iter().cloned())?),
        _ => (0, difference),
    };
    let number = constant.checked_neg().filter(|n| *n != PLUS_INFINITY);
    Ok((compared, end.beyond(number.ok_or(ExprError::Overflow)?)))
}
