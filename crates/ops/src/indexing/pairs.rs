//! Which arrays of its parameters each array of a computation's result may read at all.
//!
//! Law: a pair that is not named is not read. What may be read of it is not looked at, so the answer can name a
//! pair of which composed maps say that nothing is read. One walk serves all arrays of the result: it
//! costs an operation on sets for each array that each instruction reads.

use super::number_set::NumberSet;
use super::op::arrays;
use super::reads::{InstructionPlace, OperandReads, Reads, TuplePath};
use super::walk::Context;
use affinor::text::Error;
use affinor_hlo::module::{ComputationId, InstructionId};
use std::collections::BTreeMap;

/// For an array of a parameter: the arrays of the result that may read it, by their numbers.
pub(super) type Readers = BTreeMap<(usize, TuplePath), NumberSet>;

/// The pairs of an array of the result of computation `id` and one of a parameter that is read.
pub(super) fn readers(context: &mut Context<'_, '_>, id: ComputationId) -> Result<Readers, Error> {
    let computation = &context.module[id];
    let root = computation.root();
    // Operands stand before their users, so the last entry is complete.
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

/// What part `output` of an instruction's result reads, of entries that are sorted by output.
pub(super) fn entries_of<'e>(entries: &'e [OperandReads], output: &[usize]) -> &'e [OperandReads] {
    let start = entries.partition_point(|entry| entry.output.as_slice() < output);
    let rest = &entries[start..];
    let length = rest.partition_point(|entry| entry.output.as_slice() == output);
    &rest[..length]
}
