//! A value known only at run time that a counterexample depends on.

use affinor_ops::indexing::TuplePath;

/// An element of an operand, with a value at which the reads of two modules differ.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct KnownValue {
    /// The operand, or the number of the parameter.
    pub operand: usize,
    /// The path in it; `[]` unless it is a tuple.
    pub path: TuplePath,
    /// The index of the element.
    pub index: Vec<i64>,
    /// The value. A boolean is 0 or 1.
    pub value: i64,
}
