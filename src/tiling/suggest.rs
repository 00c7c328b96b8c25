//! Sizes of tiles for which everything that is read stays a tile.

use super::grid::{Grid, GridError};
use super::propagate::{Simplify, propagate};
use crate::image::Stop;
use crate::interval::Interval;
use crate::map::IndexingMap;
use crate::prove::Budget;

/// A size that works.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Suggestion {
    /// Elements of the tile in each dimension.
    pub sizes: Vec<i64>,
    /// Elements that are held at once: of the tile and of all that it reads.
    pub elements: u128,
}

/// The most sizes that are tried.
const TRIED: usize = 64;

/// Tiles of an array with these bounds for which every one of `maps` reads exactly a tile, and that hold at most `most`
/// elements together with what they read; the ones with most elements of the array first. Sizes that are tried are powers
/// of two and the whole of a dimension, largest first, and at most 64; whether all were is told.
///
/// # Errors
/// [`GridError`]; and [`Stop::Interrupted`] inside of `Ok`.
pub fn suggest(
    maps: &[IndexingMap],
    bounds: &[Interval],
    most: u128,
    simplify: Simplify<'_>,
    budget: &Budget,
) -> Result<Result<(Vec<Suggestion>, bool), Stop>, GridError> {
    let mut candidates = candidates(bounds, most).ok_or(GridError::Unbounded)?;
    let is_all = candidates.len() <= TRIED;
    candidates.truncate(TRIED);
    let mut found = Vec::new();
    for sizes in candidates {
        let grid = Grid::of_sizes(sizes.clone())?;
        let mut elements = product(&sizes);
        for map in maps {
            let tile = match propagate(map, &grid, simplify, budget)? {
                Ok(tile) => tile,
                Err(stop) => return Ok(Err(stop)),
            };
            let size = match tile {
                None => Some(0),
                Some(tile) if tile.is_exact() => tile.size(),
                Some(_) => None,
            };
            elements = elements.zip(size).and_then(|(x, y)| x.checked_add(y));
        }
        if let Some(elements) = elements.filter(|elements| *elements <= most) {
            found.push(Suggestion { sizes, elements });
        }
    }
    Ok(Ok((found, is_all)))
}

fn product(sizes: &[i64]) -> Option<u128> {
    let mut sizes = sizes.iter().map(|size| u128::try_from(*size).ok());
    sizes.try_fold(1, |product: u128, size| product.checked_mul(size?))
}

/// All combinations of sizes with at most `most` elements, those with most elements first; of equally many, those that
/// are long in the last dimension.
fn candidates(bounds: &[Interval], most: u128) -> Option<Vec<Vec<i64>>> {
    let mut all: Vec<Vec<i64>> = vec![Vec::new()];
    for bounds in bounds.iter().rev() {
        let count = i64::try_from(bounds.count()?).ok()?.max(1);
        let powers = (0..62).map(|power| 1 << power);
        let mut sizes: Vec<i64> = powers.take_while(|size| *size < count).collect();
        sizes.push(count);
        if all.len() > MANY {
            sizes = vec![1];
        }
        all = all
            .iter()
            .flat_map(|end| {
                let longer = |size: &i64| [&[*size], end.as_slice()].concat();
                sizes.iter().map(longer).collect::<Vec<_>>()
            })
            .filter(|sizes| product(sizes).is_some_and(|elements| elements <= most))
            .collect();
    }
    all.sort_by_cached_key(|sizes| {
        let reversed: Vec<i64> = sizes.iter().rev().copied().collect();
        std::cmp::Reverse((product(sizes), reversed))
    });
    Some(all)
}

/// Combinations of the last dimensions beyond which those before take one element.
const MANY: usize = 10_000;
