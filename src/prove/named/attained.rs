//! Whether a bound of a result, in terms of parameters, is attained for all parameter values for which the domain has a point.
//!
//! Law: it is if some point in terms of the parameters alone is in the domain whenever the domain is not empty, and has the
//! bound as its result. Any such point will do.

use super::bounds::ends_of;
use super::extends;
use super::solve::{Wanted, proposal};
use crate::expr::{Domain, End, Expr, ExprKind, IndexingMap, VariableId};
use crate::prove::Budget;
use std::collections::BTreeSet;

/// Returns whether result `number` of `map` is proved to attain `bound`, an expression over parameters.
#[must_use]
pub fn is_attained(map: &IndexingMap, number: usize, bound: &Expr, budget: &Budget) -> bool {
    let Some(result) = map.results().get(number) else {
        return false;
    };
    let wanted = IndexingMap::new(map.domain().clone(), vec![bound.clone()]);
    let one = IndexingMap::new(map.domain().clone(), vec![result.clone()]);
    let mut tried: Vec<Vec<Expr>> = Vec::new();
    for places in [
        solved(map.domain(), result, bound),
        corner(map.domain(), result, End::Lower),
        corner(map.domain(), result, End::Upper),
    ] {
        let Some(places) = places.filter(|places| !tried.contains(places)) else {
            continue;
        };
        if let Some(there) = one.over(map.domain(), &places)
            && extends(&there, &wanted, budget).is_ok()
        {
            return true;
        }
        tried.push(places);
    }
    false
}

/// Returns values of the variables for which the result is the bound.
fn solved(domain: &Domain, result: &Expr, bound: &Expr) -> Option<Vec<Expr>> {
    proposal(&Wanted {
        domain,
        is_unknown: &|id| !domain.is_parameter(id),
        equations: vec![(result.clone(), bound.clone())],
        free: domain.variables().len() as u32,
        may_overlap: true,
    })
}

/// Returns the corner of the variables' box at which a sum is extreme, if it is monotonic in the variables of its terms.
fn corner(domain: &Domain, of: &Expr, end: End) -> Option<Vec<Expr>> {
    let falling: BTreeSet<VariableId> = match of.kind() {
        ExprKind::Sum(sum) => {
            let falling = sum.terms().iter().filter(|(factor, _)| *factor < 0);
            falling.flat_map(|(_, term)| term.variables()).collect()
        }
        _ => BTreeSet::new(),
    };
    let ids = (0..domain.variables().len() as u32).map(VariableId);
    let place = |id: VariableId| {
        if domain.is_parameter(id) {
            return Some(Expr::variable(id));
        }
        let end = if falling.contains(&id) { end.other() } else { end };
        let ends = ends_of(domain, id, &|other| domain.is_parameter(other));
        let ends = ends[usize::from(end == End::Upper)].clone();
        match (ends.is_empty(), end) {
            (true, _) => None,
            (false, End::Lower) => Expr::max(ends).ok(),
            (false, End::Upper) => Expr::min(ends).ok(),
        }
    };
    ids.map(place).collect()
}
