//! Sums over the atoms of a store.

use crate::num::Sum;
use crate::rule::matching;

/// A variable, quotient, min or max of the map being simplified: what a sum cannot look into.
///
/// Numbers are given in the order of first use and are stable for the life of a
/// [`super::store::Store`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct AtomId(pub u32);

impl AtomId {
    /// The position in the table of atoms.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// `constant + coefficient * atom + ...`
pub type Linear = Sum<AtomId>;

/// Sums for the variables of a rule.
pub type Bindings = matching::Bindings<AtomId>;
