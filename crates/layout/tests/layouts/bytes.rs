//! Byte counts of the 600 shape texts: without padding, compared with XLA's; with padding, compared with the buffer.

use super::buffer::fill;
use affinor_hlo as hlo;
use affinor_layout::memory::Placement;

/// Rounds like XLA, whose byte counts are 32-bit floats with a 24-bit significand.
fn as_xla_rounds(bytes: i64) -> i64 {
    bytes as f32 as i64
}

#[test]
fn of_all_shape_texts() {
    let (mut dense, mut physical) = (0, 0);
    for row in include_str!("../../../hlo/tests/hlo/shapes.tsv").lines() {
        let mut columns = row.split('\t');
        let text = columns.next().expect("a text");
        let Ok(shape) = hlo::read_shape(text) else {
            continue;
        };
        let Some(Ok(placement)) = shape.as_array().map(Placement::new) else {
            continue;
        };
        if let Some(xla) = columns.nth(2) {
            let xla: i64 = xla.parse().expect("a number");
            let ours = placement.dense_bytes().expect("fits");
            assert_eq!(as_xla_rounds(ours), as_xla_rounds(xla), "{text}");
            dense += 1;
        }
        if placement.positions() <= 200_000 {
            let array = placement.shape();
            let buffer = fill(array, placement.sizes());
            assert_eq!(placement.positions(), buffer.len() as i64, "{text}");
            let bits = match array.layout().element_bits() {
                0 => 8 * i64::from(array.element_type().bytes()),
                bits => bits,
            };
            let described = match array.layout().metadata_prefix_bytes() {
                0 if array.is_dynamic() => 4 * array.rank() as i64,
                prefix => prefix,
            };
            let expected = (buffer.len() as i64 * bits + 7) / 8 + described;
            assert_eq!(placement.physical_bytes(), Some(expected), "{text}");
            physical += 1;
        }
    }
    assert_eq!((dense, physical), (407, 347), "texts compared");
}
