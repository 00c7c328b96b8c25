//! `rule`: adds a law to the session, if it is proved.

use super::failure::Failure;
use super::output::{Object, Output, Role};
use super::rule_verdict;
use super::session::{Added, Call};
use super::table::{Command, Kind, Parameter};
use crate::error::ErrorKind;
use crate::rule::read_rule;
use crate::simplify::Simplifier;
use crate::verify::{Verdict, judge, proved_rules};

/// `rule`
pub const RULE: Command = Command {
    name: "rule",
    parameters: &[Parameter {
        name: "NAME: STATEMENT",
        kind: Kind::Rest,
        required: true,
    }],
    options: &[],
    summary: "adds a rule to the session, if it is proved",
    details: "STATEMENT is lhs => rhs with conditions after `where`; `split` and `let` say how to match it (rules/README.md).\n\
              Names in divisors, before `*` and before `=` in `let` stand for integers, the others for expressions.\n\
              The left side is a quotient: x floordiv c, (c*x + y) floordiv d or (x floordiv a + y) floordiv b. The rule\n\
              fires where no shipped rule does. A rule that is not proved is not added.",
    example: &[
        "rule half-odd: (c*x + y) floordiv (c*d) => x floordiv d where c >= 1, d >= 1, 0 <= y, y < c split multiples",
    ],
    makes_map: false,
    run,
};

fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    let argument = call.argument(0)?.clone();
    let rule = read_rule(&argument.text).map_err(|error| argument.blame(error))?;
    let mut rules = proved_rules().map_err(|error| call.failed(error))?;
    rules
        .extend(call.session.rules.iter().map(|a| a.rule.clone()).collect())
        .map_err(|error| call.failed(error))?;
    if rules.find(&rule.name).is_some() {
        let message = format!("there is a rule '{}' already", rule.name);
        return Err(argument
            .wrong(ErrorKind::Name, message)
            .hint("choose another name"));
    }
    // Whether it can fire is found out sooner than whether it is true.
    rules
        .extend(vec![rule.clone()])
        .map_err(|error| call.failed(error))?;
    let simplifier = Simplifier::new(rules).map_err(|error| argument.blame(error))?;
    let verdict = call.judged(judge(&rule, &call.rule_budget()))?;
    let mut text = rule_verdict::text(&rule, &verdict);
    let added = verdict == Verdict::Proved;
    if added {
        text.push(
            Role::Plain,
            format!("; '{}' may fire from now on", rule.name),
        );
        call.session.simplifier = Some(simplifier);
        call.session.rules.push(Added {
            rule: rule.clone(),
            text: argument.text.clone(),
        });
    } else {
        text.push(Role::Plain, format!("\n'{}' is not added", rule.name));
    }
    let json = Object::new().with("name", rule.name.as_str());
    let json = rule_verdict::object(json, &rule, &verdict).with("added", added);
    call.emit(Output::new(text, json).status(rule_verdict::status(&verdict)));
    Ok(())
}
