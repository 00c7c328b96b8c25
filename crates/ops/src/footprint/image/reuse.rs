//! Multiplicity: the number of times that a map reads an element.
//!
//! A *read* is a pair of a point of the dimensions and an element: an element that a point reads at several values of the range
//! variables counts once.
//!
//! Law: the numbers of elements, of reads, and of reads of the most frequently read element are each exact or an upper
//! bound according to its basis. Independent parts of the map multiply.

use super::count::{Count, any_point, part_elements, part_points};
use super::injective::proved_injective;
use super::parts::{Part, parts};
use super::points::{Points, Stop, box_points, few_points};
use affinor::expr::{IndexingMap, VariableKind};
use affinor::prove::Budget;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;

/// Maximum number of points of a part that are enumerated. Beyond, formulas and proofs apply.
const TRIED: u64 = 100_000;

/// Numbers of elements and reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Reuse {
    /// Number of distinct elements.
    pub elements: Count,
    /// Number of reads.
    pub reads: Count,
    /// Number of reads of the most frequently read element.
    pub greatest: Count,
}

impl Reuse {
    /// The reuse of a map without points.
    pub const NOTHING: Reuse =
        Reuse { elements: Count::NOTHING, reads: Count::NOTHING, greatest: Count::NOTHING };

    /// Returns the greater of each pair of numbers; an upper bound where they differ.
    #[must_use]
    pub fn or(self, other: Reuse) -> Reuse {
        let or = |x: Count, y: Count| match x.number == y.number {
            true => Count { number: x.number, basis: x.basis.max(y.basis) },
            false => Count::at_most(x.number.max(y.number)),
        };
        Reuse {
            elements: or(self.elements, other.elements),
            reads: or(self.reads, other.reads),
            greatest: or(self.greatest, other.greatest),
        }
    }

    /// Returns the same numbers as upper bounds.
    #[must_use]
    pub fn at_most(self) -> Reuse {
        Reuse {
            elements: Count::at_most(self.elements.number),
            reads: Count::at_most(self.reads.number),
            greatest: Count::at_most(self.greatest.number),
        }
    }

    fn times(self, other: Reuse) -> Option<Reuse> {
        Some(Reuse {
            elements: self.elements.times(other.elements)?,
            reads: self.reads.times(other.reads)?,
            greatest: self.greatest.times(other.greatest)?,
        })
    }
}

/// Computes the reuse of `map`.
///
/// # Errors
/// [`Stop::TooMany`] if a variable has no bounds or a number does not fit in 128 bits; [`Stop::Eval`] if a value does
/// not fit; [`Stop::Interrupted`].
pub fn reuse(map: &IndexingMap, budget: &Budget) -> Result<Reuse, Stop> {
    if map.domain().is_known_empty() {
        return Ok(Reuse::NOTHING);
    }
    let mut total =
        Reuse { elements: Count::proved(1), reads: Count::proved(1), greatest: Count::proved(1) };
    for part in parts(map).map_err(|_| Stop::TooMany)? {
        let found = of_part(&part, budget)?;
        if found.elements.number == 0 {
            return Ok(Reuse::NOTHING);
        }
        total = total.times(found).ok_or(Stop::TooMany)?;
    }
    Ok(total)
}

/// Collects the distinct reads of maps with the same dimensions by enumeration; each read is counted under the output that its
/// dimensions belong to.
pub(super) struct Tally {
    seen: FxHashSet<(usize, Vec<i64>, Vec<i64>)>,
    by_element: FxHashMap<Vec<i64>, u64>,
}

impl Tally {
    pub(super) fn new() -> Tally {
        Tally { seen: FxHashSet::default(), by_element: FxHashMap::default() }
    }

    /// Adds the reads of `map` for the output `number`.
    pub(super) fn add(
        &mut self,
        number: usize,
        map: &IndexingMap,
        most: u64,
        budget: &Budget,
    ) -> Result<(), Stop> {
        let dimensions = map.domain().count(VariableKind::Dimension);
        for point in Points::new(map.domain(), most, budget)? {
            let mut point = point?;
            let element = map.eval(&point)?;
            point.truncate(dimensions);
            if self.seen.insert((number, point, element.clone())) {
                *self.by_element.entry(element).or_default() += 1;
            }
        }
        Ok(())
    }

    pub(super) fn reuse(&self) -> Reuse {
        let greatest = self.by_element.values().max().copied().unwrap_or_default();
        Reuse {
            elements: Count::counted(self.by_element.len() as u128),
            reads: Count::counted(self.seen.len() as u128),
            greatest: Count::counted(greatest.into()),
        }
    }
}

fn of_part(part: &Part, budget: &Budget) -> Result<Reuse, Stop> {
    let (map, domain) = (&part.map, part.map.domain());
    let dimensions = domain.ids(VariableKind::Dimension);
    let dimensions = box_points(dimensions.map(|id| domain.bounds(id))).ok_or(Stop::TooMany)?;
    if part.results.is_empty() && domain.constraints().is_empty() {
        return Ok(Reuse {
            elements: Count::proved(1),
            reads: Count::proved(dimensions),
            greatest: Count::proved(dimensions),
        });
    }
    if let Some(most) = few_points(domain, budget).filter(|points| *points <= TRIED) {
        let mut tally = Tally::new();
        tally.add(0, map, most, budget)?;
        return Ok(tally.reuse());
    }
    if part.results.is_empty() {
        let points = at_most(part_points(domain, budget), dimensions)?;
        let points = match domain.count(VariableKind::Dimension) == domain.variables().len() {
            true => points,
            false => Count::at_most(points.number.min(dimensions)),
        };
        return Ok(Reuse {
            elements: at_most(any_point(domain, budget), 1)?,
            reads: points,
            greatest: points,
        });
    }
    let all = box_points(domain.intervals());
    let all = all.ok_or(Stop::TooMany)?;
    let ranges = box_points(map.ranges().into_iter()).unwrap_or(u128::MAX);
    let elements = at_most(part_elements(map, budget), ranges.min(all))?;
    let points = at_most(part_points(domain, budget), all)?;
    if proved_injective(map, budget)? {
        return Ok(Reuse {
            elements: match points.is_exact() {
                true => points,
                false => elements,
            },
            reads: points,
            greatest: Count::proved(1),
        });
    }
    let has_ranges = domain.count(VariableKind::Dimension) < domain.variables().len();
    Ok(Reuse {
        elements,
        reads: match has_ranges {
            true => Count::at_most(points.number),
            false => points,
        },
        greatest: Count::at_most(dimensions.min(points.number)),
    })
}

/// Returns `found`, or the upper bound `most` if there were too many points to compute it.
fn at_most(found: Result<Count, Stop>, most: u128) -> Result<Count, Stop> {
    match found {
        Err(Stop::TooMany) => Ok(Count::at_most(most)),
        found => found,
    }
}
