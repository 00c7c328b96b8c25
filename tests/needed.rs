//! What each fired rule is for: a map whose simplified form is larger, or whose domain is looser, when the
//! rule is left out.

use affinor::error::ErrorKind;
use affinor::map::{Domain, IndexingMap};
use affinor::rule::{RuleSet, examples};
use affinor::simplify::{Budget, Simplifier};
use affinor::syntax::{Style, parse_map, print_map};
use std::sync::LazyLock;

static SIMPLIFIER: LazyLock<Simplifier> = LazyLock::new(|| {
    let rules = RuleSet::shipped().unwrap_or_else(|error| panic!("{error:?}"));
    Simplifier::new(rules).unwrap_or_else(|error| panic!("{error:?}"))
});

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
    for (name, text) in examples() {
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

/// A rule whose lines are deleted is one that is left out: nothing in the program asks for it by its name.
#[test]
fn without_its_lines_a_program_runs_as_if_the_rule_were_left_out() {
    let shipped = RuleSet::shipped().unwrap_or_else(|error| panic!("{error:?}"));
    for (name, text) in examples() {
        let mut fewer = RuleSet::default();
        let others = shipped.rules().iter().filter(|rule| rule.name != name);
        let extended = fewer.extend(others.cloned().collect());
        extended.unwrap_or_else(|error| panic!("{error:?}"));
        let fewer = Simplifier::new(fewer).unwrap_or_else(|error| panic!("{name}: {error:?}"));
        let map = parse_map(text).unwrap_or_else(|error| panic!("{error:?} in {text}"));
        let deleted = simplified(&fewer, &map);
        assert_eq!(deleted, simplified(&without(name), &map), "{name}: {text}");
    }
}

#[test]
fn the_table_names_every_rule_that_is_fired() {
    let mut named: Vec<&str> = examples()
        .map(|(name, _)| name)
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
