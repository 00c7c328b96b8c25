//! Composition, division and product, by CuTe's rules, if sizes and strides divide each other for all values of the names that
//! satisfy the given conditions. Otherwise the rule names the missing conditions.

use super::algebra::{layout_of, merged};
use super::complement::{complement_claim, complement_in, gaps};
use super::given::{Condition, Given};
use super::layout::{NamedLayout, Part, map_of, offset_at, product_of};
use super::proposal::{Proposed, Stop};
use super::size::Size;
use crate::cute::algebra::Refusal;
use affinor::expr::IndexingMap;

/// Returns `first(second(x))`, with the modes of `second`.
pub(super) fn composed(
    first: &NamedLayout,
    second: &NamedLayout,
    given: &Given,
) -> Result<Proposed, Stop> {
    let leaves = first.leaves();
    let mut outer = merged(&leaves)?;
    // The last leaf is unbounded, even if it has one element.
    if outer.is_empty() {
        outer.extend(leaves.last().cloned());
    }
    let mut pieces = Vec::new();
    let layout = NamedLayout::plain(composed_part(&outer, &second.part, given, &mut pieces)?);
    let conditions = given.constraints();
    let mut claims = vec![digits(first, &pieces, &conditions)?];
    let by_number = matches!(second.part, Part::Leaf(..));
    let map = match by_number {
        true => layout.line(&layout.names(), &conditions),
        false => layout.map_where(&conditions),
    };
    if let (Ok(expected), Ok(map)) = (first.at(second, by_number, &conditions), map) {
        claims.push((expected, map));
    }
    let carries = carries(&second.leaves(), given)?;
    Ok(Proposed { layout, claims: vec![claims], by_rule: Vec::new(), carries })
}

/// For each two leaves whose offsets may overlap, returns the conditions that one ends before the other's first step; a condition
/// that bounds a name from above comes last.
fn carries(leaves: &[(Size, Size)], given: &Given) -> Result<Vec<Vec<Condition>>, Refusal> {
    let moving = |(size, stride): &&(Size, Size)| !size.is_one() && !stride.is_zero();
    let leaves: Vec<&(Size, Size)> = leaves.iter().filter(moving).collect();
    let mut carries = Vec::new();
    for (number, one) in leaves.iter().enumerate() {
        for other in &leaves[number + 1..] {
            let mut apart = Vec::new();
            for ((size, stride), (_, step)) in [(one, other), (other, one)] {
                let end = size.times(stride).ok_or(Refusal::Overflow)?;
                apart.push((end.reduced(step).1.is_number(), end, step));
            }
            if !apart.iter().any(|(_, end, step)| given.is_at_most(end, step)) {
                apart.sort_by_key(|(is_from_above, ..)| *is_from_above);
                let keeps = apart.iter().map(|(_, end, step)| Condition::at_most(end, step));
                carries.push(keeps.collect());
            }
        }
    }
    Ok(carries)
}

/// The leaves of the answer for one leaf of the second layout: their sizes multiply to its size.
struct Cut {
    stride: Size,
    leaves: Vec<(Size, Size)>,
}

/// Returns the composition and the answer as maps over the digits of the answer: an index below a product of sizes is split into
/// digits, one below each size.
fn digits(
    first: &NamedLayout,
    cuts: &[Cut],
    conditions: &[Condition],
) -> Result<(IndexingMap, IndexingMap), Refusal> {
    let mut names = first.names();
    let (mut sizes, mut reached, mut offset) = (Vec::new(), Vec::new(), Vec::new());
    for cut in cuts {
        let mut unit = cut.stride.clone();
        names.extend(unit.names());
        for (size, stride) in &cut.leaves {
            names.extend([size, stride].into_iter().flat_map(Size::names));
            let digit = format!("d{}", sizes.len());
            reached.push(format!("{digit} * ({})", unit.expression()));
            offset.push(format!("{digit} * ({})", stride.expression()));
            sizes.push(size.clone());
            unit = unit.times(size).ok_or(Refusal::Overflow)?;
        }
    }
    let (reached, offset) = (reached.join(" + "), offset.join(" + "));
    let expected = offset_at(&first.leaves(), &format!("({reached})"))?;
    let map = |result: &str| map_of(&names, &sizes, result, conditions);
    Ok((map(&expected)?, map(&offset)?))
}

fn composed_part(
    outer: &[(Size, Size)],
    part: &Part,
    given: &Given,
    cuts: &mut Vec<Cut>,
) -> Result<Part, Stop> {
    match part {
        Part::Leaf(size, stride) => {
            let leaves = composed_leaf(outer, size, stride, given)?;
            let part = Part::of_leaves(merged(&leaves)?);
            cuts.push(Cut { stride: stride.clone(), leaves });
            Ok(part)
        }
        Part::Nested(parts) => {
            let parts = parts.iter().map(|part| composed_part(outer, part, given, cuts));
            Ok(Part::Nested(parts.collect::<Result<_, _>>()?))
        }
    }
}

/// Composes a layout with one leaf: the leaf's stride, then its size consume leaves of the layout.
fn composed_leaf(
    outer: &[(Size, Size)],
    size: &Size,
    stride: &Size,
    given: &Given,
) -> Result<Vec<(Size, Size)>, Stop> {
    let overflow = || Refusal::Overflow;
    if size.is_one() || stride.is_zero() {
        let zero = Size::number(0);
        return Ok(vec![(size.clone(), zero)]);
    }
    if stride.is_negative() {
        let message = format!("stride {stride} reaches elements below 0");
        return Err(Refusal::None(message).into());
    }
    let Some(((_, last), inner)) = outer.split_last() else {
        return Ok(vec![(size.clone(), Size::number(0))]);
    };
    let (mut size, mut stride) = (size.clone(), stride.clone());
    let mut found = Vec::new();
    for (place, (extent, apart)) in inner.iter().enumerate() {
        if let Some(rest) = stride.over(extent) {
            stride = rest;
            continue;
        }
        if let Some(slant) = slanted(&outer[place..], &size, &stride, given)? {
            found.push(slant.leaf);
            (size, stride) = (slant.rest, slant.further);
            if size.is_one() {
                break;
            }
            continue;
        }
        let reached = stride.times(&size).ok_or_else(overflow)?;
        let is_within = stays_within(&size, &stride, extent, given);
        let apart = apart.times(&stride).ok_or_else(overflow)?;
        if is_within {
            found.push((size, apart));
            size = Size::number(1);
            break;
        }
        let Some(steps) = extent.over(&stride) else {
            let mut lacks = vec![Condition::divides(&stride, extent)];
            lacks.push(Condition::divides(extent, &stride));
            lacks.extend(even(&[extent, &stride]));
            return Err(undivided(&stride, extent, (&reached, extent), lacks, given));
        };
        let Some(rest) = size.over(&steps) else {
            let mut lacks = vec![Condition::divides(&steps, &size)];
            lacks.extend(even(&[&size, &steps]));
            return Err(undivided(&size, &steps, (&reached, extent), lacks, given));
        };
        found.push((steps, apart));
        (size, stride) = (rest, Size::number(1));
        if size.is_one() {
            break;
        }
    }
    if !size.is_one() {
        found.push((size, last.times(&stride).ok_or_else(overflow)?));
    }
    Ok(found)
}

/// Returns whether all steps of a leaf end below an extent: for numbers, the last step; otherwise if all steps together are at
/// most the extent.
fn stays_within(size: &Size, step: &Size, extent: &Size, given: &Given) -> bool {
    let numbers = (size.as_number(), step.as_number(), extent.as_number());
    if let (Some(size), Some(step), Some(extent)) = numbers {
        return step.checked_mul(size - 1).is_some_and(|last| last < extent);
    }
    step.times(size).is_some_and(|reached| given.is_at_most(&reached, extent))
}

/// A leaf of the answer, the number of remaining elements, and their stride beyond the extent.
struct Slant {
    leaf: (Size, Size),
    rest: Size,
    further: Size,
}

/// Composes with a leaf whose stride is a multiple of the first extent plus a remainder, which divides the extent or is reached
/// within it: each step is a step of both leaves, at the sum of their strides.
fn slanted(
    outer: &[(Size, Size)],
    size: &Size,
    stride: &Size,
    given: &Given,
) -> Result<Option<Slant>, Stop> {
    let overflow = || Refusal::Overflow;
    let Some(((extent, apart), behind)) = outer.split_first() else { return Ok(None) };
    let Some((whole, more)) = stride.split_by(extent) else { return Ok(None) };
    let reached = more.times(size).ok_or_else(overflow)?;
    let parts = extent.over(&more).and_then(|steps| Some((size.over(&steps)?, steps)));
    let (rest, steps) = match parts {
        _ if stays_within(size, &more, extent, given) => (Size::number(1), size.clone()),
        Some(parts) => parts,
        // The rule has no other way to handle such a stride.
        None => {
            let lacks = vec![Condition::at_most(&reached, extent)];
            return Err(undivided(stride, extent, (&reached, extent), lacks, given));
        }
    };
    let [(_, across)] = &*composed_leaf(behind, &steps, &whole, given)? else { return Ok(None) };
    let along = apart.times(&more).and_then(|along| along.plus(across));
    let Some(both) = along else {
        let message = format!("a stride is not a sum of sizes: steps of {stride} over {extent}");
        return Err(Refusal::Unknown(message).into());
    };
    // All steps together pass the extent this many times, and the remainder passes it once more.
    let further = whole.times(&steps).and_then(|passed| passed.plus(&Size::number(1)));
    let further = further.ok_or_else(overflow)?;
    Ok(Some(Slant { leaf: (steps, both), rest, further }))
}

/// Stops at two sizes that do not divide each other; conditions that help include that the leaf ends within the extent.
fn undivided(
    one: &Size,
    other: &Size,
    (reached, extent): (&Size, &Size),
    mut lacks: Vec<Condition>,
    given: &Given,
) -> Stop {
    let within = Condition::at_most(reached, extent);
    let (low, high) = reached.reduced(extent);
    // A bound from above comes last: few sizes satisfy it.
    match high.is_number() {
        _ if reached.rounded_up().is_some() => {}
        true if low.is_number() => {}
        true => lacks.push(within),
        false => lacks.insert(0, within),
    }
    let [one, other] = [one, other].map(|size| given.restored(size).unwrap_or(size.clone()));
    let message = format!("{one} and {other} do not divide each other for all values");
    Stop::Lacks(message, lacks)
}

/// Returns the conditions under which rounded-up quotients are exact.
fn even(sizes: &[&Size]) -> Vec<Condition> {
    let quotients = sizes.iter().filter_map(|size| size.rounded_up());
    quotients.map(|(size, divisor)| Condition::divides(divisor, size)).collect()
}

/// Divides the layout by a tile: a mode for the tile, and one for the rest.
pub(super) fn divided(
    layout: &NamedLayout,
    tile: &NamedLayout,
    given: &Given,
) -> Result<Proposed, Stop> {
    let rest = complement_in(tile, &layout.size()?, given)?;
    let by_rule = vec![complement_claim(tile, &rest, given)?];
    let both = NamedLayout::plain(Part::Nested(vec![tile.part.clone(), rest.part]));
    Ok(Proposed { by_rule, ..composed(layout, &both, given)? })
}

/// Copies the layout for each element of a tile: a mode for the layout, and one for the copies.
pub(super) fn multiplied(
    layout: &NamedLayout,
    tile: &NamedLayout,
    given: &Given,
) -> Result<Proposed, Stop> {
    let (mut free, covered) = gaps(layout, given)?;
    product_of(&free)?;
    // The last leaf has as many elements as the copies need.
    free.push((tile.size()?, covered));
    let rest = layout_of(merged(&free)?);
    let by_rule = vec![complement_claim(layout, &rest, given)?];
    let copies = composed(&rest, tile, given)?;
    let part = Part::Nested(vec![layout.part.clone(), copies.layout.part]);
    Ok(Proposed { layout: NamedLayout::plain(part), by_rule, ..copies })
}
