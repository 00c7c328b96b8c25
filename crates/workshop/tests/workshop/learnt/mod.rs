//! Rules that are learnt again, each from one example: from the two expressions alone, without the shipped rules.

mod examples;
mod instance;

use affinor::num::{Fuel, Interrupt};
use affinor::rule::verify::{BUDGET, Verdict, judge, subsumes};
use affinor::rule::{Rule, RuleSet, Statement};
use affinor::simplify::Simplifier;
use affinor_workshop::learn::{Dressed, dressed, learn};
use instance::{Numbers, instance};

/// Steps of fuel for each rule.
const FUEL: u64 = 40_000;

/// The seed from which examples are drawn. The seeds 1 to 7 give 49 to 51 of the rules: small numbers may be related by
/// coincidence, and the learnt rule then depends on the coincidence.
const SEED: u64 = 2;

/// Rules for which no example can be drawn, or no rule of the same strength is learnt, each with the reason.
const NOT_LEARNT: &[(&str, &str)] = &[
    ("div-bit", "a quotient of 1 or 2 stays a number, as it is in the example"),
    ("div-bit-low", "what is learnt holds for any low digits, and drops what they carry"),
    ("same-value", "its condition is its statement"),
    (
        "div-two-valued",
        "in the example what is added is a multiple of the divisor, and the difference is 0",
    ),
    ("half-mirror", "the divisor stays a number: a, 2*a and a - 1 are not found to be one letter"),
    ("half-mirror-back", "as half-mirror"),
    ("mod-half", "as half-mirror"),
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
        let learnt = learnt_from(rule, SEED);
        assert_eq!(judge(&learnt.rule, &BUDGET), Verdict::Proved, "{rule}: {}", learnt.text);
        assert!(does_as_much(&learnt.rule, rule), "{rule}: {}", learnt.text);
        count += 1;
    }
    assert!(count >= 51, "{count} rules");
}

/// Learns a rule from one example of a rule.
fn learnt_from(rule: &Rule, seed: u64) -> Dressed {
    let [left, right] =
        instance(rule, &mut Numbers(seed)).unwrap_or_else(|| panic!("{rule}: no example"));
    let sides = [&left.results()[0], &right.results()[0]];
    let fuel = Fuel::new(FUEL, &Interrupt::new());
    let learned = learn(left.domain(), sides, &BUDGET, &fuel);
    let learned = learned.unwrap_or_else(|error| panic!("{rule}: {error}: {left} ; {right}"));
    let shipped = RuleSet::shipped().unwrap_or_else(|error| panic!("{error:?}"));
    dressed(&learned, "learnt", &shipped, &BUDGET).unwrap_or_else(|error| panic!("{rule}: {error}"))
}

/// Returns whether one rule is, up to hints, an instance of the other, or the learnt rule alone makes five more examples as
/// small.
fn does_as_much(learnt: &Rule, rule: &Rule) -> bool {
    let simplifier = with_definition(Some(learnt));
    let makes = |seed| {
        instance(rule, &mut Numbers(seed)).is_some_and(|[left, right]| {
            simplifier.simplify(&left, &Default::default()).map.cost() <= right.cost()
        })
    };
    let bare = |rule: &Rule| Rule { splits: Vec::new(), ..rule.clone() };
    (100..105).all(makes) || subsumes(&bare(learnt), &bare(rule), &BUDGET)
}

/// Returns a simplifier with the definition of a remainder, and a rule.
fn with_definition(rule: Option<&Rule>) -> Simplifier {
    let shipped = RuleSet::shipped().unwrap_or_else(|error| panic!("{error:?}"));
    let definition = shipped.saying("x mod c => x - c*(x floordiv c) where c >= 1");
    let id = definition.ok().flatten().unwrap_or_else(|| panic!("no definition of remainders"));
    let mut set = RuleSet::default();
    let mut rules = vec![shipped.rule(id).clone()];
    rules.extend(rule.cloned());
    let added = set.extend(rules);
    let simplifier = added.and_then(|()| Simplifier::new(set));
    simplifier.unwrap_or_else(|error| panic!("{rule:?}: {error:?}"))
}
