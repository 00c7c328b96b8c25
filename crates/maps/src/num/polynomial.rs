//! Polynomials: sums over monomials.
//!
//! A monomial is a sorted list of atoms, an atom as often as its power. Terms are ordered by degree first, so the
//! greatest monomial of a product is the product of the greatest monomials.

use super::{Sum, Summand};
use smallvec::SmallVec;
use std::cmp::Ordering;

/// Maximum number of terms of a product or a replacement, and of steps of a division: beyond it there is no result.
const MAX_TERMS: usize = 256;

/// A product of atoms, sorted; never empty in a sum.
#[derive(PartialEq, Eq, Hash, Debug)]
pub struct Monomial<A: Copy>(pub SmallVec<[A; 4]>);

impl<A: Copy> Clone for Monomial<A> {
    #[inline]
    fn clone(&self) -> Monomial<A> {
        Monomial(SmallVec::from_slice(&self.0)) // a block copy, where `SmallVec::clone` clones each element
    }
}

impl<A: Copy + Ord> Monomial<A> {
    /// Returns the product of two monomials.
    pub fn times(&self, other: &Monomial<A>) -> Monomial<A> {
        let mut factors = SmallVec::from_slice(&self.0);
        factors.extend_from_slice(&other.0);
        factors.sort_unstable();
        Monomial(factors)
    }

    /// Divides by the factors of another monomial; `None` if it lacks one of them.
    pub fn without(&self, other: &[A]) -> Option<Monomial<A>> {
        without(&self.0, other)
    }

    /// Returns the multiplicity of an atom as a factor.
    pub fn power(&self, atom: A) -> usize {
        self.0.iter().filter(|factor| **factor == atom).count()
    }
}

/// Removes some factors from a sorted product; `None` if one of them does not occur.
pub fn without<A: Copy + Ord>(factors: &[A], others: &[A]) -> Option<Monomial<A>> {
    let mut rest = SmallVec::new();
    let mut gone = others.iter().peekable();
    for factor in factors {
        match gone.peek() {
            Some(next) if *next == factor => drop(gone.next()),
            _ => rest.push(*factor),
        }
    }
    gone.next().is_none().then_some(Monomial(rest))
}

/// Returns whether a sorted list contains all elements of another, with multiplicity.
pub fn contains_all<A: Ord>(list: &[A], others: &[A]) -> bool {
    let mut left = list.iter();
    others.iter().all(|other| left.any(|x| x == other))
}

impl<A: Copy + Ord> Ord for Monomial<A> {
    fn cmp(&self, other: &Monomial<A>) -> Ordering {
        let by_degree = self.0.len().cmp(&other.0.len());
        by_degree.then_with(|| self.0.iter().rev().cmp(other.0.iter().rev()))
    }
}

impl<A: Copy + Ord> PartialOrd for Monomial<A> {
    fn partial_cmp(&self, other: &Monomial<A>) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<A: Copy> Summand for (Monomial<A>, i64) {}

/// `constant + coefficient * monomial + ..`
pub type Polynomial<A> = Sum<Monomial<A>>;

/// Returns the polynomial that is a single atom.
pub fn atom<A: Copy + Ord>(atom: A) -> Polynomial<A> {
    Sum::atom(Monomial(SmallVec::from_slice(&[atom])))
}

/// Returns `x * y`; `None` if a coefficient does not fit or the product is too long.
pub fn product<A: Copy + Ord>(x: &Polynomial<A>, y: &Polynomial<A>) -> Option<Polynomial<A>> {
    if x.terms().len() * y.terms().len() > MAX_TERMS {
        return None;
    }
    let mut terms = Vec::with_capacity((x.terms().len() + 1) * (y.terms().len() + 1));
    for (left, c) in x.terms() {
        for (right, d) in y.terms() {
            terms.push((left.times(right), c.checked_mul(*d)?));
        }
        if y.constant != 0 {
            terms.push((left.clone(), c.checked_mul(y.constant)?));
        }
    }
    if x.constant != 0 {
        for (right, d) in y.terms() {
            terms.push((right.clone(), x.constant.checked_mul(*d)?));
        }
    }
    Sum::new(x.constant.checked_mul(y.constant)?, terms)
}

/// Returns `(multiples, rest)` with `x == by * multiples + rest`: the terms divisible by the greatest term of `by`, which is not
/// constant, go to `multiples`. `None` if a coefficient does not fit or the division is too long.
pub fn divided<A: Copy + Ord>(
    x: &Polynomial<A>,
    by: &Polynomial<A>,
) -> Option<(Polynomial<A>, Polynomial<A>)> {
    let (lead, factor) = by.terms().last()?;
    let is_divisible = |(monomial, c): &(Monomial<A>, i64)| {
        c.checked_rem(*factor) == Some(0) && contains_all(&monomial.0, &lead.0)
    };
    if !x.terms().iter().any(is_divisible) {
        return Some((Sum::constant(0), x.clone()));
    }
    let (mut left, mut multiples, mut rest) = (x.clone(), Vec::new(), Vec::new());
    for _ in 0..MAX_TERMS {
        let Some((monomial, c)) = left.terms().last().cloned() else {
            let rest = Sum::new(left.constant, rest)?;
            let (mut constant, mut terms) = (0, Vec::with_capacity(multiples.len()));
            for (monomial, c) in multiples {
                match Monomial::is_one(&monomial) {
                    true => constant = c,
                    false => terms.push((monomial, c)),
                }
            }
            return Some((Sum::new(constant, terms)?, rest));
        };
        let quotient = monomial.without(&lead.0);
        match quotient.filter(|_| c.checked_rem(*factor) == Some(0)) {
            Some(quotient) => {
                let times = c / factor;
                let term = match quotient.is_one() {
                    true => Sum::constant(times),
                    false => Sum::new(0, [(quotient.clone(), times)])?,
                };
                left = left.plus(-1, &product(&term, by)?)?;
                multiples.push((quotient, times));
            }
            None => {
                left = left.without(monomial.clone());
                rest.push((monomial, c));
            }
        }
    }
    None
}

impl<A: Copy> Monomial<A> {
    /// Returns whether the monomial has no factors.
    pub fn is_one(&self) -> bool {
        self.0.is_empty()
    }
}

/// Replaces an atom by a polynomial. `None` if a coefficient does not fit or the result is too long: its length doubles with each
/// factor of a product that is replaced by a sum.
pub fn replaced<A: Copy + Ord>(
    x: &Polynomial<A>,
    atom: A,
    by: &Polynomial<A>,
) -> Option<Polynomial<A>> {
    let mut total = Sum::constant(x.constant);
    for (monomial, c) in x.terms() {
        let mut rest = monomial.clone();
        rest.0.retain(|factor| *factor != atom);
        let mut term = match rest.is_one() {
            true => Sum::constant(*c),
            false => Sum::new(0, [(rest, *c)])?,
        };
        for _ in 0..monomial.power(atom) {
            term = product(&term, by)?;
        }
        total = total.plus(1, &term)?;
    }
    (total.terms().len() <= MAX_TERMS).then_some(total)
}

/// Returns `(a, b)` with `x == a * atom + b`, where neither contains the atom; `None` if `x` has a higher power of it.
pub fn collected<A: Copy + Ord>(
    x: &Polynomial<A>,
    atom: A,
) -> Option<(Polynomial<A>, Polynomial<A>)> {
    let (mut constant, mut with, mut without) = (0, Vec::new(), Vec::new());
    for (monomial, c) in x.terms() {
        match monomial.power(atom) {
            0 => without.push((monomial.clone(), *c)),
            1 => match monomial.without(&[atom])? {
                one if one.is_one() => constant = *c,
                rest => with.push((rest, *c)),
            },
            _ => return None,
        }
    }
    Some((Sum::new(constant, with)?, Sum::new(x.constant, without)?))
}
