//! One tile of a layout, applied to a list of dimensions.
//!
//! Law (*Tiled layout*, sections on the linear index, repeated tiling and combining dimensions): a tile with `k`
//! entries covers the last `k` dimensions; if there are fewer, dimensions of size 1 are prepended. A dimension at `*`
//! is combined with the next more minor one. Then each index `e` of a dimension of size `d` under a tile of size `t`
//! becomes two: `e floordiv t` of `ceil(d / t)` tiles, and `e mod t` inside the tile; first all of the former, then all
//! of the latter.

use affinor::expr::{Expr, ExprError};
use affinor::num::Interval;
use affinor::text::{Error, ErrorKind};
use affinor_hlo::layout::{Tile, TileDimension};

/// An expression and the interval in which it must lie.
pub type Condition = (Expr, Interval);

/// A tile applied to a list of dimensions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Level {
    /// Sizes of the dimensions before, major to minor.
    before: Vec<i64>,
    /// Number of leading dimensions that the tile does not cover.
    untouched: usize,
    groups: Vec<Group>,
}

/// Dimensions that are tiled as a single one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Group {
    /// Number of dimensions: 0 for a prepended one, 1 without `*`.
    dimensions: usize,
    size: i64,
    tile: i64,
}

impl Group {
    /// Returns the number of dimensions it combines: 0 for a prepended one of size 1.
    #[must_use]
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// Returns the number of indices: the product of the sizes of its dimensions.
    #[must_use]
    pub fn size(&self) -> i64 {
        self.size
    }

    /// Returns the number of indices in one tile, at least 1.
    #[must_use]
    pub fn tile(&self) -> i64 {
        self.tile
    }

    /// Returns the number of tiles; the last may be partly padding.
    #[must_use]
    pub fn tiles(&self) -> i64 {
        affinor::num::ceildiv(self.size, self.tile)
    }
}

impl Level {
    /// Applies `tile` to dimensions of these sizes, major to minor.
    ///
    /// # Errors
    /// Kind `shape` if the tile ends with `*`, `overflow` if sizes exceed 64 bits; without a span.
    pub fn new(before: &[i64], tile: &Tile) -> Result<Level, Error> {
        let tile = tile.dimensions();
        if matches!(tile.last(), Some(TileDimension::Combine)) {
            return Err(Error::without_span(
                ErrorKind::Shape,
                "the last entry of a tile is `*`, and there is no more minor dimension to combine with",
            )
            .hint("`T(*,8)` combines the two most minor dimensions and tiles them by 8"));
        }
        let added = tile.len().saturating_sub(before.len());
        let untouched = before.len().saturating_sub(tile.len());
        let mut groups = Vec::new();
        let mut start = untouched;
        for (end, entry) in tile.iter().enumerate() {
            if let TileDimension::Size(tile) = *entry {
                let end = (untouched + end + 1).saturating_sub(added).max(start);
                groups.push(Group {
                    dimensions: end - start,
                    size: product(&before[start..end])?,
                    tile,
                });
                start = end;
            }
        }
        Ok(Level { before: before.to_vec(), untouched, groups })
    }

    /// Returns the sizes of the dimensions before, major to minor.
    #[must_use]
    pub fn before(&self) -> &[i64] {
        &self.before
    }

    /// Returns the sizes of the dimensions that the tile does not cover, major to minor.
    #[must_use]
    pub fn untouched(&self) -> &[i64] {
        &self.before[..self.untouched]
    }

    /// Returns the dimensions that the tile divides, major to minor.
    #[must_use]
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// Returns the sizes of the dimensions after: those not covered, the numbers of tiles, the sizes of a tile.
    #[must_use]
    pub fn after(&self) -> Vec<i64> {
        let untouched = self.untouched().iter().copied();
        let tiles = self.groups.iter().map(Group::tiles);
        let within = self.groups.iter().map(Group::tile);
        untouched.chain(tiles).chain(within).collect()
    }

    /// Maps an index over [`Level::before`] to one over [`Level::after`].
    ///
    /// # Errors
    /// [`ExprError`] if an expression is not representable.
    pub fn apply(&self, index: &[Expr]) -> Result<Vec<Expr>, ExprError> {
        let grouped = self.grouped(index)?;
        let mut after = index[..self.untouched].to_vec();
        for (index, group) in grouped.iter().zip(&self.groups) {
            after.push(index.floordiv(group.tile)?);
        }
        for (index, group) in grouped.iter().zip(&self.groups) {
            after.push(index.modulo(group.tile)?);
        }
        Ok(after)
    }

    /// Returns one index per group: the row-major position within its dimensions.
    fn grouped(&self, index: &[Expr]) -> Result<Vec<Expr>, ExprError> {
        let mut start = self.untouched;
        let group = |group: &Group| {
            let span = start..start + group.dimensions;
            start = span.end;
            row_major(&self.before[span.clone()], &index[span])
        };
        self.groups.iter().map(group).collect()
    }

    /// Maps an index over [`Level::after`] to one over [`Level::before`], with the conditions, besides the bounds of the sizes,
    /// under which it is not padding.
    ///
    /// # Errors
    /// [`ExprError`] if an expression is not representable.
    pub fn undo(&self, after: &[Expr]) -> Result<(Vec<Expr>, Vec<Condition>), ExprError> {
        let (untouched, rest) = after.split_at(self.untouched);
        let (tiles, within) = rest.split_at(self.groups.len());
        let mut index = untouched.to_vec();
        let mut conditions = Vec::new();
        for ((group, tile), within) in self.groups.iter().zip(tiles).zip(within) {
            let grouped = Expr::sum(0, [(group.tile, tile.clone()), (1, within.clone())])?;
            if group.dimensions == 0 {
                conditions.push((grouped.clone(), Interval::point(0)));
            }
            let sizes = &self.before[index.len()..index.len() + group.dimensions];
            index.extend(digits(sizes, &grouped)?);
        }
        Ok((index, conditions))
    }
}

/// Returns the row-major position of an index over these sizes.
pub(super) fn row_major(sizes: &[i64], index: &[Expr]) -> Result<Expr, ExprError> {
    if sizes.contains(&0) {
        return Ok(Expr::constant(0)); // no index exists
    }
    let mut terms = Vec::with_capacity(sizes.len());
    let mut unit = 1_i64;
    for (size, index) in sizes.iter().zip(index).rev() {
        terms.push((unit, index.clone()));
        unit = unit.checked_mul(*size).ok_or(ExprError::Overflow)?;
    }
    Expr::sum(0, terms)
}

/// Returns the index over these sizes at a position: the inverse of [`row_major`].
pub(super) fn digits(sizes: &[i64], position: &Expr) -> Result<Vec<Expr>, ExprError> {
    if sizes.contains(&0) {
        return Ok(vec![Expr::constant(0); sizes.len()]); // no position exists
    }
    let mut index = Vec::with_capacity(sizes.len());
    let mut unit = 1_i64;
    for (dimension, size) in sizes.iter().enumerate().rev() {
        let quotient = position.floordiv(unit)?;
        index.push(match dimension {
            0 => quotient,
            _ => quotient.modulo(*size)?,
        });
        unit = unit.checked_mul(*size).ok_or(ExprError::Overflow)?;
    }
    index.reverse();
    Ok(index)
}

/// Returns the number of indices below these sizes.
pub(super) fn product(sizes: &[i64]) -> Result<i64, Error> {
    if sizes.contains(&0) {
        return Ok(0);
    }
    let product = sizes.iter().copied().try_fold(1, i64::checked_mul);
    product.ok_or_else(too_large)
}

pub(super) fn too_large() -> Error {
    let message = "the number of positions does not fit in 64 bits";
    Error::without_span(ErrorKind::Overflow, message)
}
