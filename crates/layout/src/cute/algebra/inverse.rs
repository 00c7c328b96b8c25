//! Inverses. The right inverse R numbers the offsets from 0 on: `A(R(i)) = i` for each i in R's domain, as far as strides are
//! contiguous. The left inverse L maps offsets back: `L(A(x)) = x` for each element x of A.
//!
//! Law: sorted by stride, the leaves of A whose stride is the product of the sizes before are, with the strides that count
//! elements of A, the right inverse; the left inverse is the right one of `(A, complement of A)`, or without a complement reads
//! the digits between strides that divide each other. A swizzle undoes itself, so that an inverse of `S o A` is one of A behind
//! S.

use super::answer::{Basis, Made, Refusal};
use super::check::{Agreement, agree};
use super::complement::complement;
use super::flat::{Flat, cosize, leaves, merged, size};
use super::ordered::{ordered, round_trip};
use super::recognise::recognise_line;
use crate::cute::claim::Claim;
use crate::cute::layout::Layout;
use crate::cute::mode::Mode;
use affinor::num::Interval;
use affinor::prove::Budget;
use std::collections::BTreeMap;

/// Maximum number of elements among which two with the same offset are searched for.
const MOST_COMPARED: i64 = 1 << 18;

/// Returns the layout R with `layout(R(i)) = i`.
///
/// # Errors
/// [`Refusal::None`] for a layout with an offset.
pub fn right_inverse(layout: &Layout, budget: &Budget) -> Result<Made, Refusal> {
    without_offset(layout)?;
    let plain = layout.without_swizzle()?;
    let inverse = behind_swizzle(layout, &ordered(&plain)?, budget)?;
    let elements = size(&inverse.layout)?;
    let (after, before) = (Flat::of(layout), Flat::of(&inverse.layout));
    let maps = || round_trip(&inverse.layout, layout);
    let composed = |i: i64| after.offset(before.offset(i)?);
    match agree(elements, composed, Ok, maps, budget)? {
        Agreement::Equal(basis, claim) => Ok(resting_on(inverse.clone(), basis, claim)),
        Agreement::Differ(place) => {
            Err(Refusal::Unknown(format!("no right inverse was found: it differs {place}")))
        }
    }
}

/// Returns the layout L with `L(layout(x)) = x`.
///
/// # Errors
/// [`Refusal::None`] if two elements have the same offset; [`Refusal::Unknown`] if strides do not divide each other.
pub fn left_inverse(layout: &Layout, budget: &Budget) -> Result<Made, Refusal> {
    without_offset(layout)?;
    let elements = size(layout)?;
    let plain = layout.without_swizzle()?;
    if let Some((one, other, offset)) = collision(&plain)? {
        let message = format!("elements {one} and {other} both lie at {offset}");
        return Err(Refusal::None(message));
    }
    // The complement reaches the last offset, so that no offset lies beyond it.
    let inverse = match complement(&plain, cosize(&plain)?) {
        Ok(rest) => {
            let both = Layout::new(vec![plain.as_mode(), rest.layout.as_mode()], false, None)?;
            ordered(&both)?
        }
        Err(Refusal::None(why)) => digits(&plain)?
            .ok_or_else(|| Refusal::Unknown(format!("strides do not divide each other: {why}")))?,
        Err(other) => return Err(other),
    };
    let inverse = behind_swizzle(layout, &inverse, budget)?;
    let (first, back) = (Flat::of(layout), Flat::of(&inverse.layout));
    let maps = || round_trip(layout, &inverse.layout);
    let composed = |x: i64| back.offset(first.offset(x)?);
    match agree(elements, composed, Ok, maps, budget)? {
        Agreement::Equal(basis, claim) => Ok(resting_on(inverse.clone(), basis, claim)),
        Agreement::Differ(place) => Err(Refusal::Unknown(format!(
            "no left inverse was found: the one tried differs {place}"
        ))),
    }
}

/// The claim is the full specification of an inverse, however the inverse was found.
fn resting_on(made: Made, basis: Basis, claim: Claim) -> Made {
    Made { basis: basis.min(made.basis), claims: vec![claim], ..made }
}

fn without_offset(layout: &Layout) -> Result<(), Refusal> {
    match layout.base() {
        0 => Ok(()),
        base => Err(Refusal::None(format!("behind the offset {base} no inverse is a layout"))),
    }
}

/// Returns the layout that reads the digits of offsets: between two strides, one of which divides the other, it numbers the leaf
/// of the smaller stride. Offsets without an element map to an arbitrary number.
fn digits(layout: &Layout) -> Result<Option<Layout>, Refusal> {
    let mut numbered = Vec::new();
    let mut count = 1_i64;
    for (size, stride) in leaves(layout) {
        if size > 1 {
            numbered.push((stride, size, count));
        }
        count = count.checked_mul(size).ok_or(Refusal::Overflow)?;
    }
    numbered.sort_unstable();
    let mut found = Vec::new();
    let (mut apart, mut number) = (1_i64, 0_i64);
    for (stride, _, count) in &numbered {
        if *stride < apart || stride % apart != 0 {
            return Ok(None);
        }
        found.push((stride / apart, number));
        (apart, number) = (*stride, *count);
    }
    found.extend(numbered.last().map(|(_, size, count)| (*size, *count)));
    Ok(Some(Layout::of_mode(Mode::of_leaves(&merged(&found)?))?))
}

/// Composes the inverse of a layout without its swizzle with that swizzle.
fn behind_swizzle(layout: &Layout, inverse: &Layout, budget: &Budget) -> Result<Made, Refusal> {
    let Some(swizzle) = layout.swizzle() else {
        return Ok(Made::new(inverse.clone(), Basis::Proved));
    };
    let elements = size(inverse)?;
    let line = vec![Mode::Leaf { size: elements, stride: 1 }];
    let numbers = Layout::with_base(line, true, 0, Some(swizzle))?;
    let offsets = numbers.offsets().ok_or(Refusal::Overflow)?.interval;
    if offsets.hi() >= elements {
        return Err(Refusal::Unknown(format!(
            "the swizzle moves some of the {elements} offsets beyond them"
        )));
    }
    let back = Flat::of(inverse);
    let mut values = |number: i64| back.offset(swizzle.of(number));
    let over = inverse.line_over(Interval::new(0, offsets.hi()))?;
    let map = numbers.line()?.then(&over).map_err(|_| Refusal::Overflow)?;
    recognise_line(elements, &mut values, &map, true, budget).map_err(|refusal| match refusal {
        Refusal::None(why) => {
            let message = format!("{inverse} is the inverse below the swizzle; beyond it, {why}");
            Refusal::Unknown(message)
        }
        other => other,
    })
}

/// Finds two elements with the same offset: from the strides, or by enumeration if the elements are few.
fn collision(layout: &Layout) -> Result<Option<(i64, i64, i64)>, Refusal> {
    let mut count = 1_i64;
    for (size, stride) in leaves(layout) {
        if size > 1 && stride == 0 {
            return Ok(Some((0, count, 0)));
        }
        count = count.checked_mul(size).ok_or(Refusal::Overflow)?;
    }
    if count > MOST_COMPARED {
        return Ok(None);
    }
    let flat = Flat::of(layout);
    let mut seen = BTreeMap::new();
    for element in 0..count {
        let offset = flat.offset(element)?;
        if let Some(first) = seen.insert(offset, element) {
            return Ok(Some((first, element, offset)));
        }
    }
    Ok(None)
}
