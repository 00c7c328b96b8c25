//! Bitwise operations.
//!
//! Law: integers are in two's complement, with as many bits as needed. Operations with a constant become sums: `x & mask`
//! consists of the digits of `x` at the ones of the mask, `x ^ c = x + c - 2 * (x & c)` and `x | c = x + c - (x & c)`. For two
//! variable operands, each bit of the result is the sum modulo 2, the minimum or the maximum of the operands' bits.

use affinor::expr::{BitForm, Expr, ExprError};
use affinor::num::Interval;

/// The reason why an operation has no expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoBits {
    /// Neither operand is known to have few bits.
    Unbounded,
    /// An expression cannot be built.
    Expr(ExprError),
}

impl From<ExprError> for NoBits {
    fn from(error: ExprError) -> NoBits {
        NoBits::Expr(error)
    }
}

/// An operand, with the bounds of its subexpressions.
#[derive(Clone, Copy)]
pub struct Bits<'a> {
    /// The value.
    pub value: &'a Expr,
    /// Maps an expression to an interval that contains all its values.
    pub range: &'a dyn Fn(&Expr) -> Interval,
}

/// Returns `x & y`.
///
/// # Errors
/// [`NoBits`] if no expression represents the result.
pub fn and(x: &Bits, y: &Bits) -> Result<Expr, NoBits> {
    match Operands::of(x, y) {
        Operands::Constants(x, y) => Ok(Expr::constant(x & y)),
        Operands::Mask(value, mask) => Ok(masked(value, mask)?),
        Operands::Values => bitwise(x, y, BitForm::and),
    }
}

/// Returns `x | y`.
///
/// # Errors
/// [`NoBits`] if no expression represents the result.
pub fn or(x: &Bits, y: &Bits) -> Result<Expr, NoBits> {
    match Operands::of(x, y) {
        Operands::Constants(x, y) => Ok(Expr::constant(x | y)),
        Operands::Mask(value, mask) => {
            Ok(Expr::sum(mask, [(1, value.clone()), (-1, masked(value, mask)?)])?)
        }
        Operands::Values => bitwise(x, y, BitForm::or),
    }
}

/// Returns `x ^ y`.
///
/// # Errors
/// [`NoBits`] if no expression represents the result.
pub fn xor(x: &Bits, y: &Bits) -> Result<Expr, NoBits> {
    match Operands::of(x, y) {
        Operands::Constants(x, y) => Ok(Expr::constant(x ^ y)),
        Operands::Mask(value, mask) => {
            Ok(Expr::sum(mask, [(1, value.clone()), (-2, masked(value, mask)?)])?)
        }
        Operands::Values => bitwise(x, y, BitForm::xor),
    }
}

/// The operands of an operation, by which of them are constants.
enum Operands<'a> {
    Constants(i64, i64),
    Mask(&'a Expr, i64),
    Values,
}

impl<'a> Operands<'a> {
    fn of(x: &Bits<'a>, y: &Bits<'a>) -> Operands<'a> {
        match (x.value.as_constant(), y.value.as_constant()) {
            (Some(x), Some(y)) => Operands::Constants(x, y),
            (None, Some(mask)) => Operands::Mask(x.value, mask),
            (Some(mask), None) => Operands::Mask(y.value, mask),
            (None, None) => Operands::Values,
        }
    }
}

type Operation = fn(&BitForm, &BitForm) -> Result<Option<BitForm>, ExprError>;

fn bitwise(x: &Bits, y: &Bits, operation: Operation) -> Result<Expr, NoBits> {
    let form = |bits: &Bits| BitForm::of(bits.value, bits.range);
    operation(&form(x), &form(y))?.ok_or(NoBits::Unbounded)?.to_expr().map_err(NoBits::Expr)
}

/// Returns `value & mask`: for each run of ones in the mask, the digits of the value at these bits, in place.
fn masked(value: &Expr, mask: i64) -> Result<Expr, ExprError> {
    let power = |bits: u32| {
        let power = 1i64.checked_shl(bits).filter(|power| *power > 0);
        power.ok_or(ExprError::Overflow)
    };
    let mut terms = Vec::new();
    let mut at = 0;
    while at < i64::BITS && mask >> at != 0 {
        let start = at + (mask >> at).trailing_zeros();
        let run = mask >> start;
        if run == -1 {
            let whole = match start {
                0 => value.clone(),
                _ => value.floordiv(power(start)?)?,
            };
            terms.push((power(start)?, whole));
            break;
        }
        let digit = value.floordiv(power(start)?)?.modulo(power(run.trailing_ones())?)?;
        terms.push((power(start)?, digit));
        at = start + run.trailing_ones();
    }
    Expr::sum(0, terms)
}
