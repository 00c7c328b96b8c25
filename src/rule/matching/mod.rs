//! Matching: finds the instances of a rule's left side, and builds its right side.
//!
//! The text of a rule is compiled once ([`Matcher::new`]). Its left side is matched modulo the laws of sums: a sum is a
//! constant and multiples of atoms in any order; constants bind coefficients, divisors and literals; min and max are
//! associative and commutative. Variables that the left side leaves open are chosen by the rule's hints, or computed
//! from its conditions (`choice`). Conditions and right sides are evaluated under the bindings (`evaluate`).
//!
//! The subject is accessed through [`Terms`]: the sums of one map in the simplifier, e-classes in an e-graph.
//!
//! Law: under the bindings of a match, the left side equals the subject. The conditions are only known to hold if
//! [`establishes`] returns true.
//!
//! In order: `number`, `bindings`, `evaluate`; `pattern`, `clause`, `choice`, `matcher` (a compiled rule); `parts`, `search`, and
//! the goals that it delegates to `constants`, `min_max`, and `split` with `related`; `sides`, `equivalence`.

mod bindings;
mod choice;
mod clause;
mod constants;
mod equivalence;
mod evaluate;
mod matcher;
mod min_max;
mod number;
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
pub use evaluate::{establishes, factor_of, integer, number, sum_of};
pub use matcher::{Matcher, Outline, definitions};
pub use number::{Name, Number, number_of, splits_by_constraint};
pub use parts::{Part, nearest};
pub use search::{Found, Subject};
pub use sides::Sides;

use crate::num::{Interval, MINUS_INFINITY, PLUS_INFINITY, Sum};
use serde::{Deserialize, Serialize};
use std::fmt::Debug;
use std::hash::Hash;
use std::rc::Rc;

/// The kind of an atom that is not a variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum Operator {
    /// Floor division by a positive integer.
    FloorDiv,
    /// Remainder of floor division.
    Mod,
    /// Minimum of several terms.
    Min,
    /// Maximum of several terms.
    Max,
}

impl Operator {
    /// All operators.
    pub const ALL: [Operator; 4] =
        [Operator::FloorDiv, Operator::Mod, Operator::Min, Operator::Max];
}

/// The known forms of one value, the preferred one first.
pub type Forms<A> = Rc<[Sum<A>]>;

/// An operation that an atom equals.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Operation<A> {
    /// The operands: the numerator, or the operands of min or max.
    pub operands: Rc<[Forms<A>]>,
    /// The divisor; 0 for min and max.
    pub divisor: Number,
}

/// The terms that a matcher works on.
pub trait Terms {
    /// An opaque term of a sum.
    type Atom: Copy + Ord + Hash + Debug + 'static;

    /// Returns the operations of one kind that an atom equals.
    fn operations(&mut self, atom: Self::Atom, operator: Operator) -> Rc<[Operation<Self::Atom>]>;

    /// Returns quotients that equal an atom, besides its operations.
    fn further_quotients(&self, _: Self::Atom) -> &[Operation<Self::Atom>] {
        &[]
    }

    /// Returns whether an atom equals an operation of this kind.
    fn has_operation(&mut self, atom: Self::Atom, operator: Operator) -> bool {
        !self.operations(atom, operator).is_empty()
    }

    /// Returns a bit set of the variables that an atom may depend on; several variables may share a bit.
    fn support(&mut self, _atom: Self::Atom) -> u64 {
        u64::MAX
    }

    /// Returns the residue of a sum modulo an integer of at least 1, if all its values have the same.
    fn residue(&mut self, sum: &Sum<Self::Atom>, modulus: i64) -> Option<i64> {
        let terms = sum.terms();
        let is_whole = terms.iter().all(|(_, factor)| factor % modulus == 0);
        is_whole.then(|| crate::num::modulo(sum.constant, modulus))
    }

    /// Returns an interval that contains all values of a sum.
    fn range(&mut self, sum: &Sum<Self::Atom>) -> Interval;

    /// Returns whether all values of a sum are at least an integer; `false` if unknown.
    fn is_at_least(&mut self, sum: &Sum<Self::Atom>, bound: i64) -> bool {
        let lo = self.range(sum).lo();
        lo != MINUS_INFINITY && lo >= bound
    }

    /// Returns whether all values of a sum are at most an integer; `false` if unknown.
    fn is_at_most(&mut self, sum: &Sum<Self::Atom>, bound: i64) -> bool {
        let hi = self.range(sum).hi();
        hi != PLUS_INFINITY && hi <= bound
    }

    /// Returns whether all values of a sum are in an interval; `false` if unknown.
    fn is_within(&mut self, sum: &Sum<Self::Atom>, bounds: Interval) -> bool {
        bounds.contains_all(self.range(sum))
    }

    /// Builds the value of an operation as a sum; `None` if no such term exists. The divisor is at least 1, or 0 for min and max.
    fn operation(
        &mut self,
        operator: Operator,
        operands: &[Sum<Self::Atom>],
        divisor: Number,
    ) -> Option<Sum<Self::Atom>>;

    /// Returns the sums that constraints bound, without constants, in a fixed order; none if they are too many.
    fn constrained(&self) -> Vec<Sum<Self::Atom>> {
        Vec::new()
    }

    /// Returns the sum that a name represents.
    fn named(&mut self, _name: Name) -> Option<Sum<Self::Atom>> {
        None
    }

    /// Names a sum that is not constant; `None` if every constant is an integer.
    fn name(&mut self, _sum: &Sum<Self::Atom>) -> Option<Name> {
        None
    }

    /// Multiplies two sums; `None` if neither is an integer and named numbers are not supported.
    fn product(&mut self, x: &Sum<Self::Atom>, y: &Sum<Self::Atom>) -> Option<Sum<Self::Atom>> {
        match (x.as_constant(), y.as_constant()) {
            (Some(factor), _) => y.scaled(factor),
            (_, Some(factor)) => x.scaled(factor),
            _ => None,
        }
    }

    /// Splits a sum into `factor * multiples + rest` for a named factor.
    fn split(&mut self, _sum: &Sum<Self::Atom>, _factor: Name) -> Option<Part<Self::Atom>> {
        None
    }

    /// Returns an operation that is a factor of a product, and the other factors; `None` for other atoms.
    fn factored(&mut self, _atom: Self::Atom) -> Option<(Number, Self::Atom)> {
        None
    }

    /// Returns numbers that may divide a named number, the largest first.
    fn divisors_of(&mut self, _name: Name) -> Vec<Number> {
        Vec::new()
    }

    /// Returns the number of points at which the values of sums are known.
    fn points(&self) -> usize {
        0
    }

    /// Returns the value of a sum at one of these points; `None` on overflow.
    fn value_at(&self, _sum: &Sum<Self::Atom>, _point: usize) -> Option<i64> {
        None
    }

    /// Returns the lower or the upper bound of the values of a sum.
    fn end(&mut self, sum: &Sum<Self::Atom>, upper: bool) -> Option<Number> {
        let range = self.range(sum);
        let (end, none) = match upper {
            true => (range.hi(), PLUS_INFINITY),
            false => (range.lo(), MINUS_INFINITY),
        };
        (end != none).then_some(Number::Integer(end))
    }
}
