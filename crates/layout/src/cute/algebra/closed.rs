//! The left inverse of any layout as a map, where no layout is one: from an offset to the number of its element.
//!
//! Law: let all other leaves together stay below the stride of a leaf: its digit is the quotient of the offset by that
//! stride, the remainder is theirs. Or let g divide the strides of all others, and h be the common divisor of g and the
//! stride of the leaf, of at most g/h elements: its digit is that of the offset modulo g, and is subtracted.

use super::answer::{Basis, Refusal};
use super::check::{Agreement, agree};
use super::flat::{Flat, leaves, size};
use super::inverse::identity;
use crate::cute::layout::Layout;
use crate::cute::offsets::swizzled;
use affinor::expr::{Domain, Expr, ExprError, IndexingMap, Variable, VariableId, VariableKind};
use affinor::num::{extended_gcd, gcd};
use affinor::prove::Budget;

/// A leaf whose stride is positive: counted from the other end where it was not.
#[derive(Clone, Copy)]
struct Leaf {
    size: i64,
    stride: i64,
    is_reversed: bool,
    /// The number of elements before it.
    count: i64,
}

/// How the digit of a leaf is read off the offset.
enum Read {
    Quotient(Leaf),
    /// The offset divided by the first number, times the second one, modulo the third.
    Remainder(Leaf, i64, i64, i64),
}

/// Returns the map L with `L(layout(x)) = x` over the interval of the offsets. Offsets at which no element lies have some
/// number, too.
///
/// # Errors
/// [`Refusal::Unknown`] if no digit can be read off the offset without the others.
pub fn left_inverse_map(layout: &Layout, budget: &Budget) -> Result<(IndexingMap, Basis), Refusal> {
    let map = closed(layout)?;
    let flat = Flat::of(layout);
    let number = |x: i64| {
        let found = map.eval(&[flat.offset(x)?]).map_err(|_| Refusal::Overflow)?;
        found.first().copied().ok_or(Refusal::Overflow)
    };
    let elements = size(layout)?;
    let maps = || {
        let there = layout.line()?;
        Ok((there.then(&map).map_err(|_| Refusal::Overflow)?, identity(elements)?))
    };
    match agree(elements, number, Ok, maps, budget)? {
        Agreement::Equal(basis) => Ok((map, basis)),
        Agreement::Differ(place) => {
            Err(Refusal::Unknown(format!("the inverse that was tried differs {place}")))
        }
    }
}

fn closed(layout: &Layout) -> Result<IndexingMap, Refusal> {
    let offsets = layout.offsets().ok_or(Refusal::Overflow)?.interval;
    let mut lowest = layout.base();
    let mut left = Vec::new();
    let mut count = 1_i64;
    for (size, stride) in leaves(layout) {
        let last = stride.checked_mul(size - 1).ok_or(Refusal::Overflow)?;
        lowest = lowest.checked_add(last.min(0)).ok_or(Refusal::Overflow)?;
        if size > 1 {
            let is_reversed = stride < 0;
            let stride = stride.checked_abs().ok_or(Refusal::Overflow)?;
            left.push(Leaf { size, stride, is_reversed, count });
        }
        count = count.checked_mul(size).ok_or(Refusal::Overflow)?;
    }
    let variable = Variable::new("d0", VariableKind::Dimension, offsets);
    let mut offset = Expr::variable(VariableId(0));
    if let Some(swizzle) = layout.swizzle() {
        offset = swizzled(&offset, swizzle).map_err(overflow)?;
    }
    offset = offset.add(&Expr::constant(lowest).scale(-1).map_err(overflow)?).map_err(overflow)?;
    let mut terms = Vec::new();
    let mut start = 0_i64;
    while !left.is_empty() {
        let Some((place, read)) = next(&left)? else {
            let strides: Vec<String> = left.iter().map(|leaf| leaf.stride.to_string()).collect();
            let message = format!(
                "of the strides {} none has a digit that can be read without the others",
                strides.join(", ")
            );
            return Err(Refusal::Unknown(message));
        };
        left.remove(place);
        let (leaf, digit, rest) = taken(&offset, &read).map_err(overflow)?;
        offset = rest;
        terms.push((if leaf.is_reversed { -leaf.count } else { leaf.count }, digit));
        if leaf.is_reversed {
            let last = leaf.count.checked_mul(leaf.size - 1).ok_or(Refusal::Overflow)?;
            start = start.checked_add(last).ok_or(Refusal::Overflow)?;
        }
    }
    let number = Expr::sum(start, terms).map_err(overflow)?;
    Ok(IndexingMap::new(Domain::new(vec![variable]), vec![number]))
}

fn overflow(_: ExprError) -> Refusal {
    Refusal::Overflow
}

/// The digit that an offset says, and the offset that the other leaves have.
fn taken(offset: &Expr, read: &Read) -> Result<(Leaf, Expr, Expr), ExprError> {
    match read {
        Read::Quotient(leaf) => {
            Ok((*leaf, offset.floordiv(leaf.stride)?, offset.modulo(leaf.stride)?))
        }
        Read::Remainder(leaf, common, factor, modulus) => {
            let digit = offset.floordiv(*common)?.scale(*factor)?.modulo(*modulus)?;
            let own = digit.scale(-leaf.stride)?;
            let rest = offset.add(&own)?;
            Ok((*leaf, digit, rest))
        }
    }
}

/// A leaf whose digit can be read without the others.
fn next(left: &[Leaf]) -> Result<Option<(usize, Read)>, Refusal> {
    let last = |leaf: &Leaf| leaf.stride.checked_mul(leaf.size - 1).ok_or(Refusal::Overflow);
    let others = |place: usize| left.iter().enumerate().filter(move |(at, _)| *at != place);
    for (place, leaf) in left.iter().enumerate() {
        let reach = others(place).try_fold(0_i64, |sum, (_, other)| {
            sum.checked_add(last(other)?).ok_or(Refusal::Overflow)
        })?;
        if reach < leaf.stride {
            return Ok(Some((place, Read::Quotient(*leaf))));
        }
    }
    for (place, leaf) in left.iter().enumerate() {
        let of_others = others(place).try_fold(0_i64, |all, (_, other)| gcd(all, other.stride));
        let of_others = of_others.ok_or(Refusal::Overflow)?;
        let common = gcd(leaf.stride, of_others).ok_or(Refusal::Overflow)?;
        if of_others == 0 || common == 0 || leaf.size > of_others / common {
            continue;
        }
        let modulus = of_others / common;
        let (_, factor, _) = extended_gcd(leaf.stride / common, modulus);
        let read = Read::Remainder(*leaf, common, factor.rem_euclid(modulus), modulus);
        return Ok(Some((place, read)));
    }
    Ok(None)
}
