//! Sums over atoms: the canonical form for computing with index maps.
//!
//! Laws (`rules/linear.rules`, `sum-*` and `product-nesting`): addition is associative and commutative, like terms collect, an
//! integer factor distributes. They are never applied as rewrites: a [`Sum`] is kept in the normal form they define, so two sums
//! are equal as polynomials exactly when they are `==`. Arithmetic is checked; `None` means that a coefficient does not fit.

use crate::num::Interval;
use smallvec::SmallVec;
use std::cmp::Ordering;

/// The coefficients of atoms: a ring whose operations are checked.
pub trait Coefficient: Clone + PartialEq {
    /// Zero.
    fn zero() -> Self;
    /// One.
    fn one() -> Self;
    /// Returns `self + other`; `None` if it does not fit.
    fn checked_plus(&self, other: &Self) -> Option<Self>;
    /// Returns `self * other`; `None` if it does not fit.
    fn checked_times(&self, other: &Self) -> Option<Self>;

    /// Returns whether the coefficient is zero.
    fn is_zero(&self) -> bool {
        *self == Self::zero()
    }
}

macro_rules! integer_coefficients {
    ($($integer:ty)*) => {$(
        impl Coefficient for $integer {
            fn zero() -> Self {
                0
            }

            fn one() -> Self {
                1
            }

            fn checked_plus(&self, other: &Self) -> Option<Self> {
                self.checked_add(*other)
            }

            fn checked_times(&self, other: &Self) -> Option<Self> {
                self.checked_mul(*other)
            }
        }
    )*};
}

integer_coefficients!(i64 i128);

/// An atom with its coefficient.
pub trait Summand: Clone {
    /// Clones a list of terms.
    fn clones(list: &[Self]) -> SmallVec<[Self; 4]> {
        list.iter().cloned().collect()
    }

    /// Appends clones of a list of terms.
    fn append(list: &[Self], to: &mut SmallVec<[Self; 4]>) {
        to.extend(list.iter().cloned());
    }
}

/// Copies all terms at once, instead of cloning them one by one.
impl<A: Copy, C: Copy> Summand for (A, C) {
    fn clones(list: &[Self]) -> SmallVec<[Self; 4]> {
        SmallVec::from_slice(list)
    }

    fn append(list: &[Self], to: &mut SmallVec<[Self; 4]>) {
        to.extend_from_slice(list);
    }
}

/// The terms of a sum, sorted by atom, without a zero coefficient.
pub type Summands<A, C = i64> = SmallVec<[(A, C); 4]>;

/// `constant + coefficient * atom + ...`
#[derive(PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Sum<A, C = i64> {
    /// The summand without an atom.
    pub constant: C,
    terms: Summands<A, C>,
}

impl<A, C: Clone> Clone for Sum<A, C>
where
    (A, C): Summand,
{
    fn clone(&self) -> Sum<A, C> {
        Sum { constant: self.constant.clone(), terms: Summand::clones(&self.terms) }
    }
}

impl<A, C: Coefficient> Default for Sum<A, C> {
    fn default() -> Sum<A, C> {
        Sum { constant: C::zero(), terms: Summands::new() }
    }
}

impl<A: Ord + Clone, C: Coefficient> Sum<A, C>
where
    (A, C): Summand,
{
    /// Creates the sum that is just `value`.
    pub fn constant(value: C) -> Sum<A, C> {
        Sum { constant: value, terms: Summands::new() }
    }

    /// Creates the sum that is just `atom`.
    pub fn atom(atom: A) -> Sum<A, C> {
        Sum { constant: C::zero(), terms: std::iter::once((atom, C::one())).collect() }
    }

    /// Creates a sum from terms in any order; like terms collect (`sum-order`, `sum-collect`, `sum-zero`).
    pub fn new(constant: C, terms: impl IntoIterator<Item = (A, C)>) -> Option<Sum<A, C>> {
        let mut sorted: Summands<A, C> = terms.into_iter().collect();
        sorted.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        let mut sum = Sum::constant(constant);
        for (atom, coefficient) in sorted {
            match sum.terms.last_mut() {
                Some((last, total)) if *last == atom => {
                    *total = total.checked_plus(&coefficient)?;
                }
                _ => sum.terms.push((atom, coefficient)),
            }
        }
        sum.terms.retain(|(_, coefficient)| !coefficient.is_zero());
        Some(sum)
    }

    /// Creates a sum from some of the terms of another, in their order.
    pub fn of_sorted(constant: C, terms: impl Iterator<Item = (A, C)>) -> Sum<A, C> {
        let mut sum = Sum::constant(constant);
        for (atom, coefficient) in terms {
            debug_assert!(sum.terms.last().is_none_or(|(last, _)| *last < atom));
            if !coefficient.is_zero() {
                sum.terms.push((atom, coefficient));
            }
        }
        sum
    }

    /// Returns the terms in order.
    pub fn terms(&self) -> &[(A, C)] {
        &self.terms
    }

    /// Returns the constant, if there are no terms.
    pub fn as_constant(&self) -> Option<C> {
        self.terms.is_empty().then(|| self.constant.clone())
    }

    /// Returns the atom, if the sum is a single atom.
    pub fn as_atom(&self) -> Option<A> {
        match self.terms.as_slice() {
            [(atom, factor)] if *factor == C::one() && self.constant.is_zero() => {
                Some(atom.clone())
            }
            _ => None,
        }
    }

    /// Returns the coefficient of `atom`, or 0.
    pub fn coefficient(&self, atom: A) -> C {
        let mut terms = self.terms.iter();
        let found = terms.find(|(a, _)| *a == atom);
        found.map_or_else(C::zero, |(_, coefficient)| coefficient.clone())
    }

    /// Returns `self + factor * other` (`sum-nesting`, `sum-subtract`).
    pub fn plus(&self, factor: C, other: &Sum<A, C>) -> Option<Sum<A, C>> {
        if factor.is_zero() {
            return Some(self.clone());
        }
        let constant = self.constant.checked_plus(&factor.checked_times(&other.constant)?)?;
        let (mut left, mut right) = (self.terms.as_slice(), other.terms.as_slice());
        let mut terms = Summands::with_capacity(left.len() + right.len());
        while let ([first @ (a, x), left_rest @ ..], [(b, y), right_rest @ ..]) = (left, right) {
            match a.cmp(b) {
                Ordering::Less => {
                    terms.push(first.clone());
                    left = left_rest;
                }
                Ordering::Greater => {
                    terms.push((b.clone(), factor.checked_times(y)?));
                    right = right_rest;
                }
                Ordering::Equal => {
                    let coefficient = x.checked_plus(&factor.checked_times(y)?)?;
                    if !coefficient.is_zero() {
                        terms.push((a.clone(), coefficient));
                    }
                    (left, right) = (left_rest, right_rest);
                }
            }
        }
        Summand::append(left, &mut terms);
        for (b, y) in right {
            terms.push((b.clone(), factor.checked_times(y)?));
        }
        Some(Sum { constant, terms })
    }

    /// Adds `factor * other`; after `None` the sum must not be used.
    pub fn add(&mut self, factor: C, other: &Sum<A, C>) -> Option<()> {
        if self.terms.is_empty() && factor == C::one() {
            let constant = self.constant.checked_plus(&other.constant)?;
            *self = other.with_constant(constant);
        } else {
            *self = self.plus(factor, other)?;
        }
        Some(())
    }

    /// Returns `self + factor * atom`.
    pub fn plus_atom(&self, factor: C, atom: A) -> Option<Sum<A, C>> {
        let mut terms = Summand::clones(&self.terms);
        match terms.binary_search_by(|(a, _)| a.cmp(&atom)) {
            Ok(position) => {
                let coefficient = terms[position].1.checked_plus(&factor)?;
                if coefficient.is_zero() {
                    terms.remove(position);
                } else {
                    terms[position].1 = coefficient;
                }
            }
            Err(position) if !factor.is_zero() => terms.insert(position, (atom, factor)),
            Err(_) => {}
        }
        Some(Sum { constant: self.constant.clone(), terms })
    }

    /// Returns `factor * self` (`sum-distribute`, `product-nesting`).
    pub fn scaled(&self, factor: C) -> Option<Sum<A, C>> {
        Sum::default().plus(factor, self)
    }

    /// Returns `self + value`.
    pub fn shifted(&self, value: C) -> Option<Sum<A, C>> {
        Some(self.with_constant(self.constant.checked_plus(&value)?))
    }

    /// Returns the sum of the same terms with another constant.
    pub fn with_constant(&self, constant: C) -> Sum<A, C> {
        Sum { constant, terms: Summand::clones(&self.terms) }
    }

    /// Returns the sum without the term of `atom`.
    pub fn without(&self, atom: A) -> Sum<A, C> {
        let mut without = self.clone();
        if let Ok(position) = without.terms.binary_search_by(|(a, _)| a.cmp(&atom)) {
            without.terms.remove(position);
        }
        without
    }

    /// Returns whether there are no terms and the constant is zero.
    pub fn is_zero(&self) -> bool {
        self.terms.is_empty() && self.constant.is_zero()
    }
}

impl<A: Copy + Ord> Sum<A> {
    /// Returns an interval that contains all values, from an interval `of` each atom: see [`Interval::linear`].
    pub fn range(&self, of: impl Fn(A) -> Interval) -> Interval {
        let terms = self.terms.iter();
        Interval::linear(self.constant, terms.map(|(atom, c)| (*c, of(*atom))))
    }

    /// Returns `(multiples, rest)` with `self == factor * multiples + rest`: the terms whose coefficients are divisible by
    /// `factor` go to `multiples`, and so does the floor part of the constant (`sum-split`).
    pub fn split_multiples(&self, factor: i64) -> (Sum<A>, Sum<A>) {
        let mut multiples = Sum::constant(self.constant.div_euclid(factor));
        let mut rest = Sum::constant(self.constant.rem_euclid(factor));
        for &(atom, coefficient) in &self.terms {
            if coefficient % factor == 0 {
                multiples.terms.push((atom, coefficient / factor));
            } else {
                rest.terms.push((atom, coefficient));
            }
        }
        (multiples, rest)
    }

    /// Returns the sum of the least residues of the constant and of all coefficients modulo `modulus`, which is positive.
    pub fn residue(&self, modulus: i64) -> Sum<A> {
        let terms = self.terms.iter().map(|(atom, c)| (*atom, c.rem_euclid(modulus)));
        Sum::of_sorted(self.constant.rem_euclid(modulus), terms.filter(|(_, c)| *c != 0))
    }

    /// Returns whether the difference from another sum is a multiple of `modulus`, which is positive.
    pub fn is_congruent(&self, other: &Sum<A>, modulus: i64) -> bool {
        self.residue(modulus) == other.residue(modulus)
    }

    /// Divides the sum by a common factor of the constant and all coefficients; `None` if `factor` does not divide them all.
    pub fn divided(&self, factor: i64) -> Option<Sum<A>> {
        let (multiples, rest) = self.split_multiples(factor);
        rest.is_zero().then_some(multiples)
    }

    /// Returns `(multiples, rest)` with `self == factor * multiples + rest`, where `quotient` gives the number of multiples of
    /// `factor` to take out of each coefficient; the floor part of the constant is taken out too (`sum-split-coefficient`).
    pub fn split_by(
        &self,
        factor: i64,
        mut quotient: impl FnMut(A, i64) -> i64,
    ) -> Option<(Sum<A>, Sum<A>)> {
        let mut multiples = Sum::constant(self.constant.checked_div_euclid(factor)?);
        let mut rest = Sum::constant(self.constant.checked_rem_euclid(factor)?);
        for &(atom, coefficient) in &self.terms {
            let times = quotient(atom, coefficient);
            if times != 0 {
                multiples.terms.push((atom, times));
            }
            let left = coefficient.checked_sub(times.checked_mul(factor)?)?;
            if left != 0 {
                rest.terms.push((atom, left));
            }
        }
        Some((multiples, rest))
    }
}
