//! Inverses of layouts with named sizes.

use super::algebra::proved;
use super::complement::gaps;
use super::given::Given;
use super::layout::NamedLayout;
use super::ordered::{ordered, round_trip};
use super::proposal::Stop;
use super::size::Size;
use crate::cute::algebra::Refusal;
use affinor::prove::Budget;

fn without_swizzle(layout: &NamedLayout) -> Result<(), Refusal> {
    match layout.swizzle() {
        None => Ok(()),
        Some(_) => {
            let message = "an inverse under a swizzle is not looked for where sizes have names";
            Err(Refusal::Unknown(message.to_owned()))
        }
    }
}

/// Returns R with `layout(R(i)) = i` for each i in its domain.
///
/// # Errors
/// [`Refusal::Unknown`] if it is not proved.
pub fn right_inverse(layout: &NamedLayout, budget: &Budget) -> Result<NamedLayout, Refusal> {
    without_swizzle(layout)?;
    let found = ordered(&layout.leaves())?;
    let claim = round_trip(&found, layout, &[])?;
    proved(found, &[claim], budget)
}

/// Returns L with `L(layout(x)) = x` for each element x, and whether it is the inverse in both directions.
///
/// # Errors
/// [`Refusal::None`] if several elements have the same offset; [`Refusal::Unknown`] if strides do not nest for all values.
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
    let claim = round_trip(layout, &found, &[])?;
    let is_inverse = found.size()? == layout.size()?;
    Ok((proved(found, &[claim], budget)?, is_inverse))
}
