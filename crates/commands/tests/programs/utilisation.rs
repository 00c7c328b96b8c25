//! The utilisation of operands, compared with counting: in programs that were run, and in maps point by point.

use crate::support::measured::{ByOutput, measured};
use crate::support::random;
use affinor::expr::VariableKind;
use affinor::prove::Budget;
use affinor::text::parse_map;
use affinor_hlo as hlo;
use affinor_ops::footprint::image::Count;
use affinor_ops::footprint::utilisation::{Utilisation, utilisation};
use affinor_ops::indexing::{Analysis, OperandMap};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Counts the elements that are read, the reads, and the reads of the most-read element.
fn counts(by_output: &ByOutput) -> [u128; 3] {
    let mut of_element: BTreeMap<&Vec<i64>, u128> = BTreeMap::new();
    for elements in by_output.values() {
        for element in elements {
            *of_element.entry(element).or_default() += 1;
        }
    }
    let greatest = of_element.values().max().copied().unwrap_or_default();
    [of_element.len() as u128, of_element.values().sum(), greatest]
}

fn found(used: &Utilisation) -> [Count; 3] {
    [used.reuse.elements, used.reuse.reads, used.reuse.greatest]
}

/// Checks that the elements reported as never read are not read and, if `is_all`, that all others are.
#[track_caller]
fn check_unread(
    used: &Utilisation,
    sizes: &[i64],
    by_output: &ByOutput,
    is_all: bool,
    place: &str,
) {
    let Some(unread) = &used.unread else {
        return;
    };
    let read: BTreeSet<&Vec<i64>> = by_output.values().flatten().collect();
    let mut outside = 0;
    for sides in unread {
        let is_inside = |element: &Vec<i64>| {
            let mut sides = sides.iter().zip(element);
            sides.all(|(side, x)| side.contains(*x))
        };
        assert!(!read.iter().any(|element| is_inside(element)), "{place}");
        outside += sides.iter().filter_map(|side| side.count()).product::<u64>();
    }
    let elements: i64 = sizes.iter().product();
    if is_all {
        assert_eq!(outside, elements as u64 - read.len() as u64, "{place}: {unread:?}");
    }
}

/// Exact numbers are equal to those counted from the measured dependences; bounds are no smaller.
#[test]
fn programs_that_were_run() {
    let (mut exact, mut bounded) = (0, 0);
    for line in include_str!("../../../../tests/data/measured_programs.jsonl").lines() {
        let row: Value = serde_json::from_str(line).expect("a JSON object");
        let id = row["id"].as_str().expect("an id");
        let module = hlo::read(row["hlo"].as_str().expect("a text").as_bytes());
        let module = module.unwrap_or_else(|error| panic!("{id}: {error}"));
        let mut analysis = Analysis::new(&module, &|map| map.clone());
        let reads = analysis.computation(module.entry());
        let reads = reads.unwrap_or_else(|error| panic!("{id}: {error}"));
        let mut arrays: BTreeMap<usize, Vec<(usize, &OperandMap)>> = BTreeMap::new();
        let mut outputs = Vec::new();
        for entry in reads.iter() {
            assert!(entry.operand_path.is_empty(), "{id}");
            if !outputs.contains(&&entry.output) {
                outputs.push(&entry.output);
            }
            let number = outputs.iter().position(|path| **path == entry.output);
            let maps = entry.reads.maps().expect(id).iter();
            let array = arrays.entry(entry.operand).or_default();
            array.extend(maps.map(|map| (number.expect("listed"), map)));
        }
        let computation = &module[module.entry()];
        for (k, maps) in arrays {
            let place = format!("{id}, parameter {k}");
            let shape = computation[computation.parameters()[k]].shape();
            let sizes = shape.as_array().and_then(|array| array.sizes());
            let sizes = sizes.expect("fixed sizes");
            let used = utilisation(&maps, &sizes, &Budget::default());
            let used = used.unwrap_or_else(|stop| panic!("{place}: {stop}"));
            let (deps, by_definition) = measured(&row, k);
            for (count, measured) in found(&used).into_iter().zip(counts(&deps)) {
                assert!(count.number >= measured, "{place}: {used:?}");
            }
            let all = found(&used).iter().all(|count| count.is_exact());
            if let (true, Some(reads)) = (all, &by_definition) {
                let numbers = found(&used).map(|count| count.number);
                assert_eq!(numbers, counts(reads), "{place}: {used:?}");
            }
            let steps = used.regions.iter().flat_map(|region| &region.progressions);
            let are_boxes = used.regions.iter().all(|region| region.is_exact())
                && steps.clone().all(|side| side.step == 1);
            match &by_definition {
                Some(reads) => {
                    check_unread(&used, &sizes, reads, are_boxes && !used.is_steered, &place)
                }
                None => check_unread(&used, &sizes, &deps, false, &place),
            }
            (exact, bounded) = (exact + usize::from(all), bounded + usize::from(!all));
        }
    }
    // Bounds come from loops, and from values that determine the reads of each output element separately.
    assert_eq!((exact, bounded), (1133, 74), "operands with exact numbers, and with bounds");
}

fn exact(text: &str) -> OperandMap {
    OperandMap::exact(parse_map(text).unwrap_or_else(|error| panic!("{text}: {error:?}")))
}

/// Checks the numbers of elements, of reads and of reads of one element; `<=` marks a bound.
#[track_caller]
fn check(sizes: &[i64], maps: &[(usize, &str)], expected: &str) {
    let owned: Vec<(usize, OperandMap)> =
        maps.iter().map(|(output, text)| (*output, exact(text))).collect();
    let maps: Vec<(usize, &OperandMap)> =
        owned.iter().map(|(output, map)| (*output, map)).collect();
    let used = utilisation(&maps, sizes, &Budget::default()).expect("numbers that fit");
    let written = found(&used).map(|count| match count.is_exact() {
        true => count.number.to_string(),
        false => format!("<={}", count.number),
    });
    assert_eq!(written.join(" "), expected);
}

#[test]
fn a_bound_is_not_above_the_elements() {
    // Sets whose union is not known, each of nearly all elements.
    let sum = |one: i64, other: i64| {
        format!(
            "(d0, d1) -> (d0 * {one} + d1 * {other}), domain: d0 in [0, 899999], d1 in [0, 29999]"
        )
    };
    check(
        &[4_000_000],
        &[(0, &sum(3, 7)), (1, &sum(4, 9)), (2, &sum(3, 8))],
        "<=4000000 81000000000 <=81000000000",
    );
}

#[test]
fn sizes_beyond_counting() {
    let million = "d0 in [0, 999999], d1 in [0, 999999]";
    // A transpose, a broadcast, every second element.
    check(
        &[1_000_000, 1_000_000],
        &[(0, &format!("(d0, d1) -> (d1, d0), domain: {million}"))],
        "1000000000000 1000000000000 1",
    );
    check(
        &[1_000_000],
        &[(0, &format!("(d0, d1) -> (d1), domain: {million}"))],
        "1000000 1000000000000 1000000",
    );
    check(
        &[4_000_000],
        &[(0, "(d0) -> (d0 * 2), domain: d0 in [0, 1999999]")],
        "2000000 2000000 1",
    );
    // A reduction of all columns.
    check(
        &[4_000, 4_000],
        &[(0, "(d0)[s0] -> (d0, s0), domain: d0 in [0, 3999], s0 in [0, 3999]")],
        "16000000 16000000 1",
    );
    // Two overlapping ranges for one output: an element that both read is read by different output elements.
    let halves = [
        (0, "(d0) -> (d0), domain: d0 in [0, 999999]"),
        (0, "(d0) -> (d0 + 500000), domain: d0 in [0, 999999]"),
    ];
    check(&[1_500_000], &halves, "1500000 2000000 <=2");
    // The same range for two outputs.
    check(&[1_500_000], &[halves[0], (1, halves[0].1)], "1000000 2000000 <=2");
    check(&[1_500_000], &[], "0 0 0");
    check(&[0, 5], &[], "0 0 0");
}

#[test]
fn random_maps() {
    use proptest::strategy::{Strategy, ValueTree};
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    for _ in 0..400 {
        let map = random::small_map().new_tree(&mut runner).expect("a map").current();
        let dimensions = map.domain().count(VariableKind::Dimension);
        let mut by_output = ByOutput::new();
        for point in random::box_points(map.domain()) {
            if map.domain().contains(&point) == Ok(true) {
                let read = by_output.entry(format!("{:?}", &point[..dimensions])).or_default();
                read.insert(map.eval(&point).expect("small numbers"));
            }
        }
        let reuse =
            affinor_ops::footprint::image::reuse(&map, &Budget::default()).expect("small numbers");
        let numbers = [reuse.elements, reuse.reads, reuse.greatest];
        assert!(numbers.iter().all(|count| count.is_exact()), "{map:?}");
        assert_eq!(numbers.map(|count| count.number), counts(&by_output), "{map:?}");
    }
}
