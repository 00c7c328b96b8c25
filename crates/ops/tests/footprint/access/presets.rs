//! The presets for maps of threads: each element occurs once, and costs are as published.

use super::{BANKS, SECTORS, SIMPLIFIER, words};
use affinor::text::{ErrorKind, parse_map};
use affinor_hlo as hlo;
use affinor_layout::cute;
use affinor_layout::memory::Placement;
use affinor_ops::footprint::access::{Coverage, PRESETS, Preset, Walk, cost};
use std::collections::BTreeSet;

fn walk<'a>(sizes: &'a [i64], minor_to_major: &'a [usize], block: i64) -> Walk<'a> {
    Walk {
        sizes,
        minor_to_major,
        element_bits: 32,
        block: Some(block),
        vector: None,
        beside: None,
        reduced: &[],
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
        for (name, preset) in PRESETS.into_iter().filter(|(name, _)| *name != "reduction") {
            for block in [32, 256] {
                let walk = Walk { beside: order.last().copied(), ..walk(sizes, order, block) };
                check_once(name, preset, &walk);
            }
        }
    }
}

/// Checks that each element of the array is at exactly one point of the map.
#[track_caller]
fn check_once(name: &str, preset: Preset, walk: &Walk<'_>) {
    let sizes = walk.sizes;
    let (map, _) = preset.map(walk).expect("a map");
    let budget = affinor::prove::Budget::default();
    let points = affinor_ops::footprint::image::Points::new(map.domain(), u64::MAX, &budget);
    let mut seen = BTreeSet::new();
    for point in points.expect("points") {
        let index = map.eval(&point.expect("a point")).expect("a value");
        let inside = index.iter().zip(sizes).all(|(i, n)| (0..*n).contains(i));
        assert!(inside, "{name} {sizes:?}: {index:?}");
        assert!(seen.insert(index.clone()), "{name} {sizes:?}: {index:?} twice");
    }
    assert_eq!(seen.len() as i64, sizes.iter().product::<i64>(), "{name} {sizes:?}");
}

/// Returns the array of a reduce, and the size of a vector.
fn reduce<'a>(
    sizes: &'a [i64],
    minor_to_major: &'a [usize],
    reduced: &'a [usize],
    vector: i64,
) -> Walk<'a> {
    Walk { block: None, vector: Some(vector), reduced, ..walk(sizes, minor_to_major, 1) }
}

#[test]
fn a_reduction_accesses_each_element_once() {
    for (sizes, order, reduced, vector) in [
        // Rows: short and long ones, with and without a reduced major group.
        (&[70, 8][..], &[1, 0][..], &[1][..], 1),
        (&[70, 32], &[1, 0], &[1], 1),
        (&[70, 64], &[1, 0], &[1], 2),
        (&[7, 33], &[1, 0], &[1], 1),
        (&[3, 1000], &[1, 0], &[1], 1),
        (&[2, 2048], &[1, 0], &[1], 2),
        (&[20_000], &[0], &[0], 4),
        (&[3, 5, 40], &[2, 1, 0], &[2, 0], 1),
        (&[3, 5, 40], &[2, 1, 0], &[2, 1], 1),
        (&[40, 6], &[0, 1], &[0], 1),
        (&[5, 1, 40], &[1, 2, 0], &[2], 1),
        (&[5, 0], &[1, 0], &[1], 1),
        // Columns: wide and narrow ones, with and without a kept major group.
        (&[70, 40], &[1, 0], &[0], 1),
        (&[33, 128], &[1, 0], &[0], 2),
        (&[3, 33, 40], &[2, 1, 0], &[1], 1),
        (&[3, 33, 4], &[2, 1, 0], &[1], 1),
        (&[3, 100, 2], &[2, 1, 0], &[1], 4),
        (&[100, 1], &[1, 0], &[0], 1),
        (&[0, 40], &[1, 0], &[0], 1),
    ] {
        check_once("reduction", Preset::Reduction, &reduce(sizes, order, reduced, vector));
    }
}

#[test]
fn random_reductions_access_each_element_once() {
    let mut state = 7_u64;
    let mut below = |end: u64| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % end
    };
    let mut walked = 0;
    for _ in 0..300 {
        let rank = 1 + below(4) as usize;
        let mut sizes: Vec<i64> =
            (0..rank).map(|_| [1, 2, 3, 8, 16, 33][below(6) as usize]).collect();
        sizes[0] *= 1 + below(6) as i64;
        let mut order: Vec<usize> = (0..rank).collect();
        (1..rank).for_each(|k| order.swap(k, below(k as u64 + 1) as usize));
        let reduced: Vec<usize> = (0..rank).filter(|_| below(2) == 0).collect();
        let walk = reduce(&sizes, &order, &reduced, [1, 2, 4][below(3) as usize]);
        if Preset::Reduction.map(&walk).is_ok() {
            check_once("reduction", Preset::Reduction, &walk);
            walked += 1;
        }
    }
    assert!(walked > 100, "{walked}");
}

/// Checks the variables of a reduction with their sizes.
#[track_caller]
fn check_reduction(walk: &Walk<'_>, expected: &[(&str, i64)]) {
    let (map, _) = Preset::Reduction.map(walk).expect("a map");
    let variables = map.domain().variables().iter();
    let found: Vec<(&str, i64)> =
        variables.map(|each| (&*each.name, each.bounds.hi() + 1)).collect();
    assert_eq!(found, expected);
}

#[test]
fn a_reduction_has_the_threads_of_the_emitter() {
    // A row of 512: 32 threads with 16 elements each, 8 rows in a block of 256.
    check_reduction(
        &reduce(&[64, 512], &[1, 0], &[1], 1),
        &[("thread_x", 32), ("thread_y", 8), ("block", 8), ("step", 16)],
    );
    // A row of 4,096: 256 threads. A row of 65,536: 1,024 threads, 4 blocks.
    check_reduction(
        &reduce(&[64, 4096], &[1, 0], &[1], 1),
        &[("thread_x", 256), ("thread_y", 1), ("block", 64), ("step", 16)],
    );
    check_reduction(
        &reduce(&[2, 65_536], &[1, 0], &[1], 1),
        &[("thread_x", 1024), ("thread_y", 1), ("block", 2), ("block_x", 4), ("step", 16)],
    );
    // Rows of 8: four of them in a warp.
    check_reduction(
        &reduce(&[1000, 8], &[1, 0], &[1], 1),
        &[("thread_x", 8), ("thread_y", 32), ("block", 32)],
    );
    // A column: 32 x 32 threads.
    check_reduction(
        &reduce(&[512, 96], &[1, 0], &[0], 1),
        &[("thread_x", 32), ("thread_y", 32), ("block_x", 3), ("step", 16)],
    );
    // A narrow column: as one array of 2,048 elements.
    check_reduction(&reduce(&[512, 4], &[1, 0], &[0], 1), &[("thread_x", 128), ("step", 16)]);
}

#[test]
fn a_transpose_reads_along_the_dimension_that_is_minor_in_the_operand() {
    let sizes = [64, 8, 96];
    let transpose = Walk { block: None, beside: Some(0), ..walk(&sizes, &[2, 1, 0], 1) };
    let read = "(d0, d1, d2) -> (d2, d1, d0), domain: d0 in [0, 63], d1 in [0, 7], d2 in [0, 95]";
    let (threads, grid) = Preset::TransposeRead.map(&transpose).expect("a map");
    let operand = hlo::read_shape("f32[96,8,64]").expect("a shape");
    let placement = Placement::new(operand.as_array().expect("an array")).expect("a placement");
    let position = threads.then(&parse_map(read).expect("a map"));
    let position = position.and_then(|map| map.then(placement.position())).expect("composes");
    let cost = cost(&position, &grid, words(SECTORS), &SIMPLIFIER, None).expect("a cost");
    assert_eq!((cost.total, cost.ideal), (64 * 8 * 96 / 8, 64 * 8 * 96 / 8));
}

/// Checks the total and the ideal number of transactions of a preset over the result of a map that reads `operand`.
#[track_caller]
fn check_global(preset: Preset, map: &str, operand: &str, expected: (u128, u128)) {
    let (threads, grid) = preset.map(&walk(&[1024, 512], &[1, 0], 256)).expect("a map");
    let operand = hlo::read_shape(operand).expect("a shape");
    let placement = Placement::new(operand.as_array().expect("an array")).expect("a placement");
    let read = parse_map(map).expect("a map");
    let position = threads.then(&read).and_then(|map| map.then(placement.position()));
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
    check_global(Preset::Linear, transpose, "f32[512,1024]{1,0}", (8 * least, least));
    check_global(Preset::TransposeRead, transpose, "f32[512,1024]{1,0}", (least, least));
    check_global(Preset::TransposeRead, same, "f32[1024,512]{1,0}", (8 * least, least));
    check_global(Preset::Linear, transpose, "f32[512,1024]{0,1}", (least, least));
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
        (Preset::Linear, Walk { block: Some(0), ..good.clone() }, ErrorKind::Usage),
        (Preset::Linear, Walk { block: Some(1025), ..good.clone() }, ErrorKind::Usage),
        (Preset::Linear, Walk { vector: Some(0), ..good.clone() }, ErrorKind::Usage),
        (Preset::TransposeRead, Walk { block: Some(96), ..good.clone() }, ErrorKind::Usage),
        (Preset::TransposeRead, Walk { vector: Some(4), ..good.clone() }, ErrorKind::Usage),
        (Preset::Reduction, good.clone(), ErrorKind::Usage),
        (Preset::Reduction, Walk { reduced: &[1], ..good.clone() }, ErrorKind::Usage),
        (Preset::Reduction, reduce(&[4, 5, 6, 7], &[3, 2, 1, 0], &[0, 2], 1), ErrorKind::Usage),
        (Preset::Reduction, reduce(&[64, 33], &[1, 0], &[1], 2), ErrorKind::Usage),
        (Preset::Reduction, reduce(&[64, 1], &[1, 0], &[1], 1), ErrorKind::Usage),
        (Preset::TransposeRead, walk(&[64], &[0], 256), ErrorKind::Shape),
        (Preset::Linear, walk(&[i64::MAX, 2], &[1, 0], 256), ErrorKind::Overflow),
    ] {
        let error = preset.map(&walk).expect_err("refused");
        assert_eq!(error.kind, kind, "{preset:?} {walk:?}: {error}");
    }
}
