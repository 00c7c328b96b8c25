//! Tiles: the operand tile read by an output tile, for all tiles of a grid at once.
//!
//! A *tile* has a size, a stride and an offset in each dimension; offsets are expressions over the *tile variables*
//! `t0, t1, ..`, which number the tiles of a grid. [`propagate`] maps a tile of a map's domain to a tile of its range.
//! From operands back to outputs, apply it to the inverse map.
//!
//! Law: at each point of the tile variables, everything that the map reads for the tile is in the resulting tile, for any
//! values of runtime variables; if it is exact, all of its elements that are not cut off are read. Outside of the domain of the
//! tile nothing is read. Elements are cut off if they are outside the bounds of all reads of the map, and, if the size differs
//! between tiles, beyond the last element of the tile. If the basis is [`Basis::Counted`] or [`Basis::Proved`], exactness was
//! enumerated or proved; a [`Basis::Cover`] may have elements that are not read.
//!
//! A runtime variable stays a variable of the tile if it is uniform in each tile, that is, if the index of its value does not
//! depend on the elements of the tile. A variable with several values in a tile ranges over its clamp interval, and the tile is
//! a cover.
//!
//! Work is counted in [`Fuel`]: one step per point tried, and some per tile and proof.
//!
//! Modules in dependency order: `grid` (the tiles of an array), `readable` (readable forms of bounds), `extremes` (first and
//! last elements as expressions), `conditions` (necessary conditions for a tile to be read), `values` (runtime variables),
//! `exactness` (whether all of a tile is read), `tighten` (smaller covers), `propagate`, `suggest` (sizes whose footprint is
//! again a tile). `span` and `by_size`: tiles of maps with parameters, found as expressions over these and proved.

mod by_size;
mod conditions;
mod exactness;
mod extremes;
mod grid;
mod propagate;
mod readable;
mod span;
mod suggest;
mod tighten;
mod values;

pub use by_size::{NoTile, SideBySize, TileBySize, elements_by_size, tile_by_size};
pub use grid::{Grid, GridError};
pub use propagate::{TiledMap, propagate};
pub use suggest::{Suggestion, Suggestions, TRIED, suggest};
pub use values::TileValue;

use crate::footprint::image::Basis;
use crate::indexing::Simplify;
use affinor::expr::{Domain, EvalError, Expr};
use affinor::num::{Fuel, Interval};
use affinor::prove::Budget;

/// The simplifier, the prover's budget and the fuel with which an answer is computed.
pub struct Means<'a> {
    simplify: Simplify<'a>,
    budget: Budget,
    fuel: Fuel,
}

/// Default number of steps for one tile.
pub const STEPS: u64 = 3_000_000;

/// Number of steps charged for a query to the prover.
const PROOF: u64 = 20_000;

impl<'a> Means<'a> {
    /// `simplify` brings a map into its simplest form; the variables keep their order and kinds. `budget` applies to each query
    /// to the prover, `fuel` to all work: once it is spent, a tile whose exactness is undecided stays a cover.
    #[must_use]
    pub fn new(simplify: Simplify<'a>, budget: Budget, fuel: &Fuel) -> Means<'a> {
        Means {
            simplify,
            budget: Budget { fuel: Some(fuel.clone()), ..budget },
            fuel: fuel.clone(),
        }
    }
}

/// One dimension of a tile.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Side {
    /// The first element, over the variables of [`Tile::domain`].
    pub offset: Expr,
    /// Number of elements of the largest tile of the grid; at least 1.
    pub size: i64,
    /// The distance of neighbouring elements; at least 1, and 1 for a single element.
    pub stride: i64,
    /// The last element, if the number of elements differs between tiles.
    pub last: Option<Expr>,
    /// An interval that contains the reads of all tiles in this dimension; elements outside are cut off.
    pub within: Interval,
}

/// A tile of an array, for all values of the tile variables.
///
/// ```
/// use affinor::num::{Fuel, Interrupt};
/// use affinor::prove::Budget;
/// use affinor::simplify::{Options, Simplifier};
/// use affinor_ops::footprint::tiling::{Grid, Means, STEPS, propagate};
/// use affinor_ops::indexing::OperandMap;
///
/// let simplifier = Simplifier::shipped()?;
/// let simplify = |map: &_| simplifier.simplify(map, &Options::default()).map;
/// let means = Means::new(&simplify, Budget::default(), &Fuel::new(STEPS, &Interrupt::new()));
/// let window = "(d0)[s0] -> (d0 * 2 + s0), domain: d0 in [0, 63], s0 in [0, 2]".parse()?;
/// let tile = propagate(&OperandMap::exact(window), &Grid::of_sizes(vec![16])?, &means)??;
/// let tile = tile.expect("it reads something");
/// assert_eq!((tile.sides[0].size, tile.is_exact()), (33, true));
/// assert_eq!(tile.sides[0].offset.eval(&[3])?, 96); // the first element of the tile number 3
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tile {
    /// The tile variables, `t0` and so on, as dimensions; then the runtime variables that are uniform in each tile. A tile
    /// outside the domain reads nothing.
    pub domain: Domain,
    /// One side per dimension of the array.
    pub sides: Vec<Side>,
    /// Whether the tile is exactly the set of elements read, and how that was established.
    pub basis: Basis,
    /// The sources of the map's runtime variables.
    pub values: Vec<TileValue>,
}

impl Tile {
    /// Returns whether the tile is exactly the set of elements read.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.basis != Basis::Cover
    }

    /// Returns the number of elements of the largest tile; `None` beyond 128 bits.
    #[must_use]
    pub fn size(&self) -> Option<u128> {
        self.sides
            .iter()
            .try_fold(1_u128, |size, side| size.checked_mul(u128::try_from(side.size).ok()?))
    }

    /// Returns the indices in dimension `number` of the tile at `point`, in order.
    ///
    /// # Errors
    /// [`EvalError`] if a value does not fit.
    pub fn indices(
        &self,
        number: usize,
        point: &[i64],
    ) -> Result<impl Iterator<Item = i64>, EvalError> {
        let side = &self.sides[number];
        let (first, count) = side.run(point)?;
        let step = i128::from(side.stride);
        let index = move |k: u64| i64::try_from(first + i128::from(k) * step).ok();
        Ok((0..count).filter_map(index))
    }

    /// Returns the number of elements of the tile at `point`, which is in the domain; saturating.
    ///
    /// # Errors
    /// [`EvalError`] if a value does not fit.
    pub fn elements(&self, point: &[i64]) -> Result<u128, EvalError> {
        self.sides.iter().try_fold(1_u128, |elements, side| {
            Ok(elements.saturating_mul(side.run(point)?.1.into()))
        })
    }
}

impl Side {
    /// Returns the first index at `point` that is not cut off, and the number of indices from it on, each a stride apart.
    fn run(&self, point: &[i64]) -> Result<(i128, u64), EvalError> {
        let first = i128::from(self.offset.eval(point)?);
        let step = i128::from(self.stride);
        let mut last = first + (i128::from(self.size) - 1) * step;
        if let Some(end) = &self.last {
            last = last.min(end.eval(point)?.into());
        }
        last = last.min(self.within.hi().into());
        let cut = (i128::from(self.within.lo()) - first).max(0);
        let first = first + (cut + step - 1).div_euclid(step) * step;
        let count = (last - first).div_euclid(step) + 1;
        Ok((first, u64::try_from(count).unwrap_or(0)))
    }

    /// Returns whether bounds show that all elements of this side are in `within` for the tiles of `domain`.
    #[must_use]
    pub fn is_whole(&self, domain: &Domain) -> bool {
        let span = (self.size - 1).saturating_mul(self.stride);
        let ends = domain.range_of(&self.offset).add(Interval::new(0, span));
        let ends = match &self.last {
            Some(last) => Interval::new(ends.lo(), ends.hi().min(domain.range_of(last).hi())),
            None => ends,
        };
        self.within.contains_all(ends)
    }
}
