//! Propagates a tile of a map's domain to its range.

use super::conditions;
use super::exactness::exactness;
use super::extremes::{End, Locals};
use super::grid::{Grid, GridError};
use super::readable::readable;
use super::tighten::tightened;
use super::values::Values;
use super::{Means, Side, Tile};
use crate::footprint::image::{Basis, Stop, region};
use crate::indexing::{OperandMap, RuntimeVariable, with_indices};
use affinor::expr::{Domain, Expr, ExprError, IndexingMap, Variable, VariableId, VariableKind};
use affinor::num::Interval;

/// Number of steps charged for tiling a map, and again for each operation of the map.
const TILE: u64 = 300;
const OPERATION: u64 = 50;

/// Maximum number of steps for judging a tile that constraints cut off; separate from the fuel of the other tiles.
const CUT_STEPS: u64 = 100_000;

/// A map to tile, with all data that does not depend on tile sizes.
pub struct TiledMap {
    /// The map, with the indices of the runtime variables as further results.
    whole: IndexingMap,
    results: usize,
    runtime: Vec<RuntimeVariable>,
    /// Number of steps charged per tile, beside the points tried.
    steps: u64,
    /// The interval of reads in each dimension; `None` if nothing is read.
    within: Option<Vec<Interval>>,
}

impl TiledMap {
    /// Prepares `map`. Runtime variables without a known source are taken to be uniform in each tile.
    ///
    /// # Errors
    /// [`Stop::Interrupted`].
    pub fn new(map: &OperandMap, means: &Means<'_>) -> Result<TiledMap, Stop> {
        let within = match region(&map.map, &means.budget) {
            Ok(region) if region.size() == Some(0) => None,
            Ok(region) => {
                let sides = region.progressions.iter();
                let sides = sides.map(|side| Interval::new(side.first, side.last()));
                Some(sides.collect())
            }
            Err(Stop::Interrupted) => return Err(Stop::Interrupted),
            Err(_) => Some(map.map.ranges()),
        };
        let whole = with_indices(map);
        let constraints = whole.domain().constraints().iter();
        let operations = constraints.map(|constraint| constraint.expr.cost().ops);
        let operations = operations.fold(whole.cost().ops, u64::saturating_add);
        Ok(TiledMap {
            whole,
            steps: TILE.saturating_add(OPERATION.saturating_mul(operations)),
            results: map.map.results().len(),
            runtime: map.runtime.clone(),
            within,
        })
    }

    /// Computes the tile read by each tile of `grid`, which divides the dimensions of the map; `None` if nothing is
    /// read.
    ///
    /// # Errors
    /// [`GridError`]; and inside `Ok` [`Stop::Interrupted`], or [`Stop::Steps`] without fuel to begin.
    pub fn tile(
        &self,
        grid: &Grid,
        means: &Means<'_>,
    ) -> Result<Result<Option<Tile>, Stop>, GridError> {
        let Some(within) = &self.within else {
            return Ok(Ok(None));
        };
        if let Err(stopped) = means.fuel.spend(self.steps) {
            return Ok(Err(stopped.into()));
        }
        let elements = self.elements(grid, means)?;
        if elements.map.domain().is_known_empty() {
            return Ok(Ok(None));
        }
        let values = Values::of(&elements.map, elements.runtime.clone(), means.simplify)?;
        let is_varying = |id: VariableId| values.varying.contains(&id);
        let (ranging, numbers) = elements.map.with_ranges(is_varying)?;
        let Some(parts) = Parts::of(&ranging, means)? else {
            return Ok(Ok(None));
        };
        let places: Vec<Expr> = numbers.iter().map(|id| parts.place(*id)).collect();
        let loose = parts.sides(&ranging, within, false, means)?;
        let of_tile = at_most(IndexingMap::new(parts.parameters.clone(), Vec::new()));
        let mut tile = Tile {
            values: values.of_tile(&elements, &of_tile, &places)?,
            sides: loose.clone(),
            domain: parts.parameters.clone(),
            basis: Basis::Cover,
        };
        // A tile whose exactness is too expensive to decide stays a cover.
        let can_be_exact = values.varying.is_empty();
        if let Err(Stop::Interrupted) = judged(&ranging, &mut tile, can_be_exact, means) {
            return Ok(Err(Stop::Interrupted));
        }
        if can_be_exact && !tile.is_exact() {
            let mut sides = parts.sides(&ranging, within, true, means)?;
            for (side, loose) in sides.iter_mut().zip(&loose) {
                side.size = side.size.min(loose.size); // the exact side is contained in the loose one
                if side.size == 1 {
                    side.stride = 1;
                }
            }
            if sides != loose {
                // Separate fuel, so that a failed attempt does not use up that of the other tiles.
                let fuel = means.fuel.share(CUT_STEPS);
                let own = Means::new(means.simplify, means.budget.clone(), &fuel);
                let mut cut = Tile { sides, ..tile.clone() };
                match judged(&ranging, &mut cut, true, &own) {
                    Err(Stop::Interrupted) => return Ok(Err(Stop::Interrupted)),
                    Ok(()) if cut.is_exact() => tile = cut,
                    Ok(()) | Err(_) => {}
                }
            }
        }
        Ok(Ok(Some(tile)))
    }

    /// Returns the map at the elements of tiles, simplified.
    fn elements(&self, grid: &Grid, means: &Means<'_>) -> Result<OperandMap, GridError> {
        let elements = (means.simplify)(&grid.at_elements(&self.whole)?);
        let elements = match elements.with_rescaled_ranges() {
            Ok(rescaled) if rescaled != elements => (means.simplify)(&rescaled),
            _ => elements,
        };
        let (domain, mut results) = elements.into_parts();
        let mut indices = results.split_off(self.results).into_iter();
        // Range variables for the elements of a tile come before the map's own ones.
        let inserted = grid.sizes().len() as u32;
        let runtime = self.runtime.iter().map(|value| RuntimeVariable {
            variable: VariableId(value.variable.0 + inserted),
            index: indices.by_ref().take(value.index.len()).collect(),
            ..value.clone()
        });
        let runtime = runtime.collect();
        Ok(OperandMap { runtime, ..at_most(IndexingMap::new(domain, results)) })
    }
}

/// Propagates one grid through `map`: see [`TiledMap::tile`].
///
/// # Errors
/// As [`TiledMap::tile`].
pub fn propagate(
    map: &OperandMap,
    grid: &Grid,
    means: &Means<'_>,
) -> Result<Result<Option<Tile>, Stop>, GridError> {
    match TiledMap::new(map, means) {
        Ok(map) => map.tile(grid, means),
        Err(stop) => Ok(Err(stop)),
    }
}

/// Wraps a map whose exactness is irrelevant.
fn at_most(map: IndexingMap) -> OperandMap {
    OperandMap::at_most(map, "it is not judged")
}

/// Decides whether all of `tile` is read, and tightens the tile if not.
fn judged(
    elements: &IndexingMap,
    tile: &mut Tile,
    can_be_exact: bool,
    means: &Means<'_>,
) -> Result<(), Stop> {
    let basis = |tile: &Tile| match can_be_exact {
        true => exactness(elements, tile, means),
        false => Ok(Basis::Cover),
    };
    tile.basis = basis(tile)?;
    if tile.basis == Basis::Cover
        && let Some(smaller) = tightened(elements, tile, means)?
    {
        *tile = smaller;
        tile.basis = basis(tile)?;
    }
    Ok(())
}

/// The variables of a map at the elements of tiles: the tile variables and runtime variables, which are the parameters of a
/// tile, and the range variables, which are local to a tile.
struct Parts {
    parameters: Domain,
    /// For each variable of the map, its index among the parameters.
    numbers: Vec<Option<u32>>,
}

impl Parts {
    /// Returns `None` if no tile is read.
    fn of(elements: &IndexingMap, means: &Means<'_>) -> Result<Option<Parts>, ExprError> {
        let mut kept: Vec<Variable> = Vec::new();
        let mut numbers = Vec::new();
        for variable in elements.domain().variables() {
            let is_kept = variable.kind != VariableKind::Range;
            numbers.push(is_kept.then_some(kept.len() as u32));
            if is_kept {
                kept.push(variable.clone());
            }
        }
        let mut parts = Parts { parameters: Domain::new(kept), numbers };
        let mut conditions = parts.parameters.clone();
        let is_local = |id: VariableId| parts.is_local(id);
        let locals = Locals { domain: elements.domain(), is_local: &is_local, is_cut: false };
        conditions::add(&mut conditions, &locals, &parts.places())?;
        let simplified = (means.simplify)(&IndexingMap::new(conditions, Vec::new()));
        parts.parameters = simplified.into_parts().0;
        Ok((!parts.parameters.is_known_empty()).then_some(parts))
    }

    fn is_local(&self, id: VariableId) -> bool {
        self.numbers[id.index()].is_none()
    }

    /// Returns the parameter for variable `id` of the map; meaningless for a local variable.
    fn place(&self, id: VariableId) -> Expr {
        let number = self.numbers.get(id.index()).copied().flatten();
        Expr::variable(VariableId(number.unwrap_or_default()))
    }

    fn places(&self) -> Vec<Expr> {
        let all = (0..self.numbers.len() as u32).map(VariableId);
        all.map(|id| self.place(id)).collect()
    }

    /// Returns the first and the last element of each tile; if `is_cut`, the tile is cut off by constraints on its elements.
    fn sides(
        &self,
        elements: &IndexingMap,
        within: &[Interval],
        is_cut: bool,
        means: &Means<'_>,
    ) -> Result<Vec<Side>, ExprError> {
        let locals =
            Locals { domain: elements.domain(), is_local: &|id| self.is_local(id), is_cut };
        let places = self.places();
        let mut ends = Vec::new();
        for result in elements.results() {
            let first = locals.extreme(result, End::Least)?.substitute(&places)?;
            let last = locals.extreme(result, End::Greatest)?.substitute(&places)?;
            ends.push(last.sub(&first)?);
            ends.extend([first, last]);
        }
        // Keeps only the bounds of tile variables, so that consumers that ignore the other conditions still cut off correctly.
        let bounds = Domain::new(self.parameters.variables().to_vec());
        let ends = (means.simplify)(&IndexingMap::new(bounds, ends)).into_parts().1;
        let sides = elements.results().iter().zip(within).zip(ends.chunks_exact(3));
        let side = |((result, within), ends): ((&Expr, &Interval), &[Expr])| {
            let [width, first, last] = ends else {
                return Err(ExprError::TooLarge); // unreachable: each chunk has three elements
            };
            let stride = i64::try_from(locals.stride(result)).unwrap_or(1).max(1);
            let greatest = self.parameters.range_of(width).hi();
            let size = greatest.max(0) / stride + 1;
            Ok(Side {
                offset: readable(first),
                size,
                stride: if size == 1 { 1 } else { stride },
                last: width.as_constant().is_none().then(|| readable(last)),
                within: *within,
            })
        };
        sides.map(side).collect()
    }
}
