//! What the operands of an op are for: data, or where data is found.
//!
//! Law: the elements of an index operand reach the result only through the places that they name. They are offsets and indices;
//! in the maps of the other operands their elements are runtime variables.

use affinor_hlo::module::Instruction;
use affinor_hlo::opcode::Opcode;

/// Whether an operand of the instruction says where data is found.
pub(super) fn is_index(instruction: &Instruction, operand: usize) -> bool {
    match instruction.opcode() {
        Opcode::DynamicSlice | Opcode::Gather => operand >= 1,
        Opcode::DynamicUpdateSlice | Opcode::RaggedAllToAll => operand >= 2,
        // As many updates as operands, and the indices between.
        Opcode::Scatter => operand == instruction.operands().len() / 2,
        _ => false,
    }
}
