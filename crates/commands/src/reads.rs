//! `reads` and `contains`: the union, the intersection and the differences of the reads of two maps.

use super::arguments::Argument;
use super::failure::Failure;
use super::given::expr_error;
use super::option::C;
use super::output::{Object, Output, Role, Status, Text};
use super::region::region_text;
use super::table::{Call, Command, Kind, Parameter};
use super::verdict::{told, verdict_status};
use super::words::{count, tuple};
use affinor::expr::{IndexingMap, VariableKind};
use affinor::prove::Verdict;
use affinor::text::ErrorKind;
use affinor::text::json::Wide;
use affinor_ops::footprint::image::{self, Basis, Comparison, Stop};
use std::sync::Arc;

pub const READS: Command = Command {
    name: "reads",
    parameters: &[
        Parameter::required("FIRST", Kind::Map),
        Parameter::required("SECOND", Kind::Map),
    ],
    options: &[C.switch],
    summary: "compare the elements that two maps read: union, intersection and differences, with sizes",
    details: "All variables range over their bounds: this compares sets of elements, not which point reads which (see\n\
              `equal --reads`). Small sets are enumerated; otherwise the answer is computed (\"proved\") if both sets are exactly a box\n\
              with steps. `reads a and b` is the same as `reads a ; b`.",
    example: &[
        "let a = (d0) -> (d0 * 2), domain: d0 in [0, 9]",
        "let b = (d0) -> (d0 * 3), domain: d0 in [0, 9]",
        "reads a and b",
    ],
    makes_map: false,
    keys: "",
    run: run_reads,
};

pub const CONTAINS: Command = Command {
    name: "contains",
    parameters: &[
        Parameter::required("CONTAINER", Kind::Map),
        Parameter::required("CONTENT", Kind::Map),
    ],
    options: &[C.switch],
    summary: "prove or refute that CONTAINER reads every element that CONTENT reads",
    details: "All variables range over their bounds. A refutation shows an element that only CONTENT reads. Parameters are\n\
              matched by name; the answer holds for all their values.",
    example: &[
        "contains (d0) -> (d0), domain: d0 in [0, 99] ; (d0) -> (d0 * 3), domain: d0 in [0, 9]",
    ],
    makes_map: false,
    keys: r##"
    "parameters": { "description": "Of `contains`, refuted: the values of the parameters with which it fails.", "type": "object", "additionalProperties": { "type": "integer" } }"##,
    run: run_contains,
};

/// Returns two maps with equally many results.
fn two_maps(call: &Call<'_>) -> Result<(IndexingMap, IndexingMap), Failure> {
    let second = call.argument(1)?;
    let (one, other) = (call.map(call.argument(0)?)?, call.map(second)?);
    let counts = (one.results().len(), other.results().len());
    if counts.0 != counts.1 {
        let message = format!(
            "the maps must have the same number of results, found {} and {}",
            counts.0, counts.1
        );
        return Err(second.wrong(ErrorKind::Arity, message));
    }
    Ok((one, other))
}

fn run_reads(call: &mut Call<'_>) -> Result<(), Failure> {
    let (one, other) = two_maps(call)?;
    let second = call.argument(1)?.clone();
    let budget = call.proof_budget();
    let mut text = Text::new();
    let mut json = Object::new();
    for (name, map) in [("first", &one), ("second", &other)] {
        let region = image::region(map, &budget).map_err(|stop| call.stop(&second, &stop))?;
        text.new_line();
        text.push(Role::Name, format!("{name:13}"));
        text.append(region_text(&region));
        if !region.is_exact() {
            text.push(Role::Doubtful, " at most");
        }
        json = json.with(name, &region);
    }
    let found = match image::compare(&one, &other, &budget) {
        Ok(found) => found,
        Err(Stop::TooMany) => {
            text.push(Role::Plain, "\n");
            text.push(Role::Doubtful, "unknown");
            text.push(Role::Plain, format!(": {}", Stop::TooMany));
            json = json.with("reason", Stop::TooMany.to_string());
            call.emit(Output::new(text, json).status(Status::Undecided));
            return Ok(());
        }
        Err(stop) => return Err(call.stop(&second, &stop)),
    };
    for (name, count, element) in rows(&found) {
        text.push(Role::Name, format!("\n{name:13}"));
        text.append(elements(count, element));
        let object = Object::nested().with("number", Wide(count));
        let key = name.replace(' ', "_");
        json = json.with(&key, object.with_some("element", element));
    }
    text.push(Role::Faint, format!("\n({})", found.basis.word()));
    call.emit(Output::new(text, json.with("basis", found.basis)));
    Ok(())
}

/// Returns the rows that show a comparison: a name, the number of elements, and one of the elements.
fn rows(found: &Comparison) -> [(&'static str, u128, Option<&[i64]>); 4] {
    let sizes = found.sizes;
    let (first, second) = (found.only_first.as_deref(), found.only_second.as_deref());
    [
        ("union", sizes.either(), None),
        ("intersection", sizes.both, found.both.as_deref()),
        ("only first", sizes.first - sizes.both, first),
        ("only second", sizes.second - sizes.both, second),
    ]
}

fn elements(number: u128, element: Option<&[i64]>) -> Text {
    let number = count(i128::try_from(number).unwrap_or(i128::MAX), "element");
    let text = Text::of(Role::Formula, number);
    match element {
        None => text,
        Some(element) => text.plain(format!(", the least is {}", tuple(element))),
    }
}

fn run_contains(call: &mut Call<'_>) -> Result<(), Failure> {
    let (container, content) = two_maps(call)?;
    let second = call.argument(1)?.clone();
    let has_parameters = |map: &IndexingMap| map.domain().count(VariableKind::Parameter) > 0;
    if has_parameters(&container) || has_parameters(&content) {
        return contains_by_size(call, &second, &container, &content);
    }
    let found = image::contains(&container, &content, &call.proof_budget());
    let (verdict, basis) = found.map_err(|stop| call.stop(&second, &stop))?;
    let verdict = call.uninterrupted(verdict)?;
    let tried = if basis == Basis::Counted { ": all points were tried" } else { "" };
    let text =
        told(&verdict, tried, |element| format!(": only the second map reads {}", tuple(element)));
    let json = Object::new().with("verdict", verdict.word());
    let json = match &verdict {
        Verdict::Proved => json.with("basis", basis),
        Verdict::Refuted(element) => json.with("element", element.as_slice()),
        Verdict::Unknown(reason) => json.with("reason", reason.to_string()),
    };
    call.emit(Output::new(text, json).status(verdict_status(&verdict)));
    Ok(())
}

/// Answers the containment for all values of the parameters.
fn contains_by_size(
    call: &mut Call<'_>,
    blamed: &Argument,
    container: &IndexingMap,
    content: &IndexingMap,
) -> Result<(), Failure> {
    let failed = |error| blamed.blame(expr_error(error));
    let content = content.with_parameters_of(container.domain()).map_err(failed)?;
    let container = container.with_parameters_of(content.domain()).map_err(failed)?;
    let found = image::contains_by_size(&container, &content, &call.proof_budget());
    let verdict = call.uninterrupted(found.map_err(failed)?)?;
    let named = |sizes: &[i64]| -> Vec<(Arc<str>, i64)> {
        let ids = container.domain().ids(VariableKind::Parameter);
        let names = ids.map(|id| container.domain().variables()[id.index()].name.clone());
        names.zip(sizes.iter().copied()).collect()
    };
    let text = told(&verdict, "", |(sizes, element)| {
        let sizes = named(sizes).into_iter().map(|(name, value)| format!("{name} = {value}"));
        let sizes = Vec::from_iter(sizes).join(", ");
        format!(": at {sizes} only the second map reads {}", tuple(element))
    });
    let json = Object::new().with("verdict", verdict.word());
    let json = match &verdict {
        Verdict::Proved => json.with("basis", Basis::Proved),
        Verdict::Refuted((sizes, element)) => {
            let numbers = named(sizes)
                .iter()
                .fold(Object::nested(), |object, (name, value)| object.with(name, *value));
            json.with("element", element.as_slice()).with("parameters", numbers)
        }
        Verdict::Unknown(reason) => json.with("reason", reason.to_string()),
    };
    call.emit(Output::new(text, json).status(verdict_status(&verdict)));
    Ok(())
}
