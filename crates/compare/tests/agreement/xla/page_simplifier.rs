//! "Indexing Map Simplifier": its rewrites and the forms of constraints; and the texts of maps on the page.

use super::{map, simplifier, text};
use affinor::prove::{Budget, Verdict, equal_functions};
use affinor::text::parse_map;

/// Checks that `given` is simplified to `simplified`, and that both are proved to be equal.
#[track_caller]
fn check(given: &str, simplified: &str) {
    let outcome = simplifier()(&map(given));
    assert_eq!(text(&outcome), simplified, "{given}");
    let verdict = equal_functions(&map(given), &outcome, &Budget::default());
    assert_eq!(verdict, Ok(Verdict::Proved), "{given}");
}

#[test]
fn the_rewrites() {
    check(
        "(d0, d1) -> (d0 + d1 floordiv 16, d1 mod 16), domain: d0 in [0, 6], d1 in [0, 14]",
        "(d0, d1) -> (d0, d1), domain: d0 in [0, 6], d1 in [0, 14]",
    );
    check(
        "(d0, d1, d2) -> ((100d0 + 10d1 + d2) floorDiv 100, ((100d0 + 10d1 + d2) mod 100) floordiv 10, d2 mod 10),
         domain: d0 in [0, 9], d1 in [0, 9], d2 in [0, 9]",
        "(d0, d1, d2) -> (d0, d1, d2), domain: d0 in [0, 9], d1 in [0, 9], d2 in [0, 9]",
    );
    // The page's own result, `2d0 + (4d1 + d2) floordiv 8` and `(4d1 + d2) mod 8`, in another order of terms.
    check(
        "(d0, d1, d2) -> ((16d0 + 4d1 + d2) floordiv 8, (16d0 + 4d1 + d2) mod 8),
         domain: d0 in [0, 9], d1 in [0, 9], d2 in [0, 9]",
        "(d0, d1, d2) -> (d0 * 2 + (d1 * 4 + d2) floordiv 8, (d1 * 4 + d2) mod 8), domain: d0 in [0, 9], d1 in [0, 9], d2 in [0, 9]",
    );
    // The minus is outermost: see the erratum.
    check(
        "(d0, d1) -> (-((-11d0 - d1 + 109) floordiv 11) + 9), domain: d0 in [0, 9], d1 in [0, 10]",
        "(d0, d1) -> (d0), domain: d0 in [0, 9], d1 in [0, 10]",
    );
}

#[test]
fn constraints_are_brought_into_the_form_of_bounds() {
    // `lower <= expr (floordiv, +, -, *) constant <= upper` becomes bounds of `expr`.
    let domain = |constraint: &str| {
        format!("(d0, d1) -> (d0, d1), domain: d0 in [0, 99], d1 in [0, 99], {constraint}")
    };
    for (given, simplified) in [
        ("(d0 + d1) floordiv 8 in [1, 2]", "d0 + d1 in [8, 23]"),
        ("d0 + d1 + 7 in [9, 20]", "d0 + d1 in [2, 13]"),
        ("d0 + d1 - 7 in [9, 20]", "d0 + d1 in [16, 27]"),
        ("(d0 + d1) * 3 in [10, 20]", "d0 + d1 in [4, 6]"),
        ("(d0 - d1) * -3 in [10, 20]", "d0 - d1 in [-6, -4]"),
    ] {
        let simplified = text(&map(&domain(simplified)));
        check(&domain(given), &simplified);
    }
    // Constraints on one variable become its bounds.
    check(
        "(d0) -> (d0), domain: d0 in [0, 99], d0 * 3 + 5 in [10, 20]",
        "(d0) -> (d0), domain: d0 in [2, 5]",
    );
}

#[test]
fn constraints_that_always_hold_are_dropped() {
    check(
        "(d0)[s0] -> (d0, s0), domain: d0 in [0, 5], s0 in [1, 3], d0 + s0 in [0, 20]",
        "(d0)[s0] -> (d0, s0), domain: d0 in [0, 5], s0 in [1, 3]",
    );
    // A constraint that may fail is kept, with the bounds that can be reached.
    check(
        "(d0)[s0] -> (d0, s0), domain: d0 in [0, 5], s0 in [1, 3], d0 + s0 in [0, 7]",
        "(d0)[s0] -> (d0, s0), domain: d0 in [0, 5], s0 in [1, 3], d0 + s0 in [1, 7]",
    );
}

#[test]
fn expressions_of_constraints_are_simplified_as_results_are() {
    check(
        "(d0, d1, d2) -> (d0, d1, d2), domain: d0 in [0, 9], d1 in [0, 9], d2 in [0, 9],
         (100d0 + 10d1 + d2) floordiv 100 in [2, 4], ((100d0 + 10d1 + d2) mod 100) floordiv 10 in [0, 5]",
        "(d0, d1, d2) -> (d0, d1, d2), domain: d0 in [2, 4], d1 in [0, 5], d2 in [0, 9]",
    );
}

#[test]
fn texts_of_the_page_are_read() {
    // "A typical AffineMap".
    assert_eq!(
        text(&map("affine_map<(d0)[s0, s1] -> (s0 + 5, d0 * 2, s1 * 3 + 50)>")),
        "affine_map<(d0)[s0, s1] -> (s0 + 5, d0 * 2, s1 * 3 + 50)>"
    );
    // A comma is missing at the end of a line, and there is an extra one at the end of the domain.
    let reshape = "(d0, d1, d2) -> (d0 floordiv 8, d0 mod 8, d1 * 4 + d2),\n\
                   domain:\nd0 in [0, 31],\nd1 in [0, 2]\nd2 in [0, 3],\n";
    assert!(parse_map(reshape).is_ok());
    // Outside of `affine_map`, a variable without bounds is an error.
    assert!(parse_map("(d0)[s0, s1] -> (s0 + 5, d0 * 2, s1 * 3 + 50)").is_err());
}
