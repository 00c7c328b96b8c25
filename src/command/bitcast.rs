//! `bitcast?`: do a reshape, a transpose, between two layouts move anything?

use super::failure::Failure;
use super::layout::shape::placed_array;
use super::output::{Object, Output, Role, Status, Text};
use super::table::{Call, Command, Kind, Parameter};
use super::verdict::{reason, verdict_status};
use super::words::{count, tuple};
use crate::layout::memory::Placement;
use crate::ops::relayout::{Misplaced, bitcast, bitcast_map};
use crate::prove::Verdict;
use crate::text::{Style, print_map};
use serde_json::Value;

pub const BITCAST: Command = Command {
    name: "bitcast?",
    parameters: &[
        Parameter::required("FROM", Kind::Shape(&[])),
        Parameter::required("TO", Kind::Shape(&[])),
    ],
    options: &[],
    summary: "prove or refute that a reshape or transpose between two layouts is a bitcast",
    details: "An op is a bitcast if it moves no element: each element of its result is already at its position. The\n\
              answer is proved if the reshape or one of the transposes is a bitcast. `_` is then the map of the bitcast\n\
              between the two shapes.",
    example: &["bitcast? f32[3,5]{0,1} f32[5,3]{1,0}"],
    makes_map: false,
    run,
};

fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    let (from, to) = (placed_array(call, 0)?, placed_array(call, 1)?);
    let blamed = call.argument(1)?.clone();
    let answer = bitcast(&from, &to, &call.proof_budget());
    let answer = answer.map_err(|error| blamed.blame(error))?;
    call.go_on()?;
    let mut text = Text::new();
    let mut status: Option<Status> = None;
    let mut json = Object::new().with("same_extent", answer.same_extent);
    if !answer.same_extent {
        text.push(Role::Bad, "refuted");
        text.push(Role::Plain, format!(": {}", extents(&from, &to)));
        status = Some(Status::Wrong);
    }
    let mut judge = |what: String, verdict: &Verdict<Misplaced>| {
        text.new_line();
        let holds = answer.same_extent && *verdict == Verdict::Proved;
        text.push(Role::Name, format!("{what}: "));
        if holds {
            text.push(Role::Good, "proved");
            text.push(Role::Plain, ", a bitcast");
            status = Some(Status::Done);
        } else {
            say_why_not(&mut text, verdict, &from, &to);
            if answer.same_extent && status != Some(Status::Done) {
                let this = verdict_status(verdict);
                status = Some(status.map_or(this, |before| before.min(this)));
            }
        }
        judgement(verdict)
    };
    let reshape = answer
        .reshape
        .as_ref()
        .map(|verdict| judge("reshape".to_owned(), verdict));
    let transposes: Vec<Value> = answer
        .transposes
        .iter()
        .map(|transposition| {
            let list: Vec<String> = transposition
                .dimensions
                .iter()
                .map(usize::to_string)
                .collect();
            let what = format!("transpose, dimensions={{{}}}", list.join(","));
            let judgement = judge(what, &transposition.verdict);
            judgement
                .with("dimensions", transposition.dimensions.as_slice())
                .into()
        })
        .collect();
    if answer.reshape.is_none() {
        text.new_line();
        text.push(
            Role::Plain,
            format!(
                "reshape: there are {} and {} elements",
                from.elements(),
                to.elements()
            ),
        );
    }
    json = json
        .with_some("reshape", reshape)
        .with("transposes", transposes);
    let map = bitcast_map(&from, &to).map_err(|error| blamed.blame(error))?;
    if let Some(map) = map {
        let map = call
            .simplifier()?
            .simplify(&map, &call.search_options()?)
            .map;
        text.new_line();
        text.push(Role::Name, "as a bitcast: ");
        text.push(Role::Formula, print_map(&map, call.session.style));
        json = json.with("map", print_map(&map, Style::Plain));
        call.session.last = Some(map);
    }
    let status = status.unwrap_or(Status::Wrong);
    call.emit(Output::new(text, json).status(status));
    Ok(())
}

fn extents(from: &Placement, to: &Placement) -> String {
    let of = |placement: &Placement| {
        format!(
            "{} of {}",
            count(placement.positions(), "position"),
            count(placement.bits_per_position(), "bit")
        )
    };
    format!("{} cannot be {}", of(from), of(to))
}

fn say_why_not(text: &mut Text, verdict: &Verdict<Misplaced>, from: &Placement, to: &Placement) {
    match verdict {
        Verdict::Proved => {
            text.push(
                Role::Doubtful,
                "every element keeps its position, but the arrays differ in extent",
            );
        }
        Verdict::Refuted(found) => {
            text.push(Role::Bad, "refuted");
            text.push(
                Role::Plain,
                format!(
                    ": element {} of {} lies at {}, and element {} of {}, which it is, at {}",
                    tuple(&found.element),
                    to.shape(),
                    found.position,
                    tuple(&found.source),
                    from.shape(),
                    found.source_position
                ),
            );
        }
        Verdict::Unknown(reason) => {
            text.push(Role::Doubtful, "unknown");
            text.push(Role::Plain, format!(": {reason}"));
        }
    }
}

fn judgement(verdict: &Verdict<Misplaced>) -> Object {
    let mut object = Object::nested().with("verdict", verdict.word());
    if let Verdict::Refuted(found) = verdict {
        object = object.with(
            "counterexample",
            Object::nested()
                .with("element", found.element.as_slice())
                .with("position", found.position)
                .with("source", found.source.as_slice())
                .with("source_position", found.source_position),
        );
    }
    object.with_some("reason", reason(verdict))
}
