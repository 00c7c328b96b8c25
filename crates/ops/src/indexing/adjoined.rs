//! Merges maps of a union that have the same reads on neighbouring pieces of a domain.
//!
//! Law: the union of two maps that differ only in the interval of one variable or one constraint, with no integer between the
//! two intervals, is the map with their hull. A range variable that is a result by itself, up to a constant, is counted from
//! that constant on, so that neighbouring boxes of operand elements are joined as boxes of result elements are.

use super::reads::{Exactness, OperandMap};
use super::times::{Lost, Times};
use super::together::without_covered;
use affinor::expr::{Domain, Expr, ExprError, IndexingMap, VariableId, VariableKind};
use affinor::num::Interval;

/// A map, and the same map with the range variables of [`loose`].
struct Piece {
    map: OperandMap,
    loose: OperandMap,
}

impl Piece {
    fn of(map: OperandMap) -> Result<Piece, ExprError> {
        Ok(Piece { loose: loose(&map)?, map })
    }
}

/// Returns the same union with neighbouring maps merged.
pub(super) fn adjoined(times: &Times<'_>, maps: Vec<OperandMap>) -> Result<Vec<OperandMap>, Lost> {
    if maps.len() < 2 {
        return Ok(maps);
    }
    let mut left: Vec<Piece> = Vec::new();
    for map in without_covered(maps) {
        let mut piece = Piece::of(map)?;
        loop {
            times.fuel.spend(left.len() as u64).map_err(|_| Lost)?;
            let mut others = left.iter().enumerate();
            let joined = others
                .find_map(|(place, other)| Some((place, joined(&other.loose, &piece.loose)?)));
            let Some((place, whole)) = joined else {
                break;
            };
            left.remove(place);
            match times.tidied(&whole)? {
                Some(whole) => piece = Piece::of(whole)?,
                None => return Err(Lost), // unreachable: a union with a nonempty map is nonempty
            }
        }
        left.push(piece);
    }
    Ok(without_covered(left.into_iter().map(|piece| piece.map).collect()))
}

/// Merges two maps if they are neighbours.
fn joined(lhs: &OperandMap, rhs: &OperandMap) -> Option<OperandMap> {
    let (own, other) = (lhs.map.domain(), rhs.map.domain());
    let is_alike = lhs.runtime == rhs.runtime
        && same_exactness(lhs, rhs)
        && lhs.map.results() == rhs.map.results()
        && kinds(own).eq(kinds(other))
        && own.constraints().len() == other.constraints().len();
    is_alike.then_some(())?;
    let mut variables = own.variables().to_vec();
    let mut differing = 0;
    for (variable, bounds) in variables.iter_mut().zip(other.intervals()) {
        if variable.bounds != bounds {
            differing += 1;
            variable.bounds = hull(variable.bounds, bounds)?;
        }
    }
    let mut constraints = Vec::with_capacity(own.constraints().len());
    for (constraint, one) in own.constraints().iter().zip(other.constraints()) {
        (constraint.expr == one.expr).then_some(())?;
        let mut bounds = constraint.bounds;
        if bounds != one.bounds {
            differing += 1;
            bounds = hull(bounds, one.bounds)?;
        }
        constraints.push((&constraint.expr, bounds));
    }
    (differing <= 1).then_some(())?;
    let mut domain = Domain::new(variables);
    for (expr, bounds) in constraints {
        domain.constrain(expr, bounds);
    }
    let map = IndexingMap::new(domain, lhs.map.results().to_vec());
    Some(OperandMap { map, ..lhs.clone() })
}

/// Returns whether both maps are exact, or both are bounds for the same reason.
pub(super) fn same_exactness(lhs: &OperandMap, rhs: &OperandMap) -> bool {
    match (&lhs.exactness, &rhs.exactness) {
        (Exactness::Exact, Exactness::Exact) => true,
        (lhs, rhs) => lhs == rhs,
    }
}

fn kinds(domain: &Domain) -> impl Iterator<Item = VariableKind> {
    domain.variables().iter().map(|variable| variable.kind)
}

/// Returns the union of two intervals; `None` if it is not an interval.
fn hull(lhs: Interval, rhs: Interval) -> Option<Interval> {
    let touch = |below: Interval, above: Interval| above.lo() <= below.hi().saturating_add(1);
    (touch(lhs, rhs) && touch(rhs, lhs)).then(|| lhs.hull(rhs))
}

/// Returns the map with each range variable that is a result by itself, up to a constant, shifted to equal that result.
pub(super) fn loose(map: &OperandMap) -> Result<OperandMap, ExprError> {
    let old = map.map.domain();
    let mut shifts: Vec<i64> = vec![0; old.variables().len()];
    for result in map.map.results() {
        let free = result.variables();
        let Some(id) = free.iter().next().copied().filter(|_| free.len() == 1) else {
            continue;
        };
        let is_range = id.index() < old.variables().len()
            && old.variables()[id.index()].kind == VariableKind::Range;
        let shift = result.sub(&Expr::variable(id))?.as_constant();
        if let Some(shift) = shift.filter(|_| is_range && shifts[id.index()] == 0) {
            shifts[id.index()] = shift;
        }
    }
    if !map.runtime.is_empty() || shifts.iter().all(|shift| *shift == 0) {
        return Ok(map.clone());
    }
    let mut images = Vec::with_capacity(shifts.len());
    let mut variables = old.variables().to_vec();
    for (k, shift) in shifts.iter().enumerate() {
        images.push(Expr::sum(-shift, [(1, Expr::variable(VariableId(k as u32)))])?);
        variables[k].bounds = variables[k].bounds.add(Interval::point(*shift));
    }
    let mut domain = Domain::new(variables);
    for constraint in old.constraints() {
        domain.constrain(&constraint.expr.substitute(&images)?, constraint.bounds);
    }
    let results = map.map.results().iter().map(|result| result.substitute(&images));
    let map = OperandMap {
        map: IndexingMap::new(domain, results.collect::<Result<_, _>>()?),
        ..map.clone()
    };
    Ok(map)
}
