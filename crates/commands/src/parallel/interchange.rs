//! `parallel --interchange`: decides which loops may be interchanged with the loop directly inside.
//!
//! Law: two perfectly nested loops may be interchanged unless the outer one carries a conflict whose later iteration is an earlier
//! one of the inner loop. Source: Allen and Kennedy, *Optimizing Compilers for Modern Architectures*, direction vectors.

use super::accesses::{Accesses, Counter};
use super::carried::{Carried, carried};
use super::shown::{answer, of_loops, shown};
use crate::arguments::Argument;
use crate::failure::Failure;
use crate::output::{Object, Role, Status, Text};
use crate::table::Call;
use affinor::text::ErrorKind;
use std::sync::Arc;

pub fn run(
    call: &mut Call<'_>,
    argument: &Argument,
    accesses: &Accesses,
    counters: &[Arc<str>],
) -> Result<(), Failure> {
    let pairs: Vec<[&Arc<str>; 2]> = counters.windows(2).map(|pair| [&pair[0], &pair[1]]).collect();
    if pairs.is_empty() {
        let message = "there is one loop, and nothing to interchange";
        return Err(argument.wrong(ErrorKind::Unsupported, message));
    }
    let budget = call.proof_budget();
    let (mut text, mut rows, mut status) = (Text::new(), Vec::new(), Status::Done);
    for [outer, inner] in pairs {
        let loops = [outer, inner].map(|name| &accesses.counters[&**name]);
        let found = match reason(accesses, [outer, inner]) {
            Some(reason) => Carried::Unknown(reason),
            None => {
                let [up, inner_up] = loops.map(|one| one.is_up != Some(false));
                let counted = ((&**outer, up), Some((&**inner, inner_up)));
                let found = carried(&accesses.known, counted, &loops[0].own, &budget);
                match (found, unclear(accesses, loops)) {
                    (Carried::Nothing, Some(reason)) => Carried::Unknown(reason),
                    (found, _) => found,
                }
            }
        };
        call.go_on()?;
        text.new_line();
        let line = Text::of(Role::Name, format!("{outer}, {inner}")).plain(": ");
        text.append(match &found {
            Carried::Nothing => line.with(Role::Good, "can be interchanged").plain(", proved"),
            Carried::Unknown(reason) => {
                line.with(Role::Doubtful, "unknown").plain(format!(": {reason}"))
            }
            Carried::Conflict(conflict) => line
                .with(Role::Bad, "cannot be interchanged")
                .plain(format!(": {}; they would change places", shown(accesses, conflict))),
        });
        let row = Object::nested().with("loop", &**outer).with("inner", &**inner);
        rows.push(of_loops(accesses, (row, loops[0].is_up), &found));
        status = status.and(match found {
            Carried::Nothing => Status::Done,
            Carried::Conflict(_) => Status::Wrong,
            Carried::Unknown(_) => Status::Undecided,
        });
    }
    call.emit(answer(accesses, text, rows).status(status));
    Ok(())
}

/// Returns the reason that two loops are not a nest whose order is known.
fn reason(accesses: &Accesses, [outer, inner]: [&Arc<str>; 2]) -> Option<String> {
    let of = |name: &str| accesses.known.iter().filter(|access| access.has(name)).count();
    if of(outer) != of(inner)
        || accesses.known.iter().any(|access| access.has(outer) != access.has(inner))
    {
        return Some(format!("an access is in one of the loops {outer} and {inner} only"));
    }
    let loops = [outer, inner].map(|name| &accesses.counters[&**name]);
    let own = loops.iter().flat_map(|one| &one.own).next();
    own.map(|array| format!("each iteration has its own `{array}`"))
}

/// Returns the reason that there may be other conflicts.
fn unclear(accesses: &Accesses, loops: [&Counter; 2]) -> Option<String> {
    loops.iter().find_map(|one| one.reason.clone()).or_else(|| accesses.unknown.clone())
}
