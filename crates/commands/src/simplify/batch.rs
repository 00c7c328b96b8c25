//! `simplify --jsonl`: many maps, one per line, answered in order as they are read.
//!
//! Law: each line of the input that is not empty produces one object. A bad line produces an error with its position in the line,
//! and the run continues.

use super::batch_line::Task;
use super::check::{Check, Checker, certified_object, certified_status, check_object};
use super::options::{CERTIFICATE, CHECK, EXPLAIN, THREADS};
use super::simplified::stop_status;
use crate::arguments::Argument;
use crate::contain::contained;
use crate::failure::{Failure, stopped};
use crate::lines::{Line, Lines, file_error};
use crate::output::{Object, Output, Status};
use crate::table::Call;
use crate::words::nanoseconds;
use affinor::expr::shared_cost;
use affinor::num::parallel::{Order, in_parallel};
use affinor::simplify::{Options, Simplifier};
use affinor::text::{Error, Style, print_expr, print_map_strictly, render, variable_names};
use affinor_emit as emit;
use serde_json::Value;
use std::time::Duration;

/// The number of lines, for each thread beyond the first, that are read before any of them is answered.
const LINES_AHEAD: usize = 64;

/// Simplifies each line of a file.
///
/// # Errors
/// If the file cannot be read, the user stops the run, or the shipped rules do not load.
pub fn run(call: &mut Call<'_>, file: &Argument) -> Result<(), Failure> {
    let wanted = Wanted {
        simplifier: call.simplifier()?,
        checker: call.checker()?,
        options: call.search_options()?,
        style: call.session.style,
        clock: call.host.cpu_clock(),
        check: call.has(CHECK),
        certificate: call.has(CERTIFICATE),
        explain: call.has(EXPLAIN),
    };
    let threads = call.value(&THREADS)?.unwrap_or(1);
    let threads = usize::try_from(threads).unwrap_or(usize::MAX);
    each_line(call, file, threads, Task::read, |id, task| wanted.answer(id, &task)).map(drop)
}

/// Answers each non-empty line of a file, on several threads, in the order of the lines. `read` parses a line into its id and its
/// query, and `answer` answers the query; a line that does not parse produces its error, and the run continues. With one thread,
/// each line is answered before the next one is read.
///
/// # Errors
/// If the file cannot be read, the user stops the run, or `answer` fails.
pub fn each_line<T: Send>(
    call: &mut Call<'_>,
    file: &Argument,
    threads: usize,
    read: impl Fn(&str) -> (Value, Result<T, Error>) + Sync,
    answer: impl Fn(Value, T) -> Result<Output, Error> + Sync,
) -> Result<usize, Failure> {
    let path = file.text.as_str();
    let unreadable = |error: &std::io::Error| file.blame(file_error(path, error));
    let reader = call.host.open(path).map_err(|error| unreadable(&error))?;
    let interrupt = call.host.interrupt();
    let answered = |(): &mut (), (number, line): (usize, Line)| {
        if interrupt.is_triggered() {
            return Err(stopped());
        }
        let (text, id, task) = match line {
            Line::Text(text) => {
                let (id, task) =
                    contained(|| read(&text)).unwrap_or_else(|error| (Value::Null, Err(error)));
                (text, id, task)
            }
            Line::Wrong(error, shown) => (shown, Value::Null, Err(error)),
        };
        let answered = task.and_then(|task| contained(|| answer(id.clone(), task)));
        answered.unwrap_or_else(|error| {
            let source = render::Source { name: path, text: &text, first_line: number };
            Ok(error_output(id, &error, &source))
        })
    };
    let mut lines = (1..).zip(Lines::new(reader));
    let ahead = match threads {
        0 | 1 => 1,
        threads => threads.saturating_mul(LINES_AHEAD),
    };
    let mut all = 0;
    loop {
        let mut batch = Vec::new();
        let mut failed = None;
        while batch.len() < ahead {
            match lines.next() {
                Some((_, Ok(Line::Text(text)))) if text.trim().is_empty() => {}
                Some((number, Ok(line))) => batch.push((number, line)),
                Some((_, Err(error))) => {
                    failed = Some(unreadable(&error));
                    break;
                }
                None => break,
            }
        }
        let is_last = batch.len() < ahead;
        all += batch.len();
        in_parallel((threads, Order::OfTasks), batch, &|| (), &answered, &mut |output| {
            let output = output.map_err(|error| call.failed(error))?;
            call.emit(output);
            Ok(())
        })?;
        match failed {
            Some(failure) => return Err(failure),
            None if is_last => return Ok(all),
            None => {}
        }
    }
}

/// The settings with which each line is processed.
struct Wanted {
    simplifier: Simplifier,
    checker: Checker,
    options: Options,
    style: Style,
    clock: fn() -> Duration,
    check: bool,
    certificate: bool,
    explain: bool,
}

impl Wanted {
    /// Answers one line.
    fn answer(&self, id: Value, task: &Task) -> Result<Output, Error> {
        let options = Options { results_only: task.is_expression, ..self.options.clone() };
        let start = (self.clock)();
        let outcome = self.simplifier.simplify(&task.map, &options);
        let elapsed = (self.clock)().saturating_sub(start);
        let result = match (task.is_expression, outcome.map.results()) {
            (true, [result]) => {
                print_expr(result, &variable_names(outcome.map.domain()), self.style)
            }
            _ => print_map_strictly(&outcome.map, self.style)?,
        };
        let cost = outcome.map.cost();
        let mut json = Object::new()
            .with("id", id)
            .with("result", result)
            .with("ops", cost.ops)
            .with("divmods", cost.divmods)
            .with("shared_ops", shared_cost(outcome.map.results()).ops)
            .with("bits", emit::bits(&outcome.map))
            .with("ns", nanoseconds(elapsed));
        if let Some(stop) = &outcome.stopped {
            json = json.with("complete", false).with("stopped_at", stop.as_str());
        }
        let mut status = stop_status(&outcome);
        if self.check {
            let check = Check::of(&self.checker, &options, &task.map, &outcome.map)?;
            json = check_object(json, &check, task.map.domain());
            status = status.and(check.status());
        }
        if self.certificate || self.explain {
            let certified = self.simplifier.certify(&task.map, &options);
            if self.certificate {
                json = certified_object(json, &certified, self.simplifier.rules());
                status = status.and(certified_status(&certified));
            }
            if self.explain {
                let steps = self.simplifier.steps(&certified, &options);
                json = json.with("steps", &steps);
            }
        }
        Ok(Output::json_line(json).status(status))
    }
}

/// Returns the answer to an invalid line.
fn error_output(id: Value, error: &Error, source: &render::Source<'_>) -> Output {
    let mut fields = Object::new().with("id", id);
    if let Value::Object(rendered) = render::render_json(error, source) {
        for (key, value) in rendered {
            fields = fields.with(&key, value);
        }
    }
    Output::json_line(fields).status(Status::Wrong)
}
