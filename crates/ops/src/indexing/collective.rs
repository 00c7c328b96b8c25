//! Collectives: ops that exchange elements between devices that run the same program.
//!
//! Law: the maps produce indices of the operand on any of the participating devices; a map does not say which device an element
//! is read from. All-reduce folds the elements at one index of all devices of its group, including this one, so it reads exactly
//! that index. All others read some elements of this device and some of others; their maps are upper bounds unless each group is
//! a single device:
//!
//! * all-gather: index `d mod size` along its dimension, of device number `d floordiv size` of the group;
//! * reduce-scatter: the part with this device's number, of all devices;
//! * all-to-all: the part with this device's number, of device number `d floordiv part`;
//! * collective-permute and collective-broadcast: the same index of another device; a collective-permute in place keeps an
//!   operand of this device except for slices; the root of a broadcast may be known only at run time;
//! * collective-reduce: the same index of all devices, at the root; the results of the other devices are unspecified.
//!
//! This device's number in its group is a range variable: the maps hold for every device.
//! Source: XLA, *Operation semantics*, `AllGather`, `AllReduce`, `AllToAll`, `CollectiveBroadcast`,
//! `CollectivePermute`, `ReduceScatter`.
//! For all sizes: the law `all-gather-agrees` of `rules/ops.rules`.

use super::builder::{MapBuilder, everything, identity, scalar};
use super::op::{Entries, NoMap, Op, arrays, entry, entry_of, fixed_sizes, require};
use super::reads::{OperandMap, OperandReads, Reads, TuplePath};
use affinor::expr::IndexingMap;
use affinor_hlo::opcode::Opcode;
use affinor_hlo::shape::{ArrayShape, Shape};

/// Returns the reads of a collective whose result is the instruction's whole shape.
pub(super) fn entries(op: &Op<'_>) -> Entries {
    of_result(op, op.instruction.shape(), &[])
}

/// Returns the reads of a collective-permute.
pub(super) fn permute_entries(op: &Op<'_>) -> Entries {
    match is_in_place(op) {
        true => in_place(op, op.instruction.shape(), &[]),
        false => entries(op),
    }
}

/// Returns the reads of the start of a collective-permute.
pub(super) fn permute_start_entries(op: &Op<'_>) -> Entries {
    if !is_in_place(op) {
        return start_entries(op);
    }
    let mut entries = super::forward::operand_in_result(op, 0, &[0])?;
    entries.extend(in_place(op, started(op)?, &[1])?);
    Ok(entries)
}

fn is_in_place(op: &Op<'_>) -> bool {
    op.instruction.attributes().get("slice_sizes").is_some()
}

/// Returns the reads of a collective-permute that replaces slices of operand 1 by slices of operand 0 of another device; the
/// offsets of the slices are operands 2 and 3.
fn in_place(op: &Op<'_>, result: &Shape, prefix: &[usize]) -> Entries {
    require(op.operands.len() == 4, || {
        format!(
            "expected an input, an output and the places of slices in both, found {} operand(s)",
            op.operands.len()
        )
    })?;
    let reason = format!(
        "`{}`: which slices are sent, and where they go, is known only at run time",
        op.instruction.name()
    );
    let mut entries = Vec::new();
    for (path, array) in arrays(result) {
        let output = fixed_sizes(array)?;
        for (operand, instruction) in op.operands.iter().enumerate() {
            for (operand_path, array) in arrays(instruction.shape()) {
                let sizes = fixed_sizes(array)?;
                let at_most = |map| Reads::union([OperandMap::at_most(map, reason.clone())]);
                let reads = match operand {
                    1 if operand_path == path => at_most(same(&output, &sizes)?),
                    1 => Reads::NOTHING,
                    _ => at_most(everything(&output, &sizes)),
                };
                entries.push(OperandReads {
                    output: [prefix, &path].concat(),
                    operand,
                    operand_path,
                    reads,
                });
            }
        }
    }
    Ok(entries)
}

/// Returns the reads of the start of a collective, whose result is `(operand, result, ..)`.
pub(super) fn start_entries(op: &Op<'_>) -> Entries {
    let result = started(op)?;
    let mut entries = Vec::new();
    let several = op.operands.len() > 1;
    for k in 0..op.operands.len() {
        let path: &[usize] = if several { &[0, k] } else { &[0] };
        entries.extend(super::forward::operand_in_result(op, k, path)?);
    }
    entries.extend(of_result(op, result, &[1])?);
    Ok(entries)
}

/// Returns the result of the started collective.
fn started<'a>(op: &Op<'a>) -> Result<&'a Shape, NoMap> {
    let shape = op.instruction.shape();
    shape
        .at(&[1])
        .ok_or_else(|| NoMap::invalid("expected a tuple of operand and result as the result"))
}

fn of_result(op: &Op<'_>, result: &Shape, prefix: &[usize]) -> Entries {
    let opcode = op.instruction.opcode();
    let results = arrays(result);
    let group = op.instruction.replica_group_size();
    let reads = |map: IndexingMap| match group {
        Some(1) => Reads::exactly(map),
        _ if matches!(opcode, Opcode::AllReduce | Opcode::AllReduceStart) => Reads::exactly(map),
        _ => {
            let name = op.instruction.name();
            let reason = format!("`{name}`: the element may be read from another device only");
            Reads::union([OperandMap::at_most(map, reason)])
        }
    };
    let mut entries = Vec::new();
    let mut push = |path: &TuplePath, operand, reads| {
        entries.push(entry_of(&[prefix, path].concat(), operand, reads));
    };
    if *opcode == Opcode::AllToAll && op.instruction.attributes().get("dimensions").is_none() {
        // Part `j` comes from device number `j` of the group, which sends its operand with this device's number.
        for (path, array) in &results {
            let output = fixed_sizes(array)?;
            for k in 0..op.operands.len() {
                push(path, k, reads(same(&output, &op.operand_sizes(k)?)?));
            }
        }
        return Ok(entries);
    }
    if has_root(op, &results) {
        let root = op.operands.len() - 1;
        for (path, array) in &results {
            let name = op.instruction.name();
            let reason = format!("`{name}`: it says which device has the elements");
            let scalar = OperandMap::at_most(scalar(&fixed_sizes(array)?), reason);
            push(path, root, Reads::union([scalar]));
        }
    } else if results.len() != op.operands.len() {
        return Err(NoMap::invalid(format!(
            "expected a result for each of {} operand(s), found {}",
            op.operands.len(),
            results.len()
        )));
    }
    for (i, (path, array)) in results.iter().enumerate() {
        for k in 0..results.len() {
            let read = match i == k {
                true => reads(map_of(op, array, k, group)?),
                false => Reads::NOTHING,
            };
            push(path, k, read);
        }
    }
    entries.sort_by(|x, y| (&x.output, x.operand).cmp(&(&y.output, y.operand)));
    Ok(entries)
}

/// Returns whether the last operand is the number of the root device, known only at run time: an integer after one operand for
/// each result.
pub(super) fn has_root(op: &Op<'_>, results: &[(TuplePath, &ArrayShape)]) -> bool {
    let is_rooted =
        matches!(op.instruction.opcode(), Opcode::CollectiveBroadcast | Opcode::CollectiveReduce);
    let last = op.operands.last().and_then(|last| last.shape().as_array());
    is_rooted
        && op.operands.len() == results.len() + 1
        && last.is_some_and(|last| {
            last.rank() == 0
                && (last.element_type().is_signed_integer()
                    || last.element_type().is_unsigned_integer())
        })
}

/// Returns the map from an array of the result to operand `k`.
fn map_of(
    op: &Op<'_>,
    array: &ArrayShape,
    k: usize,
    group: Option<i64>,
) -> Result<IndexingMap, NoMap> {
    let (output, operand) = (fixed_sizes(array)?, op.operand_sizes(k)?);
    let along = || op.one_dimension(operand.len(), "");
    match op.instruction.opcode() {
        // A scalar beside arrays is not a block of the result: Neuron gathers it from its own device.
        Opcode::AllGather | Opcode::AllGatherStart if operand.is_empty() && output.is_empty() => {
            same(&output, &operand)
        }
        Opcode::AllGather | Opcode::AllGatherStart => gathered(&output, &operand, along()?),
        Opcode::ReduceScatter => scattered(&output, &operand, along()?),
        Opcode::AllToAll => exchanged(&output, &operand, along()?, group),
        _ => same(&output, &operand),
    }
}

fn same(output: &[i64], operand: &[i64]) -> Result<IndexingMap, NoMap> {
    match output == operand {
        true => Ok(identity(output)),
        false => Err(NoMap::invalid("the operand has a different shape")),
    }
}

/// Rejects sizes that differ outside `dimension`, or whose larger size along it is not a multiple of the smaller.
fn check_parts(larger: &[i64], smaller: &[i64], dimension: usize) -> Result<(), NoMap> {
    let fits = larger.len() == smaller.len()
        && dimension < larger.len()
        && (0..larger.len()).all(|k| match (larger[k], smaller[k]) {
            (larger, smaller) if k == dimension => {
                smaller > 0 && larger % smaller == 0 || larger == smaller
            }
            (larger, smaller) => larger == smaller,
        });
    require(fits, || {
        format!("sizes {smaller:?} are not part of sizes {larger:?} along dimension {dimension}")
    })
}

/// Returns the map for a result that concatenates the parts of all devices.
pub(super) fn gathered(
    output: &[i64],
    operand: &[i64],
    dimension: usize,
) -> Result<IndexingMap, NoMap> {
    check_parts(output, operand, dimension)?;
    let builder = MapBuilder::over(output);
    let mut results = builder.dimensions();
    if operand[dimension] < output[dimension] {
        results[dimension] = results[dimension].modulo(operand[dimension])?;
    }
    Ok(builder.finish(results))
}

/// Returns the map for a result that is the part with this device's number.
pub(super) fn scattered(
    output: &[i64],
    operand: &[i64],
    dimension: usize,
) -> Result<IndexingMap, NoMap> {
    check_parts(operand, output, dimension)?;
    let mut builder = MapBuilder::over(output);
    let mut results = builder.dimensions();
    if output[dimension] < operand[dimension] {
        let number = builder.range(operand[dimension] / output[dimension]);
        results[dimension] = number.scale(output[dimension])?.add(&results[dimension])?;
    }
    Ok(builder.finish(results))
}

/// Returns the map for a result from the parts with this device's number, of as many parts as the group has devices; if that
/// number is unknown, or does not divide the dimension, any element along the dimension may be read.
pub(super) fn exchanged(
    output: &[i64],
    operand: &[i64],
    dimension: usize,
    group: Option<i64>,
) -> Result<IndexingMap, NoMap> {
    let Some(size) = operand.get(dimension).copied().filter(|_| output == operand) else {
        return Err(NoMap::invalid("the operand has a different shape"));
    };
    // XLA accepts group sizes that do not divide the dimension, for which the op has no meaning.
    let Some(group) = group.filter(|group| *group >= 1 && size % group == 0) else {
        return super::builder::fibres("all-to-all", output, operand, &[dimension]);
    };
    let mut builder = MapBuilder::over(output);
    let mut results = builder.dimensions();
    if group > 1 && size > 0 {
        let part = size / group;
        let number = builder.range(group);
        results[dimension] = number.scale(part)?.add(&results[dimension].modulo(part)?)?;
    }
    Ok(builder.finish(results))
}

/// Returns the reads of a ragged all-to-all: it moves rows between devices, as specified by arrays of offsets and sizes.
pub(super) fn ragged_entries(op: &Op<'_>) -> Entries {
    let name = op.instruction.name();
    let output = op.sizes()?;
    let mut entries = Vec::new();
    for k in 0..op.operands.len() {
        let operand = op.operand_sizes(k)?;
        let map = match k {
            1 => same(&output, &operand)?, // elements that no device sends keep their places
            _ => everything(&output, &operand),
        };
        let reason = format!("`{name}`: offsets and sizes are known only at run time");
        entries.push(entry(k, Reads::union([OperandMap::at_most(map, reason)])));
    }
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::indexing::testing::{built, read_by};
    use std::collections::BTreeSet;

    /// Simulates a program of `devices` devices, each with its own elements `0..size`, by moving pairs of device and index;
    /// checks that the map has exactly the elements that some device reads.
    #[track_caller]
    fn check(
        map: &IndexingMap,
        size: i64,
        received: impl Fn(i64, i64) -> Vec<(i64, i64)>,
        devices: i64,
    ) {
        for d in 0..size {
            let read: BTreeSet<Vec<i64>> = (0..devices)
                .flat_map(|device| received(device, d))
                .map(|(_, index)| vec![index])
                .collect();
            assert_eq!(read_by(map, &[d], &[]), read, "at {d}");
        }
    }

    #[test]
    fn maps_hold_for_every_device() {
        let map = built(gathered(&[12], &[4], 0));
        check(&map, 12, |_, d| vec![(d / 4, d % 4)], 3);
        let map = built(scattered(&[4], &[12], 0));
        check(&map, 4, |device, d| (0..3).map(|from| (from, 4 * device + d)).collect(), 3);
        let map = built(exchanged(&[12], &[12], 0, Some(3)));
        check(&map, 12, |device, d| vec![(d / 4, 4 * device + d % 4)], 3);
        for group in [None, Some(5)] {
            let any = built(exchanged(&[12], &[12], 0, group));
            check(&any, 12, |_, _| (0..12).map(|index| (0, index)).collect(), 3);
        }
    }

    #[test]
    fn refuses_what_does_not_fit() {
        assert!(gathered(&[12], &[5], 0).is_err());
        assert!(gathered(&[12, 2], &[4, 3], 0).is_err());
        assert!(scattered(&[5], &[12], 0).is_err());
        assert!(exchanged(&[12], &[4], 0, Some(3)).is_err());
        assert!(gathered(&[0], &[0], 0).is_ok());
    }
}
