//! The reads of a map over all of its points: their box and its size, in terms of named sizes if the map has any.

use crate::errors::{about, failed, no_tile, stop, undecided};
use crate::map::IndexMap;
use crate::means::{budget, options, simplifier};
use crate::work::run;
use affinor::expr::{Domain, Expr, ExprError, IndexingMap, VariableId, VariableKind};
use affinor::num::{Fuel, Interrupt};
use affinor::prove::Verdict;
use affinor::simplify::Effort;
use affinor::text::{Error, ErrorKind};
use affinor_ops::footprint::image::{self, NoInverse};
use affinor_ops::footprint::tiling::{Means, NoTile, STEPS, SideBySize, TileBySize, tile_by_size};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::PyDict;

fn has_sizes(map: &IndexingMap) -> bool {
    map.domain().count(VariableKind::Parameter) > 0
}

/// Implements `IndexMap.inverse`.
pub fn inverse(py: Python<'_>, map: &IndexingMap) -> PyResult<IndexMap> {
    let simplifier = simplifier()?;
    let by_size = has_sizes(map);
    let found = run(py, |interrupt| {
        let options = options(Effort::default(), interrupt);
        let simplify = |map: &IndexingMap| simplifier.simplify(map, &options).map;
        match by_size {
            true => Ok(image::inverse_by_size(map, &simplify, &budget(interrupt))),
            false => image::inverse(map, &simplify, &budget(interrupt)).map(|found| {
                match found.verdict {
                    Verdict::Proved => Ok(found.map),
                    Verdict::Unknown(reason) => {
                        Err(NoInverse::Unproved(Box::new(found.map), Some(reason)))
                    }
                    Verdict::Refuted(_) => Err(NoInverse::Unproved(Box::new(found.map), None)),
                }
            }),
        }
    })?;
    match found.map_err(|error| about("", error))? {
        Ok(map) => Ok(IndexMap(map)),
        Err(NoInverse::Unproved(_, Some(reason))) => {
            Err(undecided(format!("the map found is not proved to be the inverse: {reason}")))
        }
        Err(error) => Err(undecided(error)),
    }
}

/// Implements `IndexMap.image`.
pub fn image<'py>(py: Python<'py>, map: &IndexingMap) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    if has_sizes(map) {
        let tile = run(py, |interrupt| whole(map, interrupt))??.map_err(no_tile)?;
        let mut ends = Vec::new();
        let mut steps = Vec::new();
        for side in &tile.sides {
            let last = last(side).map_err(failed)?;
            ends.push((
                of_sizes(py, &tile.domain, &side.offset)?,
                of_sizes(py, &tile.domain, &last)?,
            ));
            steps.push(of_sizes(py, &tile.domain, &side.stride)?);
        }
        dict.set_item("box", ends)?;
        dict.set_item("steps", steps)?;
        let size = elements(&tile.domain, &tile.sides).map_err(failed)?;
        dict.set_item("size", of_sizes(py, &tile.domain, &size)?)?;
        dict.set_item("exact", is_all(&tile))?;
        return Ok(dict);
    }
    let found = run(py, |interrupt| image::region(map, &budget(interrupt)))?;
    let region = found.map_err(stop)?;
    let sides = region.progressions.iter();
    let ends: Vec<(i64, i64)> =
        sides.clone().map(|side| (side.span().lo(), side.span().hi())).collect();
    dict.set_item("box", ends)?;
    dict.set_item("steps", sides.map(|side| side.step).collect::<Vec<i64>>())?;
    dict.set_item("size", region.size())?;
    dict.set_item("exact", region.is_exact())?;
    Ok(dict)
}

/// Implements `IndexMap.count`.
pub fn count(py: Python<'_>, map: &IndexingMap) -> PyResult<Py<PyAny>> {
    if has_sizes(map) {
        return count_by_size(py, map);
    }
    let found = run(py, |interrupt| image::elements(map, &budget(interrupt)))?;
    let count = found.map_err(stop)?;
    match count.is_exact() {
        true => count.number.into_py_any(py),
        false => Err(undecided(format!("there are at most {}", count.number))),
    }
}

/// Returns the number of points, if no two have the same result, or else the number of elements of the box, if each is a
/// result.
fn count_by_size(py: Python<'_>, map: &IndexingMap) -> PyResult<Py<PyAny>> {
    if map.domain().count(VariableKind::Runtime) > 0 {
        let message = "no map with named sizes and runtime variables is counted";
        let error = Error::without_span(ErrorKind::Unsupported, message);
        return Err(about(
            "",
            error.hint("make them range variables to count over all their values"),
        ));
    }
    let (points, injective) = run(py, |interrupt| {
        let budget = budget(interrupt);
        let points = image::points_by_size(map.domain(), &budget);
        (points, image::injective(map, &budget))
    })?;
    let reason = match (points, injective.map_err(stop)?.0) {
        (Some(points), Verdict::Proved) => {
            if let [number] = points.results() {
                return of_sizes(py, points.domain(), number);
            }
            "the number of points is not one number".to_owned()
        }
        (None, Verdict::Proved) => {
            "no expression in the sizes is known to be the number of points".to_owned()
        }
        (_, Verdict::Unknown(reason)) => reason.to_string(),
        (_, Verdict::Refuted(_)) => {
            "some points have the same result, and the results fill no box".to_owned()
        }
    };
    match run(py, |interrupt| whole(map, interrupt))?? {
        Ok(tile) if is_all(&tile) => {
            let number = elements(&tile.domain, &tile.sides).map_err(failed)?;
            of_sizes(py, &tile.domain, &number)
        }
        Ok(_) | Err(NoTile::Unbounded(_) | NoTile::Unproved(_)) => Err(undecided(reason)),
        Err(none) => Err(no_tile(none)),
    }
}

/// Returns the box of all reads of a map.
fn whole(map: &IndexingMap, interrupt: &Interrupt) -> PyResult<Result<TileBySize, NoTile>> {
    with_means(interrupt, |means| {
        let (local, _) = map.with_ranges(|id| !map.domain().is_parameter(id))?;
        tile_by_size(&local, &local, means)
    })
}

/// Runs `work` with the resources for a query about tiles.
pub fn with_means<T>(interrupt: &Interrupt, work: impl FnOnce(&Means<'_>) -> T) -> PyResult<T> {
    let (simplifier, options) = (simplifier()?, options(Effort::default(), interrupt));
    let simplify = |map: &IndexingMap| simplifier.simplify(map, &options).map;
    let fuel = Fuel::new(STEPS, interrupt);
    Ok(work(&Means::new(&simplify, budget(interrupt), &fuel)))
}

/// Checks whether the box is exactly the elements read, and no part of it is cut off.
fn is_all(tile: &TileBySize) -> bool {
    let is_whole = |side: &SideBySize| side.last.is_none() && side.within == [None, None];
    tile.is_exact && tile.sides.iter().all(is_whole)
}

/// Returns the last element of a side: an upper bound of it, if it differs between tiles.
fn last(side: &SideBySize) -> Result<Expr, ExprError> {
    let reach = side.size.sub(&Expr::constant(1))?.times(&side.stride)?;
    side.offset.add(&reach)
}

/// Returns the number of elements of the largest tile. A side that is empty for some sizes may have a negative size there.
pub fn elements(domain: &Domain, sides: &[SideBySize]) -> Result<Expr, ExprError> {
    let natural = |side: &SideBySize| {
        let more = side.size.add(&Expr::constant(1))?;
        match domain.is_positive(&more) {
            true => Ok(side.size.clone()),
            false => Expr::max([side.size.clone(), Expr::constant(0)]),
        }
    };
    let sizes: Result<Vec<Expr>, ExprError> = sides.iter().map(natural).collect();
    Expr::product(sizes?)
}

/// Returns the value of an expression over named sizes: an integer, or a map from the sizes, which are the last variables of
/// `domain`.
pub fn of_sizes(py: Python<'_>, domain: &Domain, expr: &Expr) -> PyResult<Py<PyAny>> {
    if let Some(number) = expr.as_constant() {
        return number.into_py_any(py);
    }
    let own = domain.variables().len() - domain.count(VariableKind::Parameter);
    let mut sizes = Domain::new(domain.variables()[own..].to_vec());
    let places: Vec<Expr> = (0..domain.variables().len())
        .map(|id| Expr::variable(VariableId(id.saturating_sub(own) as u32)))
        .collect();
    for constraint in domain.constraints() {
        let mut variables = constraint.expr.variables().into_iter();
        if variables.all(|id| domain.is_parameter(id)) {
            let expr = constraint.expr.substitute(&places).map_err(failed)?;
            sizes.constrain(&expr, constraint.bounds);
        }
    }
    let result = expr.substitute(&places).map_err(failed)?;
    let map = IndexingMap::new(sizes, vec![result]);
    let simplify = |interrupt: &Interrupt| {
        let options = options(Effort::default(), interrupt);
        simplifier().map(|simplifier| simplifier.simplify(&map, &options).map)
    };
    let map = run(py, simplify)??;
    match map.results().first().and_then(Expr::as_constant) {
        Some(number) => number.into_py_any(py),
        None => IndexMap(map).into_py_any(py),
    }
}
