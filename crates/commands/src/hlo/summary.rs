//! Counts of the instructions of a module: exact maps, upper bounds, and unknown reads.
//!
//! Law: each instruction is counted once, by the least precise of its entries.

use super::judgement::Checked;
use crate::output::{Object, Output, Role, Text, clipped};
use crate::words::count;
use affinor_hlo::opcode::Opcode;
use affinor_ops::indexing::{Exactness, OperandReads, Reads, no_op};
use std::collections::BTreeMap;

/// The maximal number of reasons of a kind that are listed.
const REASONS: usize = 3;

/// How precisely the reads of an instruction are known, with the first reason why they are not exact.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Known {
    Exact,
    AtMost(String),
    Unknown(String),
}

impl Known {
    /// Classifies an instruction with these reads. An unknown op is `Unknown` even if it has no operands.
    pub(super) fn of(opcode: &Opcode, reads: &[OperandReads]) -> Known {
        let mut bound = None;
        for entry in reads {
            match &entry.reads {
                Reads::Unknown { reason } => return Known::Unknown(general(reason)),
                Reads::Maps(maps) => {
                    let reason = maps.iter().find_map(|map| match &map.exactness {
                        Exactness::Exact => None,
                        Exactness::AtMost { reason } => Some(reason),
                    });
                    bound = bound.or(reason);
                }
            }
        }
        if let (Opcode::Other(name), []) = (opcode, reads) {
            return Known::Unknown(no_op(&clipped(name)));
        }
        bound.map_or(Known::Exact, |reason| Known::AtMost(general(reason)))
    }
}

/// Returns a reason without the names of the instructions that it is about.
fn general(mut reason: &str) -> String {
    while let Some((_, rest)) = reason.strip_prefix('`').and_then(|rest| rest.split_once("`: ")) {
        reason = rest;
    }
    reason.to_owned()
}

/// The counts of a module.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Summary {
    exact: usize,
    at_most: BTreeMap<String, usize>,
    unknown: BTreeMap<String, usize>,
    /// The number of instructions that contradict themselves.
    wrong: usize,
}

impl Summary {
    pub(super) fn add(&mut self, known: Known) {
        match known {
            Known::Exact => self.exact += 1,
            Known::AtMost(reason) => *self.at_most.entry(reason).or_default() += 1,
            Known::Unknown(reason) => *self.unknown.entry(reason).or_default() += 1,
        }
    }

    pub(super) fn add_wrong(&mut self) {
        self.wrong += 1;
    }

    /// Returns `{"instructions", "exact", "at_most", "unknown", "wrong", "at_most_reasons", "unknown_reasons"}`
    pub(super) fn json(&self) -> Object {
        let reasons = |counts| {
            let named = most_frequent(counts).into_iter();
            let named = named.map(|(reason, count)| {
                Object::nested().with("reason", reason).with("count", count)
            });
            named.collect::<Vec<_>>()
        };
        let (at_most, unknown) = (sum(&self.at_most), sum(&self.unknown));
        Object::nested()
            .with("instructions", self.exact + at_most + unknown + self.wrong)
            .with("exact", self.exact)
            .with("at_most", at_most)
            .with("unknown", unknown)
            .with("wrong", self.wrong)
            .with("at_most_reasons", reasons(&self.at_most))
            .with("unknown_reasons", reasons(&self.unknown))
    }

    /// Returns `14 instructions, 1 exact, 1 at most, 11 unknown, 1 wrong`
    pub(super) fn counts(&self) -> String {
        let (at_most, unknown) = (sum(&self.at_most), sum(&self.unknown));
        let all = count(self.exact + at_most + unknown + self.wrong, "instruction");
        let exact = self.exact;
        let wrong = match self.wrong {
            0 => String::new(),
            wrong => format!(", {wrong} wrong"),
        };
        format!("{all}, {exact} exact, {at_most} at most, {unknown} unknown{wrong}")
    }

    fn text(&self) -> Text {
        let counts = match self {
            _ if *self == Summary::default() => "no instruction, so nothing is read".to_owned(),
            _ => self.counts(),
        };
        let mut text = Text::of(Role::Name, "summary").plain(format!(": {counts}"));
        for (kind, counts) in [("at most", &self.at_most), ("unknown", &self.unknown)] {
            for (reason, count) in most_frequent(counts) {
                text.push(Role::Plain, format!("\n  {count} "));
                text.push(Role::Doubtful, kind);
                text.push(Role::Plain, format!(": {reason}"));
            }
        }
        text
    }

    /// Returns `{"summary"}`, with the verdicts on the maps if they were `checked`.
    pub(super) fn output(&self, checked: Option<Checked>) -> Output {
        let (mut text, json) = (self.text(), self.json());
        if let Some(checked) = checked {
            text.push(Role::Plain, "\n");
            text.append(checked.text());
        }
        let json = json.with_some("checked", checked.map(Checked::json));
        Output::new(text, Object::new().with("summary", json))
    }
}

fn sum(counts: &BTreeMap<String, usize>) -> usize {
    counts.values().sum()
}

/// Returns the most frequent reasons; reasons of equal count are in the order of their texts.
fn most_frequent(counts: &BTreeMap<String, usize>) -> Vec<(&str, usize)> {
    let mut sorted: Vec<(&str, usize)> =
        counts.iter().map(|(reason, count)| (reason.as_str(), *count)).collect();
    sorted.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    sorted.truncate(REASONS);
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_frequent_reasons_are_named_without_instructions() {
        let mut summary = Summary::default();
        for (reason, count) in [
            ("`a`: one", 1),
            ("`b`: `c`: two", 2),
            ("`d`: two", 1),
            ("three", 3),
            ("`four` is odd", 4),
        ] {
            for _ in 0..count {
                summary.add(Known::Unknown(general(reason)));
            }
        }
        summary.add(Known::Exact);
        summary.add(Known::AtMost("five".to_owned()));
        summary.add_wrong();
        let expected = "summary: 14 instructions, 1 exact, 1 at most, 11 unknown, 1 wrong\n  1 at most: five\n  \
            4 unknown: `four` is odd\n  3 unknown: three\n  3 unknown: two";
        assert_eq!(summary.text().to_string(), expected);
    }
}
