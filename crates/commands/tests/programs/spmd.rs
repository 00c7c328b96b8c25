//! Programs of several collectives, run on several devices: each element of the result is checked for the devices whose
//! parameters it reads.
//!
//! The interpreter follows the text of *Operation semantics*, on sets of elements of the devices' parameters. The rows of
//! `hlo --entry` must hold exactly these elements on each device.

use crate::numbers::indices;
use affinor::expr::{IndexingMap, VariableKind};
use affinor_hlo as hlo;
use affinor_hlo::attribute::AttributeValue;
use affinor_hlo::module::{Computation, Instruction};
use affinor_ops::indexing::{Analysis, Device, DeviceReads, device_reads};
use std::collections::{BTreeMap, BTreeSet};

/// An element of a parameter of a device: device, parameter and index.
type Element = (i64, usize, Vec<i64>);

/// The elements that each element of an array depends on, in row-major order.
type Array = Vec<BTreeSet<Element>>;

fn at<'a>(array: &'a Array, sizes: &[i64], index: &[i64]) -> &'a BTreeSet<Element> {
    let number = sizes.iter().zip(index).fold(0, |at, (size, k)| at * size + k);
    &array[number as usize]
}

fn sizes(instruction: &Instruction) -> Vec<i64> {
    let array = instruction.shape().as_array().expect("an array");
    array.fixed_sizes().expect("sizes")
}

/// Returns the devices in the group of `device`, by the numbers in the text.
fn group(instruction: &Instruction, device: i64, devices: i64) -> Option<Vec<i64>> {
    match instruction.attributes().get("replica_groups")?.value() {
        AttributeValue::Groups(groups) if !groups.is_empty() => {
            groups.iter().find(|x| x.contains(&device)).cloned()
        }
        _ => Some((0..devices).collect()),
    }
}

/// Computes the result of an instruction on a device from its operands on all devices.
fn step(
    entry: &Computation,
    instruction: &Instruction,
    values: &BTreeMap<usize, Vec<Array>>,
    (device, devices): (i64, i64),
) -> Array {
    let operands = instruction.operands();
    let result = sizes(instruction);
    let on = |device: i64, k: usize| &values[&operands[k].index()][device as usize];
    let of = |k: usize| sizes(&entry[operands[k]]);
    let members = || group(instruction, device, devices).expect("every device is in a group");
    let number = || members().iter().position(|x| *x == device).expect("in it") as i64;
    let along = || instruction.dimensions(result.len()).expect("dimensions")[0];
    let moved = |index: &[i64], k: usize, value: i64| {
        let mut index = index.to_vec();
        index[k] = value;
        index
    };
    let cell = |index: &Vec<i64>| -> BTreeSet<Element> {
        match instruction.opcode().name() {
            "parameter" => {
                let number = instruction.parameter_number().expect("a number");
                [(device, number, index.clone())].into()
            }
            "add" | "negate" | "copy" => {
                let all = (0..operands.len()).map(|k| at(on(device, k), &of(k), index));
                all.flatten().cloned().collect()
            }
            "transpose" => {
                let order = instruction.dimensions(result.len()).expect("dimensions");
                let mut from = vec![0; order.len()];
                for (place, dimension) in order.iter().enumerate() {
                    from[*dimension] = index[place];
                }
                at(on(device, 0), &of(0), &from).clone()
            }
            "reduce" => {
                let over = instruction.dimensions(of(0).len()).expect("dimensions")[0];
                let all = (0..of(0)[over]).flat_map(|k| {
                    let mut from = index.clone();
                    from.insert(over, k);
                    at(on(device, 0), &of(0), &from).clone()
                });
                all.collect()
            }
            "all-reduce" => {
                let all = members().into_iter().flat_map(|x| at(on(x, 0), &of(0), index).clone());
                all.collect()
            }
            "all-gather" => {
                let (along, part) = (along(), of(0)[along()]);
                let from = members()[(index[along] / part) as usize];
                at(on(from, 0), &of(0), &moved(index, along, index[along] % part)).clone()
            }
            "reduce-scatter" => {
                let along = along();
                let from = moved(index, along, number() * result[along] + index[along]);
                let all = members().into_iter().flat_map(|x| at(on(x, 0), &of(0), &from).clone());
                all.collect()
            }
            "all-to-all" => {
                let along = along();
                let part = result[along] / members().len() as i64;
                let from = members()[(index[along] / part) as usize];
                let own = moved(index, along, number() * part + index[along] % part);
                at(on(from, 0), &of(0), &own).clone()
            }
            "collective-permute" => {
                let pairs = instruction.attributes().get("source_target_pairs");
                let Some(AttributeValue::Groups(pairs)) = pairs.map(|x| x.value()) else {
                    panic!("pairs");
                };
                let source = pairs.iter().find(|pair| pair[1] == device);
                source.map_or_else(BTreeSet::new, |x| at(on(x[0], 0), &of(0), index).clone())
            }
            "constant" => BTreeSet::new(),
            other => panic!("{other}"),
        }
    };
    indices(&result).iter().map(cell).collect()
}

/// Runs the entry on all devices, and returns its result on each.
fn run(entry: &Computation, devices: i64) -> Vec<Array> {
    let mut values: BTreeMap<usize, Vec<Array>> = BTreeMap::new();
    for (id, instruction) in entry.instructions() {
        let all = (0..devices).map(|x| step(entry, instruction, &values, (x, devices)));
        let all = all.collect();
        values.insert(id.index(), all);
    }
    values.remove(&entry.root().index()).expect("a result")
}

/// Returns the value of a map at an index, for values of its range variables by name.
fn value(map: &IndexingMap, d: &[i64], ranges: &BTreeMap<String, i64>) -> Option<Vec<i64>> {
    let mut point = d.to_vec();
    for id in map.domain().ids(VariableKind::Range) {
        point.push(ranges[&*map.domain().variables()[id.index()].name]);
    }
    let inside = map.domain().contains(&point).expect("small numbers");
    inside.then(|| map.eval(&point).expect("small numbers"))
}

/// Returns all combinations of values of the maps' range variables.
fn ranges(maps: &[&IndexingMap]) -> Vec<BTreeMap<String, i64>> {
    let mut names = BTreeMap::new();
    for map in maps {
        for id in map.domain().ids(VariableKind::Range) {
            let variable = &map.domain().variables()[id.index()];
            names.insert(variable.name.to_string(), variable.bounds);
        }
    }
    names.iter().fold(vec![BTreeMap::new()], |all, (name, bounds)| {
        let with = |known: &BTreeMap<String, i64>| {
            let known = known.clone();
            (bounds.lo()..=bounds.hi()).map(move |value| {
                let mut next = known.clone();
                next.insert(name.clone(), value);
                next
            })
        };
        all.iter().flat_map(with).collect()
    })
}

/// Returns the elements that a device reads for an element of the result, according to a row.
fn claimed(row: &DeviceReads, device: i64, d: &[i64]) -> BTreeSet<Element> {
    let mut found = BTreeSet::new();
    let maps = row.reads.reads.maps().expect("known");
    for (map, members) in maps.iter().zip(&row.members) {
        let all: Vec<&IndexingMap> = members.iter().flatten().chain([&map.map]).collect();
        'values: for ranges in ranges(&all) {
            let Some(index) = value(&map.map, d, &ranges) else {
                continue;
            };
            let mut at = device;
            for (hop, maps) in row.hops.iter().zip(members) {
                let numbers: Option<Vec<i64>> =
                    maps.iter().map(|map| Some(value(map, d, &ranges)?[0])).collect();
                let Some(numbers) = numbers else {
                    continue 'values;
                };
                at = match &hop.to {
                    Device::Unknown(reason) => panic!("{reason}"),
                    Device::Source { pairs, .. } => match pairs.iter().find(|x| x[1] == at) {
                        Some([source, _]) => *source,
                        None => continue 'values,
                    },
                    Device::Member { groups, own, own_map } => {
                        let group = groups.groups.iter().find(|group| group.contains(&at));
                        let Some(group) = group else {
                            continue 'values;
                        };
                        let place = group.iter().position(|x| *x == at).expect("in it");
                        let is_own = own.is_none_or(|own| own == place)
                            && (!own_map || numbers[1] == place as i64);
                        if !is_own {
                            continue 'values;
                        }
                        group[numbers[0] as usize]
                    }
                };
            }
            found.insert((at, row.reads.operand, index));
        }
    }
    found
}

fn rows(text: &str) -> (hlo::Module, Vec<DeviceReads>) {
    let module = hlo::read(text.as_bytes()).unwrap_or_else(|error| panic!("{text}: {error:?}"));
    let module = module.inlined(1_000).expect("a small module");
    let plain = |map: &IndexingMap| map.clone();
    let mut analysis = Analysis::new(&module, &plain);
    let rows = device_reads(&mut analysis, &module).expect("it is valid");
    let rows = rows.expect("it has collectives");
    drop(analysis);
    (module, rows)
}

/// Compares the rows of a module with a run on this many devices; `hops` has the number of collectives on the path of each
/// row, by parameter.
#[track_caller]
fn check(devices: i64, lines: &str, hops: &[(usize, usize)]) {
    let text = format!(
        "HloModule m, replica_count={devices}\n\
         sum {{\n  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n  ROOT z = f32[] add(x, y)\n}}\n\
         twice {{\n  x = f32[4,6] parameter(0)\n  ROOT z = f32[4,6] all-reduce(x), replica_groups={{}}, to_apply=sum\n}}\n\
         ENTRY e {{\n  p = f32[4,6] parameter(0)\n  q = f32[4,6] parameter(1)\n  zero = f32[] constant(0)\n  {lines}\n}}\n"
    );
    let (module, rows) = rows(&text);
    let found: Vec<(usize, usize)> = rows
        .iter()
        .filter(|row| row.reads.reads.maps().is_some_and(|maps| !maps.is_empty()))
        .map(|row| (row.reads.operand, row.hops.len()))
        .collect();
    assert_eq!(found, hops, "{text}");
    let entry = &module[module.entry()];
    let ran = run(entry, devices);
    for (device, result) in (0..).zip(&ran) {
        for (number, d) in indices(&sizes(&entry[entry.root()])).iter().enumerate() {
            let said: BTreeSet<Element> =
                rows.iter().flat_map(|row| claimed(row, device, d)).collect();
            assert_eq!(said, result[number], "device {device}, element {d:?}\n{text}");
        }
    }
}

#[test]
fn rows_say_which_devices_are_read() {
    let groups = "replica_groups={{0,2},{3,1}}";
    check(4, &format!("ROOT r = f32[4,6] all-reduce(p), {groups}, to_apply=sum"), &[(0, 1)]);
    // The same parameter is read on this device and on the devices of the group.
    check(
        4,
        &format!(
            "a = f32[4,6] all-reduce(p), {groups}, to_apply=sum\n  ROOT r = f32[4,6] add(a, p)"
        ),
        &[(0, 0), (0, 1)],
    );
    check(
        4,
        &format!(
            "t = f32[6,4] transpose(p), dimensions={{1,0}}\n  g = f32[12,4] all-gather(t), {groups}, dimensions={{0}}\n  \
             n = f32[12,4] negate(g)\n  ROOT r = f32[4] reduce(n, zero), dimensions={{0}}, to_apply=sum"
        ),
        &[(0, 1)],
    );
    check(
        4,
        &format!("ROOT r = f32[4,3] reduce-scatter(p), {groups}, dimensions={{1}}, to_apply=sum"),
        &[(0, 1)],
    );
    check(
        2,
        "a = f32[4,6] add(p, q)\n  ROOT r = f32[4,6] all-to-all(a), replica_groups={{1,0}}, dimensions={0}",
        &[(0, 1), (1, 1)],
    );
    // A device that receives nothing reads nothing.
    check(
        3,
        "ROOT r = f32[4,6] collective-permute(p), source_target_pairs={{0,1},{1,2}}",
        &[(0, 1)],
    );
    // A call is inlined.
    check(3, "ROOT r = f32[4,6] call(p), to_apply=twice", &[(0, 1)]);
}

#[test]
fn several_collectives_one_after_the_other() {
    check(
        4,
        "s = f32[4,3] reduce-scatter(p), replica_groups={{0,1},{2,3}}, dimensions={1}, to_apply=sum\n  \
         ROOT r = f32[8,3] all-gather(s), replica_groups={{0,2},{3,1}}, dimensions={0}",
        &[(0, 2)],
    );
    check(
        4,
        "t = f32[4,6] all-to-all(p), replica_groups={{0,1},{2,3}}, dimensions={0}\n  \
         ROOT r = f32[4,6] all-to-all(t), replica_groups={{0,3},{1,2}}, dimensions={1}",
        &[(0, 2)],
    );
    check(
        3,
        "c = f32[4,6] collective-permute(p), source_target_pairs={{0,1},{1,2},{2,0}}\n  \
         d = f32[4,6] add(c, p)\n  ROOT r = f32[4,6] collective-permute(d), source_target_pairs={{0,1},{1,2}}",
        &[(0, 1), (0, 2)],
    );
}

#[test]
fn what_is_not_worked_out_is_not_exact() {
    let text = "HloModule m, replica_count=2\n\
        sum { x = f32[] parameter(0)  y = f32[] parameter(1)  ROOT z = f32[] add(x, y) }\n\
        few { s = (s32[], f32[4]) parameter(0)  k = s32[] get-tuple-element(s), index=0  n = s32[] constant(3)  ROOT r = pred[] compare(k, n), direction=LT }\n\
        body { s = (s32[], f32[4]) parameter(0)  k = s32[] get-tuple-element(s), index=0  v = f32[4] get-tuple-element(s), index=1  \
        o = s32[] constant(1)  l = s32[] add(k, o)  w = f32[4] all-reduce(v), replica_groups={}, to_apply=sum  ROOT t = (s32[], f32[4]) tuple(l, w) }\n\
        ENTRY e { p = f32[4] parameter(0)  z = s32[] constant(0)  t = (s32[], f32[4]) tuple(z, p)  \
        w = (s32[], f32[4]) while(t), condition=few, body=body  ROOT r = f32[4] get-tuple-element(w), index=1 }";
    let (_, rows) = rows(text);
    let [row] = rows.as_slice() else {
        panic!("{rows:?}");
    };
    assert!(matches!(row.hops[0].to, Device::Unknown(_)));
    assert!(!row.reads.reads.is_exact(), "{row:?}");
    // The offset is that of the other device, whatever its value on this one.
    let offset = "HloModule m, replica_count=2\nENTRY e { p = f32[8] parameter(0)  i = s32[] parameter(1)  \
        s = f32[4] dynamic-slice(p, i), dynamic_slice_sizes={4}  \
        c = f32[4] collective-permute(s), source_target_pairs={{0,1},{1,0}}  ROOT r = f32[2] dynamic-slice(c, i), dynamic_slice_sizes={2} }";
    let (_, rows) = self::rows(offset);
    let maps = rows[0].reads.reads.maps().expect("known");
    assert!(!rows[0].hops.is_empty() && !rows[0].reads.reads.is_exact());
    assert!(maps.iter().all(|map| map.runtime.len() == 1), "{maps:?}");
}
