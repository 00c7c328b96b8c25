//! Maps an index of a CuTe layout to its offset.
//!
//! Law: `base + sum over leaves of stride * digit`, then, under `Swizzle<B,M,S>`, for each of the B bits: bit `z` becomes `(z
//! + y) mod 2`, where `z` and `y` are `|S|` places apart.

use super::mode::{Mode, Swizzle};
use affinor::expr::{Domain, Expr, ExprError, IndexingMap, Variable, VariableId, VariableKind};
use affinor::num::Interval;
use affinor::text::{Error, ErrorKind};

/// Bounds of the offsets of a layout.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Offsets {
    /// An interval that contains every offset.
    pub interval: Interval,
    /// Whether both bounds are tight.
    pub are_met: bool,
}

pub(super) fn map(
    modes: &[Mode],
    base: i64,
    swizzle: Option<Swizzle>,
) -> Result<IndexingMap, Error> {
    let mut variables = Vec::with_capacity(modes.len());
    let mut terms = Vec::new();
    for (number, mode) in modes.iter().enumerate() {
        let size = mode.size().ok_or_else(overflow)?;
        let bounds = Interval::of_size(size);
        let name = format!("d{number}");
        variables.push(Variable::new(name, VariableKind::Dimension, bounds));
        let index = Expr::variable(VariableId(number as u32));
        let digits = digits(mode, &index).map_err(|_| overflow())?;
        terms.extend(digits);
    }
    finished(Domain::new(variables), base, terms, swizzle).ok_or_else(overflow)
}

/// Returns the map of an element number in `bounds`, which may exceed the last element.
pub(super) fn line(
    modes: &[Mode],
    base: i64,
    swizzle: Option<Swizzle>,
    bounds: Interval,
) -> Result<IndexingMap, Error> {
    let variable = Variable::new("d0", VariableKind::Dimension, bounds);
    let all = Mode::Nested(modes.to_vec());
    let digits = digits(&all, &Expr::variable(VariableId(0))).map_err(|_| overflow())?;
    finished(Domain::new(vec![variable]), base, digits, swizzle).ok_or_else(overflow)
}

fn overflow() -> Error {
    let message = "the layout has a size or an offset beyond 64 bits";
    Error::without_span(ErrorKind::Overflow, message)
}

/// Builds the map of a sum under a swizzle; an error if a part of the sum exceeds 64 bits, even if the sum does not.
fn finished(
    domain: Domain,
    base: i64,
    terms: Vec<(i64, Expr)>,
    swizzle: Option<Swizzle>,
) -> Option<IndexingMap> {
    let offset = Expr::sum(base, terms).ok()?;
    let offset = match swizzle {
        Some(swizzle) => swizzled(&offset, swizzle).ok()?,
        None => offset,
    };
    let is_bounded = domain.range_of(&offset).is_bounded();
    is_bounded.then(|| IndexingMap::new(domain, vec![offset]))
}

/// Maximum number of offsets that are swizzled one by one to find the bounds.
const MAX_SWIZZLED: i64 = 1 << 20;

/// Computes the bounds of the offsets; `None` if one does not fit.
///
/// Digits are independent, so the bounds of their sum are tight. A swizzle keeps an offset in its block of `2^n`, where
/// `n` is one above the highest bit involved; the bounds within blocks are found by enumeration.
pub(super) fn between(modes: &[Mode], base: i64, swizzle: Option<Swizzle>) -> Option<Offsets> {
    let leaves: Vec<(i64, i64)> = modes.iter().flat_map(Mode::leaves).collect();
    let (mut lo, mut hi, mut count) = (base, base, Some(1_i64));
    for (size, stride) in &leaves {
        let last = stride.checked_mul(size - 1)?;
        lo = lo.checked_add(last.min(0))?;
        hi = hi.checked_add(last.max(0))?;
        count = count.and_then(|count| count.checked_mul(*size));
    }
    let plain = Offsets { interval: Interval::new(lo, hi), are_met: true };
    let Some(swizzle) = swizzle.filter(|swizzle| swizzle.bits > 0) else {
        return Some(plain);
    };
    if count.is_none_or(|count| count > MAX_SWIZZLED) {
        let block = swizzle.base + swizzle.shift.unsigned_abs() + swizzle.bits;
        let inside = 1_i64.checked_shl(block).filter(|size| *size > 0)? - 1;
        return Some(Offsets {
            interval: Interval::new(lo & !inside, hi | inside),
            are_met: false,
        });
    }
    let mut digits = vec![0_i64; leaves.len()];
    let mut offset = base;
    let (mut lo, mut hi) = (i64::MAX, i64::MIN);
    loop {
        let swizzled = swizzle.of(offset);
        (lo, hi) = (lo.min(swizzled), hi.max(swizzled));
        // Advances the index like an odometer.
        let mut advanced = false;
        for (digit, (size, stride)) in digits.iter_mut().zip(&leaves) {
            if *digit + 1 < *size {
                *digit += 1;
                offset += stride;
                advanced = true;
                break;
            }
            offset -= stride * *digit; // between the ends above
            *digit = 0;
        }
        if !advanced {
            return Some(Offsets { interval: Interval::new(lo, hi), are_met: true });
        }
    }
}

/// Returns, for each leaf of a mode, its stride and its digit of the mode's index.
fn digits(mode: &Mode, index: &Expr) -> Result<Vec<(i64, Expr)>, ExprError> {
    let leaves = mode.leaves();
    let mut unit = 1_i64;
    let mut digits = Vec::with_capacity(leaves.len());
    for (number, (size, stride)) in leaves.iter().enumerate() {
        let quotient = index.floordiv(unit)?;
        let digit = match number + 1 == leaves.len() {
            true => quotient,
            false => quotient.modulo(*size)?,
        };
        digits.push((*stride, digit));
        unit = unit.checked_mul(*size).ok_or(ExprError::Overflow)?;
    }
    Ok(digits)
}

pub(super) fn swizzled(offset: &Expr, swizzle: Swizzle) -> Result<Expr, ExprError> {
    let (changed, by) = swizzle.places();
    let bit = |number: u32| offset.floordiv(1_i64 << number)?.modulo(2);
    let mut terms = vec![(1, offset.clone())];
    for number in 0..swizzle.bits {
        let (old, other) = (bit(changed + number)?, bit(by + number)?);
        let unit = 1_i64 << (changed + number);
        let new = Expr::sum(0, [(1, old.clone()), (1, other)])?.modulo(2)?;
        terms.push((unit, new));
        terms.push((-unit, old));
    }
    Expr::sum(0, terms)
}
