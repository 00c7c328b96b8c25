//! `rules`: the laws that the engine uses, what is known of each, and proofs of them and of others.

use super::arguments::Argument;
use super::failure::Failure;
use super::output::{Object, Output, Role, Text, clipped};
use super::rule_verdict;
use super::rules_export;
use super::session::Call;
use super::table::{Command, Kind, Parameter, Switch, nearest};
use super::text_file::TextFile;
use crate::error::ErrorKind;
use crate::rule::{Rule, RuleSet, SESSION, Statement, load};
use crate::verify::{self, Condition, Lock, Verdict};
use serde_json::Value;

/// `rules`
pub const RULES: Command = Command {
    name: "rules",
    parameters: &[
        Parameter {
            name: "list|show|prove|export",
            kind: Kind::Word(&["list", "show", "prove", "export"]),
            required: false,
        },
        Parameter {
            name: "NAME...",
            kind: Kind::Rules,
            required: false,
        },
    ],
    options: &[
        Switch {
            name: "file",
            value: Some("FILE"),
            summary: "the rules of this file instead of the shipped ones; they are judged, not used",
        },
        Switch {
            name: "scripts",
            value: None,
            summary: "with `prove`: the SMT-LIB scripts too, each of which is unsat",
        },
        Switch {
            name: "format",
            value: Some("FORMAT"),
            summary: "with `export`: json, smtlib, halide, rare, lean, egg or egglog",
        },
        Switch {
            name: "out",
            value: Some("DIR"),
            summary: "with `export`: the directory to write, new or empty",
        },
    ],
    summary: "lists, explains and proves the rules of the engine",
    details: "`list` gives each rule with its conditions, its purpose, and what was proved of it before: the verdict, and\n\
              whether it also holds for divisions that round toward zero and stays in the range of its left side.\n\
              `show` adds a point inside the conditions, and for each condition a point where the rule fails without it.\n\
              `prove` proves the rules now. A rule is proved for all integers: constants and sizes are variables too.\n\
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
    let simplifier = call.simplifier()?;
    let rules = simplifier.rules();
    let Some(id) = rules.find(name) else {
        return Ok(None);
    };
    let lock = Lock::shipped().map_err(|error| call.failed(error))?;
    let mut output = listed(rules.rule(id), &lock);
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
    let chosen = chosen(call, names)?;
    let lock = Lock::shipped().map_err(|error| call.failed(error))?;
    match action.map_or("list", |action| action.text.as_str()) {
        "list" => {
            for rule in &chosen {
                call.emit(listed(rule, &lock));
            }
        }
        "show" => {
            if names.is_empty() {
                return Err(call.wrong_usage("`rules show` needs the name of a rule"));
            }
            call.each(chosen, |call, rule| {
                let output = shown(call, &rule, &lock)?;
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
        "export" => rules_export::run(call, &chosen, &lock)?,
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
    let rules = match call.arguments.value("file").cloned() {
        None => {
            let set = RuleSet::shipped().map_err(|error| call.failed(error))?;
            let added = call.session.rules.iter().map(|added| &added.rule);
            set.rules().iter().chain(added).cloned().collect()
        }
        Some(file) => {
            let read = TextFile::read(call, &file)?;
            load(&file.text, read.text()?).map_err(|error| read.blame(error))?
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
                let message = format!("there is no rule `{}`", clipped(&name.text));
                let failure = name.wrong(ErrorKind::Name, message);
                let known = rules.iter().map(|rule| rule.name.as_str());
                return Err(match nearest(&name.text, known) {
                    Some(near) => failure.hint(format!("did you mean `{near}`?")),
                    None => failure.hint("type `rules list` for the rules"),
                });
            }
        }
    }
    Ok(chosen)
}

fn heading(rule: &Rule) -> Text {
    let text = Text::of(Role::Name, &rule.name)
        .plain(": ")
        .with(Role::Formula, &rule.text);
    let place = match rule.file.as_str() {
        SESSION => format!("\n    {}", rule.purpose),
        file => format!("\n    {} ({file}:{})", rule.purpose, rule.line),
    };
    match place.trim().is_empty() {
        true => text,
        false => text.with(Role::Faint, place),
    }
}

fn described(rule: &Rule, lock: &Lock) -> (Text, Object) {
    let conditions: Vec<String> = rule
        .conditions
        .iter()
        .map(|condition| rule.write_condition(condition))
        .collect();
    let json = Object::new()
        .with("name", rule.name.as_str())
        .with("file", rule.file.as_str())
        .with("line", rule.line)
        .with("statement", rule.write_statement())
        .with("where", conditions)
        .with("purpose", rule.purpose.as_str())
        .with("hash", verify::rule_hash(rule));
    let mut text = heading(rule);
    if rule.file == SESSION {
        text.push(Role::Plain, "\n    ");
        text.push(Role::Good, "proved");
        text.push(Role::Plain, " when it was added to the session");
        return (text, json.with("verdict", "proved"));
    }
    let known = lock.entries.get(&rule.name).filter(|_| lock.trusts(rule));
    let Some(entry) = known else {
        text.push(Role::Doubtful, "\n    not proved before");
        return (text, json.with("verdict", "unknown"));
    };
    text.push(Role::Plain, "\n    ");
    text.push(Role::Good, "proved");
    let agrees = match entry.cvc5.as_str() {
        "proved" => " (Z3, cvc5)".to_owned(),
        other => format!(" (Z3; cvc5: {other})"),
    };
    text.push(Role::Plain, agrees);
    let truncating = match entry.truncating.as_str() {
        "proved" => "holds",
        "refuted" => "is false",
        _ => "is open",
    };
    text.push(
        Role::Faint,
        format!("; {truncating} if divisions round toward zero"),
    );
    let range = match entry.int64.as_str() {
        "proved" => Some("stays in the range of its left side"),
        "refuted" => Some("may leave the range of its left side"),
        "none" => None,
        _ => Some("may or may not stay in the range of its left side"),
    };
    if let Some(range) = range {
        text.push(Role::Faint, format!("; {range}"));
    }
    let json = json
        .with("verdict", "proved")
        .with("z3", entry.z3.as_str())
        .with("cvc5", entry.cvc5.as_str())
        .with("floor", "proved")
        .with("euclidean", "proved")
        .with("truncating", entry.truncating.as_str())
        .with_some(
            "int64",
            Some(entry.int64.as_str()).filter(|word| *word != "none"),
        );
    (text, json)
}

fn listed(rule: &Rule, lock: &Lock) -> Output {
    let (text, json) = described(rule, lock);
    Output::new(text, json)
}

/// Why firing a rule again and again comes to an end.
fn why_it_ends(rule: &Rule) -> String {
    match (&rule.statement, rule.file.as_str()) {
        (Statement::Fact(_), _) => "it is a law that code relies on, and is not fired".to_owned(),
        (_, "forms.rules") => "it is fired only where the result is smaller".to_owned(),
        _ => match verify::descent(rule) {
            Ok(descent) => format!("it leads to {descent}"),
            Err(_) => "by the bound on nested quotients alone".to_owned(),
        },
    }
}

/// What a rule rewrote in the last simplification of the session, if it led to its result.
fn fired_last(call: &Call<'_>, rule: &Rule) -> Result<Option<(String, String)>, Failure> {
    let Some(map) = &call.session.last_simplified else {
        return Ok(None);
    };
    let (_, steps) = call.explain(map, &call.search_budget()?)?;
    let fired = steps.into_iter().rfind(|step| step.rule == rule.name);
    Ok(fired.map(|step| (step.before, step.after)))
}

/// One rule with everything that can be said of it.
fn shown(call: &Call<'_>, rule: &Rule, lock: &Lock) -> Result<Output, Failure> {
    let (mut text, json) = described(rule, lock);
    let report = verify::check(rule, &call.rule_budget());
    let verdict = call.judged(report.verdict)?;
    text.push(Role::Plain, "\nnow: ");
    text.append(rule_verdict::text(rule, &verdict));
    match &report.witness {
        Some(point) => {
            text.push(
                Role::Plain,
                format!("\ninside: {}", rule_verdict::at(rule, point)),
            );
        }
        None => text.push(Role::Doubtful, "\nno point was found inside the conditions"),
    }
    let mut conditions: Vec<Value> = Vec::new();
    for (condition, role) in rule.conditions.iter().zip(&report.conditions) {
        let written = rule.write_condition(condition);
        text.push(Role::Plain, format!("\nwithout {written}: "));
        let mut without = rule.clone();
        without.conditions.retain(|other| other != condition);
        let object = Object::nested().with("condition", written);
        conditions.push(
            match role {
                Condition::Needed(point) => {
                    text.append(rule_verdict::text(
                        &without,
                        &Verdict::Refuted(point.clone()),
                    ));
                    let point = rule_verdict::counterexample(&without, point);
                    object.with("needed", true).with("counterexample", point)
                }
                Condition::Redundant => {
                    text.push(
                        Role::Faint,
                        "still true; it says that a divisor is positive, or follows",
                    );
                    object.with("needed", false)
                }
                Condition::Open => {
                    text.push(Role::Doubtful, "unknown");
                    object.with("needed", Value::Null)
                }
            }
            .into(),
        );
    }
    let end = why_it_ends(rule);
    text.push(Role::Plain, format!("\nfiring ends: {end}"));
    let json = json.with("ends", end);
    let fired = fired_last(call, rule)?;
    if let Some((before, after)) = &fired {
        text.push(Role::Plain, "\nfired last: ");
        text.push(Role::Formula, format!("{before} => {after}"));
    }
    let fired =
        fired.map(|(before, after)| Object::nested().with("before", before).with("after", after));
    let json = rule_verdict::object(json, rule, &verdict)
        .with_some("fired_last", fired)
        .with_some(
            "witness",
            report
                .witness
                .map(|point| rule_verdict::point_object(rule, &point)),
        )
        .with("conditions", conditions);
    Ok(Output::new(text, json).status(rule_verdict::status(&verdict)))
}

fn proved(call: &Call<'_>, rule: &Rule) -> Result<Output, Failure> {
    let clock = call.host.cpu_clock();
    let start = clock();
    let verdict = call.judged(verify::judge(rule, &call.rule_budget()))?;
    let elapsed = clock().saturating_sub(start);
    let text = Text::of(Role::Name, &rule.name)
        .plain(": ")
        .with(Role::Formula, &rule.text);
    let text = {
        let mut text = text.plain("\n    ");
        text.append(rule_verdict::text(rule, &verdict));
        text
    };
    let json = Object::new().with("name", rule.name.as_str());
    let mut json = rule_verdict::object(json, rule, &verdict)
        .with("ms", (elapsed.as_secs_f64() * 1e6).round() / 1e3)
        .with("solver", "z3")
        .with("hash", verify::rule_hash(rule));
    if call.arguments.has("scripts") {
        let scripts = verify::obligations(rule).unwrap_or_default();
        let scripts: Vec<Value> = scripts
            .into_iter()
            .map(|(says, script)| {
                Object::nested()
                    .with("says", says)
                    .with("smtlib", script)
                    .into()
            })
            .collect();
        json = json.with("scripts", scripts);
    }
    Ok(Output::new(text, json).status(rule_verdict::status(&verdict)))
}
