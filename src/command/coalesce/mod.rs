//! `coalesce` and `banks`: what the accesses of a GPU's warps to memory cost.

mod input;
mod output;

use crate::command::failure::Failure;
use crate::command::table::{Call, Command, Kind, Parameter, Switch};
use crate::footprint::access::{Measure, cost};
use input::{Input, read};
use output::output;

/// The parameters of both.
const PARAMETERS: &[Parameter] = &[
    Parameter::required("MAP", Kind::Map),
    Parameter::optional("in LAYOUT", Kind::Shape(&[])),
];

const THREADS: Switch = Switch::value(
    "threads",
    "NAMES",
    "the thread variables of a block, fastest-varying first",
);

const VECTOR: Switch = Switch::value(
    "vector",
    "NAMES|N",
    "the variables that one lane accesses as a vector; with --preset, the vector width in elements",
);

const BLOCK: Switch = Switch::value(
    "block",
    "SIZES",
    "the block size along each thread variable; with --preset, threads per block (default 256)",
);

const WARP: Switch = Switch::value("warp", "LANES", "lanes per warp (default 32)");

const BYTES: Switch = Switch::value(
    "bytes",
    "BYTES",
    "bytes per element if no shape gives it (default 4)",
);

const OFFSET: Switch = Switch::value(
    "offset",
    "BYTES",
    "offset in bytes of the array from an aligned address (default 0)",
);

const PRESET: Switch = Switch::value(
    "preset",
    "NAME",
    "linear, vectorised, transpose-read or transpose-write: the assignment of threads to the dimensions of MAP",
);

const OUTPUT: Switch = Switch::value(
    "output",
    "SHAPE",
    "with --preset, the shape and layout of the dimensions of MAP (default row-major)",
);

const EXPLAIN: Switch = Switch::flag("explain", "also print the maps from a thread to a position");

pub const COALESCE: Command = Command {
    name: "coalesce",
    parameters: PARAMETERS,
    options: &[
        THREADS,
        VECTOR,
        BLOCK,
        WARP,
        Switch::value("transaction", "BYTES", "bytes per transaction (default 32)"),
        BYTES,
        OFFSET,
        PRESET,
        OUTPUT,
        EXPLAIN,
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
        THREADS,
        VECTOR,
        BLOCK,
        WARP,
        Switch::value("banks", "N", "number of banks (default 32)"),
        Switch::value(
            "word",
            "BYTES",
            "bytes per word (default 4); word w is in bank w mod N",
        ),
        Switch::value(
            "swizzle",
            "SWIZZLE",
            "swizzle applied to positions, such as Swizzle<3,4,3>",
        ),
        BYTES,
        OFFSET,
        PRESET,
        OUTPUT,
        EXPLAIN,
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
    let bytes = size(call, "transaction", 32)?;
    run(call, Measure::Transactions { bytes })
}

fn run_banks(call: &mut Call<'_>) -> Result<(), Failure> {
    let (banks, bytes) = (size(call, "banks", 32)?, size(call, "word", 4)?);
    run(call, Measure::Banks { banks, bytes })
}

/// A positive number that an option says.
fn size(call: &Call<'_>, name: &str, default: u64) -> Result<i64, Failure> {
    let number = call.positive(name, default)?;
    Ok(i64::try_from(number).unwrap_or(i64::MAX))
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
