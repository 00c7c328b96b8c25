//! Composition: `R(x) = A(B(x))` for each element x of B, and R has the modes of B, each possibly split into several.
//!
//! A extends beyond its last element along its last leaf, as in CuTe. CuTe's own rule works on the leaves of B alone: it requires
//! that sizes and strides divide each other, and that the modes of B do not carry into each other in A. Here the only candidate
//! is derived from the values and compared everywhere; so every existing composition is found, and otherwise the refusal names
//! the element.

use super::answer::{Made, Refusal};
use super::flat::{Flat, leaves, merged, size};
use super::recognise::{Target, recognise_line};
use crate::cute::layout::Layout;
use crate::cute::mode::Mode;
use crate::cute::parse::Tiler;
use affinor::expr::IndexingMap;
use affinor::num::Interval;
use affinor::prove::Budget;

/// Returns `first(second(x))` as a layout with the modes of `second`.
///
/// # Errors
/// [`Refusal::None`] if the composition is not a layout; [`composed_map`] returns it as a map.
pub fn compose(first: &Layout, second: &Layout, budget: &Budget) -> Result<Made, Refusal> {
    let mut notes = Vec::new();
    let inner = without_swizzle(first)?;
    let reached = reached(second)?;
    let (outer, before) = (Flat::of(&inner), Flat::of(second));
    let all = size(second)?;
    let mut values = |number: i64| outer.offset(before.offset(number)?);
    let map = composed_map(&inner, second)?;
    let is_one = second.is_single();
    let found = match is_one {
        true => {
            let with_swizzles = second.swizzle().is_some();
            recognise_line(all, &mut values, &map, with_swizzles, budget)
        }
        false => {
            let target = Target { modes: second.modes(), is_single: false, size: all, map: &map };
            match target.plain(&mut values, budget) {
                Err(Refusal::None(_)) if second.swizzle().is_some() => {
                    target.swizzled(&mut values, budget)
                }
                other => other,
            }
        }
    };
    let refused = static_refusal(&leaves(first), &leaves(second))?;
    let mut made = found.map_err(|refusal| match (refusal, &refused) {
        (Refusal::None(why), Some(refused)) => Refusal::None(format!("{why} ({refused})")),
        (other, _) => other,
    })?;
    if let Some(swizzle) = first.swizzle() {
        if made.layout.swizzle().is_some() {
            let message = "a swizzle over a swizzle is not a layout here";
            return Err(Refusal::Unknown(message.to_owned()));
        }
        let (modes, is_single) = (made.layout.modes().to_vec(), made.layout.is_single());
        made.layout = Layout::with_base(modes, is_single, made.layout.base(), Some(swizzle))?;
    }
    if let Some(refused) = refused {
        notes.push(format!("CuTe's own test refuses it: {refused}"));
    }
    let elements = size(first)?;
    if reached.hi() >= elements {
        let last = reached.hi();
        notes.push(format!(
            "the second layout reaches {last}, beyond the {elements} elements of the first, which goes on along its last mode"
        ));
    }
    made.notes.extend(notes);
    Ok(made)
}

/// Returns the composition with a tiler: mode by mode if it has a layout for each mode.
///
/// # Errors
/// The errors of [`compose`].
pub fn compose_by(first: &Layout, tiler: &Tiler, budget: &Budget) -> Result<Made, Refusal> {
    let tiles = match tiler {
        Tiler::Whole(second) => return compose(first, second, budget),
        Tiler::Modes(tiles) => tiles,
    };
    let mut rest = Vec::new();
    let mut parts: Vec<Made> = Vec::new();
    for (number, mode) in modes_for(first, tiles.len())?.iter().enumerate() {
        match tiles.get(number) {
            Some(Some(tile)) => {
                let part = compose(&Layout::of_mode(mode.clone())?, tile, budget)?;
                rest.push(plain_mode(&part)?);
                parts.push(part);
            }
            _ => rest.push(mode.clone()),
        }
    }
    joined(first.with_modes(rest, false)?, &parts)
}

/// Returns the modes of a layout, if it has at least one for each of the tiles.
pub(super) fn modes_for(layout: &Layout, tiles: usize) -> Result<&[Mode], Refusal> {
    let modes = layout.modes();
    if tiles > modes.len() {
        let count = modes.len();
        return Err(Refusal::None(format!("the tiler has {tiles} modes, and the layout {count}")));
    }
    Ok(modes)
}

/// Returns a layout as a mode of another, which requires that it has no offset and no swizzle.
pub(super) fn plain_mode(made: &Made) -> Result<Mode, Refusal> {
    if made.layout.base() != 0 || made.layout.swizzle().is_some() {
        let message = "a mode with a swizzle or an offset of its own is not a layout";
        return Err(Refusal::None(message.to_owned()));
    }
    Ok(made.layout.as_mode())
}

/// Creates a layout from checked parts and adopts their bases and claims.
pub(super) fn joined(layout: Layout, parts: &[Made]) -> Result<Made, Refusal> {
    let mut made = Made::new(layout, super::Basis::Proved);
    if parts.is_empty() {
        // All modes are unchanged.
        let line = made.layout.line()?;
        made.claims.push(vec![(line.clone(), line)]);
    }
    Ok(parts.iter().fold(made, |made, part| made.resting_on(part)))
}

/// Returns the map of the composition over the dimensions of `second`, without the swizzle of `first` or with it.
///
/// # Errors
/// [`Refusal::None`] if `second` has negative offsets, at which no layout is defined.
pub fn composed_map(first: &Layout, second: &Layout) -> Result<IndexingMap, Refusal> {
    let over = first.line_over(Interval::new(0, reached(second)?.hi()))?;
    let map = match second.is_single() {
        true => second.line()?,
        false => second.map().clone(),
    };
    map.then(&over).map_err(|_| Refusal::Overflow)
}

/// Returns the range of numbers at which the first layout is evaluated.
fn reached(second: &Layout) -> Result<Interval, Refusal> {
    let offsets = second.offsets().ok_or(Refusal::Overflow)?.interval;
    if offsets.lo() < 0 {
        let lo = offsets.lo();
        let message = format!("the second layout reaches {lo}, and elements count from 0");
        return Err(Refusal::None(message));
    }
    Ok(offsets)
}

fn without_swizzle(layout: &Layout) -> Result<Layout, Refusal> {
    Ok(layout.without_swizzle()?)
}

/// Returns the reason why CuTe's rule refuses the composition, if it does: for each leaf of the second layout, its stride and
/// then its size consume leaves of the first, and each must divide the next leaf or be divided by it.
fn static_refusal(first: &[(i64, i64)], second: &[(i64, i64)]) -> Result<Option<String>, Refusal> {
    let first = merged(first)?;
    let Some((_, inner)) = first.split_last() else {
        return Ok(None);
    };
    for (size, stride) in second {
        let (mut size, mut stride) = (*size, *stride);
        if size == 1 || stride <= 0 {
            continue;
        }
        for (extent, _) in inner {
            if extent % stride != 0 && stride % extent != 0 {
                return Ok(Some(format!(
                    "stride {stride} and size {extent} do not divide each other"
                )));
            }
            let taken = (extent / stride).max(1).min(size);
            if size % taken != 0 {
                return Ok(Some(format!("size {size} is not a multiple of {taken}")));
            }
            size /= taken;
            stride = (stride / extent).max(1);
        }
    }
    Ok(None)
}

/// Returns whether two layouts have the same number of elements, and the same function of their numbers.
///
/// # Errors
/// [`Refusal::None`] with the element if not.
pub fn same_elements(one: &Layout, other: &Layout, budget: &Budget) -> Result<(), Refusal> {
    let (here, there) = (size(one)?, size(other)?);
    if here != there {
        let message = format!("the first has {here} elements, the second {there}");
        return Err(Refusal::None(message));
    }
    let (left, right) = (Flat::of(one), Flat::of(other));
    let maps = || Ok((one.line()?, other.line()?));
    use super::check::{Agreement, agree};
    match agree(here, |i| left.offset(i), |i| right.offset(i), maps, budget)? {
        Agreement::Equal(..) => Ok(()),
        Agreement::Differ(place) => Err(Refusal::None(place)),
    }
}
