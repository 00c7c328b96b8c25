//! Fractions whose operations are checked.

use crate::num::gcd_wide;
use std::cmp::Ordering;

/// A fraction in lowest terms, with a denominator of at least 1. Operations return `None` on overflow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ratio {
    over: i128,
    under: i128,
}

impl Ratio {
    /// 0
    pub const ZERO: Ratio = Ratio::whole(0);

    /// Creates a fraction equal to an integer.
    #[must_use]
    pub const fn whole(value: i128) -> Ratio {
        Ratio { over: value, under: 1 }
    }

    /// Returns `over / under`; `None` if `under` is 0.
    #[must_use]
    pub fn new(over: i128, under: i128) -> Option<Ratio> {
        if under == 1 {
            return Some(Ratio::whole(over));
        }
        let common = i128::try_from(gcd_wide(over.unsigned_abs(), under.unsigned_abs())).ok()?;
        let common = if under < 0 { -common } else { common };
        Some(Ratio { over: over.checked_div(common)?, under: under.checked_div(common)? })
    }

    /// Returns whether it is 0.
    #[must_use]
    pub fn is_zero(self) -> bool {
        self.over == 0
    }

    /// Returns -1, 0 or 1.
    #[must_use]
    pub fn signum(self) -> i128 {
        self.over.signum()
    }

    /// Returns the greatest integer that is not greater than the fraction.
    #[must_use]
    pub fn floor(self) -> i128 {
        self.over.div_euclid(self.under)
    }

    /// Returns the least integer that is not less than the fraction; `None` on overflow.
    #[must_use]
    pub fn ceil(self) -> Option<i128> {
        let whole = self.floor();
        if self.under == 1 { Some(whole) } else { whole.checked_add(1) }
    }

    /// Returns the fraction as an integer; `None` if it is not an integer.
    #[must_use]
    pub fn as_whole(self) -> Option<i128> {
        (self.under == 1).then_some(self.over)
    }

    /// Returns the sum.
    #[must_use]
    pub fn plus(self, other: Ratio) -> Option<Ratio> {
        if self.under == 1 && other.under == 1 {
            return Some(Ratio::whole(self.over.checked_add(other.over)?));
        }
        let (x, y) = (self.over.checked_mul(other.under)?, other.over.checked_mul(self.under)?);
        Ratio::new(x.checked_add(y)?, self.under.checked_mul(other.under)?)
    }

    /// Returns the difference.
    #[must_use]
    pub fn minus(self, other: Ratio) -> Option<Ratio> {
        self.plus(other.negated()?)
    }

    /// Returns the product.
    #[must_use]
    pub fn times(self, other: Ratio) -> Option<Ratio> {
        if self.is_zero() || other.is_zero() {
            return Some(Ratio::ZERO);
        }
        // If the factors are reduced crosswise first, the products are in lowest terms.
        let (a, b) = (Ratio::new(self.over, other.under)?, Ratio::new(other.over, self.under)?);
        let (over, under) = (a.over.checked_mul(b.over)?, a.under.checked_mul(b.under)?);
        Some(Ratio { over, under })
    }

    /// Returns `1 / self`; `None` for 0.
    #[must_use]
    pub fn inverse(self) -> Option<Ratio> {
        match self.over {
            0 => None,
            _ => Ratio::new(self.under, self.over),
        }
    }

    /// Returns `-self`.
    #[must_use]
    pub fn negated(self) -> Option<Ratio> {
        Some(Ratio { over: self.over.checked_neg()?, under: self.under })
    }

    /// Compares two fractions.
    #[must_use]
    pub fn compare(self, other: Ratio) -> Option<Ordering> {
        Some(self.minus(other)?.signum().cmp(&0))
    }
}
