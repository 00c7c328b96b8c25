//! `MODULE INSTRUCTION` in place of a map: the reads of an instruction from its operands, with the layouts of its module.
//!
//! Law: there is one answer for each map of each selected operand, and one for each operand whose maps are unknown, or that
//! is not read. An answer that follows from an upper bound of the reads is marked as such.

use super::arguments::Argument;
use super::custom::{CUSTOM, custom_calls};
use super::failure::Failure;
use super::option::{Flag, Setting, text};
use super::output::{Object, Output, Role, Status, Text, clipped};
use super::table::Call;
use super::text_file::TextFile;
use super::words::{braces, nearest};
use affinor::expr::IndexingMap;
use affinor::num::Interval;
use affinor::text::{ErrorKind, Style, print_interval, print_map, variable_names};
use affinor_hlo::module::{Computation, ComputationId, Instruction, InstructionId, Module};
use affinor_hlo::shape::ArrayShape;
use affinor_layout::memory::Placement;
use affinor_ops::indexing::{
    Analysis, Exactness, OperandMap, OperandReads, Reads, RuntimeVariable, Simplify, ValueSource,
};
use affinor_ops::open_sizes::OpenSizes;
use affinor_ops::relayout::in_memory_order;
use serde_json::Value;

/// `--operand`; a command that has it takes `MODULE INSTRUCTION`.
pub const OPERAND: Setting<Argument> = Setting::new(
    "operand",
    "OPERAND",
    "only this operand of INSTRUCTION, by its name or its number from 0",
    text,
);

/// `--memory` of commands that take `MODULE INSTRUCTION`.
pub const POSITIONS: Flag = Flag::new(
    "memory",
    "with MODULE INSTRUCTION: the map between positions in memory, not elements",
);

/// One map of an instruction.
pub struct Read<'a> {
    /// The module.
    pub module: &'a Module,
    /// The instruction.
    pub instruction: &'a Instruction,
    /// The output array whose elements read.
    pub output: &'a ArrayShape,
    /// The array of an operand that is read.
    pub operand: &'a ArrayShape,
    /// The map from the output to the operand, from indices to indices or from positions to positions.
    pub map: OperandMap,
    /// The bounds of the indices, or positions, of the output and of the operand; `None` for a size without a bound.
    pub bounds: [Option<Vec<Interval>>; 2],
    /// The argument that names the instruction.
    pub blamed: Argument,
}

impl Read<'_> {
    /// Returns the placements of the output and of the operand.
    ///
    /// # Errors
    /// If an array has no placement.
    pub fn placements(&self) -> Result<[Placement; 2], Failure> {
        let placed = |array| Placement::new(array).map_err(|error| self.blamed.blame(error));
        Ok([placed(self.output)?, placed(self.operand)?])
    }
}

/// Answers for each map, if the call is about an instruction of a module; returns `false` otherwise.
///
/// # Errors
/// Any error in the arguments or the module. Errors of `work` that are not about usage are reported, and do not stop the
/// other maps.
pub fn each(
    call: &mut Call<'_>,
    work: impl FnMut(&mut Call<'_>, &Read<'_>) -> Result<Output, Failure>,
) -> Result<bool, Failure> {
    let path = call.argument(0)?.clone();
    if path.text.starts_with("hlo ") {
        let hint = format!("leave out `hlo`: `{} MODULE INSTRUCTION`", call.command.name);
        return Err(path.wrong(ErrorKind::Usage, "the answer of `hlo` is not a map").hint(hint));
    }
    if !call.command.reads_module(&path.text) {
        let options = [OPERAND.switch, POSITIONS.switch, CUSTOM.switch];
        let given = options.iter().find(|option| call.arguments.has(option.name));
        return match given {
            None => Ok(false),
            Some(option) => Err(call
                .wrong_usage(format!("`--{}` needs MODULE INSTRUCTION", option.name))
                .hint("the path of a module has a dot or a slash: `./model`")),
        };
    }
    let Some(name) = call.arguments.positional.get(1).cloned() else {
        let message = format!("`{}` needs an instruction of the module", call.command.name);
        let hint = format!("`hlo {}` lists them", clipped(&path.text));
        return Err(path.wrong(ErrorKind::Usage, message).hint(hint));
    };
    let file = TextFile::read(call, &path)?;
    let module = affinor_mlir::read(&file.bytes).map_err(|error| file.blame(error))?;
    let place = find(&module, &name)?;
    let (simplifier, search) = (call.simplifier()?, call.search_options()?);
    let simplify = |map: &IndexingMap| simplifier.simplify(map, &search).map;
    let mut analysed = Analysed::new(call, &file, &module, &simplify)?;
    each_of(call, &mut analysed, place, name, work)?;
    Ok(true)
}

/// A module whose instructions are queried in sequence.
pub struct Analysed<'a> {
    file: &'a TextFile,
    module: &'a Module,
    simplify: Simplify<'a>,
    analysis: Analysis<'a>,
}

impl<'a> Analysed<'a> {
    /// Prepares a module that was read from a file.
    ///
    /// # Errors
    /// If the table of custom-calls cannot be read.
    pub fn new(
        call: &mut Call<'_>,
        file: &'a TextFile,
        module: &'a Module,
        simplify: Simplify<'a>,
    ) -> Result<Analysed<'a>, Failure> {
        let analysis = Analysis::new(module, simplify)
            .with_open(OpenSizes::of(module, simplify))
            .with_custom_calls(&custom_calls(call)?)
            .ended_by(&call.host.interrupt());
        Ok(Analysed { file, module, simplify, analysis })
    }
}

/// Answers for each map of one instruction of a module, named by `blamed`.
///
/// # Errors
/// The errors of [`each`].
pub fn each_of(
    call: &mut Call<'_>,
    analysed: &mut Analysed<'_>,
    (computation, instruction): (ComputationId, InstructionId),
    blamed: Argument,
    mut work: impl FnMut(&mut Call<'_>, &Read<'_>) -> Result<Output, Failure>,
) -> Result<(), Failure> {
    let module = analysed.module;
    let reads = analysed.analysis.instruction(computation, instruction);
    call.go_on()?;
    let asked = Asked {
        module,
        computation: &module[computation],
        instruction: &module[computation][instruction],
        blamed,
        simplify: analysed.simplify,
    };
    let reads = reads.map_err(|error| analysed.file.blame(error))?;
    let wanted = asked.wanted(call)?;
    let is_wanted = |entry: &OperandReads| wanted.is_none_or(|operand| operand == entry.operand);
    let wanted = reads.iter().filter(|entry| is_wanted(entry));
    let answers: Vec<(&OperandReads, Part<'_>)> = wanted.flat_map(parts).collect();
    if answers.is_empty() {
        let text = Text::of(Role::Name, asked.instruction.name()).plain(" reads no element");
        call.emit(Output::new(text, Object::new()));
    }
    let mut reported = None;
    call.each(answers, |call, (entry, part)| {
        let output = match part {
            Part::Map(map, _) => asked.read(call, entry, map).and_then(|read| work(call, &read)),
            Part::Nothing => {
                let text = Text::of(Role::Faint, "nothing is read");
                Ok(Output::new(text, Object::new()))
            }
            Part::Unknown(reason) => {
                let text = Text::of(Role::Doubtful, "unknown").plain(format!(": {reason}"));
                let output = Output::new(text, Object::new().with("reason", reason));
                Ok(output.status(Status::Undecided))
            }
        };
        match output {
            Ok(output) => call.emit(asked.headed(entry, part, output)),
            Err(failure) if failure.ends_the_command() => return Err(failure),
            // A mistake that concerns all operands is reported once.
            Err(failure) if reported.as_ref() == Some(&failure) => {}
            Err(failure) => {
                call.report(&failure);
                reported = Some(failure);
            }
        }
        Ok(())
    })
}

/// The subject of an answer.
#[derive(Clone, Copy)]
enum Part<'a> {
    /// A map, with its number from 1 and the number of maps if there are several.
    Map(&'a OperandMap, Option<(usize, usize)>),
    Nothing,
    Unknown(&'a str),
}

fn parts(entry: &OperandReads) -> Vec<(&OperandReads, Part<'_>)> {
    match &entry.reads {
        Reads::Unknown { reason } => vec![(entry, Part::Unknown(reason))],
        Reads::Maps(maps) if maps.is_empty() => vec![(entry, Part::Nothing)],
        Reads::Maps(maps) => {
            let number = |number| (maps.len() > 1).then_some((number, maps.len()));
            let numbered = (1..).zip(maps);
            let parts = numbered.map(|(at, map)| (entry, Part::Map(map, number(at))));
            parts.collect()
        }
    }
}

/// Returns the instruction called `name`, or `COMPUTATION/NAME`.
fn find(module: &Module, name: &Argument) -> Result<(ComputationId, InstructionId), Failure> {
    // An MLIR value that is one of several results of an op.
    let dotted = bare(name).replace('#', ".");
    let text = dotted.as_str();
    let mut found = Vec::new();
    for (id, computation) in module.computations() {
        let named = |name| computation.instruction_named(name).map(|found| (id, found));
        let inside = text.strip_prefix(computation.name());
        let inside = inside.and_then(|rest| rest.strip_prefix('/'));
        found.extend(named(text).or_else(|| named(inside?)));
    }
    match found.as_slice() {
        [only] => Ok(*only),
        [] => {
            let computations = module.computations();
            let known = computations.flat_map(|(_, computation)| computation.instructions());
            Err(unknown("instruction", name, known.map(|(_, known)| known.name())))
        }
        [(first, _), ..] => {
            let message = format!("several instructions are called `{}`", clipped(text));
            let hint = format!("write `{}/{}`", module[*first].name(), clipped(text));
            Err(name.wrong(ErrorKind::Name, message).hint(hint))
        }
    }
}

/// Returns the name without the `%` that may precede it.
pub fn bare(name: &Argument) -> &str {
    name.text.strip_prefix('%').unwrap_or(&name.text)
}

/// Creates the error for an unknown name, with the nearest known name as a hint.
pub fn unknown<'m>(what: &str, name: &Argument, known: impl Iterator<Item = &'m str>) -> Failure {
    let message = format!("the module has no {what} `{}`", clipped(bare(name)));
    let failure = name.wrong(ErrorKind::Name, message);
    match nearest(bare(name), known) {
        Some(near) => failure.hint(format!("did you mean `{near}`?")),
        None => failure,
    }
}

/// The instruction of a call.
struct Asked<'a> {
    module: &'a Module,
    computation: &'a Computation,
    instruction: &'a Instruction,
    blamed: Argument,
    simplify: Simplify<'a>,
}

impl Asked<'_> {
    fn operands(&self) -> impl Iterator<Item = &Instruction> {
        self.computation.operands(self.instruction)
    }

    /// Returns the number of the operand given by `--operand`.
    fn wanted(&self, call: &Call<'_>) -> Result<Option<usize>, Failure> {
        let name = self.instruction.name();
        let Some(given) = call.text_of(&OPERAND) else {
            return match self.instruction.operands() {
                [] => {
                    let message = format!("`{}` has no operands", clipped(name));
                    Err(self.blamed.wrong(ErrorKind::Usage, message))
                }
                _ => Ok(None),
            };
        };
        let text = bare(given);
        let by_name = self.operands().position(|operand| operand.name() == text);
        let by_number = text.parse().ok();
        let by_number = by_number.filter(|number| *number < self.instruction.operands().len());
        if let Some(operand) = by_name.or(by_number) {
            return Ok(Some(operand));
        }
        let message = format!("`{}` has no operand `{}`", clipped(name), clipped(text));
        let failure = given.wrong(ErrorKind::Name, message);
        let names = || self.operands().map(Instruction::name);
        Err(match (nearest(text, names()), names().next()) {
            (Some(near), _) => failure.hint(format!("did you mean `{near}`?")),
            (None, None) => failure,
            (None, Some(first)) => failure.hint(format!("operand 0 is `{}`", clipped(first))),
        })
    }

    fn read<'r>(
        &'r self,
        call: &Call<'_>,
        entry: &OperandReads,
        map: &OperandMap,
    ) -> Result<Read<'r>, Failure> {
        let operand = self.operands().nth(entry.operand);
        let operand =
            operand.and_then(|operand| operand.shape().at(&entry.operand_path)?.as_array());
        let output = self.instruction.shape().at(&entry.output);
        let output = output.and_then(|output| output.as_array());
        let (Some(output), Some(operand)) = (output, operand) else {
            let message = "the operand or the result is not an array";
            return Err(self.blamed.wrong(ErrorKind::Shape, message));
        };
        let bounds = [output, operand].map(|array| {
            let sizes = array.sizes()?;
            Some(sizes.into_iter().map(Interval::of_size).collect())
        });
        let read = Read {
            module: self.module,
            instruction: self.instruction,
            output,
            operand,
            map: map.clone(),
            bounds,
            blamed: self.blamed.clone(),
        };
        match call.has(POSITIONS) {
            false => Ok(read),
            true => self.in_memory(read),
        }
    }

    /// Converts a read between elements to one between memory positions.
    fn in_memory<'r>(&self, read: Read<'r>) -> Result<Read<'r>, Failure> {
        let [output, operand] = read.placements()?;
        let map = in_memory_order(&read.map.map, &output, &operand).map_err(|error| {
            let message = format!("the map between positions cannot be written: {error}");
            self.blamed.wrong(ErrorKind::Overflow, message)
        })?;
        let positions = |placement: Placement| Some(vec![Interval::of_size(placement.positions())]);
        Ok(Read {
            map: OperandMap {
                map: (self.simplify)(&map),
                exactness: read.map.exactness,
                // The indices of runtime variables are over elements.
                runtime: Vec::new(),
            },
            bounds: [output, operand].map(positions),
            ..read
        })
    }

    /// Describes a runtime variable on a line of its own: `rt0 is an element of i, in [0, 3]`.
    fn runtime_text(&self, map: &OperandMap, variable: &RuntimeVariable) -> String {
        let names = variable_names(map.map.domain());
        let name = names.get(variable.variable.index()).map_or("?", |name| name);
        let source = match &variable.source {
            ValueSource::Operand { operand, path } => {
                let operand = self.operands().nth(*operand);
                format!("{}{}", operand.map_or("?", Instruction::name), braces(path))
            }
            ValueSource::Instruction { at, path, .. } => {
                let computation = &self.module[at.computation];
                let name = computation[at.instruction].name();
                format!("{}/{name}{}", computation.name(), braces(path))
            }
        };
        let clamp = print_interval(variable.clamp);
        format!("\n{name} is an element of {source}, in {clamp}")
    }

    /// Puts the answer below a heading with the reader and the operand that is read, and adds these to the JSON as `of`.
    fn headed(&self, entry: &OperandReads, part: Part<'_>, output: Output) -> Output {
        let operand = self.operands().nth(entry.operand);
        let (name, shape) = operand.map_or(("?", None), |operand| {
            (operand.name(), operand.shape().at(&entry.operand_path))
        });
        let mut text = Text::of(Role::Name, self.instruction.name());
        text.push(Role::Plain, braces(&entry.output));
        text.push(Role::Plain, format!(" reads {name}{}", braces(&entry.operand_path)));
        if let Some(shape) = shape {
            text.push(Role::Faint, format!(" = {shape}"));
        }
        let mut of = Object::nested()
            .with("computation", self.computation.name())
            .with("instruction", self.instruction.name())
            .with("opcode", self.instruction.opcode().name())
            .with("output", entry.output.clone())
            .with("operand", entry.operand)
            .with("operand_path", entry.operand_path.clone())
            .with("name", name);
        if let Part::Map(map, number) = part {
            if let Some((number, all)) = number {
                text.push(Role::Plain, format!(", map {number} of {all}"));
            }
            of = of
                .with("map", print_map(&map.map, Style::Plain))
                .with("exact", map.exactness == Exactness::Exact);
            if let Exactness::AtMost { reason } = &map.exactness {
                text.push(Role::Doubtful, "\nat most");
                text.push(Role::Plain, format!(": {reason}"));
                of = of.with("reason", &**reason);
            }
            for variable in &map.runtime {
                text.push(Role::Plain, self.runtime_text(map, variable));
            }
        }
        text.push(Role::Plain, "\n");
        text.append(output.text);
        let json = output.json.map(|mut json| {
            json.shift_insert(1, "of".to_owned(), Value::from(of)); // after the schema
            json
        });
        Output { text, json, ..output }
    }
}
