//! Division of a linear form by a constant, as far as intervals decide it.
//!
//! Laws, for `c >= 1` and integer forms, each an equality at every point of the domain:
//! * `(c * a + b) floordiv c = a + b floordiv c`; and `b floordiv c = k` where the interval of `b` lies in the block
//!   `[k * c, k * c + c - 1]`;
//! * `(g * a + k) floordiv (g * c) = (a + k floordiv g) floordiv c`, for an integer `k`;
//! * `(g * a + b) floordiv (g * c) = (a + b floordiv g) floordiv c`, used where `b floordiv g` is decided by the first
//!   law;
//! * `(x floordiv a + y) floordiv c = (x + a * y) floordiv (a * c)`;
//! * `-(x floordiv a) = (-x + a - 1) floordiv a`.

use super::forms::{Definition, Forms, Style};
use super::linear::{Linear, Unknown};
use crate::num;
use crate::num::Interval;

/// Maximum number of roundings tried for one numerator.
const ROUNDINGS: u32 = 128;

/// Maximum number of inner quotients tried as parts of a remainder.
const QUOTIENTS: usize = 4;

/// Maximum number of laws applied in sequence to one division.
const CHAIN: u32 = 64;

impl Forms {
    /// Returns the form of `numerator floordiv divisor`; `None` if a coefficient overflows.
    pub(super) fn quotient(&mut self, numerator: &Linear, divisor: i64) -> Option<Linear> {
        self.divided(numerator, divisor, CHAIN)
    }

    fn divided(&mut self, numerator: &Linear, divisor: i64, chain: u32) -> Option<Linear> {
        if let Some(value) = numerator.as_constant() {
            return Some(Linear::constant(num::floordiv(value, divisor)));
        }
        if self.style() == Style::Written || chain == 0 {
            return Some(self.opaque(numerator.clone(), divisor));
        }
        let (numerator, divisor) = without_common_factor(numerator, divisor)?;
        if divisor == 1 {
            return Some(numerator);
        }
        if let Some(decided) = self.one_block(&numerator, divisor) {
            return Some(decided);
        }
        let (outer, rest) = split(&numerator, divisor, num::floordiv)?;
        let inner = if let Some((high, divisor)) = self.without_low_digits(&rest, divisor) {
            self.divided(&high, divisor, chain - 1)?
        } else if let Some(merged) = self.merged(&rest, divisor) {
            self.divided(&merged.numerator, merged.divisor, chain - 1)?.plus(1, &merged.outer)?
        } else {
            self.upright(rest, divisor)?
        };
        inner.plus(1, &outer)
    }

    /// Returns the quotient as an unknown, or as the negated unknown of its mirror image.
    fn upright(&mut self, numerator: Linear, divisor: i64) -> Option<Linear> {
        let mirrored = numerator.scaled(-1)?.shifted(divisor - 1)?;
        let (outer, mirrored) = split(&mirrored, divisor, num::floordiv)?;
        let mirrored = Definition::Quotient { numerator: mirrored, divisor };
        match self.known(&mirrored) {
            Some(unknown) => Linear::atom(unknown).plus(1, &outer)?.scaled(-1),
            None => Some(self.opaque(numerator, divisor)),
        }
    }

    fn opaque(&mut self, numerator: Linear, divisor: i64) -> Linear {
        let bounds = self.bounds_of(&numerator).floordiv(divisor);
        self.define(Definition::Quotient { numerator, divisor }, bounds)
    }

    /// Returns the quotient, if splitting off multiples of the divisor leaves a remainder in one block.
    fn one_block(&self, numerator: &Linear, divisor: i64) -> Option<Linear> {
        let decided =
            |(outer, rest): (Linear, Linear)| outer.shifted(self.bounds_of(&rest).block(divisor)?);
        let roundings: [fn(i64, i64) -> i64; 4] =
            [|_, _| 0, |coefficient, divisor| coefficient / divisor, nearest, num::floordiv];
        roundings
            .into_iter()
            .find_map(|rounding| split(numerator, divisor, rounding).and_then(decided))
            .or_else(|| {
                let rounded = self.choose_roundings(numerator, divisor)?;
                split_by(numerator, divisor, &rounded).and_then(decided)
            })
    }

    /// Chooses the multiple of the divisor to split off from each term, rounding down or up, such that the remainder
    /// lies in one block by the intervals of its terms.
    fn choose_roundings(&self, numerator: &Linear, divisor: i64) -> Option<Vec<i64>> {
        let terms: Vec<(i64, Interval)> =
            numerator.terms().iter().map(|(unknown, c)| (*c, self.bounds(*unknown))).collect();
        let endless =
            |(c, bounds): &(i64, Interval)| num::modulo(*c, divisor) != 0 && !bounds.is_bounded();
        if terms.iter().any(endless) {
            return None;
        }
        let mut chosen = Vec::with_capacity(terms.len());
        let mut left = ROUNDINGS;
        let start = Interval::point(numerator.constant);
        choose(&terms, divisor, start, &mut chosen, &mut left).then_some(chosen)
    }

    /// Drops a low part from `g * a + low` over `g * c` if its own quotient is decided; returns `(a, c)`.
    fn without_low_digits(&self, numerator: &Linear, divisor: i64) -> Option<(Linear, i64)> {
        let mut factors = self.low_factors(numerator, divisor);
        factors.retain(|g| *g > 1 && *g < divisor && divisor % g == 0);
        factors.sort_unstable();
        factors.dedup();
        let roundings: [fn(i64, i64) -> i64; 2] = [num::floordiv, nearest];
        factors.into_iter().rev().find_map(|g| {
            roundings.into_iter().find_map(|rounding| {
                let (high, low) = split(numerator, g, rounding)?;
                let carried = self.one_block(&low, g);
                let carried = carried.or_else(|| self.one_block_of_remainder(numerator, &low, g));
                Some((high.plus(1, &carried?)?, divisor / g))
            })
        })
    }

    /// Candidates for a factor of all coefficients except those of a low part.
    fn low_factors(&self, numerator: &Linear, divisor: i64) -> Vec<i64> {
        let coefficients = numerator.terms().iter().map(|(_, c)| *c);
        let mut factors: Vec<i64> = coefficients.filter_map(|c| num::gcd(c, divisor)).collect();
        // If `t * n` and a multiple of `n floordiv c` occur, `t * (n mod c)` may be a low part. A negative `t` appears
        // as a coefficient just below the divisor.
        for (_, of, by) in self.inner_quotients(numerator) {
            for (unknown, c) in of.terms() {
                let whole = numerator.coefficient(*unknown);
                for whole in [whole, whole.saturating_sub(divisor)] {
                    if whole % c == 0 {
                        let factor = (whole / c).checked_abs();
                        factors.extend(factor.and_then(|t| t.checked_mul(by)));
                    }
                }
            }
        }
        factors
    }

    /// Like [`Forms::one_block`], for a low part that is a remainder: its quotient occurs only as a multiple of `g`, in
    /// the high part, and must be moved down.
    fn one_block_of_remainder(&self, numerator: &Linear, low: &Linear, g: i64) -> Option<Linear> {
        let inner = self.inner_quotients(numerator).take(QUOTIENTS);
        let mut moves = inner.flat_map(|(unknown, _, _)| [(unknown, -1), (unknown, 1)]);
        moves.find_map(|(unknown, sign)| {
            let quotient = Linear::atom(unknown);
            let remainder = low.plus(g * sign, &quotient)?;
            let carried = self.bounds_of(&remainder).block(g)?;
            Linear::constant(carried).plus(-sign, &quotient)
        })
    }

    /// Returns the quotients among the unknowns of `form`, with numerators and divisors.
    fn inner_quotients<'a>(
        &'a self,
        form: &'a Linear,
    ) -> impl Iterator<Item = (Unknown, &'a Linear, i64)> {
        let unknowns = form.terms().iter().map(|(unknown, _)| *unknown);
        unknowns.filter_map(|unknown| match self.definition(unknown) {
            Definition::Quotient { numerator, divisor } => Some((unknown, numerator, *divisor)),
            _ => None,
        })
    }

    /// Merges two divisions into one, if an inner quotient has the coefficient 1 or -1 up to a multiple of the divisor:
    /// the last one of several, preferably with the coefficient 1.
    fn merged(&self, numerator: &Linear, divisor: i64) -> Option<Merged> {
        let candidates = self.inner_quotients(numerator).filter_map(|(unknown, of, by)| {
            match numerator.coefficient(unknown) {
                1 => Some((1, unknown, of, by)),
                c if c == divisor - 1 => Some((-1, unknown, of, by)),
                _ => None,
            }
        });
        let best = candidates.max_by_key(|(sign, unknown, _, _)| (*sign, *unknown));
        let (sign, unknown, inner, by) = best?;
        // For the sign -1 the coefficient is `divisor - 1`: one more than the merged part moves out.
        let outer = i64::from(sign < 0);
        let scaled = numerator.without(unknown).scaled(by)?.plus(sign, inner)?;
        Some(Merged {
            outer: Linear::atom(unknown).scaled(outer)?,
            numerator: scaled.shifted(outer.checked_mul(by - 1)?)?,
            divisor: by.checked_mul(divisor)?,
        })
    }
}

/// `outer + numerator floordiv divisor`.
struct Merged {
    outer: Linear,
    numerator: Linear,
    divisor: i64,
}

/// Divides numerator and divisor by their common factor.
fn without_common_factor(numerator: &Linear, divisor: i64) -> Option<(Linear, i64)> {
    let mut common = divisor;
    for (_, coefficient) in numerator.terms() {
        common = num::gcd(common, *coefficient)?;
    }
    let terms = numerator.terms().iter().map(|(x, c)| (*x, c / common));
    let offset = num::floordiv(numerator.constant, common);
    Some((Linear::of_sorted(offset, terms), divisor / common))
}

/// `(outer, rest)` with `numerator = divisor * outer + rest`, where `rounding` gives the part of each coefficient (and
/// of the constant) that moves outside.
fn split(
    numerator: &Linear,
    divisor: i64,
    rounding: fn(i64, i64) -> i64,
) -> Option<(Linear, Linear)> {
    let terms = numerator.terms().iter();
    let outside: Vec<i64> = terms.map(|(_, c)| rounding(*c, divisor)).collect();
    split_by(numerator, divisor, &outside)
}

fn split_by(numerator: &Linear, divisor: i64, outside: &[i64]) -> Option<(Linear, Linear)> {
    let terms = numerator.terms().iter().zip(outside);
    let outer = Linear::of_sorted(
        num::floordiv(numerator.constant, divisor),
        terms.map(|((unknown, _), part)| (*unknown, *part)),
    );
    let rest = numerator.plus(divisor.checked_neg()?, &outer)?;
    Some((outer, rest))
}

fn nearest(coefficient: i64, divisor: i64) -> i64 {
    let (down, rest) = (num::floordiv(coefficient, divisor), num::modulo(coefficient, divisor));
    down + i64::from(rest > divisor / 2)
}

/// Extends `chosen` to all terms such that `rest` stays within one block; gives up after some tries.
fn choose(
    terms: &[(i64, Interval)],
    divisor: i64,
    rest: Interval,
    chosen: &mut Vec<i64>,
    left: &mut u32,
) -> bool {
    let wide = rest.count().is_none_or(|count| count > divisor.unsigned_abs());
    if wide || *left == 0 {
        return false;
    }
    *left -= 1;
    let Some(((coefficient, bounds), later)) = terms.split_first() else {
        return rest.block(divisor).is_some();
    };
    let down = num::floordiv(*coefficient, divisor);
    for outside in [down, down + 1] {
        let inside = i128::from(*coefficient) - i128::from(outside) * i128::from(divisor);
        let Ok(inside) = i64::try_from(inside) else {
            continue;
        };
        chosen.push(outside);
        if choose(later, divisor, rest.add(bounds.scale(inside)), chosen, left) {
            return true;
        }
        chosen.pop();
        if inside == 0 {
            return false; // rounding up only makes the rest wider
        }
    }
    false
}
