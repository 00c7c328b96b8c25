//! Splits sums and coefficients by a factor.

use crate::num;
use crate::num::Sum;
use smallvec::SmallVec;

/// `[x, y]` of `factor*x + y`, for a given factor.
pub type Part<A> = (Sum<A>, Sum<A>);

/// Alternative splits of a sum.
pub(super) type Parts<A> = SmallVec<[Part<A>; 2]>;

/// Returns `sum / factor` if the division is exact.
pub(super) fn exact<A: Copy + Ord>(sum: &Sum<A>, factor: i64) -> Option<Sum<A>> {
    // Most factors do not divide: checked before anything is built.
    let mut numbers = sum.terms().iter().map(|(_, c)| *c).chain([sum.constant]);
    if numbers.any(|number| divided(number, factor).is_none()) {
        return None;
    }
    Some(sum.split_by(factor, |_, c| c / factor)?.0)
}

/// Returns the factor by which `known` must be multiplied to give `sum`.
pub(super) fn ratio<A: Copy + Ord>(sum: &Sum<A>, known: &Sum<A>) -> Option<i64> {
    match known.terms().first() {
        Some((atom, coefficient)) => divided(sum.coefficient(*atom), *coefficient),
        None => divided(sum.constant, known.constant),
    }
}

/// Returns `whole / factor` if the division is exact and fits in 64 bits.
pub(super) fn divided(whole: i64, factor: i64) -> Option<i64> {
    (whole.checked_rem(factor)? == 0).then(|| whole / factor)
}

/// Returns `coefficient / factor`, exact or rounded both ways.
pub(super) fn around(coefficient: i64, factor: i64) -> SmallVec<[i64; 2]> {
    if let Some(exact) = divided(coefficient, factor) {
        return SmallVec::from_slice(&[exact]);
    }
    let Some(down) = coefficient.checked_div_euclid(factor) else {
        return SmallVec::new();
    };
    let other = down.checked_add(factor.signum());
    [Some(down), other].into_iter().flatten().collect()
}

/// Returns the multiple of `factor` nearest to `coefficient`; ties are rounded down.
pub fn nearest(coefficient: i64, factor: i64) -> i64 {
    let (coefficient, size) = (i128::from(coefficient), i128::from(factor).abs());
    let rounded = (2 * coefficient + size - 1).div_euclid(2 * size);
    // At most the coefficient in magnitude, so it fits.
    i64::try_from(rounded * i128::from(factor.signum())).unwrap_or(0)
}

/// Adds splits `factor*x + y` where `y` is a residue of `sum`. `quotient` returns numerator and divisor of an atom.
pub(super) fn residues<A: Copy + Ord>(
    sum: &Sum<A>,
    factor: i64,
    mut quotient: impl FnMut(A) -> Option<(Sum<A>, i64)>,
    parts: &mut Parts<A>,
) {
    if factor < 2 {
        return;
    }
    let least = |_, c: i64| {
        // `factor - 1` counts as -1.
        let is_last = factor > 2 && num::modulo(c, factor) == factor - 1;
        num::floordiv(c, factor) + i64::from(is_last)
    };
    let splits = [sum.split_by(factor, least), sum.split_by(factor, |_, c| nearest(c, factor))];
    parts.extend(splits.into_iter().flatten());
    for &(atom, _) in sum.terms() {
        let digit = quotient(atom).and_then(|of| digit(sum, factor, atom, &of));
        parts.extend(digit.and_then(|y| {
            let x = exact(&sum.plus(-1, &y)?, factor)?;
            Some((x, y))
        }));
    }
}

/// Returns the residue that consists of a multiple of `numerator mod divisor`, written with the quotient `atom`, and the
/// residues of the other coefficients.
fn digit<A: Copy + Ord>(
    sum: &Sum<A>,
    factor: i64,
    atom: A,
    (numerator, divisor): &(Sum<A>, i64),
) -> Option<Sum<A>> {
    let (first, coefficient) = numerator.terms().first()?;
    let times = divided(sum.coefficient(*first), *coefficient).filter(|times| *times != 0)?;
    let mut y = numerator.scaled(times)?;
    y = y.plus_atom(times.checked_mul(*divisor)?.checked_neg()?, atom)?;
    for &(other, c) in sum.terms() {
        if other != atom && numerator.coefficient(other) == 0 {
            y = y.plus_atom(c.checked_rem_euclid(factor)?, other)?;
        }
    }
    Some(y)
}
