//! The proposal of a rule for all values of the names that meet the conditions given, or the conditions that it lacks.

use super::given::Condition;
use super::layout::NamedLayout;
use crate::cute::algebra::{Arrangement, Interleaving, Refusal};
use crate::cute::claim::Claim;

/// An operation on two layouts, or on one; of all but a complement the second may be a layout for each mode of the first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation {
    /// The first after the second.
    Compose,
    /// The numbers below the size of the second that the first leaves free.
    Complement,
    /// The first in tiles of the second.
    Divide(Arrangement),
    /// A copy of the first for each element of the second.
    Product(Interleaving),
    /// The first, in elements of so many bits, in elements of so many others. There is no second layout.
    Recast([i64; 2]),
}

/// The reason why a rule has no answer.
pub(super) enum Stop {
    Refused(Refusal),
    /// The sentence, and conditions of which each lets the rule go on, the likeliest first.
    Lacks(String, Vec<Condition>),
}

impl From<Refusal> for Stop {
    fn from(refusal: Refusal) -> Stop {
        Stop::Refused(refusal)
    }
}

impl Stop {
    /// The reason, where no condition is added.
    pub(super) fn refusal(self) -> Refusal {
        match self {
            Stop::Refused(refusal) => refusal,
            Stop::Lacks(why, _) => Refusal::Unknown(why),
        }
    }
}

/// A proposal of a rule.
pub(super) struct Proposed {
    pub(super) layout: NamedLayout,
    /// The layout is right if each of these is. Always, without any.
    pub(super) claims: Vec<Claim>,
    /// What the rule of complements shows: nobody is asked for it.
    pub(super) by_rule: Vec<Claim>,
    /// Leaves of one index that may carry into each other: conditions of which each keeps two of them apart.
    pub(super) carries: Vec<Vec<Condition>>,
}
