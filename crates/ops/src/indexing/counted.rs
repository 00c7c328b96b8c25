//! A loop with a known trip count: the reads of an iteration, and of the condition, between states at given times.

use super::builder::identity;
use super::course::Course;
use super::reads::{InstructionPlace, OperandMap, Reads, TuplePath};
use super::times::{Lost, Times};
use super::together::without_covered;
use affinor::expr::{Domain, Expr, IndexingMap, Variable, VariableId, VariableKind};
use affinor::num::Interval;
use affinor_hlo::module::ComputationId;

/// Maps to elements of the state at given times.
pub(super) type Maps = Vec<OperandMap>;

/// A loop whose reads are followed through its iterations.
pub(super) struct Counted<'a> {
    pub(super) times: Times<'a>,
    pub(super) place: InstructionPlace,
    pub(super) condition: ComputationId,
    pub(super) paths: &'a [TuplePath],
    pub(super) sizes: &'a [Vec<i64>],
    /// The reads by the body: the entry in row `r`, column `c` has the reads of part `c` to compute part `r`.
    pub(super) of_body: &'a [Vec<Reads>],
    /// The reads by the body in each iteration, with the trip counts of inner loops there; empty if these are unknown.
    pub(super) of_iterations: &'a [Vec<Vec<Reads>>],
    /// The reads of each part by the condition.
    pub(super) of_condition: &'a [Reads],
    /// For each part, whether the body passes it on unchanged.
    pub(super) passed_on: &'a [bool],
}

impl Counted<'_> {
    /// Returns the reads of a part by the condition at any time, for a part of the result; `None` if they are unknown.
    pub(super) fn conditional(&self, output: usize, reads: &Reads) -> Result<Option<Maps>, Lost> {
        let Reads::Maps(maps) = reads else {
            return Ok(None);
        };
        let any_time = at_any_time(&self.sizes[output], self.all_times());
        let mut found = Maps::new();
        for map in maps {
            for map in self.times.timed(self.condition, map, 0, self.all_times(), 0)? {
                found.extend(self.times.then(&any_time, &map)?);
            }
        }
        Ok(Some(found))
    }

    /// Returns the reads of part `other` by part `part` through one iteration; `None` if they are not followed.
    pub(super) fn step(&self, part: usize, other: usize) -> Option<Maps> {
        let Reads::Maps(maps) = &self.of_body[part][other] else {
            return None;
        };
        let rank = self.sizes[part].len();
        let times = Interval::new(1, self.times.trips.count);
        let mut all = Maps::new();
        for map in maps {
            let timed = self.times.timed(self.times.body, map, rank, times, 1);
            all.extend(timed.ok()?);
        }
        Some(without_covered(all))
    }

    /// Returns the parts that the body may read to compute a part.
    pub(super) fn direct(&self, part: usize) -> Vec<usize> {
        let row = self.of_body[part].iter().enumerate();
        row.filter(|(_, reads)| **reads != Reads::NOTHING).map(|(other, _)| other).collect()
    }

    /// Returns the known scalars before each iteration, if there are few iterations.
    pub(super) fn course(&self) -> Option<Course> {
        let times = &self.times;
        Course::of(times.module, self.place, Some(times.trips), times.starts, times.interrupt)
    }

    pub(super) fn all_times(&self) -> Interval {
        Interval::new(0, self.times.trips.count)
    }
}

/// `(d0, ..) -> (d0, .., T)`: each element of an array, at a given time.
pub(super) fn at_time(sizes: &[i64], time: i64) -> OperandMap {
    let (domain, mut results) = identity(sizes).into_parts();
    results.push(Expr::constant(time));
    OperandMap::exact(IndexingMap::new(domain, results))
}

/// `(d0, ..)[s0] -> (s0)`: any of the times, for each element.
fn at_any_time(sizes: &[i64], times: Interval) -> OperandMap {
    let (domain, _) = identity(sizes).into_parts();
    let mut variables = domain.variables().to_vec();
    let time = VariableId(variables.len() as u32);
    variables.push(Variable::new("s0", VariableKind::Range, times));
    let domain = Domain::new(variables);
    OperandMap::exact(IndexingMap::new(domain, vec![Expr::variable(time)]))
}

/// Returns the map without its last result, the time of the read.
pub(super) fn without_time(map: &OperandMap) -> OperandMap {
    let (domain, mut results) = map.map.clone().into_parts();
    results.pop();
    OperandMap { map: IndexingMap::new(domain, results), ..map.clone() }
}
