//! Equality of maps as functions: the same domain, and the same values on it.

use super::how::How;
use super::named::{self, Draws};
use super::obligations::Obligations;
use super::residues::Residues;
use super::sides::{Search, Sides, checked, shrunk};
use super::{Budget, Counterexample, Reason, Verdict, boundary, enumerate, sample};
use crate::expr::{Domain, IndexingMap, VariableKind};
use crate::num::Interval;
use crate::text::{Error, ErrorKind};
use std::ops::ControlFlow;

/// Factor for the number of samples after the solver reached its limit: samples are cheaper than its next step, and
/// differences that are hard to derive are often easy to hit.
const LAST_RESORT: u64 = 50;

/// Maximum number of operations evaluated at those samples.
const LAST_RESORT_WORK: u64 = 20_000_000;

/// Number of points between two checks of the interrupt.
const LOOK_EVERY: usize = 256;

/// Decides whether two maps are the same function: the same points in the domain, and the same results at each of them,
/// over the mathematical integers.
///
/// Variables are matched by kind and position; their names do not matter.
///
/// # Errors
/// Kind `arity` if the maps do not have the same numbers of variables of each kind, or of results.
pub fn equal_functions(
    left: &IndexingMap,
    right: &IndexingMap,
    budget: &Budget,
) -> Result<Verdict, Error> {
    equal_functions_with_steps(left, right, budget).map(|(verdict, _)| verdict)
}

/// Decides as [`equal_functions`], and reports the steps: the last step decided.
///
/// # Errors
/// The errors of [`equal_functions`].
pub fn equal_functions_with_steps(
    left: &IndexingMap,
    right: &IndexingMap,
    budget: &Budget,
) -> Result<(Verdict, Vec<How>), Error> {
    let kinds = [
        VariableKind::Dimension,
        VariableKind::Range,
        VariableKind::Runtime,
        VariableKind::Parameter,
    ];
    same_arity(left, right, &kinds)?;
    let question = Question { left, right, budget };
    let mut steps = Vec::new();
    let verdict = match question.decide(&mut steps) {
        Ok(None) => Verdict::Proved,
        Ok(Some(found)) => Verdict::Refuted(shrunk(left, right, found)),
        Err(reason) => Verdict::Unknown(reason),
    };
    Ok((verdict, steps))
}

/// Returns the reason why maps have no linear forms.
pub(super) fn without_forms(maps: [&IndexingMap; 2]) -> Reason {
    match maps.into_iter().any(IndexingMap::is_symbolic) {
        true => Reason::Symbolic,
        false => Reason::Overflow,
    }
}

/// Checks that both maps have equal numbers of results and of the variables of `kinds`.
pub(super) fn same_arity(
    left: &IndexingMap,
    right: &IndexingMap,
    kinds: &[VariableKind],
) -> Result<(), Error> {
    let variables = kinds.iter().map(|kind| {
        let what = match kind {
            VariableKind::Dimension => "dimensions",
            VariableKind::Range => "range variables",
            VariableKind::Runtime => "runtime variables",
            VariableKind::Parameter => "parameters",
        };
        let count = |map: &IndexingMap| map.domain().count(*kind);
        (what, count(left), count(right))
    });
    let results = ("results", left.results().len(), right.results().len());
    for (what, first, second) in variables.chain([results]) {
        if first != second {
            return Err(Error::without_span(
                ErrorKind::Arity,
                format!("the maps must have the same number of {what}, found {first} and {second}"),
            ));
        }
    }
    Ok(())
}

struct Question<'a> {
    left: &'a IndexingMap,
    right: &'a IndexingMap,
    budget: &'a Budget,
}

impl Question<'_> {
    /// Finds a counterexample; `None` if it is proved that none exists.
    fn decide(&self, steps: &mut Vec<How>) -> Result<Option<Counterexample>, Reason> {
        if same_domain(self.left.domain(), self.right.domain())
            && (self.left.domain().is_known_empty() || self.left.results() == self.right.results())
        {
            steps.push(How::Written);
            return Ok(None);
        }
        let sides = Sides::new(&[self.left, self.right]);
        let bounds = sides.hull();
        let mut search = Search::new(&sides);
        if let Some(points) = enumerate::points(&bounds)
            && points <= self.budget.points
        {
            steps.push(How::EveryPoint(points));
            return self.at_every_point(&mut search, &bounds);
        }
        let Some(mut work) = Work::new(self.left, self.right, self.budget) else {
            let is_symbolic = [self.left, self.right].into_iter().any(IndexingMap::is_symbolic);
            if let Some(found) = self.at_residues(&mut search, steps)? {
                return Ok(found);
            }
            let drawn = if is_symbolic { self.drawn(&mut search)? } else { None };
            if drawn.is_some() {
                return Ok(drawn);
            }
            let points = sample::points(&bounds, self.budget.samples);
            return match self.among(&mut search, points)? {
                None if is_symbolic => {
                    steps.push(How::ForAllSizes);
                    self.for_all_sizes()
                }
                None => Err(Reason::Overflow),
                found => Ok(found),
            };
        };
        let mut accept = |point: &[i64]| checked(self.left, self.right, point);
        if self.budget.forms {
            steps.push(How::Forms);
            work.inclusion.by_intervals();
            work.equality.by_intervals();
            for part in [&mut work.inclusion, &mut work.equality] {
                if let Some(found) = part.by_points(self.budget, &mut accept)? {
                    return Ok(Some(found));
                }
            }
            if work.inclusion.is_met() && work.equality.is_met() {
                return Ok(None);
            }
        }
        let points = sample::points(&bounds, self.budget.samples);
        let near_steps = |count| boundary::points(work.equality.forms(), &bounds, count);
        let points = points.chain(near_steps(self.budget.samples));
        steps.push(How::Samples);
        if let Some(found) = self.among(&mut search, points)? {
            return Ok(Some(found));
        }
        let mut solved = Ok(None);
        for (part, in_first) in [(&mut work.inclusion, false), (&mut work.equality, true)] {
            let (is_open, goals) = (!part.is_met(), part.goals());
            let answer = part.by_solver(self.budget, &mut accept);
            if is_open {
                steps.push(How::Asked { in_first, goals, is_shown: answer == Ok(None) });
            }
            match answer {
                Ok(None) => {}
                Err(reason) if reason != Reason::Interrupted => solved = Err(reason),
                decided => return decided,
            }
        }
        if !matches!(solved, Err(Reason::SolverSteps(_))) {
            return solved;
        }
        let size = sides.size().max(1);
        let more = self.budget.samples.saturating_mul(LAST_RESORT);
        let points =
            boundary::points(work.equality.forms(), &bounds, more.min(LAST_RESORT_WORK / size));
        match self.among(&mut search, points)? {
            Some(found) => Ok(Some(found)),
            None => solved,
        }
    }

    /// For results that depend only on the residues of their variables: decides equality, or finds a point of difference.
    fn at_residues(
        &self,
        search: &mut Search,
        steps: &mut Vec<How>,
    ) -> Result<Option<Option<Counterexample>>, Reason> {
        let domain = self.left.domain();
        if !same_domain(domain, self.right.domain()) {
            return Ok(None);
        }
        let mut is_equal = true;
        for (left, right) in self.left.results().iter().zip(self.right.results()) {
            let Some(difference) = left.sub(right).ok() else { return Ok(None) };
            let Some(residues) = Residues::of(&difference, self.budget.points) else {
                return Ok(None);
            };
            is_equal &= residues.points(domain).all(|point| difference.eval(&point) == Ok(0));
            if let Some(found) = self.among(search, residues.points(domain))? {
                return Ok(Some(Some(found)));
            }
        }
        if is_equal {
            steps.push(How::Residues);
        }
        Ok(is_equal.then_some(None))
    }

    /// Tests points of both domains, with small sizes first.
    fn drawn(&self, search: &mut Search) -> Result<Option<Counterexample>, Reason> {
        for map in [self.left, self.right] {
            let mut draws = Draws::new(map.domain());
            let points = (0..self.budget.samples).filter_map(|_| draws.draw());
            if let Some(found) = self.among(search, points)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// Decides for maps that multiply or divide by named sizes.
    fn for_all_sizes(&self) -> Result<Option<Counterexample>, Reason> {
        if self.budget.solver_steps == 0 {
            return Err(Reason::SolverOff);
        }
        named::is_part(self.right, self.left, false, self.budget)?;
        named::is_part(self.left, self.right, true, self.budget)?;
        Ok(None)
    }

    fn at_every_point(
        &self,
        search: &mut Search,
        bounds: &[Interval],
    ) -> Result<Option<Counterexample>, Reason> {
        let found =
            enumerate::each_point(bounds, self.budget, |point, first_changed| {
                match search.look_at(point, first_changed) {
                    Some(found) => ControlFlow::Break(found),
                    None => ControlFlow::Continue(()),
                }
            })?;
        if found.is_none() && search.beyond {
            return Err(Reason::Overflow);
        }
        Ok(found)
    }

    fn among(
        &self,
        search: &mut Search,
        points: impl Iterator<Item = Vec<i64>>,
    ) -> Result<Option<Counterexample>, Reason> {
        for (step, point) in points.enumerate() {
            if step % LOOK_EVERY == 0 && self.budget.is_interrupted() {
                return Err(Reason::Interrupted);
            }
            if let Some(found) = search.look_at(&point, 0) {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }
}

/// The obligations in the domains of both maps.
struct Work {
    /// In the left domain: each point is in the right domain, and the results are equal.
    equality: Obligations,
    /// In the right domain: each point is in the left domain.
    inclusion: Obligations,
}

impl Work {
    fn new(left: &IndexingMap, right: &IndexingMap, budget: &Budget) -> Option<Work> {
        let equality = Obligations::within(left.domain(), budget, |work| {
            work.require_inside(right.domain())?;
            work.require_equal(left.results(), right.results())
        })?;
        let inclusion =
            Obligations::within(right.domain(), budget, |work| work.require_inside(left.domain()))?;
        Some(Work { equality, inclusion })
    }
}

/// Returns whether the domains have the same variables, up to names, and the same constraints.
fn same_domain(left: &Domain, right: &Domain) -> bool {
    left.is_known_empty() == right.is_known_empty()
        && left.intervals().eq(right.intervals())
        && left.constraints() == right.constraints()
}
