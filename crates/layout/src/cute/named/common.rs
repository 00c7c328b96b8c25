//! The common part of two layouts with named sizes.
//!
//! Law: R with `A(R(i)) = B(R(i)) = i`, for all values of the names, whose elements are elements of both. R follows the strides
//! of B as long as A agrees; it is not proved to be the longest.

use super::algebra::{layout_of, merged, proved};
use super::conditional::unconditional;
use super::layout::NamedLayout;
use super::ordered::{ordered, round_trip};
use super::proposal::Operation;
use super::size::Size;
use crate::cute::algebra::Refusal;
use affinor::prove::Budget;

/// Returns the layout of the elements that are contiguous from offset 0 on in both layouts.
///
/// # Errors
/// [`Refusal::Unknown`] for swizzled layouts, or if it is not proved.
pub fn max_common(
    one: &NamedLayout,
    other: &NamedLayout,
    budget: &Budget,
) -> Result<NamedLayout, Refusal> {
    if one.swizzle().or(other.swizzle()).is_some() {
        let message = "`common` takes layouts without a swizzle";
        return Err(Refusal::Unknown(message.to_owned()));
    }
    let elements = one.size()?;
    let (mut kept, mut reached) = (Vec::new(), Size::number(1));
    for (size, stride) in ordered(&other.leaves())?.leaves() {
        let leaf = layout_of(vec![(size.clone(), stride.clone())]);
        let along = match unconditional(Operation::Compose, one, &leaf.into(), budget) {
            Ok(along) => merged(&along.leaves())?,
            Err(Refusal::Interrupted) => return Err(Refusal::Interrupted),
            Err(_) => break,
        };
        let Some((run, _)) = along.into_iter().next().filter(|(_, step)| *step == reached) else {
            break;
        };
        // Beyond its last element a layout continues, but has no elements.
        let end = stride.times(&run).ok_or(Refusal::Overflow)?;
        let inside = elements.over(&stride).filter(|inside| inside.is_at_most(&run));
        let run = match (end.is_at_most(&elements), inside) {
            (true, _) => run,
            (false, Some(inside)) => inside,
            (false, None) => break,
        };
        reached = reached.times(&run).ok_or(Refusal::Overflow)?;
        let is_whole = run == size;
        kept.push((run, stride));
        if !is_whole {
            break;
        }
    }
    let found = layout_of(kept);
    let claims = [round_trip(&found, one, &[])?, round_trip(&found, other, &[])?];
    proved(found, &claims, budget)
}
