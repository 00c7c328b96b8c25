//! `coalesce` and `banks`: what the accesses of a GPU's warps to memory cost.

mod input;
mod options;
mod output;

use crate::command::failure::Failure;
use crate::command::table::{Call, Command, Kind, Parameter};
use crate::footprint::access::{Measure, cost};
use input::{Input, read};
use options::{
    BANK_COUNT, BLOCK, BYTES, EXPLAIN, OFFSET, OUTPUT, PRESET, SWIZZLE, THREADS, TRANSACTION,
    VECTOR, WARP, WORD,
};
use output::output;

/// The parameters of both.
const PARAMETERS: &[Parameter] = &[
    Parameter::required("MAP", Kind::Map),
    Parameter::optional("in LAYOUT", Kind::Shape(&[])),
];

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
        EXPLAIN.switch,
    ],
    summary: "count the global memory transactions of the warps of a GPU",
    details: "MAP leads from threads to the index in an array, and LAYOUT says where that element lies: a shape such as\n\
              f32[64,64]{1,0}, a CuTe layout, or a map to one position. Without LAYOUT, MAP leads to positions. 32 threads\n\
              with consecutive numbers are a warp; there is one access for each warp and each value of the variables that\n\
              are neither threads nor vector elements, and it needs one transaction for each aligned segment of 32 bytes\n\
              that it touches. At the least, its bytes in segments. Lanes for which the map has no value are inactive.\n\
              Threads are the variables whose names begin with `thread`, `th`, `tid` or `lane`, vector elements those with\n\
              `vec`, unless --threads and --vector say so. With --preset, MAP leads from the index in a result to that in the\n\
              operand, as `op` says it; without MAP, the array itself is walked over.\n\
              `exact` is for all accesses, whatever their number: they are alike in classes, by a law. `counted` looked at\n\
              each; `sampled` looked at some, and says nothing of the others. `_` is then the position by warp and lane,\n\
              and `why` has the rules that led to it.",
    example: &[
        "coalesce f32[1024,1024]{1,0} --preset linear",
        "let read = op transpose f32[512,1024] {1,0}",
        "coalesce read in f32[512,1024]{1,0} --preset linear",
    ],
    makes_map: false,
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
        EXPLAIN.switch,
    ],
    summary: "count the shared memory bank conflicts of the warps of a GPU",
    details: "MAP and LAYOUT are as for `coalesce`. An access takes as many passes as the greatest number of different words\n\
              that it touches in one bank; lanes that touch the same word are served together. At the least, its words\n\
              shared out evenly. Conflicts are the passes above that. All elements of a vector belong to one access: where the\n\
              hardware serves 16 bytes a lane eight lanes at a time, say so with --warp 8.",
    example: &["banks (32,32):(33,1) --preset transpose-read"],
    makes_map: false,
    run: run_banks,
};

fn run_coalesce(call: &mut Call<'_>) -> Result<(), Failure> {
    let bytes = call.value(&TRANSACTION)?.unwrap_or(32);
    run(call, Measure::Transactions { bytes })
}

fn run_banks(call: &mut Call<'_>) -> Result<(), Failure> {
    let (banks, bytes) = (
        call.value(&BANK_COUNT)?.unwrap_or(32),
        call.value(&WORD)?.unwrap_or(4),
    );
    run(call, Measure::Banks { banks, bytes })
}

fn run(call: &mut Call<'_>, measure: Measure) -> Result<(), Failure> {
    let input: Input = read(call, measure)?;
    let interrupt = call.host.interrupt();
    let simplifier = call.simplifier()?;
    let found = cost(
        &input.position,
        &input.grid,
        input.memory,
        &simplifier,
        Some(&interrupt),
    );
    let found = found.map_err(|error| match interrupt.is_triggered() {
        true => call.interrupted(),
        false => input.blamed.blame(error),
    })?;
    let output = output(call, &input, &found);
    call.session.last = Some(found.position);
    call.session.last_simplified = Some(found.given);
    call.emit(output);
    Ok(())
}
