//! An op as the laws see it: its sizes and attributes, what it reads, and why it has no maps.

use affinor::expr::{Expr, ExprError, IndexingMap};
use affinor::text::{Error, ErrorKind};
use affinor_hlo::module::Instruction;
use affinor_hlo::opcode::Opcode;

/// An op with the sizes of its arrays, which are expressions in parameters.
#[derive(Clone, Copy, Debug)]
pub struct NamedOp<'a> {
    /// What it does.
    pub opcode: &'a Opcode,
    /// An instruction with its attributes; what its shapes are does not matter.
    pub instruction: &'a Instruction,
    /// The sizes of each operand.
    pub operands: &'a [Vec<Expr>],
    /// The sizes of the result, if they are given.
    pub result: Option<&'a [Expr]>,
    /// What a slice takes of each dimension.
    pub slices: &'a [NamedSlice],
    /// The value of each operand that is a scalar on which indices depend; of the others it does not matter.
    pub values: &'a [Expr],
}

/// `[start:limit:stride]`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamedSlice {
    /// The first index.
    pub start: Expr,
    /// The end, beyond the last index.
    pub limit: Expr,
    /// The distance of two indices.
    pub stride: Expr,
}

/// What an op reads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamedReads {
    /// The sizes of the result.
    pub sizes: Vec<Expr>,
    /// Maps from the result to operands, which read exactly this; of one operand several together.
    pub maps: Vec<(usize, IndexingMap)>,
}

/// An error without a position.
pub(super) fn wrong(kind: ErrorKind, message: impl Into<String>) -> Error {
    Error::without_span(kind, message)
}

/// Sizes that contradict each other or the op.
pub(super) fn invalid(message: impl Into<String>) -> Error {
    wrong(ErrorKind::Hlo, message)
}

/// A map that is not representable.
pub(super) fn unwritable(error: ExprError) -> Error {
    wrong(ErrorKind::Overflow, format!("its map cannot be written: {error}"))
}
