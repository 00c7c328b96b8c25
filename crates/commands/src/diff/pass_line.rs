//! Summarizes one pass of a dump in one line.
//!
//! Law: the line is the worst of the answers about the pass, followed by the number of other answers that are as bad.

use crate::failure::{Failure, Place};
use crate::output::{Object, Output, Role, Status, Text};
use affinor::text::render::Source;
use serde_json::Value;

/// The effect of a pass, the worst last.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum PassVerdict {
    /// The same computation.
    Same,
    /// The same computation up to rounding.
    Rounded,
    /// The same reads; nothing is known about the values.
    SameReads,
    Unknown,
    /// The same reads, but another computation.
    ComputedOtherwise,
    Changed,
}

impl PassVerdict {
    pub(super) fn is_change(self) -> bool {
        self >= PassVerdict::ComputedOtherwise
    }

    fn name(self) -> &'static str {
        match self {
            PassVerdict::Same => "same",
            PassVerdict::Rounded => "rounded",
            PassVerdict::SameReads => "same_reads",
            PassVerdict::Unknown => "unknown",
            PassVerdict::ComputedOtherwise => "computed_otherwise",
            PassVerdict::Changed => "changed",
        }
    }

    fn of(answer: &Output) -> PassVerdict {
        let change = answer.json.as_ref().and_then(|json| json.get("change")?.as_str());
        match change {
            Some("changed") => PassVerdict::Changed,
            Some("computed_otherwise") => PassVerdict::ComputedOtherwise,
            Some("unknown") => PassVerdict::Unknown,
            Some("rounded") => PassVerdict::Rounded,
            Some("values_unknown") => PassVerdict::SameReads,
            _ => PassVerdict::Same,
        }
    }
}

/// The line of a pass.
pub(super) struct PassLine {
    pub(super) verdict: PassVerdict,
    pub(super) output: Output,
}

/// Returns the line of the pass `name` for these answers. A change is marked if it may be the first.
pub(super) fn pass_line(name: &str, answers: &[Output], may_be_first: bool) -> PassLine {
    let verdict = answers.iter().map(PassVerdict::of).max().unwrap_or(PassVerdict::Same);
    let mut worst = answers.iter().filter(|answer| PassVerdict::of(answer) == verdict);
    let first = worst.next();
    let others = worst.count();
    let is_first = may_be_first && verdict.is_change();
    let mut text = Text::new();
    match first {
        None => text = Text::of(Role::Name, name).plain(": the same"),
        Some(answer) => {
            // The maps are in further lines.
            'line: for (role, piece) in answer.text.pieces() {
                let role = if role == Role::Bad && !is_first { Role::Plain } else { role };
                match piece.split_once('\n') {
                    None => text.push(role, piece),
                    Some((start, _)) => {
                        text.push(role, start);
                        break 'line;
                    }
                }
            }
            if others > 0 {
                text.push(Role::Faint, format!(" (and {others} more)"));
            }
        }
    }
    let mut json = Object::new().with("pass", name).with("outcome", verdict.name());
    if is_first {
        json = json.with("first", true);
    }
    if let Some(fields) = first.and_then(|answer| answer.json.clone()) {
        json = json.and(Value::Object(fields));
    }
    let status = first.map_or(Status::Done, |answer| answer.status);
    PassLine { verdict, output: Output::new(text, json).status(status) }
}

/// Returns the line of a file that cannot be read.
pub(super) fn left_out(name: &str, failure: &Failure) -> Output {
    let error = &failure.error;
    let mut reason = error.message.clone();
    if let (Place::Source(source), Some(span)) = (&failure.place, &error.span) {
        let text = Source { name: &source.name, text: &source.text, first_line: source.first_line };
        let place = text.place(span.start);
        reason = format!("at {}:{}, {reason}", place.line, place.column);
    }
    if let Some(hint) = &error.hint {
        reason = format!("{reason}; hint: {hint}");
    }
    let text =
        Text::of(Role::Name, name).with(Role::Doubtful, " left out").plain(format!(": {reason}"));
    let json = Object::new().with("pass", name).with("outcome", "left_out").with("reason", reason);
    Output::new(text, json).status(failure.status())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(change: &str, text: &str, status: Status) -> Output {
        let json = Object::new().with("change", change).with("what", text);
        Output::new(Text::of(Role::Bad, text), json).status(status)
    }

    #[test]
    fn the_worst_answer_is_said() {
        let index = answer("index", "p: as an index", Status::Done);
        let open = answer("values_unknown", "p: not known", Status::Done);
        let unknown = answer("unknown", "p unknown", Status::Undecided);
        let otherwise = answer("computed_otherwise", "p otherwise", Status::Wrong);
        let changed = answer("changed", "p changed\n  old (d0) -> (d0)", Status::Wrong);
        for (answers, verdict, text, status) in [
            (vec![], PassVerdict::Same, "p: the same", Status::Done),
            (vec![&index], PassVerdict::Same, "p: as an index", Status::Done),
            (vec![&index, &open], PassVerdict::SameReads, "p: not known", Status::Done),
            (
                vec![&unknown, &unknown],
                PassVerdict::Unknown,
                "p unknown (and 1 more)",
                Status::Undecided,
            ),
            (
                vec![&unknown, &otherwise],
                PassVerdict::ComputedOtherwise,
                "p otherwise",
                Status::Wrong,
            ),
            (vec![&otherwise, &changed], PassVerdict::Changed, "p changed", Status::Wrong),
        ] {
            let answers: Vec<Output> = answers.into_iter().cloned().collect();
            for is_first in [true, false] {
                let found = pass_line("p", &answers, is_first);
                assert_eq!((found.verdict, found.output.status), (verdict, status));
                assert_eq!(found.output.text.to_string(), text);
                let json = found.output.json.expect("an object");
                assert_eq!(json.contains_key("first"), is_first && verdict.is_change());
                assert_eq!(json["outcome"], verdict.name());
                let is_bad = found.output.text.pieces().any(|(role, _)| role == Role::Bad);
                assert_eq!(is_bad && verdict.is_change(), is_first && verdict.is_change());
            }
        }
    }
}
