//! Pictures of arrays: the text of each cell, the rows and columns that are drawn, and that words are not cut off.

#[path = "../../layout/tests/layouts/buffer.rs"]
#[allow(dead_code, reason = "only its arrays are drawn")]
mod buffer;

use affinor::num::Interval;
use affinor::text::parse_map;
use affinor_draw::{
    Banks, Content, Extent, Grid, NotATile, of_cute, of_placement, of_reads, of_threads, svg,
};
use affinor_layout::cute::Layout;
use affinor_layout::memory::Placement;
use buffer::array;
use std::collections::BTreeSet;

fn cute(text: &str) -> Layout {
    Layout::read(text).expect("a CuTe layout")
}

fn placement(text: &str) -> Placement {
    Placement::new(&array(text)).expect("has a placement")
}

/// Returns the labels, row by row.
fn labels(grid: &Grid) -> Vec<Vec<&str>> {
    let rows = grid.cells.iter();
    rows.map(|row| row.iter().map(|cell| cell.label.as_str()).collect()).collect()
}

/// Returns the numeric value of an attribute of a tag.
fn attribute(tag: &str, name: &str) -> Option<usize> {
    let (_, rest) = tag.split_once(&format!(" {name}=\""))?;
    rest.split_once('"')?.0.parse().ok()
}

/// Checks that no text extends beyond the picture, in a font with letters as wide as those of DejaVu Sans Mono.
#[track_caller]
fn check_words(grids: &[Grid]) {
    let picture = svg(grids);
    let head = picture.lines().next().expect("the picture is as it is drawn");
    let [width, height] = ["width", "height"]
        .map(|name| attribute(head, name).expect("the picture is as it is drawn") as f64);
    let mut count = 0;
    for line in picture.lines().filter(|line| line.starts_with("<text ")) {
        let (tag, rest) = line.split_once('>').expect("the picture is as it is drawn");
        let text = rest.strip_suffix("</text>").expect("the picture is as it is drawn");
        let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
        let size = attribute(tag, "font-size").unwrap_or(14) as f64;
        let long = text.chars().count() as f64 * size * 0.6021;
        let [x, y] = ["x", "y"]
            .map(|name| attribute(tag, name).expect("the picture is as it is drawn") as f64);
        let start = match tag {
            tag if tag.contains(r#"text-anchor="middle""#) => x - long / 2.0,
            tag if tag.contains(r#"text-anchor="end""#) => x - long,
            _ => x,
        };
        assert!(
            start >= 0.0 && start + long <= width,
            "{text:?} is cut: {start} to {} of {width}",
            start + long
        );
        assert!(y - size >= 0.0 && y <= height, "{text:?} is cut: {y} of {height}");
        count += 1;
    }
    assert!(count >= grids.len() * 2);
}

#[test]
fn no_word_is_cut() {
    for shape in [
        "f32[3,5]{1,0:T(2,2)}",
        "bf16[4,8]{1,0:T(2,4)(2,1)}",
        "f32[1]",
        "f32[]",
        "f32[0,5]",
        "s8[2,3,40]{2,1,0:T(8,128)(4,1)}",
        "f32[2,7,8,11,10]{4,3,2,1,0:T(*,*,2,*,3)S(5)}",
        "f32[1,2000000]",
        "f32[4000000,1]",
        "f32[300,500]{1,0:T(8,128)}",
    ] {
        let grid = of_placement(&placement(shape), Extent::FILE).expect("positions");
        check_words(&[grid]);
    }
    for layout in [
        "8:1",
        "(4,8):(8,1)",
        "Swizzle<2,0,3> o (8,8):(8,1)",
        "Swizzle<3,3,3> o (8,64):(64,1)",
        "((2,2),(2,(2,2))):((1,4),(2,(8,16)))",
    ] {
        let banks = Banks { count: 32, word: 4, element: 2 };
        for banks in [None, Some(banks)] {
            check_words(&of_cute(&cute(layout), banks, Extent::FILE).expect("offsets"));
        }
    }
}

#[test]
fn a_notebook_stores_small_pictures() {
    for shape in [
        "f32[300,500]{1,0:T(8,128)}",
        "s4[4000000,2000000]{1,0:T(8,128)(2,1)}",
        "s4[1000000000,1000000000]{1,0:T(1,1)}",
        "s8[2,3000000000,1000000000]{2,1,0:T(2,2)(2,1)}",
    ] {
        let grid = of_placement(&placement(shape), Extent::NOTEBOOK).expect("positions");
        assert_eq!((grid.rows.drawn.len(), grid.columns.drawn.len()), (16, 16));
        let words = grid.words.as_deref().unwrap_or_default();
        assert!(words.starts_with("only the first 12 and the last 4 of"));
        let size = svg(&[grid]).len();
        assert!((40_000..=60_000).contains(&size), "{shape}: {size}");
    }
}

#[test]
fn of_a_large_array_the_first_and_the_last_are_drawn() {
    let placement = placement("f32[300,64]{1,0:T(8,128)}");
    let grid = of_placement(&placement, Extent::FILE).expect("positions");
    let rows: Vec<i64> = (0..56).chain(296..304).collect();
    assert_eq!(grid.rows.drawn, rows);
    assert_eq!(grid.rows.size, 304);
    assert_eq!(grid.columns.drawn.len(), 64);
    assert_eq!(
        grid.words.as_deref(),
        Some(
            "only the first 56 and the last 8 of 304 rows and the first 56 and the last 8 of 128 columns are drawn"
        )
    );
    for (row, cells) in rows.iter().zip(&grid.cells) {
        for (column, cell) in grid.columns.drawn.iter().zip(cells) {
            let is_element = *row < 300 && *column < 64;
            assert_eq!(cell.content != Content::Padding, is_element);
            if is_element {
                let position = placement.position().eval(&[*row, *column]).expect("a position");
                assert_eq!(cell.label, position[0].to_string());
            }
        }
    }
    let small = of_placement(&placement, Extent::TERMINAL).expect("positions");
    assert_eq!(small.rows.drawn, (0..16).collect::<Vec<i64>>());
    assert_eq!(
        small.words.as_deref(),
        Some("only the first 16 of 304 rows and the first 16 of 128 columns are drawn")
    );
}

#[test]
fn offsets_and_banks_are_those_of_the_layout() {
    // Bits 3 and 4 change bits 0 and 1 of the offset.
    let swizzled = |row: i64, column: i64| {
        let offset = row * 8 + column;
        offset ^ (offset >> 3 & 3)
    };
    let layout = cute("Swizzle<2,0,3> o (8,8):(8,1)");
    for (banks, number) in [
        (None, (|offset| offset) as fn(i64) -> i64),
        (Some(Banks { count: 32, word: 4, element: 4 }), |offset| offset % 32),
        (Some(Banks { count: 8, word: 4, element: 2 }), |offset| offset / 2 % 8),
        (Some(Banks { count: 32, word: 4, element: 16 }), |offset| offset * 4 % 32),
    ] {
        let grids = of_cute(&layout, banks, Extent::FILE).expect("offsets");
        let [before, after] = grids.as_slice() else { panic!("two pictures") };
        assert_eq!(before.title, "before: (8,8):(8,1)");
        assert_eq!(after.title, "after: Swizzle<2,0,3> o (8,8):(8,1)");
        let expected = |offset: &dyn Fn(i64, i64) -> i64| -> Vec<Vec<String>> {
            let row = |row| (0..8).map(|column| number(offset(row, column)).to_string()).collect();
            (0..8).map(row).collect()
        };
        assert_eq!(labels(before), expected(&|row, column| row * 8 + column));
        assert_eq!(labels(after), expected(&swizzled));
    }
    // A single mode is a row; of more than two modes, the indices of the others are 0.
    let row = of_cute(&cute("4:3"), None, Extent::FILE).expect("offsets");
    assert_eq!(labels(&row[0]), [["0", "3", "6", "9"]]);
    let three = of_cute(&cute("(2,2,2):(1,-2,4)"), None, Extent::FILE).expect("offsets");
    assert_eq!(labels(&three[0]), [["0", "-2"], ["1", "-1"]]);
    assert_eq!(three[0].words.as_deref(), Some("numbers: offsets; the index of mode 2 is 0"));
}

#[test]
fn each_element_of_a_tile_has_its_thread_and_value() {
    // The accumulator of an m16n8 matrix instruction: thread 4 r + c has rows r and r + 8, columns 2 c and 2 c + 1.
    let layout = cute("((4,8),(2,2)):((32,1),(16,8))");
    let grid = of_threads(&layout, [16, 8], Extent::FILE).expect("a tile");
    for row in 0..16 {
        for column in 0..8 {
            let (thread, value) = (row % 8 * 4 + column / 2, row / 8 * 2 + column % 2);
            assert_eq!(grid.cells[row][column].label, format!("T{thread}V{value}"));
        }
    }
    assert_eq!(grid.words, None);
    // For one value, neighbouring threads have different colours; for one thread, its values do.
    let colors: BTreeSet<String> = [(0, 0), (0, 1), (0, 2), (0, 3), (8, 0)]
        .map(|(row, column): (usize, usize)| format!("{:?}", grid.cells[row][column].content))
        .into();
    assert_eq!(colors.len(), 5);

    // Some elements have no holder, some have several.
    let grid = of_threads(&cute("(4,2):(1,0)"), [4, 2], Extent::FILE).expect("a tile");
    assert_eq!(labels(&grid), [["T0V0+1", ""], ["T1V0+1", ""], ["T2V0+1", ""], ["T3V0+1", ""]]);
    assert_eq!(
        grid.words.as_deref(),
        Some("elements that no thread holds: 4; elements that several hold: 4, with how many more")
    );

    for (text, tile, expected) in [
        ("(4,2,2):(1,4,8)", [4, 4], NotATile::Modes(3)),
        ("8:1", [4, 2], NotATile::Modes(1)),
        ("(4,2):(1,4)", [4, 1], NotATile::Outside { thread: 0, value: 1, offset: 4, size: 4 }),
        ("(4,2):(-1,4)", [4, 2], NotATile::Outside { thread: 1, value: 0, offset: -1, size: 8 }),
        ("(1024,1024):(1,1024)", [1024, 1024], NotATile::TooMany),
        ("(2,2):(1,2)", [i64::MAX, 2], NotATile::TooMany),
    ] {
        assert_eq!(of_threads(&cute(text), tile, Extent::FILE), Err(expected), "{text}");
    }
}

#[test]
fn of_a_large_operand_the_part_is_drawn_that_is_read() {
    let text =
        "(d0, d1)[s0] -> (d0 * 2 + s0, d1), domain: d0 in [0, 499], d1 in [0, 39], s0 in [0, 1]";
    let map = parse_map(text).expect("a map");
    for (at, extent, rows, columns, words) in [
        (
            (3, 5),
            Extent::TERMINAL,
            0..16,
            0..16,
            "only the first 16 of 1000 rows and the first 16 of 40 columns are drawn",
        ),
        (
            (300, 39),
            Extent::TERMINAL,
            599..615,
            24..40,
            "only rows 599 to 614 of 1000 and columns 24 to 39 of 40 are drawn",
        ),
        (
            (499, 20),
            Extent::TERMINAL,
            984..1000,
            19..35,
            "only rows 984 to 999 of 1000 and columns 19 to 34 of 40 are drawn",
        ),
        ((300, 39), Extent::FILE, 599..663, 0..40, "only rows 599 to 662 of 1000 are drawn"),
    ] {
        let within = [Interval::point(at.0), Interval::point(at.1), Interval::new(0, 1)];
        let grid = of_reads(&map, &within, &[1000, 40], String::new(), extent).expect("a picture");
        assert_eq!(grid.rows.drawn, rows.collect::<Vec<i64>>());
        assert_eq!(grid.columns.drawn, columns.collect::<Vec<i64>>());
        assert_eq!(grid.words.as_deref(), Some(words));
        for (row, cells) in grid.rows.drawn.iter().zip(&grid.cells) {
            for (column, cell) in grid.columns.drawn.iter().zip(cells) {
                let is_read = row / 2 == at.0 && *column == at.1;
                assert_eq!(cell.content == Content::Read, is_read);
            }
        }
        check_words(&[grid]);
    }
}
