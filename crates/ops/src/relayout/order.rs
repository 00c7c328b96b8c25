//! Maps of ops in memory order: from positions of the output to positions of the operand.

use affinor::expr::{ComposeError, IndexingMap};
use affinor_layout::memory::Placement;

/// Rewrites the map of an operand over positions: the result maps a position of the output to the operand positions that its
/// element reads. Padding of the output is outside its domain.
///
/// Units: elements, as [`Placement::position`] counts them. Nothing is simplified.
///
/// # Errors
/// [`ComposeError`] if the map does not map indices of `output` to those of `operand`, or overflows.
pub fn in_memory_order(
    map: &IndexingMap,
    output: &Placement,
    operand: &Placement,
) -> Result<IndexingMap, ComposeError> {
    output.element().then(map)?.then(operand.position())
}
