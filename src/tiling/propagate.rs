//! From a tile of what a map leads from to a tile of what it leads to.

use super::exactness::exactness;
use super::extremes::{End, Locals};
use super::grid::{Grid, GridError};
use super::tighten::tightened;
use super::{Side, Tile};
use crate::expr::{Expr, ExprError, VariableId};
use crate::image::{Basis, Stop, region};
use crate::interval::Interval;
use crate::map::{Domain, IndexingMap, Variable, VariableKind};
use crate::prove::Budget;

/// Brings a map into its simplest form; the variables keep their order and kinds.
pub type Simplify<'a> = &'a dyn Fn(&IndexingMap) -> IndexingMap;

/// The tile that `map` reads for each tile of `grid`, which divides its dimensions; `None` if nothing is read.
///
/// # Errors
/// [`GridError`]; and [`Stop::Interrupted`] inside of `Ok`.
pub fn propagate(
    map: &IndexingMap,
    grid: &Grid,
    simplify: Simplify<'_>,
    budget: &Budget,
) -> Result<Result<Option<Tile>, Stop>, GridError> {
    let elements = simplify(&grid.at_elements(map)?);
    let elements = match elements.with_rescaled_ranges() {
        Ok(rescaled) if rescaled != elements => simplify(&rescaled),
        _ => elements,
    };
    if elements.domain().is_known_empty() {
        return Ok(Ok(None));
    }
    let within = match region(map, budget) {
        Ok(region) if region.size() == Some(0) => return Ok(Ok(None)),
        Ok(region) => {
            let sides = region.progressions.iter();
            sides
                .map(|side| Interval::new(side.first, side.last()))
                .collect()
        }
        Err(Stop::Interrupted) => return Ok(Err(Stop::Interrupted)),
        Err(_) => map.ranges(),
    };
    let parts = Parts::of(&elements);
    let sides = parts.sides(&elements, &within, simplify)?;
    let mut tile = Tile {
        domain: parts.parameters,
        sides,
        basis: Basis::Cover,
    };
    // What takes too much to judge stays a cover.
    if let Err(Stop::Interrupted) = judged(&elements, &mut tile, budget) {
        return Ok(Err(Stop::Interrupted));
    }
    Ok(Ok(Some(tile)))
}

/// Finds out whether all of `tile` is read, and makes it smaller if not.
fn judged(elements: &IndexingMap, tile: &mut Tile, budget: &Budget) -> Result<(), Stop> {
    tile.basis = exactness(elements, tile, budget)?;
    if tile.basis == Basis::Cover
        && let Some(smaller) = tightened(elements, tile, budget)?
    {
        *tile = smaller;
        tile.basis = exactness(elements, tile, budget)?;
    }
    Ok(())
}

/// The variables of a map at the elements of tiles: the tile variables and runtime variables, of which a tile is a
/// function, and the others, which are local to a tile.
struct Parts {
    parameters: Domain,
    /// For each variable of the map, its number among the parameters.
    numbers: Vec<Option<u32>>,
}

impl Parts {
    fn of(elements: &IndexingMap) -> Parts {
        let mut kept: Vec<Variable> = Vec::new();
        let mut numbers = Vec::new();
        for variable in elements.domain().variables() {
            let is_kept = variable.kind != VariableKind::Range;
            numbers.push(is_kept.then_some(kept.len() as u32));
            if is_kept {
                kept.push(variable.clone());
            }
        }
        Parts {
            parameters: Domain::new(kept),
            numbers,
        }
    }

    fn sides(
        &self,
        elements: &IndexingMap,
        within: &[Interval],
        simplify: Simplify<'_>,
    ) -> Result<Vec<Side>, ExprError> {
        let locals = Locals {
            domain: elements.domain(),
            is_local: &|id| self.numbers[id.index()].is_none(),
        };
        let places: Vec<Expr> = self
            .numbers
            .iter()
            .map(|number| Expr::variable(VariableId(number.unwrap_or_default())))
            .collect();
        let mut ends = Vec::new();
        for result in elements.results() {
            let first = locals.extreme(result, End::Least)?.substitute(&places)?;
            let last = locals.extreme(result, End::Greatest)?.substitute(&places)?;
            ends.push(last.sub(&first)?);
            ends.extend([first, last]);
        }
        let ends = simplify(&IndexingMap::new(self.parameters.clone(), ends))
            .into_parts()
            .1;
        let sides = elements
            .results()
            .iter()
            .zip(within)
            .zip(ends.chunks_exact(3));
        let side = |((result, within), ends): ((&Expr, &Interval), &[Expr])| {
            let [width, first, last] = ends else {
                return Err(ExprError::TooLarge); // they are chunks of three
            };
            let stride = i64::try_from(locals.stride(result)).unwrap_or(1).max(1);
            let greatest = self.parameters.range_of(width).hi();
            let size = greatest.max(0) / stride + 1;
            Ok(Side {
                offset: first.clone(),
                size,
                stride: if size == 1 { 1 } else { stride },
                last: width.as_constant().is_none().then(|| last.clone()),
                within: *within,
            })
        };
        sides.map(side).collect()
    }
}
