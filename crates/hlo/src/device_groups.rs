//! The devices that a collective works on: the groups that its attributes specify, member by member.
//!
//! Law: member `m` of a group of `replica_groups` is, by the kind of the numbers in the groups ([`DeviceIds`]):
//!
//! * replicas: the device of that replica, of the reader's own partition;
//! * partitions: the device of that partition, of the reader's own replica;
//! * replicas of every partition: replica number `m floordiv partitions` of the list, partition `m mod partitions`;
//! * flattened: the device of replica `id floordiv partitions` and partition `id mod partitions`.
//!
//! The rows of `[2,4]<=[4,2]T(1,0)` are groups. The devices of a mesh, in row-major order of its axes, are a group if they
//! differ only along the axes in braces, the last of which varies fastest.
//! Source: XLA, `collective_ops_utils.h` (`CollectiveOpGroupMode`), `replica_group.cc`, `tile_assignment.h`.

use super::attribute::{AttributeValue, IotaGroups, MeshDevices, MeshGroups};
use super::module::{Instruction, Module};
use super::opcode::Opcode;
use std::collections::BTreeSet;

/// Maximum number of devices, over all groups, that are listed one by one.
const MOST_DEVICES: i64 = 1 << 16;

/// The kind of the numbers in the groups of a collective.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DeviceIds {
    /// Replicas; without `channel_id`.
    Replicas,
    /// Partitions; with `channel_id`, for an op without `use_global_device_ids`.
    Partitions,
    /// Replicas, all partitions of which take part; with `channel_id`, without `use_global_device_ids`.
    ReplicasOfEveryPartition,
    /// `replica * partitions + partition`; with both.
    Flattened,
}

impl DeviceIds {
    /// Returns the name as a plural: `flattened ids`.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            DeviceIds::Replicas => "replicas",
            DeviceIds::Partitions => "partitions",
            DeviceIds::ReplicasOfEveryPartition => "replicas of every partition",
            DeviceIds::Flattened => "flattened ids",
        }
    }
}

/// The groups of a collective. Their ids are distinct, and all groups have the same size.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeviceGroups {
    /// The kind of the ids.
    pub ids: DeviceIds,
    /// The members of each group, in order.
    pub groups: Vec<Vec<i64>>,
    /// The number of partitions that take part for each id; 1 unless all of them do.
    pub partitions: i64,
}

impl DeviceGroups {
    /// Returns the number of members of a group, at least 1.
    #[must_use]
    pub fn size(&self) -> i64 {
        let ids = self.groups.first().map_or(1, Vec::len);
        i64::try_from(ids).map_or(i64::MAX, |ids| ids.saturating_mul(self.partitions))
    }
}

impl Module {
    /// Returns the number of replicas, if the text states it.
    #[must_use]
    pub fn replicas(&self) -> Option<i64> {
        self.devices("replica_count")
    }

    /// Returns the number of partitions, if the text states it.
    #[must_use]
    pub fn partitions(&self) -> Option<i64> {
        self.devices("num_partitions")
    }

    fn devices(&self, name: &str) -> Option<i64> {
        match self.attributes().get(name)?.value() {
            AttributeValue::Integer(count) if *count >= 1 => Some(*count),
            _ => None,
        }
    }

    /// Returns the groups of a collective. `parts` is the number of members of a group that its shapes imply, if they do.
    ///
    /// # Errors
    /// The reason why the groups are unknown, as a sentence without a full stop.
    pub fn device_groups(
        &self,
        instruction: &Instruction,
        parts: Option<i64>,
    ) -> Result<DeviceGroups, String> {
        let ids = instruction.device_ids()?;
        let value = instruction.attributes().get("replica_groups");
        let groups = match value.map(|attribute| attribute.value()) {
            None => Vec::new(),
            Some(AttributeValue::Groups(groups)) => groups.clone(),
            Some(AttributeValue::Integers(none)) if none.is_empty() => Vec::new(),
            Some(AttributeValue::IotaGroups(groups)) => of_iota(groups)?,
            Some(AttributeValue::MeshGroups(groups)) => of_mesh(groups)?,
            Some(_) => return Err("its groups of devices are written in an unknown form".into()),
        };
        check(&groups)?;
        let size = groups.first().map(|group| group.len() as i64);
        let of_text = match ids {
            DeviceIds::Partitions => self.partitions(),
            _ => self.replicas(),
        };
        let (partitions, count) = match (ids, size) {
            (DeviceIds::ReplicasOfEveryPartition, size) => {
                let count = size.or(of_text);
                let of_parts = || {
                    let (parts, count) = (parts?, count.filter(|count| *count >= 1)?);
                    (parts % count == 0).then_some(parts / count)
                };
                let partitions = self.partitions().or_else(of_parts);
                let unknown = "the text does not say how many partitions there are";
                (partitions.ok_or(unknown)?, count)
            }
            (DeviceIds::Flattened, None) => {
                return Err("flattened ids are used, and no groups of them given".into());
            }
            (_, size) => (1, size.or(of_text).or(parts)),
        };
        let count = count.ok_or("the text does not say how many devices there are")?;
        let groups = match groups.is_empty() {
            true => vec![(0..bounded(count)?).collect()],
            false => groups,
        };
        let found = DeviceGroups { ids, groups, partitions };
        match parts {
            Some(parts) if parts != found.size() => {
                Err(format!("a group has {} devices, and by the shapes {parts}", found.size()))
            }
            _ => Ok(found),
        }
    }
}

impl Instruction {
    /// Returns the kind of the numbers in the groups of a collective.
    ///
    /// # Errors
    /// The reason why the kind is unclear, as a sentence without a full stop.
    pub fn device_ids(&self) -> Result<DeviceIds, String> {
        let has_channel = self.attributes().get("channel_id").is_some();
        let is_global = self.flag("use_global_device_ids", false);
        let is_global = is_global.map_err(|error| error.message)?;
        let of_either = matches!(
            self.opcode(),
            Opcode::AllGather
                | Opcode::AllGatherStart
                | Opcode::AllReduce
                | Opcode::AllReduceStart
                | Opcode::ReduceScatter
        );
        match (has_channel, is_global) {
            (false, false) => Ok(DeviceIds::Replicas),
            (false, true) => {
                Err("`use_global_device_ids` has no meaning without `channel_id`".into())
            }
            (true, true) if !of_either => Err("the op has no `use_global_device_ids`".into()),
            (true, false) if !of_either => Ok(DeviceIds::Partitions),
            (true, true) => Ok(DeviceIds::Flattened),
            (true, false) => Ok(DeviceIds::ReplicasOfEveryPartition),
        }
    }
}

fn bounded(count: i64) -> Result<i64, String> {
    match (0..=MOST_DEVICES).contains(&count) {
        true => Ok(count),
        false => Err(format!("there are more than {MOST_DEVICES} devices in its groups")),
    }
}

/// Checks that all groups have the same size and that no device occurs twice.
fn check(groups: &[Vec<i64>]) -> Result<(), String> {
    let Some(first) = groups.first() else {
        return Ok(());
    };
    if first.is_empty() || groups.iter().any(|group| group.len() != first.len()) {
        return Err("its groups of devices have different sizes".into());
    }
    let mut seen = BTreeSet::new();
    match groups.iter().flatten().find(|id| **id < 0 || !seen.insert(**id)) {
        None => Ok(()),
        Some(id) => Err(format!("its groups of devices have {id} twice, or it is not a device")),
    }
}

fn of_iota(iota: &IotaGroups) -> Result<Vec<Vec<i64>>, String> {
    let wrong = || "the sizes of its groups of devices contradict each other".to_owned();
    let order: Vec<i64> = match &iota.transpose {
        Some(order) => order.clone(),
        None => (0..iota.reshape.len() as i64).collect(),
    };
    let ids = transposed(&iota.reshape, &order, |id| id)?;
    match iota.dimensions[..] {
        [count, size] if size >= 1 && count.checked_mul(size) == Some(ids.len() as i64) => {
            Ok(ids.chunks(size as usize).map(<[i64]>::to_vec).collect())
        }
        _ => Err(wrong()),
    }
}

fn of_mesh(mesh: &MeshGroups) -> Result<Vec<Vec<i64>>, String> {
    // Each axis is one dimension, or several if only parts of it are selected.
    let mut sizes: Vec<i64> = Vec::new();
    let mut chosen: Vec<i64> = Vec::new();
    if !mesh.axes.is_sorted() {
        return Err("the axes of its groups are not in the order of the mesh".into());
    }
    for (axis, size) in mesh.sizes.iter().enumerate() {
        let mut before = 1;
        for part in mesh.axes.iter().filter(|part| part.axis == axis) {
            if part.before < before || part.before % before != 0 {
                return Err("the axes of its groups overlap".into());
            }
            sizes.push(part.before / before);
            chosen.push(sizes.len() as i64);
            sizes.push(part.size);
            before = part.before * part.size;
        }
        sizes.push(size / before);
    }
    let devices: Vec<i64> = match &mesh.devices {
        MeshDevices::InOrder => transposed(&mesh.sizes, &[], |id| id)?,
        MeshDevices::Listed(ids) => ids.clone(),
        MeshDevices::Transposed(sizes, order) => transposed(sizes, order, |id| id)?,
        MeshDevices::Unread => {
            return Err("`device_ids` of its mesh are written in an unknown form".into());
        }
    };
    let rest = (0..sizes.len() as i64).filter(|place| !chosen.contains(place));
    let order: Vec<i64> = rest.chain(chosen.iter().copied()).collect();
    let of_place = |place: i64| devices.get(place as usize).copied().unwrap_or(-1);
    let ids = transposed(&sizes, &order, of_place)?;
    match ids.len() == devices.len() && mesh.group_size >= 1 {
        true => Ok(ids.chunks(mesh.group_size as usize).map(<[i64]>::to_vec).collect()),
        false => Err("the mesh of its groups has more or fewer places than devices".into()),
    }
}

/// Returns the values 0, 1, .., reshaped to `sizes` and transposed to `order` (not transposed if empty), in row-major order.
fn transposed(
    sizes: &[i64],
    order: &[i64],
    value: impl Fn(i64) -> i64,
) -> Result<Vec<i64>, String> {
    let wrong = || "the sizes of its groups of devices contradict each other".to_owned();
    let product = |all: i64, size: &i64| all.checked_mul(*size).filter(|_| *size >= 1);
    let count = bounded(sizes.iter().try_fold(1, product).ok_or_else(wrong)?)?;
    let places: Vec<i64> = (0..sizes.len() as i64).collect();
    let order = if order.is_empty() { &places } else { order };
    let mut sorted = order.to_vec();
    sorted.sort_unstable();
    if sorted != places {
        return Err(wrong());
    }
    let stride = |place: &i64| sizes.iter().skip(*place as usize + 1).product::<i64>();
    let mut values = vec![0];
    for place in order {
        let (size, stride) = (sizes[*place as usize], stride(place));
        let next = values.iter().flat_map(|from| (0..size).map(move |k| from + k * stride));
        values = next.collect();
    }
    debug_assert_eq!(values.len() as i64, count);
    Ok(values.into_iter().map(value).collect())
}
