//! The options of `layout` for pictures and for single elements.

use crate::arguments::Argument;
use crate::failure::Failure;
use crate::given::parse_point;
use crate::option::{Flag, Setting, integers, size, text};
use crate::table::Call;
use crate::words::count;
use affinor::text::ErrorKind;
use affinor_draw::Banks;

pub(super) const DRAW: Flag = Flag::new("draw", "draw the array with the position of each element");

pub(super) const SVG: Setting<Argument> =
    Setting::new("svg", "FILE", "write the picture to a file", text);

pub(super) const BANKS: Setting<i64> = Setting::new(
    "banks",
    "N",
    "with --draw or --svg of a CuTe layout: the bank of each element, of this many",
    size,
);

pub(super) const BYTES: Setting<i64> =
    Setting::new("bytes", "BYTES", "with --banks: bytes per element (default 4)", size)
        .needing(&[BANKS.switch]);

pub(super) const WORD: Setting<i64> = Setting::new(
    "word",
    "BYTES",
    "with --banks: bytes per word (default 4); word w is in bank w mod N",
    size,
)
.needing(&[BANKS.switch]);

pub(super) const TILE: Setting<Vec<i64>> = Setting::new(
    "tile",
    "N,M",
    "with --draw or --svg of a CuTe layout from threads and values to the elements of a tile, the first dimension fastest: \
     which thread holds each, as which of its values",
    integers,
);

pub(super) const INDEX: Setting<Argument> =
    Setting::new("index", "I,J", "print the position of this element, or who holds it", text);

pub(super) const LANE: Setting<Argument> =
    Setting::new("lane", "L", "of threads: print the elements of this lane", text);

pub(super) const WARP: Setting<Argument> =
    Setting::new("warp", "W", "with --lane: of this warp (default 0)", text);

pub(super) const BLOCK: Setting<Argument> =
    Setting::new("block", "B", "with --lane: of this block of a cluster (default 0)", text);

/// Returns the banks by which a picture is coloured, if they are requested.
///
/// # Errors
/// For an invalid number.
pub fn banks(call: &Call<'_>) -> Result<Option<Banks>, Failure> {
    let Some(count) = call.value(&BANKS)? else {
        return Ok(None);
    };
    let (word, element) = (call.value(&WORD)?.unwrap_or(4), call.value(&BYTES)?.unwrap_or(4));
    Ok(Some(Banks { count, word, element }))
}

/// Parses the index of `--index`, which must be within these sizes.
///
/// # Errors
/// If the number of coordinates is wrong, or a coordinate is out of range.
pub fn index_in(given: &Argument, sizes: &[i64]) -> Result<Vec<i64>, Failure> {
    let index = parse_point(given)?;
    if index.len() != sizes.len() {
        return Err(given.wrong(
            ErrorKind::Arity,
            format!(
                "the array has {}, the index has {}",
                count(sizes.len(), "dimension"),
                count(index.len(), "coordinate")
            ),
        ));
    }
    for (dimension, (value, size)) in index.iter().zip(sizes).enumerate() {
        if *value < 0 || value >= size {
            return Err(given.wrong(
                ErrorKind::Shape,
                format!("index {value} is outside dimension {dimension} of size {size}"),
            ));
        }
    }
    Ok(index)
}
