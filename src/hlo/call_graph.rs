//! Checks that calls are acyclic and of bounded depth.
//!
//! So traversals of calls may recurse.

use super::cursor::{quoted, wrong};
use super::module::{Computation, ComputationId};
use crate::text::{Error, ErrorKind, Span};

/// Maximum nesting depth of calls. Models seen so far have 5.
pub(super) const MAX_CALL_DEPTH: usize = 64;

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    /// On the current path.
    Open,
    /// Nesting depth of the calls below it.
    Done(usize),
}

/// A computation on the current path.
struct Step {
    caller: usize,
    next_call: usize,
    /// Nesting depth below it, as far as known.
    depth: usize,
}

/// Check the calls of all computations.
pub(super) fn check(computations: &[Computation]) -> Result<(), Error> {
    let calls: Vec<Vec<(ComputationId, Span)>> = computations.iter().map(calls_of).collect();
    let mut states = vec![State::New; computations.len()];
    for start in 0..computations.len() {
        if states[start] == State::New {
            follow(start, computations, &calls, &mut states)?;
        }
    }
    Ok(())
}

/// Depth-first, without recursion.
fn follow(
    start: usize,
    computations: &[Computation],
    calls: &[Vec<(ComputationId, Span)>],
    states: &mut [State],
) -> Result<(), Error> {
    let step = |caller| Step { caller, next_call: 0, depth: 0 };
    states[start] = State::Open;
    let mut path = vec![step(start)];
    while let Some(current) = path.last_mut() {
        let Some((callee, span)) = calls[current.caller].get(current.next_call) else {
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
                return Err(wrong(span.clone(), format!("the computation {name} calls itself"))
                    .hint("HLO calls cannot be recursive"));
            }
            State::Done(depth) if depth < MAX_CALL_DEPTH => {
                current.depth = current.depth.max(depth + 1);
                current.next_call += 1;
            }
            State::Done(_) => {
                let message = format!("calls are nested more than {MAX_CALL_DEPTH} deep");
                return Err(Error::new(ErrorKind::TooLarge, span.clone(), message));
            }
        }
    }
    Ok(())
}

fn calls_of(computation: &Computation) -> Vec<(ComputationId, Span)> {
    computation
        .instructions()
        .flat_map(|(_, instruction)| instruction.attributes().computations())
        .filter_map(|reference| Some((reference.target()?, reference.span())))
        .collect()
}
