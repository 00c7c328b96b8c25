//! The options of `layout` for pictures.

use crate::arguments::Argument;
use crate::option::{Flag, Setting, integers, size, text};

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
    Setting::new("bytes", "BYTES", "with --banks: bytes per element (default 4)", size);

pub(super) const WORD: Setting<i64> = Setting::new(
    "word",
    "BYTES",
    "with --banks: bytes per word (default 4); word w is in bank w mod N",
    size,
);

pub(super) const TILE: Setting<Vec<i64>> = Setting::new(
    "tile",
    "N,M",
    "with --draw or --svg of a CuTe layout from threads and values to the elements of a tile, the first dimension fastest: \
     which thread holds each, as which of its values",
    integers,
);
