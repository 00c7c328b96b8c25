//! Choices that are minima or maxima.
//!
//! Law: `x if c else y` is `max(x, y)` if `x >= y` wherever `c` holds and `x <= y` wherever it does not. Both are shown by
//! intervals, and by the condition itself: `p >= a` implies `q >= b` if `q - p >= b - a` on the whole domain.

use super::cases::Limit;
use affinor_maps::expr::{Expr, ExprError, ExprKind, VariableId, interval_of};
use affinor_maps::num::{Interval, MINUS_INFINITY, PLUS_INFINITY};

type Bounds<'a> = &'a dyn Fn(VariableId) -> Interval;

/// Returns the choice of `x` where the limit holds and of `y` elsewhere as a minimum or maximum, if it is shown to be either.
pub fn as_min_or_max(
    limit: &Limit,
    x: &Expr,
    y: &Expr,
    bounds: Bounds,
) -> Result<Option<Expr>, ExprError> {
    // The condition as `p >= 0`, and its negation as `-p - 1 >= 0`.
    let condition = match (limit.bounds.lo(), limit.bounds.hi()) {
        (MINUS_INFINITY, hi) if hi != PLUS_INFINITY => Expr::sum(hi, [(-1, limit.expr.clone())])?,
        (lo, PLUS_INFINITY) if lo != MINUS_INFINITY => {
            let lo = lo.checked_neg().ok_or(ExprError::Overflow)?;
            Expr::sum(lo, [(1, limit.expr.clone())])?
        }
        _ => return Ok(None),
    };
    let negation = Expr::sum(-1, [(-1, condition.clone())])?;
    if is_less(&condition, y, x, bounds)? && is_less(&negation, x, y, bounds)? {
        return Expr::max([x.clone(), y.clone()]).map(Some);
    }
    if is_less(&condition, x, y, bounds)? && is_less(&negation, y, x, bounds)? {
        return Expr::min([x.clone(), y.clone()]).map(Some);
    }
    Ok(None)
}

/// Returns whether `lesser <= greater` is shown to hold wherever `condition >= 0`.
fn is_less(
    condition: &Expr,
    lesser: &Expr,
    greater: &Expr,
    bounds: Bounds,
) -> Result<bool, ExprError> {
    match (lesser.kind(), greater.kind()) {
        (ExprKind::Max(list), _) => all(list, |part| is_less(condition, part, greater, bounds)),
        (_, ExprKind::Min(list)) => all(list, |part| is_less(condition, lesser, part, bounds)),
        (ExprKind::Min(list), _) => any(list, |part| is_less(condition, part, greater, bounds)),
        (_, ExprKind::Max(list)) => any(list, |part| is_less(condition, lesser, part, bounds)),
        _ => {
            let difference = greater.sub(lesser)?;
            let is_nonnegative = |expr: &Expr| interval_of(expr, bounds).lo() >= 0;
            Ok(is_nonnegative(&difference) || is_nonnegative(&difference.sub(condition)?))
        }
    }
}

fn all(list: &[Expr], holds: impl Fn(&Expr) -> Result<bool, ExprError>) -> Result<bool, ExprError> {
    list.iter().try_fold(true, |held, part| Ok(held && holds(part)?))
}

fn any(list: &[Expr], holds: impl Fn(&Expr) -> Result<bool, ExprError>) -> Result<bool, ExprError> {
    list.iter().try_fold(false, |held, part| Ok(held || holds(part)?))
}
