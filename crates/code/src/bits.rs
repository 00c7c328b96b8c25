//! Operations on bits.
//!
//! Law: integers are in two's complement, with as many bits as are needed. With a constant they are sums: `x & mask` is the
//! digits of `x` where the mask has ones, `x ^ c = x + c - 2 * (x & c)` and `x | c = x + c - (x & c)`. Of two variable
//! values each bit is a sum modulo 2, a minimum or a maximum of their bits.

use affinor::expr::{BitForm, Expr, ExprError};
use affinor::num::Interval;

/// Why there is no such expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoBits {
    /// Neither value is known to have few bits.
    Unbounded,
    /// A number does not fit.
    Expr(ExprError),
}

impl From<ExprError> for NoBits {
    fn from(error: ExprError) -> NoBits {
        NoBits::Expr(error)
    }
}

/// A value, and the bounds of its parts.
#[derive(Clone, Copy)]
pub struct Bits<'a> {
    /// The value.
    pub value: &'a Expr,
    /// An interval that contains an expression at every point.
    pub range: &'a dyn Fn(&Expr) -> Interval,
}

/// `x & y`
///
/// # Errors
/// Why no expression says it.
pub fn and(x: &Bits, y: &Bits) -> Result<Expr, NoBits> {
    match Operands::of(x, y) {
        Operands::Constants(x, y) => Ok(Expr::constant(x & y)),
        Operands::Mask(value, mask) => Ok(masked(value, mask)?),
        Operands::Values => bitwise(x, y, BitForm::and),
    }
}

/// `x | y`
///
/// # Errors
/// Why no expression says it.
pub fn or(x: &Bits, y: &Bits) -> Result<Expr, NoBits> {
    match Operands::of(x, y) {
        Operands::Constants(x, y) => Ok(Expr::constant(x | y)),
        Operands::Mask(value, mask) => {
            Ok(Expr::sum(mask, [(1, value.clone()), (-1, masked(value, mask)?)])?)
        }
        Operands::Values => bitwise(x, y, BitForm::or),
    }
}

/// `x ^ y`
///
/// # Errors
/// Why no expression says it.
pub fn xor(x: &Bits, y: &Bits) -> Result<Expr, NoBits> {
    match Operands::of(x, y) {
        Operands::Constants(x, y) => Ok(Expr::constant(x ^ y)),
        Operands::Mask(value, mask) => {
            Ok(Expr::sum(mask, [(1, value.clone()), (-2, masked(value, mask)?)])?)
        }
        Operands::Values => bitwise(x, y, BitForm::xor),
    }
}

/// Which of two operands are constants.
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

/// `value & mask`: for each run of ones the digit of the value there, at its place.
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
