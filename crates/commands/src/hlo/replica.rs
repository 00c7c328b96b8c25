//! The device that the elements of a collective are read from, beside each map of an instruction and of the entry.

use crate::output::{Object, Role, Text, clipped};
use affinor::expr::IndexingMap;
use affinor::text::{Style, print_map};
use affinor_hlo::device_groups::{DeviceGroups, DeviceIds};
use affinor_hlo::module::Computation;
use affinor_ops::indexing::{Device, Hop, Own, Replica};
use std::fmt::Display;

/// Adds `replica` to `object`: `{"map", "ids", "groups", "partitions", "own"}`, `{"ids", "source_target_pairs"}`, or
/// `{"map": "unknown", "reason"}`.
pub(super) fn with_replica(object: Object, replica: Option<&Replica<'_>>, style: Style) -> Object {
    let Some(replica) = replica else {
        return object;
    };
    let nested = Object::nested();
    object.with(
        "replica",
        match replica {
            Replica::Unknown(reason) => unknown(nested, reason),
            Replica::Source { ids, pairs } => source(nested, *ids, pairs),
            Replica::Member { map, own, groups } => {
                let nested = member(nested, map, groups, style);
                match own {
                    None => nested,
                    Some(Own::Variable(name)) => nested.with("own", name.as_str()),
                    Some(Own::Number(number)) => nested.with("own", *number),
                }
            }
        },
    )
}

/// Adds `replica` to `object`: for each map, the collectives on its path, from this device on, each in the form of
/// `with_replica`, with its name as `instruction`. `own_map` or, if it is a constant, `own` is the number of the device before,
/// where it matters.
pub(super) fn with_hops(
    object: Object,
    computation: &Computation,
    hops: &[Hop],
    members: &[Vec<Vec<IndexingMap>>],
    style: Style,
) -> Object {
    let of_map = |maps: &Vec<Vec<IndexingMap>>| -> Vec<Object> {
        let hops = hops.iter().zip(maps);
        hops.map(|(hop, maps)| {
            let name = computation[hop.instruction].name();
            let nested = Object::nested().with("instruction", name);
            match (&hop.to, maps.as_slice()) {
                (Device::Member { groups, own, .. }, [map, rest @ ..]) => {
                    let own_map = rest.first().map(|map| print_map(map, style));
                    member(nested, map, groups, style)
                        .with_some("own_map", own_map)
                        .with_some("own", *own)
                }
                (Device::Source { ids, pairs }, _) => source(nested, *ids, pairs),
                (Device::Unknown(reason), _) => unknown(nested, reason),
                (Device::Member { .. }, []) => nested,
            }
        })
        .collect()
    };
    match hops.is_empty() {
        true => object,
        false => object.with("replica", members.iter().map(of_map).collect::<Vec<_>>()),
    }
}

fn unknown(nested: Object, reason: &str) -> Object {
    nested.with("map", "unknown").with("reason", reason)
}

fn source(nested: Object, ids: DeviceIds, pairs: &[[i64; 2]]) -> Object {
    nested.with("ids", json_ids(ids)).with("source_target_pairs", pairs.to_vec())
}

fn member(nested: Object, map: &IndexingMap, groups: &DeviceGroups, style: Style) -> Object {
    let nested = nested
        .with("map", print_map(map, style))
        .with("ids", json_ids(groups.ids))
        .with("groups", groups.groups.clone());
    match groups.ids {
        DeviceIds::ReplicasOfEveryPartition => nested.with("partitions", groups.partitions),
        _ => nested,
    }
}

fn json_ids(ids: DeviceIds) -> &'static str {
    match ids {
        DeviceIds::Replicas => "replica",
        DeviceIds::Partitions => "partition",
        DeviceIds::ReplicasOfEveryPartition => "replica-and-partition",
        DeviceIds::Flattened => "flattened",
    }
}

/// Returns the line below the map.
pub(super) fn replica_text(replica: &Replica<'_>, style: Style) -> Text {
    let text = Text::new().plain("\n        replica id: ");
    match replica {
        Replica::Unknown(reason) => unknown_text(text, reason),
        Replica::Source { ids, pairs } => source_text(text, *ids, pairs),
        Replica::Member { map, own, groups } => {
            let own = match own {
                None => String::new(),
                Some(Own::Variable(name)) => format!("; {name} is this device's number in it"),
                Some(Own::Number(number)) => format!("; on devices of number {number} in it"),
            };
            member_text(text, map, groups, &own, style)
        }
    }
}

/// Returns a line for each hop of a map of the entry, below it; `maps` has the maps of each hop.
pub(super) fn hops_text(hops: &[Hop], maps: &[Vec<IndexingMap>], style: Style) -> Text {
    let mut all = Text::new();
    for (number, (hop, maps)) in hops.iter().zip(maps).enumerate() {
        let device = if number == 0 { "this device" } else { "that device" };
        let text = Text::new().plain(match number {
            0 => "\n        replica id: ",
            _ => "\n        and from there, replica id: ",
        });
        all.append(match (&hop.to, maps.as_slice()) {
            (Device::Member { groups, own, .. }, [map, rest @ ..]) => {
                let own = match (own, rest.first()) {
                    (Some(number), _) => format!("; where {device} has number {number} in it"),
                    (None, Some(map)) => {
                        let map = print_map(map, style);
                        format!("; where the number of {device} in it is {map}")
                    }
                    (None, None) => String::new(),
                };
                member_text(text, map, groups, &own, style)
            }
            (Device::Source { ids, pairs }, _) if number == 0 => source_text(text, *ids, pairs),
            (Device::Source { ids, pairs }, _) => text.plain(format!(
                "the source of that device in {} ({})",
                clipped(&braced(pairs.iter().map(braced))),
                ids.words()
            )),
            (Device::Unknown(reason), _) => unknown_text(text, reason),
            (Device::Member { .. }, []) => Text::new(),
        });
    }
    all
}

fn unknown_text(text: Text, reason: &str) -> Text {
    text.with(Role::Doubtful, "unknown").plain(format!(": {reason}"))
}

fn source_text(text: Text, ids: DeviceIds, pairs: &[[i64; 2]]) -> Text {
    text.plain(format!(
        "the source of this device in {} ({})",
        clipped(&braced(pairs.iter().map(braced))),
        ids.words()
    ))
}

fn member_text(
    text: Text,
    map: &IndexingMap,
    groups: &DeviceGroups,
    own: &str,
    style: Style,
) -> Text {
    let list = braced(groups.groups.iter().map(braced));
    text.with(Role::Formula, print_map(map, style)).plain(format!(
        "\n            a number in its group of {} {}{own}",
        groups.ids.words(),
        clipped(&list)
    ))
}

/// Returns `{0,1}`
fn braced<T: Display>(list: impl IntoIterator<Item = T>) -> String {
    let list: Vec<String> = list.into_iter().map(|each| each.to_string()).collect();
    format!("{{{}}}", list.join(","))
}
