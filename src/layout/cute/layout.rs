//! CuTe layouts: a shape and strides of one structure, with the map that they are.

use super::mode::{Mode, Swizzle, write_modes};
use super::offsets::{self, Offsets};
use crate::expr::IndexingMap;
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

impl Layout {
    /// # Errors
    /// Kind `overflow`, without a span, if an offset does not fit.
    pub(super) fn new(
        modes: Vec<Mode>,
        is_single: bool,
        swizzle: Option<Swizzle>,
    ) -> Result<Layout, Error> {
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
