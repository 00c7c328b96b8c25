//! Inverses of maps that are layouts, as functions: each offset is mapped to its element, and the domain has no other offset.

use super::support::numbers::Random;
use affinor::expr::VariableKind;
use affinor::prove::{Budget, Verdict};
use affinor::text::parse_map;
use affinor_layout::cute::Layout;
use affinor_ops::footprint::image::inverse;
use std::collections::BTreeMap;

/// The number of injective layouts in a run.
const LAYOUTS: usize = 97;

/// A layout, and the indices of the element at each offset.
struct Case {
    text: String,
    elements: BTreeMap<i64, Vec<i64>>,
}

/// Prints modes as `(a,(b,c))`.
fn nested(modes: &[Vec<(i64, i64)>], number: impl Fn(&(i64, i64)) -> i64) -> String {
    let mode = |leaves: &Vec<(i64, i64)>| {
        let all: Vec<String> = leaves.iter().map(|leaf| number(leaf).to_string()).collect();
        if all.len() == 1 { all[0].clone() } else { format!("({})", all.join(",")) }
    };
    let modes: Vec<String> = modes.iter().map(mode).collect();
    format!("({})", modes.join(","))
}

/// Returns a random layout with padded, dividing or arbitrary strides, in any order; `None` if two elements have the same
/// offset.
fn drawn(random: &mut Random) -> Option<Case> {
    let mut leaves = Vec::new();
    let mut reach = 1;
    for _ in 0..1 + random.below(4) {
        let size = random.one_of(&[2, 3, 4, 5, 6, 8]);
        let gap = match random.below(3) {
            0 => 0,
            1 => 1 + random.below(4),
            _ => reach * (1 + random.below(3)),
        };
        leaves.push((size, reach + gap));
        reach += (reach + gap) * (size - 1);
    }
    for at in 0..leaves.len() {
        let other = at + random.place(leaves.len() - at);
        leaves.swap(at, other);
    }
    if random.below(3) == 0 {
        leaves.iter_mut().for_each(|(_, stride)| *stride = 1 + random.below(40));
    }
    let mut modes: Vec<Vec<(i64, i64)>> = Vec::new();
    for leaf in leaves {
        match modes.last_mut() {
            Some(mode) if random.below(3) == 0 => mode.push(leaf),
            _ => modes.push(vec![leaf]),
        }
    }
    let text = format!("{}:{}", nested(&modes, |leaf| leaf.0), nested(&modes, |leaf| leaf.1));
    let swizzle = (random.below(4) == 0).then(|| {
        let bits = 1 + random.below(3);
        (bits, random.below(4), bits + random.below(3))
    });
    let offset = |offset: i64| {
        let (bits, base, shift) = swizzle.unwrap_or((0, 0, 0));
        offset ^ (offset >> shift & ((1 << bits) - 1) << base)
    };
    let mut points: Vec<(Vec<i64>, i64)> = vec![(Vec::new(), 0)];
    for mode in &modes {
        let mut along = vec![0];
        for (size, stride) in mode {
            let more = (0..*size).flat_map(|digit| along.iter().map(move |o| o + digit * stride));
            along = more.collect();
        }
        let longer = points.iter().flat_map(|(index, start)| {
            let step = move |(number, own): (usize, &i64)| {
                ([&index[..], &[number as i64]].concat(), start + own)
            };
            along.iter().enumerate().map(step)
        });
        points = longer.collect();
    }
    let count = points.len();
    let elements: BTreeMap<i64, Vec<i64>> =
        points.into_iter().map(|(index, own)| (offset(own), index)).collect();
    let text = match swizzle {
        Some((bits, base, shift)) => format!("Swizzle<{bits},{base},{shift}> o {text}"),
        None => text,
    };
    (elements.len() == count).then_some(Case { text, elements })
}

#[test]
fn of_injective_layouts_they_are_functions() {
    let mut random = Random(51);
    let mut seen = 0;
    while seen < LAYOUTS {
        let Some(Case { text, elements }) = drawn(&mut random) else { continue };
        seen += 1;
        let layout = Layout::read(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let found = inverse(layout.map(), &|map| map.clone(), &Budget::default());
        let found = found.expect("small numbers");
        assert!(found.is_function && found.verdict == Verdict::Proved, "{text}: {}", found.map);
        for offset in -2..=elements.keys().last().expect("an element") + 2 {
            let inside = found.map.domain().contains(&[offset]) == Ok(true);
            let value = inside.then(|| found.map.eval(&[offset]).expect("a value"));
            assert_eq!(value.as_ref(), elements.get(&offset), "{text} at {offset}: {}", found.map);
        }
    }
}

#[test]
fn maps_that_are_layouts_or_linear_over_bits() {
    // (map, element, point)
    for (text, element, point) in [
        // Strides neither of which divides the other, in either order.
        ("(d0, d1) -> (d0 * 3 + d1 * 16), domain: d0 in [0, 1], d1 in [0, 7]", vec![35], [1, 2]),
        ("(d0, d1) -> (d0 * 29 + d1 * 4), domain: d0 in [0, 2], d1 in [0, 7]", vec![57], [1, 7]),
        // A negative stride, after an offset.
        (
            "(d0, d1) -> (90 - d0 * 7 + d1 * 18), domain: d0 in [0, 2], d1 in [0, 3]",
            vec![94],
            [2, 1],
        ),
        // Too many elements to try.
        (
            "(d0, d1) -> (d0 * 1040 + d1 * 3), domain: d0 in [0, 4095], d1 in [0, 127]",
            vec![4_258_800],
            [4095, 0],
        ),
        // A matrix over bits.
        (
            "(d0, d1) -> ((d0 floordiv 2 + d1) mod 2 * 2 + d0 mod 2, (d0 + d1) mod 2), \
             domain: d0 in [0, 3], d1 in [0, 1]",
            vec![3, 0],
            [1, 1],
        ),
    ] {
        let map = parse_map(text).expect("a map");
        let found = inverse(&map, &|map| map.clone(), &Budget::default()).expect("bounds");
        assert!(found.is_function && found.verdict == Verdict::Proved, "{text}: {}", found.map);
        assert_eq!(map.eval(&point), Ok(element.clone()), "{text}");
        assert_eq!(found.map.eval(&element), Ok(point.to_vec()), "{text}: {}", found.map);
    }
}

#[test]
fn of_other_maps_they_are_relations() {
    for text in [
        // Two points read element 2.
        "(d0, d1) -> (d0 + d1 * 2), domain: d0 in [0, 3], d1 in [0, 3]",
        "(d0, d1) -> (d0 * 3 + d1 * 16), domain: d0 in [0, 16], d1 in [0, 7]",
        // Neither injective nor surjective over bits: the matrix has rank 1.
        "(d0, d1) -> ((d0 + d1) mod 2, (d0 + d1) mod 2), domain: d0 in [0, 1], d1 in [0, 1]",
    ] {
        let map = parse_map(text).expect("a map");
        let found = inverse(&map, &|map| map.clone(), &Budget::default()).expect("bounds");
        let ranges = found.map.domain().count(VariableKind::Range);
        assert!(!found.is_function && ranges > 0, "{text}: {}", found.map);
    }
}
