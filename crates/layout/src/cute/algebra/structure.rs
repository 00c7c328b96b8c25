//! Other structures of the same function: `coalesce` minimizes the number of modes, `flatten` removes nesting, `group` combines
//! modes into one.
//!
//! Law: element number i keeps its offset. Two leaves `(m, n):(d, m*d)` merge to one, `m*n:d`; a leaf of size 1 disappears. The
//! shortest form is unique: its first leaf ends where the function first leaves the line through its first two elements.

use super::answer::{Basis, Made, Refusal};
use super::check::{Agreement, agree};
use super::flat::{Flat, leaves, merged, size};
use crate::cute::layout::Layout;
use crate::cute::mode::Mode;
use affinor::prove::Budget;

/// Returns the layout with the fewest modes for the same function.
///
/// # Errors
/// [`Refusal::Unknown`] if the check was not finished.
pub fn coalesce(layout: &Layout, budget: &Budget) -> Result<Made, Refusal> {
    let mode = Mode::of_leaves(&merged(&leaves(layout))?);
    let found = layout.with_modes(mode.into_modes(), true)?;
    checked(layout, found, budget)
}

/// Returns the layout without nested modes.
///
/// # Errors
/// [`Refusal::Unknown`] if the check was not finished.
pub fn flatten(layout: &Layout, budget: &Budget) -> Result<Made, Refusal> {
    if layout.is_single() {
        let line = layout.line()?;
        let claim = vec![(line.clone(), line)];
        return Ok(Made::shown_by(layout.clone(), Basis::Proved, claim));
    }
    let leaf = |(size, stride)| Mode::Leaf { size, stride };
    let modes = leaves(layout).into_iter().map(leaf).collect();
    checked(layout, layout.with_modes(modes, false)?, budget)
}

/// Returns the layout with the modes `from..to` combined into one mode.
///
/// # Errors
/// [`Refusal::None`] if there are no such modes.
pub fn group(layout: &Layout, from: usize, to: usize, budget: &Budget) -> Result<Made, Refusal> {
    let grouped = grouped(layout.modes(), from, to, Mode::Nested)?;
    checked(layout, layout.with_modes(grouped, false)?, budget)
}

/// Returns the modes with those in `from..to` combined into one by `nest`.
///
/// # Errors
/// [`Refusal::None`] if there are no such modes.
pub(in crate::cute) fn grouped<M: Clone>(
    modes: &[M],
    from: usize,
    to: usize,
    nest: impl FnOnce(Vec<M>) -> M,
) -> Result<Vec<M>, Refusal> {
    let Some(inside) = modes.get(from..to).filter(|inside| !inside.is_empty()) else {
        let count = modes.len();
        return Err(Refusal::None(format!("no modes {from}..{to}: the layout has {count}")));
    };
    let mut grouped = modes.get(..from).unwrap_or_default().to_vec();
    grouped.push(nest(inside.to_vec()));
    grouped.extend_from_slice(modes.get(to..).unwrap_or_default());
    Ok(grouped)
}

/// Returns the layout `found`, if its function is that of `layout`.
fn checked(layout: &Layout, found: Layout, budget: &Budget) -> Result<Made, Refusal> {
    let (before, after) = (Flat::of(layout), Flat::of(&found));
    let maps = || Ok((layout.line()?, found.line()?));
    let all = size(layout)?;
    match agree(all, |i| before.offset(i), |i| after.offset(i), maps, budget)? {
        Agreement::Equal(basis, claim) => Ok(Made::shown_by(found, basis, claim)),
        Agreement::Differ(place) => {
            Err(Refusal::Unknown(format!("the layout found differs {place}")))
        }
    }
}
