//! `inverse` and `injective`: find the points that read an element, and decide whether there is at most one.

use super::arguments::Argument;
use super::code::that_does_not_fit;
use super::custom::CUSTOM;
use super::failure::Failure;
use super::given::cute_layout;
use super::instruction::{OPERAND, POSITIONS, each};
use super::option::{C, Flag};
use super::output::{Object, Output, Role, Status, Text};
use super::region::region_text;
use super::simplifier::STEPS;
use super::simplify::simplified::stopped_text;
use super::table::{Call, Command, Kind, Parameter};
use super::tile::by_size;
use super::verdict::{
    at, counterexample, point_object, reason, told, verdict_status, verdict_text,
};
use super::width::{BITS, UNSIGNED};
use super::words::{count, tuple};
use affinor::expr::{Domain, IndexingMap, VariableKind};
use affinor::prove::Verdict;
use affinor::text::ErrorKind;
use affinor_code::{Taken, taken_of_cuda};
use affinor_layout::cute::{Layout, algebra};
use affinor_ops::footprint::image::{self, Basis, Collision, Stop};
use std::cell::RefCell;
use std::collections::BTreeSet;

pub const INVERSE: Command = Command {
    name: "inverse",
    parameters: &[Parameter::required("MAP", Kind::Map), Parameter::optional("OTHER", Kind::Map)],
    options: &[STEPS.switch, C.switch, BITS.switch, UNSIGNED.switch],
    summary: "invert MAP: from an element to the points that read it",
    details: "The dimensions of the result are the results of MAP, and the other way round. Without range variables the result is\n\
              a function: at most one point reads an element. With range variables it is a relation: their values\n\
              enumerate the points that read it, possibly with repetition. It is proved from MAP that each of these points reads\n\
              the element.\n\
              With OTHER, it is decided whether that is the inverse: each of both maps takes the points of the other back, so\n\
              both are bijections between their domains. For a map with parameters only a function is found, and only\n\
              shown if it is proved to be the inverse for all values of the parameters.",
    example: &[
        "inverse <n, m>(d0, d1) -> (d0 * m + d1), domain: n in [1, inf], m in [1, inf], d0 in [0, n - 1], d1 in [0, m - 1]",
        "inverse <n>(d0, d1) -> (d0 * n + d1), domain: n in [1, inf], d0 in [0, 7], d1 in [0, n - 1] ; <n>(i) -> (i floordiv n, i mod n), domain: n in [1, inf], i in [0, 8 * n - 1]",
        "inverse (d0, d1) -> (d0 * 8 + d1), domain: d0 in [0, 3], d1 in [0, 7]",
    ],
    makes_map: true,
    keys: "",
    run: run_inverse,
};

const ONTO: Flag =
    Flag::new("onto", "also which elements it reads, and whether that is a whole box");

pub const INJECTIVE: Command = Command {
    name: "injective",
    parameters: &[Parameter::required("MAP", Kind::Map)],
    options: &[ONTO.switch, OPERAND.switch, POSITIONS.switch, CUSTOM.switch, C.switch],
    summary: "prove or refute that MAP reads each element at most once",
    details: "Two points are distinct if they differ in a dimension or a range variable; runtime variables have the same value\n\
              in both. A refutation shows two points and the element that both read. \"counted\" means that all\n\
              points were enumerated. With --onto the answer also shows which elements are read: a map that is proved is a\n\
              bijection between its points and these, a permutation if they are the same.",
    example: &[
        "injective model.hlo transpose.3",
        "injective (d0)[s0] -> (d0 * 2 + s0), domain: d0 in [0, 3], s0 in [0, 2]",
    ],
    makes_map: false,
    keys: r##"
    "onto": { "description": "Of `injective --onto`: which elements are read, as `image` says it, or the order of the dimensions of a `permutation`.", "type": "object" }"##,
    run: run_injective,
};

fn run_inverse(call: &mut Call<'_>) -> Result<(), Failure> {
    let argument = call.argument(0)?.clone();
    let map = call.map(&argument)?;
    if let Some(other) = call.arguments.positional.get(1).cloned() {
        return decide_inverse(call, &map, &other);
    }
    if map.domain().count(VariableKind::Parameter) > 0 {
        return invert_by_size(call, &argument, &map);
    }
    let (simplifier, search) = (call.simplifier()?, call.search_options()?);
    let stopped = RefCell::new(None);
    let simplify = |map: &IndexingMap| {
        let outcome = simplifier.simplify(map, &search);
        *stopped.borrow_mut() = outcome.stopped;
        outcome.map
    };
    let found = image::inverse(&map, &simplify, &call.proof_budget());
    let inverse = found.map_err(|error| argument.blame(error))?;
    let stopped = stopped.into_inner();
    let verdict = call.uninterrupted(inverse.verdict)?;
    let shown = call.written(&inverse.map)?;
    let mut text = Text::of(Role::Formula, shown.as_str());
    if let Some(stop) = &stopped {
        text.append(stopped_text(stop));
    }
    let ranges = inverse.map.domain().count(VariableKind::Range);
    let what = match inverse.is_function {
        true => "\na function: at most one point of the dimensions reads an element".to_owned(),
        false => format!(
            "\na relation: the points that read an element take {} more",
            count(ranges, "variable")
        ),
    };
    text.push(Role::Plain, what);
    text.push(Role::Plain, "\neach point that it gives reads the element: ");
    text.append(verdict_text(&verdict, inverse.map.domain()));
    let layout = inverse_layout(call, &argument);
    if let Some(layout) = &layout {
        text.push(Role::Plain, "\nas a layout of the number of an element: ");
        text.push(Role::Formula, layout.as_str());
    }
    let json = Object::new()
        .with("result", shown)
        .with("function", inverse.is_function)
        .with_some("layout", layout)
        .with("check", verdict.word())
        .with_some("check_reason", reason(&verdict))
        .with("complete", stopped.is_none())
        .with_some("stopped_at", stopped.clone());
    let (json, of_width) = call.add_width(&inverse.map, None, &mut text, json)?;
    let status = match stopped {
        None => verdict_status(&verdict),
        Some(_) => verdict_status(&verdict).and(Status::Undecided),
    };
    let mut output = Output::new(text, json).status(status.and(of_width));
    output.number = Some(call.session.answer(inverse.map));
    call.emit(output);
    Ok(())
}

/// Returns the inverse of a CuTe layout whose offsets are exactly those below its number of elements.
fn inverse_layout(call: &Call<'_>, argument: &Argument) -> Option<String> {
    let layout = cute_layout(argument)?;
    let inverse = algebra::left_inverse(&layout, &call.proof_budget()).ok()?.layout;
    let elements = |layout: &Layout| -> Option<i64> {
        layout.sizes().iter().try_fold(1_i64, |all, size| all.checked_mul(*size))
    };
    (elements(&layout) == elements(&inverse)).then(|| inverse.to_string())
}

/// Answers the inverse of a map with parameters.
fn invert_by_size(
    call: &mut Call<'_>,
    argument: &Argument,
    map: &IndexingMap,
) -> Result<(), Failure> {
    let kinds = [VariableKind::Range, VariableKind::Runtime];
    if kinds.into_iter().any(|kind| map.domain().count(kind) > 0) {
        let message = "no inverse is found of a map with parameters and range or runtime variables";
        let failure = argument.wrong(ErrorKind::Unsupported, message);
        return Err(failure.hint("give each parameter a value, as in `bind n = 8 in MAP`"));
    }
    let (simplifier, search) = (call.simplifier()?, call.search_options()?);
    let simplify = |map: &IndexingMap| simplifier.simplify(map, &search).map;
    let found = image::inverse_by_size(map, &simplify, &call.proof_budget());
    call.go_on()?;
    let output = match found {
        Ok(inverse) => {
            let shown = call.written(&inverse)?;
            let text = Text::of(Role::Formula, shown.as_str())
                .plain("\na function: each map is the inverse of the other: ");
            let mut text = text.with(Role::Good, "proved");
            let json = Object::new()
                .with("result", shown)
                .with("function", true)
                .with("check", "proved")
                .with("complete", true);
            let (json, status) = call.add_width(&inverse, None, &mut text, json)?;
            let mut output = Output::new(text, json).status(status);
            output.number = Some(call.session.answer(inverse));
            output
        }
        Err(none) => {
            let reason = none.to_string();
            let text = Text::of(Role::Doubtful, "unknown").plain(format!(": {reason}"));
            let mut json = Object::new().with("check", "unknown");
            let mut text = text;
            if let image::NoInverse::Unproved(candidate, why) = &none {
                if let Some(why) = why {
                    text.push(Role::Plain, format!(": {why}"));
                }
                let shown = call.written(candidate)?;
                text.push(Role::Faint, format!("\ntried {shown}"));
                json = json.with("tried", shown);
            }
            let json = json.with("check_reason", reason);
            Output::new(text, json).status(Status::Undecided)
        }
    };
    call.emit(output);
    Ok(())
}

/// Answers whether each of two maps is the inverse of the other.
fn decide_inverse(
    call: &mut Call<'_>,
    map: &IndexingMap,
    argument: &Argument,
) -> Result<(), Failure> {
    let other = call.map(argument)?;
    let budget = call.proof_budget();
    for (which, first, second) in [("first", map, &other), ("second", &other, map)] {
        let decided = image::takes_back(first, second, &budget);
        let (verdict, domain) = decided.map_err(|error| argument.blame(error))?;
        let (verdict, domain) = (call.uninterrupted(verdict)?, &domain);
        let mut json = Object::new().with("verdict", verdict.word());
        let text = match &verdict {
            Verdict::Proved => continue,
            Verdict::Unknown(reason) => Text::of(Role::Doubtful, "unknown")
                .plain(format!(": the points of the {which} map: {reason}")),
            Verdict::Refuted(found) => {
                let back = found.left.as_deref().map(tuple);
                let back = back.unwrap_or("no point".to_owned());
                json = json.with("map", which);
                Text::of(Role::Bad, "refuted").plain(format!(
                    ": {}the {which} map gives the index that the other takes to {back}",
                    at(&found.point, domain)
                ))
            }
        };
        let json = json
            .with_some("counterexample", counterexample(&verdict, domain))
            .with_some("reason", reason(&verdict));
        call.emit(Output::new(text, json).status(verdict_status(&verdict)));
        return Ok(());
    }
    let text = Text::of(Role::Good, "proved").plain(": each map is the inverse of the other");
    call.emit(Output::new(text, Object::new().with("verdict", "proved")));
    Ok(())
}

fn run_injective(call: &mut Call<'_>) -> Result<(), Failure> {
    if each(call, |call, read| decided(call, &read.blamed, read.map.map.clone(), false))? {
        return Ok(());
    }
    let argument = call.argument(0)?.clone();
    let map = call.map(&argument)?;
    let is_code = call.is_code(&argument);
    let output = decided(call, &argument, map, is_code)?;
    call.emit(output);
    Ok(())
}

/// Decides whether a map reads each element at most once.
fn decided(
    call: &Call<'_>,
    argument: &Argument,
    mut map: IndexingMap,
    is_code: bool,
) -> Result<Output, Failure> {
    let mut taken: Vec<Taken> = if is_code { taken_of_cuda(&map).collect() } else { Vec::new() };
    let (verdict, basis) = loop {
        let found = image::injective(&map, &call.proof_budget());
        let (verdict, basis) = found.map_err(|stop| call.stop(argument, &stop))?;
        let part = match &verdict {
            Verdict::Refuted(found) => {
                let mut points = [&found.first, &found.second].into_iter();
                points.find_map(|point| that_does_not_fit(&mut taken, point))
            }
            _ => None,
        };
        match part {
            Some(part) => map = map.restricted(&part.value, part.within),
            None => break (call.uninterrupted(verdict)?, basis),
        }
    };
    let domain = map.domain();
    let proved = match basis {
        Basis::Counted => ": no two points read one element (counted)",
        _ => ": no two points read one element",
    };
    let mut text = told(&verdict, proved, |found| {
        let [first, second] = [&found.first, &found.second].map(|point| place(point, domain));
        format!(": {first} and {second} read {}", tuple(&found.element))
    });
    let json = Object::new().with("verdict", verdict.word());
    let mut json = match &verdict {
        Verdict::Proved => json.with("basis", basis),
        Verdict::Refuted(found) => json.with("counterexample", collision_object(found, domain)),
        Verdict::Unknown(reason) => json.with("reason", reason.to_string()),
    };
    if call.has(ONTO) && verdict == Verdict::Proved {
        let (onto, object) = onto(call, argument, &map)?;
        text.append(onto);
        json = json.with("onto", object);
    }
    Ok(Output::new(text, json).status(verdict_status(&verdict)))
}

/// Returns which elements a map reads that reads each at most once.
fn onto(
    call: &Call<'_>,
    argument: &Argument,
    map: &IndexingMap,
) -> Result<(Text, Object), Failure> {
    let mut text = Text::new().plain("\n");
    let object = Object::nested();
    if let Some(order) = permutation(map) {
        text.push(Role::Good, "a permutation of the dimensions");
        return Ok((text, object.with("permutation", order)));
    }
    if map.domain().count(VariableKind::Parameter) > 0 {
        let output = by_size::image(call, argument, map)?;
        text.append(output.text);
        let fields = output.json.into_iter().flatten().filter(|(key, _)| key != "schema");
        return Ok((text, fields.fold(object, |object, (key, value)| object.with(&key, value))));
    }
    let budget = call.proof_budget();
    let region = match image::region(map, &budget) {
        Err(Stop::TooMany) => {
            text.push(Role::Doubtful, "its reads have no bounds");
            return Ok((text, object));
        }
        region => region.map_err(|stop| call.stop(argument, &stop))?,
    };
    // A cover may be larger than the box of all reads.
    let tight = match region.basis {
        Basis::Cover => region.tightened(map, &budget),
        _ => None,
    };
    let is_tight = tight.is_some();
    let mut region = tight.unwrap_or(region);
    // As many elements are read as there are points.
    let points = image::points(map.domain(), &budget).ok();
    let points = points.filter(|points| points.basis != Basis::Cover);
    match (region.basis, points) {
        (Basis::Proved | Basis::Counted, _) => text.push(Role::Good, "a bijection onto "),
        (Basis::Cover, Some(points)) if Some(points.number) == region.size() => {
            text.push(Role::Good, "a bijection onto ");
            region.basis = points.basis;
        }
        (Basis::Cover, Some(points)) if is_tight => {
            text.push(Role::Bad, "not onto a box");
            text.push(Role::Plain, format!(": it reads {} elements, in ", points.number));
        }
        (Basis::Cover, _) => text.push(Role::Doubtful, "maybe not onto all of "),
    }
    text.append(region_text(&region));
    Ok((text, object.and(&region).with("basis", region.basis)))
}

/// Returns the dimensions that the results of a map are, if each dimension is one result.
fn permutation(map: &IndexingMap) -> Option<Vec<i64>> {
    let variables = map.domain().variables();
    let order = map.results().iter().map(|result| result.as_variable());
    let order: Vec<_> = order.collect::<Option<_>>()?;
    let all: BTreeSet<_> = order.iter().collect();
    let is_one = all.len() == order.len() && order.len() == variables.len();
    let are_dimensions = map.domain().count(VariableKind::Dimension) == variables.len();
    (is_one && are_dimensions && map.domain().constraints().is_empty())
        .then(|| order.iter().map(|id| id.index() as i64).collect())
}

fn collision_object(found: &Collision, domain: &Domain) -> Object {
    Object::nested()
        .with("first", point_object(&found.first, domain))
        .with("second", point_object(&found.second, domain))
        .with("element", found.element.as_slice())
}

/// Formats a point: `d0 = 1, s0 = 2`.
fn place(point: &[i64], domain: &Domain) -> String {
    let names = domain.variables().iter().zip(point);
    let list: Vec<String> = names.map(|(v, value)| format!("{} = {value}", v.name)).collect();
    list.join(", ")
}
