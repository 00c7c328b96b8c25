//! `layout equal` and `layout choose`.

use super::certificate::{Shown, with_certificate};
use super::named;
use super::shape::{is_cute, placed_array, read_shape};
use crate::failure::Failure;
use crate::output::{Object, Output, Role, Status, Text};
use crate::table::Call;
use crate::verdict::{counterexample, reason, verdict_status, verdict_text};
use affinor::expr::IndexingMap;
use affinor::prove::{Verdict, equal_functions};
use affinor::text::ErrorKind;
use affinor_hlo::shape::Shape;
use affinor_layout::cute::algebra::{Refusal, same_elements};
use affinor_layout::cute::named::{Conditional, Relation, same_elements as same_by_name};
use affinor_layout::cute::{self, Claim};
use affinor_layout::linear::attribute::Encoding;
use affinor_layout::memory::{FormatChoice, Placement, choose};

/// Decides whether equal indices have equal positions.
///
/// # Errors
/// If an argument is not a layout, or the layouts have different sizes.
pub fn run_equal(call: &mut Call<'_>) -> Result<(), Failure> {
    if [1, 2].iter().any(|at| call.argument(*at).is_ok_and(|text| named::is_named(call, text))) {
        let one = named::read(call, call.argument(1)?)?;
        let other = named::read(call, call.argument(2)?)?;
        let decided = same_by_name(&one, &other, &[], &call.proof_budget());
        // With different swizzles, no equation of the layouts without them decides the question.
        let claims = match one.swizzle() == other.swizzle() {
            true => Conditional::related(other, Relation::SameLine(&one)).map(|found| found.claims),
            false => Ok(Vec::new()),
        };
        return emit_by_number(call, decided, &claims.unwrap_or_default());
    }
    let (one, other) = (position_map(call, 1)?, position_map(call, 2)?);
    let second = call.argument(2)?;
    let have_same_sizes = one.domain().intervals().eq(other.domain().intervals());
    if !have_same_sizes
        && let (Some(one), Some(other)) = (cute_layout(call, 1)?, cute_layout(call, 2)?)
    {
        return equal_by_number(call, &one, &other);
    }
    if !have_same_sizes {
        let message = "the arrays have different sizes";
        return Err(second
            .wrong(ErrorKind::Shape, message)
            .hint("`bitcast` asks about a reshape or a transpose"));
    }
    let verdict = equal_functions(&one, &other, &call.proof_budget());
    let verdict = verdict.map_err(|error| second.blame(error))?;
    let verdict = call.uninterrupted(verdict)?;
    let domain = one.domain();
    let text = verdict_text(&verdict, domain);
    let json = Object::new()
        .with("verdict", verdict.word())
        .with_some("counterexample", counterexample(&verdict, domain))
        .with_some("reason", reason(&verdict));
    let (text, json) = match verdict == Verdict::Proved {
        true => {
            let claims = [vec![(one.clone(), other.clone())]];
            with_certificate(call, &Shown { claims: &claims, products: &[] }, (text, json))?
        }
        false => (text, json),
    };
    call.emit(Output::new(text, json).status(verdict_status(&verdict)));
    Ok(())
}

/// Returns the CuTe layout in an argument; `None` if it is not a CuTe layout.
fn cute_layout(call: &Call<'_>, index: usize) -> Result<Option<cute::Layout>, Failure> {
    let argument = call.argument(index)?;
    let text = argument.text.as_str();
    if text == "_" || call.session.maps.contains_key(text) || !is_cute(text) {
        return Ok(None);
    }
    let layout = cute::Layout::read(text).map_err(|error| argument.blame(error))?;
    Ok(Some(layout))
}

/// Decides whether element number i of both layouts has the same offset, whatever their modes.
fn equal_by_number(
    call: &mut Call<'_>,
    one: &cute::Layout,
    other: &cute::Layout,
) -> Result<(), Failure> {
    let decided = same_elements(one, other, &call.proof_budget());
    let lines = one.line().and_then(|one| Ok((one, other.line()?)));
    emit_by_number(call, decided, &[lines.into_iter().collect()])
}

fn emit_by_number(
    call: &mut Call<'_>,
    decided: Result<(), Refusal>,
    claims: &[Claim],
) -> Result<(), Failure> {
    let (word, role, status, why) = match decided {
        Ok(()) => ("proved", Role::Good, Status::Done, None),
        Err(Refusal::None(why)) => ("refuted", Role::Bad, Status::Wrong, Some(why)),
        Err(Refusal::Interrupted) => return Err(call.interrupted()),
        Err(other) => ("unknown", Role::Doubtful, Status::Undecided, Some(other.to_string())),
    };
    let text = Text::of(role, word).plain(match &why {
        None => ": each element by its number has the same offset".to_owned(),
        Some(why) => format!(": {why}"),
    });
    let json = Object::new().with("verdict", word).with("by_number", true).with_some("reason", why);
    let (text, json) = match status {
        Status::Done => with_certificate(call, &Shown { claims, products: &[] }, (text, json))?,
        _ => (text, json),
    };
    call.emit(Output::new(text, json).status(status));
    Ok(())
}

/// Returns the map from indices to positions of a shape, a CuTe layout or a named map.
fn position_map(call: &Call<'_>, index: usize) -> Result<IndexingMap, Failure> {
    let argument = call.argument(index)?;
    let text = argument.text.as_str();
    let is_linear = Encoding::is_meant(text);
    if text == "_" || is_linear || text.contains("->") || call.session.maps.contains_key(text) {
        return call.map(argument);
    }
    if is_cute(text) {
        let layout = cute::Layout::read(text).map_err(|error| argument.blame(error))?;
        return Ok(layout.map().clone());
    }
    Ok(placed_array(call, index)?.position().clone())
}

/// Lists the common formats that an array may have.
///
/// # Errors
/// If the argument is not a shape, or has no bound.
pub fn run_choose(call: &mut Call<'_>) -> Result<(), Failure> {
    if let Some(extra) = call.arguments.positional.get(2) {
        return Err(extra.wrong(ErrorKind::Usage, "`layout choose` takes one shape"));
    }
    let argument = call.argument(1)?.clone();
    let Shape::Array(array) = read_shape(&argument)? else {
        return Err(argument.wrong(ErrorKind::Shape, "expected the shape of an array"));
    };
    let choices = choose(&array).map_err(|error| argument.blame(error))?;
    let mut text = Text::new();
    let mut list = Vec::new();
    for choice in &choices {
        text.new_line();
        text.push(Role::Formula, choice.placement.shape().to_string());
        text.push(Role::Name, format!("  {}", choice.format.name));
        text.push(Role::Plain, format!("\n  because  {}", choice.because));
        text.push(Role::Plain, format!("\n  used for {}", choice.format.when));
        let bytes = choice.placement.physical_bytes();
        let cost = bytes.map_or("over 2^63".to_owned(), |bytes| bytes.to_string());
        text.push(Role::Plain, format!("\n  memory   {cost} bytes"));
        let shared = shared_word(&choice.placement);
        if shared.len() > 1 {
            let list: Vec<String> = shared.iter().map(|index| crate::words::tuple(index)).collect();
            text.push(
                Role::Plain,
                format!("\n  word     elements {} share the first 32 bits", list.join(" ")),
            );
        }
        list.push(value(choice, bytes, shared));
    }
    if choices.len() > 2 {
        text.push(
            Role::Faint,
            "\nmore than one tiled format applies; the page does not say which is taken",
        );
    }
    let json = Object::new().with("shape", array.to_string()).with("formats", list);
    call.emit(Output::new(text, json));
    Ok(())
}

/// Returns the elements in the first 32 bits without padding; at most eight.
fn shared_word(placement: &Placement) -> Vec<Vec<i64>> {
    let bits = placement.bits_per_position();
    let count = if bits > 0 { (32 / bits).min(8) } else { 0 };
    let element = placement.element();
    (0..count)
        .filter(|position| element.domain().contains(&[*position]) == Ok(true))
        .filter_map(|position| element.eval(&[position]).ok())
        .collect()
}

fn value(choice: &FormatChoice, bytes: Option<i64>, shared: Vec<Vec<i64>>) -> Object {
    Object::nested()
        .with("format", choice.format.name)
        .with("shape", choice.placement.shape().to_string())
        .with("because", choice.because.as_str())
        .with("used_for", choice.format.when)
        .with("physical_bytes", bytes)
        .with("first_word", shared)
}
