//! `parallel`: decides which loops of a nest may run their iterations in any order.

mod accesses;
mod carried;
mod interchange;
mod shown;

use super::failure::Failure;
use super::option::{C, Flag};
use super::output::{Object, Role, Status, Text};
use super::table::{Call, Command, Kind, Parameter};
use accesses::Accesses;
use affinor::text::ErrorKind;
use carried::{Access, Carried, carried};
use shown::{answer, kind, of_loops, shown};
use std::sync::Arc;

const INTERCHANGE: Flag = Flag::new(
    "interchange",
    "decide for each loop and the one directly inside whether they may be interchanged",
);

pub const PARALLEL: Command = Command {
    name: "parallel",
    parameters: &[Parameter::required("LOOPS", Kind::Rest)],
    options: &[INTERCHANGE.switch, C.switch],
    summary: "decide which loops may run in any order: whether two iterations access one element, one of them writing",
    details: "LOOPS are a nest of loops of Python, C or MLIR, or a kernel whose threads are its loops. For each loop it is proved that\n\
              no two of its iterations, in the same iteration of the loops around it, access the same element with at least one of\n\
              them writing, or two such iterations are shown: a dependence that the loop carries. \"always\" means that all such\n\
              iterations of the two accesses are proved to be that far apart.\n\
              With --interchange, two loops may be interchanged if no conflict is carried by the outer one between an iteration of\n\
              the inner one and an earlier one, which would then come first.\n\
              Arrays of different names are taken to be disjoint. Scalars are not followed: if a statement changes one, as the sum of a\n\
              reduction, a loop without such elements is unknown.",
    example: &[
        "parallel for (int i = 0; i < 99; i++) A[i] = A[i + 1];",
        "parallel --interchange for (int i = 1; i < 9; i++) for (int j = 0; j < 9; j++) A[i][j] = A[i-1][j+1];",
        "parallel for i in range(n): for j in range(8): A[i, j] = A[i, j] + B[j, i]",
    ],
    makes_map: false,
    keys: r##"
    "loops": {
      "description": "Of `parallel`: for each loop, the outermost first, whether its iterations may run in any order. Of two that may not, `points` has the earlier and the later one, `element` is that of `array` which both access, `distance` how far apart they are in the counter, and `always` whether that is so for all of these two accesses; `sizes` has the values that are the same in all iterations.",
      "type": "array",
      "items": {
        "type": "object",
        "required": ["loop", "verdict"],
        "properties": {
          "loop": { "type": "string" },
          "inner": { "description": "With `--interchange`: the loop directly inside.", "type": "string" },
          "verdict": { "enum": ["proved", "refuted", "unknown"] },
          "kind": { "enum": ["flow", "anti", "output"] },
          "array": { "type": "string" },
          "element": { "type": "array", "items": { "type": "integer" } },
          "points": { "type": "array", "items": { "type": "object" }, "minItems": 2, "maxItems": 2 },
          "sizes": { "type": "object" },
          "distance": { "type": "integer" },
          "always": { "type": "boolean" },
          "reason": { "type": "string" }
        }
      }
    }"##,
    run,
};

fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    let argument = call.argument(0)?.clone();
    let accesses = accesses::of_text(call, &argument)?;
    let mut counters = counters(&accesses.known);
    counters.retain(|name| accesses.counters.contains_key(&**name));
    if counters.is_empty() {
        let message = "no array is accessed in a loop";
        let hint = "write the loop with its statements: `for i in range(8): A[i] = B[i + 1]`";
        return Err(argument.wrong(ErrorKind::Unsupported, message).hint(hint));
    }
    if call.has(INTERCHANGE) {
        return interchange::run(call, &argument, &accesses, &counters);
    }
    let budget = call.proof_budget();
    let (mut text, mut rows, mut status) = (Text::new(), Vec::new(), Status::Done);
    for counter in &counters {
        let of_loop = &accesses.counters[&**counter];
        let direction = (&**counter, of_loop.is_up != Some(false));
        let found = carried(&accesses.known, (direction, None), &of_loop.own, &budget);
        call.go_on()?;
        let found = match (found, of_loop.reason.as_ref().or(accesses.unknown.as_ref())) {
            (Carried::Nothing, Some(reason)) => Carried::Unknown(reason.clone()),
            (found, _) => found,
        };
        text.new_line();
        text.append(line(&accesses, (counter, of_loop.is_up), &found));
        rows.push(row(&accesses, (counter, of_loop.is_up), &found));
        status = status.and(match found {
            Carried::Nothing => Status::Done,
            Carried::Conflict(_) => Status::Wrong,
            Carried::Unknown(_) => Status::Undecided,
        });
    }
    call.emit(answer(&accesses, text, rows).status(status));
    Ok(())
}

/// Returns the counters of all loops, outermost first, those of one loop after those of the loops before it.
fn counters(accesses: &[Access]) -> Vec<Arc<str>> {
    let mut counters: Vec<Arc<str>> = Vec::new();
    for access in accesses {
        // An unknown counter belongs to a loop around the next known one.
        let mut before = counters.len();
        for (_, variable) in access.counters().rev() {
            match counters.iter().position(|known| *known == variable.name) {
                Some(known) => before = known,
                None => counters.insert(before, variable.name.clone()),
            }
        }
    }
    counters
}

fn line(accesses: &Accesses, (counter, is_up): (&str, Option<bool>), found: &Carried) -> Text {
    let text = Text::of(Role::Name, counter).plain(": ");
    match found {
        Carried::Nothing => text.with(Role::Good, "parallel").plain(", proved"),
        Carried::Unknown(reason) => {
            text.with(Role::Doubtful, "unknown").plain(format!(": {reason}"))
        }
        Carried::Conflict(conflict) => {
            let [first, second] = conflict.accesses.map(|at| &accesses.known[at]);
            let apart = match (conflict.distance, conflict.is_always) {
                (distance, true) => format!("; always {distance} apart"),
                (_, false) => String::new(),
            };
            let how = kind(first, second, is_up).map(|kind| format!(" ({kind} dependence)"));
            let how = how.unwrap_or_default();
            text.with(Role::Bad, "not parallel")
                .plain(format!(": {}{apart}{how}", shown(accesses, conflict)))
        }
    }
}

/// Returns `{"loop", "verdict", "kind", "array", "element", "points", "sizes", "distance", "always", "reason"}`
fn row(accesses: &Accesses, (counter, is_up): (&str, Option<bool>), found: &Carried) -> Object {
    of_loops(accesses, (Object::nested().with("loop", counter), is_up), found)
}
