//! The reads of an instruction, as text and as JSON.

use super::judgement::{judgement_object, judgement_status, judgement_text};
use super::memory::{MemoryMap, MemoryMaps};
use super::pairs::unlisted_text;
use super::replica::{hops_text, replica_text, with_hops, with_replica};
use super::warnings::{self, Warning, warning_lines, with_warnings};
use crate::output::{Object, Output, Role, Status, Text};
use crate::words::braces;
use affinor::expr::IndexingMap;
use affinor::text::{Style, print_expr, print_interval, print_map, variable_names};
use affinor_compare::agreement::Judgement;
use affinor_hlo::module::{Computation, ComputationId, Instruction, Module};
use affinor_ops::indexing::{
    DeviceReads, Exactness, Exchange, InstructionPlace, OperandMap, OperandReads, Reads, Replica,
    RuntimeVariable, ValueSource,
};
use std::iter;

/// The suffix of a verdict on maps through collectives: it is about elements, not about devices.
const ON_WHICHEVER: &str = ", as elements on whichever device";

/// The values of an index of 64 bits, of those that an interval has.
const ALL_OF_64_BITS: (i64, i64) = (-i64::MAX, i64::MAX - 1);

/// The reads of one instruction.
#[derive(Clone, Copy)]
pub struct Answer<'a> {
    /// The module, for names.
    pub module: &'a Module,
    /// The computation of the instruction.
    pub computation: &'a Computation,
    /// The instruction.
    pub instruction: &'a Instruction,
    /// The reads, or the readers of its operands.
    pub reads: &'a [OperandReads],
    /// Whether these are the reads of the whole computation, with its parameters as operands.
    pub of_computation: bool,
    /// Whether the maps go from the operands to the output.
    pub backwards: bool,
    /// Whether these are the elements that values can depend on, not all that are read.
    pub by_values: bool,
    /// Verdict on each entry of `reads`; empty if not requested.
    pub judgements: &'a [Option<Judgement>],
    /// The maps in memory order, if requested.
    pub memory: Option<&'a MemoryMaps>,
    /// The exchange between devices, if the instruction is a collective.
    pub exchange: Option<&'a Exchange<'a>>,
    /// The devices that each of `reads` is read on, if these are the reads of a computation with collectives.
    pub devices: &'a [DeviceReads],
    /// Warnings about the instruction.
    pub warnings: &'a [Warning],
    /// The style of maps.
    pub style: Style,
    /// Returns the limit at which the search for a simpler form of a map stopped.
    pub stop: &'a dyn Fn(&IndexingMap) -> Option<String>,
    /// The number of further pairs of an array of the output and an array of an operand, which have no reads.
    pub unlisted: usize,
}

impl Answer<'_> {
    /// Returns the exit status.
    #[must_use]
    pub fn status(&self) -> Status {
        let mut maps = self.reads.iter().flat_map(|entry| entry.reads.maps().unwrap_or(&[]));
        let status = match maps.any(|map| (self.stop)(&map.map).is_some()) {
            true => Status::Undecided,
            false => Status::Done,
        };
        let status = status.and(self.memory.map_or(Status::Done, MemoryMaps::status));
        let status = status.and(warnings::status(self.warnings));
        let judgements = self.judgements.iter().flatten().map(judgement_status);
        judgements.fold(status, Status::and)
    }

    /// Returns the relation of the maps, unless it is the relation of reading.
    pub(super) fn relation(&self) -> Option<&'static str> {
        self.by_values.then_some("depends-on")
    }

    /// Returns the maps of `entry` in memory order; empty if they were not requested.
    fn memory_of(&self, entry: &OperandReads) -> &[MemoryMap] {
        self.memory.map_or(&[], |memory| memory.of(entry))
    }

    /// Returns the entries with their verdicts.
    fn entries(&self) -> impl Iterator<Item = (&OperandReads, Option<&Judgement>)> {
        let judgements = self.judgements.iter().map(Option::as_ref);
        self.reads.iter().zip(judgements.chain(iter::repeat(None)))
    }

    /// Returns `{"computation", "instruction", "opcode", "shape", "direction", "results"}`
    #[must_use]
    pub fn json(&self) -> Object {
        let direction = match self.backwards {
            true => "input-to-output",
            false => "output-to-input",
        };
        let object = Object::new()
            .with("computation", self.computation.name())
            .with("instruction", self.instruction.name())
            .with("opcode", self.instruction.opcode().name())
            .with("shape", self.instruction.shape().to_string())
            .with("direction", direction)
            .with_some("relation", self.relation())
            .with("results", self.results())
            .with_some("unread_pairs", Some(self.unlisted).filter(|pairs| *pairs > 0));
        with_warnings(object, self.warnings)
    }

    /// Returns `{"output", "operand", "operand_path", "name", "maps"}` for each entry.
    pub(super) fn results(&self) -> Vec<Object> {
        let entries = self.entries();
        entries.map(|(entry, judgement)| self.result(entry, judgement)).collect()
    }

    /// Returns each pair of an output and a parameter, as lines of text and as
    /// `{"output", "parameter", "parameter_path", "name", "maps"}`; warnings are added to the first. If there are collectives,
    /// the device that is read is below each map, and in `replica`.
    pub fn pairs(&self) -> impl Iterator<Item = (Text, Object)> {
        let warnings = iter::once(self.warnings).chain(iter::repeat(&[][..]));
        self.entries()
            .zip(warnings)
            .zip(self.devices.iter().map(Some).chain(iter::repeat(None)))
            .map(|(((entry, judgement), warnings), devices)| {
                let mut text = Text::new();
                for line in warning_lines(warnings, "") {
                    text.new_line();
                    text.append(line);
                }
                let mut lines = self.entry_lines(entry);
                if let Some(devices) = devices {
                    for (line, maps) in lines.iter_mut().zip(&devices.members) {
                        line.append(hops_text(&devices.hops, maps, self.style));
                    }
                }
                for line in lines {
                    text.new_line();
                    text.append(line);
                }
                if let Some(judgement) = judgement {
                    text.append(judgement_text(judgement));
                    if devices.is_some() {
                        text.push(Role::Plain, ON_WHICHEVER);
                    }
                }
                let object = Object::new()
                    .with_some("direction", self.backwards.then_some("input-to-output"))
                    .with_some("relation", self.relation())
                    .with("output", entry.output.clone())
                    .with("parameter", entry.operand)
                    .with("parameter_path", entry.operand_path.clone())
                    .with_some("name", self.operand_name(entry.operand));
                let mut object = self.judged_maps(object, entry, judgement);
                if let Some(devices) = devices {
                    if judgement.is_some() {
                        object = object.with("check_of", "elements");
                    }
                    let (hops, members) = (&devices.hops, &devices.members);
                    object = with_hops(object, self.computation, hops, members, self.style);
                }
                (text, with_warnings(object, warnings))
            })
    }

    fn result(&self, entry: &OperandReads, judgement: Option<&Judgement>) -> Object {
        let object = Object::nested()
            .with("output", entry.output.clone())
            .with("operand", entry.operand)
            .with("operand_path", entry.operand_path.clone())
            .with_some("name", self.operand_name(entry.operand));
        let object = self.judged_maps(object, entry, judgement);
        with_replica(object, self.replica(entry).as_ref(), self.style)
    }

    /// Returns the device that the elements of `entry` are read from, if it may be another one.
    fn replica(&self, entry: &OperandReads) -> Option<Replica<'_>> {
        self.exchange?.of_entry(entry)
    }

    /// Adds the maps of `entry` and its verdict to `object`.
    fn judged_maps(
        &self,
        object: Object,
        entry: &OperandReads,
        judgement: Option<&Judgement>,
    ) -> Object {
        let object = self.maps(object, &entry.reads, self.memory_of(entry));
        match judgement {
            None => object,
            Some(judgement) => judgement_object(object, judgement),
        }
    }

    /// Adds `maps` to `object`, and `reason` if they are unknown; `memory` has one map for each of `maps`, or is empty.
    pub(super) fn maps(&self, object: Object, reads: &Reads, memory: &[MemoryMap]) -> Object {
        match reads {
            Reads::Unknown { reason } => object.with("maps", "unknown").with("reason", &**reason),
            Reads::Maps(maps) => {
                let memory = memory.iter().map(Some).chain(iter::repeat(None));
                let maps = maps.iter().zip(memory);
                let maps: Vec<Object> = maps.map(|(map, memory)| self.map(map, memory)).collect();
                object.with("maps", maps)
            }
        }
    }

    fn map(&self, map: &OperandMap, memory: Option<&MemoryMap>) -> Object {
        let object = Object::nested().with("map", print_map(&map.map, self.style));
        let object = match memory {
            None => object,
            Some(memory) => memory.json(object, self.style),
        };
        let object = object.with("exact", map.exactness == Exactness::Exact);
        let object = match &map.exactness {
            Exactness::Exact => object,
            Exactness::AtMost { reason } => object.with("reason", &**reason),
        };
        let object = match (self.stop)(&map.map) {
            None => object,
            Some(stop) => object.with("complete", false).with("stopped_at", stop),
        };
        let runtime: Vec<Object> =
            map.runtime.iter().map(|variable| self.runtime(map, variable)).collect();
        object.with("runtime", runtime)
    }

    fn runtime(&self, map: &OperandMap, variable: &RuntimeVariable) -> Object {
        let object = Object::nested().with_some("var", variable_name(map, variable));
        let index = map.index_map(variable).ok();
        self.source(object, &variable.source)
            .with_some("map", index.map(|index| print_map(&index, self.style)))
            .with("clamp", variable.clamp)
    }

    /// Adds the name of the tensor that a value known only at run time is an element of.
    pub(super) fn source(&self, object: Object, source: &ValueSource) -> Object {
        match source {
            ValueSource::Operand { operand, path } if self.of_computation => {
                object.with("parameter", *operand).with("parameter_path", path.clone())
            }
            ValueSource::Operand { operand, path } => {
                object.with("operand", *operand).with("operand_path", path.clone())
            }
            ValueSource::Instruction { at, through, path } => {
                let through: Vec<Object> = through.iter().map(|place| self.place(*place)).collect();
                object
                    .with("instruction", self.place_name(*at))
                    .with("computation", self.module[at.computation].name())
                    .with("path", path.clone())
                    .with("through", through)
            }
        }
    }

    /// Returns the name of the tensor that a value known only at run time is an element of.
    pub(super) fn source_name(&self, source: &ValueSource) -> String {
        match source {
            ValueSource::Operand { operand, path } => {
                let name = self.operand_name(*operand).unwrap_or("?");
                format!("{name}{}", braces(path))
            }
            ValueSource::Instruction { at, path, .. } => {
                let computation = self.module[at.computation].name();
                format!("{computation}/{}{}", self.place_name(*at), braces(path))
            }
        }
    }

    fn place(&self, place: InstructionPlace) -> Object {
        Object::nested()
            .with("computation", self.module[place.computation].name())
            .with("instruction", self.place_name(place))
    }

    fn place_name(&self, place: InstructionPlace) -> &str {
        self.module[place.computation][place.instruction].name()
    }

    pub(super) fn operand_name(&self, operand: usize) -> Option<&str> {
        if self.of_computation {
            let parameter = self.computation.parameters().get(operand)?;
            return Some(self.computation[*parameter].name());
        }
        let mut operands = self.computation.operands(self.instruction);
        operands.nth(operand).map(Instruction::name)
    }

    /// Returns a line for the instruction, and below it a line for each map.
    #[must_use]
    pub fn text(&self) -> Text {
        let mut text = Text::new().plain("  ");
        text.append(self.heading());
        for line in warning_lines(self.warnings, "    ") {
            text.push(Role::Plain, "\n");
            text.append(line);
        }
        for (entry, judgement) in self.entries() {
            for line in self.entry_lines(entry) {
                text.push(Role::Plain, "\n");
                text.append(line);
            }
            if let Some(judgement) = judgement {
                text.append(judgement_text(judgement));
            }
        }
        if self.unlisted > 0 {
            text.push(Role::Plain, "\n");
            text.append(unlisted_text(self.unlisted));
        }
        text
    }

    /// Returns `name = shape opcode`
    pub(super) fn heading(&self) -> Text {
        instruction_heading(self.instruction)
    }

    /// Returns the text of an entry, a line for each map.
    pub(super) fn entry_lines(&self, entry: &OperandReads) -> Vec<Text> {
        let operand = self.operand_name(entry.operand).unwrap_or("?");
        let verb = access_verb(self.instruction).filter(|_| entry.operand == 0);
        let operand = match verb.filter(|_| !self.of_computation && !self.backwards) {
            Some(verb) => format!("{verb} {operand}"),
            None => operand.to_owned(),
        };
        let heading = entry_heading(entry, &operand, self.backwards, self.by_values);
        let mut lines = self.reads_lines(&heading, &entry.reads, self.memory_of(entry));
        if let (Some(line), Some(replica)) = (lines.last_mut(), self.replica(entry)) {
            line.append(replica_text(&replica, self.style));
        }
        lines
    }

    /// Returns the text of `reads`, a line for each map, each beginning with `heading`; `memory` has one map for each of them, or
    /// is empty.
    pub(super) fn reads_lines(
        &self,
        heading: &str,
        reads: &Reads,
        memory: &[MemoryMap],
    ) -> Vec<Text> {
        let line = || Text::new().plain(heading);
        match reads {
            Reads::Unknown { reason } => {
                let line = line().with(Role::Doubtful, "unknown");
                vec![line.plain(format!(": {reason}"))]
            }
            Reads::Maps(maps) if maps.is_empty() => {
                let nothing = if self.by_values { "nothing" } else { "nothing is read" };
                vec![line().with(Role::Faint, nothing)]
            }
            Reads::Maps(maps) => {
                let memory = memory.iter().map(Some).chain(iter::repeat(None));
                let written = maps.iter().zip(memory).map(|(map, memory)| {
                    let mut line = line();
                    self.write_map(&mut line, map);
                    if let Some(memory) = memory {
                        line.append(memory.text(self.style));
                    }
                    line
                });
                written.collect()
            }
        }
    }

    fn write_map(&self, text: &mut Text, map: &OperandMap) {
        text.push(Role::Number, ""); // filled in for a session
        text.push(Role::Formula, print_map(&map.map, self.style));
        if let Exactness::AtMost { reason } = &map.exactness {
            text.push(Role::Doubtful, "\n        at most");
            text.push(Role::Plain, format!(": {reason}"));
        }
        if let Some(stop) = (self.stop)(&map.map) {
            text.push(
                Role::Doubtful,
                format!("\n        the search stopped at its bound ({stop})"),
            );
        }
        let names = variable_names(map.map.domain());
        for variable in &map.runtime {
            let name = variable_name(map, variable).unwrap_or("?");
            let source = self.source_name(&variable.source);
            let index: Vec<String> =
                variable.index.iter().map(|index| print_expr(index, &names, self.style)).collect();
            let index = index.join(", ");
            text.push(Role::Plain, format!("\n        {name} = {source}[{index}]"));
            // The range of the index's integer type does not limit anything.
            if (variable.clamp.lo(), variable.clamp.hi()) != ALL_OF_64_BITS {
                let clamp = print_interval(variable.clamp);
                text.push(Role::Plain, format!(", clamped to {clamp}"));
            }
        }
    }
}

fn variable_name<'m>(map: &'m OperandMap, variable: &RuntimeVariable) -> Option<&'m str> {
    let variables = map.map.domain().variables();
    variables.get(variable.variable.index()).map(|variable| &*variable.name)
}

/// Returns `name = shape opcode`; an access of MLIR has its own name.
pub(super) fn instruction_heading(instruction: &Instruction) -> Text {
    let (shape, opcode) = (instruction.shape(), instruction.opcode());
    let op = access_verb(instruction).and_then(|_| stated(instruction, "computes"));
    let op = op.unwrap_or_else(|| opcode.name().to_owned());
    Text::new().with(Role::Name, instruction.name()).with(Role::Faint, format!(" = {shape} {op}"))
}

/// Returns the verb for an access of MLIR: whether it reads or writes its buffer.
fn access_verb(instruction: &Instruction) -> Option<String> {
    stated(instruction, "access")
}

fn stated(instruction: &Instruction, key: &str) -> Option<String> {
    instruction.backend_config(key)?.as_str().map(str::to_owned)
}

/// Returns the text before a map of `entry`, whose operand is called `operand`.
pub(super) fn entry_heading(
    entry: &OperandReads,
    operand: &str,
    backwards: bool,
    by_values: bool,
) -> String {
    let operand = format!("{operand}{}", braces(&entry.operand_path));
    let output = braces(&entry.output);
    match (entry.output.as_slice(), backwards, by_values) {
        ([], false, false) => format!("    {operand}: "),
        ([], false, true) => format!("    depends on {operand}: "),
        (_, false, false) => format!("    {output} reads {operand}: "),
        (_, false, true) => format!("    {output} depends on {operand}: "),
        ([], true, false) => format!("    from {operand}: "),
        ([], true, true) => format!("    from {operand} to its dependents: "),
        (_, true, false) => format!("    from {operand} to {output}: "),
        (_, true, true) => format!("    from {operand} to its dependents in {output}: "),
    }
}

/// Puts the name of a computation above the first answer about it.
#[derive(Default)]
pub(super) struct ByComputation {
    last: Option<ComputationId>,
}

impl ByComputation {
    pub(super) fn below(&mut self, id: ComputationId, module: &Module, output: Output) -> Output {
        if self.last.replace(id) == Some(id) {
            return output;
        }
        let mut text = Text::of(Role::Name, module[id].name()).plain("\n");
        text.append(output.text);
        Output { text, ..output }
    }
}
