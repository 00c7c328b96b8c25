//! The roles of an op's operands: data, or indices that locate data.
//!
//! Law: the elements of an index operand affect the result only through the locations that they specify. They are offsets and
//! indices; in the maps of the other operands they are runtime variables.

use affinor_hlo::module::Instruction;
use affinor_hlo::opcode::Opcode;

/// Returns whether an operand of the instruction locates data.
pub(super) fn is_index(instruction: &Instruction, operand: usize) -> bool {
    match instruction.opcode() {
        Opcode::DynamicSlice | Opcode::Gather => operand >= 1,
        Opcode::DynamicUpdateSlice | Opcode::RaggedAllToAll => operand >= 2,
        // There are as many updates as operands, with the indices between them.
        Opcode::Scatter => operand == instruction.operands().len() / 2,
        // Its elements are compared, and decide where others go.
        Opcode::SelectAndScatter => operand == 0,
        _ => false,
    }
}
