//! Collectives, as operations on the arrays of all devices.
//!
//! Law: see the ops in XLA's *Operation semantics*, and `replica.rs` of `ops`, which has the members of groups.

use super::lines::{Id, Lines};
use super::parts::{listed, sliced};
use super::sums::{Fold, beside};
use affinor_hlo::attribute::AttributeValue;
use affinor_hlo::device_groups::DeviceIds;
use affinor_hlo::module::{Computation, Instruction, Module};
use affinor_hlo::opcode::Opcode;
use affinor_hlo::shape::ArrayShape;

/// A collective in a module of one replica.
pub(super) struct Collective<'m, 'a> {
    pub(super) module: &'m Module,
    pub(super) body: &'m Computation,
    pub(super) instruction: &'m Instruction,
    /// The operands, each with its array on each device.
    pub(super) operands: &'a [Vec<Id>],
    pub(super) devices: usize,
}

impl<'m> Collective<'m, '_> {
    /// Returns the result on each device; `None` for other operations and forms.
    pub(super) fn results(&self, lines: &mut Lines<'m>) -> Option<Vec<Id>> {
        let results = self.instruction.shape().arrays();
        let parts = self.instruction.shape().as_tuple().map_or(1, <[_]>::len);
        (results.len() == parts && parts == self.operands.len()).then_some(())?;
        let opcode = self.instruction.opcode();
        let is_exchange = *opcode == Opcode::AllToAll && self.dimension(0).is_none();
        let groups = match opcode {
            Opcode::CollectivePermute => Vec::new(),
            Opcode::AllGather | Opcode::AllReduce | Opcode::ReduceScatter | Opcode::AllToAll => {
                self.groups(is_exchange)?
            }
            _ => return None,
        };
        let mut found = Vec::new();
        for device in 0..self.devices {
            let group = groups.iter().find(|group| group.contains(&device));
            let of_part = (0..parts).map(|part| {
                let (_, result) = results[part];
                match (opcode, group) {
                    (Opcode::CollectivePermute, _) => self.sent(lines, part, device, result),
                    (_, Some(group)) if is_exchange => self.exchanged(part, device, group),
                    (_, Some(group)) => self.of_group(lines, part, (device, group), result),
                    (_, None) => None,
                }
            });
            let of_parts = of_part.collect::<Option<Vec<Id>>>()?;
            found.push(match (self.instruction.shape().as_tuple(), &of_parts[..]) {
                (None, [only]) => *only,
                _ => lines.made(&self.instruction.shape().to_string(), "tuple", &of_parts, "")?,
            });
        }
        Some(found)
    }

    fn of_group(
        &self,
        lines: &mut Lines<'m>,
        part: usize,
        (device, group): (usize, &[usize]),
        result: &ArrayShape,
    ) -> Option<Id> {
        let arrays: Vec<Id> = group.iter().map(|one| self.operands[part][*one]).collect();
        // A fold takes the arrays of its devices in any order.
        let mut in_order = group.to_vec();
        in_order.sort_unstable();
        let folded: Vec<Id> = in_order.iter().map(|one| self.operands[part][*one]).collect();
        let operand = self.body.operands(self.instruction).nth(part)?.shape().as_array()?;
        let (sizes, result_sizes) = (operand.fixed_sizes()?, result.fixed_sizes()?);
        let own = i64::try_from(group.iter().position(|one| *one == device)?).ok()?;
        let members = i64::try_from(group.len()).ok()?;
        // Part number `own` of an array that is divided along a dimension.
        let block = |lines: &mut Lines<'m>, of: Id, dimension: usize, size: i64| {
            let mut sizes_then = sizes.clone();
            *sizes_then.get_mut(dimension)? = size;
            let mut ranges: Vec<(i64, i64)> = sizes.iter().map(|size| (0, *size)).collect();
            ranges[dimension] = (own * size, (own + 1) * size);
            let shape = format!("{}[{}]", operand.element_type().name(), listed(&sizes_then));
            lines.made(&shape, "slice", &[of], &sliced(&sizes, &ranges))
        };
        let along = |count: i64| -> Option<(usize, i64)> {
            let dimension = self.dimension(sizes.len())?;
            let size = sizes.get(dimension)?;
            (size % count == 0).then_some((dimension, size / count))
        };
        let found = match self.instruction.opcode() {
            Opcode::AllGather => beside(lines, &arrays, along(1)?.0)?,
            Opcode::AllReduce => {
                Fold::of(self.module, self.instruction)?.combined(lines, &folded, &sizes)?
            }
            Opcode::ReduceScatter => {
                let (dimension, size) = along(members)?;
                let fold = Fold::of(self.module, self.instruction)?;
                let all = fold.combined(lines, &folded, &sizes)?;
                block(lines, all, dimension, size)?
            }
            Opcode::AllToAll => {
                let (dimension, size) = along(members)?;
                let blocks = arrays.iter().map(|array| block(lines, *array, dimension, size));
                let blocks = blocks.collect::<Option<Vec<Id>>>()?;
                beside(lines, &blocks, dimension)?
            }
            _ => return None,
        };
        let made = affinor_hlo::read_shape(&lines.get(found).shape).ok()?;
        let made = made.as_array()?.fixed_sizes()?;
        // The shape of the text, with its layout.
        (made == result_sizes).then_some(())?;
        match lines.get(found).shape == result.to_string() {
            true => Some(found),
            false => lines.made(&result.to_string(), "copy", &[found], ""),
        }
    }

    /// Element `part` of an exchange of one array for each member of the group.
    fn exchanged(&self, part: usize, device: usize, group: &[usize]) -> Option<Id> {
        let own = group.iter().position(|one| *one == device)?;
        self.operands.get(own)?.get(*group.get(part)?).copied()
    }

    /// What a permutation sends to a device: zeros if it sends nothing.
    fn sent(
        &self,
        lines: &mut Lines<'m>,
        part: usize,
        device: usize,
        result: &ArrayShape,
    ) -> Option<Id> {
        (self.instruction.device_ids().ok()? == DeviceIds::Partitions).then_some(())?;
        let pairs = self.instruction.attributes().get("source_target_pairs")?.value();
        let AttributeValue::Groups(pairs) = pairs else {
            return None;
        };
        let target = i64::try_from(device).ok()?;
        let sources: Vec<i64> =
            pairs.iter().filter(|pair| pair.get(1) == Some(&target)).map(|pair| pair[0]).collect();
        match sources[..] {
            [source] => self.operands.get(part)?.get(usize::try_from(source).ok()?).copied(),
            [] => {
                let of = result.element_type();
                let zero = match of.name() {
                    "pred" => "false",
                    _ if of.component() != of => return None,
                    _ => "0",
                };
                let zero = lines.leaf(&format!("{}[]", of.name()), "constant", zero)?;
                lines.made(&result.to_string(), "broadcast", &[zero], ", dimensions={}")
            }
            _ => None,
        }
    }

    /// Returns the only dimension that the attributes name.
    fn dimension(&self, rank: usize) -> Option<usize> {
        let attribute = self.instruction.attributes().get("dimensions")?;
        match attribute.value() {
            AttributeValue::Integers(listed) => match listed[..] {
                [only] => usize::try_from(only).ok().filter(|only| rank == 0 || *only < rank),
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns the members of each group, in order.
    fn groups(&self, is_exchange: bool) -> Option<Vec<Vec<usize>>> {
        let parts = is_exchange.then_some(i64::try_from(self.operands.len()).ok()?);
        let found = self.module.device_groups(self.instruction, parts).ok()?;
        let all = i64::try_from(self.devices).ok()?;
        let is_of_one_replica = found.groups == [[0]];
        let groups = match found.ids {
            DeviceIds::Replicas if is_of_one_replica => {
                (0..all).map(|device| vec![device]).collect()
            }
            DeviceIds::ReplicasOfEveryPartition if is_of_one_replica => vec![(0..all).collect()],
            DeviceIds::Partitions | DeviceIds::Flattened => found.groups,
            _ => return None,
        };
        let of_group = |group: &Vec<i64>| {
            let members = group.iter().map(|one| usize::try_from(*one).ok());
            members.map(|one| one.filter(|one| *one < self.devices)).collect::<Option<Vec<usize>>>()
        };
        groups.iter().map(of_group).collect()
    }
}
