//! Custom-calls whose target has a published meaning that is an op of its own, or none but where an array lies.
//!
//! The targets are those of XLA: `host_offload_utils.h` and `spmd_partitioner` for arrays that stay the same, `TopK` as the op
//! "TopK" of *Operation semantics*. Matrix products and convolutions of libraries have no definition here: what they add
//! and scale is said by configurations of their own. A table that gives one of these targets another meaning is judged by the
//! published one.

use super::access::{Access, Definition};
use super::fiber;
use super::op::{NoDefinition, Op, same_index};
use crate::hlo::attribute::AttributeValue;

pub(super) fn custom_call(op: &Op<'_>) -> Result<Definition, NoDefinition> {
    let target = op.instruction.attributes().get("custom_call_target");
    let target = match target.map(|attribute| attribute.value()) {
        Some(AttributeValue::String(target)) => &**target,
        _ => "",
    };
    match target {
        "MoveToHost"
        | "MoveToDevice"
        | "annotate_device_placement"
        | "Pin"
        | "Unpin"
        | "Sharding"
        | "xla.sdy.FuncResultSharding" => unchanged(op),
        "TopK" | "__gpu$TopK" => fiber::topk(op),
        _ => Err(op.unknown("no definition is stated for its target")),
    }
}

/// Each array of the result is that of one operand, of the same sizes.
fn unchanged(op: &Op<'_>) -> Result<Definition, NoDefinition> {
    let paths = op.output_paths(op.operand_count())?;
    let access = |(operand, path): (usize, &Vec<usize>)| {
        let reads = same_index(&op.output_part(path)?, &op.operand(operand)?)?;
        Ok(Access::new(operand, reads).of_output(path))
    };
    paths.iter().enumerate().map(access).collect()
}
