//! Joins digits into one product, or stacks them: fewer operations than one by one, but harder to read.
//!
//! Law of a pair, of two digits of x that change their order: with `z = x floordiv 2^a mod 2^c`, `z * (2^(m + g) + 1) floordiv
//! 2^m mod 2^(g + w)` is the digit of `z` from bit m on, if it is below `2^g`, plus `2^g` times the lowest w bits of `z`. Law of
//! a sum on a digit: `(x floordiv 2^a + s * 2^w) mod 2^(w + 1)` is the w bits of x from bit a on, and above them the sum modulo 2
//! of s and the next bit of x.

use super::digit::{Digit, cut_digit, power};
use super::form::{Parity, Source};
use crate::expr::{Expr, ExprError};

/// Joins the bit `sum`, whose weight is `unit`, with the digit directly below it in one of its sources. The digit is removed
/// from `all`, the digits by source. `None` if there is no such digit.
pub(super) fn on_digit(
    sources: &[Source],
    all: &mut [Vec<Digit>],
    unit: i64,
    sum: &Parity,
) -> Result<Option<(i64, Expr)>, ExprError> {
    for (source, place) in sum.ones() {
        let digits = &mut all[source];
        let is_below = |digit: &Digit| {
            let width = digit.end - digit.from;
            digit.end == place && digit.weight > 0 && unit >> width == digit.weight
        };
        let Some(at) = digits.iter().position(is_below) else {
            continue;
        };
        let digit = digits.remove(at);
        let above = power(digit.end - digit.from)?;
        let mut terms = vec![(1, sources[source].value.floordiv(power(digit.from)?)?)];
        for (other, bit) in sum.ones().filter(|one| *one != (source, place)) {
            terms.push((above, sources[other].value.floordiv(power(bit)?)?));
        }
        let flipped = if sum.flipped { above } else { 0 };
        let value = Expr::sum(flipped, terms)?.modulo(power(digit.end - digit.from + 1)?)?;
        return Ok(Some((digit.weight, value)));
    }
    Ok(None)
}

/// Chooses two digits that can share a product: one with the fewest partners, so that many pairs are found, and its partner with
/// the fewest partners.
pub(super) fn next_pair(digits: &[&Digit]) -> Option<(usize, usize)> {
    let partners = |at: usize| {
        let others = (0..digits.len()).filter(move |other| {
            let (lower, upper) = (at.min(*other), at.max(*other));
            lower < upper && gap(digits[lower], digits[upper]).is_some()
        });
        others.collect::<Vec<usize>>()
    };
    let with_partners = (0..digits.len()).filter(|at| !partners(*at).is_empty());
    let first = with_partners.min_by_key(|at| partners(*at).len())?;
    let second = partners(first).into_iter().min_by_key(|at| partners(*at).len())?;
    Some((first.min(second), first.max(second)))
}

/// Returns the number of bits by which the lower digit ends up above the lowest bit of the upper one, if they change their order.
fn gap(lower: &Digit, upper: &Digit) -> Option<u32> {
    let is_multiple = upper.weight > 0 && lower.weight > 0 && lower.weight % upper.weight == 0;
    let ratio = is_multiple.then(|| lower.weight / upper.weight)?;
    let gap = ratio.trailing_zeros();
    (ratio.count_ones() == 1 && gap >= upper.end - upper.from).then_some(gap)
}

/// Computes both digits with one product.
pub(super) fn pair(
    source: &Source,
    lower: &Digit,
    upper: &Digit,
) -> Result<(i64, Expr), ExprError> {
    let gap = gap(lower, upper).unwrap_or(0);
    let apart = upper.from - lower.from;
    let both = Digit { from: lower.from, end: upper.end, weight: upper.weight };
    let (weight, value) = cut_digit(source, &both)?;
    let twice = power(apart + gap)?.checked_add(1).ok_or(ExprError::Overflow)?;
    let product = Expr::sum(0, [(twice, value)])?.floordiv(power(apart)?)?;
    Ok((weight, product.modulo(power(gap + lower.end - lower.from)?)?))
}
