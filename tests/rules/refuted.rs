//! Laws that look true but are false: the judge refutes each with a point at which its sides differ, and so does the point stated
//! in the law's own text.

use affinor::rule::verify::{BUDGET, Verdict, judge};
use affinor::rule::{Condition, Point, Rule, RuleSet, Statement, Truth, read_rules};

fn refuted() -> Vec<Rule> {
    let text = include_str!("../../rules/refuted.rules");
    read_rules("refuted.rules", text).unwrap_or_else(|error| panic!("{error:?}"))
}

/// Returns the values of both sides of a rule in the notation of its text: integers, or whether formulas hold.
fn values(rule: &Rule, point: &Point) -> String {
    let all = |conditions: &[Condition]| {
        let mut held = conditions
            .iter()
            .map(|condition| condition.holds(point).expect("divisors are positive"));
        held.all(|holds| holds)
    };
    match &rule.statement {
        Statement::Rewrite(lhs, rhs) => {
            let value =
                |term: &affinor::rule::Term| term.eval(point).expect("divisors are positive");
            let (lhs, rhs) = (value(lhs), value(rhs));
            assert_ne!(lhs, rhs, "{rule} at {point:?}");
            format!("{lhs} and {rhs}")
        }
        Statement::Equivalence(lhs, rhs) => {
            assert_ne!(all(lhs), all(rhs), "{rule} at {point:?}");
            format!("{} and {}", all(lhs), all(rhs))
        }
        Statement::Fact(facts) => format!("{}", all(facts)),
    }
}

/// Parses `a = 1, x = 64: 0 and 1. Why.` into a point, the values there, and the reason.
fn stated(rule: &Rule) -> (Point, &str, &str) {
    let wrong = || panic!("{rule}: the purpose is no `x = 64: 0 and 1. Why.`: {}", rule.purpose);
    let (coordinates, rest) = rule.purpose.split_once(": ").unwrap_or_else(wrong);
    let (values, why) = rest.split_once(". ").unwrap_or_else(wrong);
    let mut given: Vec<(&str, i64)> = Vec::new();
    for coordinate in coordinates.split(", ") {
        let (name, value) =
            coordinate.split_once(" = ").unwrap_or_else(|| panic!("{rule}: {coordinate}"));
        given.push((name, value.parse().unwrap_or_else(|_| panic!("{rule}: {value}"))));
    }
    let value = |name: &String| {
        let position = given.iter().position(|(known, _)| known == name);
        given
            .get(position.unwrap_or_else(|| panic!("{rule}: no value for {name}")))
            .map(|(_, value)| *value)
    };
    let point = Point {
        constants: rule.constants.iter().filter_map(value).collect(),
        expressions: rule.expressions.iter().filter_map(value).collect(),
    };
    let variables = rule.constants.len() + rule.expressions.len();
    assert_eq!(given.len(), variables, "{rule}: one value for each variable");
    (point, values, why)
}

#[test]
fn each_law_is_refuted_by_the_judge() {
    for rule in refuted() {
        match judge(&rule, &BUDGET) {
            Verdict::Refuted(point) => {
                assert_eq!(rule.truth(&point), Truth::Fails, "{rule} at {point:?}");
                values(&rule, &point);
            }
            other => panic!("{rule}: {other:?}"),
        }
    }
}

#[test]
fn each_law_is_refuted_by_the_point_in_its_text() {
    for rule in refuted() {
        let (point, stated, why) = stated(&rule);
        assert_eq!(rule.truth(&point), Truth::Fails, "{rule} at {point:?}");
        assert_eq!(values(&rule, &point), stated, "{rule} at {point:?}");
        assert!(why.ends_with('.'), "{rule}: {why}");
    }
}

#[test]
fn none_of_them_ships() {
    let shipped = RuleSet::shipped().unwrap_or_else(|error| panic!("{error:?}"));
    let rules = refuted();
    assert!(rules.len() >= 20, "{} laws", rules.len());
    for rule in &rules {
        let same = |other: &&Rule| other.name == rule.name || other.text == rule.text;
        assert_eq!(shipped.rules().iter().find(same).map(|other| &other.name), None);
    }
}
