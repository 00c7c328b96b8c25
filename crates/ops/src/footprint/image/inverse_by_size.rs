//! The inverse of a map with parameters: a function for all their values.
//!
//! Law: a returned map was proved to be the inverse, from both maps alone: each takes the points of the other back. How it was
//! found does not matter ([`proposal`]).

use super::takes_back::takes_back;
use affinor::expr::{Domain, End, Expr, IndexingMap, Variable, VariableId, VariableKind, bounded};
use affinor::num::Interval;
use affinor::prove::{Budget, Reason, Verdict, Wanted, ends, proposal};

/// The reason why no inverse is returned.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NoInverse {
    /// The map's equations were not solved.
    #[error("its equations were not solved")]
    Unsolved,
    /// The candidates are not proved to be the inverse; has the first candidate, and the reason.
    #[error("the map found is not proved to be the inverse")]
    Unproved(Box<IndexingMap>, Option<Reason>),
}

/// Finds the inverse of a map without range and runtime variables. `simplify` preserves variables, domain and values.
///
/// # Errors
/// [`NoInverse`]; the map may still have an inverse.
pub fn inverse_by_size(
    map: &IndexingMap,
    simplify: &dyn Fn(&IndexingMap) -> IndexingMap,
    budget: &Budget,
) -> Result<IndexingMap, NoInverse> {
    let [loose, tight] = candidates(map, budget).ok_or(NoInverse::Unsolved)?;
    let mut first = None;
    for candidate in [loose, tight] {
        let candidate = simplify(&candidate);
        match is_inverse(map, &candidate, budget) {
            Ok(()) => return Ok(candidate),
            Err(reason) => {
                let stop = reason == Some(Reason::Interrupted);
                first.get_or_insert((candidate, reason));
                if stop {
                    break;
                }
            }
        }
    }
    match first {
        Some((candidate, reason)) => Err(NoInverse::Unproved(Box::new(candidate), reason)),
        None => Err(NoInverse::Unsolved),
    }
}

/// Checks that `candidate` is the inverse of `map`. The error is the reason why this is not proved, or `None` if it is refuted.
fn is_inverse(
    map: &IndexingMap,
    candidate: &IndexingMap,
    budget: &Budget,
) -> Result<(), Option<Reason>> {
    for (first, second) in [(map, candidate), (candidate, map)] {
        match takes_back(first, second, budget).map(|(verdict, _)| verdict) {
            Ok(Verdict::Proved) => {}
            Ok(Verdict::Unknown(reason)) => return Err(Some(reason)),
            Ok(Verdict::Refuted(_)) | Err(_) => return Err(None),
        }
    }
    Ok(())
}

/// Returns two candidate maps from the results back: on the box that contains the results, and on the points of that box that
/// are taken back.
fn candidates(map: &IndexingMap, budget: &Budget) -> Option<[IndexingMap; 2]> {
    let domain = map.domain();
    let own = domain.variables().len() as u32;
    let rank = map.results().len() as u32;
    let targets = || (own..own + rank).map(VariableId).map(Expr::variable);
    let solved = proposal(&Wanted {
        domain,
        is_unknown: &|id| !domain.is_parameter(id),
        equations: map.results().iter().cloned().zip(targets()).collect(),
        free: own + rank,
        may_overlap: false,
    })?;
    // Translates the numbers of all these variables to those of the inverse.
    let dimensions = domain.count(VariableKind::Dimension) as u32;
    let parameters = domain.ids(VariableKind::Parameter);
    let variable = |id: u32| Expr::variable(VariableId(id));
    let places: Vec<Expr> = (0..own + rank)
        .map(|id| match id {
            id if id < dimensions => Expr::constant(0), // solved for
            id if id < own => variable(id - dimensions + rank),
            id => variable(id - own),
        })
        .collect();
    let back: Option<Vec<Expr>> = solved.iter().map(|x| x.substitute(&places).ok()).collect();
    let back = back?;
    let intervals = map.ranges();
    let named = |place: usize| format!("d{place}");
    let coordinates = intervals.iter().enumerate();
    let coordinates =
        coordinates.map(|(place, own)| Variable::new(named(place), VariableKind::Dimension, *own));
    let parameters = parameters.map(|id| domain.variables()[id.index()].clone());
    let mut inside = Domain::new(coordinates.chain(parameters).collect());
    if domain.is_known_empty() {
        inside.make_empty();
    }
    // Adds the map's constraints on parameters alone.
    for constraint in domain.constraints() {
        if constraint.expr.variables().iter().all(|id| domain.is_parameter(*id)) {
            inside.constrain(&constraint.expr.substitute(&places).ok()?, constraint.bounds);
        }
    }
    for (place, found) in (0..).zip(ends(map, &intervals, budget)) {
        let stated = stated(domain, &map.results()[place as usize]);
        for ((end, found), stated) in [End::Lower, End::Upper].into_iter().zip(found).zip(stated) {
            if let Some(bound) = stated.or(found) {
                let bound = bound.substitute(&places).ok()?;
                let (expr, bounds) = bounded(&variable(place), end, &bound).ok()?;
                inside.constrain(&expr, bounds);
            }
        }
    }
    let results = back[..dimensions as usize].to_vec();
    let loose = IndexingMap::new(inside.clone(), results.clone());
    for (place, own) in back.iter().zip(domain.variables()) {
        inside.constrain(place, own.bounds);
    }
    for constraint in domain.constraints() {
        inside.constrain(&constraint.expr.substitute(&back).ok()?, constraint.bounds);
    }
    for (place, result) in (0..).zip(map.results()) {
        let difference = result.substitute(&back).ok()?.sub(&variable(place)).ok()?;
        inside.constrain(&difference, Interval::point(0));
    }
    Some([loose, IndexingMap::new(inside, results)])
}

/// Returns the bounds of `expr` that a domain states in terms of parameters.
pub(crate) fn stated(domain: &Domain, expr: &Expr) -> [Option<Expr>; 2] {
    let mut found = [None, None];
    for constraint in domain.constraints() {
        let Ok(rest) = constraint.expr.sub(expr) else {
            continue;
        };
        let bounds = constraint.bounds;
        if rest.variables().iter().all(|id| domain.is_parameter(*id)) {
            for (place, (end, number)) in
                [(End::Lower, bounds.lo()), (End::Upper, bounds.hi())].into_iter().enumerate()
            {
                if number != end.infinity() {
                    found[place] = Expr::constant(number).sub(&rest).ok();
                }
            }
        }
    }
    found
}
