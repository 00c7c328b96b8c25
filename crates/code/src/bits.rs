//! Bitwise operations.
//!
//! Law: integers are in two's complement, with as many bits as needed. Operations with a constant become sums: `x & mask`
//! consists of the digits of `x` at the ones of the mask, `x ^ c = x + c - 2 * (x & c)` and `x | c = x + c - (x & c)`. For two
//! variable operands, each bit of the result is the sum modulo 2, the minimum or the maximum of the operands' bits. For operands in
//! `[-2^w, 2^w)`, bit w is the sign: it counts as `-2^w`.

use affinor_maps::expr::{BitForm, Expr, ExprError};
use affinor_maps::num::Interval;

/// The reason why an operation has no expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoBits {
    /// Neither operand is known to be nonnegative and to have few bits, and not both are bounded.
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
        Operands::Same(value) => Ok(value.clone()),
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
        Operands::Same(value) => Ok(value.clone()),
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
        Operands::Same(_) => Ok(Expr::constant(0)),
        Operands::Values => bitwise(x, y, BitForm::xor),
    }
}

/// The operands of an operation, by which of them are constants.
enum Operands<'a> {
    Constants(i64, i64),
    Mask(&'a Expr, i64),
    /// One value twice.
    Same(&'a Expr),
    Values,
}

impl<'a> Operands<'a> {
    fn of(x: &Bits<'a>, y: &Bits<'a>) -> Operands<'a> {
        match (x.value.as_constant(), y.value.as_constant()) {
            (Some(x), Some(y)) => Operands::Constants(x, y),
            (None, Some(mask)) => Operands::Mask(x.value, mask),
            (Some(mask), None) => Operands::Mask(y.value, mask),
            (None, None) if x.value == y.value => Operands::Same(x.value),
            (None, None) => Operands::Values,
        }
    }
}

type Operation = fn(&BitForm, &BitForm) -> Result<Option<BitForm>, ExprError>;

fn bitwise(x: &Bits, y: &Bits, operation: Operation) -> Result<Expr, NoBits> {
    let apply = |x: &Expr, y: &Expr, range: &dyn Fn(&Expr) -> Interval| {
        let found = operation(&BitForm::of(x, range), &BitForm::of(y, range))?;
        found.map(|form| form.to_expr()).transpose()
    };
    if let Some(found) = apply(x.value, y.value, x.range)? {
        return Ok(found);
    }
    let width = width(x).zip(width(y)).ok_or(NoBits::Unbounded)?;
    let sign = power(width.0.max(width.1)).map_err(|_| NoBits::Unbounded)?;
    let below = apply(&x.value.modulo(sign)?, &y.value.modulo(sign)?, x.range)?;
    let bit = |value: &Expr| value.floordiv(sign)?.modulo(2);
    let signs = apply(&bit(x.value)?, &bit(y.value)?, x.range)?;
    let (below, signs) = below.zip(signs).ok_or(NoBits::Unbounded)?;
    Ok(Expr::sum(0, [(1, below), (-sign, signs)])?)
}

/// Returns the smallest w such that the value is in `[-2^w, 2^w)`, if the value is bounded.
fn width(bits: &Bits) -> Option<u32> {
    let range = (bits.range)(bits.value);
    let digits = |end: i64| i64::BITS - (end ^ (end >> 63)).leading_zeros();
    range.is_bounded().then(|| digits(range.lo()).max(digits(range.hi())))
}

fn power(bits: u32) -> Result<i64, ExprError> {
    let power = 1i64.checked_shl(bits).filter(|power| *power > 0);
    power.ok_or(ExprError::Overflow)
}

/// Returns `value & mask`: for each run of ones in the mask, the digits of the value at these bits, in place.
fn masked(value: &Expr, mask: i64) -> Result<Expr, ExprError> {
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
