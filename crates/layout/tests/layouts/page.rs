//! The worked examples of *Shapes and layout* and *Tiled layout*, each also compared with the buffer.

use super::buffer::{Buffer, array, fill};
use affinor_layout::memory::Placement;

/// Checks the position of each element: `expected` lists the elements in memory order, counted from 0 in the order in which the
/// array is written, with `None` for padding.
#[track_caller]
fn in_memory(text: &str, widths: Option<&[i64]>, expected: &[Option<i64>]) {
    let shape = array(text);
    let placement = Placement::with_widths(&shape, widths).expect("has a placement");
    let sizes = placement.sizes().to_vec();
    let number = |index: &Vec<i64>| {
        let step = |number: i64, (size, index): (&i64, &i64)| number * size + index;
        sizes.iter().zip(index).fold(0, step)
    };
    let buffer: Buffer = fill(&shape, widths.unwrap_or(&sizes));
    let filled: Vec<Option<i64>> = buffer.iter().map(|e| e.as_ref().map(number)).collect();
    assert_eq!(filled, expected, "{text}, filled");
    let element = placement.element();
    let found: Vec<Option<i64>> = (0..placement.positions())
        .map(|position| {
            let inside = element.domain().contains(&[position]).expect("has a value");
            inside.then(|| number(&element.eval(&[position]).expect("has a value")))
        })
        .collect();
    assert_eq!(found, expected, "{text}, by the map");
}

/// Parses letters as on the page: `a` is element 0; `0` is padding.
fn letters(text: &str) -> Vec<Option<i64>> {
    let words = text.split_whitespace();
    words
        .map(|word| match word {
            "0" => None,
            letter => Some(i64::from(letter.as_bytes()[0] - b'a')),
        })
        .collect()
}

#[test]
fn the_two_orders_of_a_2_by_3_array() {
    in_memory("f32[2,3]{0,1}", None, &letters("a d b e c f"));
    in_memory("f32[2,3]{1,0}", None, &letters("a b c d e f"));
    in_memory("f32[2,3]", None, &letters("a b c d e f"));
}

#[test]
fn padded_dimensions() {
    let padded = "a d 0 b e 0 c f 0 0 0 0 0 0 0";
    in_memory("f32[2,3]{0,1}", Some(&[3, 5]), &letters(padded));
}

#[test]
fn tail_padding_comes_after_the_tiles() {
    let aligned = "a b c d e f g h i 0 0 0";
    in_memory("f32[9]{0:L(4)}", None, &letters(aligned));
}

#[test]
fn figure_1() {
    let (x, o) = (Some, None::<i64>);
    in_memory(
        "f32[3,5]{1,0:T(2,2)}",
        None,
        &[
            [x(0), x(1), x(5), x(6)],
            [x(2), x(3), x(7), x(8)],
            [x(4), o, x(9), o],
            [x(10), x(11), o, o],
            [x(12), x(13), o, o],
            [x(14), o, o, o],
        ]
        .concat(),
    );
}

#[test]
fn the_linear_index_of_figure_1() {
    let placement = Placement::new(&array("f32[3,5]{1,0:T(2,2)}")).expect("has a placement");
    let index = placement.physical_index().expect("has a map");
    assert_eq!(index.eval(&[2, 3]), Ok(vec![1, 1, 0, 1]));
    assert_eq!(placement.physical_sizes(), [2, 3, 2, 2]);
    assert_eq!(placement.position().eval(&[2, 3]), Ok(vec![17]));
    assert_eq!(placement.element().eval(&[17]), Ok(vec![2, 3]));
    assert_eq!(placement.positions(), 24);
    assert_eq!(placement.physical_bytes(), Some(96));
    assert_eq!(placement.dense_bytes(), Some(60));
}

/// The figure's numbers: the position of each element of the 4 x 8 array.
#[test]
fn figure_2_in_full() {
    let figure = [
        [0, 2, 4, 6, 8, 10, 12, 14],
        [1, 3, 5, 7, 9, 11, 13, 15],
        [16, 18, 20, 22, 24, 26, 28, 30],
        [17, 19, 21, 23, 25, 27, 29, 31],
    ];
    let placement = Placement::new(&array("bf16[4,8]{1,0:T(2,4)(2,1)}")).expect("has a placement");
    let mut order = vec![None; 32];
    for (y, row) in figure.iter().enumerate() {
        for (x, expected) in row.iter().enumerate() {
            let (y, x) = (y as i64, x as i64);
            let found = placement.position().eval(&[y, x]).expect("has a value");
            assert_eq!(found, [*expected], "({y}, {x})");
            order[*expected as usize] = Some(y * 8 + x);
        }
    }
    in_memory("bf16[4,8]{1,0:T(2,4)(2,1)}", None, &order);
}

#[test]
fn combined_dimensions() {
    let combined = Placement::new(&array("f32[2,7,8,11,10]{4,3,2,1,0:T(*,*,2,*,3)}"));
    let combined = combined.expect("has a placement");
    let flat = Placement::new(&array("f32[112,110]{1,0:T(2,3)}")).expect("has a placement");
    let sizes =
        |p: &Placement| -> Vec<i64> { p.levels()[0].groups().iter().map(|g| g.size()).collect() };
    assert_eq!(sizes(&combined), [112, 110]);
    assert_eq!(sizes(&flat), [112, 110]);
    assert_eq!(combined.physical_sizes(), [56, 37, 2, 3]);
    assert_eq!(combined.physical_sizes(), flat.physical_sizes());
    for index in super::buffer::points(&[2, 7, 8, 11, 10]) {
        let [a, b, c, d, e] = index[..] else { unreachable!() };
        let merged = [(a * 7 + b) * 8 + c, d * 10 + e];
        assert_eq!(combined.position().eval(&index), flat.position().eval(&merged));
    }
}
