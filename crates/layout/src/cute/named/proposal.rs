//! The proposal of a rule for all values of the names that satisfy the given conditions, or the conditions that it lacks.

use super::given::Condition;
use super::layout::NamedLayout;
use crate::cute::algebra::{Arrangement, Interleaving, Refusal};
use crate::cute::claim::Claim;

/// An operation on one or two layouts; except for a complement, the second operand may have a layout for each mode of the first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation {
    /// The composition: the first layout at the offsets of the second.
    Compose,
    /// The complement of the first layout, up to the size of the second.
    Complement,
    /// The first layout in tiles of the second.
    Divide(Arrangement),
    /// A copy of the first layout for each element of the second.
    Product(Interleaving),
    /// Converts the first layout from elements of one width in bits to another. The second layout is unused.
    Recast([i64; 2]),
}

/// The reason why a rule has no answer.
pub(super) enum Stop {
    Refused(Refusal),
    /// A message, and conditions each of which lets the rule proceed, the likeliest first.
    Lacks(String, Vec<Condition>),
}

impl From<Refusal> for Stop {
    fn from(refusal: Refusal) -> Stop {
        Stop::Refused(refusal)
    }
}

impl Stop {
    /// Returns the refusal if no condition is added.
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
    /// The claims that together establish the layout; it is always correct if there are none.
    pub(super) claims: Vec<Claim>,
    /// Claims that the rule of complements establishes, which need no proof.
    pub(super) by_rule: Vec<Claim>,
    /// For each pair of leaves of one index that may carry into each other, the conditions that separate them.
    pub(super) carries: Vec<Vec<Condition>>,
}
