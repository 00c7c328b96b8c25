//! Conditions on tile numbers that are necessary for a tile to read anything.
//!
//! Law: a tile that reads something satisfies every condition. The converse need not hold: whether a tile is read is decided by
//! `exactness`.

use super::extremes::{End, Locals};
use affinor::expr::{Domain, Expr, ExprError};
use affinor::num::{Interval, MINUS_INFINITY, PLUS_INFINITY};

/// Adds to `parameters`, the domain of a tile, the conditions implied by the constraints of the map at elements: a
/// constraint holds for some values of the local variables only if its least value is not above its bounds, nor its
/// greatest below. `places` has the variable of `parameters` for each variable of the map that is not local.
pub(super) fn add(
    parameters: &mut Domain,
    locals: &Locals<'_>,
    places: &[Expr],
) -> Result<(), ExprError> {
    for constraint in locals.domain.constraints() {
        let bounds = constraint.bounds;
        let ends = [
            (End::Least, Interval::new(MINUS_INFINITY, bounds.hi())),
            (End::Greatest, Interval::new(bounds.lo(), PLUS_INFINITY)),
        ];
        for (end, bounds) in ends {
            let extreme = locals.extreme(&constraint.expr, end)?;
            parameters.constrain(&extreme.substitute(places)?, bounds);
        }
    }
    Ok(())
}
