//! The accesses of loops: of code, and of MLIR.
//!
//! Law: two counters of one name belong to one loop. A text that may violate this is rejected.

use super::carried::Access;
use crate::arguments::Argument;
use crate::failure::Failure;
use crate::given::expr_error;
use crate::option::C;
use crate::paste::mlir::with_aliases;
use crate::table::Call;
use crate::text_file::TextFile;
use affinor::expr::{IndexingMap, VariableKind};
use affinor::num::Interval;
use affinor::text::ErrorKind;
use affinor_code::{Accessed, Loop, order};
use affinor_hlo::module::{Computation, Instruction, InstructionId};
use affinor_hlo::opcode::Opcode;
use affinor_lines::bare::is_hlo;
use affinor_ops::indexing::{Analysis, Exactness, OperandMap, Reads, ValueSource};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A loop, or a dimension of a grid or a vector.
#[derive(Clone, Default)]
pub struct Counter {
    /// Whether later iterations have greater values; `None` if iterations have no order, or it is not known.
    pub is_up: Option<bool>,
    /// Why its iterations may have an order beside that of accesses.
    pub reason: Option<String>,
    /// The arrays that are separate in each iteration.
    pub own: BTreeSet<String>,
}

/// The accesses of a text.
#[derive(Default)]
pub struct Accesses {
    pub known: Vec<Access>,
    pub counters: BTreeMap<String, Counter>,
    /// Why there may be more accesses.
    pub unknown: Option<String>,
}

/// Reads loops, of MLIR or of code.
///
/// # Errors
/// Of the text, and if two loops have one counter.
pub fn of_text(call: &mut Call<'_>, argument: &Argument) -> Result<Accesses, Failure> {
    match is_hlo(&argument.text) {
        true => of_mlir(call, argument),
        false => of_code(call, argument),
    }
}

fn of_code(call: &Call<'_>, argument: &Argument) -> Result<Accesses, Failure> {
    let order = order(&argument.text).map_err(|error| argument.blame(error))?;
    let mut accesses = Accesses::default();
    for Loop { counters, is_up, reason, arrays } in order.loops {
        for name in counters {
            let counter = Counter { is_up, reason: reason.clone(), own: arrays.clone() };
            if accesses.counters.insert(name.clone(), counter).is_some() {
                return Err(two_loops(argument, &name));
            }
        }
    }
    let code = call.code(argument, call.has(C))?;
    let unknown = code.without_map.first();
    accesses.unknown =
        unknown.map(|(name, error)| format!("`{name}` is not known: {}", error.message));
    let own = |is_block: bool| {
        let arrays = order.arrays.iter().filter(|(_, is_shared)| is_block || !**is_shared);
        arrays.map(|(name, _)| name.clone()).collect::<BTreeSet<String>>()
    };
    for value in code.values {
        let Some(of) = value.access else { continue };
        for map in value.maps {
            let loops = loops_of_code(&map, &value.free);
            accesses.known.push(Access { of: of.clone(), map, loops, repeated: Vec::new() });
        }
    }
    // Each block, thread and program runs all statements.
    let all = accesses.known.iter().flat_map(|access| access.loops.iter());
    let mut grid: BTreeSet<String> =
        all.filter(|name| level(name).is_some_and(|level| level < 2)).cloned().collect();
    grid.extend(order.grid);
    for name in &grid {
        let bounds = accesses.known.iter().filter_map(|access| access.bounds_of(name));
        let some = bounds.reduce(Interval::hull).unwrap_or(Interval::at_least(0));
        let some = some.intersect(Interval::at_least(0));
        for access in &mut accesses.known {
            access.repeat(name, some).map_err(|error| argument.blame(expr_error(error)))?;
            access.loops.sort_by_key(|name| level(name).unwrap_or(2));
        }
    }
    for name in accesses.known.iter().flat_map(|access| &access.loops) {
        let level = level(name);
        let of_others = order.of_others.as_ref().filter(|_| level.is_none());
        let other = || Counter {
            is_up: None,
            reason: of_others.or(order.of_grid.as_ref()).cloned(),
            own: own(level == Some(0)),
        };
        accesses.counters.entry(name.clone()).or_insert_with(other);
    }
    Ok(accesses)
}

fn of_mlir(call: &mut Call<'_>, argument: &Argument) -> Result<Accesses, Failure> {
    let text = with_aliases(call, &argument.text);
    let file = TextFile::typed(&text);
    let module = affinor_mlir::read(&file.bytes).map_err(|error| file.blame(error))?;
    module.notes().iter().for_each(|note| call.notice(&note.message));
    let (simplifier, search) = (call.simplifier()?, call.search_options()?);
    let simplify = |map: &IndexingMap| simplifier.simplify(map, &search).map;
    let mut analysis = Analysis::new(&module, &simplify).ended_by(&call.host.interrupt());
    let mut accesses = Accesses::default();
    if text.contains("iter_args") {
        accesses.unknown = Some(CARRIED.to_owned());
    }
    for (id, computation) in module.computations() {
        for (at, instruction) in computation.instructions() {
            let config = |key: &str| instruction.backend_config(key);
            let Some(verb) = config("access") else {
                accesses.unknown = accesses.unknown.take().or_else(|| not_followed(instruction));
                continue;
            };
            let (verb, loops) = (verb.as_str().unwrap_or_default(), config("loops"));
            let loops = loops.as_ref().and_then(|loops| loops.as_array()).cloned();
            let loops = loops.unwrap_or_default().into_iter();
            let loops: Vec<String> =
                loops.filter_map(|name| name.as_str().map(str::to_owned)).collect();
            let name = |operand: usize| {
                let operand = instruction.operands().get(operand);
                operand.map_or("?", |operand| buffer(computation, *operand).name())
            };
            let reads = analysis.instruction(id, at).map_err(|error| file.blame(error))?;
            let Some(entry) = reads.iter().find(|entry| entry.operand == 0) else { continue };
            let maps = match &entry.reads {
                Reads::Unknown { reason } => {
                    let reason = format!("an access to `{}` is not known: {reason}", name(0));
                    accesses.unknown = Some(reason);
                    continue;
                }
                Reads::Maps(maps) => maps,
            };
            for read in maps.iter() {
                let counter = Counter { is_up: Some(true), ..Counter::default() };
                accesses.counters.extend(loops.iter().map(|name| (name.clone(), counter.clone())));
                let Some((map, loops)) = named(read, &loops, name) else {
                    let reason = format!("an index of `{}` is read in the loop", name(0));
                    accesses.unknown = Some(reason);
                    continue;
                };
                let of = Accessed {
                    array: name(0).to_owned(),
                    is_read: verb.contains("reads"),
                    is_written: verb.contains("writes"),
                    is_bound: read.exactness != Exactness::Exact,
                };
                accesses.known.push(Access { of, map, loops, repeated: Vec::new() });
            }
        }
    }
    Ok(accesses)
}

/// The content of a buffer after a loop that may have written to it.
const WRITTEN: &str = "memref.written";

/// Returns the buffer that an operand is the content of.
fn buffer(computation: &Computation, mut operand: InstructionId) -> &Instruction {
    loop {
        let instruction = &computation[operand];
        match (instruction.opcode(), instruction.operands()) {
            (Opcode::Other(name), [of]) if name.as_ref() == WRITTEN => operand = *of,
            _ => return instruction,
        }
    }
}

const CARRIED: &str = "`iter_args` take values from one iteration to the next";

/// Returns the reason that an instruction of MLIR in loops may access an array, or is a value that a loop carries.
fn not_followed(instruction: &Instruction) -> Option<String> {
    let computes = instruction.backend_config("computes");
    let computes = computes.as_ref().and_then(|computes| computes.as_str());
    match instruction.opcode() {
        Opcode::Other(name) if name.as_ref() == WRITTEN => None,
        Opcode::Other(name) => Some(format!("`{name}` may access an array")),
        Opcode::CustomCall if computes.is_some_and(|of| of.ends_with("for")) => {
            Some(CARRIED.to_owned())
        }
        _ => None,
    }
}

/// Returns the map of an access with its variables named by loops and by the values that they have, and the names of those that
/// differ by iteration: of the loops around it, outermost first, and of the elements that each iteration accesses. Without the
/// latter if a value is read in the iteration itself.
fn named<'n>(
    read: &OperandMap,
    loops: &[String],
    operand: impl Fn(usize) -> &'n str,
) -> Option<(IndexingMap, Vec<String>)> {
    let variables = read.map.domain().variables();
    let mut names: Vec<Arc<str>> = variables.iter().map(|one| one.name.clone()).collect();
    for (name, of) in names.iter_mut().zip(loops) {
        *name = of.as_str().into();
    }
    for variable in &read.runtime {
        let ValueSource::Operand { operand: source, .. } = &variable.source else { return None };
        if !variable.index.is_empty() {
            return None;
        }
        *names.get_mut(variable.variable.index())? = operand(*source).into();
    }
    let differ = |kind| matches!(kind, VariableKind::Dimension | VariableKind::Range);
    let own = variables.iter().zip(&names).filter(|(one, _)| differ(one.kind));
    let own = own.map(|(_, name)| name.to_string()).collect();
    Some((read.map.renamed(&names), own))
}

fn two_loops(argument: &Argument, name: &str) -> Failure {
    let failure = argument.wrong(ErrorKind::Unsupported, format!("{name} counts two loops"));
    failure.hint("ask about one nest of loops, or give each loop its own counter")
}

/// Returns the level of a variable of a grid (0), a block (1) or a vector (3); loops are between them.
fn level(name: &str) -> Option<i32> {
    let starts = |words: &[&str]| words.iter().any(|word| name.starts_with(word));
    match () {
        () if starts(&["blockIdx", "program_id", "pid"]) => Some(0),
        () if starts(&["threadIdx"]) => Some(1),
        () if starts(&["arange"]) => Some(3),
        () => None,
    }
}

/// Returns the counters of the loops around an access of code, the outermost first: of the grid, the block, the loops, and the
/// elements of a vector. Other values, which nothing binds, are the same in all iterations.
fn loops_of_code(map: &IndexingMap, free: &[String]) -> Vec<String> {
    let level =
        |name: &str| level(name).or_else(|| (!free.iter().any(|one| one == name)).then_some(2));
    let variables = map.domain().variables().iter();
    let dimensions = variables.filter(|one| one.kind != VariableKind::Parameter);
    let mut loops: Vec<(i32, String)> =
        dimensions.filter_map(|one| Some((level(&one.name)?, one.name.to_string()))).collect();
    loops.sort_by_key(|(level, _)| *level);
    loops.into_iter().map(|(_, name)| name).collect()
}
