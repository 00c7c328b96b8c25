//! `layout compose`, `complement`, `divide` and the other operations of the algebra of CuTe layouts.

use super::certificate::{Shown, with_certificate};
use super::linear::{is_linear, run_linear};
use super::named::{self, is_named};
use super::operands::{Operand, operands, recognised};
use super::operation::{
    CERTIFICATE, LEFT, RIGHT, SWITCHES, arrangement, emit_refusal, interleaving, modes, options_of,
    size_of, without_left,
};
use super::output::line;
use super::shown::shown;
use crate::arguments::Argument;
use crate::certificate_form::FORMAT;
use crate::failure::Failure;
use crate::option::OF_ANY;
use crate::output::{Object, Output, Role, Text};
use crate::table::Call;
use crate::words::tuple;
use affinor::expr::IndexingMap;
use affinor::text::{ErrorKind, Style, print_interval, print_map};
use affinor_layout::cute::algebra::{
    Basis, Interleaving, Made, Refusal, coalesce, complement, compose_by, composed_map, divide,
    flatten, group, left_inverse, left_inverse_map, max_common, product, recast, right_inverse,
};
use affinor_layout::cute::{Claim, Layout, Tiler};

/// Answers the call and returns whether the first argument is the name of an operation.
///
/// # Errors
/// Any error in the arguments.
pub fn run_operation(call: &mut Call<'_>) -> Result<bool, Failure> {
    let name = call.argument(0)?.clone();
    let Some(options) = options_of(&name.text) else {
        if let Some((option, _)) = call
            .arguments
            .options
            .iter()
            .find(|(option, _)| SWITCHES.iter().any(|switch| switch.name == *option))
        {
            let message = format!("`--{option}` goes with an operation on CuTe layouts");
            return Err(call.wrong_usage(message));
        }
        return Ok(false);
    };
    let given = call.arguments.options.iter().map(|(option, _)| *option);
    let beside = [CERTIFICATE.switch, FORMAT.switch];
    let others = OF_ANY.iter().chain(&beside);
    let given = given.filter(|option| others.clone().all(|any| any.name != *option));
    let given: Vec<&str> = given.collect();
    if let Some(option) =
        given.iter().find(|option| !options.iter().any(|o| o.switch.name == **option))
    {
        let message = format!("`layout {}` has no option `--{option}`", name.text);
        return Err(call.wrong_usage(message));
    }
    if let [_, _, ..] = given[..] {
        let message = format!("`layout {}` takes one option", name.text);
        return Err(call.wrong_usage(message));
    }
    let operands = operands(call);
    if is_linear(call, &name.text, &operands) {
        run_linear(call, &name, &operands)?;
        return Ok(true);
    }
    let is_named_size = |size: &Argument| named::is_named_size(call, size);
    let is_in_named_size = name.text == "complement" && operands.get(1).is_some_and(is_named_size);
    if is_in_named_size || operands.iter().any(|operand| is_named(call, operand)) {
        named::answer(call, &name, &operands)?;
        return Ok(true);
    }
    let answer = answered(call, &name, &operands)?;
    let (made, kind) = match answer {
        Answered::Checked(made, kind) => (made, kind),
        Answered::Map(map, checked, why) => {
            emit_map(call, &name.text, map, (checked, &why))?;
            return Ok(true);
        }
    };
    match made {
        Ok(made) => emit_made(call, &name.text, &made, kind)?,
        Err(refusal) => emit_refusal(call, &name.text, &refusal)?,
    }
    Ok(true)
}

enum Answered {
    /// A layout or a refusal, with the kind of the answer if it differs from the name of the operation.
    Checked(Result<Made, Refusal>, Option<&'static str>),
    /// A composition that is not a layout, or a left inverse with the basis of its check and its claim; and why it is not a
    /// layout.
    Map(IndexingMap, Option<(Basis, Claim)>, String),
}

fn answered(call: &Call<'_>, name: &Argument, operands: &[Argument]) -> Result<Answered, Failure> {
    let budget = call.proof_budget();
    let count = |least: usize, most: usize, usage: &str| -> Result<(), Failure> {
        let message = format!("expected `layout {} {usage}`", name.text);
        if operands.len() < least {
            return Err(name.wrong(ErrorKind::Usage, message));
        }
        match operands.get(most) {
            Some(extra) => Err(extra.wrong(ErrorKind::Usage, message)),
            None => Ok(()),
        }
    };
    let at = |number: usize| Operand { call, argument: &operands[number] };
    let made = match name.text.as_str() {
        "compose" => {
            count(2, 2, "A ; B")?;
            let (first, tiler) = (at(0).layout()?, at(1).tiler()?);
            let made = compose_by(&first, &tiler, &budget);
            if let (Err(Refusal::None(why)), Tiler::Whole(second)) = (&made, &tiler)
                && let Ok(map) = composed_map(&first, second)
            {
                return Ok(Answered::Map(map, None, why.clone()));
            }
            made
        }
        "complement" => {
            count(1, 2, "A N")?;
            let layout = at(0).layout()?;
            let target = match operands.get(1) {
                Some(target) => Some(size_of(target)?),
                None => layout.offsets().and_then(|offsets| offsets.interval.hi().checked_add(1)),
            };
            complement(&layout, target.unwrap_or(i64::MAX))
        }
        "divide" => {
            count(2, 2, "A ; B")?;
            divide(&at(0).layout()?, &at(1).tiler()?, arrangement(call), &budget)
        }
        "product" => {
            count(2, 2, "A ; B")?;
            let interleaving = interleaving(call);
            let is_apart = matches!(interleaving, Interleaving::Apart(_));
            let tiler = match is_apart {
                true => at(1).tiler()?,
                false => Tiler::Whole(at(1).layout()?),
            };
            product(&at(0).layout()?, &tiler, interleaving, &budget)
        }
        "inverse" => {
            count(1, 1, "A")?;
            return inverted(call, &at(0).layout()?);
        }
        "coalesce" => {
            count(1, 1, "A")?;
            coalesce(&at(0).layout()?, &budget)
        }
        "flatten" => {
            count(1, 1, "A")?;
            flatten(&at(0).layout()?, &budget)
        }
        "group" => {
            count(2, 3, "A I..J")?;
            let (from, to) = modes(&operands[1..])?;
            group(&at(0).layout()?, from, to, &budget)
        }
        "common" => {
            count(2, 2, "A ; B")?;
            max_common(&at(0).layout()?, &at(1).layout()?, &budget)
        }
        "recast" => {
            count(3, 3, "A FROM TO")?;
            let (from, to) = (size_of(&operands[1])?, size_of(&operands[2])?);
            recast(&at(0).layout()?, from, to, &budget)
        }
        _ => {
            count(1, 1, "MAP")?;
            let map = call.map(&operands[0])?;
            recognised(call, &map)?
        }
    };
    Ok(Answered::Checked(made, None))
}

/// Computes the requested inverse. Without an option, it is the left inverse if the elements have different offsets, else the
/// right inverse.
fn inverted(call: &Call<'_>, layout: &Layout) -> Result<Answered, Failure> {
    let budget = call.proof_budget();
    if call.has(RIGHT) {
        let right = right_inverse(layout, &budget);
        return Ok(Answered::Checked(right, Some("right inverse")));
    }
    let left = match left_inverse(layout, &budget) {
        Ok(left) => left,
        Err(Refusal::Interrupted) => return Err(call.interrupted()),
        Err(refusal) => {
            let closed = left_inverse_map(layout, &budget);
            return Ok(match (closed, refusal) {
                (Ok((map, basis, claim)), Refusal::None(why) | Refusal::Unknown(why)) => {
                    Answered::Map(map, Some((basis, claim)), why)
                }
                (Err(Refusal::Interrupted), _) => return Err(call.interrupted()),
                (_, refusal) if call.has(LEFT) => {
                    Answered::Checked(Err(refusal), Some("left inverse"))
                }
                (_, refusal) => {
                    let note = without_left(&refusal);
                    let found = right_inverse(layout, &budget).map(|mut made| {
                        made.notes.push(note);
                        made
                    });
                    Answered::Checked(found, Some("right inverse"))
                }
            });
        }
    };
    let elements = |layout: &Layout| -> i64 { layout.sizes().iter().product() };
    let kind = match elements(&left.layout) == elements(layout) {
        true => "inverse",
        false => "left inverse",
    };
    Ok(Answered::Checked(Ok(left), Some(kind)))
}

fn emit_made(
    call: &mut Call<'_>,
    name: &str,
    made: &Made,
    kind: Option<&str>,
) -> Result<(), Failure> {
    let layout = &made.layout;
    let map = shown(call, layout)?;
    let mut text = Text::of(Role::Formula, layout.to_string());
    if let Some(kind) = kind {
        line(&mut text, "kind", kind.to_owned());
    }
    line(&mut text, "sizes", tuple(&layout.sizes()));
    let offsets = layout.offsets().map(|offsets| offsets.interval);
    if let Some(offsets) = offsets {
        line(&mut text, "offsets", format!("in {}", print_interval(offsets)));
    }
    line(&mut text, "offset", print_map(&map, call.session.style));
    line(&mut text, "check", in_words(made.basis));
    for note in &made.notes {
        line(&mut text, "note", note.clone());
    }
    let elements = layout.sizes().iter().try_fold(1_i64, |n, size| n.checked_mul(*size));
    let json = Object::new()
        .with("operation", name)
        .with_some("kind", kind)
        .with("layout", layout.to_string())
        .with("answer", "layout")
        .with("sizes", layout.sizes())
        .with("elements", elements)
        .with("offsets", offsets)
        .with("map", print_map(&map, Style::Plain))
        .with("check", "proved")
        .with("basis", word_of(made.basis))
        .with("notes", made.notes.clone());
    let shown = Shown { claims: &made.claims, products: &[] };
    let (text, json) = with_certificate(call, &shown, (text, json))?;
    call.session.last = Some(map);
    call.emit(Output::new(text, json));
    Ok(())
}

/// Emits a composition or a left inverse that is not a layout, as a map.
fn emit_map(
    call: &mut Call<'_>,
    name: &str,
    map: IndexingMap,
    (checked, why): (Option<(Basis, Claim)>, &str),
) -> Result<(), Failure> {
    let defined = map;
    let map = call.simplifier()?.simplify(&defined, &call.search_options()?).map;
    let mut text = Text::of(Role::Formula, print_map(&map, call.session.style));
    let kind = checked.as_ref().map(|_| "left inverse");
    if let Some(kind) = kind {
        line(&mut text, "kind", kind);
    }
    line(&mut text, "layout", format!("none: {why}"));
    let json = Object::new()
        .with("operation", name)
        .with_some("kind", kind)
        .with("layout", None::<String>)
        .with("answer", "map")
        .with("reason", why)
        .with("map", print_map(&map, Style::Plain));
    let mut json = json;
    // The map of a composition is the map of its definition, simplified.
    let mut claims = vec![vec![(defined, map.clone())]];
    if let Some((basis, claim)) = checked {
        line(&mut text, "check", in_words(basis));
        json = json.with("check", "proved").with("basis", word_of(basis));
        claims = vec![claim];
    }
    let shown = Shown { claims: &claims, products: &[] };
    let (text, json) = with_certificate(call, &shown, (text, json))?;
    call.session.last = Some(map);
    call.emit(Output::new(text, json));
    Ok(())
}

fn in_words(basis: Basis) -> &'static str {
    match basis {
        Basis::Counted => "proved, at each element",
        Basis::Proved => "proved",
    }
}

fn word_of(basis: Basis) -> &'static str {
    match basis {
        Basis::Counted => "counted",
        Basis::Proved => "proved",
    }
}
