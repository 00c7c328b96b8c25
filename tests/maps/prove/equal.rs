//! Pairs of maps with the required verdict.

use super::{ALL_MEANS, check_counterexample, check_verdict, map, single_means, word};
use affinor::num::Interrupt;
use affinor::prove::{Budget, Reason, Verdict, equal_functions};
use affinor::text::ErrorKind;

/// Checks the verdict with the default budget; each means alone gives the same verdict or unknown.
#[track_caller]
fn check(left: &str, right: &str, expected: &str) {
    let (left, right) = (map(left), map(right));
    let default = (ALL_MEANS, Budget::default());
    for (means, budget) in single_means().into_iter().chain([default]) {
        let verdict = equal_functions(&left, &right, &budget).unwrap();
        if let Verdict::Refuted(found) = &verdict {
            check_counterexample(&left, &right, found);
        }
        check_verdict(means, &verdict, expected);
    }
}

/// Checks maps with these results over one domain.
#[track_caller]
fn check_results(variables: &str, domain: &str, left: &str, right: &str, expected: &str) {
    let text = |results: &str| format!("{variables} -> ({results}), domain: {domain}");
    check(&text(left), &text(right), expected);
}

/// Checks maps over unbounded variables.
#[track_caller]
fn check_everywhere(left: &str, right: &str, expected: &str) {
    let text = |result: &str| format!("affine_map<(x, y) -> ({result})>");
    check(&text(left), &text(right), expected);
}

#[test]
fn documented_simplifications() {
    // XLA, "Indexing analysis": the maps before and after its examples of simplification.
    let cases = [
        ("(d0, d1)", "d0 in [0, 9], d1 in [0, 14]", "d0 + d1 floordiv 16, d1 mod 16", "d0, d1"),
        (
            "(d0, d1, d2)",
            "d0 in [0, 9], d1 in [0, 9], d2 in [0, 9]",
            "(100 * d0 + 10 * d1 + d2) floordiv 100, ((100 * d0 + 10 * d1 + d2) mod 100) floordiv 10, d2 mod 10",
            "d0, d1, d2",
        ),
        (
            "(d0, d1, d2)",
            "d0 in [0, 9], d1 in [0, 9], d2 in [0, 9]",
            "(16 * d0 + 4 * d1 + d2) floordiv 8, (16 * d0 + 4 * d1 + d2) mod 8",
            "d0 * 2 + (d1 * 4 + d2) floordiv 8, (d1 * 4 + d2) mod 8",
        ),
        (
            "(d0, d1)",
            "d0 in [0, 9], d1 in [0, 10]",
            "-((-11 * d0 - d1 + 109) floordiv 11) + 9",
            "d0",
        ),
    ];
    for (variables, domain, left, right) in cases {
        check_results(variables, domain, left, right, "proved");
    }
}

#[test]
fn simplifications_that_the_domain_does_not_allow() {
    let domain = "d0 in [0, 9], d1 in [0, 16]";
    check_results("(d0, d1)", domain, "d0 + d1 floordiv 16", "d0", "refuted");
    check_results("(d0, d1)", domain, "d1 mod 16", "d1", "refuted");
    check_results("(d0)", "d0 in [-1, 3]", "d0 floordiv 4", "0", "refuted");
    check_results("(d0)", "d0 in [-1, 3]", "d0 mod 4", "d0", "refuted");
    check_results("(d0)", "d0 in [-9, 9]", "d0 ceildiv 4", "d0 floordiv 4 + 1", "refuted");
    check_results("(d0)", "d0 in [-9, 9]", "d0 ceildiv 4", "(d0 + 3) floordiv 4", "proved");
}

#[test]
fn all_integers() {
    for (left, right, expected) in [
        ("(x floordiv 4) floordiv 3", "x floordiv 12", "proved"),
        ("(x floordiv 4) floordiv 3", "x floordiv 11", "refuted"),
        ("(x mod 12) floordiv 4", "(x floordiv 4) mod 3", "proved"),
        ("(x mod 12) mod 4", "x mod 4", "proved"),
        ("(x mod 12) mod 5", "x mod 5", "refuted"),
        ("x floordiv 2 + (x + 1) floordiv 2", "x", "proved"),
        ("(x mod 3 + y mod 3) mod 3", "(x + y) mod 3", "proved"),
        ("-(x floordiv 7)", "(6 - x) floordiv 7", "proved"),
        ("-(x floordiv 7)", "(-x) floordiv 7", "refuted"),
        ("min(x, y) + max(x, y)", "x + y", "proved"),
        ("max(x, y, 0) - min(x, y)", "max(x - y, y - x)", "refuted"),
        ("(6 * x + 5) floordiv 3", "2 * x + 1", "proved"),
        ("(6 * x + 5) floordiv 4", "x + (2 * x + 5) floordiv 4", "proved"),
        ("x mod 1000003", "min(x mod 1000003, 1000001)", "refuted"),
    ] {
        check_everywhere(left, right, expected);
    }
}

#[test]
fn domains_are_compared_too() {
    let text = |domain: &str| format!("(d0, d1) -> (d0), domain: {domain}");
    for (left, right, expected) in [
        ("d0 in [0, 9], d1 in [0, 9]", "d0 in [0, 9], d1 in [0, 8]", "refuted"),
        ("d0 in [0, 9], d1 in [0, 9], d0 + d1 in [0, 18]", "d0 in [0, 9], d1 in [0, 9]", "proved"),
        ("d0 in [0, 9], d1 in [0, 9], d0 + d1 in [0, 17]", "d0 in [0, 9], d1 in [0, 9]", "refuted"),
        (
            "d0 in [0, 9999], d1 in [0, 9999], 2 * d0 in [5, 11]",
            "d0 in [3, 5], d1 in [0, 9999]",
            "proved",
        ),
        (
            "d0 in [0, 9999], d1 in [0, 9999], d0 mod 6 in [5, 5]",
            "d0 in [0, 9999], d1 in [0, 9999], d0 mod 2 in [1, 1], d0 mod 3 in [2, 2]",
            "proved",
        ),
        (
            "d0 in [0, 9999], d1 in [0, 9999], d0 + d1 in [0, 500], d0 - d1 in [501, 999]",
            "domain: empty",
            "proved by solver",
        ),
        (
            "d0 in [0, 9999], d1 in [0, 9999], d0 + d1 in [0, 500], d0 - d1 in [500, 999]",
            "domain: empty",
            "refuted by solver",
        ),
    ] {
        let right = right.strip_prefix("domain: ").unwrap_or(right);
        check(&text(left), &text(right), expected);
        check(&text(right), &text(left), expected);
    }
}

#[test]
fn results_are_compared_on_the_domain_only() {
    let domain = "d0 in [0, 99999], d1 in [0, 99999], d0 - d1 in [0, 7]";
    check_results("(d0, d1)", domain, "max(d0, d1)", "d0", "proved");
    check_results("(d0, d1)", domain, "(d0 - d1) floordiv 8", "0", "proved");
    check_results("(d0, d1)", domain, "(d0 - d1) floordiv 7", "0", "refuted");
    check_results(
        "(d0, d1)",
        domain,
        "d0 floordiv 8 - d1 floordiv 8",
        "(d1 mod 8 + d0 - d1) floordiv 8",
        "proved",
    );
}

#[test]
fn names_do_not_matter_and_positions_do() {
    check(
        "(i, j)[k]{r} -> (i + k, j + r), domain: i in [0, 3], j in [0, 5], k in [0, 1], r in [0, 8]",
        "(d0, d1)[s0]{rt0} -> (d0 + s0, d1 + rt0), domain: d0 in [0, 3], d1 in [0, 5], s0 in [0, 1], rt0 in [0, 8]",
        "proved",
    );
    check(
        "(a, b) -> (a), domain: a in [0, 3], b in [0, 3]",
        "(b, a) -> (a), domain: b in [0, 3], a in [0, 3]",
        "refuted",
    );
    check("() -> (5)", "() -> (5)", "proved");
    check("() -> (5)", "() -> (6)", "refuted");
    check("(d0) -> (), domain: d0 in [0, 3]", "(d0) -> (), domain: d0 in [0, 4]", "refuted");
}

#[test]
fn different_arities_are_an_error() {
    for (left, right, what) in [
        (
            "(d0) -> (d0), domain: d0 in [0, 3]",
            "(d0, d1) -> (d0), domain: d0 in [0, 3], d1 in [0, 3]",
            "dimensions",
        ),
        (
            "(d0) -> (d0), domain: d0 in [0, 3]",
            "(d0)[s0] -> (d0), domain: d0 in [0, 3], s0 in [0, 3]",
            "range variables",
        ),
        (
            "(d0) -> (d0), domain: d0 in [0, 3]",
            "(d0){r} -> (d0), domain: d0 in [0, 3], r in [0, 3]",
            "runtime variables",
        ),
        ("(d0) -> (d0), domain: d0 in [0, 3]", "(d0) -> (d0, d0), domain: d0 in [0, 3]", "results"),
    ] {
        let error = equal_functions(&map(left), &map(right), &Budget::default()).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Arity);
        assert!(error.message.contains(what), "{}", error.message);
    }
}

#[test]
fn a_counterexample_is_small() {
    let left = map("affine_map<(x, y) -> (x floordiv 4 + y)>");
    let right = map("affine_map<(x, y) -> ((x + 1) floordiv 4 + y)>");
    let Ok(Verdict::Refuted(found)) = equal_functions(&left, &right, &Budget::default()) else {
        panic!("not refuted");
    };
    assert_eq!(
        (found.point, found.left, found.right),
        (vec![-1, 0], Some(vec![-1]), Some(vec![0]))
    );
}

#[test]
fn a_difference_beyond_64_bits_is_not_shown() {
    let left = map("(d0) -> (d0 * 4611686018427387904), domain: d0 in [0, 9]");
    let right = map("(d0) -> (d0 * 4611686018427387904 + d0 floordiv 3), domain: d0 in [0, 9]");
    let verdict = equal_functions(&left, &right, &Budget::default());
    assert_eq!(verdict, Ok(Verdict::Unknown(Reason::Overflow)));
}

#[test]
fn values_beyond_64_bits_on_the_way_are_compared_exactly() {
    let domain = "d0 in [0, 9]";
    check_results(
        "(d0)",
        domain,
        "(d0 * 4611686018427387904) floordiv 2305843009213693952",
        "d0 * 2",
        "proved",
    );
}

#[test]
fn a_counterexample_beyond_64_bits_is_not_shown() {
    let left = "(max(x, 0) floordiv 4611686018427387904) floordiv 4"; // 1 from 2^64 on
    check_everywhere(left, "0", "unknown");
    let text = format!("affine_map<(x) -> ({left})>");
    let zero = map("affine_map<(x) -> (0)>");
    let verdict = equal_functions(&map(&text), &zero, &Budget::default());
    let reason = if cfg!(feature = "z3") {
        Reason::Overflow
    } else {
        Reason::NoSolver("this build has none")
    };
    assert_eq!(verdict, Ok(Verdict::Unknown(reason)));
}

#[test]
fn without_any_means_the_verdict_is_unknown() {
    let nothing = Budget {
        points: 0,
        samples: 0,
        forms: false,
        solver_steps: 0,
        interrupt: None,
        ..Budget::default()
    };
    let left = map("(d0) -> (d0 mod 10), domain: d0 in [0, 9]");
    let right = map("(d0) -> (d0), domain: d0 in [0, 9]");
    let verdict = |left, right| equal_functions(left, right, &nothing).unwrap();
    assert_eq!(verdict(&left, &left), Verdict::Proved);
    assert_eq!(verdict(&left, &right), Verdict::Unknown(Reason::SolverOff));
}

#[test]
fn an_interrupted_question_stays_open() {
    let interrupt = Interrupt::new();
    interrupt.trigger();
    let left = map("affine_map<(x) -> (x floordiv 4)>");
    let right = map("affine_map<(x) -> (x floordiv 5)>");
    let mut budget = Budget { interrupt: Some(interrupt.clone()), ..Budget::default() };
    for (points, samples) in [(20_000, 1_000), (0, 0)] {
        (budget.points, budget.samples) = (points, samples);
        let verdict = equal_functions(&left, &right, &budget);
        assert_eq!(verdict, Ok(Verdict::Unknown(Reason::Interrupted)));
    }
    interrupt.reset();
    budget.samples = 1_000;
    let verdict = equal_functions(&left, &right, &budget).unwrap();
    assert_eq!(word(&verdict), "refuted");
}

#[test]
fn a_verdict_repeats() {
    let left =
        map("affine_map<(x, y) -> (min(x, y) + max(x, y), x floordiv 6 + (x + 3) floordiv 6)>");
    let right = map("affine_map<(x, y) -> (x + y, x floordiv 3)>");
    let first = equal_functions(&left, &right, &Budget::default()).unwrap();
    let elsewhere = std::thread::scope(|scope| {
        let ask = || equal_functions(&left, &right, &Budget::default()).unwrap();
        scope.spawn(ask).join().unwrap()
    });
    assert_eq!(first, elsewhere);
}
