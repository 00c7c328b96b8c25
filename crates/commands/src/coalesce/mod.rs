//! `coalesce`, `banks` and `vector`: the cost of memory accesses by a GPU's warps, and their maximal width.

mod input;
mod lies;
mod options;
mod output;
mod preset;
pub mod vector;

use crate::arguments::Argument;
use crate::custom::CUSTOM;
use crate::failure::Failure;
use crate::instruction::{Analysed, OPERAND, Read, each, each_of};
use crate::option::C;
use crate::output::Output;
use crate::table::{Call, Command, Kind, Parameter};
use affinor::expr::IndexingMap;
use affinor_hlo::module::{ComputationId, InstructionId};
use affinor_hlo::shape::ArrayShape;
use affinor_ops::footprint::access::{Measure, cost};
use input::{Accessed, input};
use options::{
    BANK_COUNT, BIND, BLOCK, BYTES, EXPLAIN, OFFSET, OUTPUT, PRESET, SWIZZLE, THREADS, TRANSACTION,
    VECTOR, WARP, WORD,
};
use output::output;
use rustc_hash::FxHashMap;

/// The parameters of `coalesce` and `banks`.
const PARAMETERS: &[Parameter] =
    &[Parameter::required("MAP", Kind::Map), Parameter::optional("in LAYOUT", Kind::Shape(&[]))];

pub const COALESCE: Command = Command {
    name: "coalesce",
    parameters: PARAMETERS,
    options: &[
        THREADS.switch,
        VECTOR.switch,
        BLOCK.switch,
        WARP.switch,
        TRANSACTION.switch,
        BYTES.switch,
        OFFSET.switch,
        PRESET.switch,
        OUTPUT.switch,
        OPERAND.switch,
        BIND.switch,
        CUSTOM.switch,
        EXPLAIN.switch,
        C.switch,
    ],
    summary: "count the global memory transactions of the warps of a GPU",
    details: "MAP is from threads to an index of an array, and LAYOUT from the index to a position: a shape such as\n\
              f32[64,64]{1,0}, a CuTe layout, or a map with one result. Without LAYOUT, MAP is to positions. 32 consecutive\n\
              threads are a warp. A warp makes one request (an access by all its lanes) for each value of the variables that are\n\
              neither threads nor vector elements, and each request takes one transaction per aligned 32-byte segment (sector) that\n\
              it touches. At the least these are its bytes divided by the segment size. Lanes outside the domain are inactive.\n\
              Threads are the variables named `thread..`, `th..`, `tid..` or `lane..`, and vector elements those named\n\
              `vec..`, unless --threads and --vector name others. A single thread variable without bounds is one warp. With --preset,\n\
              MAP is from the index of a result to that of the operand, as `op` prints it; without MAP, the array itself is traversed. For an instruction of a module, each map to\n\
              an operand is answered, in the layouts of the module; --preset then walks over the output, minor dimension first.\n\
              The answer is `exact` for all requests (they fall into classes of equal cost), `counted` (each request was examined)\n\
              or `sampled` (only some were examined). `_` is then the position by warp and lane; `why` explains it.",
    example: &[
        "coalesce f32[1024,1024]{1,0} --preset linear",
        "coalesce model.hlo transpose.3 --preset linear",
        "let read = op transpose f32[512,1024] {1,0}",
        "coalesce read in f32[512,1024]{1,0} --preset linear",
    ],
    makes_map: false,
    keys: "",
    run: run_coalesce,
};

pub const BANKS: Command = Command {
    name: "banks",
    parameters: PARAMETERS,
    options: &[
        THREADS.switch,
        VECTOR.switch,
        BLOCK.switch,
        WARP.switch,
        BANK_COUNT.switch,
        WORD.switch,
        SWIZZLE.switch,
        BYTES.switch,
        OFFSET.switch,
        PRESET.switch,
        OUTPUT.switch,
        OPERAND.switch,
        BIND.switch,
        CUSTOM.switch,
        EXPLAIN.switch,
        C.switch,
    ],
    summary: "count the shared memory bank conflicts of the warps of a GPU",
    details: "MAP, LAYOUT, MODULE and INSTRUCTION are as for `coalesce`. A request takes as many passes (wavefronts) as there are distinct words in its\n\
              most used bank: with n of them it has an n-way bank conflict. Lanes that read the same word share it (broadcast).\n\
              Conflicts are the passes beyond the first of each request, or, where its words are more than the banks, beyond those\n\
              that as many words need when they are spread evenly. All elements of a vector belong to one request: if the\n\
              hardware serves 16-byte accesses for eight lanes at a time, use --warp 8.",
    example: &["banks (32,32):(33,1) --preset transpose-read"],
    makes_map: false,
    keys: "",
    run: run_banks,
};

fn run_coalesce(call: &mut Call<'_>) -> Result<(), Failure> {
    let measure = transactions(call)?;
    run(call, measure)
}

fn transactions(call: &Call<'_>) -> Result<Measure, Failure> {
    let bytes = call.value(&TRANSACTION)?.unwrap_or(32);
    Ok(Measure::Transactions { bytes })
}

fn run_banks(call: &mut Call<'_>) -> Result<(), Failure> {
    let (banks, bytes) = (call.value(&BANK_COUNT)?.unwrap_or(32), call.value(&WORD)?.unwrap_or(4));
    run(call, Measure::Banks { banks, bytes })
}

/// Answers of calls with the same options, by their inputs: the map and the two arrays. The layers of a model repeat inputs.
#[derive(Default)]
pub(super) struct Answered(FxHashMap<(IndexingMap, [ArrayShape; 2]), Output>);

/// Returns the answer of `coalesce` for one instruction of a module that has been read already. The call is one of [`COALESCE`].
///
/// # Errors
/// Any error in its options, and if the work was interrupted.
pub(super) fn of_instruction(
    call: &mut Call<'_>,
    module: &mut Analysed<'_>,
    (place, name): ((ComputationId, InstructionId), Argument),
    known: &mut Answered,
) -> Result<(), Failure> {
    let measure = transactions(call)?;
    each_of(call, module, place, name, |call, read| {
        let key = (read.map.map.clone(), [read.output.clone(), read.operand.clone()]);
        if let Some(output) = known.0.get(&key) {
            return Ok(output.clone());
        }
        let output = of_read(call, read, measure)?;
        known.0.insert(key, output.clone());
        Ok(output)
    })
}

fn of_read(call: &mut Call<'_>, read: &Read<'_>, measure: Measure) -> Result<Output, Failure> {
    let accessed = Accessed::read(call, read)?;
    answer(call, accessed, measure)
}

fn run(call: &mut Call<'_>, measure: Measure) -> Result<(), Failure> {
    let is_module = each(call, |call, read| of_read(call, read, measure))?;
    if !is_module {
        let accessed = Accessed::given(call)?;
        let output = answer(call, accessed, measure)?;
        call.emit(output);
    }
    Ok(())
}

fn answer(call: &mut Call<'_>, accessed: Accessed, measure: Measure) -> Result<Output, Failure> {
    let input = input(call, accessed, measure)?;
    let interrupt = call.host.interrupt();
    let simplifier = call.simplifier()?;
    let found = cost(&input.position, &input.grid, input.memory, &simplifier, Some(&interrupt));
    let found = found.map_err(|error| match interrupt.is_triggered() {
        true => call.interrupted(),
        false => input.blamed.blame(error),
    })?;
    let output = output(call, &input, &found);
    call.session.last = Some(found.position);
    call.session.note_simplified(found.given);
    Ok(output)
}
