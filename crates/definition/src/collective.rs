//! Ops that combine or exchange data of devices: each device has an operand of its own, all of the same shape.
//!
//! A relation is about the index of the element that is read, regardless of the device. *Operation semantics*, "AllReduce",
//! "AllGather", "AllToAll", "ReduceScatter", "CollectivePermute", "CollectiveBroadcast".

use super::access::{Access, Definition};
use super::op::{NoDefinition, Op, same_index};
use super::passing;
use super::relation::{Relation, d, i};
use affinor_hlo::opcode::Opcode;
use affinor_hlo::shape::ArrayShape;

const ELSEWHERE: &str = "which device it is read from depends on the device";

/// "Performs a custom computation across replicas": on the elements of all devices at the same index.
pub(super) fn all_reduce(op: &Op<'_>) -> Result<Definition, NoDefinition> {
    each(op, same_index, false)
}

/// The start of an all-gather or a collective-permute returns `(operands, result, ..)`.
pub(super) fn start(
    op: &Op<'_>,
    result: impl Fn(&Op<'_>) -> Result<Definition, NoDefinition>,
) -> Result<Definition, NoDefinition> {
    let mut accesses = passing::operand_or_tuple(op, &[0])?;
    accesses.extend(result(op)?.accesses().iter().cloned());
    Ok(accesses.into_iter().collect())
}

/// "Sends and receives data cross-replica": the result is the operand of another device.
pub(super) fn permute(op: &Op<'_>) -> Result<Definition, NoDefinition> {
    each(op, same_index, true)
}

/// The start of a collective-permute.
pub(super) fn collective_permute_start(op: &Op<'_>) -> Result<Definition, NoDefinition> {
    match op.instruction.attributes().get("slice_sizes") {
        None => start(op, permute),
        Some(_) => Err(op.unknown("the start of one in place is not defined here")),
    }
}

/// A collective-permute; with `slice_sizes`, slices of operand 0 are received into operand 1, at the offsets in operands 2 and
/// 3.
pub(super) fn collective_permute(op: &Op<'_>) -> Result<Definition, NoDefinition> {
    if op.instruction.attributes().get("slice_sizes").is_none() {
        return permute(op);
    }
    let reason = "which slices are sent, and where they go, is known only at run time";
    let sizes = |array: &ArrayShape| array.fixed_sizes().ok_or_else(|| op.unknown(reason));
    let mut accesses = Vec::new();
    for (path, array) in op.instruction.shape().arrays() {
        let output = sizes(array)?;
        for (number, operand) in op.computation.operands(op.instruction).enumerate() {
            for (part, array) in operand.shape().arrays() {
                let operand = sizes(array)?;
                let reads = match number {
                    1 if part != path => continue,
                    1 => same_index(&output, &operand)?,
                    _ => Relation::new(&output, &operand),
                };
                let access = Access::new(number, reads).of_output(&path).of_part(&part);
                accesses.push(access.at_most(reason));
            }
        }
    }
    Ok(accesses.into_iter().collect())
}

/// "Performs concatenation across replicas": the operands of the devices in sequence.
pub(super) fn all_gather(op: &Op<'_>) -> Result<Definition, NoDefinition> {
    blocks(op, true)
}

/// "An all-reduce, then scatters the result": each device holds one block of it.
pub(super) fn reduce_scatter(op: &Op<'_>) -> Result<Definition, NoDefinition> {
    blocks(op, false)
}

/// Equates, along the listed dimension, the index of one side with block * (size of a block) + index in the block.
fn blocks(op: &Op<'_>, of_output: bool) -> Result<Definition, NoDefinition> {
    let ranks = (0..op.operand_count()).map(|k| Ok(op.operand(k)?.len()));
    let rank = ranks.collect::<Result<Vec<_>, NoDefinition>>()?.into_iter().max().unwrap_or(0);
    let along = op.one_dimension(rank)?;
    let relate = |output: &[i64], operand: &[i64]| {
        let mut reads = Relation::new(output, operand);
        if of_output && output.is_empty() && operand.is_empty() {
            return Ok(reads);
        }
        for k in 0..rank {
            if k != along {
                reads.equate(d(k), i(k))?;
                continue;
            }
            let size = |sizes: &[i64]| sizes.get(k).copied().unwrap_or(0);
            let (whole, part) = match of_output {
                true => (size(output), size(operand)),
                false => (size(operand), size(output)),
            };
            let block = reads.over(whole / part.max(1));
            match of_output {
                true => reads.equate(d(k), block * part + i(k))?,
                false => reads.equate(i(k), block * part + d(k))?,
            }
        }
        Ok(reads)
    };
    each(op, relate, true)
}

/// "Sends data from all cores to all cores": the operand is split into a block for each device of the group, and block `b` of
/// the result is this device's block of device `b`. With several operands, block `b` is operand `b`, and part `b` of the result
/// comes from device `b`.
pub(super) fn all_to_all(op: &Op<'_>) -> Result<Definition, NoDefinition> {
    let rank = op.operand(0)?.len();
    if op.instruction.attributes().get("dimensions").is_none() {
        let n = op.operand_count();
        let mut accesses = Vec::new();
        for path in op.output_paths(n)? {
            for operand in 0..n {
                let reads = same_index(&op.output_part(&path)?, &op.operand(operand)?)?;
                let access = Access::new(operand, reads).of_output(&path);
                accesses.push(elsewhere(op, access));
            }
        }
        return Ok(accesses.into_iter().collect());
    }
    let along = op.one_dimension(rank)?;
    let relate = |output: &[i64], operand: &[i64]| {
        let mut reads = Relation::new(output, operand);
        for k in (0..rank).filter(|k| *k != along) {
            reads.equate(d(k), i(k))?;
        }
        let size = operand.get(along).copied().unwrap_or(0);
        let devices = op.instruction.replica_group_size();
        if let Some(devices) = devices.filter(|devices| size % devices == 0) {
            let block = size / devices;
            let (from, own, within) = (reads.over(devices), reads.over(devices), reads.over(block));
            reads.equate(d(along), from * block + within.clone())?;
            reads.equate(i(along), own * block + within)?;
        }
        Ok(reads)
    };
    each(op, relate, true)
}

/// In a group of several devices, an element may be read from another device.
fn elsewhere(op: &Op<'_>, access: Access) -> Access {
    match op.instruction.replica_group_size() {
        Some(1) => access,
        _ => access.possibly(ELSEWHERE),
    }
}

/// Part `k` of the result reads operand `k`.
fn each(
    op: &Op<'_>,
    relate: impl Fn(&[i64], &[i64]) -> Result<Relation, NoDefinition>,
    exchanges: bool,
) -> Result<Definition, NoDefinition> {
    // The result is part 1 of a start.
    let is_start =
        matches!(op.instruction.opcode(), Opcode::AllGatherStart | Opcode::CollectivePermuteStart);
    let at: &[usize] = if is_start { &[1] } else { &[] };
    let paths = op.output_paths_at(at, op.operand_count())?;
    let access = |(k, path): (usize, &Vec<usize>)| {
        let reads = relate(&op.output_part(path)?, &op.operand(k)?)?;
        let access = Access::new(k, reads).of_output(path);
        Ok(match exchanges {
            true => elsewhere(op, access),
            false => access,
        })
    };
    paths.iter().enumerate().map(access).collect()
}
