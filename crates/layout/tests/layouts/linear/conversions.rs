//! The cost of converting one layout of threads to another, compared with a count of all elements.

use affinor_layout::linear::attribute::Encoding;
use affinor_layout::linear::{Conversion, Input, LinearLayout, Output, Way};
use proptest::prelude::*;
use std::collections::BTreeSet;

const BLOCKED: &str = "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}> : 16x32";

fn conversion(from: &str, to: &str) -> Conversion {
    let [from, to] = [from, to].map(|text| Encoding::read(text).expect(text).layout().clone());
    from.conversion(&to).expect("of the same shape")
}

#[test]
fn elements_go_no_farther_than_they_must() {
    let blocked = |registers: &str, lanes: &str, warps: &str, order: &str| {
        format!(
            "#ttg.blocked<{{sizePerThread = {registers}, threadsPerWarp = {lanes}, warpsPerCTA = {warps}, order = {order}}}> : 16x32"
        )
    };
    let mma =
        "#ttg.nvidia_mma<{versionMajor = 2, warpsPerCTA = [4, 1], instrShape = [16, 8]}> : 64x8";
    let table = [
        (BLOCKED.to_owned(), BLOCKED.to_owned(), Way::Nothing, 0),
        // The same block in each lane, by columns instead of rows: the lanes and warps of both layouts run along the second
        // dimension.
        (
            "#ttg.blocked<{sizePerThread = [2, 2], threadsPerWarp = [1, 32], warpsPerCTA = [1, 1], order = [1, 0]}> : 2x64".to_owned(),
            "#ttg.blocked<{sizePerThread = [2, 2], threadsPerWarp = [1, 32], warpsPerCTA = [1, 1], order = [0, 1]}> : 2x64".to_owned(),
            Way::Registers,
            0,
        ),
        (BLOCKED.to_owned(), blocked("[4, 1]", "[1, 32]", "[4, 1]", "[1, 0]"), Way::Shuffles, 4),
        (BLOCKED.to_owned(), blocked("[1, 4]", "[4, 8]", "[4, 1]", "[0, 1]"), Way::Shuffles, 4),
        (BLOCKED.to_owned(), blocked("[1, 4]", "[8, 4]", "[1, 4]", "[1, 0]"), Way::Shared, 8),
        (
            mma.to_owned(),
            "#ttg.blocked<{sizePerThread = [2, 2], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}> : 64x8".to_owned(),
            Way::Shuffles,
            4,
        ),
    ];
    for (from, to, way, moved) in table {
        let found = conversion(&from, &to);
        assert_eq!((found.way, found.moved), (way, moved), "{from}\n{to}");
    }
}

#[test]
fn shuffles_are_as_few_as_a_lane_has_elements_to_get_or_to_show() {
    let linear = |registers: &str, lanes: &str| {
        format!(
            "#ttg.linear<{{register = {registers}, lane = {lanes}, warp = [], block = []}}> : 8"
        )
    };
    let all = linear("[[1]]", "[[2], [4]]");
    let table = [
        (all.clone(), linear("[[2]]", "[[1], [4]]"), Some((1, true))),
        (all.clone(), linear("[[1]]", "[[4], [2]]"), Some((2, true))),
        // Each lane keeps one of the two elements, and another lane provides the other.
        (linear("[[1], [2]]", "[[4], [0]]"), linear("[[4]]", "[[1], [2]]"), Some((1, true))),
        (linear("[[1], [2]]", "[[4], [0]]"), linear("[]", "[[1], [2]]"), Some((2, false))),
        (all.clone(), linear("[]", "[[1], [2]]"), Some((2, false))),
        // One element is provided to several lanes.
        (all.clone(), linear("[[1]]", "[[2], [0]]"), Some((2, true))),
        (all.clone(), linear("[[1], [2], [4]]", "[[0], [0]]"), Some((6, true))),
        (all.clone(), all, None),
    ];
    for (from, to, expected) in table {
        assert_eq!(conversion(&from, &to).shuffles(), expected, "{from}\n{to}");
    }
}

#[test]
fn layouts_of_other_sizes_are_refused() {
    let layout = |text: &str| Encoding::read(text).expect(text).layout().clone();
    let blocked = layout(BLOCKED);
    let table = [
        (BLOCKED.replace("16x32", "16x64"), "the sizes differ: [16, 32] and [16, 64]"),
        (BLOCKED.replace("[4, 1]", "[2, 1]"), "the dimensions differ: 4 of warp and 2 of warp"),
        (
            "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}> : 16x32"
                .to_owned(),
            "the dimensions differ: offset and register, lane, warp and block",
        ),
    ];
    for (text, message) in table {
        let found = blocked.conversion(&layout(&text)).map_err(|error| error.to_string());
        assert_eq!(found, Err(message.to_owned()));
    }
}

/// Generates a layout of registers, lanes and warps of 2 bits each over 5 or 6 bits, often onto all elements.
fn threads() -> impl Strategy<Value = Vec<u64>> {
    let units: Vec<u64> = (0..6).map(|k| 1 << k).collect();
    let mixed = prop::collection::vec(0_u64..64, 6);
    let one_off = (Just(units.clone()).prop_shuffle(), 0_usize..6, 0_u64..64).prop_map(
        |(mut bases, at, other)| {
            bases[at] = other;
            bases
        },
    );
    prop_oneof![Just(units).prop_shuffle(), mixed, one_off]
}

fn layout(bases: &[u64]) -> LinearLayout {
    let names = ["register", "lane", "warp"];
    let inputs = names.iter().zip(bases.chunks(2));
    let inputs =
        inputs.map(|(name, bases)| Input { name: (*name).to_owned(), bases: bases.to_vec() });
    let outputs = vec![Output { name: "dim0".to_owned(), bits: 6 }];
    LinearLayout::new(inputs.collect(), outputs).expect("of few bits")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn the_farthest_way_is_that_of_an_element(before in threads(), after in threads()) {
        let (before, after) = (layout(&before), layout(&after));
        // For each place after the conversion, the distance of the nearest place that held its element before.
        let distance = |x: u64, y: u64| match x ^ y {
            away if away >> 4 != 0 => Way::Shared,
            away if away >> 2 != 0 => Way::Shuffles,
            _ => Way::Registers,
        };
        let mut farthest = Some(Way::Registers);
        let mut moved: [BTreeSet<u64>; 16] = Default::default();
        for place in 0..64 {
            let element = after.apply(place);
            let holders = (0..64).filter(|holder| before.apply(*holder) == element);
            let nearest = holders.map(|holder| distance(holder, place)).min();
            farthest = farthest.zip(nearest).map(|(x, y)| x.max(y));
            if nearest.is_none_or(|nearest| nearest > Way::Registers) {
                moved[(place >> 2) as usize].insert(element);
            }
        }
        match (before.conversion(&after), farthest) {
            (Err(_), None) => {}
            (Ok(found), Some(way)) => {
                let expected = if before == after { Way::Nothing } else { way };
                prop_assert_eq!(found.way, expected);
                let most = moved.iter().map(BTreeSet::len).max().unwrap_or(0) as u64;
                prop_assert_eq!(found.moved, most);
                prop_assert!(found.shuffles().is_none_or(|(count, _)| count >= most));
            }
            (found, expected) => prop_assert!(false, "{:?}, expected {:?}", found, expected),
        }
    }
}
