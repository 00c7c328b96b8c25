//! Values of code: expressions with notes on their reading, and the values that names stand for.

use super::types::Type;
use affinor::expr::{Domain, Expr, IndexingMap};
use affinor::num::Interval;
use affinor::text::ast::Relation;

/// A value of code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Value {
    /// The name that it is assigned to.
    pub name: Option<String>,
    /// The access to memory whose index it is.
    pub access: Option<Accessed>,
    /// Its type in C.
    pub of: Type,
    /// The dimensions that nothing binds.
    pub free: Vec<String>,
    /// The vectors with a dimension of their own, by their names in maps: how many dimensions are behind each.
    pub axes: Vec<(String, usize)>,
    /// One map, or one for each case that the conditions of the code tell apart.
    pub maps: Vec<IndexingMap>,
    /// All cases as one map, if that is one: the sum of the values, each times 1 where its conditions hold and 0 elsewhere.
    pub whole: Option<IndexingMap>,
    /// Whether it rests on conventions of code alone: sizes of at least 1, or the types and division of C.
    pub assumes: bool,
    /// The divisors that are taken to be at least 1, with the domains that do not say so.
    pub assumed: Vec<Assumed>,
    /// The parts that are taken to fit in their types.
    pub taken: Vec<Taken>,
    /// Whether a part wraps around in an unsigned type of 32 bits.
    pub wraps: bool,
    /// Assumptions, and readings chosen among several, a sentence each.
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
    /// Whether they are written.
    pub is_written: bool,
    /// Whether it may happen at fewer points.
    pub is_bound: bool,
}

impl Accessed {
    /// `reads`, `writes`, or both.
    #[must_use]
    pub fn verb(&self) -> &'static str {
        match (self.is_read, self.is_written) {
            (true, true) => "reads and writes",
            (_, true) => "writes",
            _ => "reads",
        }
    }
}

/// A divisor that is not known to be positive by intervals and signs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Assumed {
    /// Where the code has a value if the divisor is positive there.
    pub domain: Domain,
    /// The divisor.
    pub divisor: Expr,
}

/// A part that is taken to fit in its type: it may be too large only because names in it have no bounds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Taken {
    /// Its value where the conditions of its case hold, and 0 elsewhere.
    pub value: Expr,
    /// The values of its type.
    pub within: Interval,
}

impl Taken {
    /// Whether it fits at a point, as far as it has a value there.
    #[must_use]
    pub fn fits_at(&self, point: &[i64]) -> bool {
        self.value.eval(point).map_or(true, |value| self.within.contains(value))
    }
}

/// How two values are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparison {
    /// As maps compare values.
    Is(Relation),
    /// `!=`
    Differs,
    /// A condition of several comparisons, as a number: it is to be 1.
    Holds,
}

/// The value that a name stands for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Named {
    /// One map for each of its cases.
    pub maps: Vec<IndexingMap>,
    /// Its type in C.
    pub of: Type,
    /// The dimensions that nothing bound where it was named: they may be sizes elsewhere.
    pub free: Vec<String>,
    /// The dimensions of its vectors, as of the [`Value`] that was named.
    pub axes: Vec<(String, usize)>,
}

impl Named {
    /// The value of a map.
    #[must_use]
    pub fn of(map: IndexingMap) -> Named {
        Named { maps: vec![map], of: Type::Plain, free: Vec::new(), axes: Vec::new() }
    }
}

/// The value that a name stands for, if it is no variable.
pub type Known<'a> = &'a dyn Fn(&str) -> Option<Named>;
