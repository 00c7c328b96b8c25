//! An operation under conditions: each rule that lacks a condition is retried with it, and the answer lists all conditions.
//!
//! An answer is proved for all values that satisfy its conditions. The conditions are sufficient; that no layout exists otherwise
//! is claimed only for single values, shown with numbers.

use super::algebra::proved;
use super::by_modes::{composed_by, divided_by, multiplied_by};
use super::claims::{Relation, claims};
use super::complement::{complement_claim, complement_in};
use super::given::{Condition, Given};
use super::instance::without_layout;
use super::layout::NamedLayout;
use super::proposal::{Operation, Proposed, Stop};
use super::recast::recast_in;
use super::tiler::NamedTiler;
use crate::cute::algebra::Refusal;
use crate::cute::claim::Claim;
use affinor::prove::Budget;
use std::collections::BTreeSet;

/// Maximum number of sets of conditions under which a rule is tried.
const MOST_TRIED: usize = 64;

/// Maximum number of proposals that are proved or refuted.
const MOST_PROOFS: usize = 4;

/// Maximum number of conditions of an answer.
const MOST_CONDITIONS: usize = 6;

/// Returns the proposal of the rule. A swizzle of the first layout is applied to the answer, which is otherwise computed without
/// it.
fn proposed(
    operation: Operation,
    first: &NamedLayout,
    second: &NamedTiler,
    given: &Given,
) -> Result<Proposed, Stop> {
    let swizzle = first.swizzle();
    let plain = first.clone().under(None);
    if second.is_swizzled() {
        let message =
            "the second layout has a swizzle, which is not supported where sizes have names";
        return Err(Refusal::Unknown(message.to_owned()).into());
    }
    let found = match operation {
        Operation::Compose => composed_by(&plain, second, given)?,
        Operation::Complement => {
            let NamedTiler::Whole(target) = second else {
                let message = "a complement is within the elements of a layout or a size";
                return Err(Refusal::None(message.to_owned()).into());
            };
            if swizzle.is_some() {
                let message = "a layout under a swizzle has no complement";
                return Err(Refusal::None(message.to_owned()).into());
            }
            let layout = complement_in(&plain, &target.size()?, given)?;
            let by_rule = vec![complement_claim(&plain, &layout, given)?];
            return Ok(Proposed { layout, claims: Vec::new(), by_rule, carries: Vec::new() });
        }
        Operation::Recast(_) if swizzle.is_some() => {
            let message = "recast takes a layout without a swizzle";
            return Err(Refusal::Unknown(message.to_owned()).into());
        }
        Operation::Recast(widths) => recast_in(&plain, widths, given)?,
        Operation::Divide(arrangement) => divided_by(&plain, second, arrangement, given)?,
        Operation::Product(how) => multiplied_by(&plain, second, how, given)?,
    };
    Ok(Proposed { layout: found.layout.under(swizzle), ..found })
}

/// Returns the answer of an operation for all values of the names, without conditions.
///
/// # Errors
/// [`Refusal::Unknown`] if sizes and strides do not divide each other, or those of a complement do not nest, for all values; or
/// if it is not proved. [`Refusal::None`] if no layout exists for any values.
pub fn unconditional(
    operation: Operation,
    first: &NamedLayout,
    second: &NamedTiler,
    budget: &Budget,
) -> Result<NamedLayout, Refusal> {
    let found = proposed(operation, first, second, &Given::default()).map_err(Stop::refusal)?;
    proved(found.layout, &found.claims, budget)
}

/// A layout for all values of the names that satisfy some conditions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Conditional {
    /// The layout. Its rounded-up quotients are exact if the conditions hold.
    pub layout: NamedLayout,
    /// The conditions, all of which must hold; empty if the layout is the answer for all values from 1 on.
    pub conditions: Vec<Condition>,
    /// Values that violate the conditions and for which no layout is the answer, with the reason.
    pub otherwise: Option<String>,
    /// Equations that establish it, before a swizzle. In them, a name may denote a quotient of the original name.
    pub claims: Vec<Claim>,
    /// Each name that denotes a quotient in the claims, with the product that it was replaced by.
    pub products: Vec<(String, String)>,
}

impl Conditional {
    /// Creates a layout for all values.
    #[must_use]
    pub fn always(layout: NamedLayout) -> Conditional {
        let (conditions, claims, products) = (Vec::new(), Vec::new(), Vec::new());
        Conditional { layout, conditions, otherwise: None, claims, products }
    }

    /// Creates a layout for all values that has this relation to other layouts.
    ///
    /// # Errors
    /// [`Refusal::Overflow`] if a number does not fit.
    pub fn related(layout: NamedLayout, relation: Relation<'_>) -> Result<Conditional, Refusal> {
        let claims = claims(relation, &layout)?;
        Ok(Conditional { claims, ..Conditional::always(layout) })
    }

    /// Returns the names in it, sorted.
    #[must_use]
    pub fn names(&self) -> BTreeSet<String> {
        let mut names = self.layout.names();
        names.extend(self.conditions.iter().flat_map(Condition::names));
        names
    }
}

/// Returns the answer of an operation for all values that satisfy the assumed conditions and as few further conditions as were
/// found. The answer's conditions include both.
///
/// # Errors
/// [`Refusal::None`] with values for which no layout is the answer, if no conditions were found; [`Refusal::Unknown`] if no such
/// values were found either.
pub fn conditional(
    operation: Operation,
    first: &NamedLayout,
    second: &NamedTiler,
    assumed: &[Condition],
    budget: &Budget,
) -> Result<Conditional, Refusal> {
    match found(operation, first, second, assumed, budget) {
        Ok(mut found) => {
            if !found.conditions.is_empty() {
                let conditions = &found.conditions;
                found.otherwise = without_layout(operation, first, second, assumed, conditions)?;
            }
            Ok(found)
        }
        Err(Refusal::Unknown(why)) => {
            match without_layout(operation, first, second, assumed, &[])? {
                Some(place) => Err(Refusal::None(format!(
                    "there is no one layout for all sizes: {why}; {place}"
                ))),
                None => Err(Refusal::Unknown(why)),
            }
        }
        Err(other) => Err(other),
    }
}

fn found(
    operation: Operation,
    first: &NamedLayout,
    second: &NamedTiler,
    assumed: &[Condition],
    budget: &Budget,
) -> Result<Conditional, Refusal> {
    let start = Given::all(assumed);
    let most = start.count() + MOST_CONDITIONS;
    // Each candidate comes with whether the leaves of an index must not overlap, because the answer was wrong without this.
    let mut left = vec![(start, false)];
    let (mut tried, mut proofs) = (0, 0);
    let mut refusal = None;
    while let Some((given, mut is_apart)) = left.pop() {
        tried += 1;
        if tried > MOST_TRIED {
            break;
        }
        let one = first.replaced(|size| given.size(size));
        let other = second.replaced(|size| given.size(size));
        let (Some(one), Some(other)) = (one, other) else { continue };
        let stop = match proposed(operation, &one, &other, &given) {
            Ok(found) if is_apart && !found.carries.is_empty() => carried(found.carries),
            Ok(found) => {
                proofs += 1;
                match proved(found.layout, &found.claims, budget) {
                    Ok(layout) => {
                        if let Some(answer) = answer(&layout, &given, assumed) {
                            let claims = [found.claims, found.by_rule].concat();
                            return Ok(Conditional { claims, ..answer });
                        }
                        Stop::Refused(Refusal::Overflow)
                    }
                    Err(Refusal::Interrupted) => return Err(Refusal::Interrupted),
                    Err(other) => {
                        refusal.get_or_insert(other);
                        is_apart = true;
                        carried(found.carries)
                    }
                }
            }
            Err(stop) => stop,
        };
        if let Stop::Lacks(_, lacks) = &stop
            && given.count() < most
        {
            let further: Vec<Given> = lacks.iter().flat_map(|lack| given.with(lack)).collect();
            left.extend(further.into_iter().rev().map(|given| (given, is_apart)));
        }
        refusal.get_or_insert(stop.refusal());
        if proofs >= MOST_PROOFS {
            break;
        }
    }
    Err(refusal.unwrap_or(Refusal::Overflow))
}

/// Stops for two leaves of an index that may carry into each other, with conditions that separate them; without such leaves, no
/// condition helps.
fn carried(carries: Vec<Vec<Condition>>) -> Stop {
    let lacks = carries.into_iter().next().unwrap_or_default();
    Stop::Lacks("offsets of the second layout carry into each other".to_owned(), lacks)
}

/// Returns the answer over the names. An assumed condition that was not used, or could not be, stays a condition.
fn answer(layout: &NamedLayout, given: &Given, assumed: &[Condition]) -> Option<Conditional> {
    let mut conditions = given.clone().tidied().conditions()?;
    conditions.extend(given.without(assumed));
    Some(Conditional {
        layout: layout.replaced(|size| given.restored(size))?,
        conditions,
        otherwise: None,
        claims: Vec::new(),
        products: given.products(),
    })
}
