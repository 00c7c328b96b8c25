//! Pairs of maps with the verdict on whether they read the same elements.

use super::{map, word};
use affinor::expr::IndexingMap;
use affinor::prove::{Budget, Verdict, equal_reads};

/// Checks the verdict with the default budget, in both orders.
#[track_caller]
fn check(left: &str, right: &str, expected: &str) {
    let (left, right) = (map(left), map(right));
    for (x, y) in [(&left, &right), (&right, &left)] {
        let verdict = equal_reads(x, y, &Budget::default()).unwrap();
        assert_eq!(word(&verdict), expected, "{verdict:?}");
        if let Verdict::Refuted(found) = verdict {
            let (reader, element): (&IndexingMap, _) = match (found.left, found.right) {
                (Some(element), None) => (x, element),
                (None, Some(element)) => (y, element),
                sides => panic!("one side reads it: {sides:?}"),
            };
            assert_eq!(reader.domain().contains(&found.point), Ok(true));
            assert_eq!(reader.eval(&found.point), Ok(element));
        }
    }
}

#[test]
fn small_boxes() {
    check(
        "(d0)[s0] -> (d0 * 4 + s0), domain: d0 in [0, 9], s0 in [0, 3]",
        "(d0)[s0] -> (d0 * 4 + 3 - s0), domain: d0 in [0, 9], s0 in [0, 3]",
        "proved",
    );
    check(
        "(d0)[s0] -> (d0 * 4 + s0), domain: d0 in [0, 9], s0 in [0, 3]",
        "(d0)[s0] -> (d0 * 4 + s0), domain: d0 in [0, 9], s0 in [0, 2]",
        "refuted",
    );
    // Two range variables in place of one.
    check(
        "(d0)[s0] -> (d0, s0), domain: d0 in [0, 9], s0 in [0, 11]",
        "(d0)[s0, s1] -> (d0, s0 * 4 + s1), domain: d0 in [0, 9], s0 in [0, 2], s1 in [0, 3]",
        "proved",
    );
    // A stride, as a constraint and as a coefficient.
    check(
        "(d0)[s0] -> (d0 + s0), domain: d0 in [0, 9], s0 in [0, 11], s0 mod 3 in [2, 2]",
        "(d0)[s0] -> (d0 + s0 * 3 + 2), domain: d0 in [0, 9], s0 in [0, 3]",
        "proved",
    );
}

#[test]
fn runtime_variables_are_fixed_and_range_variables_are_not() {
    check(
        "(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 3], rt0 in [0, 1]",
        "(d0){rt0} -> (d0 + 1 - rt0), domain: d0 in [0, 3], rt0 in [0, 1]",
        "refuted",
    );
    check(
        "(d0)[s0] -> (d0 + s0), domain: d0 in [0, 3], s0 in [0, 1]",
        "(d0)[s0] -> (d0 + 1 - s0), domain: d0 in [0, 3], s0 in [0, 1]",
        "proved",
    );
}

#[test]
fn unused_and_reordered_range_variables() {
    check(
        "(d0)[s0, s1] -> (d0, s0, s1), domain: d0 in [0, 99], s0 in [0, 999], s1 in [0, 99]",
        "(d0)[s0, s1, s2] -> (d0, s2, s0), domain: d0 in [0, 99], s0 in [0, 99], s1 in [0, 7], s2 in [0, 999]",
        "proved",
    );
    check(
        "(d0)[s0, s1] -> (d0, s0, s1), domain: d0 in [0, 99], s0 in [0, 999], s1 in [0, 99]",
        "(d0)[s0, s1] -> (d0, s1, s0), domain: d0 in [0, 99], s0 in [0, 98], s1 in [0, 999]",
        "refuted",
    );
}

#[test]
fn points_outside_read_nothing() {
    check(
        "(d0)[s0] -> (s0), domain: d0 in [0, 9], s0 in [0, 3], d0 + s0 in [0, 9]",
        "(d0)[s0] -> (s0), domain: d0 in [0, 9], s0 in [0, 3]",
        "refuted",
    );
    check(
        "(d0)[s0] -> (s0), domain: d0 in [0, 9], s0 in [0, 3], d0 in [0, 4]",
        "(d0)[s0] -> (s0), domain: d0 in [0, 4], s0 in [0, 3]",
        "proved",
    );
    check("(d0)[s0] -> (s0), domain: empty", "(d0) -> (d0), domain: empty", "proved");
    check("(d0)[s0] -> (s0), domain: empty", "(d0) -> (d0), domain: d0 in [0, 999999]", "refuted");
}

#[test]
fn large_boxes() {
    check(
        "(d0)[s0] -> (d0 * 1000 + s0), domain: d0 in [0, 9999], s0 in [0, 999]",
        "(d0)[s0] -> (d0 * 1000 + 999 - s0), domain: d0 in [0, 9999], s0 in [0, 999]",
        "proved",
    );
    check(
        "(d0)[s0] -> (d0 + s0), domain: d0 in [0, 9999], s0 in [0, 2999], s0 mod 3 in [2, 2]",
        "(d0)[s0] -> (d0 + s0 * 3 + 2), domain: d0 in [0, 9999], s0 in [0, 999]",
        "proved",
    );
    check(
        "(d0)[s0] -> (s0), domain: d0 in [0, 9999], s0 in [0, 1199]",
        "(d0)[s0, s1] -> (s0 * 40 + s1), domain: d0 in [0, 9999], s0 in [0, 29], s1 in [0, 39]",
        "proved",
    );
}

#[test]
fn large_boxes_are_refuted() {
    check(
        "(d0)[s0] -> (d0 * 1000 + s0), domain: d0 in [0, 9999], s0 in [0, 999]",
        "(d0)[s0] -> (d0 * 1000 + 998 - s0), domain: d0 in [0, 9999], s0 in [0, 999]",
        "refuted",
    );
}

#[test]
fn different_arities_are_an_error() {
    let left = map("(d0)[s0] -> (d0), domain: d0 in [0, 3], s0 in [0, 3]");
    let right = map("(d0, d1) -> (d0), domain: d0 in [0, 3], d1 in [0, 3]");
    assert!(equal_reads(&left, &right, &Budget::default()).is_err());
}
