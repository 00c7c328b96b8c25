//! From the index of a CuTe layout to its offset.
//!
//! Law: `sum over leaves of stride * digit`, then, under `Swizzle<B,M,S>`, for each of the B bits: bit `z` becomes
//! `(z + y) mod 2`, where `z` and `y` are `|S|` places apart.

use super::{Mode, Swizzle};
use crate::error::{Error, ErrorKind};
use crate::expr::{Expr, ExprError, VariableId};
use crate::interval::Interval;
use crate::map::{Domain, IndexingMap, Variable, VariableKind};

pub(super) fn map(modes: &[Mode], swizzle: Option<Swizzle>) -> Result<IndexingMap, Error> {
    let overflow = || {
        let message = "the layout has a size or an offset beyond 64 bits";
        Error::without_span(ErrorKind::Overflow, message)
    };
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
    let domain = Domain::new(variables);
    let offset = Expr::sum(0, terms).and_then(|offset| match swizzle {
        Some(swizzle) => swizzled(&offset, swizzle),
        None => Ok(offset),
    });
    let offset = offset.map_err(|_| overflow())?;
    if !domain.range_of(&offset).is_bounded() {
        return Err(overflow());
    }
    Ok(IndexingMap::new(domain, vec![offset]))
}

/// Each leaf of a mode: its stride, and its digit of the mode's index.
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

fn swizzled(offset: &Expr, swizzle: Swizzle) -> Result<Expr, ExprError> {
    let Swizzle { bits, base, shift } = swizzle;
    let apart = shift.unsigned_abs();
    // The bits that change, and those that change them.
    let (changed, by) = match shift >= 0 {
        true => (base, base + apart),
        false => (base + apart, base),
    };
    let bit = |number: u32| offset.floordiv(1_i64 << number)?.modulo(2);
    let mut terms = vec![(1, offset.clone())];
    for number in 0..bits {
        let (old, other) = (bit(changed + number)?, bit(by + number)?);
        let unit = 1_i64 << (changed + number);
        let new = Expr::sum(0, [(1, old.clone()), (1, other)])?.modulo(2)?;
        terms.push((unit, new));
        terms.push((-unit, old));
    }
    Expr::sum(0, terms)
}
