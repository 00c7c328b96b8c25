//! The reads and writes of typed HLO or MLIR, for the questions after it: of loops by iteration, of ops by the element of the
//! result.

use crate::failure::Failure;
use crate::seen::Access;
use crate::table::Call;
use affinor::expr::{IndexingMap, Variable, VariableKind};
use affinor::text::parse_map;
use affinor_hlo::module::{Computation, Instruction, InstructionId, Module};
use affinor_layout::memory::Placement;
use affinor_ops::indexing::{Analysis, Exactness, OperandMap, Reads};
use affinor_ops::open_sizes::OpenSizes;
use affinor_ops::relayout::only_moves;
use serde_json::Value as Json;
use std::sync::Arc;

/// The maximum number of instructions of typed text that are also answered together.
pub(super) const MOST_TOGETHER: usize = 64;

/// Keeps the accesses of the entry computation.
pub(super) fn see(call: &mut Call<'_>, module: &Module) -> Result<(), Failure> {
    let computation = &module[module.entry()];
    let is_op = |one: &Instruction| one.parameter_number().is_none();
    if computation.instructions().filter(|(_, one)| is_op(one)).count() > MOST_TOGETHER {
        return Ok(());
    }
    let (simplifier, search) = (call.simplifier()?, call.search_options()?);
    let simplify = |map: &IndexingMap| simplifier.simplify(map, &search).map;
    let open = OpenSizes::of(module, &simplify);
    let analysis =
        Analysis::new(module, &simplify).with_open(open).ended_by(&call.host.interrupt());
    let mut found = Vec::new();
    let mut by_element = analysis.as_sets();
    for (id, instruction) in computation.instructions().filter(|(_, one)| is_op(one)) {
        let is_access = instruction.backend_config("access").is_some();
        // Intermediate values are those of the lowering: what the result reads of the parameters is asked about.
        let Ok(reads) = by_element.instruction(module.entry(), id) else { continue };
        for entry in reads.iter().filter(|entry| !is_access || entry.operand == 0) {
            let Reads::Maps(maps) = &entry.reads else { continue };
            let Some(operand) = instruction.operands().get(entry.operand) else { continue };
            let array = name(buffer(computation, *operand));
            let of = &computation[*operand];
            found.extend(maps.iter().map(|map| {
                let own = access(computation, instruction, is_access, &array, map);
                let within = sizes(of).zip(unchecked(instruction, is_access, &own.map));
                Access {
                    within: within.map(|(sizes, map)| (map, sizes)),
                    positions: positions(module, [instruction, of], &map.map),
                    ..own
                }
            }));
        }
    }
    // The names that the text has for the result and for the parameters.
    if let Ok(reads) = by_element.computation(module.entry()) {
        let root = &computation[computation.root()];
        let is_known = |array: &str| {
            let mut own =
                found.iter().filter(|one: &&Access| one.of.as_deref() == Some(root.name()));
            own.any(|one| one.array == array)
        };
        let mut more = Vec::new();
        for entry in reads.iter().filter(|_| root.backend_config("access").is_none()) {
            let Reads::Maps(maps) = &entry.reads else { continue };
            let Some(parameter) = computation.parameters().get(entry.operand) else { continue };
            let array = name(&computation[*parameter]);
            if !is_known(&array) {
                let sizes = sizes(&computation[*parameter]);
                more.extend(maps.iter().map(|map| Access {
                    within: sizes.clone().map(|sizes| (map.map.clone(), sizes)),
                    ..access(computation, root, false, &array, map)
                }));
            }
        }
        found.extend(more);
    }
    found.into_iter().for_each(|access| call.session.see_access(access));
    Ok(())
}

fn name(instruction: &Instruction) -> String {
    instruction.name().trim_start_matches('%').to_owned()
}

/// Returns the names of the variables of the map of an access: of the loops around it, and of the values of other operands.
fn names(computation: &Computation, of: &Instruction, map: &IndexingMap) -> Vec<Arc<str>> {
    let loops = of.backend_config("loops");
    let loops = loops.as_ref().and_then(|loops| loops.as_array()).cloned().unwrap_or_default();
    let symbols = of.backend_config("symbols");
    let symbols = symbols.as_ref().and_then(|list| list.as_array()).cloned().unwrap_or_default();
    let operand = |at: &Json| {
        let operand = of.operands().get(usize::try_from(at.as_u64()?).ok()?)?;
        Some(name(&computation[*operand]))
    };
    let mut names: Vec<Arc<str>> =
        map.domain().variables().iter().map(|one| one.name.clone()).collect();
    let places = |is_dimension: bool| {
        let variables = map.domain().variables().iter().enumerate();
        let is_one = move |one: &Variable| (one.kind == VariableKind::Dimension) == is_dimension;
        variables.filter(move |(_, one)| is_one(one)).map(|(at, _)| at).collect::<Vec<_>>()
    };
    for (at, name) in places(true).into_iter().zip(loops.iter().filter_map(|name| name.as_str())) {
        names[at] = name.into();
    }
    // Unless the maps need fewer of them, their order is that of the operands.
    let of_operands = places(false);
    if of_operands.len() == symbols.len() {
        for (at, name) in of_operands.into_iter().zip(symbols.iter().filter_map(operand)) {
            names[at] = name.into();
        }
    }
    names
}

fn access(
    computation: &Computation,
    of: &Instruction,
    is_access: bool,
    array: &str,
    read: &OperandMap,
) -> Access {
    let verb = of.backend_config("access");
    let verb = verb.as_ref().and_then(|verb| verb.as_str()).unwrap_or("reads");
    Access {
        array: array.to_owned(),
        is_read: verb.contains("reads"),
        is_written: verb.contains("writes"),
        is_bound: read.exactness != Exactness::Exact,
        map: read.map.renamed(&names(computation, of, &read.map)),
        of: (!is_access).then(|| name(of)),
        declared: None,
        within: None,
        positions: None,
    }
}

/// Returns the map of an access with the iterations whose index is outside of the array, which its maps leave out.
fn unchecked(of: &Instruction, is_access: bool, read: &IndexingMap) -> Option<IndexingMap> {
    if !is_access {
        return Some(read.clone());
    }
    let map = parse_map(of.backend_config("reads")?.as_array()?.first()?.as_str()?).ok()?;
    let names: Vec<Arc<str>> =
        read.domain().variables().iter().map(|one| one.name.clone()).collect();
    (map.domain().variables().len() == names.len()).then(|| map.renamed(&names))
}

/// Returns the sizes of the array of an instruction, if they are numbers.
fn sizes(of: &Instruction) -> Option<Vec<String>> {
    let sizes = of.shape().as_array()?.sizes()?;
    Some(sizes.iter().map(i64::to_string).collect())
}

/// Returns the positions in memory of the elements of a result, and of those that they read, if it only moves elements.
fn positions(
    module: &Module,
    [to, from]: [&Instruction; 2],
    read: &IndexingMap,
) -> Option<Box<[IndexingMap; 2]>> {
    if !only_moves(module, to) {
        return None;
    }
    let [to, from] = [to, from].map(|of| Placement::new(of.shape().as_array()?).ok());
    let (to, from) = (to?, from?);
    Some(Box::new([to.position().clone(), read.then(from.position()).ok()?]))
}

/// Returns the buffer that an operand is the content of.
fn buffer(computation: &Computation, mut operand: InstructionId) -> &Instruction {
    loop {
        let instruction = &computation[operand];
        match (instruction.opcode().name(), instruction.operands()) {
            ("memref.written", [of]) => operand = *of,
            _ => return instruction,
        }
    }
}
