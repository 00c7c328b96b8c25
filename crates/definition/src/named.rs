//! Sizes that are known only at run time, by name.

use affinor_hlo::module::InstructionId;
use affinor_maps::expr::{Expr, Variable};

/// The sizes of the values of a computation, over named sizes.
#[derive(Clone, Debug, Default)]
pub struct NamedSizes {
    /// The names, with their bounds.
    pub names: Vec<Variable>,
    /// For each instruction, the sizes of its value over the names; `None` if it is not an array.
    pub values: Vec<Option<Vec<Expr>>>,
    /// For each instruction, the name of its value, if the value is a scalar that is a symbol of maps.
    pub symbols: Vec<Option<Expr>>,
}

/// The sizes of an instruction's value and operands.
#[derive(Clone, Copy)]
pub(super) struct Given<'a> {
    pub(super) sizes: &'a NamedSizes,
    pub(super) instruction: InstructionId,
}

/// The size of a dimension that has no number; no index is compared with it.
pub(super) const OPEN: i64 = i64::MAX;

/// An array of an instruction.
#[derive(Clone, Copy)]
pub(super) enum Array {
    Result,
    Operand(usize),
}
