//! A simplification has a single account: its certificate, narrated as a chain.

use crate::SIMPLIFIER;
use crate::support::chains::{self, judge};
use affinor::certificate::{ARITHMETIC, Step};
use affinor::simplify::Options;
use affinor::text::parse_map;

fn steps(text: &str) -> Vec<Step> {
    let map = parse_map(text).unwrap_or_else(|error| panic!("{error:?} in {text}"));
    let options = Options::default();
    let certified = SIMPLIFIER.certify(&map, &options);
    SIMPLIFIER.steps(&certified, &options)
}

/// Checks the rules on the way from `result`, on d0 in [0, 9] and d1 in [0, 2], to the answer.
#[track_caller]
fn check(result: &str, rules: &[&str], answer: &str) {
    let steps = steps(&format!("(d0, d1) -> ({result}), domain: d0 in [0, 9], d1 in [0, 2]"));
    let named: Vec<&str> = steps.iter().map(|step| step.rule.as_str()).collect();
    assert_eq!(named, rules, "{steps:#?}");
    let last = steps.last().map_or(result, |step| step.after.as_str());
    assert_eq!(last, answer, "{steps:#?}");
}

#[test]
fn chains() {
    check("d0 * 6 + min(d1, 3)", &["min-le"], "d0 * 6 + d1");
    check("d0 + d1", &[], "d0 + d1");
    check("(d0 + d1) * 2 - d1", &[ARITHMETIC], "d0 * 2 + d1");
    check("(d0 * 3 + d1) floordiv 3", &["div-strip"], "d0");
    check("(d0 * 3 + d1) mod 3", &["div-strip"], "d1");
    check(
        "max(d1, max(d0, 3) ceildiv 2, 0)",
        &["div-sign", "div-max", "max-ge-among"],
        "max((d0 + 1) floordiv 2, 2)",
    );
}

/// A step that another step depends on comes before it, and leaves the line unchanged.
#[test]
fn dependencies_of_steps_are_shown() {
    let steps = steps(
        "(d0) -> ((d0 * 2 + d0 * 2 floordiv 3) mod 100 floordiv 3), domain: d0 in [-40000, 30]",
    );
    let told: Vec<_> = steps
        .iter()
        .map(|step| (step.rule.as_str(), step.before == step.after, step.rests_on.as_slice()))
        .collect();
    let expected: [(&str, bool, &[usize]); 5] = [
        ("div-low", false, &[]),
        ("div-div", false, &[]),
        ("absorb", false, &[]),
        ("div-low", true, &[]),
        ("div-digit", false, &[3]),
    ];
    assert_eq!(told, expected, "{steps:#?}");
}

/// The domain has a chain of its own, before the results; facts that arithmetic needs are listed.
#[test]
fn domains_have_chains() {
    let told = |text: &str| -> Vec<(String, Option<usize>, String, Vec<String>)> {
        let steps = steps(text).into_iter();
        let told = steps.map(|step| (step.rule, step.result, step.after, step.facts));
        told.collect()
    };
    let line = |rule: &str, result, after: &str, facts: &[&str]| {
        let facts = facts.iter().map(|fact| (*fact).to_owned()).collect();
        (rule.to_owned(), result, after.to_owned(), facts)
    };
    assert_eq!(
        told("(d0) -> (d0 + 1), domain: d0 in [0, 12], d0 * 4 in [8, 11]"),
        [line(ARITHMETIC, None, "d0 in [2, 2]", &[]), line(ARITHMETIC, Some(0), "3", &["d0 = 2"]),]
    );
    assert_eq!(
        told("(d0) -> (d0), domain: d0 in [0, 12], d0 mod 7 in [-5, 13]"),
        [line(ARITHMETIC, None, "d0 in [0, 12]", &["d0 mod 7 in [0, 6]"])]
    );
    assert_eq!(
        told("(d0) -> (d0 * 3 + d0 * 0), domain: d0 in [0, 12], d0 floordiv 20 in [1, 2]"),
        [line(ARITHMETIC, None, "empty", &["d0 floordiv 20 in [0, 0]"])]
    );
}

/// `cargo bench -p affinor --bench why` does this with any number of maps.
#[test]
fn random_maps_have_chains() {
    let (mut changed, mut rejected, mut untold) = (0, 0, 0);
    for seed in 0..500 {
        let map = chains::map(seed);
        let found =
            judge(&SIMPLIFIER, &map).unwrap_or_else(|error| panic!("{seed}: {error} in {map:?}"));
        changed += usize::from(found.changed);
        rejected += usize::from(found.rejected);
        untold += usize::from(found.untold);
    }
    assert!(changed > 200, "{changed}");
    assert_eq!((rejected, untold), (0, 0));
}
