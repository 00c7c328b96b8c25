//! The facts of an example about the constants and letters of a statement.

use super::tree::{Sum, product};
use affinor::num::Interval;
use affinor::rule::{Condition, Relation, Slot, Term};

/// The facts of an example.
#[derive(Clone, Debug)]
pub struct Example<'e> {
    /// Values of the constants.
    pub constants: &'e [i64],
    /// Whether each constant is a factor of a divisor.
    pub divides: &'e [bool],
    /// The range of each letter.
    pub ranges: &'e [Interval],
    /// Pairs of letters; the first is at most the second, or always less.
    pub ordered: &'e [(usize, usize, Relation)],
    /// Sums over the letters, with their bounds.
    pub bounds: &'e [(Sum, Interval)],
    /// Values of the letters at sampled points.
    pub samples: &'e [Vec<i64>],
    /// The left side, over letters and constants.
    pub left: &'e Term,
    /// The first slot of the constants that only the right side has.
    pub opened: usize,
    /// Whether numbers other than 0, 1 and 2 may stay.
    pub literal: bool,
    /// For equal constants, whether the later is assumed to be a multiple of the earlier, or the other way round: both together
    /// would force them to be equal.
    pub upward: bool,
}

impl Example<'_> {
    /// Returns whether a condition may state that a constant divides a term of the same value.
    pub fn may_divide(&self, slot: Slot, term: &Term) -> bool {
        match term {
            Term::Constant(other) => (slot < *other) == self.upward,
            _ => true,
        }
    }

    /// Terms for a quotient: the constants that have its value, and the literal if it is small.
    pub fn named(&self, value: i64) -> Vec<Term> {
        let mut found = Vec::new();
        for (slot, known) in (0u8..).zip(self.constants) {
            if *known == value && value != 0 {
                found.push(Term::Constant(slot));
            } else if known.checked_neg() == Some(value) && value != 0 {
                found.push(product(Term::Integer(-1), Term::Constant(slot)));
            }
        }
        if self.literal || (-2..=2).contains(&value) {
            found.push(Term::Integer(value));
        }
        found
    }
}

/// Returns the condition `lhs relation rhs`.
pub fn compare(lhs: Term, relation: Relation, rhs: Term) -> Condition {
    Condition { lhs, relation, rhs }
}
