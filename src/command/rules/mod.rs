//! `rules`: the laws that the engine uses, what is known of each, and proofs of them and of others.

mod export;
mod lock;
pub(super) mod rule;
mod show;
mod switch;
pub(super) mod verdict;

use crate::command::arguments::Argument;
use crate::command::failure::Failure;
use crate::command::output::{Output, Role, clipped};
use crate::command::session::Added;
use crate::command::table::{Call, Command, Kind, Parameter};
use crate::command::text_file::TextFile;
use crate::rule::verify::{self, Lock};
use crate::rule::{Rule, RuleSet, read_rules};
use crate::text::ErrorKind;
use export::{FORMAT, OUT};
use lock::{CHECK, DIR};
use show::{FILE, Lister};
use verdict::{SCRIPTS, proved};

pub const RULES: Command = Command {
    name: "rules",
    parameters: &[
        Parameter::optional(
            "list|show|prove|off|on|lock|export",
            Kind::Word(&["list", "show", "prove", "off", "on", "lock", "export"]),
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
    ],
    summary: "list, explain, prove, export and switch the rules",
    details: "`list` gives each rule with its conditions, its purpose, and what was proved of it before: the verdict, and\n\
              whether it also holds for divisions that round toward zero and stays in the range of its left side; and how\n\
              often it was used in this session, results that came to nothing included.\n\
              `show` adds a point inside the conditions, for each condition a point where the rule fails without it, and a\n\
              map that needs the rule, simplified with it and without it.\n\
              `prove` proves the rules now. A rule is proved for all integers: constants and sizes are variables too.\n\
              `off` and `on` switch rules of this session; `on` alone switches all on.\n\
              `lock` proves the rule files of a checkout and writes what was proved into PROOFS.lock; it says what changed.\n\
              `export` writes them for other systems, with a README, a script that checks them without this program, and\n\
              false laws which that check must refuse.",
    example: &["rules prove div-div", "rules show div-strip"],
    makes_map: false,
    run,
};

/// The names of the shipped rules.
pub fn names() -> Vec<String> {
    let rules = RuleSet::shipped().unwrap_or_default();
    rules.rules().iter().map(|rule| rule.name.clone()).collect()
}

/// What is known of the rule called `name`, for the help.
///
/// # Errors
/// If the shipped rules do not load.
pub fn rule_output(call: &Call<'_>, name: &str) -> Result<Option<Output>, Failure> {
    let simplifier = call.uncounted_simplifier()?;
    let rules = simplifier.rules();
    let Some(id) = rules.find(name) else {
        return Ok(None);
    };
    let lock = Lock::shipped().map_err(|error| call.failed(error))?;
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
        _ => {}
    }
    let chosen = chosen(call, names)?;
    let lock = Lock::shipped().map_err(|error| call.failed(error))?;
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
            call.each(chosen, |call, rule| {
                let output = proved(call, &rule)?;
                call.emit(output);
                Ok(())
            })?;
        }
        "export" => {
            let mut lock = lock;
            for Added { rule, .. } in &call.session.rules {
                // It was proved when it was added; here its proof gets the form that the lock has.
                let entry = verify::entry(rule, &call.rule_budget());
                lock.entries.insert(rule.name.clone(), entry);
            }
            export::run(call, &chosen, &lock)?;
        }
        other => {
            let message = format!("`rules` knows no `{}`", clipped(other));
            let argument = action.unwrap_or(call.argument(0)?);
            return Err(argument
                .wrong(ErrorKind::Usage, message)
                .hint(format!("usage: {}", RULES.usage())));
        }
    }
    Ok(())
}

/// The rules of the file or the shipped ones: those that are named, or all.
fn chosen(call: &mut Call<'_>, names: &[Argument]) -> Result<Vec<Rule>, Failure> {
    let rules = match call.text_of(&FILE).cloned() {
        None => {
            let set = RuleSet::shipped().map_err(|error| call.failed(error))?;
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
    let mut chosen = Vec::new();
    for name in names {
        match rules.iter().find(|rule| rule.name == name.text) {
            Some(rule) => chosen.push(rule.clone()),
            None => {
                let known = rules.iter().map(|rule| rule.name.as_str());
                return Err(switch::unknown(name, known));
            }
        }
    }
    Ok(chosen)
}
