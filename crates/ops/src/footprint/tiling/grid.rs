//! Grids of tiles that cover an array.
//!
//! Law: each element of the array is in exactly one tile. Tile `t` of a dimension, with size `n` and stride `s`, has the
//! elements `(t floordiv s)*n*s + t mod s + s*i` for `i` in `[0, n - 1]` that exist. So tiles are counted from index 0, even if
//! a map reads only a part of the array.

use affinor::expr::{Domain, Expr, ExprError, IndexingMap, Variable, VariableId, VariableKind};
use affinor::num::Interval;

/// A partition of an array into tiles.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Grid {
    /// Tile sizes in elements, one per dimension; at least 1.
    sizes: Vec<i64>,
    /// Distances of neighbouring elements of a tile, one per dimension; at least 1.
    strides: Vec<i64>,
}

/// Why a grid is invalid.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum GridError {
    /// A size or stride is below 1, or their numbers differ.
    #[error("tile sizes and strides must be at least 1, one stride per size")]
    Sizes,
    /// The grid and the map have different numbers of dimensions.
    #[error("the tile has {given} size(s), the map has {dimensions} dimension(s)")]
    Rank {
        /// Number of dimensions of the grid.
        given: usize,
        /// Number of dimensions of the map.
        dimensions: usize,
    },
    /// A result of a tuple has no list of sizes.
    #[error("result {number} has no sizes: there are {given} lists")]
    Result {
        /// The number of the result, from 0.
        number: usize,
        /// The number of lists of sizes that were given.
        given: usize,
    },
    /// A dimension is unbounded.
    #[error("an unbounded dimension has no tiles")]
    Unbounded,
    /// An expression is not representable.
    #[error(transparent)]
    Expr(#[from] ExprError),
}

impl Grid {
    /// Creates a grid with these sizes, in elements, and strides.
    ///
    /// # Errors
    /// [`GridError::Sizes`].
    pub fn new(sizes: Vec<i64>, strides: Vec<i64>) -> Result<Grid, GridError> {
        let is_good = sizes.len() == strides.len() && sizes.iter().chain(&strides).all(|x| *x >= 1);
        match is_good {
            true => Ok(Grid { sizes, strides }),
            false => Err(GridError::Sizes),
        }
    }

    /// Creates a grid with strides of 1.
    ///
    /// # Errors
    /// [`GridError::Sizes`].
    pub fn of_sizes(sizes: Vec<i64>) -> Result<Grid, GridError> {
        let strides = vec![1; sizes.len()];
        Grid::new(sizes, strides)
    }

    /// Returns the sizes, in elements.
    #[must_use]
    pub fn sizes(&self) -> &[i64] {
        &self.sizes
    }

    /// Returns the strides, in elements.
    #[must_use]
    pub fn strides(&self) -> &[i64] {
        &self.strides
    }

    /// Rewrites `map` over the elements of tiles: its dimensions are the tile variables, a range variable `i0` and so
    /// on for each of its dimensions numbers the elements of a tile; its own range and runtime variables follow.
    ///
    /// # Errors
    /// [`GridError::Rank`], [`GridError::Unbounded`], [`GridError::Expr`].
    pub fn at_elements(&self, map: &IndexingMap) -> Result<IndexingMap, GridError> {
        let domain = map.domain();
        let dimensions: Vec<VariableId> = domain.ids(VariableKind::Dimension).collect();
        if dimensions.len() != self.sizes.len() {
            return Err(GridError::Rank { given: self.sizes.len(), dimensions: dimensions.len() });
        }
        let rank = dimensions.len();
        let mut variables = Vec::new();
        for (number, id) in dimensions.iter().enumerate() {
            let tiles = self.tiles(number, domain.bounds(*id))?;
            let name = format!("t{number}");
            variables.push(Variable::new(name, VariableKind::Dimension, tiles));
        }
        for (number, size) in self.sizes.iter().enumerate() {
            let name = format!("i{number}");
            variables.push(Variable::new(name, VariableKind::Range, Interval::of_size(*size)));
        }
        variables.extend(domain.variables().iter().skip(rank).cloned());
        let mut tiled = Domain::new(variables);
        if domain.is_known_empty() {
            tiled.make_empty();
        }
        let mut places = Vec::new();
        for (number, id) in dimensions.iter().enumerate() {
            let element = self.element(number, rank)?;
            let bounds = domain.bounds(*id);
            if !bounds.contains_all(tiled.range_of(&element)) {
                tiled.constrain(&element, bounds);
            }
            places.push(element);
        }
        let own = (rank..domain.variables().len()).map(|id| id + rank);
        places.extend(own.map(|id| Expr::variable(VariableId(id as u32))));
        Ok(map.substituted(tiled, &places)?)
    }

    /// Returns the interval of tile numbers, along dimension `number`, of the tiles that have an index in `bounds`; with a
    /// stride, of all tiles in the same blocks.
    ///
    /// # Errors
    /// [`GridError::Unbounded`], [`GridError::Expr`].
    pub fn tiles(&self, number: usize, bounds: Interval) -> Result<Interval, GridError> {
        if bounds.is_empty() {
            return Ok(Interval::EMPTY);
        }
        if !bounds.is_bounded() {
            return Err(GridError::Unbounded);
        }
        let (size, stride) = (self.sizes[number], self.strides[number]);
        let block = i128::from(size) * i128::from(stride);
        let first = i128::from(bounds.lo()).div_euclid(block) * i128::from(stride);
        let after = (i128::from(bounds.hi()).div_euclid(block) + 1) * i128::from(stride);
        let number = |x: i128| i64::try_from(x).map_err(|_| ExprError::Overflow);
        Ok(Interval::new(number(first)?, number(after - 1)?))
    }

    fn element(&self, number: usize, rank: usize) -> Result<Expr, ExprError> {
        let (size, stride) = (self.sizes[number], self.strides[number]);
        let tile = Expr::variable(VariableId(number as u32));
        let inside = Expr::variable(VariableId((rank + number) as u32));
        if stride == 1 {
            return Expr::sum(0, [(size, tile), (1, inside)]);
        }
        let block = size.checked_mul(stride).ok_or(ExprError::Overflow)?;
        let (blocks, phase) = (tile.floordiv(stride)?, tile.modulo(stride)?);
        Expr::sum(0, [(block, blocks), (1, phase), (stride, inside)])
    }
}
