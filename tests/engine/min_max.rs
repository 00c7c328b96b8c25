//! Clamped indices, halos, pads and partial tiles, as written by `benches/peers/min_max.py`: each result is no larger than when
//! it was measured, nor than the answer of Halide 21 and TVM 0.27 to the same expression; it is the same function at every point;
//! and its certificate replays.

use crate::SIMPLIFIER;
use crate::support::random;
use affinor::expr::IndexingMap;
use affinor::simplify::Options;
use affinor::text::{Style, parse_map, print_map};

/// A map, and the number of operations in its result: here, by Halide, by TVM.
const CASES: &[(&str, u64, u64, u64)] = &[
    (
        "(d0) -> (min(max(min(d0 * 2 + 3, 16) - min(d0 * 2, 16), 0), 3)), domain: d0 in [0, 16]",
        4,
        4,
        8,
    ),
    (
        "(d0) -> (min((min(d0 * 2 + 7, 20) - min(d0 * 2, 20)) * 2, 12)), domain: d0 in [0, 28]",
        4,
        4,
        8,
    ),
    ("(d0) -> (min(max(d0 - 1, 0), 127)), domain: d0 in [0, 130]", 3, 3, 3),
    (
        "(d0, d1) -> (min(max(max(min(d0, 30), 0) + d1, 0), 63) + 4), domain: d0 in [0, 128], d1 in [0, 33]",
        3,
        3,
        3,
    ),
    (
        "(d0, d1) -> (min((max(0, min(d0, 7)) + d1) * 4, 34)), domain: d0 in [0, 20], d1 in [0, 2]",
        4,
        4,
        5,
    ),
    (
        "(d0, d1) -> ((max(d0 - 2, 0) floordiv 4 * 4 + max(0, min(d1 - 1, 3))) mod 4), domain: d0 in [0, 191], d1 in [0, 5]",
        3,
        9,
        3,
    ),
    (
        "(d0, d1, d2) -> ((d2 * 8 + max(min(d0 floordiv 4 + d1 - 1, 30), 0) floordiv 4) mod 8), domain: d0 in [0, 123], d1 in [0, 2], d2 in [0, 6]",
        5,
        6,
        6,
    ),
    (
        "(d0) -> (max(min(min((d0 + 3) floordiv 4 * 4, 64) floordiv 2, 32), 0)), domain: d0 in [1, 64]",
        3,
        3,
        3,
    ),
    (
        "(d0) -> (max(0, min(max(min(d0 * 2 + 7, 28) - d0 * 2, 0) + 1, 4))), domain: d0 in [0, 36]",
        4,
        4,
        6,
    ),
    (
        "(d0) -> (min(max(min(d0 floordiv 3 + 1, 127) floordiv 2 + 1, 1), 63)), domain: d0 in [0, 383]",
        3,
        5,
        6,
    ),
    ("(d0) -> (max(d0, 0) floordiv 8 * 8 + max(d0, 0) mod 8), domain: d0 in [0, 63]", 0, 0, 0),
    (
        "(d0) -> (max(d0 - 3, 0) floordiv 8 * 8 + max(d0 - 3, 0) mod 8), domain: d0 in [0, 33]",
        2,
        8,
        2,
    ),
    (
        "(d0, d1) -> ((((min((d0 + 1) * 4, 12) - 1) floordiv 2 * 2 + (min((d0 + 1) * 4, 12) - 1) mod 2) * 4 + max(0, min(d1 - 1, 3))) mod 4), domain: d0 in [0, 2], d1 in [0, 5]",
        3,
        6,
        3,
    ),
    (
        "(d0) -> ((min(d0 * 4 + 5, 16) - max(d0 * 4 - 4, 0) + 3) floordiv 4 floordiv 4), domain: d0 in [0, 3]",
        0,
        5,
        9,
    ),
    ("(d0) -> ((d0 - min(d0, 23)) mod 2), domain: d0 in [0, 32]", 3, 3, 3),
    ("(d0) -> (max(2, min(max(d0 - 1, 0 - (d0 - 1)), 12))), domain: d0 in [0, 13]", 2, 4, 4),
    ("(d0, d1) -> (max(d0, d1) - min(d0, d1)), domain: d0 in [0, 39], d1 in [0, 31]", 3, 3, 3),
    (
        "(d0) -> ((min(d0 * 16 + 17, 61) - max(d0 * 16 - 1, 0)) floordiv 2), domain: d0 in [0, 3]",
        6,
        7,
        8,
    ),
    (
        "(d0) -> (min(max(max(min(min(d0 * 8 + 9, 32) - max(d0 * 8 - 1, 0), 9), 0) + 1, 0), 8)), domain: d0 in [0, 3]",
        0,
        8,
        11,
    ),
    ("(d0, d1) -> (max(0, min(d0, 5)) + d1), domain: d0 in [0, 7], d1 in [0, 2]", 2, 2, 2),
    (
        "(d0, d1) -> (min((d1 * 5 + (min(d0 + 5, 10) - max(d0, 0))) floordiv 5 * 4, 64)), domain: d0 in [0, 9], d1 in [0, 15]",
        5,
        5,
        6,
    ),
    (
        "(d0) -> ((min(d0 * 4 + 4, 20) - max(d0 * 4, 0) + 3) floordiv 4), domain: d0 in [0, 4]",
        0,
        0,
        0,
    ),
    (
        "(d0, d1, d2, d3) -> (((max(min(d0 + d1 - 1, 32), 0) * 8 + max(0, min(d2 - 1, 7))) mod 8 * 8 + d3) mod 8), domain: d0 in [0, 32], d1 in [0, 2], d2 in [0, 9], d3 in [0, 7]",
        0,
        0,
        0,
    ),
    (
        "(d0, d1) -> ((min(max(d0 - 2, 0 - (d0 - 2)), 254 - max(d0 - 2, 0 - (d0 - 2))) * 4 + min(max(d1 - 1, 0), 3)) floordiv 4), domain: d0 in [0, 131], d1 in [0, 5]",
        5,
        8,
        8,
    ),
    (
        "(d0, d1) -> (min(max(min(max(d0 + d1, 0), 127) - 1, 0), 127) + 4), domain: d0 in [0, 127], d1 in [0, 2]",
        4,
        4,
        5,
    ),
    (
        "(d0, d1) -> (max(2, min(min(max(d0 * 16 - 2, 0), 47) + d1 - 1, 45))), domain: d0 in [0, 2], d1 in [0, 1]",
        4,
        5,
        6,
    ),
    (
        "(d0, d1) -> (max(min(d0 * 8 + d1 - 1, 36), 0) floordiv 2 * 2 + max(min(d0 * 8 + d1 - 1, 36), 0) mod 2), domain: d0 in [0, 4], d1 in [0, 9]",
        5,
        14,
        5,
    ),
    ("(d0, d1) -> (min(max(d0, 0) + d1, 7)), domain: d0 in [0, 7], d1 in [0, 2]", 2, 2, 2),
    (
        "(d0, d1) -> (max(min(d0 * 2 + d1 * 2 - 2, 31), 0)), domain: d0 in [0, 15], d1 in [0, 2]",
        5,
        5,
        6,
    ),
    (
        "(d0, d1, d2) -> ((min((max(0, min(d0 * 8 - 2, 111)) + d1) * 2, 226) * 32 + d2) mod 32), domain: d0 in [0, 13], d1 in [0, 1], d2 in [0, 31]",
        0,
        0,
        0,
    ),
    ("(d0, d1) -> (min(max(d0 * 2, 0) + d1, 55)), domain: d0 in [0, 27], d1 in [0, 2]", 3, 3, 3),
    (
        "(d0, d1) -> ((min(6, 23 - d0 * 6) * 4 + min(max(d1 - 1, 0), 3)) floordiv 4), domain: d0 in [0, 3], d1 in [0, 5]",
        3,
        3,
        3,
    ),
    ("(d0, d1) -> (max(min(d0 * 8, 7), 0) + d1), domain: d0 in [0, 0], d1 in [0, 1]", 0, 0, 0),
    ("(d0) -> (min(d0 * 16 + 16, 51) - min(d0 * 16, 51)), domain: d0 in [0, 3]", 3, 3, 5),
    ("(d0) -> (min(min((d0 + 7) floordiv 8 * 8, 33) * 4, 132)), domain: d0 in [1, 33]", 4, 5, 5),
    (
        "(d0) -> (min(min(max(d0 - 3, 0 - (d0 - 3)), 94 - max(d0 - 3, 0 - (d0 - 3))) * 4, 186)), domain: d0 in [0, 53]",
        7,
        10,
        10,
    ),
    (
        "(d0) -> (min((min(d0 * 8 + 8, 24) - max(d0 * 8 - 16, 0) + 7) floordiv 8 * 4, 12)), domain: d0 in [0, 2]",
        2,
        2,
        2,
    ),
    (
        "(d0, d1) -> (max(0, min(min(min((d0 + 7) floordiv 8 * 8, (d1 + 7) floordiv 8 * 8) * 4, 126) + 1, 128))), domain: d0 in [0, 28], d1 in [0, 28]",
        6,
        6,
        6,
    ),
];

#[track_caller]
fn map(text: &str) -> IndexingMap {
    parse_map(text).unwrap_or_else(|error| panic!("{error:?} in {text}"))
}

#[test]
fn no_case_is_larger_than_what_halide_and_tvm_reach() {
    for (text, ours, halide, tvm) in CASES {
        let given = map(text);
        let outcome = SIMPLIFIER.simplify(&given, &Options::default());
        let written = print_map(&outcome.map, Style::Plain);
        let size = outcome.map.cost().ops;
        assert!(size <= *ours, "{text} became {written}, of {size} operations");
        assert!(ours <= halide.min(tvm), "{text}: {ours} operations is not the least");
        let points = random::box_points(given.domain());
        assert!(!points.is_empty(), "{text} has no point");
        for point in points {
            assert_eq!(
                given.eval(&point),
                outcome.map.eval(&point),
                "{text} became {written}, which differs at {point:?}"
            );
        }
    }
}

#[test]
fn every_certificate_replays() {
    for (text, ..) in CASES {
        let certified = SIMPLIFIER.certify(&map(text), &Options::default());
        assert_eq!(certified.verdict, Ok(()), "{text}");
    }
}
