//! The divisions in simplified position maps: the shape makes none of them redundant.

use super::buffer::array;
use super::random::shapes;
use affinor::simplify::{Options, Simplifier};
use affinor_layout::memory::{Placement, strides};
use proptest::prelude::*;

fn simplifier() -> Simplifier {
    Simplifier::shipped().expect("the shipped rules")
}

/// Counts divisions and remainders in the position map and in the element map: as defined, and simplified.
fn divisions(simplifier: &Simplifier, placement: &Placement) -> [u64; 4] {
    let simplified = |map| simplifier.simplify(map, &Options::default()).map.cost().divmods;
    let (position, element) = (placement.position(), placement.element());
    [position.cost().divmods, simplified(position), element.cost().divmods, simplified(element)]
}

/// Removes everything after the colon of the shape's layout.
fn untiled(text: &str) -> String {
    let start = text.split(':').next().unwrap_or_default();
    match start.strip_suffix('{') {
        Some(scalar) => scalar.to_owned(),
        None => format!("{start}}}"),
    }
}

#[test]
fn the_table_of_the_documentation() {
    let simplifier = simplifier();
    let mut table = String::new();
    for text in [
        "f32[4,6,10]{2,1,0}",
        "f32[4,6,10]{1,2,0}",
        "f32[8,128]{1,0:T(8,128)}",
        "f32[64,128]{1,0:T(8,128)}",
        "f32[5,128]{1,0:T(8,128)}",
        "f32[8,256]{1,0:T(8,128)}",
        "f32[2,100]{1,0:T(2,128)}",
        "f32[24,256]{1,0:T(8,128)}",
        "bf16[8,128]{1,0:T(8,128)(2,1)}",
        "bf16[32,8192]{1,0:T(8,128)(2,1)}",
        "s8[32,8192]{1,0:T(8,128)(4,1)}",
        "f32[2,7,8,11,10]{4,3,2,1,0:T(*,*,*,*,1)}",
        "f32[2,7,8,11,10]{4,3,2,1,0:T(*,*,2,*,3)}",
        "f32[3,5]{1,0:T(2,2)}",
    ] {
        let placement = Placement::new(&array(text)).expect("has a placement");
        let [a, b, c, d] = divisions(&simplifier, &placement);
        table += &format!("| `{text}` | {a} | {b} | {c} | {d} |\n");
    }
    let page = include_str!("../../../../docs/layouts.md");
    assert!(page.contains(&table), "docs/layouts.md should hold\n{table}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn an_untiled_layout_has_no_division_and_all_strides((text, _) in shapes()) {
        let placement = Placement::new(&array(&untiled(&text))).expect("has a placement");
        let position = simplifier().simplify(placement.position(), &Options::default()).map;
        prop_assert_eq!(position.cost().divmods, 0);
        let expected = |dimension: usize| -> i64 {
            let order = placement.shape().layout().minor_to_major();
            let more_minor = order.iter().take_while(|d| **d != dimension);
            more_minor.map(|d| placement.sizes()[*d]).product()
        };
        for (dimension, stride) in strides(&position).into_iter().enumerate() {
            // An index that is always 0 has no factor.
            if placement.elements() > 0 && placement.sizes()[dimension] > 1 {
                prop_assert_eq!(stride, Some(expected(dimension)), "dimension {}", dimension);
            }
        }
    }

    #[test]
    fn one_tile_around_the_whole_array_cancels((text, _) in shapes()) {
        let shape = array(&untiled(&text));
        let sizes = shape.sizes().expect("bounded");
        let order = shape.layout().minor_to_major();
        let tile: Vec<String> = order.iter().rev().map(|d| sizes[*d].max(1).to_string()).collect();
        if tile.is_empty() {
            return Ok(());
        }
        let tiled = shape.to_string().replace('}', &format!(":T({})}}", tile.join(",")));
        let placement = Placement::new(&array(&tiled)).expect("has a placement");
        let position = simplifier().simplify(placement.position(), &Options::default()).map;
        prop_assert_eq!(position.cost().divmods, 0, "{}", tiled);
    }
}
