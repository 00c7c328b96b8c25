//! The reads and writes of typed HLO or MLIR, for the questions after it: of loops by iteration, of ops by the element of the
//! result.

use crate::failure::Failure;
use crate::seen::Access;
use crate::table::Call;
use affinor::expr::{IndexingMap, VariableKind};
use affinor_hlo::module::{Computation, Instruction, InstructionId, Module};
use affinor_ops::indexing::{Analysis, Exactness, OperandMap, Reads};
use affinor_ops::open_sizes::OpenSizes;
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
            found.extend(maps.iter().map(|map| access(instruction, is_access, &array, map)));
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
                more.extend(maps.iter().map(|map| access(root, false, &array, map)));
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

fn access(of: &Instruction, is_access: bool, array: &str, read: &OperandMap) -> Access {
    let verb = of.backend_config("access");
    let verb = verb.as_ref().and_then(|verb| verb.as_str()).unwrap_or("reads");
    let loops = of.backend_config("loops");
    let loops = loops.as_ref().and_then(|loops| loops.as_array()).cloned().unwrap_or_default();
    let mut names: Vec<Arc<str>> =
        read.map.domain().variables().iter().map(|one| one.name.clone()).collect();
    let dimensions = read.map.domain().variables().iter().enumerate();
    let dimensions = dimensions.filter(|(_, one)| one.kind == VariableKind::Dimension);
    for ((at, _), name) in dimensions.zip(loops.iter().filter_map(|name| name.as_str())) {
        names[at] = name.into();
    }
    Access {
        array: array.to_owned(),
        is_read: verb.contains("reads"),
        is_written: verb.contains("writes"),
        is_bound: read.exactness != Exactness::Exact,
        map: read.map.renamed(&names),
        of: (!is_access).then(|| name(of)),
        is_inside: true,
        declared: None,
        within: None,
    }
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
