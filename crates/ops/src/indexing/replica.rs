//! Replica maps: the devices that a collective reads its elements from.
//!
//! Law: let `k` be the number of a device in its group of [`DeviceGroups`]. For each value of the range variables of the replica
//! map, the device reads the element at the result of the operand's map, from the member of its group at the result of the
//! replica map, and nothing else. If the map of the operand has a range variable for this device's number ([`Own::Variable`]),
//! its value is `k`; with [`Own::Number`], the map only holds for devices with that number.
//!
//! * all-reduce, reduce-scatter: from every member;
//! * all-gather: from member `d floordiv size` along its dimension; all-to-all: from member `d floordiv part`; of a tuple,
//!   part `j` from member `j`, its operand of this device's number;
//! * collective-broadcast: from member 0; collective-permute: from the source of the pair whose target is this device.
//!   A device that is in no group, or the target of no pair, reads nothing: it gets zeros.
//!
//! Source: as `collective.rs`; the groups, `hlo::device_groups`.

use super::builder::MapBuilder;
use super::collective::has_root;
use super::op::Op;
use super::reads::{OperandMap, OperandReads};
use affinor::expr::{Expr, IndexingMap, VariableKind};
use affinor::num::Interval;
use affinor_hlo::attribute::AttributeValue;
use affinor_hlo::device_groups::{DeviceGroups, DeviceIds};
use affinor_hlo::module::{Computation, Instruction, Module};
use affinor_hlo::opcode::Opcode;
use affinor_hlo::shape::Shape;
use std::collections::BTreeSet;

/// The data exchange of a collective between devices.
pub struct Exchange<'m> {
    op: Op<'m>,
    /// The path of the collective's result in the result of the given instruction.
    prefix: &'static [usize],
    /// Entry `k` is the operand bound to parameter `k`, for a collective in a computation of its own.
    operands: Option<Vec<Option<usize>>>,
    groups: Result<Groups, String>,
}

enum Groups {
    Members(DeviceGroups),
    Pairs(DeviceIds, Vec<[i64; 2]>),
}

/// The devices that the elements of an entry are read from.
pub enum Replica<'a> {
    /// Members of the device's group.
    Member {
        /// The map from an index of the output to the number of a member.
        map: IndexingMap,
        /// The dependence of the entry on this device's number in its group.
        own: Option<Own>,
        /// The groups.
        groups: &'a DeviceGroups,
    },
    /// The source of the pair whose target is the reader.
    Source {
        /// The meaning of the device numbers.
        ids: DeviceIds,
        /// The pairs of source and target.
        pairs: &'a [[i64; 2]],
    },
    /// No claim is made, for this reason.
    Unknown(&'a str),
}

/// The occurrence of the reading device's number in its group.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Own {
    /// The number is the value of this range variable of the operand's map.
    Variable(String),
    /// The entry is only about devices with this number.
    Number(usize),
}

impl<'m> Exchange<'m> {
    /// Returns the exchange of an instruction, if it is a collective or starts one.
    #[must_use]
    pub fn of(
        module: &'m Module,
        computation: &'m Computation,
        instruction: &'m Instruction,
    ) -> Option<Exchange<'m>> {
        if *instruction.opcode() == Opcode::AsyncStart {
            let called = &module[instruction.called("calls").ok()?];
            let inner = Exchange::of(module, called, &called[called.root()])?;
            let operands = &inner.op.operands;
            let place =
                |id| operands.iter().position(|operand| std::ptr::eq(*operand, &called[id]));
            let operands = called.parameters().iter().map(|id| place(*id)).collect();
            let is_plain = inner.prefix.is_empty() && inner.operands.is_none();
            return is_plain.then_some(Exchange {
                prefix: &[1],
                operands: Some(operands),
                ..inner
            });
        }
        let prefix: &[usize] = match instruction.opcode() {
            Opcode::AllGather
            | Opcode::AllReduce
            | Opcode::AllReduceStart
            | Opcode::AllToAll
            | Opcode::CollectiveBroadcast
            | Opcode::CollectivePermute
            | Opcode::CollectiveReduce
            | Opcode::RaggedAllToAll
            | Opcode::ReduceScatter => &[],
            Opcode::AllGatherStart | Opcode::CollectivePermuteStart => &[1],
            _ => return None,
        };
        let op = Op::new(computation, instruction);
        let groups = groups(module, &op, prefix);
        Some(Exchange { op, prefix, operands: None, groups })
    }

    /// Returns the device that the elements of an entry are read from; `None` if it is this device, or nothing is read.
    #[must_use]
    pub fn of_entry(&self, entry: &OperandReads) -> Option<Replica<'_>> {
        let map_of = entry.reads.maps()?;
        if map_of.is_empty() {
            return None;
        }
        let path = entry.output.strip_prefix(self.prefix)?;
        let operand = match &self.operands {
            None => entry.operand,
            Some(operands) => operands.get(entry.operand).copied().flatten()?,
        };
        let groups = match &self.groups {
            Err(reason) => return Some(Replica::Unknown(reason)),
            Ok(Groups::Pairs(ids, pairs)) => return Some(Replica::Source { ids: *ids, pairs }),
            Ok(Groups::Members(groups)) => groups,
        };
        let found = self.member((path, operand), groups);
        let (map, own) = match found {
            Ok(found) => found,
            Err(reason) => return Some(Replica::Unknown(reason)),
        };
        let own = own.or_else(|| match self.op.instruction.opcode() {
            Opcode::AllToAll | Opcode::ReduceScatter => own_variable(map_of, groups.size()),
            _ => None,
        });
        Some(Replica::Member { map, own, groups })
    }

    /// Returns the map from an index of the array at `path` to a member.
    fn member(
        &self,
        (path, operand): (&[usize], usize),
        groups: &DeviceGroups,
    ) -> Result<(IndexingMap, Option<Own>), &'static str> {
        let op = &self.op;
        let result = op.instruction.shape().at(&[self.prefix(), path].concat());
        let array = result.and_then(Shape::as_array).ok_or(NO_ARRAY)?;
        let sizes = array.fixed_sizes().ok_or(NO_ARRAY)?;
        let mut builder = MapBuilder::over(&sizes);
        let mut own = None;
        let along = || -> Result<(usize, i64), &'static str> {
            let along = op.one_dimension(sizes.len(), "").map_err(|_| NO_ARRAY)?;
            Ok((along, *sizes.get(along).ok_or(NO_ARRAY)?))
        };
        let block = |builder: &MapBuilder, along: usize, size: i64| match size {
            0 => Ok(Expr::constant(0)), // no index exists
            _ => builder.dimensions()[along].floordiv(size).map_err(|_| NO_ARRAY),
        };
        let is_parted = op.instruction.attributes().get("dimensions").is_some();
        let member = match op.instruction.opcode() {
            Opcode::AllToAll if !is_parted => {
                own = Some(Own::Number(operand));
                Expr::constant(path.first().map_or(0, |part| *part as i64))
            }
            _ if groups.size() == 1 => Expr::constant(0),
            Opcode::AllGather | Opcode::AllGatherStart => {
                let (along, whole) = along()?;
                let operand = op.operand_sizes(operand).map_err(|_| NO_ARRAY)?;
                let size = *operand.get(along).ok_or(NO_ARRAY)?;
                if size.checked_mul(groups.size()) != Some(whole) {
                    return Err(OTHER_PARTS);
                }
                block(&builder, along, size)?
            }
            Opcode::ReduceScatter => {
                let (along, size) = along()?;
                let operand = op.operand_sizes(operand).map_err(|_| NO_ARRAY)?;
                if size.checked_mul(groups.size()) != operand.get(along).copied() {
                    return Err(OTHER_PARTS);
                }
                builder.range_called("r0", groups.size())
            }
            Opcode::AllToAll => {
                let (along, whole) = along()?;
                if whole % groups.size() != 0 {
                    return Err(OTHER_PARTS);
                }
                block(&builder, along, whole / groups.size())?
            }
            Opcode::CollectiveBroadcast => Expr::constant(0),
            _ => builder.range_called("r0", groups.size()),
        };
        Ok((builder.finish(vec![member]), own))
    }

    /// Returns the path of the result in that of the collective itself.
    fn prefix(&self) -> &'static [usize] {
        match self.operands {
            None => self.prefix,
            Some(_) => &[],
        }
    }
}

/// Returns the range variable over the numbers of a group, if it is the only range variable of a single map.
fn own_variable(maps: &[OperandMap], size: i64) -> Option<Own> {
    let [map] = maps else {
        return None;
    };
    let domain = map.map.domain();
    let mut ranges = domain.ids(VariableKind::Range);
    match (ranges.next(), ranges.next()) {
        (Some(id), None) if domain.bounds(id) == Interval::of_size(size) => {
            let variable = domain.variables().get(id.index())?;
            Some(Own::Variable(variable.name.to_string()))
        }
        _ => None,
    }
}

/// Returns the devices that exchange data, or the reason why they are unknown.
fn groups(module: &Module, op: &Op<'_>, prefix: &[usize]) -> Result<Groups, String> {
    match op.instruction.opcode() {
        Opcode::CollectiveBroadcast | Opcode::CollectiveReduce
            if has_root(op, &op.instruction.shape().arrays()) =>
        {
            Err("its root is known only at run time".into())
        }
        Opcode::CollectiveReduce => Err("which device is its root is not followed".into()),
        Opcode::RaggedAllToAll => Err("offsets and sizes are known only at run time".into()),
        Opcode::CollectivePermute | Opcode::CollectivePermuteStart => {
            Ok(Groups::Pairs(op.instruction.device_ids()?, pairs(op)?))
        }
        _ => {
            let parts = parts(op, prefix)?;
            let groups = module.device_groups(op.instruction, parts)?;
            Ok(Groups::Members(groups))
        }
    }
}

const NO_ARRAY: &str = "its operands and results are not arrays of known sizes";

const OTHER_PARTS: &str = "the parts of the arrays differ in number from the devices of a group";

/// Returns the number of members of a group, if the shapes imply it.
fn parts(op: &Op<'_>, prefix: &[usize]) -> Result<Option<i64>, String> {
    let opcode = op.instruction.opcode();
    if *opcode == Opcode::AllToAll && op.instruction.attributes().get("dimensions").is_none() {
        return Ok(i64::try_from(op.operands.len()).ok());
    }
    let is_gather = matches!(opcode, Opcode::AllGather | Opcode::AllGatherStart);
    if !is_gather && *opcode != Opcode::ReduceScatter {
        return Ok(None);
    }
    let result = op.instruction.shape().at(prefix).ok_or(NO_ARRAY)?;
    let (_, result) = *result.arrays().first().ok_or(NO_ARRAY)?;
    let result = result.fixed_sizes().ok_or(NO_ARRAY)?;
    let operand = op.operand_sizes(0).map_err(|_| NO_ARRAY)?;
    let along = op.one_dimension(operand.len(), "").map_err(|_| NO_ARRAY)?;
    let size = |sizes: &[i64]| sizes.get(along).copied().ok_or(NO_ARRAY);
    let (larger, smaller) = match is_gather {
        true => (size(&result)?, size(&operand)?),
        false => (size(&operand)?, size(&result)?),
    };
    Ok((smaller > 0 && larger % smaller == 0).then(|| larger / smaller))
}

/// Returns the pairs of `source_target_pairs`, which must not repeat a target.
fn pairs(op: &Op<'_>) -> Result<Vec<[i64; 2]>, String> {
    let attributes = op.instruction.attributes();
    if attributes.get("slice_sizes").is_some() {
        return Err("which slices are sent, and where they go, is known only at run time".into());
    }
    let value = attributes.get("source_target_pairs").map(|pairs| pairs.value());
    let pairs = match value {
        Some(AttributeValue::Groups(pairs)) => pairs.as_slice(),
        Some(AttributeValue::Integers(none)) if none.is_empty() => &[],
        _ => return Err("`source_target_pairs` are missing, or of an unknown form".into()),
    };
    let mut targets = BTreeSet::new();
    let pair = |pair: &Vec<i64>| match pair[..] {
        [source, target] if source >= 0 && target >= 0 && targets.insert(target) => {
            Some([source, target])
        }
        _ => None,
    };
    let pairs: Option<Vec<[i64; 2]>> = pairs.iter().map(pair).collect();
    pairs.ok_or_else(|| "a device is the target of two pairs, or a pair is none".into())
}
