//! The usual maps of threads: each element once, and what they are known to cost.

use super::{BANKS, SECTORS, SIMPLIFIER, words};
use affinor::footprint::access::{Coverage, PRESETS, Preset, Walk, cost};
use affinor::hlo;
use affinor::layout::cute;
use affinor::layout::memory::Placement;
use affinor::text::{ErrorKind, parse_map};
use std::collections::BTreeSet;

fn walk<'a>(sizes: &'a [i64], minor_to_major: &'a [usize], block: i64) -> Walk<'a> {
    Walk {
        sizes,
        minor_to_major,
        element_bits: 32,
        block,
        vector: None,
    }
}

#[test]
fn each_element_is_accessed_once() {
    for (sizes, order) in [
        (&[70, 45][..], &[1, 0][..]),
        (&[70, 45], &[0, 1]),
        (&[64, 32], &[1, 0]),
        (&[3, 33, 40], &[1, 2, 0]),
        (&[0, 32], &[1, 0]),
    ] {
        for (name, preset) in PRESETS {
            for block in [32, 256] {
                let (map, _) = preset.map(&walk(sizes, order, block)).expect("a map");
                let budget = affinor::prove::Budget::default();
                let points =
                    affinor::footprint::image::Points::new(map.domain(), u64::MAX, &budget);
                let mut seen = BTreeSet::new();
                for point in points.expect("points") {
                    let index = map.eval(&point.expect("a point")).expect("a value");
                    let inside = index.iter().zip(sizes).all(|(i, n)| (0..*n).contains(i));
                    assert!(inside, "{name} {sizes:?}: {index:?}");
                    assert!(
                        seen.insert(index.clone()),
                        "{name} {sizes:?}: {index:?} twice"
                    );
                }
                assert_eq!(
                    seen.len() as i64,
                    sizes.iter().product::<i64>(),
                    "{name} {sizes:?}"
                );
            }
        }
    }
}

/// Transactions, and at the least, of a preset over the result of a map that reads `operand`.
#[track_caller]
fn check_global(preset: Preset, map: &str, operand: &str, expected: (u128, u128)) {
    let (threads, grid) = preset
        .map(&walk(&[1024, 512], &[1, 0], 256))
        .expect("a map");
    let operand = hlo::read_shape(operand).expect("a shape");
    let placement = Placement::new(operand.as_array().expect("an array")).expect("a placement");
    let read = parse_map(map).expect("a map");
    let position = threads
        .then(&read)
        .and_then(|map| map.then(placement.position()));
    let position = position.expect("composes");
    let cost = cost(&position, &grid, words(SECTORS), &SIMPLIFIER, None).expect("a cost");
    assert_eq!((cost.total, cost.ideal), expected);
    assert_eq!((cost.basis, cost.elements), (Coverage::Exact, 1024 * 512));
}

#[test]
fn a_transpose_reads_badly_unless_it_goes_through_shared_memory() {
    let transpose = "(d0, d1) -> (d1, d0), domain: d0 in [0, 1023], d1 in [0, 511]";
    let same = "(d0, d1) -> (d0, d1), domain: d0 in [0, 1023], d1 in [0, 511]";
    let least = 1024 * 512 * 4 / 32;
    for preset in [Preset::Linear, Preset::Vectorised, Preset::TransposeWrite] {
        check_global(preset, same, "f32[1024,512]{1,0}", (least, least));
    }
    check_global(
        Preset::Linear,
        transpose,
        "f32[512,1024]{1,0}",
        (8 * least, least),
    );
    check_global(
        Preset::TransposeRead,
        transpose,
        "f32[512,1024]{1,0}",
        (least, least),
    );
    check_global(
        Preset::TransposeRead,
        same,
        "f32[1024,512]{1,0}",
        (8 * least, least),
    );
    check_global(
        Preset::Linear,
        transpose,
        "f32[512,1024]{0,1}",
        (least, least),
    );
}

#[track_caller]
fn check_shared(preset: Preset, layout: &str, expected: u128) {
    let (threads, grid) = preset.map(&walk(&[32, 32], &[1, 0], 256)).expect("a map");
    let layout = cute::Layout::read(layout).expect("a layout");
    let position = threads.then(layout.map()).expect("composes");
    let cost = cost(&position, &grid, words(BANKS), &SIMPLIFIER, None).expect("a cost");
    assert_eq!((cost.total, cost.ideal, cost.accesses), (expected, 32, 32));
}

#[test]
fn the_tile_of_a_transpose_is_padded_or_swizzled() {
    for (layout, read, write) in [
        ("(32,32):(32,1)", 32 * 32, 32),
        ("(32,32):(33,1)", 32, 32),
        ("Swizzle<5,0,5> o (32,32):(32,1)", 32, 32),
        ("Swizzle<3,2,5> o (32,32):(32,1)", 32 * 4, 32),
    ] {
        check_shared(Preset::TransposeRead, layout, read);
        check_shared(Preset::TransposeWrite, layout, write);
    }
}

#[test]
fn a_preset_refuses_what_it_cannot_walk_over() {
    let sizes = [64, 64];
    let good = walk(&sizes, &[1, 0], 256);
    for (preset, walk, kind) in [
        (
            Preset::Linear,
            Walk {
                block: 0,
                ..good.clone()
            },
            ErrorKind::Usage,
        ),
        (
            Preset::Linear,
            Walk {
                block: 1025,
                ..good.clone()
            },
            ErrorKind::Usage,
        ),
        (
            Preset::Linear,
            Walk {
                vector: Some(0),
                ..good.clone()
            },
            ErrorKind::Usage,
        ),
        (
            Preset::TransposeRead,
            Walk {
                block: 96,
                ..good.clone()
            },
            ErrorKind::Usage,
        ),
        (
            Preset::TransposeRead,
            Walk {
                vector: Some(4),
                ..good.clone()
            },
            ErrorKind::Usage,
        ),
        (
            Preset::TransposeRead,
            walk(&[64], &[0], 256),
            ErrorKind::Shape,
        ),
        (
            Preset::Linear,
            walk(&[i64::MAX, 2], &[1, 0], 256),
            ErrorKind::Overflow,
        ),
    ] {
        let error = preset.map(&walk).expect_err("refused");
        assert_eq!(error.kind, kind, "{preset:?} {walk:?}: {error}");
    }
}
