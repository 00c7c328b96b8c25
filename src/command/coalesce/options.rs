//! The options of `coalesce` and `banks`.

use crate::command::arguments::Argument;
use crate::command::failure::Failure;
use crate::command::given::parse_point;
use crate::command::option::{Flag, Setting, size, text};
use crate::command::output::clipped;
use crate::command::table::Switch;
use crate::command::words::nearest;
use crate::footprint::access::{PRESETS, Preset};
use crate::text::ErrorKind;

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
    "the block size along each thread variable; with --preset, threads per block (default 256)",
    text,
);

pub(super) const WARP: Setting<i64> =
    Setting::new("warp", "LANES", "lanes per warp (default 32)", size);

pub(super) const BYTES: Setting<i64> = Setting::new(
    "bytes",
    "BYTES",
    "bytes per element if no shape gives it (default 4)",
    size,
);

pub(super) const OFFSET: Setting<i64> = Setting::new(
    "offset",
    "BYTES",
    "offset in bytes of the array from an aligned address (default 0)",
    bytes,
);

pub(super) const PRESET: Setting<Preset> = Setting::new(
    "preset",
    "NAME",
    "linear, vectorised, transpose-read or transpose-write: the assignment of threads to the dimensions of MAP",
    preset,
);

pub(super) const OUTPUT: Setting<Argument> = Setting::new(
    "output",
    "SHAPE",
    "with --preset, the shape and layout of the dimensions of MAP (default row-major)",
    text,
);

pub(super) const EXPLAIN: Flag =
    Flag::new("explain", "also print the maps from a thread to a position");

pub(super) const TRANSACTION: Setting<i64> = Setting::new(
    "transaction",
    "BYTES",
    "bytes per transaction (default 32)",
    size,
);

pub(super) const BANK_COUNT: Setting<i64> =
    Setting::new("banks", "N", "number of banks (default 32)", size);

pub(super) const WORD: Setting<i64> = Setting::new(
    "word",
    "BYTES",
    "bytes per word (default 4); word w is in bank w mod N",
    size,
);

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
    let names = || PRESETS.iter().map(|(name, _)| *name);
    if let Some((_, preset)) = PRESETS.iter().find(|(name, _)| *name == given.text) {
        return Ok(*preset);
    }
    let message = format!("there is no preset `{}`", clipped(&given.text));
    let failure = given.wrong(ErrorKind::Name, message);
    Err(match nearest(&given.text, names()) {
        Some(near) => failure.hint(format!("did you mean `{near}`?")),
        None => failure.hint(format!(
            "the presets are {}",
            names().collect::<Vec<_>>().join(", ")
        )),
    })
}
