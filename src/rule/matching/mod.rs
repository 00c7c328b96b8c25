//! Matching: where does the left side of a rule occur, and what does the rule say there?
//!
//! A rule's own text is compiled once ([`Matcher::new`]). Its left side is matched modulo the laws of sums:
//! a sum is a constant and multiples of atoms in any order, letters of sort *constant* bind coefficients,
//! divisors and literals, min and max are associative and commutative. What the left side leaves open is
//! chosen as the rule's hints say, or is worked out of its conditions (`choice`). Conditions and right
//! sides are evaluated on what was bound (`evaluate`).
//!
//! What is looked at is behind [`Terms`]: the sums of one map in the simplifier, classes of equal terms in
//! an e-graph.
//!
//! Law: whatever is bound, the left side with these values is the term that was looked at. Whether the
//! conditions hold is not known before [`establishes`] said so.
//!
//! In order: `bindings`, `evaluate`; `pattern`, `clause`, `choice`, `matcher` (a rule, compiled); `parts`, `search`, and the goals
//! that it leaves to `min_max`, `split` with `related`, and `guess`; `sides`, `equivalence`.

mod bindings;
mod choice;
mod clause;
mod equivalence;
mod evaluate;
mod guess;
mod matcher;
mod min_max;
mod parts;
mod pattern;
mod related;
mod search;
mod sides;
mod split;

pub use bindings::Bindings;
pub use choice::{Choice, affine, constants_of};
pub use clause::Stated;
pub use equivalence::{Equivalence, Given, Used};
pub use evaluate::{establishes, factor_of, integer, sum_of};
pub use matcher::{Matcher, definitions};
pub use parts::nearest;
pub use search::{Found, Subject};
pub use sides::Sides;

use crate::num::{Interval, Sum};
use std::fmt::Debug;
use std::hash::Hash;
use std::rc::Rc;

/// What an atom can be beside a variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Operator {
    /// Quotient rounded down, by a positive integer.
    FloorDiv,
    /// Remainder of that quotient.
    Mod,
    /// Least of several.
    Min,
    /// Greatest of several.
    Max,
}

impl Operator {
    /// All of them.
    pub const ALL: [Operator; 4] = [
        Operator::FloorDiv,
        Operator::Mod,
        Operator::Min,
        Operator::Max,
    ];
}

/// The ways to see one value as a sum, the one to prefer first.
pub type Forms<A> = Rc<[Sum<A>]>;

/// An operation that an atom is equal to.
#[derive(Clone, Debug)]
pub struct Operation<A> {
    /// What it operates on: the numerator, or the values of which one is the least.
    pub operands: Rc<[Forms<A>]>,
    /// The divisor; 0 for min and max.
    pub divisor: i64,
}

/// The terms that a matcher looks at.
pub trait Terms {
    /// What a sum cannot look into.
    type Atom: Copy + Ord + Hash + Debug + 'static;

    /// The operations of one kind that an atom is equal to.
    fn operations(&mut self, atom: Self::Atom, operator: Operator) -> Rc<[Operation<Self::Atom>]>;

    /// Is an atom equal to an operation of this kind?
    fn has_operation(&mut self, atom: Self::Atom, operator: Operator) -> bool {
        !self.operations(atom, operator).is_empty()
    }

    /// One bit for each variable that an atom may depend on, some of which may share a bit.
    fn support(&mut self, _atom: Self::Atom) -> u64 {
        u64::MAX
    }

    /// What all values of a sum are modulo an integer of at least 1, if they are one.
    fn residue(&mut self, sum: &Sum<Self::Atom>, modulus: i64) -> Option<i64> {
        let terms = sum.terms();
        let is_whole = terms.iter().all(|(_, factor)| factor % modulus == 0);
        is_whole.then(|| crate::num::modulo(sum.constant, modulus))
    }

    /// An interval that holds all values of a sum.
    fn range(&mut self, sum: &Sum<Self::Atom>) -> Interval;

    /// The value of an operation as a sum; `None` if there is no such term. The divisor is at least 1, or 0 for
    /// min and max.
    fn operation(
        &mut self,
        operator: Operator,
        operands: &[Sum<Self::Atom>],
        divisor: i64,
    ) -> Option<Sum<Self::Atom>>;
}
