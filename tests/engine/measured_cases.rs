//! The measured expressions at the default settings: the sizes of the answers, and the properties of each. `benches/laws.py`
//! checks more expressions, through the command line.

use crate::SIMPLIFIER;
use crate::support::cases::{Case, chains, fresh};
use affinor::certificate::replay;
use affinor::expr::IndexingMap;
use affinor::simplify::{Options, Outcome};
use affinor::text::{Style, print_map};

fn simplified(map: &IndexingMap) -> Outcome {
    SIMPLIFIER.simplify(map, &Options::default())
}

fn written(map: &IndexingMap) -> String {
    print_map(map, Style::Plain)
}

/// Checks that at least `at` of the cases are no larger than the best known answer, that all cases together have at most `most`
/// operations, and that a complete answer does not change when simplified again.
#[track_caller]
fn check(cases: &[Case], at: usize, most: u64) {
    let (mut reached, mut operations) = (0, 0);
    for case in cases {
        let outcome = simplified(&case.map);
        let found = outcome.map.cost().ops;
        reached += usize::from(found <= case.best);
        operations += found;
        if outcome.stopped.is_none() {
            let again = simplified(&outcome.map).map;
            assert_eq!(written(&again), written(&outcome.map), "{}", case.id);
        }
    }
    assert!(reached >= at, "{reached} reach the best known, not {at}");
    assert!(operations <= most, "{operations} operations, not {most}");
}

#[test]
fn chains_are_as_small_as_the_best_known() {
    check(&chains(), 309, 1625);
}

#[test]
fn fresh_cases_are_mostly_as_small_as_the_best_known() {
    check(&fresh(), 947, 4663);
}

#[test]
fn fresh_cases_have_certificates() {
    for case in &fresh() {
        let certified = SIMPLIFIER.certify(&case.map, &Options::default());
        let verdict = replay(&certified.certificate, SIMPLIFIER.rules());
        assert!(verdict.is_ok(), "{}: {verdict:?}", case.id);
        assert_eq!(certified.certificate.after, certified.outcome.map);
    }
}

/// No state is carried over from one expression to the next.
#[test]
fn the_order_of_expressions_does_not_matter() {
    let cases = fresh();
    let forwards: Vec<String> =
        cases.iter().map(|case| written(&simplified(&case.map).map)).collect();
    let backwards = cases.iter().rev().map(|case| written(&simplified(&case.map).map));
    let mut backwards: Vec<String> = backwards.collect();
    backwards.reverse();
    assert_eq!(forwards, backwards);
}
