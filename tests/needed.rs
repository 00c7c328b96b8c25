//! What each fired rule is for: a map whose simplified form is larger, or whose domain is looser, when the
//! rule is left out.

use affinor::error::ErrorKind;
use affinor::map::{Domain, IndexingMap};
use affinor::rule::RuleSet;
use affinor::simplify::{Budget, Simplifier};
use affinor::syntax::{Style, parse_map, print_map};
use std::sync::LazyLock;

static SIMPLIFIER: LazyLock<Simplifier> = LazyLock::new(|| {
    let rules = RuleSet::shipped().unwrap_or_else(|error| panic!("{error:?}"));
    Simplifier::new(rules).unwrap_or_else(|error| panic!("{error:?}"))
});

/// Rules in the order of their files, each with a map that needs it.
const NEEDED: &[(&str, &str)] = &[
    (
        "div-strip",
        "(d0) -> ((d0 * 49 + 6) floordiv 12), domain: d0 in [0, 3]",
    ),
    (
        "div-extract",
        "(d0, d1) -> ((d0 * 4 + d1) floordiv 4), domain: d0 in [0, 9], d1 in [0, 10]",
    ),
    (
        "div-low",
        "(d0) -> (((31 - d0 floordiv 2) * 2 + d0 mod 2) floordiv 8), domain: d0 in [0, 63]",
    ),
    (
        "div-near",
        "(d0) -> (((-d0 + 5) mod 3 * 8 mod 5) * 12), domain: d0 in [0, 3]",
    ),
    (
        "div-div",
        "(d0) -> ((d0 floordiv 3 + 2) floordiv 4), domain: d0 in [0, 100]",
    ),
    (
        "div-sign",
        "(d0) -> (d0), domain: d0 in [-4, 1], (-d0) mod 3 in [1, 1]",
    ),
    (
        "constraint-shift",
        "(d0) -> (d0), domain: d0 in [0, 20], d0 + 3 in [5, 9]",
    ),
    (
        "constraint-scale",
        "(d0) -> (d0), domain: d0 in [0, 20], d0 * 3 in [5, 30]",
    ),
    (
        "constraint-negate",
        "(d0) -> (d0), domain: d0 in [0, 20], -d0 in [-9, -3]",
    ),
    (
        "constraint-floordiv",
        "(d0) -> (d0), domain: d0 in [0, 20], d0 floordiv 3 in [1, 2]",
    ),
    (
        "constraint-low-upper",
        "(d0, d1) -> (d0), domain: d0 in [0, 20], d1 in [0, 3], d0 * 4 + d1 in [0, 35]",
    ),
    (
        "constraint-low-lower",
        "(d0, d1) -> (d0), domain: d0 in [0, 20], d1 in [0, 3], d0 * 4 + d1 in [36, 99]",
    ),
    (
        "constraint-mod-shift",
        "(d0) -> (d0), domain: d0 in [0, 20], (d0 + 3) mod 6 in [1, 1]",
    ),
    (
        "constraint-stride",
        "(d0) -> (d0), domain: d0 in [-21, -2], d0 mod 6 in [5, 5]",
    ),
    (
        "constraint-crt",
        "(d0) -> (d0), domain: d0 in [0, 50], d0 mod 4 in [1, 1], d0 mod 6 in [3, 3]",
    ),
    (
        "congruence-never",
        "(d0, d1) -> (d0), domain: d0 in [0, 50], d1 in [0, 50], (d0 + d1) mod 4 in [1, 1], (d0 + d1) mod 6 in [2, 2]",
    ),
    ("mod-def", "(d0) -> (d0 mod 11), domain: d0 in [0, 10]"),
    (
        "mod-peel",
        "(d0) -> (d0 mod 11 mod 3), domain: d0 in [0, 10]",
    ),
    (
        "mod-peel-neg",
        "(d0, d1) -> ((d0 * -2 - d1 * 8) mod 12), domain: d0 in [0, 30], d1 in [0, 3]",
    ),
    (
        "absorb",
        "(d0) -> ((d0 * -4 - 12) floordiv 16 * 6), domain: d0 in [0, 11]",
    ),
    (
        "div-reflect",
        "(d0) -> ((d0 * -4 - 12) floordiv 6 * 5 + 9), domain: d0 in [0, 11]",
    ),
    (
        "div-move",
        "(d0) -> ((d0 * 9 + 9) floordiv 12 * 5 + d0 * 2), domain: d0 in [0, 17]",
    ),
    (
        "div-threshold",
        "(d0) -> ((d0 + 3) floordiv 12), domain: d0 in [0, 17]",
    ),
    (
        "div-two-valued",
        "(d0, d1) -> ((d0 + d1 + 3) floordiv 8), domain: d0 in [0, 9], d1 in [0, 9], d0 + d1 in [4, 5]",
    ),
    (
        "div-div-neg",
        "(d0) -> ((d0 - d0 floordiv 3) floordiv 2), domain: d0 in [0, 100]",
    ),
    ("mod-shift", "(d0) -> (d0 * 5 mod 4), domain: d0 in [0, 17]"),
    (
        "mod-div-coef",
        "(d0, d1) -> ((d0 + d1 * 13 floordiv 6) mod 2), domain: d0 in [0, 100], d1 in [0, 100]",
    ),
    (
        "mod-relift",
        "(d0) -> (d0 mod 5 * 6 floordiv 5), domain: d0 in [0, 100]",
    ),
    ("min-le", "(d0) -> (min(d0, 12)), domain: d0 in [0, 5]"),
    (
        "min-le-among",
        "(d0, d1) -> (min(d0, d1, 12)), domain: d0 in [0, 5], d1 in [0, 5]",
    ),
    (
        "min-affine",
        "(d0) -> (min(4, 7 - d0 * 4) mod 4), domain: d0 in [0, 1]",
    ),
    (
        "min-affine-among",
        "(d0) -> (min(max(0, min(d0, 12)) * 4, 46)), domain: d0 in [0, 14]",
    ),
    ("max-ge", "(d0) -> (max(d0, 12)), domain: d0 in [0, 5]"),
    (
        "max-ge-among",
        "(d0, d1) -> (max(d0, d1, -12)), domain: d0 in [0, 5], d1 in [0, 5]",
    ),
    (
        "max-affine",
        "(d0) -> (max(min(max(d0 - 2, 0) floordiv 4 - 1, 6), 0)), domain: d0 in [0, 39]",
    ),
    (
        "max-affine-among",
        "(d0, d1) -> (min(max(max(0, min(d0 * 2 - 1, 9)) + d1, 2), 10)), domain: d0 in [0, 4], d1 in [0, 1]",
    ),
    (
        "min-affine-negative",
        "(d0) -> (min(min(max(d0 - 3, 3 - d0), 94 - max(d0 - 3, 3 - d0)) * 4, 186)), domain: d0 in [0, 53]",
    ),
    (
        "min-affine-negative-among",
        "(d0) -> (min(min(max(d0 - 3, 3 - d0), 94 - max(d0 - 3, 3 - d0)) * 4, 186)), domain: d0 in [0, 53]",
    ),
    (
        "max-affine-negative",
        "(d0, d1) -> (max(4 - min(d0, 7), d1)), domain: d0 in [0, 20], d1 in [0, 4]",
    ),
    (
        "max-affine-negative-among",
        "(d0, d1) -> (max(4 - min(d0, 7), d1)), domain: d0 in [0, 20], d1 in [0, 4]",
    ),
    (
        "clamp-order",
        "(d0) -> (min(max(0, min(d0 - 3, 127)) * 4, 506)), domain: d0 in [0, 132]",
    ),
    (
        "min-plus-max",
        "(d0, d1) -> ((max(d0 * 2, d1) - min(d0 * 2, d1)) mod 2), domain: d0 in [0, 41], d1 in [0, 50]",
    ),
    (
        "min-difference",
        "(d0) -> (min(d0 + 3, 10) - min(d0, 10)), domain: d0 in [0, 18]",
    ),
    (
        "max-difference",
        "(d0) -> (max(d0 + 4, 14) - max(d0, 14)), domain: d0 in [0, 36]",
    ),
    (
        "div-min",
        "(d0) -> (min(d0 - 1, 99) floordiv 8), domain: d0 in [0, 102]",
    ),
    (
        "div-min-negative",
        "(d0) -> (min(max(d0 - 3, 3 - d0), 24 - max(d0 - 3, 3 - d0)) floordiv 8), domain: d0 in [0, 18]",
    ),
    (
        "div-max",
        "(d0) -> (min(max(max(d0 - 2, 0) floordiv 4, 2), 14)), domain: d0 in [0, 63]",
    ),
    (
        "div-max-negative",
        "(d0) -> ((min(d0 - 1 + 5, 24) - max(d0 - 1, 0)) floordiv 2), domain: d0 in [0, 23]",
    ),
    (
        "min-shift",
        "(d0) -> (min((d0 + 1) * 6, 21) - 1), domain: d0 in [0, 3]",
    ),
    (
        "min-mirror",
        "(d0) -> (d0 - min(d0, 27) + 3), domain: d0 in [0, 28]",
    ),
    (
        "max-shift",
        "(d0) -> (max(d0 - 1, 0) floordiv 3 + 5), domain: d0 in [0, 95]",
    ),
    (
        "max-mirror",
        "(d0) -> (min(d0, 112) - max(d0 - 2, 0)), domain: d0 in [0, 111]",
    ),
    (
        "div-block",
        "(d0, d1) -> ((d1 floordiv 12 - d0 floordiv 6) floordiv 4), domain: d0 in [0, 2], d1 in [-3, 27]",
    ),
    (
        "div-constant",
        "(d0, d1) -> (((d0 * 8 + d1 * 4) mod 6 * -2 - 12) floordiv 3 + 4), domain: d0 in [2, 17], d1 in [-6, 1]",
    ),
    (
        "mod-block",
        "(d0) -> (d0 * 12 - (d0 * -4 + 4) mod 5 * 6 floordiv 5 + 8), domain: d0 in [0, 11]",
    ),
];

/// How much is left to do on a domain: points of the box, constraints, operations in them.
fn looseness(domain: &Domain) -> (u128, usize, u64) {
    let sizes = domain
        .variables()
        .iter()
        .map(|variable| variable.bounds.count());
    let points = sizes
        .map(|size| size.map_or(u128::MAX, u128::from))
        .fold(1, u128::saturating_mul);
    let operations = domain
        .constraints()
        .iter()
        .map(|constraint| constraint.expr.cost().ops);
    (points, domain.constraints().len(), operations.sum())
}

fn simplified(simplifier: &Simplifier, map: &IndexingMap) -> IndexingMap {
    simplifier.simplify(map, &Budget::default()).map
}

#[track_caller]
fn without(name: &str) -> Simplifier {
    SIMPLIFIER
        .without(&[name])
        .unwrap_or_else(|error| panic!("{error:?}"))
}

#[test]
fn without_a_rule_some_result_is_larger_or_some_domain_looser() {
    for (name, text) in NEEDED {
        let map = parse_map(text).unwrap_or_else(|error| panic!("{error:?} in {text}"));
        let (with, without) = (
            simplified(&SIMPLIFIER, &map),
            simplified(&without(name), &map),
        );
        let larger =
            without.cost() > with.cost() && looseness(without.domain()) >= looseness(with.domain());
        let looser =
            looseness(without.domain()) > looseness(with.domain()) && without.cost() >= with.cost();
        let write = |map: &IndexingMap| print_map(map, Style::Plain);
        assert!(
            larger || looser,
            "{name}: {text}\n with it {}\n without {}",
            write(&with),
            write(&without)
        );
    }
}

/// A rule that only certificates use: without it one of them does not hold.
#[test]
fn without_same_value_a_certificate_is_rejected() {
    let map = parse_map(CERTIFIED).unwrap_or_else(|error| panic!("{error:?}"));
    assert_eq!(SIMPLIFIER.certify(&map, &Budget::default()).verdict, Ok(()));
    assert!(
        without("same-value")
            .certify(&map, &Budget::default())
            .verdict
            .is_err()
    );
}

const CERTIFIED: &str =
    "(d0) -> (d0), domain: d0 in [-5, 3], (d0 * 12 - 10) mod 16 * 12 in [7, 10]";

#[test]
fn the_table_names_every_rule_that_is_fired() {
    let mut named: Vec<&str> = NEEDED
        .iter()
        .map(|(name, _)| *name)
        .chain(["same-value"])
        .collect();
    let mut fired: Vec<&str> = SIMPLIFIER.fired().collect();
    named.sort_unstable();
    fired.sort_unstable();
    assert_eq!(named, fired);
}

#[test]
fn what_is_left_out_must_be_there() {
    let error = SIMPLIFIER
        .without(&["div-two"])
        .map(|_| ())
        .expect_err("no such rule");
    assert_eq!(error.kind, ErrorKind::Name);
    assert!(without("div-low").fired().all(|name| name != "div-low"));
}
