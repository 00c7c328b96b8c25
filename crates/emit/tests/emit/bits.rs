//! The number of bits that a map needs, compared with the values of all its steps.

use crate::support::random;
use affinor::simplify::Simplifier;
use affinor_emit::bits;
use affinor_maps::expr::{Expr, ExprKind, IndexingMap};
use affinor_maps::text::{Style, parse_map, print_map};
use proptest::prelude::*;

#[track_caller]
fn parsed(text: &str) -> IndexingMap {
    parse_map(text).unwrap_or_else(|error| panic!("{error:?} in {text}"))
}

#[test]
fn numbers_stay_within_32_bits_for_one_operation_more() {
    // The numerator of one digit: with `mod 17287199`, one operation less, products reach 3.9e9.
    let y = "d0 * 4321800 + d1 * 617400 + d2 * 205800 + d3 * 41160 + d4 * 5880 + d5 * 840 + d6 * 120 + d7 * 20 + d8 * 5 + d9 + 7";
    let map = parsed(&format!(
        "(d0, d1, d2, d3, d4, d5, d6, d7, d8, d9) -> ((({y}) floordiv 1470 mod 140 * 123480 + ({y}) floordiv 147 mod 10 * 12348
         + ({y}) mod 147 * 84 + ({y}) floordiv 205800) mod 70), domain: d0 in [0, 3], d1 in [0, 6], d2 in [0, 2], d3 in [0, 4],
         d4 in [0, 6], d5 in [0, 6], d6 in [0, 6], d7 in [0, 5], d8 in [0, 3], d9 in [0, 4]"
    ));
    let simplifier = Simplifier::shipped().expect("the shipped rules");
    let outcome = simplifier.simplify(&map, &Default::default());
    assert!(
        bits(&outcome.map).is_some_and(|bits| bits <= 32),
        "{}",
        print_map(&outcome.map, Style::Plain)
    );
}

#[test]
fn bits_are_those_of_every_step() {
    for (text, expected) in [
        ("(d0) -> (d0 * 3), domain: d0 in [0, 3000000000]", Some(35)),
        ("(d0) -> (-d0), domain: d0 in [0, 128]", Some(9)),
        ("(d0) -> (0), domain: d0 in [0, 3]", Some(1)),
        ("(d0) -> (d0 floordiv 1000), domain: d0 in [0, 3]", Some(11)),
        ("(d0) -> (d0 mod 8), domain: d0 in [0, inf]", Some(64)),
        ("(d0) -> (d0 * 2 mod 8), domain: d0 in [0, inf]", None),
    ] {
        assert_eq!(bits(&parsed(text)), expected, "{text}");
    }
}

/// Collects the values of an expression and its parts, including products by coefficients and partial sums.
fn steps(expr: &Expr, point: &[i64], met: &mut Vec<i64>) -> i64 {
    let parts: Vec<i64> = expr.operands().map(|part| steps(part, point, met)).collect();
    if let ExprKind::Sum(sum) = expr.kind() {
        let terms = sum.terms().iter().zip(&parts).map(|((factor, _), part)| factor * part);
        let sums = terms.clone().scan(0, |total, term| {
            *total += term;
            Some(*total)
        });
        met.extend(terms.clone().chain(sums));
    }
    let value = expr.eval(point).unwrap_or_else(|error| panic!("{error:?}"));
    met.push(value);
    value
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn every_step_fits_in_the_bits_that_are_said(map in random::small_map()) {
        let bits = bits(&map).unwrap_or(64);
        let most = i64::MAX >> (64 - bits);
        for point in random::box_points(map.domain()) {
            let mut met = Vec::new();
            if map.domain().contains(&point) == Ok(true) {
                for result in map.results() {
                    let value = steps(result, &point, &mut met);
                    prop_assert_eq!(met.last(), Some(&value));
                }
            }
            prop_assert!(met.iter().all(|value| (-most - 1..=most).contains(value)), "{met:?} in {bits} bits");
        }
    }
}
