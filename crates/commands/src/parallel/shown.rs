//! Answers about loops, as text and as JSON: the two accesses of a conflict, and the kind of the dependence.

use super::accesses::Accesses;
use super::carried::{Access, Carried, Conflict};
use crate::output::{Object, Output, Role, Text};
use crate::words::tuple;
use std::sync::Arc;

/// Added if there are several arrays.
const SCOPE: &str = "arrays of different names are taken to be disjoint";

/// Returns the answer with the rows of all loops.
pub fn answer(accesses: &Accesses, mut text: Text, rows: Vec<Object>) -> Output {
    let known = &accesses.known;
    if known.iter().any(|access| access.of.array != known[0].of.array) {
        text.push(Role::Faint, format!("\n{SCOPE}"));
    }
    Output::new(text, Object::new().with("loops", rows))
}

/// Returns the two accesses of a conflict, `at i = 0 it reads A[1], at i = 1 it writes it`.
pub fn shown(accesses: &Accesses, conflict: &Conflict) -> String {
    let [first, second] = conflict.accesses.map(|at| &accesses.known[at]);
    let element = format!("{}[{}]", first.of.array, bare(&conflict.element));
    let [at, later] = conflict.points.each_ref().map(|point| written(point));
    let sizes = match conflict.sizes.is_empty() {
        true => String::new(),
        false => format!("for {}, ", written(&conflict.sizes)),
    };
    let [verb, other] = [first.of.verb(), second.of.verb()];
    format!("{sizes}at {at} it {verb} {element}, at {later} it {other} it")
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
pub fn kind(first: &Access, second: &Access, is_up: Option<bool>) -> Option<&'static str> {
    match (first.of.is_written, second.of.is_read, second.of.is_written) {
        (true, false, _) if !first.of.is_read => Some("output"),
        _ if is_up.is_none() => None,
        (true, true, _) => Some("flow"),
        (true, false, _) => Some("output"),
        (false, ..) => Some("anti"),
    }
}

/// Adds the verdict to the row of a loop, or of two.
pub fn of_loops(
    accesses: &Accesses,
    (object, is_up): (Object, Option<bool>),
    found: &Carried,
) -> Object {
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
