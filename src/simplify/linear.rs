//! Sums over the atoms of a store.

use crate::num::Sum;
use crate::rule::matching;

/// An opaque term of a sum: a variable, quotient, min or max of the map being simplified.
///
/// Numbered in order of first use; stable for the lifetime of a [`super::store::Store`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct AtomId(pub u32);

impl AtomId {
    /// Returns the index into the table of atoms.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The index of a sum in its store.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct SumId(pub u32);

/// `constant + coefficient * atom + ...`
pub type Linear = Sum<AtomId>;

/// Bindings of a rule to sums.
pub type Bindings = matching::Bindings<AtomId>;
