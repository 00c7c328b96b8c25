//! The purpose of each fired rule: a map whose simplified form is proved equal to it, and is larger, or has a looser domain,
//! without the rule.

use crate::golden;
use affinor::expr::{Domain, IndexingMap};
use affinor::prove::{Budget, Verdict, equal_functions};
use affinor::rule::{RuleSet, examples};
use affinor::simplify::{Options, Simplifier};
use affinor::text::{ErrorKind, Style, parse_map, print_map};
use std::sync::LazyLock;

static SIMPLIFIER: LazyLock<Simplifier> =
    LazyLock::new(|| Simplifier::shipped().expect("the shipped rules"));

/// Measures how loose a domain is: points of the box, constraints, and operations in them.
fn looseness(domain: &Domain) -> (u128, usize, u64) {
    let sizes = domain.variables().iter().map(|variable| variable.bounds.count());
    let points = sizes.map(|size| size.map_or(u128::MAX, u128::from)).fold(1, u128::saturating_mul);
    let operations = domain.constraints().iter().map(|constraint| constraint.expr.cost().ops);
    (points, domain.constraints().len(), operations.sum())
}

fn simplified(simplifier: &Simplifier, map: &IndexingMap) -> IndexingMap {
    simplifier.simplify(map, &Options::default()).map
}

#[track_caller]
fn without(name: &str) -> Simplifier {
    SIMPLIFIER.without(&[name]).unwrap_or_else(|error| panic!("{error:?}"))
}

#[test]
fn without_a_rule_some_result_is_larger_or_some_domain_looser() {
    for (name, text) in examples() {
        let map = parse_map(text).unwrap_or_else(|error| panic!("{error:?} in {text}"));
        let (with, without) = (simplified(&SIMPLIFIER, &map), simplified(&without(name), &map));
        let verdict = equal_functions(&map, &with, &Budget::default());
        assert_eq!(verdict, Ok(Verdict::Proved), "{name}: {text}");
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

/// The simplifier of all rules except the one called `name`, deleted from the rule set.
#[track_caller]
fn deleted(name: &str) -> Simplifier {
    let shipped = SIMPLIFIER.rules().rules().iter();
    let others = shipped.filter(|rule| rule.name != name).cloned().collect();
    let mut fewer = RuleSet::default();
    let extended = fewer.extend(others);
    extended.unwrap_or_else(|error| panic!("{error:?}"));
    assert_eq!(fewer.find(name), None);
    Simplifier::new(fewer).unwrap_or_else(|error| panic!("{name}: {error:?}"))
}

/// Deleting a rule's lines has the same effect as disabling it: no code asks for a rule by its name.
#[test]
fn without_its_lines_a_program_runs_as_if_the_rule_were_left_out() {
    for (name, text) in examples() {
        let map = parse_map(text).unwrap_or_else(|error| panic!("{error:?} in {text}"));
        let fewer = simplified(&deleted(name), &map);
        assert_eq!(fewer, simplified(&without(name), &map), "{name}: {text}");
    }
}

/// A rule that only certificates use: without it the results are the same, but some certificate does not hold.
#[test]
fn without_same_value_a_certificate_is_rejected() {
    let fewer = [without(FOR_CERTIFICATES), deleted(FOR_CERTIFICATES)];
    for text in CERTIFIED {
        let map = parse_map(text).unwrap_or_else(|error| panic!("{error:?} in {text}"));
        let with = SIMPLIFIER.certify(&map, &Options::default());
        assert_eq!(with.verdict, Ok(()), "{text}");
        for simplifier in &fewer {
            let without = simplifier.certify(&map, &Options::default());
            assert_eq!(without.outcome.map, with.outcome.map, "{text}");
            assert!(without.verdict.is_err(), "{text}");
        }
    }
}

const FOR_CERTIFICATES: &str = "same-value";

/// Maps that need the range of a part of a result, of a constraint, and of an unsatisfiable constraint, over more points than the
/// replayer evaluates.
const CERTIFIED: [&str; 3] = [
    "(d0) -> (min(d0 * 2 mod 7, -d0 - 2)), domain: d0 in [0, 30000]",
    "(d0) -> (d0), domain: d0 in [0, 30000], max(d0 * 3, 16) mod 6 in [0, 4]",
    "(d0) -> (d0), domain: d0 in [0, 30000], d0 * 4 mod 16 floordiv 7 in [2, 5]",
];

/// The table lists every fired rule, in the order in which they are read.
#[test]
fn the_table_names_every_rule_that_is_fired() {
    let lines = |names: Vec<&str>| names.join("\n");
    let named = examples().map(|(name, _)| name).collect();
    let fired = SIMPLIFIER.fired().filter(|name| *name != FOR_CERTIFICATES).collect();
    golden::check("the rules of rules/needed.txt", &lines(named), &lines(fired));
    assert!(SIMPLIFIER.fired().any(|name| name == FOR_CERTIFICATES));
}

#[test]
fn only_existing_rules_are_removed() {
    let error = SIMPLIFIER.without(&["div-two"]).map(|_| ()).expect_err("no such rule");
    assert_eq!(error.kind, ErrorKind::Name);
    assert!(without("div-low").fired().all(|name| name != "div-low"));
}
