//! `layout` of CuTe layouts with named sizes: answers for all values of the names.

use super::certificate::{Shown, with_certificate};
use super::operands::Operand;
use super::operation::{
    LEFT, RIGHT, arrangement, emit_refusal, interleaving, modes, size_of, without_left,
};
use super::output::line;
use crate::arguments::Argument;
use crate::failure::Failure;
use crate::option::OF_ANY;
use crate::output::{Object, Output, Role, Text};
use crate::table::Call;
use affinor::expr::VariableKind;
use affinor::text::{ErrorKind, Style, is_name, print_map};
use affinor_layout::cute::Tiler;
use affinor_layout::cute::algebra::{Interleaving, Refusal};
use affinor_layout::cute::named::{
    Conditional, NamedLayout, NamedTiler, Operation, Relation, coalesce, conditional, flatten,
    group, left_inverse, max_common, recognise, right_inverse,
};

/// Returns whether an argument is a layout or a tiler with names in it, or a map with parameters.
pub fn is_named(call: &Call<'_>, argument: &Argument) -> bool {
    if is_map(call, argument) {
        let map = call.any_map(argument);
        return map.is_ok_and(|map| map.domain().count(VariableKind::Parameter) > 0);
    }
    let text = argument.text.trim();
    let is_layout = text.contains(':') || text.starts_with(['(', '<']);
    is_layout
        && !text.contains('[')
        && Tiler::read(text).is_err()
        && NamedTiler::read(text).is_ok_and(|tiler| !tiler.names().is_empty())
}

/// Returns whether an argument is a size with names, such as `64*n`, and not the name of a map.
pub fn is_named_size(call: &Call<'_>, argument: &Argument) -> bool {
    !is_map(call, argument)
        && NamedLayout::read(&argument.text).is_ok_and(|size| !size.names().is_empty())
}

/// Returns whether an argument is a map or the name of a map; any other name is a size.
fn is_map(call: &Call<'_>, argument: &Argument) -> bool {
    let text = argument.text.trim();
    let is_answer = text.starts_with('_') && Operand { call, argument }.is_map();
    is_answer || text.contains("->") || call.session.maps.contains_key(text)
}

/// Parses a layout with names, or recognises the layout that a map represents.
///
/// # Errors
/// If the argument is not a layout.
pub fn read(call: &Call<'_>, argument: &Argument) -> Result<NamedLayout, Failure> {
    if !is_map(call, argument) {
        return NamedLayout::read(&argument.text).map_err(|error| argument.blame(error));
    }
    let map = call.any_map(argument)?;
    if map.domain().count(VariableKind::Parameter) == 0 {
        let layout = Operand { call, argument }.layout()?.to_string();
        return NamedLayout::read(&layout).map_err(|error| argument.blame(error));
    }
    recognise(&map, &call.proof_budget()).map_err(|refusal| match refusal {
        Refusal::Interrupted => call.interrupted(),
        other => argument.wrong(ErrorKind::Shape, format!("the map is not a layout: {other}")),
    })
}

/// Parses the second operand of an operation: one layout, or a layout for each mode of the first operand; a shape without strides
/// is the latter.
fn tiler(call: &Call<'_>, argument: &Argument) -> Result<NamedTiler, Failure> {
    match is_map(call, argument) {
        true => Ok(read(call, argument)?.into()),
        false => NamedTiler::read(&argument.text).map_err(|error| argument.blame(error)),
    }
}

/// Answers with the layout itself and its map.
///
/// # Errors
/// If it has no map, or an option is given.
pub fn show(call: &mut Call<'_>, argument: &Argument) -> Result<(), Failure> {
    let mut given = call.arguments.options.iter().map(|(option, _)| *option);
    if let Some(option) = given.find(|option| OF_ANY.iter().all(|any| any.name != *option)) {
        let message = format!("`--{option}` does not support sizes with names");
        return Err(argument.wrong(ErrorKind::Unsupported, message));
    }
    let layout = read(call, argument)?;
    emit(call, None, &Conditional::always(layout), (None, None))
}

/// Answers an operation.
///
/// # Errors
/// Any error in the arguments.
pub fn answer(call: &mut Call<'_>, name: &Argument, operands: &[Argument]) -> Result<(), Failure> {
    let budget = call.proof_budget();
    let (least, most) = match name.text.as_str() {
        "compose" | "complement" | "divide" | "product" | "common" => (2, 2),
        "group" => (2, 3),
        "recast" => (3, 3),
        "inverse" | "coalesce" | "flatten" | "of" => (1, 1),
        other => {
            let message = format!("`layout {other}` does not support sizes with names");
            return Err(name.wrong(ErrorKind::Unsupported, message));
        }
    };
    if operands.len() < least || operands.len() > most {
        let message = format!("`layout {}` does not take so many layouts", name.text);
        return Err(name.wrong(ErrorKind::Usage, message));
    }
    // Elsewhere, a name that does not belong to a map may be a size.
    if is_name(operands[0].text.trim()) && !is_map(call, &operands[0]) {
        call.map(&operands[0])?;
    }
    if name.text == "of" && is_map(call, &operands[0]) {
        let map = call.any_map(&operands[0])?;
        return match recognise(&map, &budget) {
            Ok(layout) => {
                let mut answer = Conditional::always(layout);
                if let Ok(found) = answer.layout.map() {
                    answer.claims = vec![vec![(map, found)]];
                }
                emit(call, Some("of"), &answer, (None, None))
            }
            Err(refusal) => emit_refusal(call, "of", &refusal),
        };
    }
    let first = read(call, &operands[0])?;
    let (found, kind, note) = made(call, name, operands, &first)?;
    match found {
        Ok(layout) => emit(call, Some(&name.text), &layout, (kind, note)),
        Err(refusal) => emit_refusal(call, &name.text, &refusal),
    }
}

/// The layout that an operation makes, which inverse it is, and a note on it.
type Made = (Result<Conditional, Refusal>, Option<&'static str>, Option<String>);

/// Applies an operation to its first operand, which has been read, and to the others.
fn made(
    call: &mut Call<'_>,
    name: &Argument,
    operands: &[Argument],
    first: &NamedLayout,
) -> Result<Made, Failure> {
    let budget = call.proof_budget();
    let (mut kind, mut note) = (None, None);
    let under = |operation: Operation, other: NamedTiler| {
        conditional(operation, first, &other, &[], &budget)
    };
    let same_line = |found: NamedLayout| Conditional::related(found, Relation::SameLine(first));
    let found = match name.text.as_str() {
        "compose" => under(Operation::Compose, tiler(call, &operands[1])?),
        "complement" => under(Operation::Complement, read(call, &operands[1])?.into()),
        "divide" => under(Operation::Divide(arrangement(call)), tiler(call, &operands[1])?),
        "product" => {
            let how = interleaving(call);
            let other = match how {
                Interleaving::Apart(_) => tiler(call, &operands[1])?,
                _ => read(call, &operands[1])?.into(),
            };
            under(Operation::Product(how), other)
        }
        "group" => {
            let (from, to) = modes(&operands[1..])?;
            group(first, from, to, &budget).and_then(same_line)
        }
        "recast" => {
            let widths = [size_of(&operands[1])?, size_of(&operands[2])?];
            under(Operation::Recast(widths), NamedTiler::Modes(Vec::new()))
        }
        "common" => {
            let other = read(call, &operands[1])?;
            max_common(first, &other, &budget)
                .and_then(|found| Conditional::related(found, Relation::Common(first, &other)))
        }
        "coalesce" => coalesce(first, &budget).and_then(same_line),
        "flatten" => flatten(first, &budget).and_then(same_line),
        "of" => same_line(first.clone()),
        _ => {
            let left = (!call.has(RIGHT)).then(|| left_inverse(first, &budget));
            match left {
                Some(Ok((found, is_inverse))) => {
                    kind = Some(if is_inverse { "inverse" } else { "left inverse" });
                    Conditional::related(found, Relation::LeftInverse(first))
                }
                Some(Err(refusal)) if call.has(LEFT) => Err(refusal),
                left => {
                    note = left.and_then(Result::err).map(|refusal| without_left(&refusal));
                    kind = Some("right inverse");
                    right_inverse(first, &budget).and_then(|found| {
                        Conditional::related(found, Relation::RightInverse(first))
                    })
                }
            }
        }
    };
    Ok((found, kind, note))
}

fn emit(
    call: &mut Call<'_>,
    name: Option<&str>,
    answer: &Conditional,
    (kind, note): (Option<&str>, Option<String>),
) -> Result<(), Failure> {
    let layout = &answer.layout;
    let map = layout.map_where(&answer.conditions).map_err(|refusal| {
        let error = affinor::text::Error::without_span(ErrorKind::Overflow, refusal.to_string());
        call.failed(error)
    })?;
    let map = call.simplifier()?.simplify(&map, &call.search_options()?).map;
    let conditions: Vec<String> = answer.conditions.iter().map(ToString::to_string).collect();
    let mut text = Text::of(Role::Formula, layout.to_string());
    if let Some(kind) = kind {
        line(&mut text, "kind", kind.to_owned());
    }
    if !conditions.is_empty() {
        line(&mut text, "where", conditions.join(", "));
    }
    line(&mut text, "offset", print_map(&map, call.session.style));
    let names: Vec<String> = answer.names().into_iter().collect();
    let mut json = Object::new();
    if let Some(name) = name {
        let such = if conditions.is_empty() { "of at least 1" } else { "where that holds" };
        let values = match &*names {
            [] => String::new(),
            names => format!(", for all {} {such}", names.join(", ")),
        };
        // The strides nest for all values of the names, which is the condition of the rule; the prover is not needed.
        let basis = if name == "complement" { "by the rule of complements" } else { "proved" };
        line(&mut text, "check", format!("{basis}{values}"));
        json = json.with("operation", name).with_some("kind", kind);
    }
    if let Some(place) = &answer.otherwise {
        line(&mut text, "else", format!("no layout {place}"));
    }
    if let Some(note) = &note {
        line(&mut text, "note", note.clone());
    }
    let json = json
        .with("layout", layout.to_string())
        .with("answer", "layout")
        .with("names", names)
        .with_some("where", Some(conditions).filter(|all| !all.is_empty()))
        .with_some("otherwise", answer.otherwise.clone())
        .with_some("notes", note.map(|note| vec![note]))
        .with("map", print_map(&map, Style::Plain));
    let json = match name {
        Some("complement") => json.with("check", "proved").with("basis", "rule"),
        Some(_) => json.with("check", "proved").with("basis", "proved"),
        None => json,
    };
    let shown = Shown { claims: &answer.claims, products: &answer.products };
    let (text, json) = with_certificate(call, &shown, (text, json))?;
    call.session.last = Some(map);
    call.emit(Output::new(text, json));
    Ok(())
}
