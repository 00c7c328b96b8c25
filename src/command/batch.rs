//! `simplify --jsonl`: many maps, one a line, answered in order as they come.
//!
//! Law: each line of the input that is not empty gives one object. A bad line gives an error with
//! its position in the line, and the run goes on.

use super::arguments::Argument;
use super::batch_line::Task;
use super::failure::Failure;
use super::lines::{Line, Lines, file_error};
use super::output::{Object, Output, Status};
use super::session::Call;
use super::simplify::stop_status;
use super::steps::steps_array;
use super::verdict::{Check, certified_object, certified_status, check_object};
use crate::error::Error;
use crate::render;
use crate::simplify::{Budget, Simplifier};
use crate::syntax::{print_expr, print_map, variable_names};
use serde_json::Value;

/// Simplifies each line of a file.
///
/// # Errors
/// When the file cannot be read, when the user stops the run, and when the shipped rules do not load.
pub fn run(call: &mut Call<'_>, file: &Argument) -> Result<(), Failure> {
    let simplifier = call.simplifier()?;
    each_line(call, file, Task::read, |call, id, task| {
        answer(call, &simplifier, id, &task)
    })
}

/// Answers each line of a file that is not empty. `read` gives the id of a line and what it asks, `answer`
/// the answer to that; a line that does not read gives its error, and the run goes on.
///
/// # Errors
/// When the file cannot be read, when the user stops the run, and those of `answer`.
pub fn each_line<T>(
    call: &mut Call<'_>,
    file: &Argument,
    read: impl Fn(&str) -> (Value, Result<T, Error>),
    answer: impl Fn(&Call<'_>, Value, T) -> Result<Output, Failure>,
) -> Result<(), Failure> {
    let path = file.text.as_str();
    let unreadable = |error: &std::io::Error| file.blame(file_error(path, error));
    let reader = call.host.open(path).map_err(|error| unreadable(&error))?;
    let mut lines = Lines::new(reader);
    let mut number = 0;
    while let Some(line) = lines.next_line().map_err(|error| unreadable(&error))? {
        if call.host.interrupt().is_triggered() {
            return Err(call.interrupted());
        }
        number += 1;
        let (text, id, task) = match line {
            Line::Text(text) if text.trim().is_empty() => continue,
            Line::Text(text) => {
                let (id, task) = read(&text);
                (text, id, task)
            }
            Line::Wrong(error, shown) => (shown, Value::Null, Err(error)),
        };
        let output = match task {
            Ok(task) => answer(call, id, task)?,
            Err(error) => {
                let source = render::Source {
                    name: path,
                    text: &text,
                    first_line: number,
                };
                error_output(id, &error, &source)
            }
        };
        call.emit(output);
    }
    Ok(())
}

/// The answer to one line.
fn answer(
    call: &Call<'_>,
    simplifier: &Simplifier,
    id: Value,
    task: &Task,
) -> Result<Output, Failure> {
    let start = call.host.cpu_time();
    let outcome = simplifier.simplify(&task.map, Budget::default());
    let elapsed = call.host.cpu_time().saturating_sub(start);
    let style = call.session.style;
    let result = match (task.is_expression, outcome.map.results()) {
        (true, [result]) => print_expr(result, &variable_names(outcome.map.domain()), style),
        _ => print_map(&outcome.map, style),
    };
    let cost = outcome.map.cost();
    let mut json = Object::new()
        .with("id", id)
        .with("result", result)
        .with("ops", cost.ops)
        .with("divmods", cost.divmods)
        .with("ns", u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX));
    if let Some(stop) = &outcome.stopped {
        json = json
            .with("complete", false)
            .with("stopped_at", stop.as_str());
    }
    let mut status = stop_status(&outcome);
    if call.arguments.has("check") {
        let check = Check::of(call, &task.map, &outcome.map)?;
        json = check_object(json, &check, task.map.domain());
        status = status.and(check.status());
    }
    if call.arguments.has("certificate") {
        let certified = simplifier.certify(&task.map, Budget::default());
        json = certified_object(json, &certified, simplifier.rules());
        status = status.and(certified_status(&certified));
    }
    if call.arguments.has("explain") {
        let explained = simplifier.explain(&task.map, Budget::default());
        json = json.with("steps", steps_array(&explained.steps));
    }
    Ok(Output::json_line(json).status(status))
}

/// The answer to a line that is wrong.
fn error_output(id: Value, error: &Error, source: &render::Source<'_>) -> Output {
    let mut fields = Object::new().with("id", id);
    if let Value::Object(rendered) = render::render_json(error, source) {
        for (key, value) in rendered {
            fields = fields.with(&key, value);
        }
    }
    Output::json_line(fields).status(Status::Wrong)
}
