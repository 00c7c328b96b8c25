//! `why`: the chain of rules that leads to a simplified map, as one reads it.

use super::failure::Failure;
use super::output::{Object, Output, Role, Text};
use super::session::Call;
use super::simplify::{stop_status, stopped_text};
use super::steps::step_object;
use super::table::{Command, Kind, Parameter, Switch};
use crate::rule::{Rule, RuleSet, SESSION};
use crate::simplify::Step;
use crate::syntax::print_map;
use serde_json::Value;

/// `why`
pub const WHY: Command = Command {
    name: "why",
    parameters: &[Parameter {
        name: "MAP",
        kind: Kind::Map,
        required: false,
    }],
    options: &[
        Switch {
            name: "full",
            value: None,
            summary: "also what each rule is for, its conditions, and where it is written",
        },
        Switch {
            name: "tree",
            value: None,
            summary: "each step below the one that goes on with its result",
        },
        Switch {
            name: "json",
            value: None,
            summary: "as one line of JSON",
        },
    ],
    summary: "the rules that lead to the last simplification, or to that of MAP",
    details: "Each step says what was rewritten and into what, by which rule, what the variables of the rule stand for,\n\
              and the facts that allowed it, with the ranges that make them true. With --tree, a step stands below the\n\
              next one in whose expression or facts its result occurs.",
    example: &[
        "simplify (d0, d1) -> ((d0 * 16 + d1) floordiv 8), domain: d0 in [0, 9], d1 in [0, 7]",
        "why",
    ],
    makes_map: false,
    run,
};

fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    let map = match call.arguments.positional.first() {
        Some(argument) => call.map(argument)?,
        None => call.session.last_simplified.clone().ok_or_else(|| {
            call.wrong_usage("nothing has been simplified yet")
                .hint("`why MAP` simplifies a map and explains it")
        })?,
    };
    let simplifier = call.simplifier()?;
    let (outcome, steps) = call.explain(&map, &call.search_budget()?)?;
    let style = call.session.style;
    let (before, after) = (print_map(&map, style), print_map(&outcome.map, style));
    let next = next_steps(&steps);
    let mut text = Text::new();
    if call.arguments.has("tree") {
        text.push(Role::Formula, after.as_str());
        text.append(tree(&steps, &next, call.session.ascii));
        text.push(Role::Faint, "\nfrom ");
        text.push(Role::Formula, before.as_str());
    } else {
        text.push(Role::Formula, before.as_str());
        text.push(Role::Plain, "\n");
        text.append(chain(
            &steps,
            simplifier.rules(),
            call.arguments.has("full"),
        ));
        text.push(Role::Formula, format!("\n{after}"));
    }
    if let Some(stop) = &outcome.stopped {
        text.append(stopped_text(stop));
    }
    let steps: Vec<Value> = steps
        .iter()
        .zip(&next)
        .map(|(step, next)| {
            let mut object = step_object(step);
            if let Some(rule) = rule(simplifier.rules(), &step.rule) {
                object = object
                    .with("statement", rule.write_statement())
                    .with("where", conditions(rule))
                    .with("purpose", rule.purpose.as_str());
            }
            object.with_some("next", *next).into()
        })
        .collect();
    let json = Object::new()
        .with("map", before)
        .with("result", after)
        .with("complete", outcome.stopped.is_none())
        .with_some("stopped_at", outcome.stopped.clone())
        .with("steps", steps);
    let output = match call.arguments.has("json") {
        true => Output::json_line(json),
        false => Output::new(text, json),
    };
    call.emit(output.status(stop_status(&outcome)));
    Ok(())
}

fn rule<'r>(rules: &'r RuleSet, name: &str) -> Option<&'r Rule> {
    rules.find(name).map(|id| rules.rule(id))
}

fn conditions(rule: &Rule) -> Vec<String> {
    let conditions = rule.conditions.iter();
    conditions
        .map(|condition| rule.write_condition(condition))
        .collect()
}

/// The steps in the order in which they fired.
fn chain(steps: &[Step], rules: &RuleSet, full: bool) -> Text {
    if steps.is_empty() {
        return Text::of(Role::Faint, "no rule was needed");
    }
    let mut text = Text::new();
    for (index, step) in steps.iter().enumerate() {
        text.new_line();
        text.push(Role::Faint, format!("{:>3}. ", index + 1));
        text.push(Role::Formula, &step.before);
        text.push(Role::Formula, format!("\n   → {}", step.after));
        text.push(Role::Plain, "\n     by ");
        text.push(Role::Name, step.rule.as_str());
        let rule = rule(rules, &step.rule);
        if let Some(rule) = rule {
            text.push(Role::Plain, format!(": {}", rule.write_statement()));
        }
        if !step.bindings.is_empty() {
            text.push(Role::Plain, format!("\n     with {}", bindings(step)));
        }
        for fact in &step.facts {
            text.push(Role::Plain, format!("\n     since {fact}"));
        }
        if let (Some(rule), true) = (rule, full) {
            text.append(about(rule));
        }
    }
    text
}

fn bindings(step: &Step) -> String {
    let bindings = step.bindings.iter();
    let bindings: Vec<String> = bindings
        .map(|(name, value)| format!("{name} = {value}"))
        .collect();
    bindings.join(", ")
}

/// What the rule is for, its conditions, and where it is written.
fn about(rule: &Rule) -> Text {
    let mut text = Text::new();
    let conditions = conditions(rule);
    if !conditions.is_empty() {
        text.push(
            Role::Faint,
            format!("\n     the rule holds where {}", conditions.join(", ")),
        );
    }
    let place = match rule.file.as_str() {
        SESSION => "added to the session".to_owned(),
        file => format!("{file}:{}", rule.line),
    };
    let purpose = match rule.purpose.as_str() {
        "" => String::new(),
        purpose => format!("{purpose} "),
    };
    text.push(
        Role::Faint,
        format!(
            "\n     {purpose}({place}; `rules show {}` says more)",
            rule.name
        ),
    );
    text
}

/// For each step the next one in whose expression or facts its result occurs.
fn next_steps(steps: &[Step]) -> Vec<Option<usize>> {
    let goes_on = |after: &str, later: &Step| {
        occurs(after, &later.before) || later.facts.iter().any(|fact| occurs(after, fact))
    };
    let next = |(index, step): (usize, &Step)| {
        let mut later = steps.iter().enumerate().skip(index + 1);
        later
            .find(|(_, later)| goes_on(&step.after, later))
            .map(|(index, _)| index)
    };
    steps.iter().enumerate().map(next).collect()
}

/// Does `part` stand in `text`, not inside a name or number?
fn occurs(part: &str, text: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(part).any(|(start, _)| {
        let before = text.get(..start).and_then(|text| text.chars().next_back());
        let after = text
            .get(start + part.len()..)
            .and_then(|text| text.chars().next());
        !before.is_some_and(is_word) && !after.is_some_and(is_word)
    })
}

/// The steps as a tree below the result; the last ones come first.
fn tree(steps: &[Step], next: &[Option<usize>], ascii: bool) -> Text {
    let mut text = Text::new();
    if steps.is_empty() {
        text.push(Role::Faint, "\nno rule was needed");
    }
    let children = |of: Option<usize>| -> Vec<usize> {
        (0..steps.len())
            .rev()
            .filter(|index| next.get(*index) == Some(&of))
            .collect()
    };
    // Depth first; each entry has the step, the lines to its left, and whether it is the last of its siblings.
    let push = |open: &mut Vec<(usize, String, bool)>, of: Option<usize>, left: &str| {
        for (place, index) in children(of).into_iter().rev().enumerate() {
            open.push((index, left.to_owned(), place == 0));
        }
    };
    let [line, corner, tee] = match ascii {
        true => ["|  ", "`- ", "|- "],
        false => ["│  ", "└─ ", "├─ "],
    };
    let mut open = Vec::new();
    push(&mut open, None, "");
    while let Some((index, left, is_last)) = open.pop() {
        let Some(step) = steps.get(index) else {
            continue;
        };
        let branch = if is_last { corner } else { tee };
        text.push(Role::Faint, format!("\n{left}{branch}"));
        text.push(Role::Name, step.rule.as_str());
        text.push(Role::Formula, format!(": {} → {}", step.before, step.after));
        let left = format!("{left}{}", if is_last { "   " } else { line });
        push(&mut open, Some(index), &left);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(rule: &str, before: &str, after: &str, facts: &[&str]) -> Step {
        Step {
            rule: rule.to_owned(),
            bindings: Vec::new(),
            facts: facts.iter().map(|fact| (*fact).to_owned()).collect(),
            before: before.to_owned(),
            after: after.to_owned(),
        }
    }

    #[test]
    fn a_step_stands_below_the_one_that_goes_on_with_its_result() {
        let steps = [
            step("one", "a mod 4", "b", &[]),
            step("two", "bb", "c", &[]),
            step("three", "b + 1", "d", &["c = 0"]),
            step("four", "e", "f", &[]),
        ];
        let next = next_steps(&steps);
        assert_eq!(next, [Some(2), Some(2), None, None]);
        assert_eq!(
            tree(&steps, &next, true).to_string(),
            "\n|- four: e → f\n`- three: b + 1 → d\n   |- two: bb → c\n   `- one: a mod 4 → b"
        );
    }
}
