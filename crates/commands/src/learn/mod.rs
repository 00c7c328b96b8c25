//! `learn`: the rule that an example shows.
//!
//! In order: `pair`, `lesson`, `answer`.

mod answer;
mod lesson;
mod pair;

use super::arguments::Argument;
use super::failure::Failure;
use super::option::{C, Setting, text};
use super::output::{Object, Output};
use super::rules::theorems::{THEOREMS, write_theorems};
use super::simplify::batch::each_line;
use super::simplify::options::THREADS;
use super::table::{Call, Command, Kind, Parameter};
use super::upstream;
use affinor::expr::{Expr, IndexingMap, VariableId};
use answer::answer;
use lesson::{Found, Learner};
use pair::{Pair, beside, read_map};
use serde_json::Value;

const FROM_UPSTREAM: Setting<Argument> = Setting::new(
    "from-upstream",
    "FILE",
    "judge the lines of another system's list of rules instead, as `upstream` does",
    text,
);

const JSONL: Setting<Argument> = Setting::new(
    "jsonl",
    "FILE",
    "learn from each line of a JSON lines file (`-` is standard input)",
    text,
);

pub const LEARN: Command = Command {
    name: "learn",
    parameters: &[Parameter::optional("MAP", Kind::Map), Parameter::optional("SMALLER", Kind::Map)],
    options: &[FROM_UPSTREAM.switch, JSONL.switch, THREADS.switch, THEOREMS.switch, C.switch],
    summary: "find the rule that makes MAP into SMALLER, proved for all integers",
    details: "MAP and SMALLER are equal on the domain of MAP, which is proved first; SMALLER may be without one. Where they differ,\n\
              numbers become constants and parts become expressions, as general as the rule stays true; its conditions keep the\n\
              needed part of the example's ranges and sizes. The answer is the proved rule as text for `rule` and for a rule\n\
              file, the purpose of each condition, and whether the rules in force do it already. If no single rule explains the\n\
              example, the rule is learnt from the form that the rules in force leave. Of several results the first that differs\n\
              is used. Named sizes get numbers, since a rule has constants in their places. Differences in constraints alone are\n\
              not learnt.\n\
              --theorems writes the rule as a theorem with steps by which Rocq's kernel proves it, if steps are found.\n\
              --jsonl reads lines as `simplify --jsonl` does, with `\"smaller\"`, an answer of another simplifier or your own, and\n\
              prints one line of JSON for each; lines that the rules in force make as small are skipped, and a rule is named\n\
              after the id of its line.",
    example: &[
        "learn (d0, d1) -> ((d0 * 6 + d1) floordiv 12), domain: d0 in [0, 99], d1 in [0, 5] ; (d0, d1) -> (d0 floordiv 2)",
        "learn d0 * 3 - d0 floordiv 8 * 24 ; d0 mod 8 * 3",
    ],
    makes_map: false,
    keys: r##"
    "operations": {
      "description": "Of `learn`: operations of the example as it is given, as the rules in force leave it, and with the rule that was learnt.",
      "type": "object",
      "required": ["given", "without", "with"]
    },
    "of_rest": { "description": "Of `learn`: whether the rule was learnt from the form of the example that the rules in force leave.", "type": "boolean" },
    "for_sizes": { "description": "Of `learn`: the numbers that named sizes had.", "type": "object", "additionalProperties": { "type": "integer" } }"##,
    run,
};

fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    let files = [call.value(&FROM_UPSTREAM)?, call.value(&JSONL)?];
    let has_maps = !call.arguments.positional.is_empty();
    if call.has(&THEOREMS) && !has_maps {
        return Err(call.wrong_usage("--theorems goes with two maps"));
    }
    match files {
        [None, None] => one(call),
        [Some(list), None] if !has_maps => upstream::lines(call, &list),
        [None, Some(file)] if !has_maps => lines(call, &file),
        _ => Err(call.wrong_usage(
            "`learn` takes two maps, or `--from-upstream FILE`, or `--jsonl FILE`, not several of them",
        )),
    }
}

fn one(call: &mut Call<'_>) -> Result<(), Failure> {
    let (left, right) = (call.argument(0)?.clone(), call.argument(1)?.clone());
    let map = call.map(&left)?;
    let smaller = match variable(&map, &right) {
        Some(smaller) => smaller,
        None => {
            let read = |text: &str| {
                let mut argument = right.clone();
                text.clone_into(&mut argument.text);
                call.map(&argument)
            };
            let other = read_map(&right.text, &read)?;
            beside(&map, &other, &right.text).map_err(|error| right.blame(error))?
        }
    };
    let learner = Learner::of(call)?;
    let found = learner.lesson([&map, &smaller], "learnt", false);
    call.go_on()?;
    let found = found.map_err(|error| right.blame(error))?;
    let answered = answer(&learner, &found, map.domain(), Object::new());
    call.go_on()?;
    let (text, json, status) = answered.map_err(|error| call.failed(error))?;
    call.emit(Output::new(text, json).status(status));
    match &found {
        Found::Lesson(lesson) => write_theorems(call, &[&lesson.dressed.rule]),
        _ => Ok(()),
    }
}

/// Returns a variable of a map with one result, on its domain.
fn variable(map: &IndexingMap, argument: &Argument) -> Option<IndexingMap> {
    let mut variables = (0..).map(VariableId).zip(map.domain().variables());
    let (id, _) = variables.find(|(_, variable)| *variable.name == *argument.text)?;
    let is_single = map.results().len() == 1;
    is_single.then(|| IndexingMap::new(map.domain().clone(), vec![Expr::variable(id)]))
}

/// Learns from each line of a file.
fn lines(call: &mut Call<'_>, file: &Argument) -> Result<(), Failure> {
    let learner = Learner::of(call)?;
    let threads = call.value(&THREADS)?.unwrap_or(1);
    let threads = usize::try_from(threads).unwrap_or(usize::MAX);
    each_line(call, file, threads, Pair::read, |id, pair: Pair| {
        let found = learner.lesson([&pair.map, &pair.smaller], &name(&id), true)?;
        let json = Object::new().with("id", id);
        let (_, json, status) = answer(&learner, &found, pair.map.domain(), json)?;
        Ok(Output::json_line(json).status(status))
    })
    .map(drop)
}

/// Returns the name of the rule that a line teaches.
fn name(id: &Value) -> String {
    let id = match id {
        Value::Null => return "learnt".to_owned(),
        Value::String(id) => id.clone(),
        id => id.to_string(),
    };
    let words = id.to_lowercase();
    let words = words.split(|letter: char| !letter.is_ascii_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    format!("learnt-{}", words.join("-"))
}
