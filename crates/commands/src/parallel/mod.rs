//! `parallel`: decides which loops of a nest may run their iterations in any order.

mod accesses;
mod carried;

use super::failure::Failure;
use super::option::C;
use super::output::{Object, Output, Role, Status, Text};
use super::table::{Call, Command, Kind, Parameter};
use super::words::tuple;
use accesses::Accesses;
use affinor::text::ErrorKind;
use carried::{Access, Carried, Conflict, carried};
use std::sync::Arc;

pub const PARALLEL: Command = Command {
    name: "parallel",
    parameters: &[Parameter::required("LOOPS", Kind::Rest)],
    options: &[C.switch],
    summary: "decide which loops may run in any order: whether two iterations access one element, one of them writing",
    details: "LOOPS are a nest of loops of Python, C or MLIR, or a kernel whose threads are its loops. For each loop it is proved that\n\
              no two of its iterations, in the same iteration of the loops around it, access the same element with at least one of\n\
              them writing, or two such iterations are shown: a dependence that the loop carries. \"always\" means that all such\n\
              iterations of the two accesses are proved to be that far apart.\n\
              Arrays of different names are taken to be disjoint. Scalars are not followed: if a statement changes one, as the sum of a\n\
              reduction, a loop without such elements is unknown.",
    example: &[
        "parallel for (int i = 0; i < 99; i++) A[i] = A[i + 1];",
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

/// Added if there are several arrays.
const SCOPE: &str = "arrays of different names are taken to be disjoint";

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
    let budget = call.proof_budget();
    let (mut text, mut rows, mut status) = (Text::new(), Vec::new(), Status::Done);
    for counter in &counters {
        let of_loop = &accesses.counters[&**counter];
        let direction = (&**counter, of_loop.is_up != Some(false));
        let found = carried(&accesses.known, direction, &of_loop.own, &budget);
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
    let known = &accesses.known;
    if known.iter().any(|access| access.of.array != known[0].of.array) {
        text.push(Role::Faint, format!("\n{SCOPE}"));
    }
    call.emit(Output::new(text, Object::new().with("loops", rows)).status(status));
    Ok(())
}

/// Returns the counters of all loops, outermost first, those of one loop after those of the loops before it.
fn counters(accesses: &[Access]) -> Vec<Arc<str>> {
    let mut counters: Vec<Arc<str>> = Vec::new();
    for access in accesses {
        // A counter that is not known stands around the next one that is.
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
            let element = format!("{}[{}]", first.of.array, bare(&conflict.element));
            let [at, later] = conflict.points.each_ref().map(|point| written(point));
            let sizes = match conflict.sizes.is_empty() {
                true => String::new(),
                false => format!("for {}, ", written(&conflict.sizes)),
            };
            let apart = match (conflict.distance, conflict.is_always) {
                (distance, true) => format!("; always {distance} apart"),
                (_, false) => String::new(),
            };
            let how = kind(first, second, is_up).map(|kind| format!(" ({kind} dependence)"));
            let how = how.unwrap_or_default();
            text.with(Role::Bad, "not parallel").plain(format!(
                ": {sizes}at {at} it {} {element}, at {later} it {} it{apart}{how}",
                first.of.verb(),
                second.of.verb()
            ))
        }
    }
}

fn bare(element: &[i64]) -> String {
    let text = tuple(element);
    text.trim_start_matches('(').trim_end_matches(')').to_owned()
}

fn written(point: &[(Arc<str>, i64)]) -> String {
    let values = point.iter().map(|(name, value)| format!("{name} = {value}"));
    values.collect::<Vec<_>>().join(", ")
}

/// Returns the kind of the dependence of the later access on the earlier one; `None` if it is not known which is later.
fn kind(first: &Access, second: &Access, is_up: Option<bool>) -> Option<&'static str> {
    match (first.of.is_written, second.of.is_read, second.of.is_written) {
        (true, false, _) if !first.of.is_read => Some("output"),
        _ if is_up.is_none() => None,
        (true, true, _) => Some("flow"),
        (true, false, _) => Some("output"),
        (false, ..) => Some("anti"),
    }
}

/// Returns `{"loop", "verdict", "kind", "array", "element", "points", "sizes", "distance", "always", "reason"}`
fn row(accesses: &Accesses, (counter, is_up): (&str, Option<bool>), found: &Carried) -> Object {
    let object = Object::nested().with("loop", counter);
    match found {
        Carried::Nothing => object.with("verdict", "proved"),
        Carried::Unknown(reason) => {
            object.with("verdict", "unknown").with("reason", reason.as_str())
        }
        Carried::Conflict(conflict) => {
            let Conflict { accesses: numbers, points, sizes, element, distance, is_always } =
                conflict;
            let [first, second] = numbers.map(|at| &accesses.known[at]);
            let values = |point: &Vec<(Arc<str>, i64)>| {
                let values = point.iter();
                values.fold(Object::nested(), |object, (name, value)| object.with(name, *value))
            };
            let points = points.each_ref().map(values);
            object
                .with("verdict", "refuted")
                .with_some("kind", kind(first, second, is_up))
                .with("array", first.of.array.as_str())
                .with("element", element.clone())
                .with("points", points.to_vec())
                .with_some("sizes", (!sizes.is_empty()).then(|| values(sizes)))
                .with("distance", *distance)
                .with("always", *is_always)
        }
    }
}
