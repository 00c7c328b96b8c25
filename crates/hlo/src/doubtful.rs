//! Instructions that contradict their opcode: a wrong number of operands, an operand whose shape differs from the shape written
//! before it, a call that is nested too deep. The rest of the module is read nevertheless.
//!
//! Law: such an instruction keeps its shape, its operands and its text, and its opcode is [`Opcode::Other`] with a known name,
//! about which nothing is assumed. [`Module::notes`](super::Module::notes) has a note for each.

use super::module::Instruction;
use super::opcode::Opcode;
use super::parse_async;

/// Marks `instruction`, whose opcode is written as `name`, as an operation of unknown meaning.
pub(super) fn doubt(instruction: &mut Instruction, name: &str) {
    instruction.opcode = Opcode::Other(name.into());
}

impl Instruction {
    /// Returns whether it has the name of a known operation, but contradicts it.
    #[must_use]
    pub fn is_doubtful(&self) -> bool {
        let Opcode::Other(name) = &self.opcode else {
            return false;
        };
        !matches!(Opcode::from_name(name), Opcode::Other(_)) || parse_async::stage(name).is_some()
    }
}
