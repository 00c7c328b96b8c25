//! The values of a rule's constants.
//!
//! A constant is an integer that is the same at every point, or a *named* number that is known only as a sum, such as a named
//! size. Rules hold for all integers, so a constant may be bound to either.

use super::{Part, Terms};
use crate::num;
use crate::num::Sum;

/// Bound on the smaller of two factors into which a divisor is split.
const SMALL_FACTORS: i64 = 1 << 10;

/// The index of a sum that represents a constant: see [`Terms::name`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Name(pub u32);

/// The value of a constant.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Number {
    /// An integer.
    Integer(i64),
    /// The value of a sum that is not constant.
    Named(Name),
}

impl From<i64> for Number {
    fn from(value: i64) -> Number {
        Number::Integer(value)
    }
}

impl Number {
    /// The literal 1.
    pub const ONE: Number = Number::Integer(1);

    /// Returns the integer; `None` for a named number.
    #[must_use]
    #[inline]
    pub fn integer(self) -> Option<i64> {
        match self {
            Number::Integer(value) => Some(value),
            Number::Named(_) => None,
        }
    }

    /// Returns whether its value or its range shows that it is at least 1.
    #[inline]
    pub fn is_positive<T: Terms>(self, terms: &mut T) -> bool {
        match self {
            Number::Integer(value) => value >= 1,
            Number::Named(name) => {
                let sum = terms.named(name);
                sum.is_some_and(|sum| terms.is_at_least(&sum, 1))
            }
        }
    }

    /// Returns the number as a sum.
    pub fn sum<T: Terms>(self, terms: &mut T) -> Option<Sum<T::Atom>> {
        match self {
            Number::Integer(value) => Some(Sum::constant(value)),
            Number::Named(name) => terms.named(name),
        }
    }

    /// Returns `self + other`.
    #[inline]
    pub fn plus<T: Terms>(self, other: Number, terms: &mut T) -> Option<Number> {
        match (self, other) {
            (Number::Integer(x), Number::Integer(y)) => x.checked_add(y).map(Number::Integer),
            _ => {
                let sum = self.sum(terms)?.plus(1, &other.sum(terms)?)?;
                number_of(&sum, terms)
            }
        }
    }

    /// Returns `self * other`.
    #[inline]
    pub fn times<T: Terms>(self, other: Number, terms: &mut T) -> Option<Number> {
        match (self, other) {
            (Number::Integer(x), Number::Integer(y)) => x.checked_mul(y).map(Number::Integer),
            _ => {
                let (x, y) = (self.sum(terms)?, other.sum(terms)?);
                let product = terms.product(&x, &y)?;
                number_of(&product, terms)
            }
        }
    }

    /// Returns `self * sum`.
    #[inline]
    pub fn scaled<T: Terms>(self, sum: &Sum<T::Atom>, terms: &mut T) -> Option<Sum<T::Atom>> {
        match self {
            Number::Integer(factor) => sum.scaled(factor),
            Number::Named(name) => {
                let factor = terms.named(name)?;
                terms.product(&factor, sum)
            }
        }
    }

    /// Returns `self / by`, if the division is exact.
    #[inline]
    pub fn exactly<T: Terms>(self, by: Number, terms: &mut T) -> Option<Number> {
        match (self, by) {
            (Number::Integer(x), Number::Integer(c)) => {
                (x.checked_rem(c)? == 0).then(|| Number::Integer(x / c))
            }
            _ => {
                let multiple = exact(&self.sum(terms)?, by, terms)?;
                number_of(&multiple, terms)
            }
        }
    }

    /// Returns `self floordiv by`; `None` if a named quotient has no simple value.
    #[inline]
    pub fn floordiv<T: Terms>(self, by: Number, terms: &mut T) -> Option<Number> {
        match (self, by) {
            (Number::Integer(x), Number::Integer(c)) => {
                (c >= 1).then(|| Number::Integer(num::floordiv(x, c)))
            }
            _ => {
                let (multiple, rest) = split(&self.sum(terms)?, by, terms)?;
                let by = by.sum(terms)?;
                // The remainder is in one of the blocks around zero.
                let block = [0, -1, 1].into_iter().find(|block| {
                    let low = rest.plus(-*block, &by);
                    let left = low.as_ref().and_then(|low| by.plus(-1, low));
                    let (Some(low), Some(left)) = (low, left) else {
                        return false;
                    };
                    terms.is_at_least(&low, 0) && terms.is_at_least(&left, 1)
                })?;
                number_of(&multiple.shifted(block)?, terms)
            }
        }
    }
}

/// Returns a sum as a number: an integer if it is constant, otherwise a name for it if the terms support names.
pub fn number_of<T: Terms>(sum: &Sum<T::Atom>, terms: &mut T) -> Option<Number> {
    match sum.as_constant() {
        Some(value) => Some(Number::Integer(value)),
        None => terms.name(sum).map(Number::Named),
    }
}

/// Splits a sum into `factor * multiples + rest`; for an integer factor, by divisibility of the coefficients.
pub(super) fn split<T: Terms>(
    sum: &Sum<T::Atom>,
    factor: Number,
    terms: &mut T,
) -> Option<Part<T::Atom>> {
    match factor {
        Number::Integer(factor) => {
            sum.split_by(factor, |_, c| super::parts::divided(c, factor).unwrap_or(0))
        }
        Number::Named(name) => terms.split(sum, name),
    }
}

/// Splits a sum into `factor * x + y`, where `y` is a sum that a constraint bounds, or its negation, and a constant.
pub fn splits_by_constraint<T: Terms>(
    sum: &Sum<T::Atom>,
    factor: Number,
    terms: &mut T,
) -> Vec<Part<T::Atom>> {
    let mut parts = Vec::new();
    for bounded in terms.constrained() {
        for rest in bounded.scaled(-1).into_iter().chain([bounded]) {
            let whole = sum.with_constant(0).plus(-1, &rest);
            let whole = whole.and_then(|whole| exact(&whole, factor, terms));
            let whole = whole.filter(|whole| !whole.is_zero());
            parts.extend(whole.map(|whole| (whole, rest.with_constant(sum.constant))));
        }
    }
    parts
}

/// Returns `sum / factor` if the division is exact.
pub(super) fn exact<T: Terms>(
    sum: &Sum<T::Atom>,
    factor: Number,
    terms: &mut T,
) -> Option<Sum<T::Atom>> {
    match factor {
        Number::Integer(factor) => super::parts::exact(sum, factor),
        Number::Named(name) => {
            let (whole, rest) = terms.split(sum, name)?;
            rest.is_zero().then_some(whole)
        }
    }
}

/// Returns all `(x, y)` with `x * y = value` and a positive `y`, the least `x` in magnitude first.
pub(super) fn factorizations(value: i64) -> Vec<(Number, Number)> {
    let Some(size) = value.checked_abs().filter(|size| *size > 0) else {
        return Vec::new();
    };
    let small = (1..=SMALL_FACTORS).take_while(|factor| factor * factor <= size);
    let small: Vec<i64> = small.filter(|factor| size % factor == 0).collect();
    let large = small.iter().map(|factor| size / factor);
    let mut factors: Vec<i64> = small.iter().copied().chain(large).collect();
    factors.sort_unstable();
    factors.dedup();
    let pair = |factor| (Number::Integer(factor * value.signum()), Number::Integer(size / factor));
    factors.into_iter().map(pair).collect()
}
