//! An operation under conditions: each rule that lacks one is asked again with it, and the answer says them all.
//!
//! An answer is proved for all values that meet its conditions. These suffice; that there is no layout elsewhere is said
//! of single values only, which numbers show.

use super::algebra::proved;
use super::complement::complement_in;
use super::compose::{composed, divided, multiplied};
use super::given::{Condition, Given};
use super::instance::without_layout;
use super::layout::NamedLayout;
use super::proposal::{Operation, Proposed, Stop};
use crate::cute::algebra::{Arrangement, Refusal};
use affinor::prove::Budget;
use std::collections::BTreeSet;

/// Maximum number of sets of conditions under which a rule is tried.
const MOST_TRIED: usize = 64;

/// Maximum number of proposals that are proved or refuted.
const MOST_PROOFS: usize = 4;

/// Maximum number of conditions of an answer.
const MOST_CONDITIONS: usize = 6;

/// The proposal of the rule.
fn proposed(
    operation: Operation,
    first: &NamedLayout,
    second: &NamedLayout,
    given: &Given,
) -> Result<Proposed, Stop> {
    match operation {
        Operation::Compose => composed(first, second, given),
        Operation::Complement => {
            let layout = complement_in(first, &second.size()?, given)?;
            Ok(Proposed { layout, claims: Vec::new() })
        }
        Operation::Divide(arrangement) => divided(first, second, arrangement, given),
        Operation::Product(arrangement) => multiplied(first, second, arrangement, given),
    }
}

/// The answer without conditions.
fn plain(
    operation: Operation,
    first: &NamedLayout,
    second: &NamedLayout,
    budget: &Budget,
) -> Result<NamedLayout, Refusal> {
    let found = proposed(operation, first, second, &Given::default()).map_err(Stop::refusal)?;
    proved(found.layout, &found.claims, budget)
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
    plain(Operation::Compose, first, second, budget)
}

/// Returns the complement in the numbers below `target`: by its rule, both together count through as digits of
/// one number do.
///
/// # Errors
/// [`Refusal::Unknown`] if strides do not nest for all values.
pub fn complement(layout: &NamedLayout, target: &NamedLayout) -> Result<NamedLayout, Refusal> {
    plain(Operation::Complement, layout, target, &Budget::default())
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
    plain(Operation::Divide(arrangement), layout, tile, budget)
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
    plain(Operation::Product(arrangement), layout, tile, budget)
}

/// A layout for all values of the names that meet some conditions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Conditional {
    /// The layout. Quotients in it come out even where the conditions hold.
    pub layout: NamedLayout,
    /// The conditions, all of which have to hold; none if the layout is the answer for all values from 1 on.
    pub conditions: Vec<Condition>,
    /// Values that do not meet the conditions, at which no layout is the answer; and why.
    pub otherwise: Option<String>,
}

impl Conditional {
    /// The names in it, sorted.
    #[must_use]
    pub fn names(&self) -> BTreeSet<String> {
        let mut names = self.layout.names();
        names.extend(self.conditions.iter().flat_map(Condition::names));
        names
    }
}

/// Returns the answer of an operation for all values that meet as few conditions as were found.
///
/// # Errors
/// [`Refusal::None`] with values at which no layout is the answer, if no conditions were found; [`Refusal::Unknown`] if
/// there are no such values either.
pub fn conditional(
    operation: Operation,
    first: &NamedLayout,
    second: &NamedLayout,
    budget: &Budget,
) -> Result<Conditional, Refusal> {
    match found(operation, first, second, budget) {
        Ok(mut found) => {
            if !found.conditions.is_empty() {
                found.otherwise = without_layout(operation, first, second, &found.conditions)?;
            }
            Ok(found)
        }
        Err(Refusal::Unknown(why)) => match without_layout(operation, first, second, &[])? {
            Some(place) => {
                Err(Refusal::None(format!("there is no one layout for all sizes: {why}; {place}")))
            }
            None => Err(Refusal::Unknown(why)),
        },
        Err(other) => Err(other),
    }
}

fn found(
    operation: Operation,
    first: &NamedLayout,
    second: &NamedLayout,
    budget: &Budget,
) -> Result<Conditional, Refusal> {
    let mut left = vec![Given::default()];
    let (mut tried, mut proofs) = (0, 0);
    let mut refusal = None;
    while let Some(given) = left.pop() {
        tried += 1;
        if tried > MOST_TRIED {
            break;
        }
        let over = |layout: &NamedLayout| layout.replaced(|size| given.size(size));
        let (Some(one), Some(other)) = (over(first), over(second)) else { continue };
        let stop = match proposed(operation, &one, &other, &given) {
            Ok(found) => {
                proofs += 1;
                match proved(found.layout, &found.claims, budget) {
                    Ok(layout) => {
                        if let Some(answer) = answer(&layout, &given) {
                            return Ok(answer);
                        }
                        Stop::Refused(Refusal::Overflow)
                    }
                    Err(Refusal::Interrupted) => return Err(Refusal::Interrupted),
                    Err(other) => Stop::Refused(other),
                }
            }
            Err(stop) => stop,
        };
        if let Stop::Lacks(_, lacks) = &stop
            && given.count() < MOST_CONDITIONS
        {
            let further: Vec<Given> = lacks.iter().flat_map(|lack| given.with(lack)).collect();
            left.extend(further.into_iter().rev());
        }
        refusal.get_or_insert(stop.refusal());
        if proofs >= MOST_PROOFS {
            break;
        }
    }
    Err(refusal.unwrap_or(Refusal::Overflow))
}

/// The answer over the names.
fn answer(layout: &NamedLayout, given: &Given) -> Option<Conditional> {
    Some(Conditional {
        layout: layout.replaced(|size| given.restored(size))?,
        conditions: given.clone().tidied().conditions()?,
        otherwise: None,
    })
}
