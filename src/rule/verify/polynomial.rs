//! Polynomials over integer unknowns, with checked arithmetic: `None` means that a coefficient left
//! 128 bits, or that there were more than [`MAX_TERMS`] terms.

use smallvec::SmallVec;
use std::collections::BTreeMap;

/// Most terms of a product: brackets multiply out to exponentially many.
const MAX_TERMS: usize = 2_000;

/// An unknown of one obligation, by position among its names.
pub type Unknown = u16;

/// A product of unknowns, sorted, with repetition for powers; empty for 1.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Monomial(SmallVec<[Unknown; 6]>);

impl Monomial {
    /// The unknowns, sorted; a square occurs twice.
    pub fn unknowns(&self) -> &[Unknown] {
        &self.0
    }

    fn times(&self, other: &Monomial) -> Monomial {
        let mut product = self.0.clone();
        product.extend_from_slice(&other.0);
        product.sort_unstable();
        Monomial(product)
    }

    /// What is left when the unknowns of `divisor` are taken out; `None` if one is not there.
    fn without(&self, divisor: &Monomial) -> Option<Monomial> {
        let mut rest = self.0.clone();
        for unknown in &divisor.0 {
            let position = rest.iter().position(|other| other == unknown)?;
            rest.remove(position);
        }
        Some(Monomial(rest))
    }
}

/// Integer coefficients by monomial; no coefficient is 0.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Polynomial(BTreeMap<Monomial, i128>);

impl Polynomial {
    /// The constant polynomial `value`.
    pub fn constant(value: i128) -> Polynomial {
        Polynomial::of_monomial(value, Monomial::default())
    }

    /// The polynomial that is one unknown.
    pub fn unknown(unknown: Unknown) -> Polynomial {
        Polynomial::of_monomial(1, Monomial(SmallVec::from_slice(&[unknown])))
    }

    fn of_monomial(coefficient: i128, monomial: Monomial) -> Polynomial {
        let terms = (coefficient != 0).then_some((monomial, coefficient));
        Polynomial(terms.into_iter().collect())
    }

    /// Monomials in order, each with its coefficient.
    pub fn terms(&self) -> impl ExactSizeIterator<Item = (&Monomial, i128)> {
        self.0
            .iter()
            .map(|(monomial, coefficient)| (monomial, *coefficient))
    }

    /// The integer that it is, if no unknown occurs.
    pub fn as_constant(&self) -> Option<i128> {
        match self.0.iter().next() {
            None => Some(0),
            Some((monomial, value)) => {
                (self.0.len() == 1 && monomial.0.is_empty()).then_some(*value)
            }
        }
    }

    /// The coefficient and the monomial, if there is one monomial and it is not constant.
    pub fn as_monomial(&self) -> Option<(i128, &Monomial)> {
        let (monomial, coefficient) = self.0.iter().next()?;
        (self.0.len() == 1 && !monomial.0.is_empty()).then_some((*coefficient, monomial))
    }

    /// Greatest number of unknowns in a monomial.
    pub fn degree(&self) -> usize {
        self.0
            .keys()
            .map(|monomial| monomial.0.len())
            .max()
            .unwrap_or(0)
    }

    /// Does the unknown occur?
    pub fn mentions(&self, unknown: Unknown) -> bool {
        self.0.keys().any(|monomial| monomial.0.contains(&unknown))
    }

    /// `self + factor * other`
    pub fn plus(&self, factor: i128, other: &Polynomial) -> Option<Polynomial> {
        let mut sum = self.0.clone();
        for (monomial, coefficient) in &other.0 {
            let entry = sum.entry(monomial.clone()).or_insert(0);
            *entry = entry.checked_add(factor.checked_mul(*coefficient)?)?;
        }
        sum.retain(|_, coefficient| *coefficient != 0);
        Some(Polynomial(sum))
    }

    /// `self * other`
    pub fn times(&self, other: &Polynomial) -> Option<Polynomial> {
        let mut product: BTreeMap<Monomial, i128> = BTreeMap::new();
        for (x, c) in &self.0 {
            if product.len() > MAX_TERMS {
                return None;
            }
            for (y, d) in &other.0 {
                let entry = product.entry(x.times(y)).or_insert(0);
                *entry = entry.checked_add(c.checked_mul(*d)?)?;
            }
        }
        product.retain(|_, coefficient| *coefficient != 0);
        Some(Polynomial(product))
    }

    /// Exact quotient by `coefficient * monomial` of the terms that it divides, and whether it
    /// divides all of them.
    pub fn divided(&self, coefficient: i128, monomial: &Monomial) -> (Polynomial, bool) {
        let mut quotient = BTreeMap::new();
        for (x, c) in &self.0 {
            if let (Some(rest), Some(0)) = (x.without(monomial), c.checked_rem(coefficient)) {
                quotient.insert(rest, c / coefficient);
            }
        }
        let all = quotient.len() == self.0.len();
        (Polynomial(quotient), all)
    }

    /// Puts `value` in the place of an unknown.
    pub fn replaced(&self, unknown: Unknown, value: &Polynomial) -> Option<Polynomial> {
        if !self.mentions(unknown) {
            return Some(self.clone());
        }
        let single = Monomial(SmallVec::from_slice(&[unknown]));
        let mut sum = Polynomial::default();
        for (monomial, coefficient) in &self.0 {
            let (mut rest, mut power) = (monomial.clone(), Polynomial::constant(*coefficient));
            while let Some(smaller) = rest.without(&single) {
                (rest, power) = (smaller, power.times(value)?);
            }
            sum = sum.plus(1, &power.times(&Polynomial::of_monomial(1, rest))?)?;
        }
        Some(sum)
    }

    /// `-self`
    pub fn negated(&self) -> Option<Polynomial> {
        Polynomial::default().plus(-1, self)
    }

    /// The polynomial or its negation: the one whose first coefficient is positive.
    pub fn oriented(self) -> Option<Polynomial> {
        match self.0.values().next() {
            Some(coefficient) if *coefficient < 0 => self.negated(),
            _ => Some(self),
        }
    }

    /// Value at integers, one for each unknown.
    #[cfg(test)]
    pub fn eval(&self, values: &[i128]) -> Option<i128> {
        self.0
            .iter()
            .try_fold(0i128, |total, (monomial, coefficient)| {
                let product = monomial
                    .0
                    .iter()
                    .try_fold(*coefficient, |product, unknown| {
                        product.checked_mul(*values.get(*unknown as usize)?)
                    })?;
                total.checked_add(product)
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic() {
        let (x, y) = (Polynomial::unknown(0), Polynomial::unknown(1));
        let sum = x.plus(2, &y).unwrap(); // x + 2y
        let square = sum.times(&sum).unwrap();
        assert_eq!(square.eval(&[3, 5]), Some(169));
        assert_eq!(square.degree(), 2);
        assert_eq!(square.plus(-1, &square).unwrap().as_constant(), Some(0));
        let (quotient, all) = square.divided(1, &Monomial(SmallVec::from_slice(&[1])));
        assert!(!all, "x^2 has no y");
        assert_eq!(quotient.eval(&[3, 5]), Some(4 * 3 + 4 * 5));
        assert_eq!(square.replaced(0, &y).unwrap().eval(&[0, 5]), Some(225));
        assert_eq!(
            Polynomial::constant(i128::MAX).plus(1, &Polynomial::constant(1)),
            None
        );
    }
}
