//! Collectives, run on several devices: the device that each element is read from.
//!
//! Each device has operands of its own, whose elements are pairs of device and index. The groups are drawn first and then
//! written in one of the forms that XLA reads, so the expected groups do not come from a parser. The interpreter follows the
//! text of *Operation semantics*.

use crate::device_groups::{Device, Mode, coordinates, groups, members, pairs};
use crate::suite::random::Random;
use affinor::expr::{IndexingMap, VariableKind};
use affinor_hlo as hlo;
use affinor_hlo::device_groups::{DeviceGroups, DeviceIds};
use affinor_ops::indexing::{Analysis, Exchange, OperandReads, Own, Replica};
use std::collections::BTreeSet;

/// An element of an operand of a device.
type Element = (Device, usize, Vec<i64>);

/// A program with one collective.
#[derive(Debug)]
struct Program {
    opcode: &'static str,
    /// The devices that take part together, for each group.
    groups: Vec<Vec<Device>>,
    replicas: i64,
    partitions: i64,
    /// The sizes of each operand.
    sizes: Vec<i64>,
    operands: usize,
    along: usize,
    text: String,
}

const OPCODES: [&str; 9] = [
    "all-gather",
    "all-gather-start",
    "all-reduce",
    "reduce-scatter",
    "reduce-scatter-start",
    "all-to-all",
    "tuple all-to-all",
    "collective-broadcast",
    "collective-permute",
];

impl Program {
    fn random(random: &mut Random) -> Program {
        let (replicas, partitions) = (random.within(1, 4), random.within(1, 4));
        let opcode = random.pick(&OPCODES);
        let of_either = opcode.starts_with("all-gather")
            || opcode.starts_with("reduce-scatter")
            || opcode == "all-reduce";
        let mode = match (random.percent(50), of_either) {
            (true, false) => Mode::Partitions,
            (true, true) if random.percent(50) => Mode::Flattened,
            (true, true) => Mode::Both,
            (false, _) => Mode::Replicas,
        };
        let count = match mode {
            Mode::Replicas | Mode::Both => replicas,
            Mode::Partitions => partitions,
            Mode::Flattened => replicas * partitions,
        };
        let (written, ids) = match opcode {
            "collective-permute" => pairs(random, count),
            _ => groups(random, count, mode != Mode::Flattened, opcode == "collective-broadcast"),
        };
        let groups = members(&ids, mode, (replicas, partitions));
        let size = groups.iter().map(|group| group.len()).max().unwrap_or(1) as i64;
        let rank = random.within(1, 3) as usize;
        let mut sizes: Vec<i64> = (0..rank).map(|_| random.within(1, 3)).collect();
        let along = random.below(rank);
        let mut result = sizes.clone();
        match opcode {
            "all-gather" | "all-gather-start" => result[along] *= size,
            "reduce-scatter" | "reduce-scatter-start" => sizes[along] *= size,
            "all-to-all" => {
                sizes[along] *= size;
                result[along] *= size;
            }
            _ => {}
        }
        let operands = match opcode {
            "tuple all-to-all" => size as usize,
            _ => 1,
        };
        let array = |sizes: &[i64]| {
            let sizes: Vec<String> = sizes.iter().map(i64::to_string).collect();
            format!("f32[{}]", sizes.join(","))
        };
        let result = match opcode {
            "all-gather-start" => format!("({}, {})", array(&sizes), array(&result)),
            "reduce-scatter-start" => format!("(({}), {})", array(&sizes), array(&result)),
            "tuple all-to-all" => format!("({})", vec![array(&sizes); operands].join(", ")),
            _ => array(&result),
        };
        let mut text = format!(
            "HloModule m, replica_count={replicas}, num_partitions={partitions}\n\
             sum {{\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = f32[] add(a, b)\n}}\n\
             ENTRY e {{\n"
        );
        for k in 0..operands {
            text += &format!("  p{k} = {} parameter({k})\n", array(&sizes));
        }
        let names: Vec<String> = (0..operands).map(|k| format!("p{k}")).collect();
        let name = opcode.split(' ').next_back().expect("a word");
        text += &format!("  ROOT r = {result} {name}({}){written}", names.join(", "));
        if mode != Mode::Replicas {
            text += &format!(", channel_id={}", random.within(1, 9));
        }
        if mode == Mode::Flattened {
            text += ", use_global_device_ids=true";
        }
        if !opcode.starts_with("collective")
            && !opcode.starts_with("tuple")
            && opcode != "all-reduce"
        {
            text += &format!(", dimensions={{{along}}}");
        }
        if opcode.contains("reduce") {
            text += ", to_apply=sum";
        }
        text += "\n}\n";
        Program { opcode, groups, replicas, partitions, sizes, operands, along, text }
    }

    /// Returns the elements that a device reads for one element of part `part` of its result.
    fn run(&self, device: Device, part: usize, d: &[i64]) -> BTreeSet<Element> {
        let target = self.groups.iter().find(|group| match self.opcode {
            "collective-permute" => group[1] == device,
            _ => group.contains(&device),
        });
        let Some(group) = target else {
            return BTreeSet::new(); // this device gets zeros
        };
        let number = group.iter().position(|each| *each == device).expect("it is in it");
        let element =
            |member: usize, operand: usize, index: Vec<i64>| (group[member], operand, index);
        let at = |value: i64| {
            let mut index = d.to_vec();
            index[self.along] = value;
            index
        };
        let (count, index) = (group.len() as i64, d[self.along]);
        match self.opcode {
            "all-gather" | "all-gather-start" => {
                // The operands are concatenated.
                let (mut member, mut rest) = (0, index);
                while rest >= self.sizes[self.along] {
                    rest -= self.sizes[self.along];
                    member += 1;
                }
                [element(member, 0, at(rest))].into()
            }
            "all-reduce" => (0..group.len()).map(|k| element(k, 0, d.to_vec())).collect(),
            "reduce-scatter" | "reduce-scatter-start" => {
                let part = self.sizes[self.along] / count;
                let index = at(number as i64 * part + index);
                (0..group.len()).map(|k| element(k, 0, index.clone())).collect()
            }
            "all-to-all" => {
                let part = self.sizes[self.along] / count;
                let sender = (0..count).find(|k| (k * part..(k + 1) * part).contains(&index));
                let sender = sender.expect("the parts are all of it");
                let within = index - sender * part;
                [element(sender as usize, 0, at(number as i64 * part + within))].into()
            }
            "tuple all-to-all" => [element(part, number, d.to_vec())].into(),
            _ => [element(0, 0, d.to_vec())].into(),
        }
    }
}

/// Returns the values of a map over all its range variables, or with one of them at its value in `fixed`.
fn values(map: &IndexingMap, d: &[i64], fixed: Option<(&str, i64)>) -> BTreeSet<Vec<i64>> {
    let domain = map.domain();
    let ranges = domain.ids(VariableKind::Range).map(|id| {
        let bounds = domain.bounds(id);
        match fixed {
            Some((name, value)) if *domain.variables()[id.index()].name == *name => vec![value],
            _ => (bounds.lo()..=bounds.hi()).collect(),
        }
    });
    let points = ranges.fold(vec![d.to_vec()], |points, values| {
        let next = |point: &Vec<i64>| {
            let with = |value: &i64| [&point[..], &[*value]].concat();
            values.iter().map(with).collect::<Vec<_>>()
        };
        points.iter().flat_map(next).collect()
    });
    let inside = points.iter().filter(|point| domain.contains(point).expect("small numbers"));
    inside.map(|point| map.eval(point).expect("small numbers")).collect()
}

/// Returns the group that contains the reader `device`, according to the answer, in order; `None` if no group does.
fn claimed_group(groups: &DeviceGroups, device: Device, program: &Program) -> Option<Vec<Device>> {
    let members = |group: &Vec<i64>| -> Vec<Device> {
        let member = |id: &i64| match groups.ids {
            DeviceIds::Replicas => vec![(*id, device.1)],
            DeviceIds::Partitions => vec![(device.0, *id)],
            DeviceIds::Flattened => vec![(id / program.partitions, id % program.partitions)],
            DeviceIds::ReplicasOfEveryPartition => {
                (0..groups.partitions).map(|p| (*id, p)).collect()
            }
        };
        group.iter().flat_map(member).collect()
    };
    let mut all = groups.groups.iter().map(members);
    all.find(|group| group.contains(&device))
}

/// Returns the elements that a device reads for an element of the result, according to an entry.
fn claimed(
    exchange: &Exchange<'_>,
    entry: &OperandReads,
    (device, d): (Device, &[i64]),
    program: &Program,
) -> BTreeSet<Element> {
    let maps = entry.reads.maps().expect("known").iter();
    let Some(replica) = exchange.of_entry(entry) else {
        let own = maps.flat_map(|map| values(&map.map, d, None));
        return own.map(|index| (device, entry.operand, index)).collect();
    };
    let (devices, own): (Vec<Device>, _) = match &replica {
        Replica::Unknown(reason) => panic!("{reason}\n{}", program.text),
        Replica::Source { ids, pairs } => {
            let (reader, source): (i64, &dyn Fn(i64) -> Device) = match ids {
                DeviceIds::Replicas => (device.0, &|id| (id, device.1)),
                _ => (device.1, &|id| (device.0, id)),
            };
            let pair = pairs.iter().find(|[_, target]| *target == reader);
            (pair.map(|[from, _]| source(*from)).into_iter().collect(), None)
        }
        Replica::Member { map, own, groups } => {
            let Some(group) = claimed_group(groups, device, program) else {
                return BTreeSet::new();
            };
            let number = group.iter().position(|each| *each == device).expect("it is in it");
            if matches!(own, Some(Own::Number(own)) if *own != number) {
                return BTreeSet::new();
            }
            let numbers = values(map, d, None);
            let devices = numbers.iter().map(|number| group[number[0] as usize]);
            let own = match own {
                Some(Own::Variable(name)) => Some((name.clone(), number as i64)),
                _ => None,
            };
            (devices.collect(), own)
        }
    };
    let own = own.as_ref().map(|(name, number)| (name.as_str(), *number));
    let indices: BTreeSet<Vec<i64>> = maps.flat_map(|map| values(&map.map, d, own)).collect();
    let each = |device: &Device| {
        let element = |index: &Vec<i64>| (*device, entry.operand, index.clone());
        indices.iter().map(element).collect::<Vec<_>>()
    };
    devices.iter().flat_map(each).collect()
}

fn check(program: &Program) {
    let module =
        hlo::read(program.text.as_bytes()).unwrap_or_else(|e| panic!("{e}\n{}", program.text));
    let body = &module[module.entry()];
    let root = &body[body.root()];
    let keep = |map: &IndexingMap| map.clone();
    let reads = Analysis::new(&module, &keep).instruction(module.entry(), body.root());
    let reads = reads.unwrap_or_else(|e| panic!("{e:?}\n{}", program.text));
    let exchange = Exchange::of(&module, body, root).expect("a collective");
    for (path, array) in root.shape().arrays() {
        let sizes = array.fixed_sizes().expect("fixed");
        let entries: Vec<&OperandReads> =
            reads.iter().filter(|entry| entry.output == path).collect();
        let is_operand = program.opcode.ends_with("start") && path[0] == 0;
        for device in coordinates(&[program.replicas, program.partitions]) {
            let device = (device[0], device[1]);
            for d in coordinates(&sizes) {
                let found = entries.iter();
                let found =
                    found.flat_map(|entry| claimed(&exchange, entry, (device, &d), program));
                let part = path.first().copied().unwrap_or(0);
                let expected = match is_operand {
                    true => [(device, 0, d.clone())].into(),
                    false => program.run(device, part, &d),
                };
                let found: BTreeSet<Element> = found.collect();
                // With `replica_groups={}`, the map of an all-to-all is a bound, since it does not depend on the number of
                // parts.
                let is_bound =
                    program.opcode == "all-to-all" && program.text.contains("replica_groups={},");
                let senders = |elements: &BTreeSet<Element>| -> BTreeSet<Device> {
                    elements.iter().map(|(sender, ..)| *sender).collect()
                };
                let is_right = match is_bound {
                    true => found.is_superset(&expected) && senders(&found) == senders(&expected),
                    false => found == expected,
                };
                assert!(
                    is_right,
                    "device {device:?}, {path:?}{d:?}: {found:?}, not {expected:?}\n{}",
                    program.text
                );
            }
        }
    }
    assert!(program.operands <= 16);
}

#[test]
fn elements_are_read_from_the_devices_that_send_them() {
    let mut random = Random::new(41);
    for _ in 0..600 {
        check(&Program::random(&mut random));
    }
}

/// Checks the reason for which the source devices of an instruction are unknown.
#[track_caller]
fn check_unknown(module: &str, collective: &str, expected: &str) {
    let text = format!(
        "{module}\nENTRY e {{\n p = f32[4,2] parameter(0)\n q = f32[4,2] parameter(1)\n ROOT r = {collective}\n}}"
    );
    let module = hlo::read(text.as_bytes()).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let body = &module[module.entry()];
    let keep = |map: &IndexingMap| map.clone();
    let reads = Analysis::new(&module, &keep).instruction(module.entry(), body.root());
    let exchange = Exchange::of(&module, body, &body[body.root()]).expect("a collective");
    match exchange.of_entry(&reads.expect("right")[0]) {
        Some(Replica::Unknown(reason)) => assert_eq!(reason, expected),
        Some(Replica::Member { groups, .. }) => panic!("{groups:?}"),
        _ => panic!("a claim is made"),
    }
}

#[test]
fn no_claim_is_made_about_devices_that_the_text_does_not_say() {
    let (bare, four) = ("HloModule m", "HloModule m, replica_count=4, num_partitions=2");
    for (module, collective, expected) in [
        (
            bare,
            "f32[4,2] all-reduce(p), replica_groups={}",
            "the text does not say how many devices there are",
        ),
        (
            bare,
            "f32[4,2] all-reduce(p), replica_groups={{0,1}}, channel_id=1",
            "the text does not say how many partitions there are",
        ),
        (
            four,
            "f32[4,2] all-reduce(p), replica_groups={{0,1}}, use_global_device_ids=true",
            "`use_global_device_ids` has no meaning without `channel_id`",
        ),
        (
            four,
            "f32[4,2] all-reduce(p), replica_groups={}, channel_id=1, use_global_device_ids=true",
            "flattened ids are used, and no groups of them given",
        ),
        (
            four,
            "f32[4,2] all-reduce(p), replica_groups={{0,1},{2}}",
            "its groups of devices have different sizes",
        ),
        (
            four,
            "f32[4,2] all-reduce(p), replica_groups={{0,1},{1,2}}",
            "its groups of devices have 1 twice, or it is not a device",
        ),
        (
            four,
            "f32[4,2] all-reduce(p), replica_groups=[2,3]<=[4]",
            "the sizes of its groups of devices contradict each other",
        ),
        (
            four,
            "f32[4,2] all-reduce(p), replica_groups=[1,4]<=[2,2]T(0,0)",
            "the sizes of its groups of devices contradict each other",
        ),
        (
            four,
            "f32[4,2] all-reduce(p), replica_groups=[1,100000]<=[100000]",
            "there are more than 65536 devices in its groups",
        ),
        (
            four,
            "f32[4,2] all-reduce(p), replica_groups=mesh['x'=2,'y'=2] {'y','x'}",
            "the axes of its groups are not in the order of the mesh",
        ),
        (
            four,
            "f32[4,2] all-reduce(p), replica_groups=mesh['x'=2,'y'=2], device_ids=(0,1,2) {'y'}",
            "the mesh of its groups has more or fewer places than devices",
        ),
        (
            four,
            "f32[4,2] all-reduce(p), replica_groups=mesh['x'=2,'y'=2], device_ids=(<=4) {'y'}",
            "`device_ids` of its mesh are written in an unknown form",
        ),
        (
            four,
            "f32[4,2] all-reduce(p), replica_groups=mesh['x'=8] {'x':(1)4,'x':(2)2}",
            "the axes of its groups overlap",
        ),
        (
            four,
            "f32[12,2] all-gather(p), replica_groups={{0,1}}, dimensions={0}",
            "a group has 2 devices, and by the shapes 3",
        ),
        (
            four,
            "f32[4,2] all-to-all(p), replica_groups={{0,1,2}}, dimensions={0}",
            "the parts of the arrays differ in number from the devices of a group",
        ),
        (
            four,
            "(f32[4,2], f32[4,2]) all-to-all(p, q), replica_groups={{0,1,2}}",
            "a group has 3 devices, and by the shapes 2",
        ),
        (
            four,
            "f32[4,2] collective-permute(p), source_target_pairs={{0,1},{2,1}}",
            "a device is the target of two pairs, or a pair is none",
        ),
        (
            four,
            "f32[4,2] collective-permute(p), channel_id=1",
            "`source_target_pairs` are missing, or of an unknown form",
        ),
    ] {
        check_unknown(module, collective, expected);
    }
}
