//! A digit: bits of a value that move together.

use super::form::Source;
use crate::expr::{Expr, ExprError};

/// Bits of a source that move together.
#[derive(Clone, Copy)]
pub(super) struct Digit {
    pub(super) from: u32,
    pub(super) end: u32,
    /// Weight of the lowest bit.
    pub(super) weight: i64,
}

pub(super) fn power(exponent: u32) -> Result<i64, ExprError> {
    let power = 1_i64.checked_shl(exponent).filter(|power| *power > 0);
    power.ok_or(ExprError::Overflow)
}

/// Returns the weight of a digit, and its value as an expression extracted from the source.
pub(super) fn cut_digit(source: &Source, digit: &Digit) -> Result<(i64, Expr), ExprError> {
    let shifted = source.value.floordiv(power(digit.from)?)?;
    let value = match source.width == Some(digit.end) {
        true => shifted,
        false => shifted.modulo(power(digit.end - digit.from)?)?,
    };
    Ok((digit.weight, value))
}
