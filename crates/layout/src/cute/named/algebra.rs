//! The operations, by CuTe's rules where sizes and strides divide each other for all values of the names.

use super::layout::{NamedLayout, Part, product_of};
use super::size::Size;
use crate::cute::algebra::{Arrangement, Refusal};
use affinor::expr::IndexingMap;
use affinor::prove::{Budget, Reason, Verdict, equal_functions};

/// The layout, if both maps are the same function for all values of the names.
pub(super) fn proved(
    found: NamedLayout,
    expected: &IndexingMap,
    map: &IndexingMap,
    budget: &Budget,
) -> Result<NamedLayout, Refusal> {
    let together = map.with_parameters_of(expected.domain());
    let map = together.map_err(|_| Refusal::Overflow)?;
    let expected = expected.with_parameters_of(map.domain()).map_err(|_| Refusal::Overflow)?;
    let verdict = equal_functions(&expected, &map, budget);
    match verdict.map_err(|error| Refusal::Unknown(error.message))? {
        Verdict::Proved => Ok(found),
        Verdict::Unknown(Reason::Interrupted) => Err(Refusal::Interrupted),
        Verdict::Unknown(reason) => {
            Err(Refusal::Unknown(format!("{found} was not proved for all values: {reason}")))
        }
        Verdict::Refuted(found_at) => {
            let point: Vec<String> = found_at.point.iter().map(i64::to_string).collect();
            let point = point.join(", ");
            Err(Refusal::Unknown(format!(
                "by CuTe's rule it is {found}, which is wrong at ({point})"
            )))
        }
    }
}

fn layout_of(leaves: Vec<(Size, Size)>) -> NamedLayout {
    NamedLayout { part: Part::of_leaves(leaves) }
}

/// As few leaves as neighbours allow for all values of the names.
pub(super) fn merged(leaves: &[(Size, Size)]) -> Result<Vec<(Size, Size)>, Refusal> {
    let mut merged: Vec<(Size, Size)> = Vec::new();
    for (size, stride) in leaves {
        match merged.last_mut() {
            _ if size.is_one() => {}
            Some((last, apart)) if last.times(apart).as_ref() == Some(stride) => {
                *last = last.times(size).ok_or(Refusal::Overflow)?;
            }
            _ => merged.push((size.clone(), stride.clone())),
        }
    }
    Ok(merged)
}

/// Returns the layout with the fewest modes that has the same function.
///
/// # Errors
/// [`Refusal::Unknown`] if that is not proved.
pub fn coalesce(layout: &NamedLayout, budget: &Budget) -> Result<NamedLayout, Refusal> {
    let found = layout_of(merged(&layout.leaves())?);
    same_line(layout, found, budget)
}

/// Returns the layout without nested modes.
///
/// # Errors
/// [`Refusal::Unknown`] if that is not proved.
pub fn flatten(layout: &NamedLayout, budget: &Budget) -> Result<NamedLayout, Refusal> {
    let leaf = |(size, stride)| Part::Leaf(size, stride);
    let part = Part::Nested(layout.leaves().into_iter().map(leaf).collect());
    same_line(layout, NamedLayout { part }, budget)
}

/// Returns the layout whose modes `from..to` are one mode.
///
/// # Errors
/// [`Refusal::None`] if there are no such modes.
pub fn group(
    layout: &NamedLayout,
    from: usize,
    to: usize,
    budget: &Budget,
) -> Result<NamedLayout, Refusal> {
    let modes = layout.modes();
    let Some(inside) = modes.get(from..to).filter(|inside| !inside.is_empty()) else {
        let count = modes.len();
        return Err(Refusal::None(format!("no modes {from}..{to}: the layout has {count}")));
    };
    let mut grouped = modes.get(..from).unwrap_or_default().to_vec();
    grouped.push(Part::Nested(inside.to_vec()));
    grouped.extend_from_slice(modes.get(to..).unwrap_or_default());
    same_line(layout, NamedLayout { part: Part::Nested(grouped) }, budget)
}

fn same_line(
    layout: &NamedLayout,
    found: NamedLayout,
    budget: &Budget,
) -> Result<NamedLayout, Refusal> {
    let names = layout.names();
    let (expected, map) = (layout.line(&names)?, found.line(&names)?);
    proved(found, &expected, &map, budget)
}

/// Returns whether both have the same function of the numbers of their elements, for all values of the names.
///
/// # Errors
/// [`Refusal::None`] with values at which they differ.
pub fn same_elements(
    one: &NamedLayout,
    other: &NamedLayout,
    budget: &Budget,
) -> Result<(), Refusal> {
    let names = one.names().union(&other.names()).cloned().collect();
    let (left, right) = (one.line(&names)?, other.line(&names)?);
    let verdict = equal_functions(&left, &right, budget);
    match verdict.map_err(|error| Refusal::Unknown(error.message))? {
        Verdict::Proved => Ok(()),
        Verdict::Unknown(Reason::Interrupted) => Err(Refusal::Interrupted),
        Verdict::Unknown(reason) => Err(Refusal::Unknown(reason.to_string())),
        Verdict::Refuted(found) => {
            let variables = left.domain().variables().iter().zip(&found.point);
            let point: Vec<String> =
                variables.map(|(v, at)| format!("{} = {at}", v.name)).collect();
            Err(Refusal::None(format!("at {}", point.join(", "))))
        }
    }
}

/// Returns `first(second(x))`, with the modes of `second`.
///
/// # Errors
/// [`Refusal::Unknown`] if sizes and strides do not divide each other for all values, or it is not proved.
pub fn compose(
    first: &NamedLayout,
    second: &NamedLayout,
    budget: &Budget,
) -> Result<NamedLayout, Refusal> {
    let leaves = first.leaves();
    let mut outer = merged(&leaves)?;
    // The last leaf goes on, also where it has one element.
    if outer.is_empty() {
        outer.extend(leaves.last().cloned());
    }
    let part = composed_part(&outer, &second.part)?;
    let found = NamedLayout { part };
    let by_number = matches!(second.part, Part::Leaf(..));
    let expected = first.at(second, by_number)?;
    let map = match by_number {
        true => found.line(&found.names())?,
        false => found.map()?,
    };
    proved(found, &expected, &map, budget)
}

fn composed_part(outer: &[(Size, Size)], part: &Part) -> Result<Part, Refusal> {
    match part {
        Part::Leaf(size, stride) => Ok(Part::of_leaves(composed_leaf(outer, size, stride)?)),
        Part::Nested(parts) => {
            let parts = parts.iter().map(|part| composed_part(outer, part));
            Ok(Part::Nested(parts.collect::<Result<_, _>>()?))
        }
    }
}

/// One leaf after a layout: its stride, then its size use up the leaves of the layout.
fn composed_leaf(
    outer: &[(Size, Size)],
    size: &Size,
    stride: &Size,
) -> Result<Vec<(Size, Size)>, Refusal> {
    let overflow = || Refusal::Overflow;
    let undivided = |one: &Size, other: &Size| {
        let message = format!("{one} and {other} do not divide each other for all values");
        Refusal::Unknown(message)
    };
    if size.is_one() || stride.is_zero() {
        let zero = Size::number(0);
        return Ok(vec![(size.clone(), zero)]);
    }
    if stride.is_negative() {
        return Err(Refusal::None(format!("stride {stride} reaches elements below 0")));
    }
    let Some(((_, last), inner)) = outer.split_last() else {
        return Ok(vec![(size.clone(), Size::number(0))]);
    };
    let (mut size, mut stride) = (size.clone(), stride.clone());
    let mut found = Vec::new();
    for (extent, apart) in inner {
        if let Some(rest) = stride.over(extent) {
            stride = rest;
            continue;
        }
        if stride.times(&size).is_some_and(|all| all.is_at_most(extent)) {
            found.push((size, apart.times(&stride).ok_or_else(overflow)?));
            size = Size::number(1);
            break;
        }
        let steps = extent.over(&stride).ok_or_else(|| undivided(&stride, extent))?;
        let apart = apart.times(&stride).ok_or_else(overflow)?;
        if let Some(rest) = size.over(&steps) {
            found.push((steps, apart));
            (size, stride) = (rest, Size::number(1));
        } else if steps.over(&size).is_some() {
            found.push((size, apart));
            size = Size::number(1);
        } else {
            return Err(undivided(&size, &steps));
        }
        if size.is_one() {
            break;
        }
    }
    if !size.is_one() {
        found.push((size, last.times(&stride).ok_or_else(overflow)?));
    }
    merged(&found)
}

/// The gaps between the strides, and the extent that they cover in all.
pub(super) fn gaps(layout: &NamedLayout) -> Result<(Vec<(Size, Size)>, Size), Refusal> {
    let leaves = layout.leaves();
    let mut left: Vec<(Size, Size)> =
        leaves.into_iter().filter(|(size, stride)| !size.is_one() && !stride.is_zero()).collect();
    let mut gaps = Vec::new();
    let mut covered = Size::number(1);
    while !left.is_empty() {
        // The next one divides all others, whatever the values.
        let next = left.iter().position(|(_, stride)| {
            stride.over(&covered).is_some()
                && left.iter().all(|(_, other)| other.over(stride).is_some())
        });
        let Some(next) = next else {
            let strides: Vec<String> = left.iter().map(|(_, stride)| stride.to_string()).collect();
            return Err(Refusal::Unknown(format!(
                "of strides {} none is a multiple of {covered} and divides the others for all values",
                strides.join(", ")
            )));
        };
        let (size, stride) = left.remove(next);
        let gap = stride.over(&covered).ok_or(Refusal::Overflow)?;
        gaps.push((gap, covered));
        covered = size.times(&stride).ok_or(Refusal::Overflow)?;
    }
    Ok((gaps, covered))
}

/// Returns the complement in the numbers below `target`: by its rule, both together count through as digits of
/// one number do.
///
/// # Errors
/// [`Refusal::Unknown`] if strides do not nest for all values.
pub fn complement(layout: &NamedLayout, target: &NamedLayout) -> Result<NamedLayout, Refusal> {
    complement_in(layout, &target.size()?)
}

fn complement_in(layout: &NamedLayout, target: &Size) -> Result<NamedLayout, Refusal> {
    let (mut gaps, covered) = gaps(layout)?;
    let rest = target.ceil_div(&covered).ok_or_else(|| {
        let message = format!("{target} and {covered} are not at least 1 for all values");
        Refusal::Unknown(message)
    })?;
    gaps.push((rest, covered));
    Ok(layout_of(merged(&gaps)?))
}

/// Returns the layout divided by a tile.
///
/// # Errors
/// As [`compose`] and [`complement`].
pub fn divide(
    layout: &NamedLayout,
    tile: &NamedLayout,
    arrangement: Arrangement,
    budget: &Budget,
) -> Result<NamedLayout, Refusal> {
    let rest = complement_in(tile, &layout.size()?)?;
    let both = NamedLayout { part: Part::Nested(vec![tile.part.clone(), rest.part]) };
    Ok(arranged(compose(layout, &both, budget)?, arrangement))
}

/// Returns a copy of the layout for each element of a tile.
///
/// # Errors
/// As [`compose`] and [`complement`].
pub fn product(
    layout: &NamedLayout,
    tile: &NamedLayout,
    arrangement: Arrangement,
    budget: &Budget,
) -> Result<NamedLayout, Refusal> {
    let (mut free, covered) = gaps(layout)?;
    product_of(&free)?;
    // The last leaf has as many elements as the copies need.
    free.push((tile.size()?, covered));
    let copies = compose(&layout_of(merged(&free)?), tile, budget)?;
    let part = Part::Nested(vec![layout.part.clone(), copies.part]);
    Ok(arranged(NamedLayout { part }, arrangement))
}

fn arranged(layout: NamedLayout, arrangement: Arrangement) -> NamedLayout {
    let modes = |part: &Part| match part {
        Part::Nested(parts) => parts.clone(),
        leaf => vec![leaf.clone()],
    };
    let spread = match (&*layout.modes(), arrangement) {
        ([tile, rest], Arrangement::Tiled) => [vec![tile.clone()], modes(rest)].concat(),
        ([tile, rest], Arrangement::Flat) => [modes(tile), modes(rest)].concat(),
        (modes, _) => modes.to_vec(),
    };
    NamedLayout { part: Part::Nested(spread) }
}
