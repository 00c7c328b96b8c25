//! The answer to a comparison of two maps.

use super::option::Flag;
use super::output::{Object, Role, Text};
use super::trace::{Trace, why_outside};
use super::verdict::{at, counterexample, reason, verdict_text};
use super::words::tuple;
use affinor::expr::{Domain, IndexingMap};
use affinor::prove::{Counterexample, Verdict};
use serde_json::Value;

pub(super) const READS: Flag = Flag::new(
    "reads",
    "compare the sets of results over all range variables, for each point of the dimensions",
);

/// Returns the answer to a comparison, as text and as JSON.
pub(super) fn compared(
    left: &IndexingMap,
    right: &IndexingMap,
    by_reads: bool,
    verdict: &Verdict,
) -> (Text, Object) {
    // If only the second map reads an element, the point is in the second domain.
    let domain = match verdict {
        Verdict::Refuted(found) if by_reads && found.left.is_none() => right.domain(),
        _ => left.domain(),
    };
    let mut text = match verdict {
        Verdict::Refuted(found) if by_reads => reads_text(found, domain),
        _ => verdict_text(verdict, domain),
    };
    let mut example = counterexample(verdict, domain);
    if let (Verdict::Refuted(found), false) = (verdict, by_reads) {
        let (more, fields) = node_by_node(left, right, found);
        text.append(more);
        example = example.map(|object| fields.into_iter().fold(object, |o, (k, v)| o.with(k, v)));
    }
    let json = Object::new()
        .with("verdict", verdict.word())
        .with_some("counterexample", example)
        .with_some("reason", reason(verdict));
    (text, json)
}

/// Returns the values of both sides at a counterexample, node by node, or the reason why a side is undefined there.
fn node_by_node(
    left: &IndexingMap,
    right: &IndexingMap,
    found: &Counterexample,
) -> (Text, Vec<(&'static str, Value)>) {
    let mut text = Text::new();
    let mut fields: Vec<(&'static str, Value)> = Vec::new();
    if found.left.is_some() && found.right.is_some() {
        if let Some(trace) = Trace::of_maps(left, right, &found.point) {
            text.append(trace.text());
            fields.push(("nodes", trace.json().into()));
        }
        return (text, fields);
    }
    let sides = [("left_outside", "first", left), ("right_outside", "second", right)];
    for (key, which, map) in sides {
        if let Some(reason) = why_outside(map, &found.point) {
            text.push(Role::Plain, format!("\n  outside the domain of the {which}: {reason}"));
            fields.push((key, reason.into()));
        }
    }
    (text, fields)
}

/// Describes an element that one map reads and the other does not.
fn reads_text(found: &Counterexample, domain: &Domain) -> Text {
    let (reader, other, element) = match (&found.left, &found.right) {
        (Some(element), _) => ("first", "second", element.as_slice()),
        (None, element) => ("second", "first", element.as_deref().unwrap_or_default()),
    };
    Text::of(Role::Bad, "refuted").plain(format!(
        ": {}the {reader} map reads {}, the {other} does not",
        at(&found.point, domain),
        tuple(element)
    ))
}
