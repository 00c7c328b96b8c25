//! Sums of atoms with integer coefficients: the arithmetic of the replayer.
//!
//! Law: two sums are equal as polynomials exactly when they are `==`. Coefficients have 128 bits and are checked: `None`
//! means that one does not fit. Independent of [`crate::num::Sum`], which the simplifier uses, so that a fault there cannot
//! hide itself.

use crate::num::gcd_wide;

/// The index of an atom in its [`Values`](super::values::Values).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct AtomId(pub u32);

/// `constant + coefficient * atom + ..`: terms sorted by atom, no coefficient 0.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Sum {
    terms: Vec<(AtomId, i128)>,
    constant: i128,
}

impl Sum {
    /// Returns the constant `value`.
    pub fn integer(value: i128) -> Sum {
        Sum { terms: Vec::new(), constant: value }
    }

    /// Returns the sum of one `atom`.
    pub fn atom(atom: AtomId) -> Sum {
        Sum { terms: vec![(atom, 1)], constant: 0 }
    }

    /// Returns `constant + factor * sum + ..`, in time linear in the number of terms.
    pub fn linear(constant: i128, parts: &[(i128, Sum)]) -> Option<Sum> {
        let (mut terms, mut total) = (Vec::new(), constant);
        for (factor, sum) in parts.iter().filter(|(factor, _)| *factor != 0) {
            total = total.checked_add(factor.checked_mul(sum.constant)?)?;
            for (atom, coefficient) in &sum.terms {
                terms.push((*atom, factor.checked_mul(*coefficient)?));
            }
        }
        terms.sort_by_key(|(atom, _)| *atom);
        let mut merged: Vec<(AtomId, i128)> = Vec::with_capacity(terms.len());
        for (atom, coefficient) in terms {
            match merged.last_mut().filter(|(last, _)| *last == atom) {
                Some((_, known)) => *known = known.checked_add(coefficient)?,
                None => merged.push((atom, coefficient)),
            }
        }
        merged.retain(|(_, coefficient)| *coefficient != 0);
        Some(Sum { terms: merged, constant: total })
    }

    /// Returns the terms in order.
    pub fn terms(&self) -> &[(AtomId, i128)] {
        &self.terms
    }

    /// Returns the constant.
    pub fn constant(&self) -> i128 {
        self.constant
    }

    /// Returns the integer, if there are no terms.
    pub fn as_integer(&self) -> Option<i128> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// Returns the atom, if the sum is only that.
    pub fn as_atom(&self) -> Option<AtomId> {
        match self.terms.as_slice() {
            [(atom, 1)] if self.constant == 0 => Some(*atom),
            _ => None,
        }
    }

    /// Returns the coefficient of `atom`, or 0.
    pub fn coefficient(&self, atom: AtomId) -> i128 {
        let found = self.terms.binary_search_by_key(&atom, |(known, _)| *known);
        found.map_or(0, |position| self.terms[position].1)
    }

    /// Returns the k such that every term of `part` occurs k times; 0 if no such k exists.
    pub fn multiplicity(&self, part: &Sum) -> i128 {
        let Some((first, coefficient)) = part.terms.first() else {
            return 0;
        };
        let Some(times) = self.coefficient(*first).checked_div(*coefficient) else {
            return 0;
        };
        let same =
            |(atom, c): &(AtomId, i128)| c.checked_mul(times) == Some(self.coefficient(*atom));
        match part.terms.iter().all(same) {
            true => times,
            false => 0,
        }
    }

    /// `self + factor * other`
    pub fn plus(&self, factor: i128, other: &Sum) -> Option<Sum> {
        if factor == 0 {
            return Some(self.clone());
        }
        let add = |x: i128, y: i128| x.checked_add(factor.checked_mul(y)?);
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut left, mut right) = (self.terms.as_slice(), other.terms.as_slice());
        while let (Some((a, x)), Some((b, y))) = (left.first(), right.first()) {
            let coefficient = match a.cmp(b) {
                std::cmp::Ordering::Less => *x,
                std::cmp::Ordering::Greater => add(0, *y)?,
                std::cmp::Ordering::Equal => add(*x, *y)?,
            };
            if coefficient != 0 {
                terms.push((*a.min(b), coefficient));
            }
            (left, right) = (&left[usize::from(a <= b)..], &right[usize::from(b <= a)..]);
        }
        terms.extend_from_slice(left);
        for (atom, y) in right {
            terms.push((*atom, add(0, *y)?));
        }
        let constant = add(self.constant, other.constant)?;
        Some(Sum { terms, constant })
    }

    /// `self + value`
    pub fn plus_integer(&self, value: i128) -> Option<Sum> {
        self.plus(1, &Sum::integer(value))
    }

    /// `factor * self`
    pub fn scaled(&self, factor: i128) -> Option<Sum> {
        Sum::default().plus(factor, self)
    }

    /// Returns the sum without its constant.
    pub fn without_constant(&self) -> Sum {
        Sum { terms: self.terms.clone(), constant: 0 }
    }

    /// Returns `self / divisor`, which must divide all coefficients.
    pub fn divided(&self, divisor: i128) -> Sum {
        let terms = self.terms.iter().map(|(atom, c)| (*atom, c / divisor));
        Sum { terms: terms.collect(), constant: self.constant / divisor }
    }

    /// Returns the greatest common divisor of `start` and all coefficients and the constant; at least 1.
    pub fn content(&self, start: i128) -> i128 {
        let coefficients = self.terms.iter().map(|(_, c)| *c);
        let common = coefficients
            .chain([self.constant])
            .fold(start.unsigned_abs(), |g, c| gcd_wide(g, c.unsigned_abs()));
        i128::try_from(common).unwrap_or(1).max(1)
    }
}
