//! The arrays of its parameters that each array of a computation's result may read at all.
//!
//! Law: a pair that is not listed is not read. Maps are not considered, so the answer may list a pair whose composed maps are
//! empty. One walk serves all arrays of the result: it takes one set operation for each array that each instruction reads.

use super::number_set::NumberSet;
use super::op::arrays;
use super::reads::{InstructionPlace, OperandReads, Reads, TuplePath};
use super::walk::Context;
use affinor::text::Error;
use affinor_hlo::attribute::AttributeValue;
use affinor_hlo::module::{ComputationId, Instruction, InstructionId, Module};
use affinor_hlo::opcode::Opcode;
use std::collections::BTreeMap;

/// For each array of a parameter, the numbers of the arrays of the result that may read it.
pub(super) type Readers = BTreeMap<(usize, TuplePath), NumberSet>;

/// Returns the pairs of an array of the result of computation `id` and an array of a parameter that it may read.
pub(super) fn readers(context: &mut Context<'_, '_>, id: ComputationId) -> Result<Readers, Error> {
    let computation = &context.module[id];
    let root = computation.root();
    // Operands precede their users, so the last entry is complete.
    let mut pending: BTreeMap<(InstructionId, TuplePath), NumberSet> = BTreeMap::new();
    for (number, (path, _)) in arrays(computation[root].shape()).into_iter().enumerate() {
        pending.entry((root, path)).or_default().insert(number);
    }
    let mut found = Readers::new();
    while let Some(((at, path), outputs)) = pending.pop_last() {
        let instruction = &computation[at];
        if let Some(parameter) = instruction.parameter_number() {
            found.insert((parameter, path), outputs);
            continue;
        }
        if is_sent(context.module, instruction) {
            for parameter in computation.parameters() {
                for (path, _) in arrays(computation[*parameter].shape()) {
                    pending.entry((*parameter, path)).or_default().extend(&outputs);
                }
            }
        }
        let entries = (context.operation)(InstructionPlace { computation: id, instruction: at })?;
        for entry in entries_of(&entries, &path) {
            let operand = instruction.operands().get(entry.operand);
            if let (Some(operand), true) = (operand, entry.reads != Reads::NOTHING) {
                let readers = pending.entry((*operand, entry.operand_path.clone()));
                readers.or_default().extend(&outputs);
            }
        }
    }
    Ok(found)
}

/// Returns the entries for part `output` of an instruction's result, from entries that are sorted by output.
pub(super) fn entries_of<'e>(entries: &'e [OperandReads], output: &[usize]) -> &'e [OperandReads] {
    let start = entries.partition_point(|entry| entry.output.as_slice() < output);
    let rest = &entries[start..];
    let length = rest.partition_point(|entry| entry.output.as_slice() == output);
    &rest[..length]
}

/// Returns whether an instruction receives the data that another device sends, which runs the same module; the host does not.
pub(super) fn is_sent(module: &Module, instruction: &Instruction) -> bool {
    let of_host = instruction.attributes().get("is_host_transfer");
    let of_host = of_host.is_some_and(|it| *it.value() == AttributeValue::Boolean(true));
    let mut all = module.computations().flat_map(|(_, body)| body.instructions());
    *instruction.opcode() == Opcode::Recv
        && !of_host
        && all.any(|(_, other)| *other.opcode() == Opcode::Send)
}
