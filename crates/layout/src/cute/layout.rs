//! CuTe layouts: a shape and strides of the same structure, and their map.

use super::mode::{Mode, Swizzle, write_modes};
use super::offsets::{self, Offsets};
use affinor::expr::IndexingMap;
use affinor::num::Interval;
use affinor::text::Error;
use std::fmt;

/// A shape and strides of the same structure, with an offset and a swizzle.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layout {
    modes: Vec<Mode>,
    /// Whether it is written without parentheses, as `8:1`.
    is_single: bool,
    /// Added to each offset, below the swizzle.
    base: i64,
    swizzle: Option<Swizzle>,
    map: IndexingMap,
}

impl Layout {
    /// Creates a layout.
    ///
    /// # Errors
    /// Kind `overflow`, without a span, if an offset does not fit.
    pub(super) fn new(
        modes: Vec<Mode>,
        is_single: bool,
        swizzle: Option<Swizzle>,
    ) -> Result<Layout, Error> {
        Layout::with_base(modes, is_single, 0, swizzle)
    }

    /// Creates a layout with an offset.
    ///
    /// # Errors
    /// Kind `overflow`, without a span, if an offset does not fit.
    pub(super) fn with_base(
        modes: Vec<Mode>,
        is_single: bool,
        base: i64,
        swizzle: Option<Swizzle>,
    ) -> Result<Layout, Error> {
        let map = offsets::map(&modes, base, swizzle)?;
        let is_single = is_single && matches!(*modes, [Mode::Leaf { .. }]);
        Ok(Layout { modes, is_single, base, swizzle, map })
    }

    /// Creates the layout of this mode: its sub-modes become the dimensions.
    ///
    /// # Errors
    /// Kind `overflow`, without a span, if an offset does not fit.
    pub(super) fn of_mode(mode: Mode) -> Result<Layout, Error> {
        Layout::new(mode.into_modes(), true, None)
    }

    /// Replaces the modes, and keeps the offset and the swizzle of this layout.
    ///
    /// # Errors
    /// Kind `overflow`, without a span, if an offset does not fit.
    pub(super) fn with_modes(&self, modes: Vec<Mode>, is_single: bool) -> Result<Layout, Error> {
        Layout::with_base(modes, is_single, self.base, self.swizzle)
    }

    pub(super) fn modes(&self) -> &[Mode] {
        &self.modes
    }

    pub(super) fn is_single(&self) -> bool {
        self.is_single
    }

    /// Returns the layout as a single mode.
    pub(super) fn as_mode(&self) -> Mode {
        match &*self.modes {
            [only] if self.is_single => only.clone(),
            modes => Mode::Nested(modes.to_vec()),
        }
    }

    /// Returns the number added to each offset, below the swizzle.
    #[must_use]
    pub fn base(&self) -> i64 {
        self.base
    }

    /// Returns the sizes of the dimensions, one for each top-level mode.
    #[must_use]
    pub fn sizes(&self) -> Vec<i64> {
        // Overflow was checked when the map was built.
        self.modes.iter().filter_map(Mode::size).collect()
    }

    /// Returns the swizzle, if any.
    #[must_use]
    pub fn swizzle(&self) -> Option<Swizzle> {
        self.swizzle
    }

    /// Returns the layout without its swizzle.
    ///
    /// # Errors
    /// Kind `overflow`, without a span, if an offset does not fit.
    pub fn without_swizzle(&self) -> Result<Layout, Error> {
        Layout::with_base(self.modes.clone(), self.is_single, self.base, None)
    }

    /// Returns bounds of the offsets; `None` if they exceed 64 bits.
    #[must_use]
    pub fn offsets(&self) -> Option<Offsets> {
        offsets::between(&self.modes, self.base, self.swizzle)
    }

    /// Returns the map of one dimension, the number of an element.
    ///
    /// # Errors
    /// Kind `overflow`, without a span, if a size or an offset does not fit.
    pub fn line(&self) -> Result<IndexingMap, Error> {
        offsets::map(&[Mode::Nested(self.modes.clone())], self.base, self.swizzle)
    }

    /// Returns the map of one dimension in `bounds`; beyond its last element the layout continues along its last leaf.
    ///
    /// # Errors
    /// Kind `overflow`, without a span, if an offset does not fit.
    pub(super) fn line_over(&self, bounds: Interval) -> Result<IndexingMap, Error> {
        offsets::line(&self.modes, self.base, self.swizzle, bounds)
    }

    /// Returns `(d0, ..) -> (offset)`: from an index to an offset in elements. Not simplified.
    #[must_use]
    pub fn map(&self) -> &IndexingMap {
        &self.map
    }
}

impl fmt::Display for Layout {
    /// Prints the layout as CuTe does, without spaces.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(Swizzle { bits, base, shift }) = self.swizzle {
            write!(f, "Swizzle<{bits},{base},{shift}> o ")?;
        }
        if self.base != 0 {
            write!(f, "{} o ", self.base)?;
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
