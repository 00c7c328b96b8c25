//! Maps of ops in the order of memory: from the position of an output element to positions in the operand.

use crate::expr::{ComposeError, IndexingMap};
use crate::layout::memory::Placement;

/// The map of an operand as a map between positions: which positions of the operand are read for the element at a
/// position of the output. Positions that are padding of the output are outside its domain.
///
/// Units: elements, as [`Placement::position`] counts them. Nothing is simplified.
///
/// # Errors
/// [`ComposeError`] if the map is not one from the indices of `output` to those of `operand`, or cannot be held.
pub fn in_memory_order(
    map: &IndexingMap,
    output: &Placement,
    operand: &Placement,
) -> Result<IndexingMap, ComposeError> {
    output.element().then(map)?.then(operand.position())
}
