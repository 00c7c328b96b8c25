//! The equations that establish the answer of an operation without open conditions.

use super::algebra::line_claim;
use super::layout::NamedLayout;
use super::ordered::round_trip;
use crate::cute::algebra::Refusal;
use crate::cute::claim::Claim;

/// The relation between an answer and its operands.
#[derive(Clone, Copy, Debug)]
pub enum Relation<'l> {
    /// The same function of element numbers.
    SameLine(&'l NamedLayout),
    /// `answer(layout(x)) = x`
    LeftInverse(&'l NamedLayout),
    /// `layout(answer(i)) = i`
    RightInverse(&'l NamedLayout),
    /// `one(answer(i)) = other(answer(i)) = i`
    Common(&'l NamedLayout, &'l NamedLayout),
}

/// Returns the equations that state the relation.
///
/// # Errors
/// [`Refusal::Overflow`] if a number does not fit.
pub(super) fn claims(relation: Relation<'_>, answer: &NamedLayout) -> Result<Vec<Claim>, Refusal> {
    Ok(match relation {
        Relation::SameLine(layout) => vec![line_claim(layout, answer)?],
        Relation::LeftInverse(layout) => vec![round_trip(layout, answer, &[])?],
        Relation::RightInverse(layout) => vec![round_trip(answer, layout, &[])?],
        Relation::Common(one, other) => {
            vec![round_trip(answer, one, &[])?, round_trip(answer, other, &[])?]
        }
    })
}
