//! Complements: the gaps between the strides, if these nest for all values of the names that satisfy the given conditions.

use super::algebra::{layout_of, merged};
use super::given::{Condition, Given};
use super::layout::NamedLayout;
use super::ordered::covering;
use super::proposal::Stop;
use super::size::Size;
use crate::cute::algebra::Refusal;
use crate::cute::claim::Claim;

/// Returns the gaps between the strides, and the total extent that they cover.
pub(super) fn gaps(layout: &NamedLayout, given: &Given) -> Result<(Vec<(Size, Size)>, Size), Stop> {
    let leaves = layout.leaves();
    let mut left: Vec<(Size, Size)> =
        leaves.into_iter().filter(|(size, stride)| !size.is_one() && !stride.is_zero()).collect();
    let mut gaps = Vec::new();
    let mut covered = Size::number(1);
    while !left.is_empty() {
        // The next stride divides all others for all values.
        let next = left.iter().position(|(_, stride)| {
            stride.over(&covered).is_some()
                && left.iter().all(|(_, other)| other.over(stride).is_some())
        });
        let Some(next) = next else {
            return Err(unordered(&left, &covered, given));
        };
        let (size, stride) = left.remove(next);
        let gap = stride.over(&covered).ok_or(Refusal::Overflow)?;
        gaps.push((gap, covered));
        covered = size.times(&stride).ok_or(Refusal::Overflow)?;
    }
    Ok((gaps, covered))
}

/// Any of the leaves may come next, if it nests under an additional condition.
fn unordered(left: &[(Size, Size)], covered: &Size, given: &Given) -> Stop {
    let mut lacks = Vec::new();
    for (number, (size, stride)) in left.iter().enumerate() {
        if stride.over(covered).is_none() {
            lacks.push(Condition::divides(covered, stride));
            continue;
        }
        let Some(extent) = size.times(stride) else { continue };
        let mut others = left.iter().enumerate().filter(|(other, _)| *other != number);
        if let Some((_, (_, other))) = others.find(|(_, (_, other))| other.over(&extent).is_none())
        {
            lacks.push(Condition::divides(&extent, other));
        }
    }
    let restored = |size: &Size| given.restored(size).unwrap_or(size.clone()).to_string();
    let strides: Vec<String> = left.iter().map(|(_, stride)| restored(stride)).collect();
    let message = format!(
        "of strides {} none is a multiple of {} and divides the others for all values",
        strides.join(", "),
        restored(covered)
    );
    Stop::Lacks(message, lacks)
}

/// Returns the claim that each number is the sum of an element of the layout and an element of its complement, exactly once.
pub(super) fn complement_claim(
    layout: &NamedLayout,
    complement: &NamedLayout,
    given: &Given,
) -> Result<Claim, Refusal> {
    let mut leaves = layout.leaves();
    leaves.extend(complement.leaves());
    leaves.retain(|(size, stride)| !size.is_one() && !stride.is_zero());
    covering(leaves, &given.constraints())
}

/// Returns the complement in the numbers below `target`.
pub(super) fn complement_in(
    layout: &NamedLayout,
    target: &Size,
    given: &Given,
) -> Result<NamedLayout, Stop> {
    let (mut gaps, covered) = gaps(layout, given)?;
    if let Some((gap, before)) = gaps.last().filter(|(gap, _)| !gap.is_one()) {
        // If the leaf may have a single element, its stride need not be kept free: the gap below it would join the one above.
        let stride = gap.times(before).ok_or(Refusal::Overflow)?;
        let size = covered.over(&stride).ok_or(Refusal::Overflow)?;
        let two = Size::number(2);
        if target.over(&stride).is_none() && !given.is_at_most(&two, &size) {
            let message = format!("{} may be 1", given.restored(&size).unwrap_or(size.clone()));
            return Err(Stop::Lacks(message, vec![Condition::at_most(&two, &size)]));
        }
    }
    let rest = target.ceil_div(&covered).ok_or_else(|| {
        let message = format!("{target} and {covered} are not at least 1 for all values");
        Refusal::Unknown(message)
    })?;
    gaps.push((rest, covered));
    Ok(layout_of(merged(&gaps)?))
}
