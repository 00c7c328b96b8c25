//! `rules`: lists, explains and proves the engine's rules and rules of the user.

pub mod as_map;
pub(super) mod code;
mod discover;
pub(super) mod divisors;
mod export;
mod lock;
pub(super) mod rule;
mod show;
mod switch;
pub(super) mod theorems;
pub(super) mod verdict;

use crate::arguments::Argument;
use crate::failure::Failure;
use crate::output::{Object, Output, Role, Status, clipped};
use crate::session::{Added, Session};
use crate::table::{Call, Command, Kind, Parameter};
use crate::text_file::TextFile;
use crate::verdict::totals_text;
use affinor::rule::verify;
use affinor::rule::{Rule, RuleSet, read_rules};
use affinor::simplify::Simplifier;
use affinor::text::ErrorKind;
use discover::options::{CORPUS, FROM_NOTHING, FUEL, REPORT, SEED, SIZE, STATE, TO};
use export::{FORMAT, OUT};
use lock::{CHECK, DIR};
use show::{FILE, Lister};
use std::sync::OnceLock;
use theorems::{THEOREMS, write_theorems};
use verdict::{SCRIPTS, proved};

pub const RULES: Command = Command {
    name: "rules",
    parameters: &[
        Parameter::optional(
            "list|show|prove|off|on|lock|export|discover",
            Kind::Word(&["list", "show", "prove", "off", "on", "lock", "export", "discover"]),
        ),
        Parameter::optional("NAME...", Kind::Rules),
    ],
    options: &[
        FILE.switch,
        SCRIPTS.switch,
        FORMAT.switch,
        OUT.switch,
        DIR.switch,
        CHECK.switch,
        CORPUS.switch,
        FROM_NOTHING.switch,
        FUEL.switch,
        SIZE.switch,
        SEED.switch,
        STATE.switch,
        REPORT.switch,
        TO.switch,
        THEOREMS.switch,
    ],
    summary: "list, explain, prove, export and switch the rules",
    details: "`rules NAME` prints one, `rules WORD` those that are about it: `rules mod`.\n\
              `list` prints each rule with its side conditions, its purpose, the recorded verdict, whether it also holds for\n\
              division that truncates toward zero, whether it stays in the range of its left-hand side, and how often it fired in\n\
              this session.\n\
              `show` adds a point that satisfies the side conditions, for each side condition a point where the rule fails without it,\n\
              and a map that needs the rule, simplified with and without it.\n\
              `prove` proves the rules now, for all integers; constants and sizes are variables too. With `--theorems FILE` it, and\n\
              `discover`, write them as theorems, each with steps by which Rocq's kernel proves it, if steps are found.\n\
              `off` and `on` disable and enable rules in this session; `on` without names enables all.\n\
              `lock` proves the rule files of a checkout, updates PROOFS.lock and compiled.bin, and prints what changed. Rules that\n\
              are not the built-in ones are then in force in this session; the program has them once it is built again.\n\
              `export` writes the rules for other systems, with a README, a script that checks them without this program, and\n\
              false rules that the check must reject.\n\
              `discover` looks for rules that the ones in force do not make redundant: terms of few operations over constants and\n\
              expressions that have the same values at sampled points are made into rules and proved. With `--corpus` it also finds\n\
              shorter forms of parts of each simplified expression, learns their rules, as `learn` does, and keeps\n\
              only rules that make an expression smaller. All that it shows is proved; none is added to the session.",
    example: &["rules prove div-div", "rules show div-strip"],
    makes_map: false,
    keys: r##"
    "in_force": { "description": "Of `rules lock`: whether this session fires the rules that were proved. Absent where they are the built-in ones.", "type": "boolean" }"##,
    run,
};

impl Session {
    /// Returns the names of the built-in rules, or of the rules that `rules lock` put in force, followed by the names of added
    /// rules.
    pub fn rule_names(&self) -> impl Iterator<Item = &str> {
        static SHIPPED: OnceLock<Vec<String>> = OnceLock::new();
        let shipped = SHIPPED.get_or_init(|| {
            let shipped = Simplifier::shipped();
            let rules = shipped.iter().flat_map(|shipped| shipped.rules().rules());
            rules.map(|rule| rule.name.clone()).collect()
        });
        let locked = self.locked.iter().flat_map(|locked| locked.simplifier.rules().rules());
        let shipped = shipped.iter().filter(|_| self.locked.is_none());
        let added = self.rules.iter().map(|added| &added.rule);
        let others = locked.chain(added).map(|rule| &rule.name);
        shipped.chain(others).map(String::as_str)
    }
}

/// Returns the known facts about the rule called `name`, for the help.
///
/// # Errors
/// If the shipped rules do not load.
pub fn rule_output(call: &Call<'_>, name: &str) -> Result<Option<Output>, Failure> {
    let simplifier = call.uncounted_simplifier()?;
    let rules = simplifier.rules();
    let Some(id) = rules.find(name) else {
        return Ok(None);
    };
    let lock = call.session.lock().map_err(|error| call.failed(error))?;
    let mut output = Lister::new(call, lock)?.listed(rules.rule(id));
    output.text.push(
        Role::Faint,
        format!("\n`rules show {name}` tries it and each of its conditions, `rules prove {name}` proves it now"),
    );
    Ok(Some(output))
}

fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    let arguments = call.arguments;
    let action = arguments.positional.first();
    let names = arguments.positional.get(1..).unwrap_or_default();
    let action_word = action.map_or("list", |action| action.text.as_str());
    match action_word {
        "off" | "on" => return switch::run(call, names, action_word == "on"),
        "lock" => return lock::run(call, names),
        "discover" => return discover::run(call),
        _ => {}
    }
    let chosen = chosen(call, names)?;
    let lock = call.session.lock().map_err(|error| call.failed(error))?;
    match action_word {
        "list" => {
            let lister = Lister::new(call, lock)?;
            for rule in &chosen {
                call.emit(lister.listed(rule));
            }
        }
        "show" => {
            if names.is_empty() {
                return Err(call.wrong_usage("`rules show` needs the name of a rule"));
            }
            let lister = Lister::new(call, lock)?;
            call.each(chosen, |call, rule| {
                let output = lister.shown(call, &rule)?;
                call.emit(output);
                Ok(())
            })?;
        }
        "prove" => {
            let (several, mut totals) = (chosen.len() > 1, [0; 3]);
            let mut true_rules = Vec::new();
            call.each(chosen, |call, rule| {
                let output = proved(call, &rule)?;
                match output.status {
                    Status::Done => {
                        totals[0] += 1;
                        true_rules.push(rule);
                    }
                    Status::Undecided => totals[2] += 1,
                    Status::Wrong | Status::Usage => totals[1] += 1,
                }
                call.emit(output);
                Ok(())
            })?;
            if several {
                let text = totals_text("rules", totals);
                call.emit(Output { json: None, ..Output::new(text, Object::new()) });
            }
            write_theorems(call, &true_rules.iter().collect::<Vec<_>>())?;
        }
        "export" => {
            let mut lock = lock;
            for Added { rule, .. } in &call.session.rules {
                // The rule was proved when it was added; here its proof is put into the form of the lock.
                let entry = verify::entry(rule, &call.rule_budget());
                lock.entries.insert(rule.name.clone(), entry);
            }
            export::run(call, &chosen, &lock)?;
        }
        other => {
            if let Some(output) = rule_output(call, other)? {
                call.emit(output);
                return Ok(());
            }
            let lister = Lister::new(call, lock)?;
            let listed = chosen.iter().map(|rule| (is_of(rule, other), lister.listed(rule)));
            let about: Vec<Output> =
                listed.filter(|(is_of, rule)| *is_of || states(rule, other)).map(|x| x.1).collect();
            if !about.is_empty() {
                about.into_iter().for_each(|rule| call.emit(rule));
                return Ok(());
            }
            let message = format!("unknown action `{}`", clipped(other));
            let argument = action.unwrap_or(call.argument(0)?);
            return Err(argument.wrong(ErrorKind::Usage, message).hint(RULES.usage_hint()));
        }
    }
    Ok(())
}

/// Returns whether `word` names the file of a rule, or is the first word of its name: `floordiv`, `div`.
fn is_of(rule: &Rule, word: &str) -> bool {
    let file = rule.file.strip_suffix(".rules").unwrap_or(&rule.file);
    let begins = rule.name.split('-').next();
    word == file || word == rule.file || begins == Some(word)
}

/// Returns whether the word occurs in the statement of a listed rule, which is its first line.
fn states(listed: &Output, word: &str) -> bool {
    let text = listed.text.to_string();
    let mut words =
        text.lines().take(1).flat_map(|line| line.split(|c: char| !c.is_alphanumeric()));
    words.any(|other| other == word)
}

/// Returns the selected rules of the file, or of the session without a file: by name, by rule file, or by the first word of their
/// names; all if nothing is named.
fn chosen(call: &mut Call<'_>, names: &[Argument]) -> Result<Vec<Rule>, Failure> {
    let rules = match call.text_of(&FILE).cloned() {
        None => {
            let set = match &call.session.locked {
                Some(locked) => Ok(locked.simplifier.rules().clone()),
                None => RuleSet::shipped(),
            };
            let set = set.map_err(|error| call.failed(error))?;
            let added = call.session.rules.iter().map(|added| &added.rule);
            set.rules().iter().chain(added).cloned().collect()
        }
        Some(file) => {
            let read = TextFile::read(call, &file)?;
            read_rules(&file.text, read.text()?).map_err(|error| read.blame(error))?
        }
    };
    if names.is_empty() {
        return Ok(rules);
    }
    let mut chosen: Vec<Rule> = Vec::new();
    for name in names {
        let named: Vec<&Rule> = match rules.iter().find(|rule| rule.name == name.text) {
            Some(rule) => vec![rule],
            None => rules.iter().filter(|rule| is_of(rule, &name.text)).collect(),
        };
        match named.is_empty() {
            false => chosen.extend(named.into_iter().cloned()),
            true => {
                let known = rules.iter().map(|rule| rule.name.as_str());
                return Err(switch::unknown(name, known));
            }
        }
    }
    Ok(chosen)
}
