//! `equal`: are two maps the same function, or do they read the same elements?

use super::arguments::Argument;
use super::failure::Failure;
use super::output::{Object, Output, Role, Text};
use super::session::Call;
use super::table::{Command, Kind, Parameter, Switch};
use super::verdict::{
    at, counterexample, reason, tuple, verdict_status, verdict_text, verdict_word,
};
use crate::map::Domain;
use crate::prove::{self, Counterexample, Verdict};

/// `equal`
pub const EQUAL: Command = Command {
    name: "equal",
    parameters: &[
        Parameter {
            name: "LEFT",
            kind: Kind::Map,
            required: true,
        },
        Parameter {
            name: "RIGHT",
            kind: Kind::Map,
            required: true,
        },
    ],
    options: &[Switch {
        name: "reads",
        value: None,
        summary: "compare the sets of results over all ranges, for each point of the dimensions",
    }],
    summary: "proves or refutes that two maps are the same function",
    details: "The same function: the same domain, and the same values there; variables are matched by kind and\n\
              position, their names do not matter. The answer is proved, refuted (with a point and both values)\n\
              or unknown (with the reason).",
    example: &["equal (d0) -> (d0 mod 4), domain: d0 in [0, 3] ; (i) -> (i), domain: i in [0, 3]"],
    makes_map: false,
    run,
};

fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    let (left, right) = (call.argument(0)?.clone(), call.argument(1)?.clone());
    let by_reads = call.arguments.has("reads");
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
    let (left_map, right_map) = (call.map(left)?, call.map(right)?);
    let budget = call.proof_budget();
    let verdict = match by_reads {
        true => prove::equal_reads(&left_map, &right_map, &budget),
        false => prove::equal_functions(&left_map, &right_map, &budget),
    };
    let verdict = call.uninterrupted(verdict.map_err(|error| right.blame(error))?)?;
    // Where only the second map reads an element, the point is one of its own.
    let domain = match &verdict {
        Verdict::Refuted(found) if by_reads && found.left.is_none() => right_map.domain(),
        _ => left_map.domain(),
    };
    let text = match &verdict {
        Verdict::Refuted(found) if by_reads => reads_text(found, domain),
        _ => verdict_text(&verdict, domain),
    };
    let json = Object::new()
        .with("verdict", verdict_word(&verdict))
        .with_some("counterexample", counterexample(&verdict, domain))
        .with_some("reason", reason(&verdict));
    let output = Output::new(text, json);
    call.emit(output.status(verdict_status(&verdict)));
    Ok(())
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
