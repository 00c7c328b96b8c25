//! Modes and swizzles, the parts of a CuTe layout.

use std::fmt;

/// A mode: a size with a stride, or nested modes.
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

impl Mode {
    /// Returns the number of indices; `None` on overflow.
    pub(super) fn size(&self) -> Option<i64> {
        match self {
            Mode::Leaf { size, .. } => Some(*size),
            Mode::Nested(modes) => modes.iter().try_fold(1_i64, |n, m| n.checked_mul(m.size()?)),
        }
    }

    /// Returns the leaves `(size, stride)`, the fastest first.
    pub(super) fn leaves(&self) -> Vec<(i64, i64)> {
        match self {
            Mode::Leaf { size, stride } => vec![(*size, *stride)],
            Mode::Nested(modes) => modes.iter().flat_map(Mode::leaves).collect(),
        }
    }

    /// Returns the sub-modes, or the leaf itself.
    pub(super) fn into_modes(self) -> Vec<Mode> {
        match self {
            Mode::Nested(modes) => modes,
            leaf => vec![leaf],
        }
    }

    /// Creates a mode with these leaves: a single leaf without nesting, no leaves as `1:0`.
    pub(super) fn of_leaves(leaves: &[(i64, i64)]) -> Mode {
        let leaf = |(size, stride): &(i64, i64)| Mode::Leaf { size: *size, stride: *stride };
        match leaves {
            [] => Mode::Leaf { size: 1, stride: 0 },
            [only] => leaf(only),
            several => Mode::Nested(several.iter().map(leaf).collect()),
        }
    }

    pub(super) fn write(&self, f: &mut fmt::Formatter<'_>, of: fn(i64, i64) -> i64) -> fmt::Result {
        match self {
            Mode::Leaf { size, stride } => write!(f, "{}", of(*size, *stride)),
            Mode::Nested(modes) => write_modes(f, modes, of),
        }
    }
}

pub(super) fn write_modes(
    f: &mut fmt::Formatter<'_>,
    modes: &[Mode],
    of: fn(i64, i64) -> i64,
) -> fmt::Result {
    f.write_str("(")?;
    for (number, mode) in modes.iter().enumerate() {
        if number > 0 {
            f.write_str(",")?;
        }
        mode.write(f, of)?;
    }
    f.write_str(")")
}

/// `Swizzle<bits, base, shift>`: xors bits `base..base + bits` of an offset with those `shift` positions higher (with a negative
/// shift: xors the higher ones with the lower ones).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Swizzle {
    /// Number of bits that change; at most the magnitude of the shift.
    pub bits: u32,
    /// The lowest bit involved.
    pub base: u32,
    /// Distance from the changed bits to the bits that change them.
    pub shift: i32,
}

impl Swizzle {
    /// Returns the lowest changed bit, and the lowest of the bits that change them.
    pub(super) fn places(self) -> (u32, u32) {
        let apart = self.shift.unsigned_abs();
        match self.shift >= 0 {
            true => (self.base, self.base + apart),
            false => (self.base + apart, self.base),
        }
    }

    /// Returns the swizzled offset; a negative offset is in two's complement.
    pub(super) fn of(self, offset: i64) -> i64 {
        let (changed, by) = self.places();
        let mask = (1_i64 << self.bits) - 1;
        offset ^ (((offset >> by) & mask) << changed)
    }
}
