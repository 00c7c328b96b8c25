//! `hlo --corpus`: the modules of a directory, a line of JSON for each.
//!
//! Laws: a line depends on its module and the options only, except for `ns`, the CPU time. Each line is written when its module
//! is done, so a killed run loses only the modules in flight; the next run processes the modules without a line. At the end the
//! lines are in the order of the modules, whichever runs wrote them.

use super::asked::{Shaper, threads};
use super::files::{is_module, module_names};
use super::options::OUT;
use super::summary::{Known, Summary};
use super::warnings::{Lines, with_warnings};
use crate::arguments::Argument;
use crate::contain::contained;
use crate::custom::custom_calls;
use crate::failure::Failure;
use crate::lines::{file_error, not_written};
use crate::output::{Object, Output, Status, Text, clipped};
use crate::table::Call;
use crate::text_file::TextFile;
use crate::words::nanoseconds;
use affinor::expr::IndexingMap;
use affinor::num::Interrupt;
use affinor::text::{Error, ErrorKind, render};
use affinor_hlo::module::Module;
use affinor_ops::indexing::{Analysis, CustomCalls};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::time::Duration;

/// The maximal number of errors and warnings that are kept for a module.
const PROBLEMS: usize = 10;

/// Processes the modules of a directory whose lines are not in the file yet.
///
/// # Errors
/// For invalid options, errors of the file system, and interruption.
pub(super) fn run(call: &mut Call<'_>, directory: &Argument) -> Result<(), Failure> {
    let path = call.text_of(&OUT).cloned();
    let path = path.ok_or_else(|| call.wrong_usage("`--corpus` needs `--out FILE`"))?;
    if !call.arguments.positional.is_empty() {
        return Err(call.wrong_usage("`--corpus DIR` takes the place of FILE"));
    }
    let names = call.host.files_in(&directory.text);
    let names = names
        .and_then(|names| names.ok_or_else(|| io::ErrorKind::NotADirectory.into()))
        .map_err(|error| directory.blame(file_error(&directory.text, &error)))?;
    let names = module_names(names);
    let mut done = Done::read(call, &path)?;
    let left: Vec<String> =
        names.iter().filter(|name| !done.lines.contains_key(*name)).cloned().collect();
    let there = names.len() - left.len();
    let work = Work {
        directory: directory.text.trim_end_matches('/'),
        shaper: Shaper::new(call)?,
        table: custom_calls(call)?,
        interrupt: call.host.interrupt(),
        clock: call.host.cpu_clock(),
    };
    let open = call.host.opener();
    let open = |path: &str| TextFile::of(path, open(path));
    let threads = threads(call)?;
    let answer = |name: &String| (name.clone(), work.line(name, &open));
    call.each_when_done(threads, left, &answer, |call, (name, line)| {
        let Some(line) = line else {
            return Ok(());
        };
        let line = Value::Object(line.into()).to_string();
        let written = call.host.append(&path.text, &format!("{line}\n"));
        written.map_err(|error| path.blame(not_written(&path.text, &error)))?;
        done.lines.insert(name, line);
        Ok(())
    })?;
    let mut text = String::new();
    let mut wrong = 0;
    let in_order = names.iter().filter_map(|name| done.lines.remove(name));
    let in_order: Vec<String> = in_order.collect();
    // Lines of modules that no longer exist are kept, after the others.
    for line in in_order.iter().chain(done.lines.values()) {
        wrong += usize::from(has_errors(line));
        text += line;
        text.push('\n');
    }
    let replaced = call.host.write(&path.text, text.as_bytes());
    replaced.map_err(|error| path.blame(not_written(&path.text, &error)))?;
    let all = text.lines().count();
    let said =
        format!("{all} modules in {}, {there} of them from before, {wrong} with errors", path.text);
    let json = Object::new()
        .with("file", path.text.as_str())
        .with("modules", all)
        .with("from_before", there)
        .with("with_errors", wrong);
    let status = match wrong {
        0 => Status::Done,
        _ => Status::Wrong,
    };
    call.emit(Output::new(Text::new().plain(said), json).status(status));
    Ok(())
}

fn is_text(name: &str) -> bool {
    name.strip_suffix(".gz").unwrap_or(name).ends_with(".txt")
}

fn has_errors(line: &str) -> bool {
    let line = serde_json::from_str::<Map<String, Value>>(line).unwrap_or_default();
    line.contains_key("errors")
}

/// The lines that earlier runs wrote, by the names of the modules.
struct Done {
    lines: BTreeMap<String, String>,
}

impl Done {
    /// Reads the file. A last line without a newline is incomplete: it is dropped, from the file too.
    fn read(call: &mut Call<'_>, path: &Argument) -> Result<Done, Failure> {
        let mut lines = BTreeMap::new();
        match call.host.open(&path.text) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Done { lines }),
            Err(error) => return Err(path.blame(file_error(&path.text, &error))),
            Ok(_) => {}
        }
        let file = TextFile::read(call, path)?;
        let text = file.text()?;
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        for (number, line) in (1..).zip(text[..whole].lines()) {
            let read = serde_json::from_str::<Map<String, Value>>(line).ok();
            let name = read.and_then(|read| Some(read.get("module")?.as_str()?.to_owned()));
            let Some(name) = name else {
                let message =
                    format!("line {number} of `{}` is not about a module", clipped(&path.text));
                let error = Error::without_span(ErrorKind::File, message);
                return Err(path.blame(error.hint("name a new file, or one that `--corpus` wrote")));
            };
            lines.insert(name, line.to_owned());
        }
        if whole < text.len() {
            let replaced = call.host.write(&path.text, &text.as_bytes()[..whole]);
            replaced.map_err(|error| path.blame(not_written(&path.text, &error)))?;
        }
        Ok(Done { lines })
    }
}

/// The settings with which each module is processed.
struct Work<'a> {
    directory: &'a str,
    shaper: Shaper,
    table: Arc<CustomCalls>,
    interrupt: Interrupt,
    clock: fn() -> Duration,
}

impl Work<'_> {
    /// Returns the line of a module: `{"module", "bytes", ..}`; `None` if it was interrupted, and for a text that is not a
    /// module.
    fn line(&self, name: &str, open: &dyn Fn(&str) -> Result<TextFile, Error>) -> Option<Object> {
        let start = (self.clock)();
        let path = format!("{}/{name}", self.directory);
        let object = Object::new().with("module", name);
        let object = match open(&path) {
            Err(error) => object.with("errors", [error_object(error, name, "")]),
            // A dump has texts of other kinds beside its modules.
            Ok(file) if is_text(name) && !is_module(&file.bytes) => return None,
            Ok(file) => {
                let object = object.with("bytes", file.bytes.len());
                let answered = contained(|| self.answered(object.clone(), name, &file, start));
                answered.unwrap_or_else(|defect| {
                    object.with("errors", [error_object(defect, name, "")])
                })
            }
        };
        (!self.interrupt.is_triggered()).then_some(object)
    }

    /// Adds the answer about a file to `object`.
    fn answered(&self, object: Object, name: &str, file: &TextFile, start: Duration) -> Object {
        let text = String::from_utf8_lossy(&file.bytes);
        let module = match affinor_mlir::read(&file.bytes) {
            Ok(module) => module,
            Err(error) => return object.with("errors", [error_object(error, name, &text)]),
        };
        let read = (self.clock)();
        let (summary, errors) = self.summary(&module);
        let object = object.with("computations", module.computations().len());
        let object = object.and(summary.json());
        let mut warnings = Lines::of(file).of_module(&module);
        let object = object.with("warning_count", warnings.len());
        warnings.truncate(PROBLEMS);
        let object = with_warnings(object, &warnings);
        let errors: Vec<Value> = errors
            .into_iter()
            .take(PROBLEMS)
            .map(|error| error_object(error, name, &text))
            .collect();
        let object = object.with_some("errors", (!errors.is_empty()).then_some(errors));
        let time = |from: Duration, to: Duration| nanoseconds(to.saturating_sub(from));
        let times = Object::nested()
            .with("read", time(start, read))
            .with("maps", time(read, (self.clock)()));
        object.with("ns", times)
    }

    /// Returns the counts of a module, and the errors of its instructions.
    fn summary(&self, module: &Module) -> (Summary, Vec<Error>) {
        let simplify = |map: &IndexingMap| self.shaper.apply(map);
        let mut analysis = Analysis::new(module, &simplify)
            .with_custom_calls(&self.table)
            .ended_by(&self.interrupt);
        let (mut summary, mut errors) = (Summary::default(), Vec::new());
        for (place, reads) in analysis.instructions() {
            if self.interrupt.is_triggered() {
                break;
            }
            match reads {
                Ok(reads) => {
                    let instruction = &module[place.computation][place.instruction];
                    summary.add(Known::of(instruction.opcode(), &reads));
                }
                Err(error) => {
                    summary.add_wrong();
                    errors.push(error);
                }
            }
        }
        (summary, errors)
    }
}

/// Returns `{"kind", "message", "line", "column", "length", "hint"}`
fn error_object(error: Error, name: &str, text: &str) -> Value {
    let source = render::Source { name, text, first_line: 1 };
    let mut rendered = render::render_json(&error, &source);
    rendered["error"].take()
}
