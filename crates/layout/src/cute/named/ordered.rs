//! Contiguous leaves in order for all values of the names, and the claim that one layout inverts another.

use super::algebra::merged;
use super::given::Condition;
use super::layout::{NamedLayout, Part};
use super::size::Size;
use crate::cute::algebra::Refusal;
use crate::cute::claim::Claim;

/// Returns the contiguous leaves from stride 1 on, with the strides that count elements.
pub(super) fn ordered(leaves: &[(Size, Size)]) -> Result<NamedLayout, Refusal> {
    let mut numbered = Vec::new();
    let mut count = Size::number(1);
    for (size, stride) in leaves {
        numbered.push((size.clone(), stride.clone(), count.clone()));
        count = count.times(size).ok_or(Refusal::Overflow)?;
    }
    let mut reached = Size::number(1);
    let mut found = Vec::new();
    loop {
        let next =
            numbered.iter().position(|(size, stride, _)| !size.is_one() && *stride == reached);
        let Some(next) = next else { break };
        let (size, _, count) = numbered.remove(next);
        reached = reached.times(&size).ok_or(Refusal::Overflow)?;
        found.push((size, count));
    }
    Ok(NamedLayout::plain(Part::of_leaves(merged(&found)?)))
}

/// Returns the layout of the numbers themselves.
fn numbers(size: Size) -> NamedLayout {
    NamedLayout::plain(Part::Leaf(size, Size::number(1)))
}

/// Returns both sides of `second(first(x)) = x` for each element x of `first`, under the conditions.
pub(super) fn round_trip(
    first: &NamedLayout,
    second: &NamedLayout,
    conditions: &[Condition],
) -> Result<Claim, Refusal> {
    let composed = second.at(first, true, conditions)?;
    let identity = numbers(first.size()?).line(&second.names(), conditions)?;
    Ok(vec![(identity, composed)])
}

/// Returns the claim that the sums of some leaves are the numbers from 0 on, each once: their count equals the size of the
/// reached range. No equation if not all leaves are contiguous.
pub(super) fn covering(
    leaves: Vec<(Size, Size)>,
    conditions: &[Condition],
) -> Result<Claim, Refusal> {
    let back = ordered(&leaves)?;
    let all = NamedLayout::plain(Part::of_leaves(leaves));
    match all.size()? == back.size()? {
        true => round_trip(&back, &all, conditions),
        false => Ok(Vec::new()),
    }
}
