//! `equal`: are two maps the same function, or do they read the same elements?

use super::arguments::Argument;
use super::bare::{is_map, is_paste};
use super::failure::Failure;
use super::given::expr_error;
use super::option::{C, Flag};
use super::output::{Object, Output, Role, Text};
use super::results::number_of;
use super::table::{Call, Command, Kind, Parameter};
use super::token::words;
use super::trace::{Trace, why_outside};
use super::verdict::{at, counterexample, reason, verdict_status, verdict_text};
use super::words::tuple;
use crate::expr::{Domain, Expr, IndexingMap, VariableId};
use crate::prove::{self, Counterexample, Verdict};
use crate::text::is_name;
use serde_json::Value;

pub(super) const READS: Flag = Flag::new(
    "reads",
    "compare the sets of results over all range variables, for each point of the dimensions",
);

pub const EQUAL: Command = Command {
    name: "equal",
    parameters: &[
        Parameter::required("LEFT", Kind::Map),
        Parameter::required("RIGHT", Kind::Map),
    ],
    options: &[READS.switch, C.switch],
    summary: "prove or refute that two maps are the same function",
    details: "Two maps are the same function if they have the same domain and the same values there. Variables are\n\
              matched by kind and position, parameters by name; one that only one map has has the same bounds in the other.\n\
              The answer is proved, refuted (with a point and both values) or unknown (with the reason).",
    example: &["equal (d0) -> (d0 mod 4), domain: d0 in [0, 3] ; (i) -> (i), domain: i in [0, 3]"],
    makes_map: false,
    run,
};

fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    let (left, right) = (call.argument(0)?.clone(), call.argument(1)?.clone());
    let by_reads = call.has(READS);
    compare(call, &left, &right, by_reads)
}

/// Says whether two maps are the same function, or read the same elements.
///
/// # Errors
/// If one of them does not read, or they cannot be compared.
pub fn compare(
    call: &mut Call<'_>,
    left: &Argument,
    right: &Argument,
    by_reads: bool,
) -> Result<(), Failure> {
    let (left_map, left_is_variable) = map_beside(call, left, right)?;
    let (right_map, right_is_variable) = map_beside(call, right, left)?;
    let aligned = |map: &IndexingMap, other: &IndexingMap, argument: &Argument| {
        let aligned = map.with_parameters_of(other.domain());
        aligned.map_err(|error| argument.blame(expr_error(error)))
    };
    let right_map = aligned(&right_map, &left_map, right)?;
    let left_map = aligned(&left_map, &right_map, left)?;
    let budget = call.proof_budget();
    let verdict = match by_reads {
        true => prove::equal_reads(&left_map, &right_map, &budget),
        false => prove::equal_functions(&left_map, &right_map, &budget),
    };
    let verdict = call.uninterrupted(verdict.map_err(|error| right.blame(error))?)?;
    let (mut text, mut json) = compared(&left_map, &right_map, by_reads, &verdict);
    if left_is_variable || right_is_variable {
        let name = if left_is_variable { left } else { right };
        let name = name.text.trim();
        let taken = format!("`{name}` is taken where the code is defined");
        text.push(Role::Faint, format!("\n{taken}"));
        json = json.with("assumed", taken);
    }
    call.session.last_compared = Some((left_map, right_map, by_reads));
    let output = Output::new(text, json);
    call.emit(output.status(verdict_status(&verdict)));
    Ok(())
}

/// The map of an argument; a name that no map has, beside code with a variable of this name, is that variable where the
/// code is defined.
fn map_beside(
    call: &Call<'_>,
    argument: &Argument,
    other: &Argument,
) -> Result<(IndexingMap, bool), Failure> {
    let name = argument.text.trim();
    let names = words(&other.text, 0..other.text.len());
    let mut names = names.flat_map(|word| other.text[word].split(|c: char| !is_part(c)));
    let is_variable = is_name(name)
        && name != "_"
        && number_of(name).is_none()
        && !call.session.maps.contains_key(name)
        && is_paste(&other.text)
        && !is_map(&other.text)
        && names.any(|word| word == name);
    if is_variable {
        let domain = call.map(other)?.domain().clone();
        let mut numbered = (0..).map(VariableId).zip(domain.variables());
        if let Some((id, _)) = numbered.find(|(_, variable)| &*variable.name == name) {
            let map = IndexingMap::new(domain.clone(), vec![Expr::variable(id)]);
            return Ok((map, true));
        }
    }
    Ok((call.map(argument)?, false))
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The answer to a comparison, for people and for programs.
pub(super) fn compared(
    left: &IndexingMap,
    right: &IndexingMap,
    by_reads: bool,
    verdict: &Verdict,
) -> (Text, Object) {
    // Where only the second map reads an element, the point is one of its own.
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

/// Both sides of a counterexample node by node, or why one of them is not defined there.
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
    let sides = [
        ("left_outside", "first", left),
        ("right_outside", "second", right),
    ];
    for (key, which, map) in sides {
        if let Some(reason) = why_outside(map, &found.point) {
            text.push(
                Role::Plain,
                format!("\n  outside the domain of the {which}: {reason}"),
            );
            fields.push((key, reason.into()));
        }
    }
    (text, fields)
}

/// An element that one map reads and the other does not.
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
