//! Tiles: what of an array a tile of another one reads, for all tiles of a grid at once.
//!
//! A *tile* takes a number of elements in each dimension, a stride apart, from an offset on; offsets are expressions over
//! the *tile variables* `t0, t1, ..`, which number the tiles of a grid. A map leads a tile of what it leads from to a
//! tile of what it leads to: [`propagate`]. From operands back to outputs it does so for the inverse map.
//!
//! Law: at each point of the tile variables, everything that the map reads for the tile lies in the tile that is
//! found, whatever the values of runtime variables; if it is exact, all of its elements that are not cut off are read.
//! Elements are cut off where they lie beyond what the map reads at all, and, where the size differs between tiles,
//! beyond the last element of the tile. If the basis is [`Basis::Counted`] or [`Basis::Proved`], that was tried at all
//! points or proved; a [`Basis::Cover`] may have elements that are not read.
//!
//! Modules in dependency order: `grid` (the tiles of an array), `extremes` (first and last elements as expressions),
//! `exactness` (is all of it read), `tighten` (a smaller cover), `propagate`, `suggest` (sizes that stay tiles).

mod exactness;
mod extremes;
mod grid;
mod propagate;
mod suggest;
mod tighten;

pub use grid::{Grid, GridError};
pub use propagate::{Simplify, propagate};
pub use suggest::{Suggestion, suggest};

use crate::expr::Expr;
use crate::image::Basis;
use crate::interval::Interval;
use crate::map::Domain;

/// One dimension of a tile.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Side {
    /// The first element, over the variables of [`Tile::domain`].
    pub offset: Expr,
    /// How many elements the largest tile of the grid has; at least 1.
    pub size: i64,
    /// The distance of neighbours; at least 1, and 1 where there is one element.
    pub stride: i64,
    /// The last element, where the number of elements differs between tiles.
    pub last: Option<Expr>,
    /// What lies outside is cut off: an interval that holds what is read in this dimension by all tiles together.
    pub within: Interval,
}

/// A tile of an array, for all values of the tile variables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tile {
    /// The tile variables, `t0` and so on, as dimensions; then runtime variables.
    pub domain: Domain,
    /// One for each dimension of the array.
    pub sides: Vec<Side>,
    /// Is it exactly what is read?
    pub basis: Basis,
}

impl Tile {
    /// Is it exactly what is read?
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.basis != Basis::Cover
    }

    /// Elements of the largest tile; `None` beyond 128 bits.
    #[must_use]
    pub fn size(&self) -> Option<u128> {
        self.sides.iter().try_fold(1_u128, |size, side| {
            size.checked_mul(u128::try_from(side.size).ok()?)
        })
    }

    /// The indices in dimension `number` of the tile at `point`, in order.
    ///
    /// # Errors
    /// [`crate::expr::EvalError`] if a value does not fit.
    pub fn indices(
        &self,
        number: usize,
        point: &[i64],
    ) -> Result<Vec<i64>, crate::expr::EvalError> {
        let side = &self.sides[number];
        let first = side.offset.eval(point)?;
        let last = side
            .last
            .as_ref()
            .map(|last| last.eval(point))
            .transpose()?;
        let indices = (0..side.size).map_while(|k| first.checked_add(k.checked_mul(side.stride)?));
        let is_inside =
            |index: &i64| side.within.contains(*index) && last.is_none_or(|last| *index <= last);
        Ok(indices.filter(is_inside).collect())
    }
}
