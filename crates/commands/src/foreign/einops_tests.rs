//! Tests: random patterns, compared with an enumeration of their axes that does not use maps.

use super::einops::einops;
use affinor::expr::IndexingMap;
use std::collections::{BTreeMap, BTreeSet};

/// A small pseudorandom generator.
struct Draw(u64);

impl Draw {
    fn below(&mut self, count: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % count
    }

    fn shuffled(&mut self, mut list: Vec<usize>) -> Vec<usize> {
        (1..list.len()).rev().for_each(|at| list.swap(at, self.below(at + 1)));
        list
    }

    fn grouped(&mut self, list: Vec<usize>) -> Vec<Vec<usize>> {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for axis in list {
            match groups.last_mut() {
                Some(group) if self.below(2) == 0 => group.push(axis),
                _ => groups.push(vec![axis]),
            }
        }
        groups
    }
}

fn side(groups: &[Vec<usize>]) -> String {
    let group = |group: &Vec<usize>| {
        let names: Vec<String> = group.iter().map(|axis| format!("a{axis}")).collect();
        format!("({})", names.join(" "))
    };
    groups.iter().map(group).collect::<Vec<_>>().join(" ")
}

/// Returns the index along each dimension for these values of the axes.
fn place(groups: &[Vec<usize>], sizes: &[i64], values: &[i64]) -> Vec<i64> {
    let joined = |group: &Vec<usize>| {
        group.iter().fold(0, |index, axis| index * sizes[*axis] + values[*axis])
    };
    groups.iter().map(joined).collect()
}

#[test]
fn random_patterns_read_the_elements_of_their_axes() {
    let mut draw = Draw(20_261_129);
    for _ in 0..300 {
        let function = ["rearrange", "repeat", "reduce"][draw.below(3)];
        let (common, more) = (draw.below(4) + 1, draw.below(2) + 1);
        let sizes: Vec<i64> = (0..common + more).map(|_| draw.below(4) as i64 + 1).collect();
        let own: Vec<usize> = (0..common).collect();
        let all: Vec<usize> = (0..common + more).collect();
        let (from, to) = match function {
            "rearrange" => (own.clone(), own),
            "repeat" => (own, all),
            _ => (all, own),
        };
        let from = draw.shuffled(from);
        let to = draw.shuffled(to);
        let (from, to) = (draw.grouped(from), draw.grouped(to));
        let shape: Vec<i64> =
            from.iter().map(|group| group.iter().map(|axis| sizes[*axis]).product()).collect();
        let named = (0..common + more)
            .filter(|axis| from.iter().chain(&to).flatten().any(|other| other == axis))
            .map(|axis| format!(", a{axis}={}", sizes[axis]));
        let how = if function == "reduce" { ", 'sum'" } else { "" };
        let text = format!(
            "{function}(np.zeros(({},)), '{} -> {}'{how}{})",
            shape.iter().map(i64::to_string).collect::<Vec<_>>().join(", "),
            side(&from),
            side(&to),
            named.collect::<String>()
        );
        let mut expected: BTreeMap<Vec<i64>, BTreeSet<Vec<i64>>> = BTreeMap::new();
        let mut values = vec![0; sizes.len()];
        'all: loop {
            let element = place(&from, &sizes, &values);
            expected.entry(place(&to, &sizes, &values)).or_default().insert(element);
            for axis in 0..sizes.len() {
                values[axis] += 1;
                if values[axis] < sizes[axis] {
                    continue 'all;
                }
                values[axis] = 0;
            }
            break;
        }
        let found = einops(&text, &|_| None).expect(&text).expect(&text);
        let map: IndexingMap = found[0].1.parse().expect(&text);
        let points = affinor::prove::list_points(map.domain(), 100_000, &Default::default());
        let mut read: BTreeMap<Vec<i64>, BTreeSet<Vec<i64>>> = BTreeMap::new();
        for point in points.expect(&text) {
            let index = point[..to.len()].to_vec();
            read.entry(index).or_default().insert(map.eval(&point).expect(&text));
        }
        assert_eq!(read, expected, "{text}\n{map}");
    }
}
