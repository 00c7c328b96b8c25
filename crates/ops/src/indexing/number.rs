//! Numbers known at compile time: an expression with an interval.
//!
//! Law: where the variables are in their bounds, the number is the value of the expression, and is in the interval. An
//! operation returns `None` if its result is not an expression. Numbers are mathematical integers; truth values are 0 and 1.

use affinor::expr::Expr;
use affinor::num::{Interval, MINUS_INFINITY, PLUS_INFINITY};

/// A known value, with an interval that contains it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Number {
    pub(super) expr: Expr,
    pub(super) range: Interval,
}

impl Number {
    pub(super) fn new(expr: Expr, range: Interval) -> Number {
        match range.as_point().or(expr.as_constant()) {
            Some(value) => Number::constant(value),
            None => Number { expr, range },
        }
    }

    pub(super) fn constant(value: i64) -> Number {
        Number { expr: Expr::constant(value), range: Interval::point(value) }
    }

    pub(super) fn value(&self) -> Option<i64> {
        self.range.as_point()
    }

    /// `self + factor * other`.
    pub(super) fn plus(&self, factor: i64, other: &Number) -> Option<Number> {
        let terms = [(1, self.expr.clone()), (factor, other.expr.clone())];
        let range = self.range.add(other.range.scale(factor));
        Some(Number::new(Expr::sum(0, terms).ok()?, range))
    }

    pub(super) fn times(&self, factor: i64) -> Option<Number> {
        Number::constant(0).plus(factor, self)
    }

    pub(super) fn min(&self, other: &Number) -> Option<Number> {
        if self.range.hi() <= other.range.lo() {
            return Some(self.clone());
        }
        if other.range.hi() <= self.range.lo() {
            return Some(other.clone());
        }
        let least = Expr::min([self.expr.clone(), other.expr.clone()]).ok()?;
        Some(Number::new(least, self.range.min(other.range)))
    }

    pub(super) fn max(&self, other: &Number) -> Option<Number> {
        if self.range.lo() >= other.range.hi() {
            return Some(self.clone());
        }
        if other.range.lo() >= self.range.hi() {
            return Some(other.clone());
        }
        let most = Expr::max([self.expr.clone(), other.expr.clone()]).ok()?;
        Some(Number::new(most, self.range.max(other.range)))
    }

    /// `max(min(self, hi), lo)`: clamps the number.
    pub(super) fn forced(&self, bounds: Interval) -> Option<Number> {
        let mut forced = self.clone();
        if bounds.hi() != PLUS_INFINITY {
            forced = forced.min(&Number::constant(bounds.hi()))?;
        }
        match bounds.lo() {
            MINUS_INFINITY => Some(forced),
            lo => forced.max(&Number::constant(lo)),
        }
    }

    pub(super) fn floordiv(&self, divisor: i64) -> Option<Number> {
        let quotient = self.expr.floordiv(divisor).ok()?;
        Some(Number::new(quotient, self.range.floordiv(divisor)))
    }

    pub(super) fn modulo(&self, divisor: i64) -> Option<Number> {
        let rest = self.expr.modulo(divisor).ok()?;
        Some(Number::new(rest, self.range.modulo(divisor)))
    }

    /// Applies `part`, which maps 0 to 0, to the absolute value of the number, and restores the sign.
    pub(super) fn by_size(&self, part: impl Fn(&Number) -> Option<Number>) -> Option<Number> {
        let zero = Number::constant(0);
        let (above, below) = (self.max(&zero)?, self.times(-1)?.max(&zero)?);
        part(&above)?.plus(-1, &part(&below)?)
    }

    /// Returns whether the number is at least 1, as 0 or 1.
    pub(super) fn is_positive(&self) -> Option<Number> {
        self.forced(Interval::new(0, 1))
    }

    /// Returns whether the number is not 0, as 0 or 1.
    pub(super) fn is_not_zero(&self) -> Option<Number> {
        self.max(&self.times(-1)?)?.is_positive()
    }

    /// Returns the negation of a truth value: 1 for 0, 0 for 1.
    pub(super) fn negated(&self) -> Option<Number> {
        Number::constant(1).plus(-1, self)
    }

    /// Returns the number times 0 or 1: `max(min(self, hi * truth), lo * truth)` if it is in `[lo, hi]`, which contains 0.
    pub(super) fn where_true(&self, truth: &Number) -> Option<Number> {
        if let Some(value) = self.value() {
            return truth.times(value);
        }
        self.range.is_bounded().then_some(())?;
        let (lo, hi) = (self.range.lo().min(0), self.range.hi().max(0));
        self.min(&truth.times(hi)?)?.max(&truth.times(lo)?)
    }

    /// `2^self`, for a shift of values with `bits` bits by a known distance.
    pub(super) fn power(&self, bits: u32) -> Option<i64> {
        let shift = u32::try_from(self.value()?).ok()?;
        (shift < bits.min(63)).then_some(1 << shift)
    }
}
