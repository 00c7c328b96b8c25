//! Exactness: is every element of a tile read?
//!
//! Tried in order: reduction to one tile, if reads depend on the tile only by its offset; enumeration; a proof that
//! each element of each tile is read by some point.

use super::{Means, PROOF, Tile};
use crate::footprint::image::{Basis, MOST_POINTS, Points, Stop, all_read, region};
use affinor::expr::{Domain, Expr, ExprError, IndexingMap, Variable, VariableId, VariableKind};
use affinor::num::{Interval, PLUS_INFINITY};
use affinor::prove::Reason;
use rustc_hash::{FxHashMap, FxHashSet};

/// Maximum number of points that are enumerated before a proof is tried.
pub(super) const FEW: u64 = 200_000;

/// Returns the basis of the claim that `tile` is exactly the set of elements that `elements` reads; [`Basis::Cover`] if the
/// tile is larger, or may be.
pub(super) fn exactness(
    elements: &IndexingMap,
    tile: &Tile,
    means: &Means<'_>,
) -> Result<Basis, Stop> {
    if let Some(basis) = in_one_tile(elements, tile, means)? {
        return Ok(basis);
    }
    let points = box_points(elements);
    if points.is_some_and(|points| points <= FEW) {
        return by_points(elements, tile, FEW, means);
    }
    means.fuel.spend(PROOF)?;
    match by_proof(elements, tile, means) {
        Ok(Ok(())) => return Ok(Basis::Proved),
        Ok(Err(Reason::Interrupted)) => return Err(Stop::Interrupted),
        Ok(Err(_)) | Err(_) => {}
    }
    match points.is_some_and(|points| points <= MOST_POINTS) {
        true => by_points(elements, tile, MOST_POINTS, means),
        false => Ok(Basis::Cover),
    }
}

/// Decides exactness on a single tile; `None` unless results are offsets plus local terms, and no constraint distinguishes tiles.
fn in_one_tile(
    elements: &IndexingMap,
    tile: &Tile,
    means: &Means<'_>,
) -> Result<Option<Basis>, Stop> {
    let domain = elements.domain();
    let is_local = |id: VariableId| domain.variables()[id.index()].kind == VariableKind::Range;
    let all_local = |expr: &Expr| expr.variables().into_iter().all(is_local);
    let constraints = domain.constraints().iter();
    if tile.sides.iter().any(|side| side.last.is_some())
        || !constraints.clone().all(|constraint| all_local(&constraint.expr))
    {
        return Ok(None);
    }
    let places = parameter_places(elements);
    let mut inside = Vec::new();
    for (result, side) in elements.results().iter().zip(&tile.sides) {
        let offset = side.offset.substitute(&places);
        let Ok(difference) = offset.and_then(|offset| result.sub(&offset)) else {
            return Ok(None);
        };
        if !all_local(&difference) {
            return Ok(None);
        }
        inside.push(difference);
    }
    let found = region(&IndexingMap::new(domain.clone(), inside), &means.budget)?;
    let is_whole = found.progressions.iter().zip(&tile.sides).all(|(found, side)| {
        let size = u64::try_from(side.size);
        (found.first, Ok(found.count), found.step) == (0, size, side.stride)
    });
    Ok((found.is_exact() && is_whole).then_some(found.basis))
}

/// Returns, for each parameter of a tile, its variable in the map `elements`.
fn parameter_places(elements: &IndexingMap) -> Vec<Expr> {
    let ids = parameters(elements).into_iter();
    ids.map(|id| Expr::variable(VariableId(id as u32))).collect()
}

/// Returns the points of the box of `elements`, if there are fewer than 2^64.
pub(super) fn box_points(elements: &IndexingMap) -> Option<u64> {
    let variables = elements.domain().variables().iter();
    let mut counts = variables.map(|variable| variable.bounds.count());
    counts.try_fold(1, |points: u64, count| points.checked_mul(count?))
}

/// Indices of the variables of `elements` that are parameters of a tile, in order.
pub(super) fn parameters(elements: &IndexingMap) -> Vec<usize> {
    let domain = elements.domain();
    let kinds = [VariableKind::Dimension, VariableKind::Runtime];
    let ids = kinds.into_iter().flat_map(|kind| domain.ids(kind));
    ids.map(VariableId::index).collect()
}

fn by_points(
    elements: &IndexingMap,
    tile: &Tile,
    most: u64,
    means: &Means<'_>,
) -> Result<Basis, Stop> {
    let domain = elements.domain();
    let parameters = parameters(elements);
    let mut seen: FxHashSet<Vec<i64>> = FxHashSet::default();
    let mut read: FxHashMap<Vec<i64>, u128> = FxHashMap::default();
    for point in Points::new(domain, most, &means.budget)? {
        let point = point?;
        let mut at: Vec<i64> = parameters.iter().map(|id| point[*id]).collect();
        let own = at.len();
        at.extend(elements.eval(&point)?);
        if !seen.contains(&at) {
            seen.insert(at.clone());
            at.truncate(own);
            *read.entry(at).or_default() += 1;
        }
    }
    for at in Points::new(&tile.domain, most, &means.budget)? {
        let at = at?;
        // Reads are inside the tile, so equal counts mean equal sets.
        let here = read.get(&at).copied().unwrap_or_default();
        if here != tile.elements(&at)? {
            return Ok(Basis::Cover);
        }
    }
    Ok(Basis::Counted)
}

/// Proves that every element of every tile, by its index in each dimension, is read at some point with the same
/// parameters.
fn by_proof(
    elements: &IndexingMap,
    tile: &Tile,
    means: &Means<'_>,
) -> Result<Result<(), Reason>, ExprError> {
    let own = tile.domain.variables().len() as u32;
    let counter = |(number, side): (usize, &super::Side)| {
        let name = format!("k{number}");
        Variable::new(name, VariableKind::Dimension, Interval::of_size(side.size))
    };
    let as_dimension =
        |v: &Variable| Variable::new(v.name.clone(), VariableKind::Dimension, v.bounds);
    let parameters = tile.domain.variables().iter().map(as_dimension);
    let counters = tile.sides.iter().enumerate().map(counter);
    let mut from = Domain::new(parameters.chain(counters).collect());
    for condition in tile.domain.constraints() {
        from.constrain(&condition.expr, condition.bounds);
    }
    let mut wanted: Vec<Expr> = (0..own).map(VariableId).map(Expr::variable).collect();
    let mut target: Vec<Interval> = tile.domain.intervals().collect();
    for (number, side) in (own..).zip(&tile.sides) {
        let counter = Expr::variable(VariableId(number));
        let element = Expr::sum(0, [(1, side.offset.clone()), (side.stride, counter)])?;
        from.constrain(&element, side.within);
        if let Some(last) = &side.last {
            from.constrain(&last.sub(&element)?, Interval::new(0, PLUS_INFINITY));
        }
        wanted.push(element);
        target.push(side.within);
    }
    let results = parameter_places(elements).into_iter().chain(elements.results().iter().cloned());
    let map = IndexingMap::new(elements.domain().clone(), results.collect());
    all_read(&map, &from, &wanted, &target, &means.budget)
}
