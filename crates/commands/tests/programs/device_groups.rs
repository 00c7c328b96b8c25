//! Random groups of devices, written in one of the forms that XLA reads: a list, an iota with its permutation, or a mesh with
//! axes.

use crate::suite::random::Random;
use std::collections::BTreeSet;

/// A device: its replica and its partition.
pub type Device = (i64, i64);

/// The meaning of the numbers in the groups, which an op selects by its attributes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Mode {
    Replicas,
    Partitions,
    Both,
    Flattened,
}

/// Draws `replica_groups` of the ids below `count`: its text, and the groups.
pub fn groups(
    random: &mut Random,
    count: i64,
    may_be_all: bool,
    may_miss: bool,
) -> (String, Vec<Vec<i64>>) {
    let divisors: Vec<i64> = (1..=count).filter(|k| count % k == 0).collect();
    let size = random.pick(&divisors);
    let list = |groups: &[Vec<i64>]| {
        let group = |group: &Vec<i64>| {
            let ids: Vec<String> = group.iter().map(i64::to_string).collect();
            format!("{{{}}}", ids.join(","))
        };
        format!("{{{}}}", groups.iter().map(group).collect::<Vec<_>>().join(","))
    };
    match random.below(4) {
        0 if may_be_all => (", replica_groups={}".into(), vec![(0..count).collect()]),
        1 => {
            let sizes = factors(random, count);
            let order = random.permutation(sizes.len());
            let ids: Vec<i64> = coordinates(&order.iter().map(|k| sizes[*k]).collect::<Vec<_>>())
                .iter()
                .map(|place| {
                    let mut index = vec![0; sizes.len()];
                    for (from, to) in place.iter().zip(&order) {
                        index[*to] = *from;
                    }
                    linear(&sizes, &index)
                })
                .collect();
            let groups: Vec<Vec<i64>> = ids.chunks(size as usize).map(<[i64]>::to_vec).collect();
            let is_plain = order.iter().enumerate().all(|(k, place)| k == *place);
            let transposed = match is_plain {
                true => String::new(),
                false => format!("T({})", joined(&order)),
            };
            let (of, sizes) = (count / size, joined(&sizes));
            (format!(", replica_groups=[{of},{size}]<=[{sizes}]{transposed}"), groups)
        }
        2 => mesh(random, count),
        _ => {
            let ids: Vec<i64> =
                random.permutation(count as usize).iter().map(|k| *k as i64).collect();
            let mut groups: Vec<Vec<i64>> =
                ids.chunks(size as usize).map(<[i64]>::to_vec).collect();
            if may_miss && groups.len() > 1 {
                groups.pop();
            }
            (format!(", replica_groups={}", list(&groups)), groups)
        }
    }
}

/// Draws a mesh with some of its axes, or parts of them, in braces: devices are in one group if they agree in all other axes.
fn mesh(random: &mut Random, count: i64) -> (String, Vec<Vec<i64>>) {
    // Each part of an axis is a separate coordinate.
    let axes: Vec<Vec<i64>> =
        factors(random, count).iter().map(|size| factors(random, *size)).collect();
    let parts: Vec<i64> = axes.concat();
    let (mut chosen, mut names, mut place) = (Vec::new(), Vec::new(), 0);
    let mut written = Vec::new();
    for (axis, sizes) in axes.iter().enumerate() {
        let name = char::from(b'a' + axis as u8);
        names.push(format!("'{name}'={}", sizes.iter().product::<i64>()));
        let mut before = 1;
        for size in sizes {
            if random.percent(50) {
                chosen.push(place);
                written.push(match sizes.len() {
                    1 => format!("'{name}'"),
                    _ => format!("'{name}':({before}){size}"),
                });
            }
            before *= size;
            place += 1;
        }
    }
    let order: Vec<i64> = random.permutation(count as usize).iter().map(|k| *k as i64).collect();
    let is_listed = random.percent(40);
    let places = coordinates(&parts);
    let device = |place: &Vec<i64>| match is_listed {
        true => order[linear(&parts, place) as usize],
        false => linear(&parts, place),
    };
    let of = |place: &Vec<i64>, chosen_ones: bool| -> Vec<i64> {
        let kept = (0..place.len()).filter(|k| chosen.contains(k) == chosen_ones);
        kept.map(|k| place[k]).collect()
    };
    let keys: BTreeSet<Vec<i64>> = places.iter().map(|place| of(place, false)).collect();
    let group = |key: &Vec<i64>| {
        let mut group: Vec<&Vec<i64>> =
            places.iter().filter(|place| of(place, false) == *key).collect();
        group.sort_by_key(|place| of(place, true));
        group.into_iter().map(device).collect()
    };
    let groups: Vec<Vec<i64>> = keys.iter().map(group).collect();
    let devices = match is_listed {
        true => format!(", device_ids=({})", joined(&order)),
        false => String::new(),
    };
    let (names, written) = (names.join(","), written.join(","));
    (format!(", replica_groups=mesh[{names}]{devices} {{{written}}}"), groups)
}

/// Draws `source_target_pairs` in which no target and no source occurs twice.
pub fn pairs(random: &mut Random, count: i64) -> (String, Vec<Vec<i64>>) {
    let (sources, targets) =
        (random.permutation(count as usize), random.permutation(count as usize));
    let kept = random.below(count as usize) + 1;
    let pairs = sources.iter().zip(&targets).take(kept);
    let pairs: Vec<Vec<i64>> = pairs.map(|(s, t)| vec![*s as i64, *t as i64]).collect();
    let written: Vec<String> = pairs.iter().map(|pair| format!("{{{}}}", joined(pair))).collect();
    (format!(", source_target_pairs={{{}}}", written.join(",")), pairs)
}

/// Returns the devices of each group.
pub fn members(
    ids: &[Vec<i64>],
    mode: Mode,
    (replicas, partitions): (i64, i64),
) -> Vec<Vec<Device>> {
    let mut groups = Vec::new();
    for group in ids {
        let of = |device: &dyn Fn(i64) -> Device| group.iter().map(|id| device(*id)).collect();
        match mode {
            Mode::Replicas => groups.extend((0..partitions).map(|p| of(&|id| (id, p)))),
            Mode::Partitions => groups.extend((0..replicas).map(|r| of(&|id| (r, id)))),
            Mode::Flattened => groups.push(of(&|id| (id / partitions, id % partitions))),
            Mode::Both => {
                let all = group.iter().flat_map(|id| (0..partitions).map(|p| (*id, p)));
                groups.push(all.collect());
            }
        }
    }
    groups
}

/// Returns numbers of at least 1 whose product is `count`.
fn factors(random: &mut Random, mut count: i64) -> Vec<i64> {
    let mut factors = Vec::new();
    loop {
        let divisors: Vec<i64> = (1..=count).filter(|k| count % k == 0).collect();
        let factor = random.pick(&divisors);
        factors.push(factor);
        count /= factor;
        if count == 1 {
            return factors;
        }
    }
}

pub fn coordinates(sizes: &[i64]) -> Vec<Vec<i64>> {
    sizes.iter().fold(vec![Vec::new()], |places, size| {
        let next =
            |place: &Vec<i64>| (0..*size).map(|k| [&place[..], &[k]].concat()).collect::<Vec<_>>();
        places.iter().flat_map(next).collect()
    })
}

fn linear(sizes: &[i64], place: &[i64]) -> i64 {
    sizes.iter().zip(place).fold(0, |all, (size, k)| all * size + k)
}

fn joined<T: ToString>(list: &[T]) -> String {
    list.iter().map(T::to_string).collect::<Vec<_>>().join(",")
}
