//! A computation that runs along one dimension, with loop-carried values: each step takes slices of the inputs and the carries,
//! and returns slices of the outputs and the next carries. Source: XLA, `HloScanInstruction`.

use super::access::{Access, Definition};
use super::op::{NoDefinition, Op};
use super::relation::{Relation, d, i};
use affinor_maps::num::Interval;
use std::collections::BTreeSet;

const STEPS: &str = "the reads of slices and carries by a step are not tracked";

/// A result of step `t` may depend on the slices of steps up to `t`, and on the initial carries; the final carries depend on
/// all steps. The dependence is certain for scalars that each step uses.
pub(super) fn scan(op: &Op<'_>) -> Result<Definition, NoDefinition> {
    let carries = op.instruction.number("num_carries")?;
    let carries = carries.and_then(|carries| usize::try_from(carries).ok());
    let carries =
        carries.ok_or_else(|| op.unknown("the number of carried values is not stated"))?;
    let along = op.one_dimension(op.operand(0)?.len())?;
    let paths: Vec<Vec<usize>> =
        op.instruction.shape().arrays().into_iter().map(|(path, _)| path).collect();
    let (Some(inputs), Some(outputs)) =
        (op.operand_count().checked_sub(carries), paths.len().checked_sub(carries))
    else {
        return Err(op.invalid("it has more carries than operands or results"));
    };
    let used = op.used("to_apply")?;
    let uses_all = used.is_some_and(|used| {
        let all = |part: &BTreeSet<usize>| part.len() == op.operand_count();
        used.is_exact && used.parts.iter().all(all)
    });
    let mut accesses = Vec::new();
    for (number, path) in paths.iter().enumerate() {
        let output = op.output_part(path)?;
        for operand in 0..op.operand_count() {
            let sizes = op.operand(operand)?;
            let mut reads = Relation::new(&output, &sizes);
            let (is_output, is_input) = (number < outputs, operand < inputs);
            if is_output && is_input {
                let steps = Interval::of_size(sizes.get(along).copied().unwrap_or(0));
                let before = match op.flag("is_reverse") {
                    false => d(along) - i(along),
                    true => i(along) - d(along),
                };
                reads.within(before, steps)?;
            }
            let ranks = (output.len(), sizes.len());
            let is_scalar = ranks == (usize::from(is_output), usize::from(is_input));
            let access = Access::new(operand, reads).of_output(path);
            accesses.push(match is_scalar && uses_all {
                true => access,
                false => access.at_most(STEPS),
            });
        }
    }
    Ok(accesses.into_iter().collect())
}
