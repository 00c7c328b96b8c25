//! Operations on bits, as sums of remainders and quotients.
//!
//! Law: integers are in two's complement, with as many bits as are needed, so the bit `k` of `x` is `x floordiv 2^k mod 2`,
//! also of a negative `x`. Bits of a sum that no two summands share add up; `x ^ y = x + y - 2 * (x & y)` and
//! `x | y = x + y - (x & y)`. The bits that two values share are the minima of their bits.

use affinor::expr::{Expr, ExprError, ExprKind};
use affinor::num::Interval;

/// Most bits that two variable values may share.
const MAX_SHARED: u32 = 16;

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

/// A value with its bounds.
#[derive(Clone, Copy, Debug)]
pub struct Bits<'a> {
    /// The value.
    pub value: &'a Expr,
    /// An interval that contains it at every point.
    pub range: Interval,
}

impl Bits<'_> {
    /// The number of zeros at its end, and of bits up to the last 1; `None` if it has no last.
    fn extent(&self) -> (u32, Option<u32>) {
        let length = (self.range.lo() >= 0 && self.range.is_bounded())
            .then(|| i64::BITS - self.range.hi().leading_zeros());
        (zeros(self.value), length)
    }
}

/// `x & y`
///
/// # Errors
/// Why no expression says it.
pub fn and(x: &Bits, y: &Bits) -> Result<Expr, NoBits> {
    match (x.value.as_constant(), y.value.as_constant()) {
        (Some(x), Some(y)) => Ok(Expr::constant(x & y)),
        (None, Some(mask)) | (Some(mask), None) => {
            let value = if x.value.as_constant().is_some() { y.value } else { x.value };
            Ok(masked(value, mask)?)
        }
        (None, None) => shared(x, y),
    }
}

/// `x | y`
///
/// # Errors
/// Why no expression says it.
pub fn or(x: &Bits, y: &Bits) -> Result<Expr, NoBits> {
    Ok(x.value.add(y.value)?.sub(&common(x, y)?)?)
}

/// `x ^ y`
///
/// # Errors
/// Why no expression says it.
pub fn xor(x: &Bits, y: &Bits) -> Result<Expr, NoBits> {
    Ok(Expr::sum(0, [(1, x.value.clone()), (1, y.value.clone()), (-2, common(x, y)?)])?)
}

/// The bits of both; of a constant these are known whatever its bits are.
fn common(x: &Bits, y: &Bits) -> Result<Expr, NoBits> {
    match (x.value.as_constant(), y.value.as_constant()) {
        (Some(x), Some(y)) => Ok(Expr::constant(x & y)),
        (None, Some(mask)) => Ok(masked(x.value, mask)?),
        (Some(mask), None) => Ok(masked(y.value, mask)?),
        (None, None) => shared(x, y),
    }
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

/// The bits of both, one by one.
fn shared(x: &Bits, y: &Bits) -> Result<Expr, NoBits> {
    let ((x_first, x_end), (y_first, y_end)) = (x.extent(), y.extent());
    let first = x_first.max(y_first);
    if x.value == y.value {
        return Ok(x.value.clone());
    }
    let end = match (x_end, y_end) {
        (Some(x), Some(y)) => x.min(y),
        (Some(end), None) | (None, Some(end)) => end,
        (None, None) => return Err(NoBits::Unbounded),
    };
    if end <= first {
        return Ok(Expr::constant(0));
    }
    if end - first > MAX_SHARED {
        return Err(NoBits::Unbounded);
    }
    let bit = |value: &Bits, extent: Option<u32>, k: u32| -> Result<Expr, ExprError> {
        let shifted = value.value.floordiv(1 << k)?;
        match extent == Some(k + 1) {
            true => Ok(shifted), // the last bit
            false => shifted.modulo(2),
        }
    };
    let mut terms = Vec::new();
    for k in first..end {
        let bits = [bit(x, x_end, k)?, bit(y, y_end, k)?];
        terms.push((1i64 << k, Expr::min(bits)?));
    }
    Ok(Expr::sum(0, terms)?)
}

/// The number of zeros at the end of every value.
fn zeros(expr: &Expr) -> u32 {
    match expr.kind() {
        ExprKind::Constant(value) => value.trailing_zeros(),
        ExprKind::Sum(sum) => {
            let of_term = |(c, x): &(i64, Expr)| c.trailing_zeros() + zeros(x);
            let terms = sum.terms().iter().map(of_term).min().unwrap_or(0);
            terms.min(sum.constant().trailing_zeros())
        }
        ExprKind::Product(factors) => factors.iter().map(zeros).sum(),
        ExprKind::Mod(x, divisor) => {
            let of_divisor = divisor.as_integer().map_or(0, i64::trailing_zeros);
            zeros(x).min(of_divisor)
        }
        ExprKind::FloorDiv(x, divisor) => match divisor.as_integer() {
            // Exact where the divisor is a power of two that divides.
            Some(c) if c.count_ones() == 1 => zeros(x).saturating_sub(c.trailing_zeros()),
            _ => 0,
        },
        ExprKind::Min(list) | ExprKind::Max(list) => list.iter().map(zeros).min().unwrap_or(0),
        _ => 0,
    }
}
