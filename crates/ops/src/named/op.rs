//! The interface of the laws to an op: its sizes and attributes, its reads, and the errors if it has no maps.

use affinor::expr::{Expr, ExprError, IndexingMap};
use affinor::text::{Error, ErrorKind};
use affinor_hlo::module::Instruction;
use affinor_hlo::opcode::Opcode;

/// An op with the sizes of its arrays, which are expressions in parameters.
#[derive(Clone, Copy, Debug)]
pub struct NamedOp<'a> {
    /// The operation.
    pub opcode: &'a Opcode,
    /// An instruction with the op's attributes; its shapes are ignored.
    pub instruction: &'a Instruction,
    /// The sizes of each operand.
    pub operands: &'a [Vec<Expr>],
    /// The sizes of the result, if they are given.
    pub result: Option<&'a [Expr]>,
    /// The slice of each dimension.
    pub slices: &'a [NamedSlice],
    /// The value of each scalar operand on which indices depend; the values of other operands are ignored.
    pub values: &'a [Expr],
}

/// The slice `[start:limit:stride]` of a dimension.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamedSlice {
    /// The first index.
    pub start: Expr,
    /// The end, beyond the last index.
    pub limit: Expr,
    /// The distance between consecutive indices.
    pub stride: Expr,
}

/// The reads of an op.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamedReads {
    /// The sizes of the result.
    pub sizes: Vec<Expr>,
    /// The exact maps from the result to operands, each with its operand number; several maps of one operand are a union.
    pub maps: Vec<(usize, IndexingMap)>,
}

/// Builds an error without a position.
pub(super) fn wrong(kind: ErrorKind, message: impl Into<String>) -> Error {
    Error::without_span(kind, message)
}

/// Builds the error for sizes that contradict each other or the op.
pub(super) fn invalid(message: impl Into<String>) -> Error {
    wrong(ErrorKind::Hlo, message)
}

/// Builds the error for a map that is not representable.
pub(super) fn unwritable(error: ExprError) -> Error {
    wrong(ErrorKind::Overflow, format!("its map cannot be written: {error}"))
}
