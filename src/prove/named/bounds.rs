//! The constraints of a domain on one variable, and points of it.

use super::Draws;
use crate::expr::{Domain, End, Expr, ExprKind, VariableId};

/// The number of points wanted.
const POINTS: usize = 24;

/// The maximum number of draws to find these.
const DRAWS: usize = 200;

/// Returns some points of a domain, those with small parameters first.
#[must_use]
pub fn sized_points(domain: &Domain) -> Vec<Vec<i64>> {
    let mut draws = Draws::new(domain);
    let drawn = (0..DRAWS).filter_map(|_| draws.draw());
    drawn.take(POINTS).collect()
}

/// Returns the lower and the upper bounds that a domain states for a variable, in terms of variables for which `is_given` holds.
#[must_use]
pub fn ends_of(
    domain: &Domain,
    id: VariableId,
    is_given: &dyn Fn(VariableId) -> bool,
) -> [Vec<Expr>; 2] {
    let mut found = [Vec::new(), Vec::new()];
    let bounds = domain.bounds(id);
    let ends = [(End::Lower, bounds.lo()), (End::Upper, bounds.hi())];
    for (place, (end, number)) in ends.into_iter().enumerate() {
        if number != end.infinity() {
            found[place].push(Expr::constant(number));
        }
    }
    for constraint in domain.constraints() {
        let ExprKind::Sum(sum) = constraint.expr.kind() else {
            continue;
        };
        let (own, others): (Vec<_>, Vec<_>) =
            sum.terms().iter().cloned().partition(|(_, term)| term.variables().contains(&id));
        let [(factor @ (1 | -1), term)] = own.as_slice() else {
            continue;
        };
        let mut used = others.iter().flat_map(|(_, term)| term.variables());
        if term.as_variable() != Some(id) || !used.all(is_given) {
            continue;
        }
        let Ok(rest) = Expr::sum(sum.constant(), others) else {
            continue;
        };
        let bounds = constraint.bounds;
        for (end, number) in [(End::Lower, bounds.lo()), (End::Upper, bounds.hi())] {
            let place = usize::from((end == End::Upper) == (*factor > 0));
            let room = Expr::constant(number).sub(&rest);
            if let (true, Ok(room)) = (number != end.infinity(), room)
                && let Ok(room) = room.scale(*factor)
            {
                found[place].push(room);
            }
        }
    }
    found
}
