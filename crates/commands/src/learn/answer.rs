//! The answers of `learn`.

use super::lesson::{Found, Learner, Lesson};
use crate::output::{Object, Role, Status, Text};
use crate::rules::verdict as rule_verdict;
use crate::verdict::{counterexample, reason, verdict_status, verdict_text};
use crate::words::count;
use affinor::expr::Domain;
use affinor::rule::verify::{self, Condition, subsumed_by};
use affinor::text::{Error, print_map_strictly};
use affinor_workshop::learn::{Fires, Missed};
use serde_json::Value;

/// Returns an answer in words, as JSON appended to `json`, and its status.
///
/// # Errors
/// If a map cannot be written.
pub fn answer(
    learner: &Learner,
    found: &Found,
    domain: &Domain,
    json: Object,
) -> Result<(Text, Object, Status), Error> {
    let nothing = |json: Object| json.with("rule", Value::Null);
    Ok(match found {
        Found::Unequal(verdict) => {
            let mut text = Text::of(Role::Plain, "nothing to learn: that the two are equal is ");
            text.append(verdict_text(verdict, domain));
            let json = nothing(json)
                .with("equal", verdict.word())
                .with_some("counterexample", counterexample(verdict, domain))
                .with_some("reason", reason(verdict));
            (text, json, verdict_status(verdict))
        }
        Found::Known(reached) => {
            let words = format!(
                "no rule of its own; the rules in force make the example as small, {}",
                operations(*reached)
            );
            let json = nothing(json).with("equal", "proved").with("known", "example");
            (Text::of(Role::Plain, words), json, Status::Done)
        }
        Found::Missed(missed) => {
            let (role, words, status) = match missed {
                Missed::Same => (Role::Plain, "nothing to learn", Status::Done),
                _ => (Role::Doubtful, "nothing learnt", Status::Undecided),
            };
            let text = Text::of(role, words).plain(format!(": {missed}"));
            let json = nothing(json).with("equal", "proved").with("reason", missed.to_string());
            (text, json, status)
        }
        Found::Lesson(lesson) => {
            let (text, json) = told(learner, lesson, json)?;
            (text, json, Status::Done)
        }
    })
}

fn told(learner: &Learner, lesson: &Lesson, json: Object) -> Result<(Text, Object), Error> {
    let Lesson { learned, dressed, .. } = lesson;
    let rule = &dressed.rule;
    let [from, to] =
        [&learned.parts[0], &learned.parts[1]].map(|map| print_map_strictly(map, learner.style));
    let (from, to) = (from?, to?);
    let mut text = Text::of(Role::Formula, dressed.text.as_str());
    text.push(Role::Plain, "\n");
    text.push(Role::Good, "proved");
    text.push(Role::Plain, format!(" for all integers\nfrom: {from}\n  to: {to}"));
    if lesson.of_rest {
        text.push(Role::Plain, "\nfrom the part of the example that the current rules leave");
    }
    let sizes = lesson.sizes.iter();
    let sizes: Vec<String> = sizes.map(|(name, value)| format!("{name} = {value}")).collect();
    if !sizes.is_empty() {
        text.push(Role::Plain, format!("\nlearnt for {}", sizes.join(", ")));
    }
    let (fires, word) = match &dressed.fires {
        Fires::Alone => ("yes, alone it does this".to_owned(), "alone"),
        Fires::Among => ("yes, with the shipped rules".to_owned(), "among"),
        Fires::NotNeeded => ("not needed for this example".to_owned(), "not_needed"),
        Fires::NotSeen => ("not seen on this example".to_owned(), "not_seen"),
        Fires::Never(reason) => (format!("no, {reason}"), "never"),
    };
    text.push(Role::Plain, format!("\nfires: {fires}"));
    let report = verify::check(rule, &learner.rules);
    let mut needs: Vec<Object> = Vec::new();
    for (condition, needed) in rule.conditions.iter().zip(&report.conditions) {
        let written = rule.write_condition(condition);
        let object = Object::nested().with("condition", written.as_str());
        let (why, object) = match needed {
            Condition::Needed(point) => (
                format!("false {}", rule_verdict::at(rule, point)),
                object.with("point", rule_verdict::point_object(rule, point)),
            ),
            Condition::Redundant => ("true as well: it follows from the others".to_owned(), object),
            Condition::Open => ("not decided".to_owned(), object),
        };
        text.push(Role::Plain, format!("\nwithout {written}: {why}"));
        needs.push(object);
    }
    let (known, words) = known(learner, lesson);
    text.push(Role::Plain, format!("\nthe rules in force: {words}"));
    let [given, without, with] = lesson.operations;
    let counts = Object::nested().with("given", given).with("without", without).with("with", with);
    let sizes =
        lesson.sizes.iter().fold(Object::nested(), |sizes, (name, value)| sizes.with(name, *value));
    let json = json
        .with("rule", dressed.text.as_str())
        .with("equal", "proved")
        .with("verdict", "proved")
        .with("from", from)
        .with("to", to)
        .with("of_rest", lesson.of_rest)
        .with("for_sizes", sizes)
        .with("fires", word)
        .with("conditions", needs)
        .with("known", known)
        .with("operations", counts);
    Ok((text, json))
}

/// Returns whether the rules in force already have the effect of the rule, `subsumed`, `example` or `None`, and an explanation.
fn known(learner: &Learner, lesson: &Lesson) -> (Option<&'static str>, String) {
    let rules = learner.simplifier.rules().rules();
    if let Some(known) = subsumed_by(&lesson.dressed.rule, rules, &learner.rules) {
        return (Some("subsumed"), format!("`{}` says as much", known.name));
    }
    let [_, without, with] = lesson.operations;
    match without <= with {
        true if with <= lesson.wanted => {
            (Some("example"), format!("they make the example as small, {}", operations(without)))
        }
        true => (
            None,
            format!("they leave {} of the example, with and without it", operations(without)),
        ),
        false => {
            let words = format!(
                "they leave {} of the example, with this one {}",
                operations(without),
                operations(with)
            );
            (None, words)
        }
    }
}

fn operations(number: u64) -> String {
    count(usize::try_from(number).unwrap_or(usize::MAX), "operation")
}
