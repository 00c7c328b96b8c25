//! `bitcast`: decides whether a reshape or a transpose between two layouts moves any element.

use super::arguments::Argument;
use super::failure::Failure;
use super::instruction::{OPERAND, Read, each};
use super::layout::shape::placed_array;
use super::output::{Object, Output, Role, Status, Text};
use super::table::{Call, Command, Kind, Parameter};
use super::verdict::{reason, verdict_status};
use super::words::{count, tuple};
use affinor::prove::Verdict;
use affinor::text::{ErrorKind, Style, print_map};
use affinor_hlo::opcode::Opcode;
use affinor_layout::memory::Placement;
use affinor_ops::relayout::{
    Misplaced, bitcast, bitcast_map, decompose, keeps_positions, only_moves, same_extent,
};
use serde_json::Value;

pub const BITCAST: Command = Command {
    name: "bitcast",
    parameters: &[
        Parameter::required("FROM", Kind::Shape(&[])),
        Parameter::required("TO", Kind::Shape(&[])),
    ],
    options: &[OPERAND.switch],
    summary: "prove or refute that a reshape or transpose between two layouts is a bitcast",
    details: "An op is a bitcast if it moves no element: each element of its result is already at its position. The\n\
              answer is proved if the reshape or one of the transposes is a bitcast; for an instruction of a module, if that\n\
              op is. `_` is then the map of the bitcast between the two shapes. If a bitcast was proved to be a transpose, a\n\
              reshape and a transpose, or some of these, `as ops` lists them as `op` takes them.",
    example: &["bitcast model.hlo transpose.3", "bitcast f32[3,5]{0,1} f32[5,3]{1,0}"],
    makes_map: false,
    keys: "",
    run,
};

fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    let is_module = each(call, |call, read| {
        let [to, from] = read.placements()?;
        let output = of_read(call, read, &from, &to)?;
        as_bitcast(call, output, &read.blamed, [&from, &to])
    })?;
    if is_module {
        return Ok(());
    }
    let (from, to) = (placed_array(call, 0)?, placed_array(call, 1)?);
    let blamed = call.argument(1)?.clone();
    let output = of_shapes(call, &blamed, &from, &to)?;
    let output = as_bitcast(call, output, &blamed, [&from, &to])?;
    call.emit(output);
    Ok(())
}

/// The findings, before the map of the bitcast is added.
struct Found {
    text: Text,
    json: Object,
    status: Status,
}

/// Decides whether the instruction is a bitcast.
fn of_read(
    call: &Call<'_>,
    read: &Read<'_>,
    from: &Placement,
    to: &Placement,
) -> Result<Found, Failure> {
    let name = read.instruction.opcode().name();
    if !only_moves(read.module, read.instruction) {
        let message = format!("`{name}` does more than move elements, so it is not a bitcast");
        let hint = "ask about the layouts: `bitcast FROM TO`";
        return Err(read.blamed.wrong(ErrorKind::Usage, message).hint(hint));
    }
    let is_same = same_extent(from, to);
    let json = Object::new().with("same_extent", is_same);
    let mut text = Text::of(Role::Name, format!("{name}: "));
    if *read.instruction.opcode() == Opcode::Bitcast {
        text.push(Role::Good, "a bitcast by definition");
        return Ok(Found { text, json, status: Status::Done });
    }
    let verdict = keeps_positions(&read.map.map, from, to, &call.proof_budget());
    let verdict = verdict.map_err(|error| read.blamed.blame(error))?;
    call.go_on()?;
    let status = match is_same {
        true => verdict_status(&verdict),
        false => Status::Wrong,
    };
    if is_same && verdict == Verdict::Proved {
        text.push(Role::Good, "proved");
        text.push(Role::Plain, ", a bitcast");
    } else if is_same {
        say_why_not(&mut text, &verdict, from, to);
    } else {
        text.push(Role::Bad, "refuted");
        text.push(Role::Plain, format!(": {}", extents(from, to)));
    }
    let json = json.with("instruction", judgement(&verdict));
    Ok(Found { text, json, status })
}

/// Decides whether the reshape and the transposes between two shapes are bitcasts.
fn of_shapes(
    call: &Call<'_>,
    blamed: &Argument,
    from: &Placement,
    to: &Placement,
) -> Result<Found, Failure> {
    let answer = bitcast(from, to, &call.proof_budget());
    let answer = answer.map_err(|error| blamed.blame(error))?;
    call.go_on()?;
    let mut text = Text::new();
    let mut status: Option<Status> = None;
    let mut json = Object::new().with("same_extent", answer.same_extent);
    if !answer.same_extent {
        text.push(Role::Bad, "refuted");
        text.push(Role::Plain, format!(": {}", extents(from, to)));
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
            say_why_not(&mut text, verdict, from, to);
            if answer.same_extent && status != Some(Status::Done) {
                let this = verdict_status(verdict);
                status = Some(status.map_or(this, |before| before.min(this)));
            }
        }
        judgement(verdict)
    };
    let reshape = answer.reshape.as_ref().map(|verdict| judge("reshape".to_owned(), verdict));
    let transposes: Vec<Value> = answer
        .transposes
        .iter()
        .map(|transposition| {
            let list: Vec<String> = transposition.dimensions.iter().map(usize::to_string).collect();
            let what = format!("transpose, dimensions={{{}}}", list.join(","));
            let judgement = judge(what, &transposition.verdict);
            judgement.with("dimensions", transposition.dimensions.as_slice()).into()
        })
        .collect();
    if answer.reshape.is_none() {
        text.new_line();
        text.push(
            Role::Plain,
            format!("reshape: there are {} and {} elements", from.elements(), to.elements()),
        );
    }
    json = json.with_some("reshape", reshape).with("transposes", transposes);
    Ok(Found { text, json, status: status.unwrap_or(Status::Wrong) })
}

/// Adds the map of the bitcast between the two arrays, and the equivalent ops, if they exist.
fn as_bitcast(
    call: &mut Call<'_>,
    found: Found,
    blamed: &Argument,
    [from, to]: [&Placement; 2],
) -> Result<Output, Failure> {
    let Found { mut text, mut json, status } = found;
    let map = bitcast_map(from, to).map_err(|error| blamed.blame(error))?;
    if let Some(map) = map {
        let map = call.simplifier()?.simplify(&map, &call.search_options()?).map;
        text.new_line();
        text.push(Role::Name, "as a bitcast: ");
        text.push(Role::Formula, print_map(&map, call.session.style));
        json = json.with("map", print_map(&map, Style::Plain));
        call.session.last = Some(map);
    }
    let ops = decompose(from, to, &call.proof_budget());
    let ops = ops.map_err(|error| blamed.blame(error))?;
    call.go_on()?;
    if let Some(ops) = ops {
        let chain = ops.chain(from);
        text.new_line();
        text.push(Role::Name, "as ops: ");
        text.push(Role::Formula, chain.as_str());
        json = json.with("ops", chain);
    }
    Ok(Output::new(text, json).status(status))
}

/// Returns the reason why arrays that differ in extent are not bitcasts of each other.
pub fn extents(from: &Placement, to: &Placement) -> String {
    let [one, other] = [from, to].map(|placement| placement.shape().layout());
    if one.memory_space() != other.memory_space() {
        let (one, other) = (one.memory_space(), other.memory_space());
        return format!("memory space {one} is not memory space {other}");
    }
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
            text.push(Role::Plain, format!(": {}", misplaced(found, from, to)));
        }
        Verdict::Unknown(reason) => {
            text.push(Role::Doubtful, "unknown");
            text.push(Role::Plain, format!(": {reason}"));
        }
    }
}

/// Describes an element whose position changes.
pub fn misplaced(found: &Misplaced, from: &Placement, to: &Placement) -> String {
    format!(
        "element {} of {} lies at {}, and element {} of {}, which it is, at {}",
        tuple(&found.element),
        to.shape(),
        found.position,
        tuple(&found.source),
        from.shape(),
        found.source_position
    )
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
