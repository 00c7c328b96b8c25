//! Recovers the digits of a sum of strides from the sum.
//!
//! Law, of positive strides. If the stride of a leaf exceeds the reach of the others, its digit is the quotient. Or let g divide
//! the others' strides, and let the leaf have at most g/h elements, where h is gcd(g, its stride): its digit is that of the sum
//! modulo g. Or the sum is multiplied by a factor modulo M: if all multiples of some leaves stay within M, the remainder is their
//! sum. Or if a leaf has more than g/h elements, its digit modulo g/h is read this way, and the rest is a leaf of fewer elements
//! that are g/h steps apart.

use super::answer::Refusal;
use affinor::expr::{Expr, ExprError};
use affinor::num::{Fuel, extended_gcd, gcd};
use affinor::prove::Budget;

/// Step budget of a search: one step per leaf for each tried pair of a factor and a modulus, and one per sum whose digits are
/// searched.
const STEPS: u64 = 1 << 24;

/// Maximum number of pairs of a factor and a modulus that are tried.
const MOST_PAIRS: usize = 1 << 20;

/// A leaf of more than one element.
#[derive(Clone, Copy)]
pub(super) struct Leaf {
    pub(super) size: i64,
    pub(super) stride: i64,
    /// The index of its digit among those to be recovered.
    pub(super) digit: usize,
}

/// Digits by their indices.
type Digits = Vec<(usize, Expr)>;

/// The derivation of the digit of a leaf from the sum.
enum Read {
    Quotient,
    /// The sum divided by the first number, times the second, modulo the third.
    Remainder(i64, i64, i64),
}

/// Recovers the digits of `leaves`, whose strides times digits sum to `sum`; `None` if they were not found.
///
/// # Errors
/// [`Stopped`](affinor::num::Stopped) or [`Refusal::Overflow`].
pub(super) fn read(
    leaves: &[Leaf],
    sum: &Expr,
    budget: &Budget,
) -> Result<Option<Digits>, Refusal> {
    let search = Search { fuel: budget.own_fuel(STEPS), is_inside: false };
    search.read(leaves.to_vec(), sum.clone())
}

struct Search {
    fuel: Fuel,
    /// Whether part of a digit has been read: then the many factors and moduli are not tried again.
    is_inside: bool,
}

impl Search {
    fn read(&self, mut leaves: Vec<Leaf>, mut sum: Expr) -> Result<Option<Digits>, Refusal> {
        self.fuel.spend(1)?;
        let mut reversed = Vec::new();
        for leaf in &mut leaves {
            if leaf.stride < 0 {
                leaf.stride = leaf.stride.checked_neg().ok_or(Refusal::Overflow)?;
                sum = sum.add(&Expr::constant(last(leaf)?)).map_err(overflow)?;
                reversed.push(*leaf);
            }
        }
        let mut digits = Vec::new();
        while let Some((place, read)) = next(&leaves)? {
            let leaf = leaves.remove(place);
            let (digit, rest) = taken(&sum, &leaf, &read).map_err(overflow)?;
            digits.push((leaf.digit, digit));
            sum = rest;
        }
        if !leaves.is_empty() {
            let mut found = self.apart(&leaves, &sum)?;
            if found.is_none() && !self.is_inside {
                found = self.stretched(&leaves, &sum)?;
            }
            if found.is_none() {
                found = self.split(&leaves, &sum)?;
            }
            let Some(found) = found else { return Ok(None) };
            digits.extend(found);
        }
        for leaf in reversed {
            let own = digits.iter_mut().filter(|(digit, _)| *digit == leaf.digit);
            for (_, digit) in own {
                *digit = Expr::sum(leaf.size - 1, [(-1, digit.clone())]).map_err(overflow)?;
            }
        }
        Ok(Some(digits))
    }

    /// Reads the digits of some leaves from a remainder, then those of the others.
    fn apart(&self, leaves: &[Leaf], sum: &Expr) -> Result<Option<Digits>, Refusal> {
        for modulus in moduli(leaves)? {
            let (others, near): (Vec<Leaf>, Vec<Leaf>) =
                leaves.iter().partition(|leaf| leaf.stride % modulus == 0);
            if near.is_empty() || others.is_empty() {
                continue;
            }
            let near = nearest(&near, 1, modulus)?;
            let Some(lowest) = lowest_within(&near, modulus)? else { continue };
            let within = within(sum, lowest, modulus).map_err(overflow)?;
            let Some(mut digits) = self.read(near, within)? else { continue };
            let mut terms = vec![(1, sum.clone())];
            for (number, digit) in &digits {
                let own = leaves.iter().filter(|leaf| leaf.digit == *number);
                terms.extend(own.map(|leaf| (-leaf.stride, digit.clone())));
            }
            let rest = Expr::sum(0, terms).map_err(overflow)?;
            let Some(more) = self.read(others, rest)? else { continue };
            digits.extend(more);
            return Ok(Some(digits));
        }
        Ok(None)
    }

    /// Reads the digits of all leaves, one of them in two parts. Splits whose modulus divides the size come first.
    fn split(&self, leaves: &[Leaf], sum: &Expr) -> Result<Option<Digits>, Refusal> {
        let mut ways = Vec::new();
        for (place, leaf) in leaves.iter().enumerate() {
            if let Some(read) = remainder(leaves, place)?
                && let Read::Remainder(_, _, modulus) = read
                && (2..leaf.size).contains(&modulus)
            {
                ways.push((leaf.size % modulus != 0, place, read, modulus));
            }
        }
        ways.sort_by_key(|(is_uneven, place, ..)| (*is_uneven, *place));
        let inside = Search { fuel: self.fuel.clone(), is_inside: true };
        for (_, place, read, modulus) in ways {
            let (low, rest) = taken(sum, &leaves[place], &read).map_err(overflow)?;
            let mut left = leaves.to_vec();
            let leaf = &mut left[place];
            leaf.size = (leaf.size - 1) / modulus + 1;
            leaf.stride = leaf.stride.checked_mul(modulus).ok_or(Refusal::Overflow)?;
            let number = leaf.digit;
            let Some(mut digits) = inside.read(left, rest)? else { continue };
            for (_, high) in digits.iter_mut().filter(|(digit, _)| *digit == number) {
                let both = [(1, low.clone()), (modulus, high.clone())];
                *high = Expr::sum(0, both).map_err(overflow)?;
            }
            return Ok(Some(digits));
        }
        Ok(None)
    }

    /// Reads the digits of all leaves if, after multiplication by a factor modulo a number, each stride exceeds the reach of the
    /// smaller ones.
    fn stretched(&self, leaves: &[Leaf], sum: &Expr) -> Result<Option<Digits>, Refusal> {
        let pairs = (2..).flat_map(|modulus| (2..modulus).map(move |factor| (factor, modulus)));
        let far = i64::from(u32::MAX);
        if leaves.iter().any(|leaf| leaf.stride > far || leaf.size > far) {
            return Ok(None);
        }
        for (factor, modulus) in pairs.take(MOST_PAIRS) {
            self.fuel.spend(leaves.len() as u64)?;
            let mut near = nearest(leaves, factor, modulus)?;
            near.sort_by_key(|leaf| leaf.stride.abs());
            let mut reach = 0_i64;
            let grows = near.iter().all(|leaf| {
                let is_beyond = leaf.stride.abs() > reach;
                reach = reach.saturating_add(leaf.stride.abs().saturating_mul(leaf.size - 1));
                is_beyond && reach < modulus
            });
            if !grows {
                continue;
            }
            let Some(lowest) = lowest_within(&near, modulus)? else { continue };
            let multiple = sum.scale(factor).map_err(overflow)?;
            let within = within(&multiple, lowest, modulus).map_err(overflow)?;
            return self.read(near, within);
        }
        Ok(None)
    }
}

/// Returns the leaves with the strides of smallest magnitude that are congruent modulo `modulus` to `factor` times the original
/// strides.
fn nearest(leaves: &[Leaf], factor: i64, modulus: i64) -> Result<Vec<Leaf>, Refusal> {
    let half = modulus / 2;
    let near = leaves.iter().map(|leaf| {
        let stride = leaf.stride.checked_mul(factor).and_then(|stride| stride.checked_add(half));
        let stride = stride.ok_or(Refusal::Overflow)?.rem_euclid(modulus) - half;
        Ok(Leaf { stride, ..*leaf })
    });
    near.collect()
}

/// Returns the lowest sum of the leaves, if all sums are less than `modulus` above it.
fn lowest_within(leaves: &[Leaf], modulus: i64) -> Result<Option<i64>, Refusal> {
    let (mut lowest, mut width) = (0_i64, 0_i64);
    for leaf in leaves {
        let last = last(leaf)?;
        lowest = lowest.checked_add(last.min(0)).ok_or(Refusal::Overflow)?;
        width = width.checked_add(last.abs()).ok_or(Refusal::Overflow)?;
    }
    Ok((width < modulus).then_some(lowest))
}

/// Returns the number in `[lowest, lowest + modulus)` that is congruent to `sum` modulo `modulus`.
fn within(sum: &Expr, lowest: i64, modulus: i64) -> Result<Expr, ExprError> {
    let from_zero =
        Expr::sum(lowest.checked_neg().ok_or(ExprError::Overflow)?, [(1, sum.clone())])?;
    from_zero.modulo(modulus)?.add(&Expr::constant(lowest))
}

/// Returns moduli at which strides vanish: each stride, and the common divisors of two.
fn moduli(leaves: &[Leaf]) -> Result<Vec<i64>, Refusal> {
    let mut found = Vec::new();
    for (place, leaf) in leaves.iter().enumerate() {
        found.push(leaf.stride);
        for other in &leaves[..place] {
            found.push(gcd(leaf.stride, other.stride).ok_or(Refusal::Overflow)?);
        }
    }
    found.retain(|modulus| *modulus > 1);
    found.sort_unstable();
    found.dedup();
    Ok(found)
}

/// Returns the digit that is read off a sum, and the sum of the other leaves.
fn taken(sum: &Expr, leaf: &Leaf, read: &Read) -> Result<(Expr, Expr), ExprError> {
    match read {
        Read::Quotient => Ok((sum.floordiv(leaf.stride)?, sum.modulo(leaf.stride)?)),
        Read::Remainder(common, factor, modulus) => {
            let digit = sum.floordiv(*common)?.scale(*factor)?.modulo(*modulus)?;
            let own = digit.scale(-leaf.stride)?;
            let rest = sum.add(&own)?;
            Ok((digit, rest))
        }
    }
}

/// Returns the stride times the last digit.
fn last(leaf: &Leaf) -> Result<i64, Refusal> {
    leaf.stride.checked_mul(leaf.size - 1).ok_or(Refusal::Overflow)
}

/// Finds a leaf whose digit can be read without the others.
fn next(left: &[Leaf]) -> Result<Option<(usize, Read)>, Refusal> {
    let others = |place: usize| left.iter().enumerate().filter(move |(at, _)| *at != place);
    for (place, leaf) in left.iter().enumerate() {
        let reach = others(place).try_fold(0_i64, |sum, (_, other)| {
            sum.checked_add(last(other)?).ok_or(Refusal::Overflow)
        })?;
        if reach < leaf.stride {
            return Ok(Some((place, Read::Quotient)));
        }
    }
    for (place, leaf) in left.iter().enumerate() {
        if let Some(read) = remainder(left, place)?
            && let Read::Remainder(_, _, modulus) = read
            && leaf.size <= modulus
        {
            return Ok(Some((place, read)));
        }
    }
    Ok(None)
}

/// Finds how to read the digit of a leaf, or its remainder, from the sum modulo a common divisor of the others' strides.
fn remainder(leaves: &[Leaf], place: usize) -> Result<Option<Read>, Refusal> {
    let others = leaves.iter().enumerate().filter(|(at, _)| *at != place);
    let of_others =
        others.map(|(_, other)| other.stride).try_fold(0_i64, gcd).ok_or(Refusal::Overflow)?;
    let stride = leaves[place].stride;
    let common = gcd(stride, of_others).ok_or(Refusal::Overflow)?;
    if of_others == 0 || common == 0 {
        return Ok(None);
    }
    let modulus = of_others / common;
    let (_, factor, _) = extended_gcd(stride / common, modulus);
    Ok(Some(Read::Remainder(common, factor.rem_euclid(modulus), modulus)))
}

pub(super) fn overflow(_: ExprError) -> Refusal {
    Refusal::Overflow
}
