//! Residues: the value of a term modulo some integer.

use crate::num;

/// All values are congruent to `value` modulo `modulus`; equal to it if the modulus is 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Residue {
    modulus: i64,
    value: i64,
}

impl Residue {
    /// No information.
    pub const ANY: Residue = Residue { modulus: 1, value: 0 };

    /// Creates a residue from a modulus of at least 0 and an integer.
    fn new(modulus: i64, value: i64) -> Residue {
        let value = if modulus == 0 { value } else { num::modulo(value, modulus) };
        Residue { modulus, value }
    }

    /// Returns the residue of `constant + coefficient * x + ..`.
    pub fn linear(constant: i64, mut terms: impl Iterator<Item = (i64, Residue)>) -> Residue {
        let whole = terms.try_fold(Residue::new(0, constant), |sum, (coefficient, x)| {
            let modulus = num::gcd(sum.modulus, coefficient.checked_mul(x.modulus)?)?;
            let value = coefficient.checked_mul(x.value)?.checked_add(sum.value)?;
            Some(Residue::new(modulus, value))
        });
        whole.unwrap_or(Residue::ANY)
    }

    /// Returns the residue of the quotient by `divisor`.
    pub fn floordiv(self, divisor: i64) -> Residue {
        match self.modulus % divisor {
            0 => Residue::new(self.modulus / divisor, num::floordiv(self.value, divisor)),
            _ => Residue::ANY,
        }
    }

    /// Returns the residue of the remainder by `modulus`.
    pub fn modulo(self, modulus: i64) -> Residue {
        match self.of(modulus) {
            Some(value) => Residue::new(0, value),
            None => Residue::ANY,
        }
    }

    /// Returns the residue modulo `modulus`, if it is unique.
    pub fn of(self, modulus: i64) -> Option<i64> {
        (self.modulus % modulus == 0).then(|| num::modulo(self.value, modulus))
    }

    /// Returns a modulus of at least 2 and the residue; `None` for an integer, and if nothing is known.
    pub fn known(self) -> Option<(i64, i64)> {
        (self.modulus >= 2).then_some((self.modulus, self.value))
    }

    /// Returns the more precise of two.
    pub fn and(self, other: Residue) -> Residue {
        let says_more = match (self.modulus, other.modulus) {
            (0, _) => false,
            (_, 0) => true,
            (own, others) => others > own,
        };
        if says_more { other } else { self }
    }
}
