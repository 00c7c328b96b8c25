//! The options of `coalesce` and `banks`.

use crate::arguments::Argument;
use crate::failure::Failure;
use crate::given::parse_point;
use crate::option::{Flag, Setting, size, text};
use crate::output::clipped;
use crate::table::{Call, Switch};
use crate::words::nearest;
use affinor::text::{Error, ErrorKind};
use affinor_ops::footprint::access::{PRESETS, Preset};

pub(super) const THREADS: Setting<Argument> = Setting::new(
    "threads",
    "NAMES",
    "the thread variables of a block, fastest-varying first",
    text,
);

pub(super) const VECTOR: Setting<Argument> = Setting::new(
    "vector",
    "NAMES|N",
    "the variables that one lane accesses as a vector; with --preset, the vector width in elements",
    text,
);

pub(super) const BLOCK: Setting<Argument> = Setting::new(
    "block",
    "SIZES",
    "the block size along each thread variable; with --preset, threads per block (default 256; 128 of loop and transposes)",
    text,
);

pub(super) const WARP: Setting<i64> =
    Setting::new("warp", "LANES", "lanes per warp (default 32)", size);

pub(super) const BYTES: Setting<i64> =
    Setting::new("bytes", "BYTES", "bytes per element if no shape gives it (default 4)", size);

pub(super) const OFFSET: Setting<i64> = Setting::new(
    "offset",
    "BYTES",
    "offset in bytes of the array from an aligned address (default 0)",
    bytes,
);

pub(super) const PRESET: Setting<Preset> = Setting::new(
    "preset",
    "NAME",
    "linear, vectorised, loop, transpose-read, transpose-write or reduction: the assignment of threads to the dimensions of MAP",
    preset,
)
.among(presets);

pub(super) const OUTPUT: Setting<Argument> = Setting::new(
    "output",
    "SHAPE",
    "with --preset, the shape and layout of the dimensions of MAP (default row-major)",
    text,
);

pub(super) const BIND: Setting<Argument> = Setting::new(
    "bind",
    "NAME=VALUE,..",
    "values of variables of MAP, or of the maps of INSTRUCTION, that are known only at run time",
    text,
);

pub(super) const EXPLAIN: Flag =
    Flag::new("explain", "also print the maps from a thread to a position");

pub(super) const TRANSACTION: Setting<i64> =
    Setting::new("transaction", "BYTES", "bytes per transaction (default 32)", size);

pub(super) const BANK_COUNT: Setting<i64> =
    Setting::new("banks", "N", "number of banks (default 32)", size);

pub(super) const WORD: Setting<i64> =
    Setting::new("word", "BYTES", "bytes per word (default 4); word w is in bank w mod N", size);

pub(super) const SWIZZLE: Setting<Argument> = Setting::new(
    "swizzle",
    "SWIZZLE",
    "swizzle applied to positions, such as Swizzle<3,4,3>",
    text,
);

fn bytes(_: &Switch, given: &Argument) -> Result<i64, Failure> {
    match parse_point(given)?.as_slice() {
        [offset] => Ok(*offset),
        _ => Err(given.wrong(ErrorKind::Usage, "expected a number of bytes")),
    }
}

fn preset(_: &Switch, given: &Argument) -> Result<Preset, Failure> {
    if let Some((_, preset)) = PRESETS.iter().find(|(name, _)| *name == given.text) {
        return Ok(*preset);
    }
    let message = format!("unknown preset `{}`", clipped(&given.text));
    let failure = given.wrong(ErrorKind::Name, message);
    Err(match nearest(&given.text, presets().into_iter()) {
        Some(near) => failure.hint(format!("did you mean `{near}`?")),
        None => failure.hint(format!("the presets are {}", presets().join(", "))),
    })
}

fn presets() -> Vec<&'static str> {
    PRESETS.iter().map(|(name, _)| *name).collect()
}

/// Parses the number that a preset takes for an option that otherwise takes names of variables, or sizes.
pub(super) fn number(call: &Call<'_>, setting: &Setting<Argument>) -> Result<Option<i64>, Failure> {
    let given = call.text_of(setting);
    given.map(|given| size(&setting.switch, given)).transpose()
}

/// Blames the value of an option, if it was given and the error is about usage.
pub(super) fn blame<T>(
    call: &Call<'_>,
    setting: &Setting<T>,
    otherwise: &Argument,
    error: Error,
) -> Failure {
    match call.text_of(setting) {
        Some(given) if error.kind == ErrorKind::Usage => given.blame(error),
        _ => otherwise.blame(error),
    }
}
