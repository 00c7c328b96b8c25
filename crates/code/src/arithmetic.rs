//! Arithmetic on expressions with the semantics of code.

use super::cases::{Case, Limits, limit};
use super::functions::Division;
use affinor_maps::expr::{Expr, ExprError, IndexingMap};
use affinor_maps::num::Interval;

/// Returns the result of a map with the expressions `places` for its variables, limited to the map's bounds and constraints.
pub fn value_of(map: &IndexingMap, places: &[Expr]) -> Result<Case, ExprError> {
    let constraints = map.domain().constraints().iter();
    let limits = constraints.map(|c| limit(&c.expr.substitute(places)?, c.bounds));
    let bounds = places.iter().zip(map.domain().intervals());
    let limits = limits.chain(bounds.map(|(place, bounds)| limit(place, bounds)));
    let result = map.results().first().ok_or(ExprError::TooLarge)?;
    Ok(Case {
        limits: limits.collect::<Result<Limits, ExprError>>()?,
        value: result.substitute(places)?,
    })
}

pub fn constant(value: i64) -> Vec<Case> {
    vec![Case { limits: Limits::new(), value: Expr::constant(value) }]
}

/// Returns `x / y` for a `y` that is not 0; if it rounds toward zero, `x` must not be negative. A divisor that is not a constant
/// is assumed to be positive.
pub fn divide(x: &Expr, y: &Expr, division: Division) -> Result<Expr, ExprError> {
    let Some(divisor) = y.as_constant() else {
        return match division {
            Division::Floor | Division::Truncate => x.floordiv_by(y),
            Division::Ceil => x.ceildiv_by(y),
            Division::Mod | Division::Rest => x.modulo_by(y),
        };
    };
    let magnitude = divisor.checked_abs().ok_or(ExprError::Overflow)?;
    let dividend = if divisor < 0 { x.scale(-1)? } else { x.clone() };
    match division {
        Division::Floor | Division::Truncate => dividend.floordiv(magnitude),
        Division::Ceil => dividend.ceildiv(magnitude),
        Division::Mod | Division::Rest => x.modulo(divisor),
    }
}

/// Returns `x / y` rounded toward zero, for an `x` in `range`.
pub fn truncate(x: &Expr, y: &Expr, range: Interval) -> Result<Expr, ExprError> {
    if let Some(divisor) = y.as_constant().filter(|divisor| *divisor < 0) {
        let magnitude = divisor.checked_neg().ok_or(ExprError::Overflow)?;
        return truncate(x, &Expr::constant(magnitude), range)?.scale(-1);
    }
    let (down, up) = (divide(x, y, Division::Floor)?, divide(x, y, Division::Ceil)?);
    if range.lo() >= 0 {
        return Ok(down);
    }
    if range.hi() <= 0 {
        return Ok(up);
    }
    let zero = Expr::constant(0);
    Expr::max([down, zero.clone()])?.add(&Expr::min([up, zero])?)
}
