//! Every rule with one change: refuted, or proved because the change does not matter, or open; a rule that has a counterexample
//! is never proved. `mutants.txt` lists the changes that are not refuted.

use super::mutants::{Mutant, mutants};
use crate::golden;
use affinor::prove::Budget;
use affinor::rule::verify::{BUDGET, Verdict, counterexample, judge};
use affinor::rule::{Rule, RuleSet, Statement, Term, Truth};
use std::fmt::Write;
use std::path::Path;

const HEAD: &str = "\
# Rules with one thing changed that have no counterexample: proved, or open, and why. `not needed`: the other conditions
# suffice. `says less`, `says the same`: it follows from what the rule says, its conditions aside. `as true`: something
# else, which holds under the conditions too. Written by: REGENERATE=1 cargo test -p affinor --test rules mutations
";

/// The reason why a changed rule is true.
fn reason(rule: &Rule, mutant: &Rule, budget: &Budget) -> &'static str {
    if rule.statement == mutant.statement {
        return "not needed";
    }
    // The only assumption is that divisors are positive.
    let mut aside = rule.clone();
    aside.conditions.retain(|condition| {
        matches!(condition.lhs, Term::Integer(1)) && matches!(condition.rhs, Term::Constant(_))
    });
    let (says, statement) = match (&rule.statement, &mutant.statement) {
        (Statement::Fact(facts), changed) => {
            aside.conditions.extend(facts.iter().cloned());
            ("says less", changed.clone())
        }
        (Statement::Equivalence(lhs, rhs), Statement::Equivalence(changed, same)) => {
            let (rule, mutant) = if rhs == same { (lhs, changed) } else { (rhs, same) };
            let sides = Statement::Equivalence(rule.clone(), mutant.clone());
            ("says the same", sides)
        }
        (Statement::Rewrite(lhs, rhs), Statement::Rewrite(changed, same)) => {
            let (rule, mutant) = if rhs == same { (lhs, changed) } else { (rhs, same) };
            ("says the same", Statement::Rewrite(rule.clone(), mutant.clone()))
        }
        _ => return "as true",
    };
    aside.statement = statement;
    match judge(&aside, budget) {
        Verdict::Proved => says,
        _ => "as true",
    }
}

#[test]
fn no_mutant_with_a_counterexample_is_proved() {
    let rules = RuleSet::shipped().unwrap_or_else(|error| panic!("{error:?}"));
    let budget = Budget { solver_steps: 3_000_000, ..BUDGET };
    let (mut refuted, mut proved, mut open) = (0, Vec::new(), Vec::new());
    for rule in rules.rules() {
        for Mutant { change, rule: mutant } in mutants(rule) {
            let name = format!("{}: {change}", rule.name);
            match judge(&mutant, &budget) {
                Verdict::Refuted(point) => {
                    let truth = mutant.truth(&point);
                    let wrong = matches!(truth, Truth::Fails | Truth::Undefined);
                    assert!(wrong, "{name} at {point:?}");
                    refuted += 1;
                }
                Verdict::Proved => {
                    assert_eq!(counterexample(&mutant), None, "{name} is proved");
                    let reason = reason(rule, &mutant, &budget);
                    proved.push(format!("proved {name} ({reason})"));
                }
                Verdict::Unknown(reason) => open.push(format!("open {name} ({reason})")),
            }
        }
    }
    let mut text = HEAD.to_owned();
    let _ = writeln!(text, "{refuted} refuted, {} proved, {} open", proved.len(), open.len());
    for line in proved.iter().chain(&open) {
        let _ = writeln!(text, "{line}");
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rules/verify/mutants.txt");
    golden::check_file(&path, &text);
}
