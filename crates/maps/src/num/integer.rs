//! Integer arithmetic with the semantics of the whole project.
//!
//! Numbers are mathematical integers held in `i64`. Division rounds to minus infinity, remainders lie in `[0,
//! divisor)`, divisors are positive. A result that does not fit is `None`, never a wrapped value; the caller turns it
//! into an error that names the expression, or leaves a term as it is.
//!
//! Law: `x == c * floordiv(x, c) + modulo(x, c)` and `0 <= modulo(x, c) < c` for every `c >= 1`.

/// Returns the floor of `x / divisor`.
///
/// `divisor` must be at least 1; callers have checked it when the expression or the rule instance was built. With a
/// positive divisor nothing can overflow.
#[must_use]
pub fn floordiv(x: i64, divisor: i64) -> i64 {
    debug_assert!(divisor >= 1, "divisor {divisor} is not positive");
    x.div_euclid(divisor)
}

/// Returns the ceiling of `x / divisor`, for a divisor of at least 1.
#[must_use]
pub fn ceildiv(x: i64, divisor: i64) -> i64 {
    debug_assert!(divisor >= 1, "divisor {divisor} is not positive");
    x.div_euclid(divisor) + i64::from(x.rem_euclid(divisor) != 0)
}

/// Returns `x - divisor * floordiv(x, divisor)`, for a divisor of at least 1.
#[must_use]
pub fn modulo(x: i64, divisor: i64) -> i64 {
    debug_assert!(divisor >= 1, "divisor {divisor} is not positive");
    x.rem_euclid(divisor)
}

/// Returns the greatest common divisor; `gcd(0, 0)` is 0. `None` only for `gcd(i64::MIN, i64::MIN or 0)`.
#[must_use]
pub fn gcd(x: i64, y: i64) -> Option<i64> {
    let common = gcd_wide(x.unsigned_abs().into(), y.unsigned_abs().into());
    i64::try_from(common).ok()
}

/// Returns the greatest common divisor of unsigned numbers; `gcd_wide(0, x)` is `x`.
#[must_use]
pub fn gcd_wide(mut x: u128, mut y: u128) -> u128 {
    while y != 0 {
        (x, y) = (y, x % y);
    }
    x
}

/// Returns the least common multiple of two positive numbers.
#[must_use]
pub fn lcm(x: i64, y: i64) -> Option<i64> {
    x.checked_div(gcd(x, y)?)?.checked_mul(y)
}

/// Returns `(g, u, v)` with `g = gcd(x, y) = u * x + v * y`, for positive `x` and `y` (Bézout).
#[must_use]
pub fn extended_gcd(x: i64, y: i64) -> (i64, i64, i64) {
    let (mut r, mut s, mut t) = ((x, y), (1i64, 0i64), (0i64, 1i64));
    while r.1 != 0 {
        let quotient = r.0 / r.1;
        r = (r.1, r.0 - quotient * r.1);
        s = (s.1, s.0 - quotient * s.1);
        t = (t.1, t.0 - quotient * t.1);
    }
    (r.0, s.0, t.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn division_rounds_down_on_both_sides_of_zero() {
        for (x, c, quotient, ceiling, remainder) in [
            (7, 3, 2, 3, 1),
            (-7, 3, -3, -2, 2),
            (-6, 3, -2, -2, 0),
            (0, 5, 0, 0, 0),
            (i64::MIN, 2, i64::MIN / 2, i64::MIN / 2, 0),
            (i64::MAX, 1, i64::MAX, i64::MAX, 0),
            (-1, i64::MAX, -1, 0, i64::MAX - 1),
        ] {
            assert_eq!(floordiv(x, c), quotient, "{x} floordiv {c}");
            assert_eq!(ceildiv(x, c), ceiling, "{x} ceildiv {c}");
            assert_eq!(modulo(x, c), remainder, "{x} mod {c}");
        }
    }

    #[test]
    fn gcd_and_lcm() {
        assert_eq!(gcd(-12, 18), Some(6));
        assert_eq!(gcd(0, 0), Some(0));
        assert_eq!(gcd(i64::MIN, 0), None);
        assert_eq!(lcm(4, 6), Some(12));
        assert_eq!(lcm(i64::MAX, i64::MAX - 1), None);
        let (g, u, v) = extended_gcd(240, 46);
        assert_eq!((g, 240 * u + 46 * v), (2, 2));
    }
}
