//! Warnings beside maps: unknown operations, unknown and wrong attributes, undefined computations, and text that was interpreted
//! differently from its literal form.
//!
//! Law: a warning has a position in the file. It does not affect the maps: maps that depend on something unknown are themselves
//! marked as inexact or unknown.

use crate::output::{Object, Role, Status, Text, clipped};
use crate::text_file::TextFile;
use crate::words::nearest;
use affinor::text::Error;
use affinor_hlo::attribute::{Attribute, AttributeValue};
use affinor_hlo::module::{Computation, Instruction, Module};
use affinor_hlo::opcode::Opcode;
use affinor_layout::memory::Placement;
use affinor_ops::indexing::runs_computations;
use std::collections::BTreeSet;

/// A warning, with its line and column in the file, both from 1.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Warning {
    error: Error,
    place: Option<(usize, usize)>,
    /// The exit status of a run with the warning: wrong text, something unknown, or merely unusual text.
    status: Status,
}

/// The line starts of a file.
pub struct Lines {
    starts: Vec<usize>,
}

impl Lines {
    /// Finds the line starts of `file`.
    #[must_use]
    pub fn of(file: &TextFile) -> Lines {
        let newlines = (0..).zip(&file.bytes).filter(|(_, byte)| **byte == b'\n');
        let starts = newlines.map(|(position, _): (usize, _)| position + 1);
        Lines { starts: [0].into_iter().chain(starts).collect() }
    }

    fn place(&self, position: usize) -> (usize, usize) {
        let line = self.starts.partition_point(|start| *start <= position);
        let start = line.checked_sub(1).and_then(|line| self.starts.get(line));
        (line, position - start.unwrap_or(&0) + 1)
    }

    fn warning(&self, error: Error) -> Warning {
        Warning {
            place: error.span.as_ref().map(|span| self.place(span.start)),
            error,
            status: Status::Done,
        }
    }

    /// Returns the warnings of one instruction of `module`.
    #[must_use]
    pub fn warnings(&self, module: &Module, instruction: &Instruction) -> Vec<Warning> {
        let mut warnings = Vec::new();
        // Notes are in the order of the text.
        let (span, notes) = (instruction.span(), module.notes());
        let start = |note: &Error| note.span.as_ref().map_or(0, |span| span.start);
        let inside = notes.partition_point(|note| start(note) < span.start)
            ..notes.partition_point(|note| start(note) < span.end);
        let is_doubtful = instruction.is_doubtful();
        // No op of HLO has a dot in its name. The ops of MLIR's dialects do, and their reader has reported the unknown ones.
        let other = match instruction.opcode() {
            Opcode::Other(name) => Some(name),
            _ => None,
        };
        let is_foreign = other.is_some_and(|name| name.contains('.')) && !inside.is_empty();
        let status = match is_doubtful || is_foreign {
            true => Status::Undecided,
            false => Status::Done,
        };
        let note = |note: &Error| Warning { status, ..self.warning(note.clone()) };
        warnings.extend(notes[inside].iter().map(note));
        if let Some(name) = other
            && !is_doubtful
            && !is_foreign
        {
            let message = format!("`{}` is not a known operation", clipped(name));
            let error = instruction.error(message);
            let near = nearest(name, Opcode::LISTED.iter().map(Opcode::name));
            let error = match near {
                Some(near) => error.hint(format!("did you mean `{near}`?")),
                None => error,
            };
            warnings.push(Warning { status: Status::Wrong, ..self.warning(error) });
        }
        let attributes = instruction.attributes();
        let is_wrong =
            |attribute: &&Attribute| matches!(attribute.value(), AttributeValue::Wrong(..));
        let unread: Vec<&Attribute> = attributes.unread().filter(|each| !is_wrong(each)).collect();
        if let Some(first) = unread.first() {
            let names = unread.iter().map(|attribute| format!("`{}`", clipped(attribute.name())));
            let names: Vec<String> = names.collect();
            let message = format!("unknown form, kept as text: {}", names.join(", "));
            warnings.push(self.warning(first.error(message)));
        }
        for attribute in attributes.unread() {
            if let AttributeValue::Wrong(_, error) = attribute.value() {
                let mut error = (**error).clone();
                error.message =
                    format!("`{}` is kept as text: {}", attribute.name(), error.message);
                warnings.push(self.warning(error));
            }
        }
        if let Some(missing) = attributes.undefined_computation()
            && !is_doubtful
        {
            let consequence = match runs_computations(instruction.opcode()) {
                true => ", so its reads are unknown",
                false => "; it is assumed to use all of its operands",
            };
            let message = format!(
                "the computation `{}` is not in the text{consequence}",
                clipped(missing.name())
            );
            let mut error = instruction.error(message);
            error.span = Some(missing.span());
            warnings.push(self.warning(error));
        }
        warnings
    }

    /// Returns the warning about a bitcast between arrays of different sizes in memory.
    #[must_use]
    pub fn of_bitcast(&self, body: &Computation, instruction: &Instruction) -> Option<Warning> {
        let bytes =
            |of: &Instruction| Placement::new(of.shape().as_array()?).ok()?.physical_bytes();
        let operand = body.operands(instruction).next()?;
        let is_bitcast = *instruction.opcode() == Opcode::Bitcast;
        let (is, was) = (bytes(instruction)?, bytes(operand)?);
        (is_bitcast && is != was).then(|| {
            let message = format!("a bitcast gives {was} byte(s), as its operand takes, not {is}");
            Warning { status: Status::Undecided, ..self.warning(instruction.error(message)) }
        })
    }

    /// Returns the warnings of all instructions of a module, each sentence once.
    #[must_use]
    pub fn of_module(&self, module: &Module) -> Vec<Warning> {
        let computations = module.computations();
        let instructions = computations.flat_map(|(_, body)| body.instructions());
        let mut warnings: Vec<Warning> =
            instructions.flat_map(|(_, instruction)| self.warnings(module, instruction)).collect();
        let mut seen = BTreeSet::new();
        warnings.retain(|warning| seen.insert(warning.error.message.clone()));
        warnings
    }
}

/// Returns the exit status of a run with these warnings.
pub fn status(warnings: &[Warning]) -> Status {
    warnings.iter().map(|warning| warning.status).fold(Status::Done, Status::and)
}

/// Adds `warnings`, if there are any: `{"kind", "message", "line", "column", "length", "hint"}`.
pub fn with_warnings(object: Object, warnings: &[Warning]) -> Object {
    if warnings.is_empty() {
        return object;
    }
    let nested = warnings.iter().map(|warning| {
        let error = &warning.error;
        Object::nested()
            .with("kind", error.kind.code())
            .with("message", error.message.as_str())
            .with_some("line", warning.place.map(|(line, _)| line))
            .with_some("column", warning.place.map(|(_, column)| column))
            .with_some("length", error.span.as_ref().map(|span| span.len()))
            .with_some("hint", error.hint.as_deref())
    });
    object.with("warnings", nested.collect::<Vec<_>>())
}

/// Returns a line for each warning, indented by `indent`.
pub fn warning_lines(warnings: &[Warning], indent: &str) -> Vec<Text> {
    let line = |warning: &Warning| {
        let text = Text::new().plain(indent).with(Role::Doubtful, "warning");
        let place = warning.place;
        let place = place.map(|(line, column)| format!(" at line {line}, column {column}"));
        let hint = warning.error.hint.as_ref();
        let hint = hint.map(|hint| format!(" ({hint})"));
        text.plain(format!(
            "{}: {}{}",
            place.unwrap_or_default(),
            warning.error.message,
            hint.unwrap_or_default()
        ))
    };
    warnings.iter().map(line).collect()
}
