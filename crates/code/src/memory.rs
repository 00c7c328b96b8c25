//! Facts about memory and loops that are tracked while the statements of a kernel are parsed.

use affinor_maps::text::Span;
use affinor_maps::text::ast::NodeId;

/// An access to an element of an array.
#[derive(Clone, Debug)]
pub struct Access<'t> {
    /// The array or pointer.
    pub array: &'t str,
    /// The index in each dimension; empty if the index is unknown.
    pub indices: Vec<NodeId>,
    pub is_read: bool,
    pub is_written: bool,
    /// Whether it may happen at fewer points, because one of its conditions is unknown.
    pub is_bound: bool,
    /// The place of the access in the text.
    pub span: Span,
}

/// The variable of a loop, its first value, and its step if that is not 1.
#[derive(Clone, Copy)]
pub struct Head {
    pub variable: NodeId,
    pub first: NodeId,
    pub step: Option<NodeId>,
    pub is_up: bool,
}

/// Facts about memory that are tracked while the statements of a kernel are parsed.
#[derive(Debug, Default)]
pub struct Memory<'t> {
    /// The names whose values are unknown.
    pub unknown: rustc_hash::FxHashSet<&'t str>,
    /// The parameters of the function.
    pub parameters: rustc_hash::FxHashSet<&'t str>,
    /// The pointers of C, each with the array that it points into; their locals are offsets in elements.
    pub pointers: rustc_hash::FxHashMap<&'t str, &'t str>,
    /// The nodes that represent a Triton pointer in a sum, as 0.
    pub bases: rustc_hash::FxHashSet<NodeId>,
    /// Whether an address is being parsed, in which a pointer is its offset in elements.
    pub is_address: bool,
    /// Whether an unknown name or an element of an array was used since this flag was last reset.
    pub is_used: bool,
    /// The accesses of the statement so far.
    pub found: Vec<Access<'t>>,
    /// The masks of loads and stores, each with the number of its access.
    pub masks: Vec<(usize, NodeId)>,
}
