//! Values of code: expressions with notes on their reading, and the values of names.

use super::types::Type;
use affinor_maps::expr::{Domain, Expr, IndexingMap};
use affinor_maps::num::Interval;
use affinor_maps::text::ast::Relation;

/// A value of code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Value {
    /// The name that it is assigned to.
    pub name: Option<String>,
    /// The memory access that has this value as its index.
    pub access: Option<Accessed>,
    /// Its type in C.
    pub of: Type,
    /// The dimensions that nothing binds.
    pub free: Vec<String>,
    /// The vectors with a dimension of their own, by name in maps, each with the number of dimensions after it.
    pub axes: Vec<(String, usize)>,
    /// One map, or one for each case that the conditions of the code distinguish.
    pub maps: Vec<IndexingMap>,
    /// All cases as a single map, if possible: the sum of the values, each multiplied by 1 where its conditions hold and by 0
    /// elsewhere.
    pub whole: Option<IndexingMap>,
    /// Whether it relies on conventions of code: sizes of at least 1, or the types and division of C.
    pub assumes: bool,
    /// The divisors that are assumed to be at least 1, with the domains that do not imply it.
    pub assumed: Vec<Assumed>,
    /// The parts that are assumed to fit in their types.
    pub taken: Vec<Taken>,
    /// Whether a part wraps around in an unsigned type of 32 bits.
    pub wraps: bool,
    /// Assumptions, and choices between several readings, one sentence each.
    pub notes: Vec<String>,
    /// The names of the indices that have no bounds.
    pub unbounded: Vec<String>,
}

/// An access to an array.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Accessed {
    /// The array or pointer.
    pub array: String,
    /// Whether its elements are read.
    pub is_read: bool,
    /// Whether its elements are written.
    pub is_written: bool,
    /// Whether it may happen at fewer points.
    pub is_bound: bool,
}

impl Accessed {
    /// Returns the verb for messages: `reads`, `writes`, or both.
    #[must_use]
    pub fn verb(&self) -> &'static str {
        match (self.is_read, self.is_written) {
            (true, true) => "reads and writes",
            (_, true) => "writes",
            _ => "reads",
        }
    }
}

/// A divisor that intervals and signs do not show to be positive.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Assumed {
    /// The points at which the code has a value, provided that the divisor is positive there.
    pub domain: Domain,
    /// The divisor.
    pub divisor: Expr,
}

/// A part that is assumed to fit in its type: it may be too large only because names in it have no bounds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Taken {
    /// The value of the part where the conditions of its case hold, and 0 elsewhere.
    pub value: Expr,
    /// The values of its type.
    pub within: Interval,
}

impl Taken {
    /// Returns whether it fits at a point, or has no value there.
    #[must_use]
    pub fn fits_at(&self, point: &[i64]) -> bool {
        self.value.eval(point).map_or(true, |value| self.within.contains(value))
    }
}

/// The comparison of two values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparison {
    /// A relation that maps have, too.
    Is(Relation),
    /// `!=`
    Differs,
    /// A condition of several comparisons, as a number that has to be 1.
    Holds,
}

/// The value of a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Named {
    /// One map for each of its cases.
    pub maps: Vec<IndexingMap>,
    /// Its type in C.
    pub of: Type,
    /// The dimensions that nothing bound where the value was named; they may be sizes elsewhere.
    pub free: Vec<String>,
    /// The dimensions of its vectors, as in the [`Value`] that was named.
    pub axes: Vec<(String, usize)>,
}

impl Named {
    /// Makes the value of a map.
    #[must_use]
    pub fn of(map: IndexingMap) -> Named {
        Named { maps: vec![map], of: Type::Plain, free: Vec::new(), axes: Vec::new() }
    }
}

/// Maps a name to its value; `None` for a variable.
pub type Known<'a> = &'a dyn Fn(&str) -> Option<Named>;
