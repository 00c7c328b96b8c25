//! Elements spread along a line, as by interior padding and dilation.
//!
//! Law: element `i` of `count` is at position `stride * i`; every other position, before, between or after them, holds no
//! element.

use super::builder::Condition;
use affinor::expr::{Expr, ExprError};
use affinor::num::Interval;

/// Returns the number of positions from the first to the last element.
pub(super) fn extent(count: i64, stride: i128) -> i128 {
    match count {
        0 => 0,
        _ => (i128::from(count) - 1) * stride + 1,
    }
}

/// Returns the index of the element at a position that holds one.
pub(super) fn element_at(position: &Expr, stride: i64) -> Result<Expr, ExprError> {
    position.floordiv(stride)
}

/// Returns the conditions for a position to hold one of `count` elements; `None` if the last position is beyond 64 bits.
pub(super) fn holds(
    position: &Expr,
    count: i64,
    stride: i64,
) -> Result<Option<Vec<Condition>>, ExprError> {
    let Ok(last) = i64::try_from(extent(count, i128::from(stride)) - 1) else {
        return Ok(None);
    };
    let mut conditions = vec![(position.clone(), Interval::new(0, last))];
    if stride > 1 {
        conditions.push((position.modulo(stride)?, Interval::point(0)));
    }
    Ok(Some(conditions))
}
