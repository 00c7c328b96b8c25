//! Which device the elements of a collective are read from, beside each map of an instruction.

use crate::command::output::{Object, Role, Text, clipped};
use crate::hlo::device_groups::DeviceIds;
use crate::ops::indexing::{Own, Replica};
use crate::text::{Style, print_map};
use std::fmt::Display;

/// `object` with `replica`: `{"map", "ids", "groups", "partitions", "own"}`, `{"ids", "source_target_pairs"}`, or
/// `{"map": "unknown", "reason"}`.
pub(super) fn with_replica(object: Object, replica: Option<&Replica<'_>>, style: Style) -> Object {
    let Some(replica) = replica else {
        return object;
    };
    let nested = Object::nested();
    object.with(
        "replica",
        match replica {
            Replica::Unknown(reason) => nested.with("map", "unknown").with("reason", *reason),
            Replica::Source { ids, pairs } => nested
                .with("ids", json_ids(*ids))
                .with("source_target_pairs", pairs.to_vec()),
            Replica::Member { map, own, groups } => {
                let nested = nested
                    .with("map", print_map(map, style))
                    .with("ids", json_ids(groups.ids))
                    .with("groups", groups.groups.clone());
                let nested = match groups.ids {
                    DeviceIds::ReplicasOfEveryPartition => {
                        nested.with("partitions", groups.partitions)
                    }
                    _ => nested,
                };
                match own {
                    None => nested,
                    Some(Own::Variable(name)) => nested.with("own", name.as_str()),
                    Some(Own::Number(number)) => nested.with("own", *number),
                }
            }
        },
    )
}

fn json_ids(ids: DeviceIds) -> &'static str {
    match ids {
        DeviceIds::Replicas => "replica",
        DeviceIds::Partitions => "partition",
        DeviceIds::ReplicasOfEveryPartition => "replica-and-partition",
        DeviceIds::Flattened => "flattened",
    }
}

/// A line below that of the map.
pub(super) fn replica_text(replica: &Replica<'_>, style: Style) -> Text {
    let text = Text::new().plain("\n        replica id: ");
    match replica {
        Replica::Unknown(reason) => text
            .with(Role::Doubtful, "unknown")
            .plain(format!(": {reason}")),
        Replica::Source { ids, pairs } => {
            let pairs = pairs.iter().map(braced);
            text.plain(format!(
                "the source of this device in {} ({})",
                clipped(&braced(pairs)),
                ids.words()
            ))
        }
        Replica::Member { map, own, groups } => {
            let list = braced(groups.groups.iter().map(braced));
            let own = match own {
                None => String::new(),
                Some(Own::Variable(name)) => format!("; {name} is this device's number in it"),
                Some(Own::Number(number)) => format!("; on devices of number {number} in it"),
            };
            text.with(Role::Formula, print_map(map, style))
                .plain(format!(
                    "\n            a number in its group of {} {}{own}",
                    groups.ids.words(),
                    clipped(&list)
                ))
        }
    }
}

/// `{0,1}`
fn braced<T: Display>(list: impl IntoIterator<Item = T>) -> String {
    let list: Vec<String> = list.into_iter().map(|each| each.to_string()).collect();
    format!("{{{}}}", list.join(","))
}
