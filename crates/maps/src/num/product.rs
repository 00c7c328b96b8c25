//! Interval arithmetic of products, and of quotients by an interval.
//!
//! Law, as for the other operations: if `x` lies in `a` and `y` in `b`, then `x op y` lies in `a op b`. A divisor is at
//! least 1 wherever a quotient has a value, so members of its interval below 1 do not count.

use super::{Interval, MINUS_INFINITY, PLUS_INFINITY, ceildiv, floordiv};

/// Returns the product of integers; `None` if it does not fit.
#[must_use]
pub fn product(factors: impl IntoIterator<Item = i64>) -> Option<i64> {
    let (mut total, mut fits) = (1i128, true);
    for factor in factors {
        if factor == 0 {
            return Some(0);
        }
        match total.checked_mul(i128::from(factor)) {
            Some(product) => total = product,
            None => fits = false,
        }
    }
    i64::try_from(total).ok().filter(|_| fits)
}

impl Interval {
    /// Returns `{x * y}`.
    #[must_use]
    pub fn multiply(self, other: Interval) -> Interval {
        if self.is_empty() || other.is_empty() {
            return Interval::EMPTY;
        }
        let is_infinite = |end: i64| end == MINUS_INFINITY || end == PLUS_INFINITY;
        let times = |x: i64, y: i64| match x.checked_mul(y) {
            _ if x == 0 || y == 0 => 0,
            Some(product) if !is_infinite(x) && !is_infinite(y) => product,
            _ if (x < 0) == (y < 0) => PLUS_INFINITY,
            _ => MINUS_INFINITY,
        };
        // Linear in each factor, so the least and greatest products are at the ends of the intervals.
        let ends = [
            times(self.lo(), other.lo()),
            times(self.lo(), other.hi()),
            times(self.hi(), other.lo()),
            times(self.hi(), other.hi()),
        ];
        let least = ends.into_iter().fold(PLUS_INFINITY, i64::min);
        let greatest = ends.into_iter().fold(MINUS_INFINITY, i64::max);
        Interval::new(least.min(PLUS_INFINITY - 1), greatest.max(MINUS_INFINITY + 1))
    }

    /// Returns `{x floordiv y}` for all `y >= 1`.
    #[must_use]
    pub fn floordiv_by(self, divisor: Interval) -> Interval {
        self.divided(divisor, floordiv, 0, -1)
    }

    /// Returns `{x ceildiv y}` for all `y >= 1`.
    #[must_use]
    pub fn ceildiv_by(self, divisor: Interval) -> Interval {
        self.divided(divisor, ceildiv, 1, 0)
    }

    /// Returns `{x mod y}` for all `y >= 1`.
    #[must_use]
    pub fn modulo_by(self, divisor: Interval) -> Interval {
        let divisor = positive(divisor);
        if let Some(value) = divisor.as_point() {
            return self.modulo(value);
        }
        if self.is_empty() || divisor.is_empty() {
            return Interval::EMPTY;
        }
        if self.lo() >= 0 && self.hi() < divisor.lo() {
            return self;
        }
        let below = match divisor.hi() {
            PLUS_INFINITY => PLUS_INFINITY,
            hi => hi - 1,
        };
        match self.lo() >= 0 {
            true => Interval::new(0, below.min(self.hi())),
            false => Interval::new(0, below),
        }
    }

    /// Returns the quotients; `above` and `below` are the quotients of a positive and of a negative number by an infinite
    /// divisor.
    fn divided(
        self,
        divisor: Interval,
        divide: fn(i64, i64) -> i64,
        above: i64,
        below: i64,
    ) -> Interval {
        let divisor = positive(divisor);
        if self.is_empty() || divisor.is_empty() {
            return Interval::EMPTY;
        }
        let quotient = |end: i64, by: i64| match (end, by) {
            (MINUS_INFINITY | PLUS_INFINITY | 0, _) => end,
            (1.., PLUS_INFINITY) => above,
            (_, PLUS_INFINITY) => below,
            _ => divide(end, by),
        };
        let (least, greatest) = (divisor.lo(), divisor.hi());
        let lo = quotient(self.lo(), if self.lo() < 0 { least } else { greatest });
        let hi = quotient(self.hi(), if self.hi() < 0 { greatest } else { least });
        Interval::new(lo, hi)
    }
}

fn positive(divisor: Interval) -> Interval {
    divisor.intersect(Interval::new(1, PLUS_INFINITY))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::num::modulo;
    use proptest::prelude::*;

    fn end() -> impl Strategy<Value = Option<i64>> {
        prop_oneof![4 => (-9i64..10).prop_map(Some), 1 => Just(None)]
    }

    fn interval() -> impl Strategy<Value = Interval> {
        (end(), end()).prop_map(|(x, y)| match (x, y) {
            (Some(x), Some(y)) => Interval::new(x.min(y), x.max(y)),
            (x, y) => Interval::new(x.unwrap_or(MINUS_INFINITY), y.unwrap_or(PLUS_INFINITY)),
        })
    }

    fn members(x: Interval) -> impl Iterator<Item = i64> {
        x.lo().max(-40)..=x.hi().min(40)
    }

    /// Checks the least and greatest values, unless an end is infinite or the values may have been cut off.
    #[track_caller]
    fn check(found: Interval, values: &[i64], finite: bool) {
        for value in values {
            assert!(found.contains(*value), "{value} in {found}");
        }
        if finite {
            let ends = (values.iter().min(), values.iter().max());
            assert_eq!(ends, (Some(&found.lo()), Some(&found.hi())));
        }
    }

    proptest! {
        #[test]
        fn every_operation_contains_its_values(a in interval(), b in interval()) {
            let all = |f: fn(i64, i64) -> i64, least: i64| -> Vec<i64> {
                let pairs = members(a).flat_map(|x| members(b).map(move |y| (x, y)));
                pairs.filter(|(_, y)| *y >= least).map(|(x, y)| f(x, y)).collect()
            };
            let finite = a.is_bounded() && b.is_bounded();
            check(a.multiply(b), &all(|x, y| x * y, -99), finite);
            let divides = finite && b.hi() >= 1;
            check(a.floordiv_by(b), &all(floordiv, 1), divides);
            check(a.ceildiv_by(b), &all(ceildiv, 1), divides);
            check(a.modulo_by(b), &all(modulo, 1), false);
        }
    }

    #[test]
    fn infinite_ends() {
        let from = |lo: i64| Interval::new(lo, PLUS_INFINITY);
        let to = |hi: i64| Interval::new(MINUS_INFINITY, hi);
        assert_eq!(from(1).multiply(from(2)), from(2));
        assert_eq!(from(0).multiply(to(-1)), to(0));
        assert_eq!(from(-1).multiply(from(3)), Interval::ALL);
        assert_eq!(Interval::ALL.multiply(Interval::point(0)), Interval::point(0));
        let large = Interval::point(1 << 40);
        assert_eq!(large.multiply(large), Interval::new(i64::MAX - 1, PLUS_INFINITY));
        assert_eq!(Interval::new(1, 9).floordiv_by(from(2)), Interval::new(0, 4));
        assert_eq!(Interval::new(-9, -1).floordiv_by(from(2)), Interval::new(-5, -1));
        assert_eq!(Interval::new(1, 9).ceildiv_by(from(2)), Interval::new(1, 5));
        assert_eq!(Interval::new(0, 9).modulo_by(from(10)), Interval::new(0, 9));
        assert_eq!(Interval::new(0, 9).modulo_by(from(2)), Interval::new(0, 9));
        assert_eq!(to(3).modulo_by(from(2)), from(0));
        assert_eq!(from(1).floordiv_by(to(0)), Interval::EMPTY);
    }

    #[test]
    fn products_of_numbers() {
        assert_eq!(product([]), Some(1));
        assert_eq!(product([3, -4]), Some(-12));
        assert_eq!(product([i64::MIN, 1]), Some(i64::MIN));
        assert_eq!(product([i64::MAX, 2]), None);
        assert_eq!(product([i64::MAX, i64::MAX, i64::MAX, 0]), Some(0));
        assert_eq!(product([i64::MAX, i64::MAX, i64::MAX]), None);
    }
}
