//! `rules discover`: rules that make the expressions of a corpus smaller.

use crate::command::arguments::Argument;
use crate::command::failure::Failure;
use crate::command::lines::not_written;
use crate::command::option::{Flag, Setting, positive, text};
use crate::command::output::{Object, Output, Role, Status, Text};
use crate::command::simplify::batch_line::Task;
use crate::command::table::Call;
use crate::command::text_file::TextFile;
use crate::command::words::count;
use crate::expr::{IndexingMap, VariableKind};
use crate::learn::{Discovery, Kept, discover};
use crate::num::Fuel;
use crate::prove::Budget;
use crate::rule::RuleSet;
use crate::rule::verify::BUDGET;
use serde_json::Value;

pub(super) const CORPUS: Setting<Argument> = Setting::new(
    "corpus",
    "FILE",
    "with `discover`: expressions to make smaller, as `simplify --jsonl` reads them; may be given several times",
    text,
);

pub(super) const FROM_NOTHING: Flag = Flag::new(
    "from-nothing",
    "with `discover`: begin without rules instead of with those in force",
);

pub(super) const FUEL: Setting<u64> = Setting::new(
    "fuel",
    "COUNT",
    "with `discover`: steps in all (default 20,000,000)",
    positive,
);

pub(super) const TO: Setting<Argument> = Setting::new(
    "to",
    "FILE",
    "with `discover`: write the rules to a rule file, each with the part that it was learnt from",
    text,
);

/// Steps of a run, if nothing else is said.
const DEFAULT_FUEL: u64 = 20_000_000;

/// Solver steps for one candidate: those that need more are not found.
const SOLVER_STEPS: u32 = 2_000_000;

/// Discovers rules and reports on the run.
///
/// # Errors
/// If a file does not read or cannot be written, or the work is interrupted.
pub(super) fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    let (ids, cases, left_out) = corpus(call)?;
    let rules = match call.has(FROM_NOTHING) {
        true => RuleSet::default(),
        false => in_force(call)?,
    };
    let budget = Budget {
        solver_steps: SOLVER_STEPS,
        interrupt: Some(call.host.interrupt()),
        ..BUDGET
    };
    let steps = call.value(&FUEL)?.unwrap_or(DEFAULT_FUEL);
    let fuel = Fuel::new(steps, &call.host.interrupt());
    let found = discover(&cases, rules, &budget, &fuel);
    let found = found.map_err(|error| call.failed(error))?;
    for rule in &found.kept {
        call.emit(of_rule(rule, &ids));
    }
    if let Some(file) = call.value(&TO)? {
        let written = call.host.write(&file.text, &rule_file(&found));
        written.map_err(|error| file.blame(not_written(&file.text, &error)))?;
    }
    call.emit(of_run(&found, left_out));
    call.go_on()
}

/// The rules in force.
fn in_force(call: &Call<'_>) -> Result<RuleSet, Failure> {
    let simplifier = call.uncounted_simplifier()?;
    let fired: Vec<&str> = simplifier.fired().collect();
    let rules = simplifier.rules().rules().iter();
    let rules = rules.filter(|rule| fired.contains(&rule.name.as_str()));
    let mut set = RuleSet::default();
    let made = set.extend(rules.cloned().collect());
    made.map_err(|error| call.failed(error))?;
    Ok(set)
}

/// The expressions of the corpora with their ids, and how many with named sizes are left out.
fn corpus(call: &mut Call<'_>) -> Result<(Vec<Value>, Vec<IndexingMap>, usize), Failure> {
    let files: Vec<Argument> = call.texts_of(&CORPUS).into_iter().cloned().collect();
    if files.is_empty() {
        return Err(call.wrong_usage("`rules discover` needs `--corpus FILE`"));
    }
    let (mut ids, mut cases, mut left_out) = (Vec::new(), Vec::new(), 0);
    for file in &files {
        let read = TextFile::read(call, file)?;
        let mut start = 0;
        for line in read.text()?.split_inclusive('\n') {
            let at = start;
            start += line.len();
            if line.trim().is_empty() {
                continue;
            }
            let (id, task) = Task::read(line.trim_end());
            let task = task.map_err(|error| read.blame(error.shifted(at)))?;
            if task.map.domain().count(VariableKind::Parameter) == 0 {
                ids.push(id);
                cases.push(task.map);
            } else {
                left_out += 1;
            }
        }
    }
    Ok((ids, cases, left_out))
}

fn of_rule(rule: &Kept, ids: &[Value]) -> Output {
    let [from, to] = rule.example.each_ref().map(ToString::to_string);
    let text = Text::of(Role::Formula, rule.text.as_str()).plain(format!(
        "\n    proved; {} larger without it\n    from {from}\n    to   {to}",
        count(rule.cases.len(), "expression")
    ));
    let cases: Vec<&Value> = rule
        .cases
        .iter()
        .filter_map(|case| ids.get(*case))
        .collect();
    let json = Object::new()
        .with("name", rule.name.as_str())
        .with("rule", rule.text.as_str())
        .with("from", from)
        .with("to", to)
        .with("cases", cases);
    Output::new(text, json)
}

fn of_run(found: &Discovery, left_out: usize) -> Output {
    let [before, after] = [0, 1].map(|side| found.sizes.iter().map(|size| size[side]).sum::<u64>());
    let smaller = found
        .sizes
        .iter()
        .filter(|[before, after]| after < before)
        .count();
    let rules = found.kept.len();
    let text = Text::of(Role::Good, count(rules, "rule")).plain(format!(
        " kept; {} of {} smaller, {} became {after}\n\
         {} looked at, a shorter form found for {}: {} not proved equal, {} without a rule, {} not seen to fire, {} needless",
        smaller,
        count(found.sizes.len(), "expression"),
        count(before, "operation"),
        count(found.parts, "part"),
        found.shorter,
        found.open,
        found.unexplained,
        found.silent,
        found.needless,
    ));
    let text = match left_out {
        0 => text,
        _ => text.plain(format!(
            "\n{} with named sizes left out",
            count(left_out, "expression")
        )),
    };
    let text = match found.stopped {
        true => text.with(Role::Doubtful, "\nstopped: the fuel is spent"),
        false => text,
    };
    let json = Object::new()
        .with("kept", rules)
        .with("parts", found.parts)
        .with("shorter", found.shorter)
        .with("open", found.open)
        .with("unexplained", found.unexplained)
        .with("silent", found.silent)
        .with("needless", found.needless)
        .with("operations_before", before)
        .with("operations_after", after)
        .with("smaller", smaller)
        .with("expressions", found.sizes.len())
        .with("left_out", left_out)
        .with("complete", !found.stopped);
    let status = if found.stopped {
        Status::Undecided
    } else {
        Status::Done
    };
    Output::new(text, json).status(status)
}

/// A rule file.
fn rule_file(found: &Discovery) -> String {
    let mut text =
        String::from("# Rules that were discovered, each with the part that it was learnt from.\n");
    for rule in &found.kept {
        let [from, to] = &rule.example;
        text.push_str(&format!("\n# {from}\n# {to}\n{}\n", rule.text));
    }
    text
}
