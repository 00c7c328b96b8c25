//! Utilisation of an operand: how much is read, and how often, when all elements of the output are computed once.
//!
//! A *read* is a pair of an output element and an operand element that it reads. Law: the numbers of elements read, of reads,
//! and of reads of the most frequently read element are exact or upper bounds, according to their basis; if reads depend on
//! runtime values, they hold for any such values.
//!
//! With one map, a runtime variable that is uniform in a run and only shifts the reads does not change any number, and
//! is replaced by one of its values. If few values are uniform in a run, all are tried. Any other variable is taken to
//! have all its values, which gives upper bounds.

use crate::footprint::image::{Count, Member, Region, Reuse, Stop, region, together, unread};
use crate::indexing::{Exactness, OperandMap, RuntimeVariable};
use affinor::expr::{Expr, ExprKind, IndexingMap, VariableId, VariableKind};
use affinor::num::Interval;
use affinor::prove::Budget;
use affinor::text::json::Wide;
use serde::{Serialize, Serializer};

/// The utilisation of an array.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Utilisation {
    /// Number of elements of the array.
    pub elements: u128,
    /// Numbers of elements read and of reads.
    pub reuse: Reuse,
    /// The boxes that the maps read, one per map.
    pub regions: Vec<Region>,
    /// Boxes that are never read, for any runtime values; `None` if there are too many.
    pub unread: Option<Vec<Vec<Interval>>>,
    /// Whether reads depend on a runtime value.
    pub is_steered: bool,
}

impl Serialize for Utilisation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Written<'a> {
            elements: Wide,
            read: Count,
            share: f64,
            reads: Count,
            #[serde(skip_serializing_if = "Option::is_none")]
            average: Option<f64>,
            greatest: Count,
            #[serde(skip_serializing_if = "Option::is_none")]
            unread: Option<&'a [Vec<Interval>]>,
            steered: bool,
        }
        let written = Written {
            elements: Wide(self.elements),
            read: self.reuse.elements,
            share: self.share(),
            reads: self.reuse.reads,
            average: self.average(),
            greatest: self.reuse.greatest,
            unread: self.unread.as_deref(),
            steered: self.is_steered,
        };
        written.serialize(serializer)
    }
}

impl Utilisation {
    /// Returns the share of the elements that is read, or an upper bound of it: between 0 and 1; 0 for an empty array.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a share to look at")]
    pub fn share(&self) -> f64 {
        match self.elements {
            0 => 0.0,
            elements => self.reuse.elements.number as f64 / elements as f64,
        }
    }

    /// Returns the average number of reads of an element that is read; `None` unless both numbers are exact.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "an average to look at")]
    pub fn average(&self) -> Option<f64> {
        let (reads, elements) = (self.reuse.reads, self.reuse.elements);
        let is_known = reads.is_exact() && elements.is_exact() && elements.number > 0;
        is_known.then(|| reads.number as f64 / elements.number as f64)
    }
}

/// Computes the utilisation of an array of these sizes (in elements) by `maps`, each with the number of its output.
///
/// # Errors
/// [`Stop::TooMany`] if a number does not fit in 128 bits; [`Stop::Eval`] if a value does not fit;
/// [`Stop::Interrupted`].
pub fn utilisation(
    maps: &[(usize, &OperandMap)],
    sizes: &[i64],
    budget: &Budget,
) -> Result<Utilisation, Stop> {
    let elements = sizes
        .iter()
        .try_fold(1_u128, |product, size| product.checked_mul(u128::try_from(*size).ok()?));
    let elements = elements.ok_or(Stop::TooMany)?;
    let reuse = match each_run(maps, budget)? {
        Some(reuse) => reuse,
        None => any_run(maps, elements, budget)?,
    };
    // The sum of the reads of several maps may exceed the number of elements.
    let reuse = match reuse.elements.number > elements {
        true => Reuse { elements: Count::at_most(elements), ..reuse },
        false => reuse,
    };
    // A box is unread only if no value of a runtime variable reads it.
    let regions = maps.iter().map(|(_, map)| region(&as_ranges(&map.map)?, budget));
    let regions: Vec<Region> = regions.collect::<Result<_, _>>()?;
    Ok(Utilisation {
        elements,
        reuse,
        unread: unread(&regions, sizes),
        regions,
        is_steered: maps.iter().any(|(_, map)| !map.runtime.is_empty()),
    })
}

/// Returns the reuse in any run, if every runtime variable is uniform in a run and there are few runs to try.
fn each_run(maps: &[(usize, &OperandMap)], budget: &Budget) -> Result<Option<Reuse>, Stop> {
    let mut steering: Vec<&RuntimeVariable> = Vec::new();
    for (_, map) in maps {
        for runtime in &map.runtime {
            if !is_one_number(runtime) {
                return Ok(None);
            }
            if !steering.iter().any(|known| is_same(known, runtime)) {
                steering.push(runtime);
            }
        }
    }
    let runs = steering.iter().map(|runtime| runtime.clamp.count());
    let runs = runs.into_iter().try_fold(1, |runs: u64, count| runs.checked_mul(count?));
    if steering.is_empty() || runs.is_none_or(|runs| runs > RUNS) {
        return Ok(None);
    }
    let mut values: Vec<i64> = steering.iter().map(|runtime| runtime.clamp.lo()).collect();
    let mut found: Option<Reuse> = None;
    loop {
        let mut members = Vec::new();
        for (output, map) in maps {
            let value_of = |runtime: &RuntimeVariable| {
                let place = steering.iter().position(|known| is_same(known, runtime));
                Some((runtime.variable, values[place?]))
            };
            let bound: Vec<(VariableId, i64)> = map.runtime.iter().filter_map(value_of).collect();
            let map = map.map.bound(&bound).map_err(|_| Stop::TooMany)?;
            if points(&map).is_none_or(|points| points > POINTS) {
                return Ok(None);
            }
            members.push(Member { output: *output, map });
        }
        let reuse = together(&members, budget)?;
        found = Some(match found {
            None => reuse,
            Some(most) => most.or(reuse),
        });
        // The next run: the last value varies fastest.
        let movable = (0..values.len()).rev();
        let mut movable = movable.filter(|place| values[*place] < steering[*place].clamp.hi());
        let Some(place) = movable.next() else {
            break;
        };
        values[place] += 1;
        for later in place + 1..values.len() {
            values[later] = steering[later].clamp.lo();
        }
    }
    let exact = maps.iter().all(|(_, map)| map.exactness == Exactness::Exact);
    Ok(found.map(|found| if exact { found } else { found.at_most() }))
}

/// Maximum number of runs tried, and of points of a map in each.
const RUNS: u64 = 64;
const POINTS: u128 = 20_000;

/// Returns the reuse in any run: a runtime variable takes all its values, unless it only shifts the reads.
fn any_run(maps: &[(usize, &OperandMap)], elements: u128, budget: &Budget) -> Result<Reuse, Stop> {
    let in_a_run = maps
        .iter()
        .map(|(output, map)| Run::of(*output, map, maps.len() == 1))
        .collect::<Option<Vec<Run>>>()
        .ok_or(Stop::TooMany)?;
    let members: Vec<Member> = in_a_run.iter().map(|run| run.member.clone()).collect();
    let reuse = together(&members, budget)?;
    if in_a_run.iter().all(|run| run.is_exact) {
        return Ok(reuse);
    }
    let points = in_a_run.iter().map(|run| run.points);
    let points = points.fold(0_u128, u128::saturating_add);
    let limited = |count: Count, most: u128| Count::at_most(count.number.min(most));
    Ok(Reuse {
        reads: limited(reuse.reads, points),
        elements: limited(reuse.elements, points.min(elements)),
        greatest: limited(reuse.greatest, points),
    })
}

/// The reads of a map in one run.
struct Run {
    member: Member,
    /// Whether the map is exact in this run, not only an upper bound.
    is_exact: bool,
    /// Number of points of the dimensions and range variables; each reads one element.
    points: u128,
}

impl Run {
    /// Returns `None` if there are more than 2^128 points.
    fn of(output: usize, map: &OperandMap, is_alone: bool) -> Option<Run> {
        let moved: Vec<(VariableId, i64)> = map
            .runtime
            .iter()
            .filter(|variable| is_alone && only_moves(map, variable))
            .map(|variable| (variable.variable, variable.clamp.lo()))
            .collect();
        let bound = map.map.bound(&moved).ok()?;
        let is_exact = map.exactness == Exactness::Exact && moved.len() == map.runtime.len();
        Some(Run {
            member: Member { output, map: as_ranges(&bound).ok()? },
            is_exact,
            points: points(&bound)?,
        })
    }
}

/// Returns the points of the box of dimensions and range variables; `None` if there are more than 2^128.
fn points(map: &IndexingMap) -> Option<u128> {
    let variables = map.domain().variables().iter();
    let own = variables.filter(|variable| variable.kind != VariableKind::Runtime);
    let mut counts = own.map(|variable| variable.bounds.count().map(u128::from));
    counts.try_fold(1_u128, |points, count| points.checked_mul(count?))
}

/// Returns whether the variable has the same value at all points of a run.
fn is_one_number(runtime: &RuntimeVariable) -> bool {
    let mut index = runtime.index.iter();
    index.all(|index| index.as_constant().is_some())
}

/// Returns whether both denote the same value.
fn is_same(one: &RuntimeVariable, other: &RuntimeVariable) -> bool {
    (&one.source, &one.index, one.clamp) == (&other.source, &other.index, other.clamp)
}

/// Returns whether the variable is uniform in a run and occurs in results only as an addend.
fn only_moves(map: &OperandMap, runtime: &RuntimeVariable) -> bool {
    let (id, domain) = (runtime.variable, map.map.domain());
    let is_free = domain.bounds(id) == runtime.clamp
        && runtime.clamp.is_bounded()
        && domain.constraints().iter().all(|constraint| !constraint.expr.variables().contains(&id));
    let moves = |result: &Expr| match result.kind() {
        ExprKind::Sum(sum) => sum
            .terms()
            .iter()
            .all(|(_, term)| is_variable(term, id) || !term.variables().contains(&id)),
        _ => is_variable(result, id) || !result.variables().contains(&id),
    };
    is_one_number(runtime) && is_free && map.map.results().iter().all(moves)
}

fn is_variable(expr: &Expr, id: VariableId) -> bool {
    matches!(expr.kind(), ExprKind::Variable(variable) if *variable == id)
}

/// Turns runtime variables into range variables.
fn as_ranges(map: &IndexingMap) -> Result<IndexingMap, Stop> {
    let is_runtime = |id: VariableId| {
        let variable = map.domain().variables().get(id.index());
        variable.is_some_and(|variable| variable.kind == VariableKind::Runtime)
    };
    let ranges = map.with_ranges(is_runtime).map_err(|_| Stop::TooMany)?;
    Ok(ranges.0)
}
