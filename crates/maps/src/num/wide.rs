//! Polynomials over numbered unknowns, with 128-bit coefficients: the parts of conditions and goals of proofs.
//! Arithmetic is checked: `None` means that a coefficient exceeded 128 bits, or that there were more than `MAX_TERMS` terms.

use crate::num::{Sum, Summand, gcd_wide};
use smallvec::SmallVec;
use std::collections::BTreeMap;

/// Maximum number of terms of a product: products of sums expand exponentially.
const MAX_TERMS: usize = 2_000;

/// Maximum number of monomials among the factors of a polynomial.
const MAX_FACTORS: usize = 16;

/// An unknown of one obligation, by position among its names.
pub type Unknown = u16;

/// A product of unknowns, sorted, with repetition for powers; empty for 1.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Monomial(SmallVec<[Unknown; 6]>);

impl Monomial {
    /// Returns the unknowns, sorted; a square occurs twice.
    pub fn unknowns(&self) -> &[Unknown] {
        &self.0
    }

    fn times(&self, other: &Monomial) -> Monomial {
        let mut product = self.0.clone();
        product.extend_from_slice(&other.0);
        product.sort_unstable();
        Monomial(product)
    }

    /// Returns the greatest monomial that divides both.
    fn shared(&self, other: &Monomial) -> Monomial {
        let mut rest = other.0.clone();
        let mut taken = |unknown: &&Unknown| {
            let position = rest.iter().position(|other| other == *unknown);
            position.map(|position| rest.remove(position)).is_some()
        };
        Monomial(self.0.iter().filter(|unknown| taken(unknown)).copied().collect())
    }

    /// Returns the monomial without the unknowns of `divisor`; `None` if one does not occur.
    pub fn without(&self, divisor: &Monomial) -> Option<Monomial> {
        let mut rest = self.0.clone();
        for unknown in &divisor.0 {
            let position = rest.iter().position(|other| other == unknown)?;
            rest.remove(position);
        }
        Some(Monomial(rest))
    }
}

impl Summand for (Monomial, i128) {}

/// A sum of monomials; the part without unknowns is its constant, so no term has the monomial 1.
pub type Polynomial = Sum<Monomial, i128>;

impl Polynomial {
    /// Returns the polynomial that consists of one unknown.
    pub fn unknown(unknown: Unknown) -> Polynomial {
        Polynomial::atom(Monomial(SmallVec::from_slice(&[unknown])))
    }

    /// Returns the polynomial that consists of one monomial.
    pub fn monomial(monomial: Monomial) -> Polynomial {
        Polynomial::of_monomials(BTreeMap::from([(monomial, 1)]))
    }

    /// Builds a polynomial from coefficients by monomial, possibly including the monomial 1.
    fn of_monomials(mut monomials: BTreeMap<Monomial, i128>) -> Polynomial {
        let constant = monomials.remove(&Monomial::default()).unwrap_or(0);
        Polynomial::of_sorted(constant, monomials.into_iter())
    }

    /// Iterates over all monomials in order, including 1, each with its coefficient.
    fn monomials(&self) -> impl Iterator<Item = (Monomial, i128)> {
        let constant = (self.constant != 0).then(|| (Monomial::default(), self.constant));
        constant.into_iter().chain(self.terms().iter().cloned())
    }

    /// Returns the coefficient and the monomial, if there is one monomial and it is not constant.
    pub fn as_monomial(&self) -> Option<(i128, &Monomial)> {
        match self.terms() {
            [(monomial, coefficient)] if self.constant == 0 => Some((*coefficient, monomial)),
            _ => None,
        }
    }

    /// Returns the greatest number of unknowns in a monomial.
    pub fn degree(&self) -> usize {
        let degrees = self.terms().iter().map(|(monomial, _)| monomial.0.len());
        degrees.max().unwrap_or(0)
    }

    /// Returns the last monomial of the greatest degree, with its coefficient; `None` for a constant.
    pub fn leading(&self) -> Option<(Monomial, i128)> {
        let terms = self.terms().iter();
        let greatest = terms.max_by_key(|(monomial, _)| (monomial.0.len(), monomial.clone()));
        greatest.cloned()
    }

    /// Returns the greatest integer that divides all coefficients, except the constant.
    pub fn content(&self) -> i128 {
        self.terms().iter().fold(0, |content, (_, c)| gcd(content, *c))
    }

    /// Returns monomials that divide it, and possibly a part of `other`: with coefficients of at least 1, and other than 1; those
    /// of the highest degrees first.
    pub fn factors(&self, other: &Polynomial) -> Vec<Polynomial> {
        let mut content = self.constant;
        let mut common: Option<Monomial> = (self.constant != 0).then(Monomial::default);
        for (monomial, coefficient) in self.terms() {
            content = gcd(content, *coefficient);
            common = Some(match common {
                None => monomial.clone(),
                Some(known) => known.shared(monomial),
            });
        }
        let common = common.unwrap_or_default();
        let mut parts = vec![Monomial::default()];
        for unknown in common.unknowns() {
            for position in 0..parts.len().min(MAX_FACTORS) {
                let mut more = parts[position].clone();
                more.0.push(*unknown);
                if !parts.contains(&more) {
                    parts.push(more);
                }
            }
        }
        parts.sort_by_key(|monomial| std::cmp::Reverse(monomial.0.len()));
        let mut factors = Vec::new();
        for monomial in parts {
            let divisible = other.terms().iter();
            let divisible = divisible.filter(|(own, _)| own.without(&monomial).is_some());
            let mut coefficients: Vec<i128> = divisible.map(|(_, c)| gcd(content, *c)).collect();
            coefficients.extend([content, 1]);
            coefficients.sort_unstable_by_key(|c| std::cmp::Reverse(*c));
            coefficients.dedup();
            for coefficient in coefficients {
                let factor = Polynomial::monomial(monomial.clone()).scaled(coefficient);
                let factor = factor.filter(|factor| !matches!(factor.as_constant(), Some(..=1)));
                factors.extend(factor);
            }
        }
        factors
    }

    /// `self * other`
    pub fn times(&self, other: &Polynomial) -> Option<Polynomial> {
        let mut product: BTreeMap<Monomial, i128> = BTreeMap::new();
        for (x, c) in self.monomials() {
            if product.len() > MAX_TERMS {
                return None;
            }
            for (y, d) in other.monomials() {
                let entry = product.entry(x.times(&y)).or_insert(0);
                *entry = entry.checked_add(c.checked_mul(d)?)?;
            }
        }
        Some(Polynomial::of_monomials(product))
    }

    /// Returns the exact quotient by `coefficient * monomial` of the divisible terms, and whether all terms are divisible.
    pub fn divided(&self, coefficient: i128, monomial: &Monomial) -> (Polynomial, bool) {
        let mut quotient = BTreeMap::new();
        let mut all = true;
        for (x, c) in self.monomials() {
            match (x.without(monomial), c.checked_rem(coefficient)) {
                (Some(rest), Some(0)) => {
                    quotient.insert(rest, c / coefficient);
                }
                _ => all = false,
            }
        }
        (Polynomial::of_monomials(quotient), all)
    }

    /// Substitutes `value` for an unknown.
    pub fn replaced(&self, unknown: Unknown, value: &Polynomial) -> Option<Polynomial> {
        let mut monomials = self.terms().iter().map(|(monomial, _)| monomial);
        if !monomials.any(|monomial| monomial.0.contains(&unknown)) {
            return Some(self.clone());
        }
        let single = Monomial(SmallVec::from_slice(&[unknown]));
        let mut sum = Polynomial::default();
        for (mut rest, coefficient) in self.monomials() {
            let mut power = Polynomial::constant(coefficient);
            while let Some(smaller) = rest.without(&single) {
                (rest, power) = (smaller, power.times(value)?);
            }
            sum = sum.plus(1, &power.times(&Polynomial::monomial(rest))?)?;
        }
        Some(sum)
    }

    /// Returns the polynomial or its negation, whichever has a positive first coefficient.
    pub fn oriented(self) -> Option<Polynomial> {
        let first = self.monomials().next();
        match first {
            Some((_, ..0)) => self.scaled(-1),
            _ => Some(self),
        }
    }

    /// Evaluates the polynomial at integers, one for each unknown.
    pub fn eval(&self, values: &[i128]) -> Option<i128> {
        self.monomials().try_fold(0i128, |total, (monomial, coefficient)| {
            let mut unknowns = monomial.0.iter();
            let product = unknowns.try_fold(coefficient, |product, unknown| {
                product.checked_mul(*values.get(*unknown as usize)?)
            })?;
            total.checked_add(product)
        })
    }
}

fn gcd(x: i128, y: i128) -> i128 {
    i128::try_from(gcd_wide(x.unsigned_abs(), y.unsigned_abs())).unwrap_or(1)
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
        assert_eq!(Polynomial::constant(i128::MAX).plus(1, &Polynomial::constant(1)), None);
    }
}
