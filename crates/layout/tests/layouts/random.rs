//! Random shapes, orders, widths, tiles (with `*`, repeated, longer than the rank) and alignments.

use super::buffer::{array, fill, points};
use affinor_hlo::shape::ArrayShape;
use affinor_layout::memory::Placement;
use proptest::prelude::*;

/// Generates a shape text, and the padding of each dimension.
pub fn shapes() -> impl Strategy<Value = (String, Vec<i64>)> {
    let sizes = prop::collection::vec(prop_oneof![1 => 0i64..2, 6 => 1i64..6], 0..=5);
    let entry =
        || prop_oneof![1 => Just("*".to_owned()), 4 => (1i64..5).prop_map(|t| t.to_string())];
    let last = || (1i64..5).prop_map(|t| t.to_string());
    let tile = (prop::collection::vec(entry(), 0..5), last()).prop_map(|(mut entries, last)| {
        entries.push(last);
        format!("({})", entries.join(","))
    });
    let tiles = prop::collection::vec(tile, 0..=3);
    (sizes, tiles, prop_oneof![3 => Just(1i64), 1 => 2i64..9]).prop_flat_map(
        |(sizes, tiles, alignment)| {
            let order = Just((0..sizes.len()).collect::<Vec<_>>()).prop_shuffle();
            let slack =
                prop::collection::vec(prop_oneof![3 => Just(0i64), 1 => 1i64..4], sizes.len());
            (Just(sizes), order, Just(tiles), Just(alignment), slack).prop_map(
                |(sizes, order, tiles, alignment, slack)| {
                    let list = |items: Vec<String>| items.join(",");
                    let tiles = tiles.concat();
                    let text = format!(
                        "f32[{}]{{{}:{}{}}}",
                        list(sizes.iter().map(ToString::to_string).collect()),
                        list(order.iter().map(ToString::to_string).collect()),
                        if tiles.is_empty() { String::new() } else { format!("T{tiles}") },
                        if alignment == 1 { String::new() } else { format!("L({alignment})") },
                    );
                    (text, slack)
                },
            )
        },
    )
}

pub fn widths(shape: &ArrayShape, slack: &[i64]) -> Vec<i64> {
    let sizes = shape.sizes().expect("bounded");
    sizes.iter().zip(slack).map(|(size, slack)| size + slack).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]
    #[test]
    fn positions_and_elements_are_those_of_the_buffer((text, slack) in shapes()) {
        let shape = array(&text);
        let widths = widths(&shape, &slack);
        let placement = Placement::with_widths(&shape, Some(&widths)).expect("has a placement");
        prop_assume!(placement.positions() <= 20_000);
        let buffer = fill(&shape, &widths);
        prop_assert_eq!(placement.positions(), buffer.len() as i64);
        for index in points(placement.sizes()) {
            let position = placement.position().eval(&index).expect("has a value")[0];
            prop_assert_eq!(buffer[position as usize].as_ref(), Some(&index));
        }
        for (position, expected) in (0..).zip(&buffer) {
            let element = placement.element();
            let inside = element.domain().contains(&[position]).expect("has a value");
            let found = inside.then(|| element.eval(&[position]).expect("has a value"));
            prop_assert_eq!(found.as_ref(), expected.as_ref(), "position {}", position);
        }
        let elements = buffer.iter().flatten().count() as i64;
        prop_assert_eq!(placement.elements(), elements);
        prop_assert_eq!(placement.physical_bytes(), Some(4 * buffer.len() as i64));
        prop_assert_eq!(placement.dense_bytes(), Some(4 * elements));
    }
}
