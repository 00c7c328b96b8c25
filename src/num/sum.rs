//! Sums over atoms: the canonical form in which index maps are computed with.
//!
//! Laws (`rules/linear.rules`, `sum-*` and `product-nesting`): addition is associative and commutative,
//! like terms collect, an integer factor distributes. Nothing fires them: a [`Sum`] is kept in the
//! one form they lead to, so two sums are equal as polynomials exactly when they are `==`.
//! Arithmetic is checked; `None` means that a coefficient does not fit into 64 bits.

use smallvec::SmallVec;
use std::cmp::Ordering;

/// The terms of a sum, sorted by atom, without a zero coefficient.
pub type Summands<A> = SmallVec<[(A, i64); 4]>;

/// `constant + coefficient * atom + ...`
#[derive(PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Sum<A> {
    /// The integer summand.
    pub constant: i64,
    terms: Summands<A>,
}

impl<A: Copy> Clone for Sum<A> {
    fn clone(&self) -> Sum<A> {
        Sum {
            constant: self.constant,
            terms: Summands::from_slice(&self.terms), // one copy, where a derived clone goes term by term
        }
    }
}

impl<A> Default for Sum<A> {
    fn default() -> Sum<A> {
        Sum {
            constant: 0,
            terms: Summands::new(),
        }
    }
}

impl<A: Copy + Ord> Sum<A> {
    /// The sum that is just `value`.
    pub fn constant(value: i64) -> Sum<A> {
        Sum {
            constant: value,
            terms: Summands::new(),
        }
    }

    /// The sum that is just `atom`.
    pub fn atom(atom: A) -> Sum<A> {
        Sum {
            constant: 0,
            terms: Summands::from_slice(&[(atom, 1)]),
        }
    }

    /// A sum from terms in any order; like terms collect (`sum-order`, `sum-collect`, `sum-zero`).
    pub fn new(constant: i64, terms: impl IntoIterator<Item = (A, i64)>) -> Option<Sum<A>> {
        let mut sorted: Summands<A> = terms.into_iter().collect();
        sorted.sort_unstable_by_key(|(atom, _)| *atom);
        let mut sum = Sum {
            constant,
            terms: Summands::new(),
        };
        for (atom, coefficient) in sorted {
            match sum.terms.last_mut() {
                Some((last, total)) if *last == atom => *total = total.checked_add(coefficient)?,
                _ => sum.terms.push((atom, coefficient)),
            }
        }
        sum.terms.retain(|(_, coefficient)| *coefficient != 0);
        Some(sum)
    }

    /// A sum of some of the terms of another, in their order.
    pub fn of_sorted(constant: i64, terms: impl Iterator<Item = (A, i64)>) -> Sum<A> {
        let mut sum = Sum::constant(constant);
        for (atom, coefficient) in terms {
            debug_assert!(sum.terms.last().is_none_or(|(last, _)| *last < atom));
            if coefficient != 0 {
                sum.terms.push((atom, coefficient));
            }
        }
        sum
    }

    /// The terms in order.
    pub fn terms(&self) -> &[(A, i64)] {
        &self.terms
    }

    /// The integer, if there is no term.
    pub fn as_constant(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// The atom, if the sum is just that.
    pub fn as_atom(&self) -> Option<A> {
        match self.terms.as_slice() {
            [(atom, 1)] if self.constant == 0 => Some(*atom),
            _ => None,
        }
    }

    /// The coefficient of `atom`, or 0.
    pub fn coefficient(&self, atom: A) -> i64 {
        self.terms
            .iter()
            .find(|(a, _)| *a == atom)
            .map_or(0, |(_, coefficient)| *coefficient)
    }

    /// `self + factor * other` (`sum-nesting`, `sum-subtract`).
    pub fn plus(&self, factor: i64, other: &Sum<A>) -> Option<Sum<A>> {
        if factor == 0 {
            return Some(self.clone());
        }
        let constant = self
            .constant
            .checked_add(factor.checked_mul(other.constant)?)?;
        let (mut left, mut right) = (self.terms.as_slice(), other.terms.as_slice());
        let mut terms = Summands::with_capacity(left.len() + right.len());
        while let ([(a, x), left_rest @ ..], [(b, y), right_rest @ ..]) = (left, right) {
            match a.cmp(b) {
                Ordering::Less => {
                    terms.push((*a, *x));
                    left = left_rest;
                }
                Ordering::Greater => {
                    terms.push((*b, factor.checked_mul(*y)?));
                    right = right_rest;
                }
                Ordering::Equal => {
                    let coefficient = x.checked_add(factor.checked_mul(*y)?)?;
                    if coefficient != 0 {
                        terms.push((*a, coefficient));
                    }
                    (left, right) = (left_rest, right_rest);
                }
            }
        }
        terms.extend_from_slice(left);
        for (b, y) in right {
            terms.push((*b, factor.checked_mul(*y)?));
        }
        Some(Sum { constant, terms })
    }

    /// Adds `factor * other`; after `None` the sum is of no use.
    pub fn add(&mut self, factor: i64, other: &Sum<A>) -> Option<()> {
        if self.terms.is_empty() && factor == 1 {
            let constant = self.constant.checked_add(other.constant)?;
            self.clone_from(other);
            self.constant = constant;
        } else {
            *self = self.plus(factor, other)?;
        }
        Some(())
    }

    /// `self + factor * atom`.
    pub fn plus_atom(&self, factor: i64, atom: A) -> Option<Sum<A>> {
        let mut terms = Summands::from_slice(&self.terms);
        match terms.binary_search_by_key(&atom, |(a, _)| *a) {
            Ok(position) => {
                let coefficient = terms[position].1.checked_add(factor)?;
                if coefficient == 0 {
                    terms.remove(position);
                } else {
                    terms[position].1 = coefficient;
                }
            }
            Err(position) if factor != 0 => terms.insert(position, (atom, factor)),
            Err(_) => {}
        }
        Some(Sum {
            constant: self.constant,
            terms,
        })
    }

    /// `factor * self` (`sum-distribute`, `product-nesting`).
    pub fn scaled(&self, factor: i64) -> Option<Sum<A>> {
        Sum::default().plus(factor, self)
    }

    /// `self + value`.
    pub fn shifted(&self, value: i64) -> Option<Sum<A>> {
        Some(self.with_constant(self.constant.checked_add(value)?))
    }

    /// The same terms with another constant.
    pub fn with_constant(&self, constant: i64) -> Sum<A> {
        Sum {
            constant,
            terms: Summands::from_slice(&self.terms),
        }
    }

    /// Without the term of `atom`.
    pub fn without(&self, atom: A) -> Sum<A> {
        let mut without = self.clone();
        if let Ok(position) = without.terms.binary_search_by_key(&atom, |(a, _)| *a) {
            without.terms.remove(position);
        }
        without
    }

    /// `(multiples, rest)` with `self == factor * multiples + rest`: the terms whose coefficient
    /// `factor` divides go to `multiples`, and so does the floor part of the constant (`sum-split`).
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

    /// `(multiples, rest)` with `self == factor * multiples + rest`, where `quotient` says how many
    /// multiples of `factor` leave each coefficient; the floor part of the constant leaves too
    /// (`sum-split-coefficient`).
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

    /// Is there neither a term nor a constant?
    pub fn is_zero(&self) -> bool {
        self.constant == 0 && self.terms.is_empty()
    }
}
