//! Shapes that a snippet leaves out, where the operation leaves no choice.
//!
//! Law: a shape is given only if every right program with these operands (or this result) and attributes has
//! it, up to its layout, which is row-major or that of the shape it follows. What leaves a choice is not guessed.
//! Source: XLA, *Operation semantics*.

use super::implied_sizes;
use super::module::Instruction;
use super::opcode::Opcode;
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
    #[rustfmt::skip] // a list of words
    const ONE_SHAPE: &[Opcode] = &[
        Opcode::Acos, Opcode::Acosh, Opcode::Add, Opcode::And, Opcode::Asin, Opcode::Asinh,
        Opcode::Atan2, Opcode::Atanh, Opcode::Cbrt, Opcode::Ceil, Opcode::Copy, Opcode::Cosh,
        Opcode::Cosine, Opcode::CountLeadingZeros, Opcode::Divide, Opcode::Erf,
        Opcode::Exponential, Opcode::ExponentialMinusOne, Opcode::Floor, Opcode::Log,
        Opcode::LogPlusOne, Opcode::Logistic, Opcode::Maximum, Opcode::Minimum, Opcode::Mulhi,
        Opcode::Multiply, Opcode::Negate, Opcode::Not, Opcode::Or, Opcode::Popcnt, Opcode::Power,
        Opcode::ReducePrecision, Opcode::Remainder, Opcode::Reverse, Opcode::RoundNearestAfz,
        Opcode::RoundNearestEven, Opcode::Rsqrt, Opcode::ShiftLeft, Opcode::ShiftRightArithmetic,
        Opcode::ShiftRightLogical, Opcode::Sign, Opcode::Sine, Opcode::Sinh, Opcode::Sqrt,
        Opcode::Subtract, Opcode::Tan, Opcode::Tanh, Opcode::Xor,
    ];
    ONE_SHAPE.contains(opcode)
}
