//! The part of an instruction that a line of `hlo --certificate` is about, as text.
//!
//! Law: two instructions with the same text have the same opcode, attributes, and shapes of the two arrays that the line relates.
//! So a line is about the instruction of another module only if these agree, even if the map does not depend on them.

use affinor_hlo::module::{Computation, Instruction};
use affinor_hlo::shape::Shape;
use affinor_ops::indexing::TuplePath;
use std::fmt::Write;

/// Attributes that do not affect the reads: the origin of the instruction.
const OF_ORIGIN: [&str; 1] = ["metadata"];

/// Returns `SHAPE OPCODE(operand NUMBER: SHAPE %NAME), ATTRIBUTES`, with the shapes of a part of the result and of a part of the
/// operand.
pub(super) fn subject(
    body: &Computation,
    instruction: &Instruction,
    output: &TuplePath,
    (operand, path): (usize, &TuplePath),
) -> String {
    let mut text = format!("{} {}(", part(instruction.shape(), output), instruction.opcode());
    // Writing to a string cannot fail.
    if let Some(read) = instruction.operands().get(operand).map(|id| &body[*id]) {
        let _ = write!(text, "operand {operand}: {} %{}", part(read.shape(), path), read.name());
    }
    text.push(')');
    for attribute in instruction.attributes().iter() {
        if !OF_ORIGIN.contains(&attribute.name()) {
            let _ = write!(text, ", {attribute}");
        }
    }
    text
}

/// Returns the shape of a part of a value, as text; the whole shape if there is no such part.
fn part(shape: &Shape, path: &TuplePath) -> String {
    let arrays = shape.arrays();
    let array = arrays.iter().find(|(at, _)| at == path);
    array.map_or_else(|| shape.to_string(), |(_, array)| array.to_string())
}
