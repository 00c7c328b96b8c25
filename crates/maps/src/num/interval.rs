//! Closed intervals of integers, and interval arithmetic.
//!
//! Law, for each operation: if `x` lies in `a` and `y` in `b`, then `x op y` lies in `a op b`. The laws are stated, and
//! proved for all integers, in `rules/ranges.rules`; each operation names its own. Bounds that do not fit in an `i64`
//! become infinite, which is sound. Correlation between operands is ignored; the simplifier's digit view recovers some
//! of it.

use crate::num;
use std::fmt;

/// The integers from `lo` to `hi`, inclusive. Empty if `lo > hi`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Interval {
    lo: i64,
    hi: i64,
}

/// Represents minus infinity in [`Interval::lo`].
pub const MINUS_INFINITY: i64 = i64::MIN;
/// Represents plus infinity in [`Interval::hi`].
pub const PLUS_INFINITY: i64 = i64::MAX;

impl Interval {
    /// All integers.
    pub const ALL: Interval = Interval { lo: MINUS_INFINITY, hi: PLUS_INFINITY };
    /// The canonical empty interval.
    pub const EMPTY: Interval = Interval { lo: 0, hi: -1 };

    /// Creates an interval; [`Interval::EMPTY`] if `lo > hi`.
    #[must_use]
    pub fn new(lo: i64, hi: i64) -> Interval {
        if lo > hi { Interval::EMPTY } else { Interval { lo, hi } }
    }

    /// Creates the interval of one value.
    #[must_use]
    pub fn point(x: i64) -> Interval {
        Interval { lo: x, hi: x }
    }

    /// Creates the interval of the integers from `lo` on.
    #[must_use]
    pub const fn at_least(lo: i64) -> Interval {
        Interval { lo, hi: PLUS_INFINITY }
    }

    /// Creates the indices `[0, size - 1]` of a dimension; empty for size 0.
    #[must_use]
    pub fn of_size(size: i64) -> Interval {
        Interval::new(0, size.saturating_sub(1))
    }

    /// Returns the least member, or [`MINUS_INFINITY`].
    #[must_use]
    pub fn lo(self) -> i64 {
        self.lo
    }

    /// Returns the greatest member, or [`PLUS_INFINITY`].
    #[must_use]
    pub fn hi(self) -> i64 {
        self.hi
    }

    /// Returns whether it has no members.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.lo > self.hi
    }

    /// Returns whether both ends are finite.
    #[must_use]
    pub fn is_bounded(self) -> bool {
        self.lo != MINUS_INFINITY && self.hi != PLUS_INFINITY
    }

    /// Returns the only member, if there is exactly one.
    #[must_use]
    pub fn as_point(self) -> Option<i64> {
        (self.lo == self.hi && self.is_bounded()).then_some(self.lo)
    }

    /// Returns the number of members; `None` if infinite or beyond `u64`.
    #[must_use]
    pub fn count(self) -> Option<u64> {
        if self.is_empty() {
            return Some(0);
        }
        if !self.is_bounded() {
            return None;
        }
        u64::try_from(i128::from(self.hi) - i128::from(self.lo) + 1).ok()
    }

    /// Returns the largest magnitude of a member in two's complement, `x` for `x >= 0` and `-x - 1` for `x < 0`: all members fit
    /// in `b` bits if the result is less than `2^(b - 1)`.
    #[must_use]
    pub fn reach(self) -> u64 {
        let of = |x: i64| (x ^ (x >> 63)).unsigned_abs();
        if self.is_empty() { 0 } else { of(self.lo).max(of(self.hi)) }
    }

    /// Returns whether `x` is a member.
    #[must_use]
    pub fn contains(self, x: i64) -> bool {
        self.lo <= x && x <= self.hi
    }

    /// Returns whether `other` is a subset of `self`.
    #[must_use]
    pub fn contains_all(self, other: Interval) -> bool {
        other.is_empty() || (self.lo <= other.lo && other.hi <= self.hi)
    }

    /// Intersects two intervals (`range-intersect`).
    #[must_use]
    pub fn intersect(self, other: Interval) -> Interval {
        Interval::new(self.lo.max(other.lo), self.hi.min(other.hi))
    }

    /// Returns the least interval that contains both.
    #[must_use]
    pub fn hull(self, other: Interval) -> Interval {
        match (self.is_empty(), other.is_empty()) {
            (true, _) => other,
            (false, true) => self,
            (false, false) => Interval::new(self.lo.min(other.lo), self.hi.max(other.hi)),
        }
    }

    /// Returns `{x + y}` (`range-sum`).
    #[must_use]
    #[expect(clippy::should_implement_trait, reason = "named beside scale and floordiv")]
    pub fn add(self, other: Interval) -> Interval {
        if self.is_empty() || other.is_empty() {
            return Interval::EMPTY;
        }
        let lo = if self.lo == MINUS_INFINITY || other.lo == MINUS_INFINITY {
            MINUS_INFINITY
        } else {
            self.lo.saturating_add(other.lo)
        };
        let hi = if self.hi == PLUS_INFINITY || other.hi == PLUS_INFINITY {
            PLUS_INFINITY
        } else {
            self.hi.saturating_add(other.hi)
        };
        // A saturated sum is beyond every `i64`: the widest interval that such an end can express is infinite on that
        // side.
        Interval {
            lo: if lo == PLUS_INFINITY { lo - 1 } else { lo },
            hi: if hi == MINUS_INFINITY { hi + 1 } else { hi },
        }
    }

    /// Returns `{factor * x}` (`range-scale`, `range-scale-negative`).
    #[must_use]
    pub fn scale(self, factor: i64) -> Interval {
        if self.is_empty() {
            return Interval::EMPTY;
        }
        if factor == 0 {
            return Interval::point(0);
        }
        let times = |end: i64| -> i64 {
            let infinite = end == MINUS_INFINITY || end == PLUS_INFINITY;
            let negative = (end < 0) != (factor < 0);
            match end.checked_mul(factor) {
                Some(product) if !infinite => product,
                _ if negative => MINUS_INFINITY,
                _ => PLUS_INFINITY,
            }
        };
        let (x, y) = (times(self.lo), times(self.hi));
        let (lo, hi) = if factor > 0 { (x, y) } else { (y, x) };
        Interval { lo: lo.min(PLUS_INFINITY - 1), hi: hi.max(MINUS_INFINITY + 1) }
    }

    /// Returns `{constant + coefficient * x + ..}` for independent summands: the result of [`Interval::scale`] and
    /// [`Interval::add`], in one pass (`range-sum`, `range-scale`, `range-scale-negative`).
    #[must_use]
    pub fn linear(constant: i64, summands: impl Iterator<Item = (i64, Interval)>) -> Interval {
        let (mut lo, mut hi) = (i128::from(constant), i128::from(constant));
        let (mut lo_known, mut hi_known) = (true, true);
        for (coefficient, range) in summands {
            if range.is_empty() {
                return Interval::EMPTY;
            }
            let (least, greatest) = match coefficient {
                0 => continue,
                1.. => (range.lo, range.hi),
                _ => (range.hi, range.lo),
            };
            let known = |end: i64| end != MINUS_INFINITY && end != PLUS_INFINITY;
            lo_known &= known(least);
            hi_known &= known(greatest);
            // At most 2^126 per product; a saturated total is far beyond the representable ends.
            lo = lo.saturating_add(i128::from(coefficient) * i128::from(least));
            hi = hi.saturating_add(i128::from(coefficient) * i128::from(greatest));
        }
        let clamp = |end: i128, least: i64, greatest: i64| {
            i64::try_from(end.clamp(i128::from(least), i128::from(greatest))).unwrap_or(least)
        };
        Interval {
            lo: if lo_known {
                clamp(lo, MINUS_INFINITY, PLUS_INFINITY - 1)
            } else {
                MINUS_INFINITY
            },
            hi: if hi_known { clamp(hi, MINUS_INFINITY + 1, PLUS_INFINITY) } else { PLUS_INFINITY },
        }
    }

    /// Returns `{x floordiv divisor}`, for a divisor of at least 1 (`range-floordiv`).
    #[must_use]
    pub fn floordiv(self, divisor: i64) -> Interval {
        self.map_ends(|end| num::floordiv(end, divisor))
    }

    /// Returns `{x ceildiv divisor}`, for a divisor of at least 1 (`range-ceildiv`).
    #[must_use]
    pub fn ceildiv(self, divisor: i64) -> Interval {
        self.map_ends(|end| num::ceildiv(end, divisor))
    }

    /// Returns the `k` such that every `x` lies in `[k * divisor, k * divisor + divisor - 1]`, for a divisor of at least 1.
    #[must_use]
    pub fn block(self, divisor: i64) -> Option<i64> {
        self.floordiv(divisor).as_point()
    }

    /// Returns `{x mod divisor}`, for a divisor of at least 1 (`range-mod`, `range-mod-block`).
    #[must_use]
    pub fn modulo(self, divisor: i64) -> Interval {
        if self.is_empty() {
            return Interval::EMPTY;
        }
        if self.block(divisor).is_some() {
            Interval { lo: num::modulo(self.lo, divisor), hi: num::modulo(self.hi, divisor) }
        } else {
            Interval { lo: 0, hi: divisor - 1 }
        }
    }

    /// Returns `{min(x, y)}` (`range-min`).
    #[must_use]
    pub fn min(self, other: Interval) -> Interval {
        if self.is_empty() || other.is_empty() {
            return Interval::EMPTY;
        }
        Interval { lo: self.lo.min(other.lo), hi: self.hi.min(other.hi) }
    }

    /// Returns `{max(x, y)}` (`range-max`).
    #[must_use]
    pub fn max(self, other: Interval) -> Interval {
        if self.is_empty() || other.is_empty() {
            return Interval::EMPTY;
        }
        Interval { lo: self.lo.max(other.lo), hi: self.hi.max(other.hi) }
    }

    /// Applies a monotone function to the finite ends.
    fn map_ends(self, f: impl Fn(i64) -> i64) -> Interval {
        if self.is_empty() {
            return Interval::EMPTY;
        }
        Interval {
            lo: if self.lo == MINUS_INFINITY { MINUS_INFINITY } else { f(self.lo) },
            hi: if self.hi == PLUS_INFINITY { PLUS_INFINITY } else { f(self.hi) },
        }
    }
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str("[]");
        }
        match self.lo {
            MINUS_INFINITY => f.write_str("[-inf, ")?,
            lo => write!(f, "[{lo}, ")?,
        }
        match self.hi {
            PLUS_INFINITY => f.write_str("inf]"),
            hi => write!(f, "{hi}]"),
        }
    }
}

impl fmt::Debug for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn interval() -> impl Strategy<Value = Interval> {
        prop_oneof![
            4 => (-30i64..30, 0i64..12).prop_map(|(lo, width)| Interval::new(lo, lo + width)),
            1 => (-30i64..30).prop_map(|hi| Interval::new(MINUS_INFINITY, hi)),
            1 => (-30i64..30).prop_map(|lo| Interval::new(lo, PLUS_INFINITY)),
        ]
    }

    fn members(x: Interval) -> impl Iterator<Item = i64> {
        x.lo().max(-40)..=x.hi().min(40)
    }

    proptest! {
        #[test]
        fn every_operation_contains_its_values(a in interval(), b in interval(), c in 1i64..9, k in -5i64..6) {
            for x in members(a) {
                prop_assert!(a.scale(k).contains(k * x));
                prop_assert!(a.floordiv(c).contains(num::floordiv(x, c)));
                prop_assert!(a.ceildiv(c).contains(num::ceildiv(x, c)));
                prop_assert!(a.modulo(c).contains(num::modulo(x, c)));
                for y in members(b) {
                    prop_assert!(a.add(b).contains(x + y));
                    let sum = Interval::linear(k, [(c, a), (-2, b), (0, b)].into_iter());
                    prop_assert!(sum.contains(k + c * x - 2 * y));
                    prop_assert!(a.min(b).contains(x.min(y)));
                    prop_assert!(a.max(b).contains(x.max(y)));
                }
            }
        }
    }

    #[test]
    fn sums_and_products_at_the_end_of_i64_widen() {
        let top = Interval::new(i64::MAX - 5, i64::MAX - 1);
        assert_eq!(top.add(Interval::new(1, 10)).hi(), PLUS_INFINITY);
        assert!(top.scale(3).hi() == PLUS_INFINITY && top.scale(3).lo() < PLUS_INFINITY);
        assert!(top.scale(-3).lo() == MINUS_INFINITY && top.scale(-3).hi() > MINUS_INFINITY);
        assert_eq!(Interval::ALL.add(Interval::point(7)), Interval::ALL);
        assert_eq!(Interval::ALL.scale(-2), Interval::ALL);
        for factor in [3, -3] {
            let product = Interval::linear(0, [(factor, top)].into_iter());
            assert_eq!(product, top.scale(factor));
        }
        let both = Interval::linear(1, [(1, Interval::ALL), (i64::MIN, top)].into_iter());
        assert_eq!(both, Interval::ALL);
        let cancelled = Interval::linear(7, [(2, top), (-2, top)].into_iter());
        assert_eq!(cancelled, Interval::new(-1, 15));
    }

    #[test]
    fn a_hull_contains_both_and_no_more() {
        let interval = Interval::new;
        for (x, y, expected) in [
            (interval(0, 3), interval(5, 9), interval(0, 9)),
            (interval(0, 9), interval(5, 7), interval(0, 9)),
            (Interval::at_least(4), interval(5, 9), Interval::at_least(4)),
            (Interval::EMPTY, interval(5, 9), interval(5, 9)),
            (Interval::EMPTY, Interval::EMPTY, Interval::EMPTY),
        ] {
            assert_eq!((x.hull(y), y.hull(x)), (expected, expected));
        }
    }

    #[test]
    fn empty_has_one_form_and_stays_empty() {
        assert_eq!(Interval::new(3, 2), Interval::EMPTY);
        assert_eq!(Interval::EMPTY.add(Interval::point(1)), Interval::EMPTY);
        assert_eq!(Interval::point(1).intersect(Interval::point(2)), Interval::EMPTY);
        assert_eq!(Interval::of_size(0), Interval::EMPTY);
        assert_eq!(Interval::new(-3, 3).count(), Some(7));
    }
}
