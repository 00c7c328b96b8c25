//! Ops whose semantics do not specify which elements an element of the result depends on.
//!
//! *Operation semantics*, "RngUniform", "RngBitGenerator", "RaggedAllToAll".

use super::access::{Access, Definition};
use super::op::{NoDefinition, Op, same_index};
use super::relation::Relation;
use affinor_hlo::module::Instruction;
use affinor_hlo::shape::ArrayShape;

/// "Random numbers following the uniform distribution over the interval": its two ends, which are scalars.
pub(super) fn random(op: &Op<'_>) -> Result<Definition, NoDefinition> {
    let end = |operand| {
        let access = Access::new(operand, op.relation(operand)?);
        Ok(match operand {
            0 | 1 => access,
            _ => access.at_most("only two operands are defined"),
        })
    };
    (0..op.operand_count()).map(end).collect()
}

/// Returns the definition of an op whose semantics are unspecified, for this reason.
pub(super) fn all(op: &Op<'_>, reason: &str) -> Result<Definition, NoDefinition> {
    let operands = op.computation.operands(op.instruction);
    anything(op.instruction, operands, reason)
}

/// "The size of the given dimension" is in the shape, unless it is known only at run time.
pub(super) fn dimension_size(op: &Op<'_>) -> Result<Definition, NoDefinition> {
    op.operand(0).map(|_| Definition::default())
}

/// Each element of each array of the result of `instruction` may depend on each element of each array of each of
/// `operands`.
pub(super) fn anything<'i>(
    instruction: &Instruction,
    operands: impl Iterator<Item = &'i Instruction>,
    reason: &str,
) -> Result<Definition, NoDefinition> {
    let sizes = |array: &ArrayShape| {
        let sizes = array.fixed_sizes();
        sizes.ok_or_else(|| NoDefinition::Unknown(reason.into()))
    };
    let mut accesses = Vec::new();
    for (number, operand) in operands.enumerate() {
        for (part, array) in operand.shape().arrays() {
            for (path, output) in instruction.shape().arrays() {
                let reads = Relation::new(&sizes(output)?, &sizes(array)?);
                let access = Access::new(number, reads).of_output(&path).of_part(&part);
                accesses.push(access.at_most(reason));
            }
        }
    }
    Ok(accesses.into_iter().collect())
}

/// "Ragged all-to-all": rows are sent to other devices as specified by offsets and sizes; rows that no device sends are those
/// of the second operand.
pub(super) fn ragged_all_to_all(op: &Op<'_>) -> Result<Definition, NoDefinition> {
    let access = |operand| {
        let reads = match operand {
            1 => same_index(&op.output()?, &op.operand(1)?)?,
            _ => op.relation(operand)?,
        };
        Ok(Access::new(operand, reads).possibly("offsets and sizes are known only at run time"))
    };
    (0..op.operand_count()).map(access).collect()
}
