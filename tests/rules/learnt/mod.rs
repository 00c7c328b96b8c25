//! Rules that are learnt again, each from one example: nothing that is shipped is looked at, only the two expressions.

mod instance;

use affinor::learn::{Dressed, dressed, learn};
use affinor::num::{Fuel, Interrupt};
use affinor::rule::verify::{BUDGET, Verdict, judge, subsumes};
use affinor::rule::{Rule, RuleSet, Statement};
use affinor::simplify::Simplifier;
use instance::{Numbers, instance};

/// Steps for each rule.
const FUEL: u64 = 30_000;

/// Rules of which no example is drawn, or nothing is learnt that does as much, each with the reason.
const NOT_LEARNT: &[(&str, &str)] = &[
    ("div-bit", "two constants that only the right side has"),
    ("div-bit-low", "two constants that only the right side has"),
    ("same-value", "its condition is its statement"),
    (
        "div-threshold",
        "two constants that only the right side has",
    ),
    (
        "div-threshold-factor",
        "two constants that only the right side has",
    ),
    (
        "div-two-valued",
        "two constants that only the right side has",
    ),
    ("mod-block", "what is learnt is true, and not seen to fire"),
    (
        "mod-div-coef",
        "a divisor of a constant must be found to fire it",
    ),
    ("mod-relift", "a factor must be found to fire it"),
    ("min-mirror", "a letter that only the right side has"),
    ("max-mirror", "a letter that only the right side has"),
];

#[test]
fn shipped_rules_are_learnt_again_from_one_example_each() {
    let set = RuleSet::shipped().unwrap_or_else(|error| panic!("{error:?}"));
    let rewrites = set.rules().iter().filter(|rule| {
        let is_rewrite = matches!(rule.statement, Statement::Rewrite(..));
        is_rewrite
            && !rule.is_law_of_code()
            && !NOT_LEARNT.iter().any(|(name, _)| *name == rule.name)
    });
    let mut count = 0;
    for rule in rewrites {
        let learnt = learnt_from(rule, 7);
        assert_eq!(
            judge(&learnt.rule, &BUDGET),
            Verdict::Proved,
            "{rule}: {}",
            learnt.text
        );
        assert!(does_as_much(&learnt.rule, rule), "{rule}: {}", learnt.text);
        count += 1;
    }
    assert!(count >= 43, "{count} rules");
}

/// What is learnt from one example of a rule.
fn learnt_from(rule: &Rule, seed: u64) -> Dressed {
    let [left, right] =
        instance(rule, &mut Numbers(seed)).unwrap_or_else(|| panic!("{rule}: no example"));
    let sides = [&left.results()[0], &right.results()[0]];
    let fuel = Fuel::new(FUEL, &Interrupt::new());
    let learned = learn(left.domain(), sides, &BUDGET, &fuel);
    let learned = learned.unwrap_or_else(|error| panic!("{rule}: {error}: {left} ; {right}"));
    dressed(&learned, "learnt", &BUDGET).unwrap_or_else(|error| panic!("{rule}: {error}"))
}

/// Whether one rule is, but for hints, an instance of the other, or the other alone makes five more examples of it as small.
fn does_as_much(learnt: &Rule, rule: &Rule) -> bool {
    let mut set = RuleSet::default();
    let added = set.extend(vec![learnt.clone()]);
    let simplifier = added.and_then(|()| Simplifier::new(set));
    let simplifier = simplifier.unwrap_or_else(|error| panic!("{learnt}: {error:?}"));
    let makes = |seed| {
        instance(rule, &mut Numbers(seed)).is_some_and(|[left, right]| {
            simplifier.simplify(&left, &Default::default()).map.cost() <= right.cost()
        })
    };
    let bare = |rule: &Rule| Rule {
        splits: Vec::new(),
        ..rule.clone()
    };
    (100..105).all(makes) || subsumes(&bare(learnt), &bare(rule), &BUDGET)
}
