//! Equality of reads: for each point of the output, the same set of results.

use super::functions::{same_arity, without_forms};
use super::problem::{Answer, Limits};
use super::sides::value_at;
use super::solver::ask;
use super::{Budget, Counterexample, Reason, Verdict};
use super::{enumerate, equal_functions, inclusion, reads_by_size, sample};
use crate::expr::{Domain, Expr, ExprError, IndexingMap, Variable, VariableId, VariableKind};
use crate::num::Interval;
use crate::text::Error;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// Maximum number of range variables that are permuted.
const PERMUTED: usize = 4;

/// Limit on evaluations in all sampled sets together, as a multiple of the budget's points.
const SAMPLED_WORK: u64 = 5;

/// Replaces `SAMPLED_WORK` when all other methods are inconclusive.
const LAST_RESORT: u64 = 20;

/// Decides whether `left` and `right` have the same set of results over all values of the range variables, for each
/// value of the other variables.
///
/// Dimensions, runtime variables and parameters are matched by position: a runtime variable has one unknown value, the same for
/// both maps. The range variables may differ in number. A map has no results at a point outside its domain.
///
/// In a counterexample, `point` is a point of the map that reads the element; the other side is `None`, because no value of its
/// range variables reads it there.
///
/// # Errors
/// Kind `arity` if the maps do not have equally many dimensions, runtime variables and results.
pub fn equal_reads(
    left: &IndexingMap,
    right: &IndexingMap,
    budget: &Budget,
) -> Result<Verdict, Error> {
    same_arity(
        left,
        right,
        &[VariableKind::Dimension, VariableKind::Runtime, VariableKind::Parameter],
    )?;
    let question = Question { maps: [left, right], budget };
    Ok(match question.decide() {
        Ok(None) => Verdict::Proved,
        Ok(Some(found)) => Verdict::Refuted(found),
        Err(reason) => Verdict::Unknown(reason),
    })
}

/// Returns whether `right` is proved to read everything that `left` reads, for each value of the dimensions and of the runtime
/// variables.
/// `false` proves nothing.
#[must_use]
pub fn reads_all(left: &IndexingMap, right: &IndexingMap, budget: &Budget) -> bool {
    let kinds = [VariableKind::Dimension, VariableKind::Runtime, VariableKind::Parameter];
    same_arity(left, right, &kinds).is_ok()
        && inclusion::by_proposal(left, right, budget, false) == Ok(true)
}

struct Question<'a> {
    maps: [&'a IndexingMap; 2],
    budget: &'a Budget,
}

/// Each element, with the values of the range variables that read it first.
type Elements = BTreeMap<Vec<i64>, Vec<i64>>;

impl Question<'_> {
    fn decide(&self) -> Result<Option<Counterexample>, Reason> {
        if self.is_renamed_function() {
            return Ok(None);
        }
        if self.maps[0].domain().count(VariableKind::Parameter) > 0 {
            return reads_by_size::decide(self.maps, &equal_reads, self.budget);
        }
        let fixed = self.fixed_bounds();
        let ranges = self.maps.map(|map| enumerate::points(&range_bounds(map)));
        let each = ranges[0].zip(ranges[1]).and_then(|(x, y)| x.checked_add(y));
        let all = each.zip(enumerate::points(&fixed));
        let all = all.and_then(|(each, count)| each.checked_mul(count));
        if all.is_some_and(|all| all <= self.budget.points) {
            return enumerate::each_point(&fixed, self.budget, |point, _| {
                match self.difference_at(point) {
                    Ok(None) => ControlFlow::Continue(()),
                    Ok(Some(found)) => ControlFlow::Break(Ok(found)),
                    Err(reason) => ControlFlow::Break(Err(reason)),
                }
            })?
            .transpose();
        }
        let mut open = Vec::new();
        for (reader, other) in [(0, 1), (1, 0)] {
            let (from, to) = (self.maps[reader], self.maps[other]);
            if !inclusion::by_proposal(from, to, self.budget, false)? {
                open.push((reader, other));
            }
        }
        if open.is_empty() {
            return Ok(None);
        }
        if let Some(found) = self.among_samples(&fixed, each, SAMPLED_WORK)? {
            return Ok(Some(found));
        }
        let mut verdict = Ok(None);
        for (reader, other) in open {
            let (from, to) = (self.maps[reader], self.maps[other]);
            if inclusion::by_proposal(from, to, self.budget, true)? {
                continue;
            }
            match self.read_by_one(reader, other) {
                Ok(None) => {}
                Err(reason) if reason != Reason::Interrupted => verdict = Err(reason),
                decided => return decided,
            }
        }
        if verdict.is_err() {
            // Sets too large for the first attempt are still cheaper than no answer.
            let found = self.among_samples(&fixed, each, LAST_RESORT)?;
            return if found.is_some() { Ok(found) } else { verdict };
        }
        verdict
    }

    /// Searches for a difference at sample points, with at most `work` times the budget's points evaluated in sets of
    /// `each`.
    fn among_samples(
        &self,
        fixed: &[Interval],
        each: Option<u64>,
        work: u64,
    ) -> Result<Option<Counterexample>, Reason> {
        let work = self.budget.points.saturating_mul(work);
        let Some(each) = each.filter(|each| *each <= work) else {
            return Ok(None);
        };
        let count = (work / each.max(1)).min(self.budget.samples);
        for point in sample::points(fixed, count) {
            // Skips a point with values beyond 64 bits.
            match self.difference_at(&point) {
                Ok(Some(found)) => return Ok(Some(found)),
                Err(Reason::Interrupted) => return Err(Reason::Interrupted),
                Ok(None) | Err(_) => {}
            }
        }
        Ok(None)
    }

    /// Returns whether the maps are the same function up to unused range variables and their order.
    fn is_renamed_function(&self) -> bool {
        let [left, right] = self.maps.map(|map| map.without_unused(&[VariableKind::Range]));
        let count = left.domain().count(VariableKind::Range);
        if count != right.domain().count(VariableKind::Range) {
            return false;
        }
        let cheap = Budget {
            points: self.budget.points / 20,
            samples: 0,
            solver_steps: 0,
            ..self.budget.clone()
        };
        let orders =
            if count <= PERMUTED { permutations(count) } else { vec![(0..count).collect()] };
        orders.into_iter().any(|order| {
            let permuted = with_range_order(&right, &order);
            permuted
                .is_ok_and(|right| equal_functions(&left, &right, &cheap) == Ok(Verdict::Proved))
        })
    }

    /// Returns bounds of the dimensions and runtime variables that suffice for both maps.
    fn fixed_bounds(&self) -> Vec<Interval> {
        let [left, right] = self.maps.map(|map| {
            let fixed = map.domain().variables().iter();
            let fixed = fixed.filter(|variable| variable.kind != VariableKind::Range);
            fixed.map(|variable| variable.bounds).collect::<Vec<_>>()
        });
        let hull = |(x, y)| enumerate::hull(x, y);
        left.into_iter().zip(right).map(hull).collect()
    }

    /// Finds an element that one map reads and the other does not, at one value of the fixed variables.
    fn difference_at(&self, fixed: &[i64]) -> Result<Option<Counterexample>, Reason> {
        let read = [
            elements(self.maps[0], fixed, self.budget)?,
            elements(self.maps[1], fixed, self.budget)?,
        ];
        let only = |reader: usize| {
            let mut own = read[reader].iter();
            own.find(|(element, _)| !read[1 - reader].contains_key(*element))
        };
        let found = [0, 1].into_iter().find_map(|reader| Some((reader, only(reader)?)));
        Ok(found.map(|(reader, (element, ranges))| {
            let point = joined(self.maps[reader], fixed, ranges);
            reading(reader, point, element.clone())
        }))
    }

    /// Finds an element that `reader` reads and `other` does not; `None` if it is proved that there is none.
    fn read_by_one(&self, reader: usize, other: usize) -> Result<Option<Counterexample>, Reason> {
        let (from, to) = (self.maps[reader], self.maps[other]);
        let (forms, problem, goal) = inclusion::for_all_values(from, to, self.budget)
            .ok_or_else(|| without_forms([from, to]))?;
        let limits =
            Limits { steps: self.budget.solver_steps, interrupt: self.budget.interrupt.as_ref() };
        match ask(&problem, &[goal], &limits)?.into_iter().next() {
            None | Some(Answer::Unsatisfiable) => Ok(None),
            Some(Answer::Unknown(reason)) => Err(reason),
            Some(Answer::Satisfiable(model)) => {
                let numbers = forms.variables_in(&model).ok_or(Reason::Overflow)?;
                let point = numbers.get(..from.domain().variables().len());
                let point = point.ok_or(Reason::Overflow)?.to_vec();
                let element = value_at(from, &point).ok().flatten().ok_or(Reason::Overflow)?;
                let few = enumerate::points(&range_bounds(to))
                    .is_some_and(|count| count <= self.budget.points.saturating_mul(LAST_RESORT));
                if !few {
                    return Err(Reason::TooManyRanges);
                }
                let read = elements(to, &fixed_part(from, &point), self.budget)?;
                if read.contains_key(&element) {
                    return Err(Reason::SolverGaveUp("its model does not check".into()));
                }
                Ok(Some(reading(reader, point, element)))
            }
        }
    }
}

fn reading(reader: usize, point: Vec<i64>, element: Vec<i64>) -> Counterexample {
    let mut found = Counterexample { point, left: None, right: None };
    if reader == 0 {
        found.left = Some(element);
    } else {
        found.right = Some(element);
    }
    found
}

/// Returns the elements that `map` reads at one value of dimensions and runtime variables.
fn elements(map: &IndexingMap, fixed: &[i64], budget: &Budget) -> Result<Elements, Reason> {
    let mut found = Elements::new();
    let stopped = enumerate::each_point(&range_bounds(map), budget, |ranges, _| {
        match value_at(map, &joined(map, fixed, ranges)) {
            Ok(None) => ControlFlow::Continue(()),
            Ok(Some(element)) => {
                found.entry(element).or_insert_with(|| ranges.to_vec());
                ControlFlow::Continue(())
            }
            Err(overflow) => ControlFlow::Break(overflow),
        }
    })?;
    match stopped {
        None => Ok(found),
        Some(_) => Err(Reason::Overflow),
    }
}

fn range_bounds(map: &IndexingMap) -> Vec<Interval> {
    let ranges = map.domain().ids(VariableKind::Range);
    ranges.map(|id| map.domain().bounds(id)).collect()
}

/// Combines the values of dimensions and runtime variables, and of range variables, to a point of `map`.
fn joined(map: &IndexingMap, fixed: &[i64], ranges: &[i64]) -> Vec<i64> {
    let (mut fixed, mut ranges) = (fixed.iter(), ranges.iter());
    let value = |variable: &Variable| match variable.kind {
        VariableKind::Range => ranges.next().copied().unwrap_or(0),
        VariableKind::Dimension | VariableKind::Runtime | VariableKind::Parameter => {
            fixed.next().copied().unwrap_or(0)
        }
    };
    map.domain().variables().iter().map(value).collect()
}

/// Returns the values of dimensions and runtime variables in a point of `map`.
fn fixed_part(map: &IndexingMap, point: &[i64]) -> Vec<i64> {
    let fixed = inclusion::fixed_ids(map).into_iter();
    fixed.filter_map(|id| point.get(id.index()).copied()).collect()
}

/// Permutes the range variables of `map`.
fn with_range_order(map: &IndexingMap, order: &[usize]) -> Result<IndexingMap, ExprError> {
    let variables = map.domain().variables();
    let first = map.domain().count(VariableKind::Dimension);
    let mut listed = variables.to_vec();
    let mut places: Vec<Expr> =
        (0u32..).take(variables.len()).map(|number| Expr::variable(VariableId(number))).collect();
    for (new, old) in (0u32..).zip(order) {
        let place = first + new as usize;
        listed[place] = variables[first + old].clone();
        places[first + old] = Expr::variable(VariableId(place as u32));
    }
    let mut domain = Domain::new(listed);
    if map.domain().is_known_empty() {
        domain.make_empty();
    }
    for constraint in map.domain().constraints() {
        domain.constrain(&constraint.expr.substitute(&places)?, constraint.bounds);
    }
    let results: Result<Vec<Expr>, ExprError> =
        map.results().iter().map(|result| result.substitute(&places)).collect();
    Ok(IndexingMap::new(domain, results?))
}

/// Returns all permutations of `0..count`, the identity first.
fn permutations(count: usize) -> Vec<Vec<usize>> {
    if count == 0 {
        return vec![Vec::new()];
    }
    let shorter = permutations(count - 1);
    let insert = |position: usize| {
        shorter.iter().map(move |order| {
            let mut longer = order.clone();
            longer.insert(position, count - 1);
            longer
        })
    };
    (0..count).rev().flat_map(insert).collect()
}
