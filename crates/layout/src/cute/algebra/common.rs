//! The common part of two layouts: the longest R with `A(R(i)) = B(R(i)) = i`, the elements that may be moved as one
//! vector.
//!
//! Law: of layouts of few elements, the first element that both put at i is looked up for each i; R is as long as these are a
//! layout. Of others R follows the strides of B. The longer of both is the answer.

use super::answer::{Made, Refusal};
use super::check::{Agreement, agree};
use super::compose::compose;
use super::flat::{Flat, leaves, size};
use super::inverse::ordered;
use crate::cute::layout::Layout;
use crate::cute::mode::Mode;
use affinor::num::Interval;
use affinor::prove::Budget;

/// Elements along one leaf that are looked at one by one.
const MOST_TRIED: i64 = 1 << 16;

/// Returns the layout of the elements that lie one behind the other from 0 on in both layouts.
///
/// # Errors
/// [`Refusal::None`] for layouts under a swizzle or behind an offset.
pub fn max_common(one: &Layout, other: &Layout, budget: &Budget) -> Result<Made, Refusal> {
    for layout in [one, other] {
        if layout.swizzle().is_some() || layout.base() != 0 {
            let message = "what is common is found of layouts without a swizzle and an offset";
            return Err(Refusal::Unknown(message.to_owned()));
        }
    }
    let elements = size(one)?.min(size(other)?);
    let mut kept: Vec<(i64, i64)> = Vec::new();
    let mut reached = 1_i64;
    for (size, stride) in leaves(&ordered(other)?) {
        let run = run(one, size, stride, reached, elements, budget)?;
        if run > 1 {
            kept.push((run, stride));
            reached = reached.checked_mul(run).ok_or(Refusal::Overflow)?;
        }
        if run < size {
            break;
        }
    }
    let along_strides = loop {
        let found = Layout::of_mode(Mode::of_leaves(&kept))?;
        match checked(one, other, found, budget)? {
            Some(made) => break made,
            // Modes of the second carry into each other in the first.
            None => kept.pop().ok_or(Refusal::Unknown("nothing is common".to_owned()))?,
        };
    };
    if elements > MOST_TRIED {
        return Ok(along_strides);
    }
    let found = Layout::of_mode(Mode::of_leaves(&beginning(&both(one, other, elements)?)))?;
    match size(&found)? > size(&along_strides.layout)? {
        true => Ok(checked(one, other, found, budget)?.unwrap_or(along_strides)),
        false => Ok(along_strides),
    }
}

/// For each offset, from 0 on as long as there is one, the first element that both layouts put there.
fn both(one: &Layout, other: &Layout, elements: i64) -> Result<Vec<i64>, Refusal> {
    let (one, other) = (Flat::of(one), Flat::of(other));
    let mut first = vec![None; usize::try_from(elements).unwrap_or(0)];
    for element in 0..elements {
        let offset = one.offset(element)?;
        let place = usize::try_from(offset).ok().and_then(|offset| first.get_mut(offset));
        if let Some(place) = place
            && other.offset(element)? == offset
        {
            place.get_or_insert(element);
        }
    }
    Ok(first.into_iter().map_while(|element| element).collect())
}

/// The leaves of the longest layout with which the values begin, of which the first is 0.
fn beginning(values: &[i64]) -> Vec<(i64, i64)> {
    let mut leaves = Vec::new();
    let mut unit = 1;
    while let Some(stride) = values.get(unit) {
        // Whole blocks, each this much above the one before.
        let blocks = values.chunks_exact(unit);
        let pairs = blocks.clone().zip(blocks.skip(1));
        let goes_on =
            |(low, high): &(&[i64], &[i64])| low.iter().zip(*high).all(|(x, y)| y - x == *stride);
        let count = 1 + pairs.take_while(goes_on).count();
        if count == 1 {
            break;
        }
        leaves.push((count as i64, *stride));
        unit *= count;
    }
    leaves
}

/// How many elements along a leaf, which begins at element 0, go up by `apart` in `layout`.
fn run(
    layout: &Layout,
    size: i64,
    stride: i64,
    apart: i64,
    elements: i64,
    budget: &Budget,
) -> Result<i64, Refusal> {
    if size == 1 {
        return Ok(1);
    }
    let inside = size.min((elements - 1) / stride + 1);
    let flat = Flat::of(layout);
    for number in 1..inside.min(MOST_TRIED) {
        let offset = flat.offset(number * stride)?;
        if apart.checked_mul(number) != Some(offset) {
            return Ok(number);
        }
    }
    if inside <= MOST_TRIED {
        return Ok(inside);
    }
    let leaf = Layout::of_mode(Mode::Leaf { size: inside, stride })?;
    match compose(layout, &leaf, budget) {
        Ok(made) => Ok(match leaves(&made.layout).first() {
            Some((run, step)) if *step == apart => *run,
            _ => MOST_TRIED,
        }),
        Err(Refusal::None(_)) => Ok(MOST_TRIED),
        Err(other) => Err(other),
    }
}

/// The layout, if both give the numbers from 0 on along it.
fn checked(
    one: &Layout,
    other: &Layout,
    found: Layout,
    budget: &Budget,
) -> Result<Option<Made>, Refusal> {
    let count = size(&found)?;
    let numbers = Layout::of_mode(Mode::Leaf { size: count, stride: 1 })?.line()?;
    let along = Flat::of(&found);
    let mut basis = super::Basis::Proved;
    for layout in [one, other] {
        let flat = Flat::of(layout);
        let values = |i: i64| flat.offset(along.offset(i)?);
        let maps = || {
            let last = size(layout)?.checked_sub(1).ok_or(Refusal::Overflow)?;
            let over = layout.line_over(Interval::new(0, last))?;
            let composed = found.line()?.then(&over).map_err(|_| Refusal::Overflow)?;
            Ok((composed, numbers.clone()))
        };
        match agree(count, values, Ok, maps, budget)? {
            Agreement::Equal(found) => basis = basis.min(found),
            Agreement::Differ(_) => return Ok(None),
        }
    }
    Ok(Some(Made::new(found, basis)))
}
