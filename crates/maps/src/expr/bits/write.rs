//! Writes a form over bits as an expression.
//!
//! Law: bits that move together are one digit, `x floordiv 2^i mod 2^m * 2^k`; a sum of r bits is one `(x floordiv 2^i + y
//! floordiv 2^j + ..) mod 2 * 2^k`. With weights `w`, a sum of adjacent digits telescopes to `sum of (w(j) - 2 * w(j - 1)) * (x
//! floordiv 2^j)`, which is used where it is shorter. Joined digits (`join`) are shorter still.

use super::digit::{Digit, cut_digit, power};
use super::form::{BitForm, Parity, Source};
use super::join::{next_pair, on_digit, pair};
use crate::expr::{Expr, ExprError};
use std::collections::BTreeMap;

impl Parity {
    /// Writes the bit as an expression.
    ///
    /// # Errors
    /// [`ExprError`] if it is too large.
    pub fn to_expr(&self, sources: &[Source]) -> Result<Expr, ExprError> {
        let mut terms = Vec::new();
        for (source, place) in self.ones() {
            terms.push((1, sources[source].value.floordiv(power(place)?)?));
        }
        if let (false, [(source, place)]) = (self.flipped, &*self.ones().collect::<Vec<_>>())
            && sources[*source].width == Some(place + 1)
        {
            return Expr::sum(0, terms);
        }
        Expr::sum(i64::from(self.flipped), terms)?.modulo(2)
    }
}

impl BitForm {
    /// Writes the value as an expression.
    ///
    /// # Errors
    /// [`ExprError`] if it is too large.
    pub fn to_expr(&self) -> Result<Expr, ExprError> {
        self.written(Joining::None)
    }

    /// Writes the value as an expression with fewer operations if joining digits saves any; the result is harder to read.
    ///
    /// # Errors
    /// [`ExprError`] if it is too large.
    pub fn to_shorter_expr(&self) -> Result<Expr, ExprError> {
        let mut best = self.to_expr()?;
        for joining in [Joining::Separate, Joining::All] {
            let other = self.written(joining)?;
            if other.cost().ops < best.cost().ops {
                best = other;
            }
        }
        Ok(best)
    }

    fn written(&self, joining: Joining) -> Result<Expr, ExprError> {
        let mut sums = Vec::new();
        let mut constant = 0_i64;
        // The weights of single bits, by source.
        let mut weights: Vec<BTreeMap<u32, i64>> = vec![BTreeMap::new(); self.sources.len()];
        for (place, bit) in self.bits.iter().enumerate() {
            let unit = power(place as u32)?;
            let mut ones = bit.ones();
            match (ones.next(), ones.next()) {
                (None, _) => constant += if bit.flipped { unit } else { 0 },
                (Some((source, at)), None) => {
                    let weight = weights[source].entry(at).or_insert(0);
                    match bit.flipped {
                        false if *weight >= 0 => *weight += unit,
                        // A flipped bit is `1 - b`. Only for a bit used once: otherwise the sign of its weight would be
                        // ambiguous.
                        true if *weight == 0 => {
                            *weight = -unit;
                            constant += unit;
                        }
                        _ => sums.push((unit, bit)),
                    }
                }
                _ => sums.push((unit, bit)),
            }
        }
        let mut all: Vec<Vec<Digit>> = weights.iter().map(digits).collect();
        let mut terms = Vec::new();
        for (unit, bit) in sums {
            let joined = match joining {
                Joining::None => None,
                _ => on_digit(&self.sources, &mut all, unit, bit)?,
            };
            terms.push(match joined {
                Some(term) => term,
                None => (unit, bit.to_expr(&self.sources)?),
            });
        }
        if let Some((source, from)) = self.rest {
            let whole = self.sources[source].value.floordiv(power(from)?)?;
            terms.push((power(self.bits.len() as u32)?, whole));
        }
        for (source, digits) in self.sources.iter().zip(&all) {
            terms.extend(single_bits(source, digits, joining)?);
        }
        Expr::sum(constant, terms)
    }
}

/// Groups bits into digits by their weights: runs in which each bit weighs twice the one before.
fn digits(weights: &BTreeMap<u32, i64>) -> Vec<Digit> {
    let mut digits: Vec<Digit> = Vec::new();
    for (place, weight) in weights {
        match digits.last_mut() {
            Some(last)
                if last.end == *place
                    && last
                        .weight
                        .checked_shl(place - last.from)
                        .map(|w| w >> (place - last.from))
                        == Some(last.weight)
                    && last.weight << (place - last.from) == *weight =>
            {
                last.end += 1;
            }
            _ => digits.push(Digit { from: *place, end: place + 1, weight: *weight }),
        }
    }
    digits
}

type Terms = Vec<(i64, Expr)>;

/// Maximum number of operations per used bit for digits that are written one by one.
const MOST_FOR_A_BIT: u64 = 3;

/// Which digits may be joined.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Joining {
    None,
    /// Only digits that are not part of a shorter sum.
    Separate,
    All,
}

/// Returns the sum of all digits of a source: one by one, or, for a run of adjacent digits, in the shorter way.
fn single_bits(source: &Source, digits: &[Digit], joining: Joining) -> Result<Terms, ExprError> {
    let mut all = Vec::new();
    let mut separate = Vec::new();
    for chain in digits.chunk_by(|x, y| x.end == y.from) {
        let cut =
            chain.iter().map(|digit| cut_digit(source, digit)).collect::<Result<Terms, _>>()?;
        let size = |terms: &Terms| Expr::sum(0, terms.iter().cloned()).map(|sum| sum.cost().ops);
        let bits =
            |digit: &Digit| (digit.end - digit.from) * digit.weight.unsigned_abs().count_ones();
        let bits: u64 = chain.iter().map(|digit| u64::from(bits(digit))).sum();
        // One more operation adds it to the remaining terms.
        let is_long = size(&cut)? + 1 > MOST_FOR_A_BIT * bits && joining != Joining::All;
        match telescoped(source, chain)?.filter(|_| is_long) {
            Some(other) if size(&other)? < size(&cut)? => all.extend(other),
            _ => separate.extend(chain),
        }
    }
    if joining != Joining::None {
        while let Some((lower, upper)) = next_pair(&separate) {
            let upper = separate.remove(upper);
            all.push(pair(source, separate.remove(lower), upper)?);
        }
    }
    for digit in separate {
        all.push(cut_digit(source, digit)?);
    }
    Ok(all)
}

/// Writes a run of adjacent digits as a telescoped sum; `None` if a coefficient does not fit.
fn telescoped(source: &Source, digits: &[Digit]) -> Result<Option<Terms>, ExprError> {
    let mut terms = Vec::new();
    // The part of the value above each border has the weight given by the digit below, which is subtracted again.
    let mut before = 0_i64;
    let end = digits.last().filter(|last| source.width != Some(last.end));
    let end = end.map(|last| Digit { from: last.end, end: last.end, weight: 0 });
    for digit in digits.iter().chain(end.as_ref()) {
        let Some(coefficient) = digit.weight.checked_sub(before) else {
            return Ok(None);
        };
        terms.push((coefficient, source.value.floordiv(power(digit.from)?)?));
        let Some(next) = power(digit.end - digit.from)?.checked_mul(digit.weight) else {
            return Ok(None);
        };
        before = next;
    }
    Ok(Some(terms))
}
