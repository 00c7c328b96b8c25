//! `why`: the chain of rule instances from a map to its simplified form, and the remaining operations; or how two maps were
//! compared.

use super::left::Remainder;
use super::options::{FULL, JSON};
use super::proof;
use super::simplified::{stop_status, stopped_text};
use super::steps::{steps_json, steps_text};
use crate::compared::READS;
use crate::failure::Failure;
use crate::option::{C, Flag};
use crate::output::{Object, Output, Role, Text};
use crate::table::{Call, Command, Kind, Parameter};
use affinor::certificate::Step;
use affinor::text::print_map;

const TREE: Flag = Flag::new("tree", "show the steps as a dependency tree, last step first");

pub const WHY: Command = Command {
    name: "why",
    parameters: &[Parameter::optional("MAP", Kind::Map), Parameter::optional("MAP", Kind::Map)],
    options: &[FULL.switch, TREE.switch, READS.switch, JSON.switch, C.switch],
    summary: "explain the last answer of `simplify` or `equal`, or that of MAP",
    details: "For a simplification, the steps are a chain of equal maps from the input to the result, reconstructed from the\n\
              certificate. Each step names its rule, the bindings of the rule's variables, and the side conditions with the\n\
              ranges that establish them. Steps without a rule are arithmetic. --tree prints the steps that a step depends on\n\
              below it. The remaining operations and constraints of the result follow, each with the nearest rule\n\
              and a point at which its condition fails; --full shows more rules, and how they match.\n\
              For a comparison, `why` or `why MAP ; MAP` shows the attempts, the question to the solver and its answer, and the rules\n\
              that lead from both maps to one, if they do; or the counterexample.",
    example: &[
        "simplify (d0, d1) -> ((d0 * 16 + d1) floordiv 8), domain: d0 in [0, 9], d1 in [0, 9]",
        "why",
    ],
    makes_map: false,
    keys: r##"
    "left": {
      "description": "Of `why`: the floordiv, ceildiv, mod, min and max in the result. Each rule would make `from` to `to` if `means` held; where the verdict on that is refuted, `point` is a point of the domain at which it fails, and `sides` are its sides there. `differs`: a value that the part does not have everywhere.",
      "type": "array",
      "items": {
        "type": "object",
        "required": ["part", "result", "rules"],
        "properties": { "part": { "type": "string" }, "result": { "type": "integer" }, "rules": { "type": "array" }, "differs": { "type": "object" } }
      }
    },
    "constraints_left": {
      "description": "Of `why`: the constraints of the result, each with a point that it alone keeps out.",
      "type": "array",
      "items": { "type": "object", "required": ["constraint", "point"] }
    },
    "proof": {
      "description": "Of `why` after a comparison: the steps taken to decide it, in order; the last one decided it.",
      "type": "array",
      "items": { "type": "object", "required": ["method"], "properties": { "method": { "enum": ["written", "points", "residues", "forms", "samples", "sizes", "solver"] } } }
    }"##,
    run,
};

fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    let given = call.arguments.positional.clone();
    match (given.as_slice(), call.session.last_compared.clone()) {
        ([left, right], _) => {
            let right_map = call.map(right)?;
            let maps = (call.map(left)?, right_map, call.has(READS));
            return proof::tell(call, maps);
        }
        ([], Some(maps)) => {
            let by_reads = if maps.2 { " --reads" } else { "" };
            let both = format!("{} ; {}{by_reads}", maps.0, maps.1);
            call.session.recent.implied(both);
            return proof::tell(call, maps);
        }
        _ => {}
    }
    if call.has(READS) {
        return Err(call.wrong_usage("`--reads` needs two maps"));
    }
    let map = match call.arguments.positional.first() {
        Some(argument) => call.map(argument)?,
        None => {
            let map = call.session.last_simplified.clone().ok_or_else(|| {
                call.wrong_usage("nothing has been simplified or compared yet")
                    .hint("`why MAP` simplifies a map and explains it")
            })?;
            call.session.recent.implied(map.to_string());
            map
        }
    };
    let simplifier = call.simplifier()?;
    let options = call.search_options()?;
    let (outcome, steps) = call.explain(&map, &options)?;
    let full = call.has(FULL);
    let remainder = Remainder::of(call, &outcome.map, &options, full)?;
    let style = call.session.style;
    let (before, after) = (print_map(&map, style), print_map(&outcome.map, style));
    let mut text = Text::new();
    if call.has(TREE) {
        text.push(Role::Formula, after.as_str());
        text.append(tree(&steps, call.session.ascii));
        text.push(Role::Faint, "\nfrom ");
        text.push(Role::Formula, before.as_str());
    } else {
        text.push(Role::Formula, before.as_str());
        text.push(Role::Plain, "\n");
        text.append(steps_text(&steps, simplifier.rules(), full));
        if !steps.is_empty() || before != after {
            text.push(Role::Formula, format!("\n{after}"));
        }
    }
    if let Some(stop) = &outcome.stopped {
        text.append(stopped_text(stop));
    }
    text.append(remainder.text(simplifier.rules(), full, steps.is_empty()));
    let json = Object::new()
        .with("map", before)
        .with("result", after)
        .with("complete", outcome.stopped.is_none())
        .with_some("stopped_at", outcome.stopped.clone())
        .with("steps", steps_json(&steps, simplifier.rules()));
    let json = remainder.json(json);
    let output = match call.has(JSON) {
        true => Output::json_line(json),
        false => Output::new(text, json),
    };
    call.emit(output.status(stop_status(&outcome)));
    Ok(())
}

/// Prints the steps as a dependency tree, the last one first.
fn tree(steps: &[Step], ascii: bool) -> Text {
    let mut text = Text::new();
    if steps.is_empty() {
        text.push(Role::Faint, "\nnothing changed");
    }
    let supports = |index: &usize| steps.iter().any(|step| step.rests_on.contains(index));
    let roots: Vec<usize> = (0..steps.len())
        .filter(|index| !supports(index) || steps[*index].before != steps[*index].after)
        .rev()
        .collect();
    let [line, corner, tee] = match ascii {
        true => ["|  ", "`- ", "|- "],
        false => ["│  ", "└─ ", "├─ "],
    };
    // Depth first; each entry has the step, the lines to its left, and whether it is the last of its siblings.
    let mut open: Vec<(usize, String, bool)> = Vec::new();
    let push = |open: &mut Vec<(usize, String, bool)>, below: &[usize], left: &str| {
        for (place, index) in below.iter().rev().enumerate() {
            open.push((*index, left.to_owned(), place == 0));
        }
    };
    push(&mut open, &roots, "");
    while let Some((index, left, is_last)) = open.pop() {
        let Some(step) = steps.get(index) else {
            continue;
        };
        let branch = if is_last { corner } else { tee };
        text.push(Role::Faint, format!("\n{left}{branch}"));
        text.push(Role::Name, step.rule.as_str());
        let is_root = left.is_empty() && step.before != step.after;
        text.push(
            Role::Formula,
            match is_root {
                true => format!(": {} → {}", step.before, step.after),
                false => format!(": {}", step.states),
            },
        );
        let left = format!("{left}{}", if is_last { "   " } else { line });
        let mut below = step.rests_on.clone();
        below.reverse();
        push(&mut open, &below, &left);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(rule: &str, before: &str, after: &str, rests_on: &[usize]) -> Step {
        Step {
            rule: rule.to_owned(),
            bindings: Vec::new(),
            facts: Vec::new(),
            states: format!("{rule} holds"),
            reversed: false,
            result: Some(0),
            before: before.to_owned(),
            after: after.to_owned(),
            rests_on: rests_on.to_vec(),
        }
    }

    #[test]
    fn a_step_stands_above_those_that_it_rests_on() {
        let steps = [
            step("one", "a", "a", &[]),
            step("two", "a", "b", &[0]),
            step("three", "b", "b", &[0, 1]),
            step("four", "b", "c", &[2]),
        ];
        assert_eq!(
            tree(&steps, true).to_string(),
            "\n|- four: b → c\n|  `- three: three holds\n|     |- two: two holds\n|     |  `- one: one holds\n\
             |     `- one: one holds\n`- two: a → b\n   `- one: one holds"
        );
    }
}
