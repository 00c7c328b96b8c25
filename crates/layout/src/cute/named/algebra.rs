//! Layouts of the same function, and proofs that two functions are the same, for all values of the names.

use super::given::Condition;
use super::layout::{NamedLayout, Part};
use super::size::Size;
use crate::cute::algebra::{Refusal, grouped};
use crate::cute::claim::Claim;
use affinor::prove::{Budget, Reason, Verdict, equal_functions};
use std::collections::BTreeSet;

/// Returns the layout if each claim is proved.
pub(super) fn proved(
    found: NamedLayout,
    claims: &[Claim],
    budget: &Budget,
) -> Result<NamedLayout, Refusal> {
    for claim in claims {
        prove(&found, claim, budget)?;
    }
    Ok(found)
}

/// Proves that both maps of a pair are the same function for all values of the names.
fn prove(found: &NamedLayout, claim: &Claim, budget: &Budget) -> Result<(), Refusal> {
    let mut unknown = None;
    for (expected, map) in claim {
        let together = map.with_parameters_of(expected.domain());
        let map = together.map_err(|_| Refusal::Overflow)?;
        let expected = expected.with_parameters_of(map.domain()).map_err(|_| Refusal::Overflow)?;
        let verdict = equal_functions(&expected, &map, budget);
        match verdict.map_err(|error| Refusal::Unknown(error.message))? {
            Verdict::Proved => return Ok(()),
            Verdict::Unknown(Reason::Interrupted) => return Err(Refusal::Interrupted),
            Verdict::Unknown(reason) => {
                unknown.get_or_insert(reason);
            }
            Verdict::Refuted(found_at) => {
                let point: Vec<String> = found_at.point.iter().map(i64::to_string).collect();
                let point = point.join(", ");
                return Err(Refusal::Unknown(format!(
                    "by CuTe's rule it is {found}, which is wrong at ({point})"
                )));
            }
        }
    }
    match unknown {
        None => Ok(()),
        Some(reason) => {
            Err(Refusal::Unknown(format!("{found} was not proved for all values: {reason}")))
        }
    }
}

pub(super) fn layout_of(leaves: Vec<(Size, Size)>) -> NamedLayout {
    NamedLayout::plain(Part::of_leaves(leaves))
}

/// Merges leaves as far as neighbours allow for all values of the names.
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
/// [`Refusal::Unknown`] if the equality is not proved.
pub fn coalesce(layout: &NamedLayout, budget: &Budget) -> Result<NamedLayout, Refusal> {
    let found = layout_of(merged(&layout.leaves())?);
    same_line(layout, found, budget)
}

/// Returns the layout without nested modes.
///
/// # Errors
/// [`Refusal::Unknown`] if the equality is not proved.
pub fn flatten(layout: &NamedLayout, budget: &Budget) -> Result<NamedLayout, Refusal> {
    let leaf = |(size, stride)| Part::Leaf(size, stride);
    let part = Part::Nested(layout.leaves().into_iter().map(leaf).collect());
    same_line(layout, NamedLayout::plain(part), budget)
}

/// Returns the layout with the modes `from..to` combined into one mode.
///
/// # Errors
/// [`Refusal::None`] if there are no such modes.
pub fn group(
    layout: &NamedLayout,
    from: usize,
    to: usize,
    budget: &Budget,
) -> Result<NamedLayout, Refusal> {
    let grouped = grouped(&layout.modes(), from, to, Part::Nested)?;
    same_line(layout, NamedLayout::plain(Part::Nested(grouped)), budget)
}

/// Returns the claim that both have the same function of element numbers, before a swizzle.
pub(super) fn line_claim(one: &NamedLayout, other: &NamedLayout) -> Result<Claim, Refusal> {
    let names = one.names();
    Ok(vec![(one.line(&names, &[])?, other.line(&names, &[])?)])
}

fn same_line(
    layout: &NamedLayout,
    found: NamedLayout,
    budget: &Budget,
) -> Result<NamedLayout, Refusal> {
    let claim = line_claim(layout, &found)?;
    Ok(proved(found, &[claim], budget)?.under(layout.swizzle()))
}

/// Returns whether both have the same function of element numbers, for all values of the names that satisfy the conditions.
///
/// # Errors
/// [`Refusal::None`] with values at which they differ.
pub fn same_elements(
    one: &NamedLayout,
    other: &NamedLayout,
    conditions: &[Condition],
    budget: &Budget,
) -> Result<(), Refusal> {
    let mut names: BTreeSet<String> = one.names().union(&other.names()).cloned().collect();
    names.extend(conditions.iter().flat_map(Condition::names));
    let line = |layout: &NamedLayout| match one.swizzle() == other.swizzle() {
        // A swizzle is a bijection: two functions are equal under it iff they are equal.
        true => layout.line(&names, conditions),
        false => layout.swizzled(layout.line(&names, conditions)?),
    };
    let (left, right) = (line(one)?, line(other)?);
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
