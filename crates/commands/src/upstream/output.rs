//! The answer for a line, and the totals.

use super::found::Found;
use super::known::Known;
use crate::output::{Object, Output, Role, Status, Text};
use crate::rules::code::InCode;
use crate::rules::verdict as rule_verdict;
use affinor::rule::verify::Verdict;
use affinor::text::token::excerpt;
use affinor::text::{Error, Span};
use affinor_workshop::upstream::{Below, Division, Line};

/// The number of lines with each verdict.
#[derive(Default)]
pub(super) struct Totals {
    lines: usize,
    proved: usize,
    refuted: usize,
    unknown: usize,
    not_stated: usize,
    by_rule: usize,
    derived: usize,
    new: usize,
}

/// Returns the verdict on a line: the worst of its cases.
fn verdict(found: &[Found]) -> (&'static str, Status) {
    let is = |wanted: fn(&Verdict) -> bool| {
        let mut cases = found.iter();
        cases.any(|one| wanted(one.judgement.own(&one.stated)))
    };
    let below = |wanted: fn(&Below) -> bool| {
        let mut cases = found.iter();
        cases.any(|one| one.judgement.below.as_ref().is_some_and(wanted))
    };
    let is_refuted = is(|verdict| matches!(verdict, Verdict::Refuted(_)));
    if is_refuted || below(|below| matches!(below, Below::Refuted(..))) {
        return ("refuted", Status::Wrong);
    }
    let is_unknown = is(|verdict| matches!(verdict, Verdict::Unknown(_)));
    if is_unknown || below(|below| matches!(below, Below::Unknown(_))) {
        return ("unknown", Status::Undecided);
    }
    ("proved", Status::Done)
}

/// Returns the answer for a line of `text`.
pub(super) fn line_output(
    text: &str,
    line: &Line,
    found: &Result<Vec<Found>, Error>,
    totals: &mut Totals,
) -> Output {
    totals.lines += 1;
    let (number, _) = place(text, &line.span);
    let mut shown = Text::of(Role::Name, format!("{number}: ")).with(Role::Faint, &line.text);
    let json = Object::new()
        .with("line", number)
        .with("system", line.system.word())
        .with("text", line.text.as_str());
    let found = match found {
        Ok(found) => found,
        Err(error) => {
            totals.not_stated += 1;
            let (text, json) = not_stated(text, error, json);
            shown.append(indented(text));
            return Output::new(shown, json).status(Status::Undecided);
        }
    };
    let (verdict, status) = verdict(found);
    match status {
        Status::Done => totals.proved += 1,
        Status::Undecided => totals.unknown += 1,
        Status::Wrong | Status::Usage => totals.refuted += 1,
    }
    totals.look_up(found);
    let mut rules = Vec::new();
    for one in found {
        shown.append(indented(case_text(one)));
        rules.push(case_object(one));
    }
    let json = json.with("verdict", verdict).with("rules", rules);
    Output::new(shown, json).status(status)
}

/// Returns the line and column of the start of a span, from 1.
fn place(text: &str, span: &Span) -> (usize, usize) {
    let before = text.get(..span.start).unwrap_or(text);
    let line = before.rsplit('\n').next().unwrap_or("");
    (before.matches('\n').count() + 1, line.chars().count() + 1)
}

/// Reports a line that is not integer arithmetic, with the reason and its position.
fn not_stated(text: &str, error: &Error, json: Object) -> (Text, Object) {
    let mut shown = Text::of(Role::Plain, "\n").with(Role::Doubtful, "not stated");
    shown.push(Role::Plain, format!(": {}", error.message));
    let mut object =
        Object::nested().with("kind", error.kind.code()).with("message", error.message.as_str());
    if let Some(span) = &error.span {
        let (line, column) = place(text, span);
        shown.push(Role::Plain, format!(", at line {line}, column {column}"));
        let word = text.get(span.clone()).unwrap_or("");
        object = object.with("word", excerpt(word)).with("line", line).with("column", column);
    }
    (shown, json.with("not_stated", object))
}

fn case_text(found: &Found) -> Text {
    let Found { stated, judgement, known } = found;
    let rule = &stated.rule;
    let mut text = Text::of(Role::Plain, "\n").with(Role::Formula, &rule.text);
    text.new_line();
    text.append(rule_verdict::short_text(rule, &judgement.floor));
    if judgement.is_vacuous {
        let note = "\nno point satisfies its conditions, as far as was searched";
        text.push(Role::Doubtful, note);
    }
    if stated.division == Some(Division::TowardZero) {
        text.push(
            Role::Faint,
            "\nthat is if division rounds down; the line itself rounds toward zero",
        );
    }
    if stated.division == Some(Division::Mixed) {
        text.push(Role::Faint, "\nthe line also divides toward zero, which is written out here");
    }
    let in_code = InCode::found(rule, judgement.toward_zero.clone(), judgement.overflow.clone());
    text.append(in_code.text());
    if !stated.assumed.is_empty() {
        let assumed: Vec<String> =
            stated.assumed.iter().map(|condition| rule.write_condition(condition)).collect();
        let note = format!("\nadded, for the line does not say it: {}", assumed.join(", "));
        text.push(Role::Faint, note);
    }
    match &judgement.below {
        None => {}
        Some(Below::Proved) => text.push(Role::Faint, "\nalso for divisors below 1"),
        Some(Below::Unknown(_)) => text.push(Role::Doubtful, "\nunknown for divisors below 1"),
        Some(Below::Refuted(rule, point)) => {
            text.push(Role::Bad, "\nfails for divisors below 1");
            let at = rule_verdict::at(rule, point);
            text.push(Role::Plain, format!(": {at}, as {}", rule.text));
        }
    }
    if let Some(known) = known {
        text.push(Role::Plain, format!("\n{}", known.text()));
    }
    text
}

fn case_object(found: &Found) -> Object {
    let Found { stated, judgement, known } = found;
    let rule = &stated.rule;
    let assumed: Vec<String> =
        stated.assumed.iter().map(|condition| rule.write_condition(condition)).collect();
    let object = Object::nested().with("rule", rule.text.as_str());
    let object = rule_verdict::object(object, rule, &judgement.floor)
        .with("vacuous", judgement.is_vacuous)
        .with(
            "divides",
            stated.division.map(|division| match division {
                Division::Floor => "floor",
                Division::Euclidean => "euclidean",
                Division::TowardZero => "toward zero",
                Division::Mixed => "mixed",
            }),
        )
        .with("assumed", assumed);
    let in_code = InCode::found(rule, judgement.toward_zero.clone(), judgement.overflow.clone());
    let below = judgement.below.as_ref().map(|below| match below {
        Below::Proved => Object::nested().with("verdict", "proved"),
        Below::Unknown(reason) => {
            Object::nested().with("verdict", "unknown").with("reason", reason.as_str())
        }
        Below::Refuted(rule, point) => Object::nested()
            .with("verdict", "refuted")
            .with("rule", rule.text.as_str())
            .with("point", rule_verdict::point_object(rule, point)),
    });
    in_code
        .object(object)
        .with_some("below_one", below)
        .with_some("known", known.as_ref().map(Known::object))
}

/// Indents each line.
fn indented(text: Text) -> Text {
    let mut further = Text::new();
    for (role, piece) in text.pieces() {
        further.push(role, piece.replace('\n', "\n  "));
    }
    further
}

impl Totals {
    fn look_up(&mut self, found: &[Found]) {
        let words: Option<Vec<&str>> =
            found.iter().map(|one| one.known.as_ref().map(Known::word)).collect();
        let Some(words) = words else { return };
        let all = |known: &[&str]| words.iter().all(|word| known.contains(word));
        if words.contains(&"new") {
            self.new += 1;
        } else if all(&["rule"]) {
            self.by_rule += 1;
        } else if all(&["rule", "derived", "tried"]) {
            self.derived += 1;
        }
    }

    /// Returns the totals, in words and as JSON.
    pub(super) fn output(&self) -> Output {
        let role = |count: usize, role| if count > 0 { role } else { Role::Plain };
        let text = Text::of(Role::Name, format!("{} lines", self.lines))
            .plain(": ")
            .with(role(self.proved, Role::Good), format!("{} proved", self.proved))
            .plain(", ")
            .with(role(self.refuted, Role::Bad), format!("{} refuted", self.refuted))
            .plain(", ")
            .with(role(self.unknown, Role::Doubtful), format!("{} unknown", self.unknown))
            .plain(", ")
            .with(role(self.not_stated, Role::Doubtful), format!("{} not stated", self.not_stated))
            .plain(format!(
                "; rules have {}, `simplify` derives {}, {} are new",
                self.by_rule, self.derived, self.new
            ));
        let json = Object::new()
            .with("lines", self.lines)
            .with("proved", self.proved)
            .with("refuted", self.refuted)
            .with("unknown", self.unknown)
            .with("not_stated", self.not_stated)
            .with("by_rule", self.by_rule)
            .with("derived", self.derived)
            .with("new", self.new);
        Output::new(text, json)
    }
}
