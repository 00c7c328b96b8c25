//! Inverses of layouts with named sizes.

use super::algebra::{merged, proved};
use super::complement::gaps;
use super::given::Given;
use super::layout::{NamedLayout, Part};
use super::proposal::Stop;
use super::size::Size;
use crate::cute::algebra::Refusal;
use affinor::prove::Budget;

/// The leaves that follow each other from stride 1 on, with the strides that count elements.
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

/// The layout of the numbers themselves.
pub(super) fn numbers(size: Size) -> NamedLayout {
    NamedLayout::plain(Part::Leaf(size, Size::number(1)))
}

fn without_swizzle(layout: &NamedLayout) -> Result<(), Refusal> {
    match layout.swizzle() {
        None => Ok(()),
        Some(_) => {
            let message = "an inverse under a swizzle is not looked for where sizes have names";
            Err(Refusal::Unknown(message.to_owned()))
        }
    }
}

/// Returns R with `layout(R(i)) = i` for each i that it has.
///
/// # Errors
/// [`Refusal::Unknown`] if it is not proved.
pub fn right_inverse(layout: &NamedLayout, budget: &Budget) -> Result<NamedLayout, Refusal> {
    without_swizzle(layout)?;
    let found = ordered(&layout.leaves())?;
    let composed = layout.at(&found, true, &[])?;
    let identity = numbers(found.size()?).line(&layout.names(), &[])?;
    proved(found, &[vec![(identity, composed)]], budget)
}

/// Returns L with `L(layout(x)) = x` for each element x, and whether it is the inverse in both directions.
///
/// # Errors
/// [`Refusal::None`] if several elements have one offset; [`Refusal::Unknown`] if strides do not nest for all values.
pub fn left_inverse(layout: &NamedLayout, budget: &Budget) -> Result<(NamedLayout, bool), Refusal> {
    without_swizzle(layout)?;
    let leaves = layout.leaves();
    if let Some((size, _)) = leaves.iter().find(|(size, stride)| stride.is_zero() && !size.is_one())
    {
        return Err(Refusal::Unknown(format!("{size} elements lie at one offset")));
    }
    let (free, covered) = gaps(layout, &Given::default()).map_err(Stop::refusal)?;
    let mut both = leaves;
    both.extend(free);
    both.push((Size::number(1), covered));
    let found = ordered(&both)?;
    let composed = found.at(layout, true, &[])?;
    let identity = numbers(layout.size()?).line(&layout.names(), &[])?;
    let is_inverse = found.size()? == layout.size()?;
    Ok((proved(found, &[vec![(identity, composed)]], budget)?, is_inverse))
}
