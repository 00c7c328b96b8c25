//! `rules discover`: rules that hold for small terms, and that make the expressions of corpora smaller.

mod corpora;
pub(super) mod options;
mod report;

use super::theorems::write_theorems;
use crate::arguments::Argument;
use crate::failure::Failure;
use crate::lines::{file_error, not_written};
use crate::table::Call;
use crate::text_file::TextFile;
use affinor::num::Fuel;
use affinor::prove::Budget;
use affinor::rule::verify::{BUDGET, sha256};
use affinor::rule::{Rule, RuleSet};
use affinor::simplify::{Options, Simplifier};
use affinor::text::{Error, ErrorKind};
use affinor_workshop::learn::{Settings, State, discover};
use corpora::Corpora;
use options::{CORPUS, FROM_NOTHING, FUEL, REPORT, SEED, SIZE, STATE, TO};
use report::Run;
use std::io;
use std::time::Duration;

/// The default budget of a run, in steps.
const DEFAULT_FUEL: u64 = 400_000_000;

/// The default maximal number of operations of a left-hand side.
const DEFAULT_SIZE: u64 = 3;

/// The number of rounds over the corpora.
const ROUNDS: usize = 4;

/// The budget of solver steps for one candidate; candidates that need more are not found.
const SOLVER_STEPS: u32 = 2_000_000;

/// Discovers rules and reports on the run.
///
/// # Errors
/// If a file cannot be read or written, or the work is interrupted.
pub(super) fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    let files: Vec<Argument> = call.texts_of(&CORPUS).into_iter().cloned().collect();
    let corpora = Corpora::read(call, &files)?;
    let from_nothing = call.has(FROM_NOTHING);
    let rules = match from_nothing {
        true => RuleSet::default(),
        false => in_force(call)?,
    };
    let interrupt = call.host.interrupt();
    let budget =
        Budget { solver_steps: SOLVER_STEPS, interrupt: Some(interrupt.clone()), ..BUDGET };
    let fuel = Fuel::new(call.value(&FUEL)?.unwrap_or(DEFAULT_FUEL), &interrupt);
    let size = call.value(&SIZE)?.unwrap_or(DEFAULT_SIZE);
    let settings = Settings {
        size: usize::try_from(size).unwrap_or(usize::MAX),
        rounds: ROUNDS,
        threads: call.host.cores(),
        seed: call.value(&SEED)?.unwrap_or(0),
        budget: &budget,
        fuel: &fuel,
    };
    let path = call.value(&STATE)?;
    let about = about(&corpora, &rules, &settings);
    let state = state(call, path.as_ref(), about)?;
    let mut unsaved = None;
    let host = &mut call.host;
    let mut save = |state: &State| {
        if let (Some(path), None) = (&path, &unsaved) {
            let text = serde_json::to_string(state).unwrap_or_default();
            unsaved = host.write(&path.text, text.as_bytes()).err();
        }
    };
    let found = discover(&corpora.cases, rules.clone(), &settings, state, &mut save);
    if let (Some(path), Some(error)) = (&path, unsaved) {
        return Err(path.blame(not_written(&path.text, &error)));
    }
    let found = found.map_err(|error| match &path {
        Some(path) => path.blame(error),
        None => call.failed(error),
    })?;
    call.go_on()?;
    let mut after = rules.clone();
    let kept = found.kept.iter().map(|kept| kept.rule.clone()).collect();
    after.extend(kept).map_err(|error| call.failed(error))?;
    let report = call.value(&REPORT)?;
    let times = match report {
        Some(_) => [time(call, rules, &corpora)?, time(call, after, &corpora)?],
        None => [Duration::ZERO; 2],
    };
    let run = Run {
        found: &found,
        corpora: &corpora,
        from_nothing,
        seed: settings.seed,
        size: settings.size,
        times,
    };
    for rule in &found.kept {
        call.emit(run.of_rule(rule));
    }
    for (file, text) in [(call.value(&TO)?, run.rule_file()), (report, run.markdown())] {
        if let Some(file) = file {
            let written = call.host.write(&file.text, text.as_bytes());
            written.map_err(|error| file.blame(not_written(&file.text, &error)))?;
        }
    }
    call.emit(run.output());
    let rules: Vec<&Rule> = found.kept.iter().map(|kept| &kept.rule).collect();
    write_theorems(call, &rules)?;
    call.go_on()
}

/// Returns the rules in force.
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

/// Returns a hash of the inputs of a run.
fn about(corpora: &Corpora, rules: &RuleSet, settings: &Settings<'_>) -> String {
    let mut text = format!("{} {}", settings.size, settings.seed);
    for case in &corpora.cases {
        text.push_str(&format!("\n{case}"));
    }
    for rule in rules.rules() {
        text.push_str(&format!("\n{rule}"));
    }
    sha256(text.as_bytes())
}

/// Returns the state of an earlier run with the same file, or a fresh state.
fn state(call: &mut Call<'_>, path: Option<&Argument>, about: String) -> Result<State, Failure> {
    let fresh = State { about, ..State::default() };
    let Some(path) = path else {
        return Ok(fresh);
    };
    match call.host.open(&path.text) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(fresh),
        Err(error) => return Err(path.blame(file_error(&path.text, &error))),
        Ok(_) => {}
    }
    let file = TextFile::read(call, path)?;
    let wrong = |message: &str, hint: &str| {
        path.blame(Error::without_span(ErrorKind::File, message).hint(hint))
    };
    let read: State = serde_json::from_str(file.text()?).map_err(|_| {
        wrong(
            "the file does not say how far a run is",
            "name a new file, or one that `--state` wrote",
        )
    })?;
    if read.about != fresh.about {
        let message = "the file is of a run with other corpora, rules, size or seed";
        return Err(wrong(message, "name a new file, or repeat the arguments of that run"));
    }
    Ok(read)
}

/// Measures the CPU time to simplify all expressions.
fn time(call: &Call<'_>, rules: RuleSet, corpora: &Corpora) -> Result<Duration, Failure> {
    let simplifier = Simplifier::new(rules).map_err(|error| call.failed(error))?;
    let clock = call.host.cpu_clock();
    let start = clock();
    for case in &corpora.cases {
        let _ = simplifier.simplify(case, &Options::default());
    }
    Ok(clock().saturating_sub(start))
}
