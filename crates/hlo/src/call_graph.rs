//! Makes calls acyclic and of bounded depth: a call that violates this is cut, and its instruction becomes doubtful.
//!
//! So traversals of calls may recurse.

use super::attribute::ComputationReference;
use super::cursor::{quoted, wrong};
use super::doubtful;
use super::module::{Computation, ComputationId, Instruction};
use affinor_maps::text::{Error, ErrorKind, Span};

/// Maximum nesting depth of calls. Models seen so far have 5.
pub(super) const MAX_CALL_DEPTH: usize = 64;

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    /// The computation is on the current path.
    Open,
    /// The computation is finished, with the nesting depth of the calls below it.
    Done(usize),
}

/// A computation on the current path.
struct Step {
    caller: usize,
    next_call: usize,
    /// The nesting depth below it, as far as known.
    depth: usize,
}

/// Cuts calls that are cyclic or nested too deep; returns a note for each.
pub(super) fn cut(computations: &mut [Computation]) -> Vec<Error> {
    let mut notes = Vec::new();
    for (caller, place, note) in too_deep(computations) {
        let instruction = &mut computations[caller].instructions[place];
        let name = instruction.opcode.name().to_owned();
        doubtful::doubt(instruction, &name);
        instruction.attributes.computations_mut().for_each(|reference| reference.target = None);
        notes.push(note);
    }
    notes
}

/// Returns the computation and the instruction of each call to cut.
fn too_deep(computations: &[Computation]) -> Vec<(usize, usize, Error)> {
    let mut cut = Vec::new();
    let calls: Vec<Vec<Call>> = computations.iter().map(calls_of).collect();
    let mut states = vec![State::New; computations.len()];
    for start in 0..computations.len() {
        if states[start] == State::New {
            follow(start, computations, &calls, &mut states, &mut cut);
        }
    }
    cut
}

/// Follows calls depth-first, without recursion.
fn follow(
    start: usize,
    computations: &[Computation],
    calls: &[Vec<Call>],
    states: &mut [State],
    cut: &mut Vec<(usize, usize, Error)>,
) {
    let step = |caller| Step { caller, next_call: 0, depth: 0 };
    states[start] = State::Open;
    let mut path = vec![step(start)];
    while let Some(current) = path.last_mut() {
        let Some(Call { place, callee, span }) = calls[current.caller].get(current.next_call)
        else {
            states[current.caller] = State::Done(current.depth);
            path.pop();
            continue;
        };
        match states[callee.0] {
            // This call is revisited once the callee is done.
            State::New => {
                states[callee.0] = State::Open;
                path.push(step(callee.0));
            }
            State::Open => {
                let name = quoted(computations[callee.0].name());
                let error = wrong(span.clone(), format!("the computation {name} calls itself"))
                    .hint("HLO calls cannot be recursive");
                cut.push((current.caller, *place, error));
                current.next_call += 1;
            }
            State::Done(depth) if depth < MAX_CALL_DEPTH => {
                current.depth = current.depth.max(depth + 1);
                current.next_call += 1;
            }
            State::Done(_) => {
                let message = format!("calls are nested more than {MAX_CALL_DEPTH} deep");
                let error = Error::new(ErrorKind::TooLarge, span.clone(), message);
                cut.push((current.caller, *place, error));
                current.next_call += 1;
            }
        }
    }
}

/// An instruction's reference to a computation.
struct Call {
    place: usize,
    callee: ComputationId,
    span: Span,
}

fn calls_of(computation: &Computation) -> Vec<Call> {
    let of = |(place, instruction): (usize, &Instruction)| {
        let references = instruction.attributes().computations();
        let call = |reference: &ComputationReference| {
            Some(Call { place, callee: reference.target()?, span: reference.span() })
        };
        references.filter_map(call).collect::<Vec<_>>()
    };
    computation.instructions.iter().enumerate().flat_map(of).collect()
}
