//! Emptiness of domains, and tightness of intervals.

use super::{ALL_MEANS, check_verdict, map, single_means};
use affinor::num::Interval;
use affinor::prove::{Budget, Tightness, Verdict, is_empty, tightness};

#[track_caller]
fn check_empty(domain: &str, expected: &str) {
    let map = map(&format!("(d0, d1) -> (d0), domain: {domain}"));
    let default = (ALL_MEANS, Budget::default());
    for (means, budget) in single_means().into_iter().chain([default]) {
        let verdict = is_empty(map.domain(), &budget);
        if let Verdict::Refuted(point) = &verdict {
            assert_eq!(map.domain().contains(point), Ok(true));
        }
        check_verdict(means, &verdict, expected);
    }
}

#[test]
fn emptiness() {
    let large = "d0 in [0, 99999], d1 in [0, 99999]";
    check_empty("empty", "proved");
    check_empty(large, "refuted");
    check_empty("d0 in [0, 9], d1 in [0, 9], d0 + d1 in [19, 30]", "proved");
    check_empty("d0 in [0, 9], d1 in [0, 9], d0 + d1 in [18, 30]", "refuted");
    check_empty("d0 in [0, 9], d1 in [0, 9], d0 mod 2 in [1, 1], d0 mod 4 in [2, 2]", "proved");
    for (constraints, expected) in [
        ("d0 + d1 in [300000, 300001]", "proved"),
        ("d0 - d1 in [5, 9], d1 - d0 in [-4, 0]", "proved"),
        ("d0 * 6 + d1 * 10 in [100001, 100001]", "proved"),
        ("d0 * 6 + d1 * 10 in [100002, 100002]", "refuted by solver"),
        ("d0 mod 1000 in [999, 999], d1 mod 1001 in [500, 500]", "refuted by solver"),
        ("d0 mod 1000 in [999, 999], d0 mod 2 in [0, 0]", "proved by solver"),
    ] {
        check_empty(&format!("{large}, {constraints}"), expected);
    }
}

/// Checks tightness; `expected` has `t`rue, `f`alse or `?` for each bound.
#[track_caller]
fn check_tight(text: &str, intervals: &[(i64, i64)], expected: &str) {
    let map = map(text);
    let intervals: Vec<Interval> =
        intervals.iter().map(|(lo, hi)| Interval::new(*lo, *hi)).collect();
    let letter = |end: Option<bool>| match end {
        Some(true) => 't',
        Some(false) => 'f',
        None => '?',
    };
    let written = |answers: Vec<Tightness>| -> String {
        let ends = answers.into_iter().flat_map(|answer| [answer.lo, answer.hi]);
        ends.map(letter).collect()
    };
    assert_eq!(written(tightness(&map, &intervals, &Budget::default())), expected);
    for (means, budget) in single_means() {
        let found = written(tightness(&map, &intervals, &budget));
        for (one, other) in found.chars().zip(expected.chars()) {
            assert!(one == '?' || one == other, "{means}: {found}, not {expected}");
        }
    }
}

#[test]
fn tight_intervals() {
    check_tight(
        "(d0) -> (d0 mod 6, d0 * 2, 7), domain: d0 in [0, 9]",
        &[(0, 5), (0, 19), (7, 7)],
        "tttftt",
    );
    let large = "d0 in [0, 99999], d1 in [0, 99999]";
    check_tight(
        &format!("(d0, d1) -> (d0 - d1, d0 mod 7, d0 floordiv 3 - d0 floordiv 4), domain: {large}"),
        &[(-99999, 99999), (0, 6), (-1, 8333)],
        if cfg!(feature = "z3") { "ttttft" } else { "ttttf?" },
    );
    // The correlation of the two variables makes the plain interval too wide.
    check_tight(
        &format!("(d0, d1) -> (d0 + d1), domain: {large}, d0 - d1 in [3, 5]"),
        &[(0, 199998)],
        if cfg!(feature = "z3") { "ff" } else { "??" },
    );
}

#[test]
fn intervals_without_end_and_without_points() {
    let all = (i64::MIN, i64::MAX);
    check_tight(
        "affine_map<(x) -> (x, -x floordiv 4, x mod 5, 3)>",
        &[all, all, all, all],
        "ttttffff",
    );
    check_tight("(d0) -> (d0), domain: empty", &[(0, -1)], "tt");
    check_tight("(d0) -> (d0), domain: empty", &[(0, 3)], "ff");
    check_tight("(d0) -> (d0), domain: d0 in [0, 3]", &[(0, -1)], "ff");
}
