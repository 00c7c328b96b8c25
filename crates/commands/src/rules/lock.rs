//! `rules lock`: re-proves the rule files of a checkout, and renews `PROOFS.lock` and the compiled rules, or reports that one is
//! stale. Law: a rule is never in force merely because a file claims that it was proved. A program has the rules that were built
//! into it; a session loads the rules of a checkout only here, after each was proved in this session.

use super::verdict::proved;
use crate::arguments::Argument;
use crate::failure::Failure;
use crate::lines::not_written;
use crate::option::{Flag, Setting, text};
use crate::output::{Object, Output, Role, Status, Text};
use crate::session::Locked;
use crate::table::Call;
use crate::text_file::TextFile;
use affinor::rule::verify::{Change, Lock, Source};
use affinor::rule::{Rule, RuleSet, read_rules};
use affinor::simplify::{Program, Simplifier};
use affinor::text::ErrorKind;
use std::collections::BTreeMap;
use std::io::Read;
use std::sync::Arc;

/// The directory of the rules in a checkout.
const DIRECTORY: &str = "rules";

/// The file of the compiled rules.
const COMPILED: &str = "compiled.bin";

pub(super) const DIR: Setting<Argument> = Setting::new(
    "dir",
    "DIR",
    "with `lock`: the directory of the rule files and of PROOFS.lock (rules)",
    text,
);

pub(super) const CHECK: Flag =
    Flag::new("check", "with `lock`: only check that the lock and compiled.bin are up to date");

/// Renews the lock, or compares it if `--check` is given.
///
/// # Errors
/// If a file cannot be read or written, or a rule file is wrong.
pub(super) fn run(call: &mut Call<'_>, names: &[Argument]) -> Result<(), Failure> {
    if let Some(name) = names.first() {
        let message = "`rules lock` takes no names: it locks all rules";
        return Err(name.wrong(ErrorKind::Usage, message));
    }
    let given = call.text_of(&DIR).map(|dir| dir.text.as_str());
    let directory = given.unwrap_or(DIRECTORY).trim_end_matches('/').to_owned();
    let mut rules: Vec<Rule> = Vec::new();
    let mut files = Vec::new();
    for file in RuleSet::files() {
        let read = open(call, &format!("{directory}/{file}"))?;
        rules.extend(read_rules(file, read.text()?).map_err(|error| read.blame(error))?);
        files.push((file, read));
    }
    let path = format!("{directory}/PROOFS.lock");
    let file = open(call, &path)?;
    let known = Lock::read(file.text()?).map_err(|error| file.blame(error))?;
    let mut lock = Lock { solvers: known.solvers.clone(), entries: BTreeMap::new() };
    let mut unproved = 0;
    call.each(rules, |call, rule| {
        let entry = known.renewed(&rule, &call.rule_budget());
        if entry.z3 != "proved" {
            let output = proved(call, &rule)?; // reports the counterexample or the reason
            call.emit(output);
            unproved += 1;
        }
        lock.entries.insert(rule.name.clone(), entry);
        Ok(())
    })?;
    call.go_on()?;
    let changes = known.changes(&lock);
    for change in &changes {
        call.emit(said(change));
    }
    let text = lock.write();
    let mut stale = Vec::new();
    if text.as_bytes() != file.bytes {
        stale.push((path.clone(), text.as_bytes().to_vec()));
    }
    let mut texts = Vec::with_capacity(files.len());
    for (name, file) in &files {
        texts.push((*name, file.text()?));
    }
    let source = Source { files: &texts, lock: &text };
    if unproved == 0 {
        stale.extend(stale_program(call, &source, &directory)?);
    }
    let only_checks = call.has(CHECK);
    let is_current = stale.is_empty();
    let is_written = !is_current && !only_checks && unproved == 0;
    if is_written {
        for (path, content) in &stale {
            let written = call.host.write(path, content);
            written.map_err(|error| call.failed(not_written(path, &error)))?;
        }
    }
    let path = stale.first().map_or(&path, |(path, _)| path);
    let mut output = summary(&lock, path, is_current, is_written, unproved);
    if unproved == 0 && !only_checks {
        put_in_force(call, &source, &lock, &mut output)?;
    }
    let pending = lock.pending().concat().len();
    let is_wrong = only_checks && (!is_current || pending > 0);
    call.emit(output.status(match is_wrong {
        true => Status::Wrong,
        false => Status::Done,
    }));
    Ok(())
}

fn open(call: &mut Call<'_>, path: &str) -> Result<TextFile, Failure> {
    TextFile::open(call, path).map_err(|error| match call.text_of(&DIR) {
        Some(dir) => dir.blame(error),
        None => call.failed(error.hint("run it at the top of a checkout, or use `--dir DIR`")),
    })
}

/// Makes the session use these rules, all of which were just proved, if they differ from the built-in rules.
fn put_in_force(
    call: &mut Call<'_>,
    source: &Source<'_>,
    lock: &Lock,
    output: &mut Output,
) -> Result<(), Failure> {
    let is_built_in = source.hash(&[]) == Source::SHIPPED.hash(&[]);
    let locked = match is_built_in {
        true => None,
        false => {
            let simplifier = source.rules().and_then(Simplifier::new);
            let simplifier = simplifier.map_err(|error| call.failed(error))?;
            Some(Locked { simplifier, lock: Arc::new(lock.clone()) })
        }
    };
    let done = call.session.put_in_force(locked);
    if !is_built_in || done.is_err() {
        if let Some(json) = &mut output.json {
            json.insert("in_force".to_owned(), done.is_ok().into());
        }
        let said = match done {
            Ok(()) => {
                "in force in this session, and in the program once it is built again".to_owned()
            }
            Err(error) => format!(
                "not in force in this session: {}; `reset` forgets its own rules",
                error.message
            ),
        };
        output.text.push(Role::Faint, format!("\n{said}"));
    }
    Ok(())
}

/// Returns the path and the content of the compiled rules, if the file has other content.
fn stale_program(
    call: &mut Call<'_>,
    source: &Source<'_>,
    directory: &str,
) -> Result<Option<(String, Vec<u8>)>, Failure> {
    let content = Program::encoded(source).map_err(|error| call.failed(error))?;
    let path = format!("{directory}/{COMPILED}");
    let mut known = Vec::new();
    // A file that is missing or unreadable has to be written.
    if let Ok(mut file) = call.host.open(&path)
        && file.read_to_end(&mut known).is_err()
    {
        known.clear();
    }
    Ok((known != content).then_some((path, content)))
}

fn said(change: &Change) -> Output {
    let text = Text::of(Role::Name, change.name());
    let whole = change.to_string();
    let rest = whole.strip_prefix(change.name()).unwrap_or(&whole);
    let fields = match change {
        Change::Changed(_, fields) => fields.as_slice(),
        Change::Added(_) | Change::Gone(_) => &[],
    };
    let mut changed = Object::nested();
    for (field, before, after) in fields {
        changed = changed.with(field, vec![before.as_str(), after.as_str()]);
    }
    let json = Object::new()
        .with("name", change.name())
        .with("change", change.word())
        .with("fields", changed);
    Output::new(text.plain(rest), json)
}

fn summary(lock: &Lock, path: &str, is_current: bool, is_written: bool, unproved: usize) -> Output {
    let state = match (is_current, is_written, unproved) {
        (true, ..) => "is up to date".to_owned(),
        (_, true, _) => "written".to_owned(),
        (_, false, 0) => "is not up to date: `affinor rules lock` renews it".to_owned(),
        (_, false, count) => format!("not written: {count} not proved"),
    };
    let mut text = Text::of(Role::Plain, format!("{path} {state}"));
    text.push(Role::Faint, format!("; rules: {}", lock.entries.len()));
    let pending = lock.pending();
    let judges = [("cvc5", ".ci/second_judge"), ("Rocq", ".ci/third_judge")];
    for ((judge, script), rules) in judges.iter().zip(&pending) {
        if !rules.is_empty() {
            let rules = rules.join(", ");
            let waiting = format!("\n{judge} has not decided {rules}; `{script} --write` asks it");
            text.push(Role::Doubtful, waiting);
        }
    }
    let json = Object::new()
        .with("file", path)
        .with("rules", lock.entries.len())
        .with("current", is_current)
        .with("written", is_written)
        .with("pending", &pending[0])
        .with("pending_rocq", &pending[1]);
    Output::new(text, json)
}
