//! CuTe layouts: a shape and strides of the same structure, and their map.

use super::mode::{Mode, Swizzle, write_modes};
use super::offsets::{self, Offsets};
use affinor::expr::IndexingMap;
use affinor::text::Error;
use std::fmt;

/// A shape and strides of the same structure, under a swizzle.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layout {
    modes: Vec<Mode>,
    /// Whether it is written without parentheses, as `8:1`.
    is_single: bool,
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
        let map = offsets::map(&modes, swizzle)?;
        Ok(Layout { modes, is_single, swizzle, map })
    }

    /// Returns the sizes of the dimensions, one for each top-level mode.
    #[must_use]
    pub fn sizes(&self) -> Vec<i64> {
        // Checked when the map was built.
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
        Layout::new(self.modes.clone(), self.is_single, None)
    }

    /// Returns bounds of the offsets; `None` if they exceed 64 bits.
    #[must_use]
    pub fn offsets(&self) -> Option<Offsets> {
        offsets::between(&self.modes, self.swizzle)
    }

    /// Returns `(d0, ..) -> (offset)`: from an index to an offset in elements. Not simplified.
    #[must_use]
    pub fn map(&self) -> &IndexingMap {
        &self.map
    }
}

impl fmt::Display for Layout {
    /// Prints it as CuTe does, without spaces.
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
