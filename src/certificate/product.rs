//! Products of sums: the arithmetic of polynomials over atoms.
//!
//! A monomial is an atom that is not a product, or a product of several of these. Law: each function returns the product of
//! integers, by its commutative, associative and distributive laws, for all values of the atoms.

use super::sum::{AtomId, Sum};
use super::values::{Atom, NoValue, Values};
use crate::num::gcd_wide;

/// Maximum number of terms of a product before like terms are added, and of steps of a division.
const MAX_TERMS: usize = 512;

/// Maximum number of factors of a monomial.
const MAX_DEGREE: usize = 24;

/// Sorted factors, none of them a product, with their coefficient; no factors for the constant.
type Term = (Vec<AtomId>, i128);

impl Values<'_> {
    /// Returns `x * y`.
    pub fn product(&mut self, x: &Sum, y: &Sum) -> Result<Sum, NoValue> {
        let scaled = |factor: i128, sum: &Sum| sum.scaled(factor).ok_or(NoValue::Overflow);
        match (x.as_integer(), y.as_integer()) {
            (Some(factor), _) => scaled(factor, y),
            (_, Some(factor)) => scaled(factor, x),
            _ => {
                let work = (1 + x.terms().len()).saturating_mul(1 + y.terms().len());
                self.spend(work).ok_or(NoValue::Stopped)?;
                self.multiplied(x, y, work).ok_or(NoValue::Overflow)
            }
        }
    }

    fn multiplied(&mut self, x: &Sum, y: &Sum, work: usize) -> Option<Sum> {
        if work > MAX_TERMS {
            return None;
        }
        let (x, y) = (self.monomials(x), self.monomials(y));
        let mut terms = Vec::with_capacity(work);
        for (left, c) in &x {
            for (right, d) in &y {
                let mut factors = [left.as_slice(), right.as_slice()].concat();
                factors.sort_unstable();
                terms.push((factors, c.checked_mul(*d)?));
            }
        }
        self.sum_of(terms)
    }

    /// Returns the factors of an atom: the atom itself, unless it is a product.
    pub fn factors<'v>(&'v self, atom: &'v AtomId) -> &'v [AtomId] {
        match self.atom(*atom) {
            Atom::Product(factors) => factors,
            _ => std::slice::from_ref(atom),
        }
    }

    /// Returns `(a, b)` with `sum == a * atom + b` and no `atom` in `b`.
    pub fn collected(&mut self, sum: &Sum, atom: AtomId) -> Option<(Sum, Sum)> {
        self.spend(1 + sum.terms().len())?;
        let (mut with, mut without) = (Vec::new(), Vec::new());
        for (mut factors, c) in self.monomials(sum) {
            match factors.iter().position(|factor| *factor == atom) {
                Some(place) => {
                    factors.remove(place);
                    with.push((factors, c));
                }
                None => without.push((factors, c)),
            }
        }
        Some((self.sum_of(with)?, self.sum_of(without)?))
    }

    /// Returns `(multiples, rest)` with `sum == by * multiples + rest`: terms divisible by the greatest term of `by` go to
    /// `multiples`; if `by` is an integer, the constant is divided with rounding down.
    pub fn divided(&mut self, sum: &Sum, by: &Sum) -> Option<(Sum, Sum)> {
        let (lead, factor) = self.monomials(by).into_iter().max_by(in_order)?;
        let (mut multiples, mut rest) = (Sum::default(), Sum::default());
        let mut left = sum.clone();
        for _ in 0..MAX_TERMS {
            self.spend(1 + left.terms().len())?;
            let Some((monomial, c)) = self.monomials(&left).into_iter().max_by(in_order) else {
                return Some((multiples, rest));
            };
            let times = match (monomial.is_empty(), by.as_integer()) {
                (true, Some(by)) => c.checked_div_euclid(by)?,
                _ if c.checked_rem(factor)? == 0 => c / factor,
                _ => 0,
            };
            let quotient = without(&monomial, &lead).filter(|_| times != 0);
            match quotient {
                Some(quotient) => {
                    let term = self.sum_of(vec![(quotient, times)])?;
                    left = left.plus(-1, &self.product(&term, by).ok()?)?;
                    multiples = multiples.plus(1, &term)?;
                    if monomial.is_empty() {
                        return Some((multiples, rest.plus(1, &left)?));
                    }
                }
                None => {
                    let term = self.sum_of(vec![(monomial, c)])?;
                    left = left.plus(-1, &term)?;
                    rest = rest.plus(1, &term)?;
                }
            }
        }
        None
    }

    /// Returns `sum / by`, if the division is exact.
    pub fn exactly(&mut self, sum: &Sum, by: &Sum) -> Option<Sum> {
        let (quotient, rest) = self.divided(sum, by)?;
        (rest.as_integer() == Some(0)).then_some(quotient)
    }

    /// Returns the greatest monomial, with a positive coefficient, that divides each term of two sums.
    pub fn common_factor(&mut self, x: &Sum, y: &Sum) -> Option<Sum> {
        let terms = [self.monomials(x), self.monomials(y)].concat();
        let ((mut common, first), rest) = terms.split_first().map(|(x, y)| (x.clone(), y))?;
        let mut content = first.unsigned_abs();
        for (factors, c) in rest {
            let mut factors = factors.clone();
            common.retain(|factor| {
                let place = factors.iter().position(|other| other == factor);
                place.map(|place| factors.remove(place)).is_some()
            });
            content = gcd_wide(content, c.unsigned_abs());
        }
        self.sum_of(vec![(common, i128::try_from(content).ok()?)])
    }

    /// Returns the product of the factors of `atom` except those of `part`, if `atom` has all of these.
    pub fn cofactor(&mut self, atom: AtomId, part: AtomId) -> Option<Sum> {
        let rest = without(self.factors(&atom), self.factors(&part))?;
        self.sum_of(vec![(rest, 1)])
    }

    /// Returns the terms of a sum, including the constant unless it is 0.
    fn monomials(&self, sum: &Sum) -> Vec<Term> {
        let terms = sum.terms().iter();
        let terms = terms.map(|(atom, c)| (self.factors(atom).to_vec(), *c));
        let constant = Some((Vec::new(), sum.constant())).filter(|(_, c)| *c != 0);
        terms.chain(constant).collect()
    }

    fn sum_of(&mut self, terms: Vec<Term>) -> Option<Sum> {
        let mut parts = Vec::with_capacity(terms.len());
        let mut constant = 0i128;
        for (factors, c) in terms {
            match factors.as_slice() {
                [] => constant = constant.checked_add(c)?,
                [only] => parts.push((c, Sum::atom(*only))),
                _ if factors.len() > MAX_DEGREE => return None,
                _ => {
                    let sizes = factors.iter().map(|x| self.size(&Sum::atom(*x)));
                    let size = sizes.fold(1, u64::saturating_add);
                    parts.push((c, self.intern(Atom::Product(factors), size)));
                }
            }
        }
        Sum::linear(constant, &parts)
    }
}

/// Orders terms by degree, then by the greatest factors: the greatest term of a product is the product of the greatest terms.
fn in_order((x, _): &Term, (y, _): &Term) -> std::cmp::Ordering {
    let by_degree = x.len().cmp(&y.len());
    by_degree.then_with(|| x.iter().rev().cmp(y.iter().rev()))
}

/// Removes the members of another sorted list; `None` if one of them is missing.
fn without(list: &[AtomId], other: &[AtomId]) -> Option<Vec<AtomId>> {
    let mut gone = other.iter().peekable();
    let mut rest = Vec::with_capacity(list.len());
    for factor in list {
        match gone.peek() {
            Some(next) if *next == factor => drop(gone.next()),
            _ => rest.push(*factor),
        }
    }
    gone.next().is_none().then_some(rest)
}
