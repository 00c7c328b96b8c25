//! Counts the points of a domain, and the elements that a map reads.
//!
//! Law: both numbers are exact. A part without constraints has as many points as the product of its intervals; the
//! values of a linear sum are counted by [`sum_values`]; an injective part reads as many elements as it has points. The
//! rest is counted point by point.

use super::Basis;
use super::injective::proved_injective;
use super::parts::{Part, parts};
use super::points::{MOST_POINTS, Points, Stop, box_points, few_points};
use super::progression::{SumValues, sum_values};
use affinor::expr::{Domain, IndexingMap};
use affinor::prove::{Budget, Reason, Verdict, count_points, is_empty};
use affinor::text::json::wide;
use rustc_hash::FxHashSet;
use serde::Serialize;

/// Below this number of points, counting is cheaper than a proof.
const CHEAP: u64 = 20_000;

/// A number and its basis.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Count {
    /// The number.
    #[serde(serialize_with = "wide")]
    pub number: u128,
    /// With [`Basis::Cover`] an upper bound, otherwise exact.
    pub basis: Basis,
}

impl Count {
    /// Zero, by the law of a domain without points.
    pub const NOTHING: Count = Count::proved(0);

    /// Creates an exact count, by a law or a proof.
    #[must_use]
    pub const fn proved(number: u128) -> Count {
        Count { number, basis: Basis::Proved }
    }

    /// Creates an exact count, by enumeration.
    #[must_use]
    pub const fn counted(number: u128) -> Count {
        Count { number, basis: Basis::Counted }
    }

    /// Creates an upper bound.
    #[must_use]
    pub const fn at_most(number: u128) -> Count {
        Count { number, basis: Basis::Cover }
    }

    /// Returns whether the number is exact.
    #[must_use]
    pub fn is_exact(self) -> bool {
        self.basis != Basis::Cover
    }

    /// Multiplies two counts.
    pub(super) fn times(self, other: Count) -> Option<Count> {
        Some(Count {
            number: self.number.checked_mul(other.number)?,
            basis: self.basis.max(other.basis),
        })
    }
}

/// Counts the points of `domain`.
///
/// # Errors
/// [`Stop`] if a part that is not a box has too many points to enumerate.
pub fn points(domain: &Domain, budget: &Budget) -> Result<Count, Stop> {
    product(&IndexingMap::new(domain.clone(), Vec::new()), |part| {
        part_points(part.map.domain(), budget)
    })
}

/// Counts the distinct results of `map`.
///
/// # Errors
/// [`Stop`] if a part has too many points to enumerate, and no law applies.
pub fn elements(map: &IndexingMap, budget: &Budget) -> Result<Count, Stop> {
    product(map, |part| match part.results.is_empty() {
        true => any_point(part.map.domain(), budget),
        false => part_elements(&part.map, budget),
    })
}

/// Returns the product over the parts of `map`; zero if one part is empty, even if others cannot be counted.
fn product(
    map: &IndexingMap,
    mut count: impl FnMut(&Part) -> Result<Count, Stop>,
) -> Result<Count, Stop> {
    if map.domain().is_known_empty() {
        return Ok(Count::NOTHING);
    }
    let mut total = Ok(Count::proved(1));
    for part in parts(map).map_err(|_| Stop::TooMany)? {
        match (count(&part), &total) {
            (Ok(count), _) if count.number == 0 => return Ok(count),
            (Err(Stop::Interrupted), _) => return Err(Stop::Interrupted),
            (Err(stop), _) => total = Err(stop),
            (Ok(count), Ok(before)) => total = before.times(count).ok_or(Stop::TooMany),
            (Ok(_), Err(_)) => {}
        }
    }
    total
}

pub(super) fn part_points(domain: &Domain, budget: &Budget) -> Result<Count, Stop> {
    if domain.constraints().is_empty() {
        let number = box_points(domain.intervals());
        return number.map(Count::proved).ok_or(Stop::TooMany);
    }
    let of_box = box_points(domain.intervals());
    if of_box.is_none_or(|points| points > u128::from(MOST_POINTS)) {
        return count_points(domain, budget).map(Count::counted).ok_or(Stop::TooMany);
    }
    let mut number = 0;
    for point in Points::new(domain, MOST_POINTS, budget)? {
        point?;
        number += 1;
    }
    Ok(Count::counted(number))
}

/// Returns one if the domain has a point, otherwise zero.
pub(super) fn any_point(domain: &Domain, budget: &Budget) -> Result<Count, Stop> {
    if domain.constraints().is_empty() {
        return Ok(Count::proved(1));
    }
    match is_empty(domain, budget) {
        Verdict::Proved => Ok(Count::NOTHING),
        Verdict::Refuted(_) => Ok(Count::proved(1)),
        Verdict::Unknown(Reason::Interrupted) => Err(Stop::Interrupted),
        Verdict::Unknown(_) => Err(Stop::TooMany),
    }
}

pub(super) fn part_elements(map: &IndexingMap, budget: &Budget) -> Result<Count, Stop> {
    if let ([result], []) = (map.results(), map.domain().constraints()) {
        match sum_values(result, map.domain()) {
            Some(SumValues::Even(values)) => return Ok(Count::proved(values.count.into())),
            Some(SumValues::Distinct(number)) => return Ok(Count::proved(number)),
            None => {}
        }
    }
    let few = few_points(map.domain(), budget);
    if few.is_none_or(|points| points > CHEAP) && proved_injective(map, budget) == Ok(true) {
        return part_points(map.domain(), budget);
    }
    let mut found = FxHashSet::default();
    for point in Points::new(map.domain(), few.ok_or(Stop::TooMany)?, budget)? {
        found.insert(map.eval(&point?)?);
    }
    Ok(Count::counted(found.len() as u128))
}
