//! The facts about memory and loops while the statements of a kernel are read.

use affinor::text::Span;
use affinor::text::ast::NodeId;

/// An access to an element of an array.
#[derive(Clone, Debug)]
pub struct Access<'t> {
    /// The array or pointer.
    pub array: &'t str,
    /// The index by dimension; none if it is not known.
    pub indices: Vec<NodeId>,
    pub is_read: bool,
    pub is_written: bool,
    /// Whether it may happen at fewer points: a condition of it is not known.
    pub is_bound: bool,
    /// Where it stands.
    pub span: Span,
}

/// The variable of a loop, with its first value and its step, if it is not 1.
#[derive(Clone, Copy)]
pub struct Head {
    pub variable: NodeId,
    pub first: NodeId,
    pub step: Option<NodeId>,
    pub is_up: bool,
}

/// The facts about memory while the statements of a kernel are read.
#[derive(Debug, Default)]
pub struct Memory<'t> {
    /// The names whose values are not known.
    pub unknown: rustc_hash::FxHashSet<&'t str>,
    /// The parameters of the function.
    pub parameters: rustc_hash::FxHashSet<&'t str>,
    /// The pointers of C, with the array into which they point; their locals are numbers of elements.
    pub pointers: rustc_hash::FxHashMap<&'t str, &'t str>,
    /// Where a pointer of Triton stands in a sum, as 0.
    pub bases: rustc_hash::FxHashSet<NodeId>,
    /// Whether an address is read, where a pointer is its number of elements.
    pub is_address: bool,
    /// Whether such a name or an element of an array was among the values since this was last asked.
    pub is_used: bool,
    /// The accesses of the statement so far.
    pub found: Vec<Access<'t>>,
    /// The masks of loads, with the number of the access.
    pub masks: Vec<(usize, NodeId)>,
}
