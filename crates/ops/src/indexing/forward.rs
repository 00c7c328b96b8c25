//! Forwarding ops: they pass on whole arrays unchanged.
//!
//! Law: each array of the output is one array of an operand; each element is the one at the same index. Only the pairs that are
//! passed on are listed: no other array is read.
//! Source: XLA, *Operation semantics*, `Tuple`, `GetTupleElement`, `OptimizationBarrier`.

use super::builder::identity;
use super::op::{Entries, NoMap, Op, arrays, same_sizes};
use super::reads::{OperandReads, Reads, TuplePath};
use affinor_hlo::shape::{ArrayShape, Shape};

/// Returns the reads of a tuple: part `k` is operand `k`.
pub(super) fn tuple(op: &Op<'_>) -> Entries {
    let operands = op.operands.iter().enumerate();
    Ok(operands.flat_map(|(k, operand)| whole(&[k], k, operand.shape())).collect())
}

/// Returns the reads of a get-tuple-element: one part of its operand.
pub(super) fn get_tuple_element(op: &Op<'_>) -> Entries {
    let index = op.instruction.tuple_index()?;
    let operand = op.operand(0)?.shape();
    match operand.at(&[index]) {
        Some(part) if same_sizes(part, op.instruction.shape()) => Ok(self::part(index, part)),
        Some(_) => {
            Err(NoMap::invalid(format!("part {index} of the operand has a different shape")))
        }
        None => Err(NoMap::invalid(format!("the operand has no part {index}"))),
    }
}

/// Returns the reads of an op whose result is its first operand.
pub(super) fn pass_on(op: &Op<'_>) -> Entries {
    let operand = op.operand(0)?.shape();
    match same_sizes(operand, op.instruction.shape()) {
        true => Ok(whole(&[], 0, operand)),
        false => Err(NoMap::invalid("the operand has a different shape")),
    }
}

/// Returns the reads of an async-update, whose result is the state that it is given; operands that the update binds are those
/// of a computation that only the start names.
pub(super) fn update(op: &Op<'_>) -> Entries {
    match op.operands.len() {
        1 => pass_on(op),
        _ => Err(NoMap::unknown("it binds operands of an `async-start` that is elsewhere")),
    }
}

/// Returns the reads of a copy-start, whose result is `(copy, operand, context)`.
pub(super) fn copy_start(op: &Op<'_>) -> Entries {
    let mut entries = aliased(op, 0)?;
    entries.extend(aliased(op, 1)?);
    Ok(entries)
}

/// Returns the reads of a send, whose result is `(operand, context, token)`.
pub(super) fn send(op: &Op<'_>) -> Entries {
    aliased(op, 0)
}

/// Returns the reads for part `part` of the result, which is operand 0.
fn aliased(op: &Op<'_>, part: usize) -> Entries {
    let operand = op.operand(0)?.shape();
    match op.instruction.shape().at(&[part]) {
        Some(shape) if same_sizes(shape, operand) => Ok(whole(&[part], 0, operand)),
        _ => Err(NoMap::invalid(format!(
            "the operand does not have the shape of part {part} of the result"
        ))),
    }
}

/// Returns the reads of an op that completes an asynchronous op: the result is part `part` of the operand.
pub(super) fn done(op: &Op<'_>, part: usize) -> Entries {
    let operand = op.operand(0)?.shape();
    match operand.at(&[part]) {
        Some(shape) if same_sizes(shape, op.instruction.shape()) => Ok(self::part(part, shape)),
        _ => Err(NoMap::invalid(format!(
            "the result does not have the shape of part {part} of the operand"
        ))),
    }
}

/// Returns the reads for part `path` of the result, which is operand number `k`.
pub(super) fn operand_in_result(op: &Op<'_>, k: usize, path: &[usize]) -> Entries {
    let operand = op.operand(k)?.shape();
    match op.instruction.shape().at(path) {
        Some(part) if same_sizes(part, operand) => Ok(whole(path, k, operand)),
        _ => Err(NoMap::invalid(format!("operand {k} is not a part of the result"))),
    }
}

/// Returns the reads for the part of the output at `prefix + path`, which is the part at `path` of `operand`.
///
/// `shape` is the shape of the operand. There is no claim about arrays of unbounded size.
pub(super) fn whole(prefix: &[usize], operand: usize, shape: &Shape) -> Vec<OperandReads> {
    let forward = |(path, array): (TuplePath, &ArrayShape)| OperandReads {
        output: [prefix, &path[..]].concat(),
        operand,
        operand_path: path,
        reads: same_index(array),
    };
    arrays(shape).into_iter().map(forward).collect()
}

/// Returns the reads of an output that is part number `index` of the operand; `shape` is the shape of the part.
fn part(index: usize, shape: &Shape) -> Vec<OperandReads> {
    let forward = |(path, array): (TuplePath, &ArrayShape)| OperandReads {
        operand_path: [&[index], &path[..]].concat(),
        output: path,
        operand: 0,
        reads: same_index(array),
    };
    arrays(shape).into_iter().map(forward).collect()
}

fn same_index(array: &ArrayShape) -> Reads {
    match array.sizes() {
        Some(sizes) => Reads::exactly(identity(&sizes)),
        None => Reads::unknown("one of its dimensions has no bound"),
    }
}
