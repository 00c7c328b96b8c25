//! Shapes that a snippet leaves out, where the operation leaves no choice.
//!
//! Law: a shape is given only if every right program with these operands (or this result) and attributes has
//! it, up to its layout, which is row-major or that of the shape it follows. What leaves a choice is not guessed.
//! Source: XLA, *Operation semantics*.

use super::implied_sizes;
use super::module::Instruction;
use super::opcode::{Kind, Opcode};
use super::shape::Shape;

/// The shape of the result of `instruction` on `operands`; the instruction's own shape is not looked at.
pub(super) fn of_result(instruction: &Instruction, operands: &[&Shape]) -> Option<Shape> {
    if has_one_shape(instruction.opcode()) {
        let first = *operands.first()?;
        let agree = operands.iter().all(|shape| shape.is_compatible(first));
        return agree.then(|| first.clone());
    }
    implied_sizes::of_result(instruction, operands)
}

/// The shape of an operand of an operation that gives `result`.
pub(super) fn of_operand(opcode: &Opcode, result: &Shape) -> Option<Shape> {
    has_one_shape(opcode).then(|| result.clone())
}

/// Do the result and all operands have one shape and element type?
fn has_one_shape(opcode: &Opcode) -> bool {
    opcode.kind() == Kind::Alike || matches!(opcode, Opcode::Copy | Opcode::Reverse)
}
