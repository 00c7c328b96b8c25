//! `hlo --entry`: the parameter elements read by the result, through all instructions, on this device and on others.

use super::asked::{is_backwards, maps_of};
use super::judgement::Checked;
use super::memory::{Ends, MemoryMaps};
use super::options::{CHECK, MEMORY, VALUES};
use super::output::Answer;
use super::pairs::{asked_pairs, unlisted, unlisted_output};
use super::question::{Analysed, OfModule, with_analysis};
use super::warnings::Lines;
use crate::custom::custom_calls;
use crate::failure::Failure;
use crate::output::Output;
use crate::table::Call;
use crate::text_file::TextFile;
use affinor::expr::IndexingMap;
use affinor_compare::agreement::{self, Judgement};
use affinor_definition::Definitions;
use affinor_hlo::module::Module;
use affinor_ops::indexing::{
    Analysis, DeviceReads, OperandReads, Simplify, device_reads, has_collectives,
    on_unknown_devices,
};
use affinor_ops::open_sizes::has_unbounded;

/// The maximal number of instructions of a module after inlining its calls.
pub(super) const INLINED: usize = 200_000;

/// Emits the reads of the entry computation from its parameters.
pub(super) fn run(call: &mut Call<'_>, given: OfModule<'_>) -> Result<(), Failure> {
    // The names of sizes are scoped to one computation.
    let is_apart = has_unbounded(given.module);
    let inlined = is_apart.then(|| given.module.inlined(INLINED)).flatten();
    let given = OfModule { module: inlined.as_ref().unwrap_or(given.module), ..given };
    with_analysis(call, given.module, |call, analysed| emit(call, given, analysed))
}

fn emit(
    call: &mut Call<'_>,
    OfModule { file, module, numbers }: OfModule<'_>,
    Analysed { analysis, shaper, .. }: Analysed<'_>,
) -> Result<(), Failure> {
    let mut analysis = analysis.as_sets();
    let backwards = is_backwards(call)?;
    if backwards && has_collectives(module) {
        let message = "through collectives, maps lead from the result to the parameters";
        return Err(call.wrong_usage(message));
    }
    let asked = asked_pairs(call, &module[module.entry()])?;
    let interrupt = call.host.interrupt();
    let reads = match backwards {
        false => analysis.pairs(module.entry(), &asked),
        true => analysis.pairs_readers(module.entry(), &asked).map(Into::into),
    };
    call.go_on()?;
    let reads = reads.map_err(|error| file.blame(error))?;
    let judgements = match call.has(CHECK) {
        false => Vec::new(),
        true => {
            let mut definitions = Definitions::new(module).ended_by(&interrupt);
            let defined = definitions.computation(module.entry());
            agreement::judge(&defined, &reads, &call.proof_budget())
        }
    };
    call.go_on()?;
    // Through collectives, each row is about one path to other devices.
    let simplify = |map: &IndexingMap| shaper.apply(map);
    let through = through_collectives(call, file, (module, &reads), &simplify)?;
    let through = through.map(|(inlined, mut devices)| {
        let is_asked =
            |row: &OperandReads| asked.has_output(&row.output) && asked.has_parameter(row.operand);
        devices.retain(|row| is_asked(&row.reads));
        (inlined, devices)
    });
    let (module, reads, judgements, devices) = match &through {
        None => (module, reads.to_vec(), judgements, &[][..]),
        Some((inlined, devices)) => {
            let judgements = of_rows(devices, &reads, &judgements);
            let reads = devices.iter().map(|row| row.reads.clone()).collect();
            (inlined, reads, judgements, devices.as_slice())
        }
    };
    let computation = &module[module.entry()];
    let memory = call.has(MEMORY).then(|| {
        let ends = Ends::of_computation(computation, backwards);
        MemoryMaps::new(&reads, &ends, &|map| shaper.apply_in_full(map))
    });
    let answer = Answer {
        module,
        computation,
        instruction: &computation[computation.root()],
        reads: &reads,
        of_computation: true,
        backwards,
        by_values: call.has(VALUES),
        judgements: &judgements,
        memory: memory.as_ref(),
        exchange: None,
        devices,
        warnings: &Lines::of(file).of_module(module),
        style: call.session.style,
        stop: &|map| shaper.stop(map),
        unlisted: 0,
    };
    let status = answer.status();
    for ((text, json), entry) in answer.pairs().zip(reads.iter()) {
        let output = Output::new(text, json).status(status);
        let maps = maps_of(std::slice::from_ref(entry));
        let output = numbers.give(call.session, output, maps);
        call.emit(output);
    }
    let parameters = computation.parameters().iter().map(|id| &computation[*id]);
    let root = &computation[computation.root()];
    let unlisted = unlisted(&asked, root.shape(), parameters, reads.len());
    if unlisted > 0 && devices.is_empty() {
        call.emit(unlisted_output(unlisted));
    }
    if let Some(totals) = Checked::default().and(&judgements).output() {
        call.emit(totals);
    }
    Ok(())
}

/// Returns the judgement for each row: that of its pair of arrays; nothing if nothing was judged.
fn of_rows(
    devices: &[DeviceReads],
    reads: &[OperandReads],
    judgements: &[Option<Judgement>],
) -> Vec<Option<Judgement>> {
    if judgements.is_empty() {
        return Vec::new();
    }
    let of_row = |row: &DeviceReads| {
        let pair = row.reads.pair();
        judgements.get(reads.iter().position(|entry| entry.pair() == pair)?).cloned()?
    };
    devices.iter().map(of_row).collect()
}

/// Returns the reads of the entry with their devices, and the module with its calls inlined; `None` if it has no collectives.
fn through_collectives(
    call: &mut Call<'_>,
    file: &TextFile,
    (module, reads): (&Module, &[OperandReads]),
    simplify: Simplify<'_>,
) -> Result<Option<(Module, Vec<DeviceReads>)>, Failure> {
    if !has_collectives(module) {
        return Ok(None);
    }
    let Some(inlined) = module.inlined(INLINED) else {
        let reason =
            "with its calls inlined, the module is too large to determine which devices are read";
        return Ok(Some((module.clone(), on_unknown_devices(reads, reason))));
    };
    let table = custom_calls(call)?;
    let analysis = Analysis::new(&inlined, simplify)
        .with_custom_calls(&table)
        .ended_by(&call.host.interrupt());
    let rows = match call.has(VALUES) {
        false => device_reads(&mut { analysis }, &inlined),
        true => device_reads(&mut analysis.by_values(), &inlined),
    };
    let rows = rows.map_err(|error| file.blame(error))?;
    Ok(rows.map(|rows| (inlined, rows)))
}
