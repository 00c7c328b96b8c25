//! Instructions that contradict their opcode: another number of operands, an operand of another shape than the one
//! written before it, a call that is nested too deep. The rest of the module is read all the same.
//!
//! Law: such an instruction keeps its shape, its operands and its text, and its opcode is [`Opcode::Other`] of a known name,
//! of which nothing is assumed. [`Module::notes`](super::Module::notes) have a sentence for each.

use super::module::Instruction;
use super::opcode::Opcode;
use super::parse_async;

/// Takes its meaning from `instruction`, whose opcode is written as `name`.
pub(super) fn doubt(instruction: &mut Instruction, name: &str) {
    instruction.opcode = Opcode::Other(name.into());
}

impl Instruction {
    /// Whether it has the name of a known operation, and contradicts it.
    #[must_use]
    pub fn is_doubtful(&self) -> bool {
        let Opcode::Other(name) = &self.opcode else {
            return false;
        };
        !matches!(Opcode::from_name(name), Opcode::Other(_)) || parse_async::stage(name).is_some()
    }
}
