//! `rules list` and `rules show`: the known facts about a rule, and its effect in this session.

use super::verdict as rule_verdict;
use crate::arguments::Argument;
use crate::failure::Failure;
use crate::option::{Setting, text};
use crate::output::{Object, Output, Role, Text};
use crate::table::Call;
use crate::verdict::verdict_status;
use affinor::expr::IndexingMap;
use affinor::rule::verify::{self, Condition, Lock, Verdict};
use affinor::rule::{Role as Use, Rule, Statement, example_of};
use affinor::simplify::{Simplifier, Tally};
use affinor::text::{Style, parse_map, print_map};
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::Arc;

pub(super) const FILE: Setting<Argument> = Setting::new(
    "file",
    "FILE",
    "take the rules of this file instead of the shipped ones; they are judged, not used",
    text,
);

/// The facts about each rule in a list, beside its text.
pub(super) struct Lister {
    lock: Lock,
    fired: BTreeSet<String>,
    off: BTreeSet<String>,
    tally: Arc<Tally>,
}

impl Lister {
    /// Collects the facts for the rules that `call` names.
    ///
    /// # Errors
    /// If a shipped rule file does not load.
    pub(super) fn new(call: &Call<'_>, lock: Lock) -> Result<Lister, Failure> {
        // The rules of a user's file are only judged; they never fire.
        let in_session = !call.has(&FILE);
        let (fired, off) = match in_session {
            true => {
                let simplifier = call.uncounted_simplifier()?;
                let fired = simplifier.fired().map(str::to_owned).collect();
                (fired, call.session.off.clone())
            }
            false => (BTreeSet::new(), BTreeSet::new()),
        };
        Ok(Lister { lock, fired, off, tally: call.session.tally.clone() })
    }

    /// Returns the known facts about a rule, on a few lines.
    pub(super) fn listed(&self, rule: &Rule) -> Output {
        let (text, json) = self.known(rule);
        Output::new(text, json)
    }

    fn known(&self, rule: &Rule) -> (Text, Object) {
        let (mut text, json) = described(rule, &self.lock);
        let name = rule.name.as_str();
        let count = self.tally.of(name);
        let times = match count {
            0 => None,
            1 => Some("used once in this session".to_owned()),
            _ => Some(format!("used {count} times in this session")),
        };
        let is_off = self.off.contains(name);
        let off = is_off.then(|| "switched off".to_owned());
        let fires = is_off || self.fired.contains(name);
        let now: Vec<String> = off.into_iter().chain(times.filter(|_| fires)).collect();
        if !now.is_empty() {
            text.push(Role::Plain, format!("\n    {}", now.join("; ")));
        }
        let json = json.with("fires", fires);
        let json = match fires {
            true => json.with("on", !is_off).with("used", count),
            false => json,
        };
        (text, json)
    }
}

fn heading(rule: &Rule) -> Text {
    let text = Text::of(Role::Name, &rule.name).plain(": ").with(Role::Formula, &rule.text);
    let place = match rule.role {
        Use::Session => format!("\n    {}", rule.purpose),
        Use::SessionLaw => format!("\n    {} (a law: it is never fired)", rule.purpose),
        _ => format!("\n    {} ({}:{})", rule.purpose, rule.file, rule.line),
    };
    match place.trim().is_empty() {
        true => text,
        false => text.with(Role::Faint, place.replace("     (", "    (")),
    }
}

fn described(rule: &Rule, lock: &Lock) -> (Text, Object) {
    let conditions: Vec<String> =
        rule.conditions.iter().map(|condition| rule.write_condition(condition)).collect();
    let json = Object::new()
        .with("name", rule.name.as_str())
        .with("file", rule.file.as_str())
        .with("line", rule.line)
        .with("statement", rule.write_statement())
        .with("where", conditions)
        .with("purpose", rule.purpose.as_str())
        .with("hash", verify::rule_hash(rule));
    let mut text = heading(rule);
    if rule.role.is_of_session() {
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
    let others = [("cvc5", &entry.cvc5), ("Rocq", &entry.rocq)].into_iter();
    let (agree, open): (Vec<_>, Vec<_>) = others.partition(|(_, says)| *says == "proved");
    let agree = agree.iter().map(|(judge, _)| format!(", {judge}"));
    let open = open.iter().map(|(judge, says)| format!("; {judge}: {says}"));
    let agrees = format!(" (Z3{})", agree.chain(open).collect::<String>());
    text.push(Role::Plain, agrees);
    let truncating = match entry.truncating.as_str() {
        "proved" => "holds",
        "refuted" => "is false",
        _ => "is open",
    };
    text.push(Role::Faint, format!("; {truncating} if divisions round toward zero"));
    let range = match entry.int64.as_str() {
        "proved" => Some("stays in the range of its left-hand side"),
        "refuted" => Some("may leave the range of its left-hand side"),
        "none" => None,
        _ => Some("not known to stay in the range of its left-hand side"),
    };
    if let Some(range) = range {
        text.push(Role::Faint, format!("; {range}"));
    }
    let json = json
        .with("verdict", "proved")
        .with("z3", entry.z3.as_str())
        .with("cvc5", entry.cvc5.as_str())
        .with("rocq", entry.rocq.as_str())
        .with("floor", "proved")
        .with("euclidean", "proved")
        .with("truncating", entry.truncating.as_str())
        .with_some("int64", Some(entry.int64.as_str()).filter(|word| *word != "none"));
    (text, json)
}

/// Describes why the rule terminates.
fn why_it_ends(rule: &Rule) -> String {
    match (&rule.statement, rule.role) {
        (Statement::Fact(_), _) => "it is a law that code relies on; it does not fire".to_owned(),
        (_, Use::SessionLaw) => "it is a law; it does not fire".to_owned(),
        (_, Use::Form | Use::Found) => "it is fired only where the result is smaller".to_owned(),
        _ => match verify::descent(rule) {
            Ok(descent) => format!("it leads to {descent}"),
            Err(_) => "by the bound on nested quotients alone".to_owned(),
        },
    }
}

/// Returns the last step by a rule in the last simplification of the session, if it contributed to the result.
fn fired_last(call: &Call<'_>, rule: &Rule) -> Result<Option<(String, String)>, Failure> {
    let Some(map) = &call.session.last_simplified else {
        return Ok(None);
    };
    let options = call.search_options()?;
    let simplifier = call.uncounted_simplifier()?;
    let certified = simplifier.certify(map, &options);
    let fired = simplifier
        .steps(&certified, &options)
        .into_iter()
        .rfind(|step| step.rule == rule.name && step.before != step.after);
    Ok(fired.map(|step| (step.before, step.after)))
}

/// A map that needs a shipped rule: its simplified form with the rule, and without it.
struct Example {
    map: IndexingMap,
    with: IndexingMap,
    without: IndexingMap,
}

impl Example {
    /// Returns an example of a rule; `None` for rules that no map needs: laws, rules that only certificates use, rules of the
    /// session.
    fn of(call: &Call<'_>, rule: &Rule) -> Result<Option<Example>, Failure> {
        let is_shipped = !call.has(&FILE) && rule.role != Use::Session;
        let Some(text) = example_of(&rule.name).filter(|_| is_shipped) else {
            return Ok(None);
        };
        let failed = |error| call.failed(error);
        let map = parse_map(text).map_err(failed)?;
        let simplifier = call.session.base().map_err(failed)?;
        let others = simplifier.without(&[&rule.name]).map_err(failed)?;
        let options = call.search_options()?;
        let simplified = |by: &Simplifier| by.simplify(&map, &options).map;
        let (with, without) = (simplified(&simplifier), simplified(&others));
        Ok(Some(Example { map, with, without }))
    }
}

impl Lister {
    /// Returns all facts about one rule.
    ///
    /// # Errors
    /// If the user stops it, or a shipped rule file does not load.
    pub(super) fn shown(&self, call: &Call<'_>, rule: &Rule) -> Result<Output, Failure> {
        let (mut text, json) = self.known(rule);
        let report = verify::check(rule, &call.rule_budget());
        let verdict = call.judged(report.verdict)?;
        text.push(Role::Plain, "\nnow: ");
        let is_vacuous = report.witness.is_none() && call.proved_of_nothing(rule, &verdict);
        text.append(rule_verdict::text_where(rule, &verdict, is_vacuous));
        match &report.witness {
            None if is_vacuous => {}
            Some(point) => {
                text.push(Role::Plain, format!("\ninside: {}", rule_verdict::at(rule, point)));
            }
            None => text.push(
                Role::Doubtful,
                "\nno point satisfies the side conditions, as far as was searched",
            ),
        }
        let mut conditions: Vec<Object> = Vec::new();
        for (condition, role) in rule.conditions.iter().zip(&report.conditions) {
            let written = rule.write_condition(condition);
            text.push(Role::Plain, format!("\nwithout {written}: "));
            let mut without = rule.clone();
            without.conditions.retain(|other| other != condition);
            let object = Object::nested().with("condition", written);
            conditions.push(match role {
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
                            "still true; it says that a divisor is positive, follows, or narrows the rule",
                        );
                        object.with("needed", false)
                    }
                    Condition::Open => {
                        text.push(Role::Doubtful, "unknown");
                        object.with("needed", Value::Null)
                    }
                });
        }
        let end = why_it_ends(rule);
        text.push(Role::Plain, format!("\nfiring ends: {end}"));
        let json = json.with("ends", end);
        let fired = fired_last(call, rule)?;
        if let Some((before, after)) = &fired {
            text.push(Role::Plain, "\nfired last: ");
            text.push(Role::Formula, format!("{before} => {after}"));
        }
        let example = Example::of(call, rule)?;
        if let Some(example) = &example {
            let style = call.session.style;
            for (what, map) in [
                ("for example", &example.map),
                ("  with it", &example.with),
                ("  without", &example.without),
            ] {
                text.push(Role::Plain, format!("\n{what}: "));
                text.push(Role::Formula, print_map(map, style));
            }
        }
        let example = example.map(|example| {
            let written = |map| print_map(map, Style::Plain);
            Object::nested()
                .with("map", written(&example.map))
                .with("with", written(&example.with))
                .with("without", written(&example.without))
        });
        let fired = fired
            .map(|(before, after)| Object::nested().with("before", before).with("after", after));
        let json = rule_verdict::object(json, rule, &verdict)
            .with_some("vacuous", is_vacuous.then_some(true))
            .with_some("fired_last", fired)
            .with_some("example", example)
            .with_some(
                "witness",
                report.witness.map(|point| rule_verdict::point_object(rule, &point)),
            )
            .with("conditions", conditions);
        Ok(Output::new(text, json).status(verdict_status(&verdict)))
    }
}
