//! The cost of accesses of warps, compared with programs that visit all threads and keep a set of addresses.

mod presets;
mod random;
mod simulation;
mod vector;

use affinor::expr::{IndexingMap, VariableId};
use affinor::num::Interrupt;
use affinor::simplify::Simplifier;
use affinor::text::{ErrorKind, parse_map};
use affinor_ops::footprint::access::{Cost, Coverage, Grid, Measure, Memory, cost};
use std::sync::LazyLock;

const SECTORS: Measure = Measure::Transactions { bytes: 32 };
const BANKS: Measure = Measure::Banks { banks: 32, bytes: 4 };

static SIMPLIFIER: LazyLock<Simplifier> =
    LazyLock::new(|| Simplifier::shipped().expect("the shipped rules"));

fn map(text: &str) -> IndexingMap {
    parse_map(text).unwrap_or_else(|error| panic!("{text}: {error:?}"))
}

fn ids(map: &IndexingMap, names: &[&str]) -> Vec<VariableId> {
    let place = |name: &&str| {
        let mut variables = map.domain().variables().iter();
        let index = variables.position(|variable| &*variable.name == *name);
        VariableId(index.expect("a variable") as u32)
    };
    names.iter().map(place).collect()
}

fn words(measure: Measure) -> Memory {
    Memory { element_bits: 32, offset: 0, measure }
}

fn cost_of(text: &str, threads: &[&str], vector: &[&str], measure: Measure) -> Cost {
    let map = map(text);
    let grid = Grid::new(map.domain(), ids(&map, threads), ids(&map, vector)).expect("a grid");
    cost(&map, &grid, words(measure), &SIMPLIFIER, None).expect("a cost")
}

/// Checks the numbers of an answer: basis, accesses, evaluated accesses, total, ideal.
#[track_caller]
fn check(
    (text, threads, vector): (&str, &[&str], &[&str]),
    measure: Measure,
    expected: (Coverage, u128, u128, u128, u128),
    worst: &str,
) {
    let cost = cost_of(text, threads, vector, measure);
    let numbers = (cost.basis, cost.accesses, cost.looked_at, cost.total, cost.ideal);
    assert_eq!(numbers, expected, "{text}");
    let found = cost.worst.map(|worst| {
        let at = worst.at.iter().map(|(name, value)| format!("{name}={value}"));
        format!("{} {}", at.collect::<Vec<_>>().join(" "), worst.cost)
    });
    assert_eq!(found.unwrap_or_default(), worst, "{text}");
}

#[test]
fn transactions_of_grids_that_are_regular() {
    let linear = "(t, b) -> (b * 256 + t), domain: t in [0, 255], b in [0, 3905]";
    let exact = |accesses, looks, total, ideal| (Coverage::Exact, accesses, looks, total, ideal);
    check((linear, &["t"], &[]), SECTORS, exact(31_248, 1, 124_992, 124_992), "b=0 warp=0 4");
    // One word off: each warp touches one segment more.
    check(
        (&linear.replace("+ t", "+ t + 1"), &["t"], &[]),
        SECTORS,
        exact(31_248, 1, 156_240, 124_992),
        "b=0 warp=0 5",
    );
    // Columns of a matrix with rows of 1024 words: each lane touches its own segment.
    check(
        (&linear.replace("+ t", "+ t * 1024"), &["t"], &[]),
        SECTORS,
        exact(31_248, 1, 999_936, 124_992),
        "b=0 warp=0 32",
    );
    // Four words per lane, together and one after the other.
    let four =
        "(t, b)[v] -> (b * 1024 + t * 4 + v), domain: t in [0, 255], b in [0, 999], v in [0, 3]";
    check((four, &["t"], &["v"]), SECTORS, exact(8_000, 1, 128_000, 128_000), "b=0 warp=0 16");
    check((four, &["t"], &[]), SECTORS, exact(32_000, 4, 512_000, 128_000), "b=0 warp=0 v=0 16");
    // A grid with more threads than 64 bits can number.
    let huge = "(t, b, c) -> (b * 256 + t), domain: t in [0, 255], b in [0, 4294967295], c in [0, 4294967295]";
    let warps = 8 << 64;
    check((huge, &["t"], &[]), SECTORS, exact(warps, 1, 4 * warps, 4 * warps), "b=0 c=0 warp=0 4");
}

#[test]
fn lanes_outside_the_domain_are_inactive() {
    // The last block is cut off within a warp: 1,000,000 = 3906 * 256 + 64.
    let ragged = "(t, b) -> (b * 256 + t), domain: t in [0, 255], b in [0, 3906], b * 256 + t in [0, 999989]";
    let cost = cost_of(ragged, &["t"], &[], SECTORS);
    assert_eq!((cost.basis, cost.accesses), (Coverage::Exact, 31_250));
    assert_eq!((cost.elements, cost.total), (999_990, 124_999));
    assert!(cost.looked_at < 40, "{}", cost.looked_at);
    // A block of 48 threads has a warp of 32 and one of 16.
    check(
        ("(t) -> (t), domain: t in [0, 47]", &["t"], &[]),
        SECTORS,
        (Coverage::Counted, 2, 2, 6, 6),
        "warp=0 4",
    );
    check(
        ("(t) -> (t), domain: t in [0, 47], t * 2 in [0, 9]", &["t"], &[]),
        SECTORS,
        (Coverage::Counted, 1, 1, 1, 1),
        "warp=0 1",
    );
    check(
        ("(t) -> (t), domain: t in [1, 0]", &["t"], &[]),
        SECTORS,
        (Coverage::Exact, 0, 0, 0, 0),
        "",
    );
}

#[test]
fn threads_are_numbered_x_first() {
    // A block of 16 x 4 threads: a warp is two rows of 16.
    let two = "(x, y) -> (y * 100 + x), domain: x in [0, 15], y in [0, 3]";
    check((two, &["x", "y"], &[]), SECTORS, (Coverage::Exact, 2, 1, 10, 8), "warp=0 5");
    check((two, &["y", "x"], &[]), SECTORS, (Coverage::Exact, 2, 1, 12, 8), "warp=0 6");
}

#[test]
fn conflicts_of_banks() {
    let tile = |row: i64| format!("(x, y) -> (x * {row} + y), domain: x in [0, 31], y in [0, 7]");
    // `y` moves all words alike, so one warp represents all.
    let one_of_eight = |total, ideal| (Coverage::Exact, 8, 1, total, ideal);
    for (row, total) in [(32, 256), (33, 8), (34, 16), (36, 32), (1, 8)] {
        check(
            (&tile(row), &["x"], &[]),
            BANKS,
            one_of_eight(total, 8),
            &format!("y=0 {}", total / 8),
        );
    }
    check(
        ("(x) -> (x floordiv 32), domain: x in [0, 63]", &["x"], &[]),
        BANKS,
        (Coverage::Exact, 2, 1, 2, 2),
        "warp=0 1",
    );
    check(
        ("(x) -> (x * x0), domain: x in [0, 63]".replace("x * x0", "x * 16").as_str(), &["x"], &[]),
        BANKS,
        (Coverage::Exact, 2, 1, 32, 2),
        "warp=0 16",
    );
}

#[test]
fn what_is_not_regular_is_counted_and_said() {
    // A clamp: no variable moves all positions alike.
    let clamp = "(t, b) -> (min(b * 64 + t * 3, 10000)), domain: t in [0, 63], b in [0, 199]";
    let cost = cost_of(clamp, &["t"], &[], SECTORS);
    assert_eq!((cost.basis, cost.looked_at), (Coverage::Counted, 400));
}

#[test]
fn what_is_too_much_to_count_is_sampled() {
    let clamp = "(t, b) -> (min(b * 1024 + t * 2, 10000000000)), domain: t in [0, 1023], b in [0, 99999999]";
    let cost = cost_of(clamp, &["t"], &[], SECTORS);
    assert_eq!(cost.basis, Coverage::Sampled);
    assert_eq!(cost.looked_at, 8_192);
    assert!(cost.ratio() > 1.0, "{}", cost.ratio());
    let again = cost_of(clamp, &["t"], &[], SECTORS);
    assert_eq!(cost, again);
}

#[test]
fn a_domain_with_very_many_boxes_is_not_cut_up() {
    let triangle = |size: i64| {
        let text = format!(
            "(t, b, c) -> (t + b), domain: t in [0, 31], b in [0, {size}], c in [0, {size}], b - c in [0, {size}]"
        );
        cost_of(&text, &["t"], &[], SECTORS)
    };
    let small = triangle(999);
    assert_eq!((small.basis, small.accesses), (Coverage::Exact, 500_500));
    // One of eight positions in a segment is aligned.
    let aligned = (0..1000).filter(|b| b % 8 == 0).map(|b| b + 1).sum::<u128>();
    assert_eq!(small.total, 5 * 500_500 - aligned);
    assert_eq!(triangle(999_999).basis, Coverage::Sampled);
}

#[track_caller]
fn refuse(text: &str, threads: &[&str], warp: i64, element_bits: i64, kind: ErrorKind) {
    let map = map(text);
    let grid = Grid::new(map.domain(), ids(&map, threads), Vec::new());
    let answer = grid.and_then(|grid| grid.with_warp(warp)).and_then(|grid| {
        let memory = Memory { element_bits, ..words(SECTORS) };
        cost(&map, &grid, memory, &SIMPLIFIER, None)
    });
    let error = answer.expect_err(text);
    assert_eq!(error.kind, kind, "{text}: {error}");
}

#[test]
fn what_has_no_answer_is_an_error() {
    let good = "(t, b) -> (t), domain: t in [0, 31], b in [0, 3]";
    refuse(good, &[], 32, 32, ErrorKind::Domain);
    refuse(good, &["t", "t"], 32, 32, ErrorKind::Domain);
    refuse(good, &["t"], 0, 32, ErrorKind::Usage);
    refuse(good, &["t"], 2000, 32, ErrorKind::Usage);
    refuse(good, &["t"], 32, 0, ErrorKind::Usage);
    for (text, kind) in [
        ("(t) -> (t, t), domain: t in [0, 31]", ErrorKind::Arity),
        ("(t) -> (t), domain: t in [-1, 31]", ErrorKind::Domain),
        ("affine_map<(t) -> (t)>", ErrorKind::Domain),
        ("(t){r} -> (t + r), domain: t in [0, 31], r in [0, 3]", ErrorKind::Domain),
        ("(t) -> (t * 9223372036854775807), domain: t in [0, 31]", ErrorKind::Overflow),
    ] {
        refuse(text, &["t"], 32, 32, kind);
    }
}

#[test]
fn an_access_may_be_too_large_and_a_count_may_be_stopped() {
    let map = map("(t)[v] -> (min(t, v)), domain: t in [0, 1023], v in [0, 9999999]");
    let grid = |vector: &[&str]| {
        Grid::new(map.domain(), ids(&map, &["t"]), ids(&map, vector)).expect("a grid")
    };
    let error = cost(&map, &grid(&["v"]), words(SECTORS), &SIMPLIFIER, None);
    assert_eq!(error.expect_err("too large").kind, ErrorKind::TooLarge);
    let interrupt = Interrupt::new();
    interrupt.trigger();
    let stopped = cost(&map, &grid(&[]), words(SECTORS), &SIMPLIFIER, Some(&interrupt));
    assert_eq!(stopped.expect_err("stopped").kind, ErrorKind::Interrupted);
}

#[test]
fn a_block_may_be_larger_than_what_the_map_has() {
    let text = "(x, y) -> (y * 16 + x), domain: x in [0, 9], y in [0, 3]";
    let map = map(text);
    let grid = Grid::new(map.domain(), ids(&map, &["x", "y"]), Vec::new()).expect("a grid");
    assert_eq!((grid.block(), grid.warp()), (&[10, 4][..], 32));
    let wide = grid.clone().with_block(vec![16, 4]).expect("wider");
    let cost = cost(&map, &wide, words(SECTORS), &SIMPLIFIER, None).expect("a cost");
    assert_eq!((cost.accesses, cost.elements, cost.total), (2, 40, 8));
    for (sizes, kind) in [(vec![16], ErrorKind::Arity), (vec![8, 4], ErrorKind::Domain)] {
        let error = grid.clone().with_block(sizes).expect_err("refused");
        assert_eq!(error.kind, kind);
    }
}
