//! CuTe layouts, `(shape):(stride)` with nested modes and swizzles, as maps.
//!
//! A layout sends a coordinate to an offset. The modes of the outermost level are the dimensions; the index of a mode with
//! sub-modes is a number whose digits, the first sub-mode fastest, are the indices of the sub-modes. A swizzle moves offsets by
//! xor of bits; `a xor b` of two bits is `(a + b) mod 2`, so a swizzled layout is quasi-affine too.
//!
//! Source: CUTLASS, *CuTe Layouts* and *Swizzle* (`swizzle.hpp`). Strides are integers; `E<..>` bases, strides of
//! other types and layouts over other layouts are not read.
//!
//! ```
//! use affinor::layout::cute::Layout;
//!
//! let layout = Layout::read("((2,2),4):((1,8),2)")?;
//! assert_eq!(layout.sizes(), [4, 4]);
//! assert_eq!(layout.map().eval(&[3, 1]), Ok(vec![1 + 8 + 2]));
//! # Ok::<(), affinor::text::Error>(())
//! ```
//!
//! Modules: `token` and `parse` (the text), `offsets` (the map), `tiled` (a tiled array as such a layout).

mod offsets;
mod parse;
mod tiled;
mod token;

pub use tiled::of_placement;

use crate::expr::IndexingMap;
use crate::num::Interval;
use crate::text::Error;
use std::fmt;

/// A shape and strides of the same structure, under a swizzle.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layout {
    modes: Vec<Mode>,
    /// Was it written without brackets, as `8:1`?
    is_single: bool,
    swizzle: Option<Swizzle>,
    map: IndexingMap,
}

/// A mode: a size with a stride, or modes of its own.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Mode {
    /// `size` indices, `stride` apart.
    Leaf {
        /// At least 1.
        size: i64,
        /// Any integer.
        stride: i64,
    },
    /// Sub-modes; the first varies fastest.
    Nested(Vec<Mode>),
}

/// `Swizzle<bits, base, shift>`: bits `base..base + bits` of an offset change by xor with those `shift` places higher (with a
/// negative shift: the lower ones change the higher ones).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Swizzle {
    /// How many bits change; at most the size of the shift.
    pub bits: u32,
    /// The lowest bit concerned.
    pub base: u32,
    /// How far the bits that change are from those that change them.
    pub shift: i32,
}

/// What the offsets of a layout lie between.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Offsets {
    /// Holds every offset.
    pub interval: Interval,
    /// Are both ends offsets themselves?
    pub are_met: bool,
}

impl Mode {
    /// The number of indices.
    fn size(&self) -> Option<i64> {
        match self {
            Mode::Leaf { size, .. } => Some(*size),
            Mode::Nested(modes) => modes
                .iter()
                .try_fold(1_i64, |n, m| n.checked_mul(m.size()?)),
        }
    }

    /// The leaves, the fastest first.
    fn leaves(&self) -> Vec<(i64, i64)> {
        match self {
            Mode::Leaf { size, stride } => vec![(*size, *stride)],
            Mode::Nested(modes) => modes.iter().flat_map(Mode::leaves).collect(),
        }
    }

    fn write(&self, f: &mut fmt::Formatter<'_>, of: fn(i64, i64) -> i64) -> fmt::Result {
        match self {
            Mode::Leaf { size, stride } => write!(f, "{}", of(*size, *stride)),
            Mode::Nested(modes) => write_modes(f, modes, of),
        }
    }
}

impl Layout {
    /// Reads a layout.
    ///
    /// # Errors
    /// Kind `syntax` for what is no layout, or has strides of another structure than its shape; `overflow` for numbers beyond
    /// 64 bits; `too-large` for brackets nested too deeply. Each has a span.
    pub fn read(text: &str) -> Result<Layout, Error> {
        parse::layout(text)
    }

    /// # Errors
    /// Kind `overflow`, without a span, if an offset does not fit.
    fn new(modes: Vec<Mode>, is_single: bool, swizzle: Option<Swizzle>) -> Result<Layout, Error> {
        let map = offsets::map(&modes, swizzle)?;
        Ok(Layout {
            modes,
            is_single,
            swizzle,
            map,
        })
    }

    /// The sizes of the dimensions: one for each mode of the outermost level.
    #[must_use]
    pub fn sizes(&self) -> Vec<i64> {
        // That each fits was seen when the map was made.
        self.modes.iter().filter_map(Mode::size).collect()
    }

    /// The swizzle, if there is one.
    #[must_use]
    pub fn swizzle(&self) -> Option<Swizzle> {
        self.swizzle
    }

    /// What the offsets lie between; `None` where only an interval beyond 64 bits is known.
    #[must_use]
    pub fn offsets(&self) -> Option<Offsets> {
        offsets::between(&self.modes, self.swizzle)
    }

    /// `(d0, ..) -> (offset)`: from an index to an offset in elements. Not simplified.
    #[must_use]
    pub fn map(&self) -> &IndexingMap {
        &self.map
    }
}

impl fmt::Display for Layout {
    /// As CuTe prints it, without spaces.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(Swizzle { bits, base, shift }) = self.swizzle {
            write!(f, "Swizzle<{bits},{base},{shift}> o ")?;
        }
        let write = |f: &mut fmt::Formatter<'_>, of: fn(i64, i64) -> i64| match &*self.modes {
            [only] if self.is_single => only.write(f, of),
            modes => write_modes(f, modes, of),
        };
        write(f, |size, _| size)?;
        f.write_str(":")?;
        write(f, |_, stride| stride)
    }
}

fn write_modes(f: &mut fmt::Formatter<'_>, modes: &[Mode], of: fn(i64, i64) -> i64) -> fmt::Result {
    f.write_str("(")?;
    for (number, mode) in modes.iter().enumerate() {
        if number > 0 {
            f.write_str(",")?;
        }
        mode.write(f, of)?;
    }
    f.write_str(")")
}
