//! Suggests tile sizes whose footprint is again a tile.

use super::Means;
use super::grid::{Grid, GridError};
use super::propagate::TiledMap;
use crate::footprint::image::Stop;
use crate::indexing::OperandMap;
use affinor::num::{Interval, Stopped};
use affinor::text::json::wide;
use serde::Serialize;

/// A suggested size.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Suggestion {
    /// Tile sizes in elements, one per dimension.
    pub sizes: Vec<i64>,
    /// Number of elements held at once: those of the tile and of all its reads.
    #[serde(serialize_with = "wide")]
    pub elements: u128,
}

/// The suggested sizes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Suggestions {
    /// Suggestions, those with most elements of the array first.
    pub found: Vec<Suggestion>,
    /// Whether every size that fits was tried, which requires at most [`TRIED`] sizes.
    pub is_all: bool,
    /// The reason why some sizes were not tried, if any.
    pub stopped: Option<Stopped>,
}

/// Maximum number of sizes tried.
pub const TRIED: usize = 64;

/// Suggests tiles of an array with these bounds for which each of `maps` reads exactly a tile, and that hold at most `most`
/// elements together with their reads. Tries powers of two and the full size of each dimension, the largest first, at most 64
/// combinations; fewer if the fuel is spent.
///
/// # Errors
/// [`GridError`]; and [`Stop::Interrupted`] inside `Ok`.
pub fn suggest(
    maps: &[OperandMap],
    bounds: &[Interval],
    most: u128,
    means: &Means<'_>,
) -> Result<Result<Suggestions, Stop>, GridError> {
    let mut candidates = candidates(bounds, most).ok_or(GridError::Unbounded)?;
    let is_all = candidates.len() <= TRIED;
    candidates.truncate(TRIED);
    let mut tiled = Vec::with_capacity(maps.len());
    for (number, map) in maps.iter().enumerate() {
        if maps[..number].contains(map) {
            continue; // counted together with the first equal map
        }
        let times = maps.iter().filter(|other| *other == map).count();
        match TiledMap::new(map, means) {
            Ok(map) => tiled.push((map, times as u128)),
            Err(stop) => return Ok(Err(stop)),
        }
    }
    let mut found = Vec::new();
    let mut stopped = None;
    for sizes in candidates {
        let grid = Grid::of_sizes(sizes)?;
        let elements = match held(&tiled, &grid, most, means)? {
            Ok(elements) => elements,
            Err(stop) => return Ok(Err(stop)),
        };
        if let Some(elements) = elements {
            let sizes = grid.sizes().to_vec();
            found.push(Suggestion { sizes, elements });
        }
        match means.fuel.check() {
            Err(Stopped::Interrupted) => return Ok(Err(Stop::Interrupted)),
            Err(Stopped::Steps) => {
                stopped = Some(Stopped::Steps);
                break;
            }
            Ok(()) => {}
        }
    }
    Ok(Ok(Suggestions { found, is_all, stopped }))
}

/// Returns the number of elements of a tile of `grid` and of its reads by all of `maps`, each with its multiplicity; `None` if
/// a footprint is not a tile, or the number exceeds `most`.
fn held(
    maps: &[(TiledMap, u128)],
    grid: &Grid,
    most: u128,
    means: &Means<'_>,
) -> Result<Result<Option<u128>, Stop>, GridError> {
    let Some(mut elements) = product(grid.sizes()) else {
        return Ok(Ok(None));
    };
    for (map, times) in maps {
        let size = match map.tile(grid, means)? {
            Err(Stop::Interrupted) => return Ok(Err(Stop::Interrupted)),
            Err(_) => None,
            Ok(None) => Some(0),
            Ok(Some(tile)) if tile.is_exact() => tile.size(),
            Ok(Some(_)) => None,
        };
        let size = size.and_then(|size| size.checked_mul(*times));
        match size.and_then(|size| elements.checked_add(size)) {
            Some(more) if more <= most => elements = more,
            _ => return Ok(Ok(None)),
        }
    }
    Ok(Ok(Some(elements)))
}

fn product(sizes: &[i64]) -> Option<u128> {
    let mut sizes = sizes.iter().map(|size| u128::try_from(*size).ok());
    sizes.try_fold(1, |product: u128, size| product.checked_mul(size?))
}

/// Returns all combinations of sizes with at most `most` elements, the largest first; ties are broken in favour of a longer
/// last dimension.
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

/// Number of combinations of the last dimensions beyond which all earlier dimensions get size 1.
const MANY: usize = 10_000;
