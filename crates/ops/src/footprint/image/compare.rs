//! Compares the reads of two maps: union, intersection and differences.
//!
//! Law: sizes and verdicts are those of the two sets of results. They are counted if both maps have few points, computed if
//! both sets are exactly products of progressions, and undecided otherwise. Containment may also be proved.

use super::Basis;
use super::points::{Points, Stop, few_points};
use super::progression::Progression;
use super::region::{Region, behind, region};
use affinor::expr::{Domain, ExprError, IndexingMap, Variable, VariableKind};
use affinor::prove::{Budget, Reader, Reason, Verdict, covered};
use std::collections::BTreeSet;

/// Numbers of elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sizes {
    /// Read by the first map.
    pub first: u128,
    /// Read by the second map.
    pub second: u128,
    /// Read by both.
    pub both: u128,
}

impl Sizes {
    /// Returns the size of the union.
    #[must_use]
    pub fn either(self) -> u128 {
        self.first.saturating_add(self.second - self.both)
    }
}

/// A comparison of the reads of two maps.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Comparison {
    /// Sizes of both sets and of their intersection.
    pub sizes: Sizes,
    /// The least element that only the first map reads.
    pub only_first: Option<Vec<i64>>,
    /// The least element that only the second map reads.
    pub only_second: Option<Vec<i64>>,
    /// The least element that both read.
    pub both: Option<Vec<i64>>,
    /// [`Basis::Proved`] or [`Basis::Counted`].
    pub basis: Basis,
}

/// The verdict on whether one map reads everything that another reads, with an element that it does not read, and the basis of
/// the verdict.
pub type Containment = (Verdict<Vec<i64>>, Basis);

/// Compares the reads of two maps with equally many results.
///
/// # Errors
/// [`Stop::TooMany`] if they can be neither counted nor computed.
pub fn compare(
    first: &IndexingMap,
    second: &IndexingMap,
    budget: &Budget,
) -> Result<Comparison, Stop> {
    if let Some((first, second)) = sets(first, second, budget)? {
        let both = first.intersection(&second);
        return Ok(Comparison {
            sizes: Sizes {
                first: first.len() as u128,
                second: second.len() as u128,
                both: both.clone().count() as u128,
            },
            only_first: first.difference(&second).next().cloned(),
            only_second: second.difference(&first).next().cloned(),
            both: both.clone().next().cloned(),
            basis: Basis::Counted,
        });
    }
    let (one, other) = (region(first, budget)?, region(second, budget)?);
    of_regions(&one, &other).ok_or(Stop::TooMany)
}

/// Decides whether `container` reads everything that `content` reads. Both have equally many results.
///
/// # Errors
/// [`Stop::Eval`] if a value does not fit, [`Stop::Interrupted`].
pub fn contains(
    container: &IndexingMap,
    content: &IndexingMap,
    budget: &Budget,
) -> Result<Containment, Stop> {
    match compare(container, content, budget) {
        Ok(found) => {
            let verdict = found.only_second.map_or(Verdict::Proved, Verdict::Refuted);
            return Ok((verdict, found.basis));
        }
        Err(Stop::TooMany) => {}
        Err(stop) => return Err(stop),
    }
    let verdict = match is_covered(container, content, budget) {
        Ok(Ok(())) => Verdict::Proved,
        Ok(Err(Reason::Interrupted)) => return Err(Stop::Interrupted),
        Ok(Err(reason)) => Verdict::Unknown(reason),
        Err(_) => Verdict::Unknown(Reason::Overflow),
    };
    Ok((verdict, Basis::Proved))
}

/// The sets of elements that the two maps read.
type Sets = (BTreeSet<Vec<i64>>, BTreeSet<Vec<i64>>);

fn sets(first: &IndexingMap, second: &IndexingMap, budget: &Budget) -> Result<Option<Sets>, Stop> {
    let few = few_points(first.domain(), budget).zip(few_points(second.domain(), budget));
    let Some((of_first, of_second)) = few else {
        return Ok(None);
    };
    let set = |map: &IndexingMap, most| -> Result<BTreeSet<Vec<i64>>, Stop> {
        let mut read = BTreeSet::new();
        for point in Points::new(map.domain(), most, budget)? {
            read.insert(map.eval(&point?)?);
        }
        Ok(read)
    };
    Ok(Some((set(first, of_first)?, set(second, of_second)?)))
}

/// Compares two regions; `None` unless both are exact.
fn of_regions(first: &Region, second: &Region) -> Option<Comparison> {
    if !first.is_exact() || !second.is_exact() {
        return None;
    }
    let pairs = first.progressions.iter().zip(&second.progressions);
    let meets: Option<Vec<Progression>> = pairs.map(|(x, y)| x.meet(*y)).collect();
    let meet = Region { progressions: meets?, basis: first.basis.max(second.basis) };
    let sizes = Sizes { first: first.size()?, second: second.size()?, both: meet.size()? };
    Some(Comparison {
        sizes,
        only_first: outside(first, &meet)?,
        only_second: outside(second, &meet)?,
        both: (sizes.both > 0).then(|| meet.progressions.iter().map(|p| p.first).collect()),
        basis: meet.basis,
    })
}

/// Returns the least element of `region` outside of its subset `meet`. The outer `None` means unknown.
fn outside(region: &Region, meet: &Region) -> Option<Option<Vec<i64>>> {
    let (size, common) = (region.size()?, meet.size()?);
    let first: Vec<i64> = region.progressions.iter().map(|p| p.first).collect();
    if size == common {
        return Some(None);
    }
    if common == 0 {
        return Some(Some(first));
    }
    let pairs = region.progressions.iter().zip(&meet.progressions);
    if pairs.clone().any(|(all, part)| part.first != all.first) {
        return Some(Some(first));
    }
    // The first element is in both: the next one in the last dimension in which the regions differ is only in the first.
    let mut pairs = pairs.enumerate();
    let (place, (all, part)) = pairs.rfind(|(_, (all, part))| all.count != part.count)?;
    let value = match part.count > 1 && part.step == all.step {
        true => part.last().checked_add(all.step)?,
        false => all.first.checked_add(all.step)?,
    };
    let mut element = first;
    element[place] = value;
    Some(Some(element))
}

fn is_covered(
    container: &IndexingMap,
    content: &IndexingMap,
    budget: &Budget,
) -> Result<Result<(), Reason>, ExprError> {
    let variables = content.domain().variables().iter();
    let dimensions: Vec<Variable> = variables
        .map(|v| Variable::new(v.name.clone(), VariableKind::Dimension, v.bounds))
        .collect();
    let mut from = Domain::new(dimensions.clone());
    for constraint in content.domain().constraints() {
        from.constrain(&constraint.expr, constraint.bounds);
    }
    if content.domain().is_known_empty() {
        from.make_empty();
    }
    let reader = Reader { map: behind(container, dimensions)?, wanted: content.results().to_vec() };
    Ok(covered(&from, &[reader], budget))
}
