//! Sums and coefficients, divided by a factor.

use crate::num;
use crate::num::Sum;
use smallvec::SmallVec;

/// `factor*x + y` for a factor: `x`, then `y`.
pub(super) type Part<A> = (Sum<A>, Sum<A>);

/// Ways to write a sum so.
pub(super) type Parts<A> = SmallVec<[Part<A>; 2]>;

/// `sum / factor`, if that leaves nothing over.
pub(super) fn exact<A: Copy + Ord>(sum: &Sum<A>, factor: i64) -> Option<Part<A>> {
    let whole = sum.split_by(factor, |_, c| divided(c, factor).unwrap_or(0))?;
    whole.1.is_zero().then_some(whole)
}

/// The only factor with which `known` can be `sum`.
pub(super) fn ratio<A: Copy + Ord>(sum: &Sum<A>, known: &Sum<A>) -> Option<i64> {
    match known.terms().first() {
        Some((atom, coefficient)) => divided(sum.coefficient(*atom), *coefficient),
        None => divided(sum.constant, known.constant),
    }
}

/// `whole / factor`, if that leaves nothing over and 64 bits hold it.
pub(super) fn divided(whole: i64, factor: i64) -> Option<i64> {
    (whole.checked_rem(factor)? == 0).then(|| whole / factor)
}

/// How often `factor` goes into `coefficient`: exactly, or rounded to both sides.
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

/// The multiple of `factor` that is nearest to `coefficient`, halves rounded down.
pub fn nearest(coefficient: i64, factor: i64) -> i64 {
    let (coefficient, size) = (i128::from(coefficient), i128::from(factor).abs());
    let rounded = (2 * coefficient + size - 1).div_euclid(2 * size);
    // No larger than the coefficient, so it fits.
    i64::try_from(rounded * i128::from(factor.signum())).unwrap_or(0)
}

/// Adds `factor*x + y` to `parts` where `y` is a residue of `sum`.
pub(super) fn residues<A: Copy + Ord>(sum: &Sum<A>, factor: i64, parts: &mut Parts<A>) {
    if factor < 2 {
        return;
    }
    let least = |_, c: i64| {
        // One less than the factor is -1.
        let is_last = factor > 2 && num::modulo(c, factor) == factor - 1;
        num::floordiv(c, factor) + i64::from(is_last)
    };
    let splits = [
        sum.split_by(factor, least),
        sum.split_by(factor, |_, c| nearest(c, factor)),
    ];
    parts.extend(splits.into_iter().flatten());
}
