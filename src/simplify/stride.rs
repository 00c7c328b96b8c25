//! Sums of variables whose remainder the domain states. One variable of such a sum is written in terms of the sum's quotient.
//!
//! Law: where `of mod modulus = residue`, and `q` is `of floordiv modulus`, `of` is `modulus * q + residue`, and for each
//! divisor `g` of the modulus `of floordiv g` is `modulus / g * q + residue floordiv g`.

use super::linear::{AtomId, Linear};
use crate::num;

/// A sum with its quotient.
#[derive(Clone)]
pub struct Stride {
    /// The variable that is written in terms of the quotient.
    pub(super) variable: AtomId,
    pub(super) value: Linear,
    pub(super) quotient: AtomId,
    pub(super) of: Linear,
    /// At least 2.
    pub(super) modulus: i64,
    pub(super) residue: i64,
}

/// `coefficient * (of floordiv divisor)`
pub struct Part {
    pub(super) coefficient: i64,
    pub(super) of: Linear,
    pub(super) divisor: i64,
}

/// The sums of a domain; no variable of one is written in terms of the quotient of another.
#[derive(Clone, Default)]
pub struct Strides(Vec<Stride>);

impl Strides {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn push(&mut self, stride: Stride) {
        self.0.push(stride);
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Stride> {
        self.0.iter()
    }

    /// Returns the value of a variable that is written in terms of a quotient.
    pub(super) fn value_of(&self, variable: AtomId) -> Option<&Linear> {
        self.0.iter().find(|stride| stride.variable == variable).map(|stride| &stride.value)
    }

    /// Replaces multiples of the quotients by the sums themselves, or by their quotients by smaller divisors; `None` if there
    /// is nothing to replace, or a number does not fit in 64 bits.
    pub(super) fn written(&self, sum: &Linear) -> Option<(Linear, Vec<Part>)> {
        let (mut rest, mut parts) = (sum.clone(), Vec::new());
        for stride in &self.0 {
            let coefficient = sum.coefficient(stride.quotient);
            let common = num::gcd(coefficient, stride.modulus)?;
            if coefficient == 0 || common == 1 {
                continue;
            }
            let (times, divisor) = (coefficient / common, stride.modulus / common);
            rest = rest.plus_atom(coefficient.checked_neg()?, stride.quotient)?;
            if divisor == 1 {
                rest = rest.plus(times, &stride.of)?;
            } else {
                parts.push(Part { coefficient: times, of: stride.of.clone(), divisor });
            }
            let residue = num::floordiv(stride.residue, divisor).checked_mul(times)?;
            rest = rest.shifted(residue.checked_neg()?)?;
        }
        (rest != *sum).then_some((rest, parts))
    }

    /// Returns the least factor, if not 1, that makes the coefficient of each quotient a multiple of its modulus.
    pub(super) fn missing(&self, sum: &Linear) -> Option<i64> {
        let missing = |stride: &Stride| {
            let coefficient = sum.coefficient(stride.quotient);
            Some(stride.modulus / num::gcd(coefficient, stride.modulus)?)
        };
        let found = self.0.iter().try_fold(1, |all, stride| num::lcm(all, missing(stride)?))?;
        (found > 1).then_some(found)
    }
}
