//! The answer of a map simplified according to the options of a command.

use super::check::{
    Check, certified_object, certified_status, certified_text, check_object, check_text,
};
use super::options::{CERTIFICATE, CHECK, EXPLAIN};
use super::steps::steps_text;
use crate::certificate_form::{FORMAT, Form};
use crate::failure::Failure;
use crate::output::{Object, Output, Role, Status, Text};
use crate::table::Call;
use affinor::expr::IndexingMap;
use affinor::num::Stopped;
use affinor::simplify::Outcome;
use affinor_emit as emit;
use affinor_workshop::rocq;

/// Simplifies `map` according to the options `--certificate`, `--check` and `--explain` of the call, and makes the result the
/// last answer.
///
/// # Errors
/// If the shipped rules do not load, or the user stops the check.
pub fn simplified(call: &mut Call<'_>, map: &IndexingMap) -> Result<Output, Failure> {
    let options = call.search_options()?;
    let (outcome, steps) = match call.has(EXPLAIN) {
        true => call.explain(map, &options)?,
        false => (call.simplifier()?.simplify(map, &options), Vec::new()),
    };
    let check = match call.has(CHECK) {
        true => Some(
            Check::of(&call.checker()?, &options, map, &outcome.map)
                .map_err(|error| call.failed(error))?,
        ),
        false => None,
    };
    let text = call.written(&outcome.map)?;
    let number = call.session.answer(outcome.map.clone());
    call.session.note_simplified(map.clone());
    let json = Object::new().and(&outcome).with("bits", emit::bits(&outcome.map));
    let json = json.with("result", &text);
    let mut shown = Text::of(Role::Formula, text);
    if let Some(stop) = &outcome.stopped {
        shown.append(stopped_text(stop));
    }
    let mut status = stop_status(&outcome);
    let (mut json, of_width) = call.add_width(&outcome.map, Some(map), &mut shown, json)?;
    status = status.and(of_width);
    if let Some(check) = &check {
        shown.append(Text::new().plain("\n"));
        shown.append(check_text(check, map.domain()));
        json = check_object(json, check, map.domain());
        status = status.and(check.status());
    }
    if call.has(CERTIFICATE) {
        let simplifier = call.simplifier()?;
        let certified = simplifier.certify(map, &options);
        if call.value(&FORMAT)? == Some(Form::Rocq) {
            let theorem = rocq::theorem(&certified.certificate, simplifier.rules());
            let theorem = theorem.map_err(|error| call.failed(error))?;
            let text = format!("{}\n{theorem}", rocq::HEAD);
            let json = json.with("rocq", text.trim_end());
            let mut output = Output::new(Text::new().plain(text.trim_end()), json);
            output.number = Some(number);
            return Ok(output.status(status.and(certified_status(&certified))));
        }
        shown.append(certified_text(&certified, simplifier.rules()));
        json = certified_object(json, &certified, simplifier.rules());
        status = status.and(certified_status(&certified));
    }
    if call.has(EXPLAIN) {
        shown.append(Text::new().plain("\n"));
        shown.append(steps_text(&steps, call.simplifier()?.rules(), false));
        json = json.with("steps", &steps);
    }
    let mut output = Output::new(shown, json).status(status);
    output.number = Some(number);
    Ok(output)
}

/// Returns the exit status: a stopped search is undecided, since there may be a smaller form.
pub fn stop_status(outcome: &Outcome) -> Status {
    match outcome.stopped {
        None => Status::Done,
        Some(_) => Status::Undecided,
    }
}

/// Returns the remark after a result whose search was cut short.
pub fn stopped_text(stop: &str) -> Text {
    let why = match stop == Stopped::Interrupted.to_string() {
        true => "the search was interrupted".to_owned(),
        false => format!("the search stopped at its bound ({stop})"),
    };
    Text::of(Role::Doubtful, format!("\n{why}: the result is equal, but may not be the smallest"))
}
