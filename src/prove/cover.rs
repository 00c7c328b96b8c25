//! Coverage: whether everything that one map reads is read by one of several others.
//!
//! The covered map may be a relation: its domain has equations between its variables, which are solved first
//! (`equations`). For the other maps, values of their range variables are proposed; intervals, or the solver in one
//! quantifier-free query, show that each point is read with one of the proposals. Nothing is ever refuted: a proposal
//! may be bad.

use super::equations::{Solved, is_linear};
use super::forms::{Forms, Style};
use super::inclusion::fixed_ids;
use super::linear::Linear;
use super::problem::{Answer, Formula, Limits};
use super::solver::ask;
use super::tape::Tape;
use super::{Budget, Reason, Verdict, is_empty, sample, witness};
use crate::expr::{Domain, Expr, ExprError, IndexingMap, Variable, VariableId, VariableKind};
use crate::num::Interval;
use std::collections::BTreeMap;

/// Maximum number of proposals per reader.
const PROPOSALS: usize = 512;

/// Number of points at which proposals are tried before the solver runs.
const TRIED: usize = 32;

/// Maximum number of proposals of one reader in one solver query.
const ASKED: usize = 2;

/// A map that may read the elements to cover.
#[derive(Clone, Debug)]
pub struct Reader {
    /// Its dimensions and runtime variables are those of the covered map; its range variables are its own.
    pub map: IndexingMap,
    /// The required results, over the variables of the covered map.
    pub wanted: Vec<Expr>,
}

/// Proves that at each point of the domain of `from` one of `readers` has its wanted results, for some values of its
/// range variables.
///
/// # Errors
/// The [`Reason`] why it was not proved, which does not mean that it is false.
pub fn covered(from: &Domain, readers: &[Reader], budget: &Budget) -> Result<(), Reason> {
    let overflow = |_| Reason::Overflow;
    if from.is_known_empty() {
        return Ok(());
    }
    let Some(solved) = Solved::of(from, false).map_err(overflow)? else {
        return Ok(());
    };
    if solved.domain.is_known_empty() {
        return Ok(());
    }
    let mut forms = Forms::under(&solved.domain, Style::Normal, budget).ok_or(Reason::Overflow)?;
    let contradicts = |(form, interval): &(Linear, Interval)| {
        forms.bounds_of(form).intersect(*interval).is_empty()
    };
    if forms.facts().iter().any(contradicts) {
        return Ok(());
    }
    if budget.is_interrupted() {
        return Err(Reason::Interrupted);
    }
    let samples = samples(&solved, budget);
    let mut asked: Vec<Vec<Goal>> = Vec::new();
    for reader in readers {
        let Some(reader) = with_solved_ranges(reader).map_err(overflow)? else {
            continue;
        };
        if reader.map.domain().is_known_empty() {
            continue; // bounds and constraints may not show this: a map may have no variables
        }
        let reader = &reader;
        let proposals = proposals_for(reader, from, &solved).map_err(overflow)?;
        let mut rated: Vec<(usize, &Vec<Expr>)> = Vec::new();
        for (number, proposal) in proposals.iter().enumerate() {
            // The first proposal usually suffices: try it before rating any.
            if number == 0 {
                let Some(goals) = goals(reader, &solved, proposal, &mut forms) else {
                    break;
                };
                if goals.is_empty() {
                    return Ok(());
                }
            }
            rated.push((met(&solved, reader, proposal, &samples), proposal));
        }
        // Stable: ties keep their order.
        rated.sort_by_key(|(met, _)| std::cmp::Reverse(*met));
        for (_, proposal) in rated.into_iter().take(ASKED) {
            let Some(goals) = goals(reader, &solved, proposal, &mut forms) else {
                continue;
            };
            if goals.is_empty() {
                return Ok(());
            }
            asked.push(goals);
        }
    }
    let limits = Limits { steps: budget.solver_steps, interrupt: budget.interrupt.as_ref() };
    let problem = forms.problem().ok_or(Reason::Overflow)?;
    let violated = |goal: &Goal| Formula::outside(&goal.form, goal.interval);
    if let [goals] = asked.as_slice() {
        let goals: Vec<Formula> = goals.iter().map(violated).collect();
        return shown(&ask(&problem, &goals, &limits)?);
    }
    let any = |goals: &Vec<Goal>| Formula::Any(goals.iter().map(violated).collect());
    let by_none = Formula::All(asked.iter().map(any).collect());
    shown(&ask(&problem, &[by_none], &limits)?)
}

fn shown(answers: &[Answer]) -> Result<(), Reason> {
    for answer in answers {
        match answer {
            Answer::Unsatisfiable => {}
            Answer::Unknown(reason) => return Err(reason.clone()),
            Answer::Satisfiable(_) => return Err(Reason::NoProposal),
        }
    }
    Ok(())
}

/// Decides whether the domains have no common value of dimensions and runtime variables. Both have the same dimensions
/// and runtime variables. A counterexample is a point of dimensions, range variables of `one`, those of `other`, and
/// runtime variables.
#[must_use]
pub fn disjoint(one: &Domain, other: &Domain, budget: &Budget) -> Verdict<Vec<i64>> {
    let of_kind = |domain: &Domain, kind: VariableKind| -> Vec<Variable> {
        let variables = domain.variables().iter();
        variables.filter(|x| x.kind == kind).cloned().collect()
    };
    let both = || -> Result<Domain, ExprError> {
        let dimensions = of_kind(one, VariableKind::Dimension);
        let ranges = of_kind(one, VariableKind::Range);
        let more = of_kind(other, VariableKind::Range);
        let runtime = of_kind(one, VariableKind::Runtime);
        let (d, s, t) = (dimensions.len(), ranges.len(), more.len());
        let places = |own_first: usize, own: usize| -> Vec<Expr> {
            let own = own_first..own_first + own;
            let ids = (0..d).chain(own).chain(d + s + t..d + s + t + runtime.len());
            ids.map(|id| Expr::variable(VariableId(id as u32))).collect()
        };
        let sides = [(one, places(d, s)), (other, places(d + s, t))];
        let mut domain = Domain::new([dimensions, ranges, more, runtime.clone()].concat());
        for (side, places) in &sides {
            for (variable, place) in side.variables().iter().zip(places) {
                domain.constrain(place, variable.bounds);
            }
            for constraint in side.constraints() {
                domain.constrain(&constraint.expr.substitute(places)?, constraint.bounds);
            }
        }
        if one.is_known_empty() || other.is_known_empty() {
            domain.make_empty();
        }
        Ok(domain)
    };
    match both() {
        Err(_) => Verdict::Unknown(Reason::Overflow),
        Ok(domain) => match covered(&domain, &[], budget) {
            Ok(()) => Verdict::Proved,
            Err(_) => is_empty(&domain, budget),
        },
    }
}

/// Solves the equations of a reader for its range variables; `None` if it reads nothing.
fn with_solved_ranges(reader: &Reader) -> Result<Option<Reader>, ExprError> {
    let Some(solved) = Solved::of(reader.map.domain(), true)? else {
        return Ok(None);
    };
    let results = reader.map.results().iter();
    let results = results.map(|result| result.substitute(&solved.images));
    let results = results.collect::<Result<Vec<Expr>, ExprError>>()?;
    let map = IndexingMap::new(solved.domain, results);
    Ok(Some(Reader {
        map: map.without_unused(&[VariableKind::Range]),
        wanted: reader.wanted.clone(),
    }))
}

/// A form that must lie in its interval.
struct Goal {
    form: Linear,
    interval: Interval,
}

/// Returns the goals that prove that `reader` reads the wanted element under `proposal`; `None` if one overflows.
fn goals(
    reader: &Reader,
    solved: &Solved,
    proposal: &[Expr],
    forms: &mut Forms,
) -> Option<Vec<Goal>> {
    let domain = reader.map.domain();
    if domain.is_known_empty() {
        return None;
    }
    let mut required: Vec<(Expr, Interval)> = Vec::new();
    for (variable, place) in domain.variables().iter().zip(proposal) {
        required.push((place.clone(), variable.bounds));
    }
    for constraint in domain.constraints() {
        let placed = constraint.expr.substitute(proposal).ok()?;
        required.push((placed, constraint.bounds));
    }
    for (result, wanted) in reader.map.results().iter().zip(&reader.wanted) {
        let wanted = wanted.substitute(&solved.images).ok()?;
        let excess = result.substitute(proposal).ok()?.sub(&wanted).ok()?;
        required.push((excess, Interval::point(0)));
    }
    let tape = Tape::new(required.iter().map(|(expr, _)| expr));
    let placed = forms.of_tape(&tape)?;
    let goal = |(form, (_, interval))| Goal { form, interval };
    let mut goals: Vec<Goal> = placed.into_iter().zip(required).map(goal).collect();
    goals.retain(|goal| !goal.interval.contains_all(forms.bounds_of(&goal.form)));
    Some(goals)
}

/// Proposes values for the variables of `reader`, over the solved variables of `from`: a solution of its equations if one exists,
/// otherwise one of the range variables of `from`.
fn proposals_for(
    reader: &Reader,
    from: &Domain,
    solved: &Solved,
) -> Result<Vec<Vec<Expr>>, ExprError> {
    let mut places = BTreeMap::new();
    let map_of = |domain: &Domain| IndexingMap::new(domain.clone(), Vec::new());
    let fixed = fixed_ids(&map_of(from)).into_iter();
    for (place, id) in fixed.zip(fixed_ids(&reader.map)) {
        places.insert(id, solved.images[place.index()].clone());
    }
    // The equations of a reader constrain its variables as much as its results do.
    let mut results = reader.map.results().to_vec();
    let mut wanted: Vec<Expr> = Vec::new();
    for expr in &reader.wanted {
        wanted.push(expr.substitute(&solved.images)?);
    }
    for constraint in reader.map.domain().constraints() {
        if let Some(value) = constraint.bounds.as_point()
            && is_linear(&constraint.expr)
        {
            results.push(constraint.expr.clone());
            wanted.push(Expr::constant(value));
        }
    }
    let equations = IndexingMap::new(reader.map.domain().clone(), results);
    let first = witness::propose(&equations, &wanted, places)?;
    let mut all = vec![first.clone()];
    for id in reader.map.domain().ids(VariableKind::Range) {
        let bounds = reader.map.domain().bounds(id);
        let mut candidates = vec![first[id.index()].clone()];
        let mut others: Vec<VariableId> = from.ids(VariableKind::Range).collect();
        // A variable with the same role has the same bounds.
        if others.iter().any(|other| from.bounds(*other) == bounds) {
            others.retain(|other| from.bounds(*other) == bounds);
        }
        let images = others.iter().map(|other| &solved.images[other.index()]);
        candidates.extend(images.clone().cloned());
        if let Some(ends) = bounds.lo().checked_add(bounds.hi()) {
            for image in images {
                candidates.push(Expr::constant(ends).sub(image)?);
            }
        }
        let mut seen = Vec::new();
        candidates.retain(|candidate| {
            let is_new = !seen.contains(candidate);
            seen.push(candidate.clone());
            is_new
        });
        let pairs =
            all.iter().flat_map(|proposal| candidates.iter().map(move |place| (proposal, place)));
        let extended = pairs.take(PROPOSALS).map(|(proposal, place)| {
            let mut proposal = proposal.clone();
            proposal[id.index()] = place.clone();
            proposal
        });
        all = extended.collect();
    }
    Ok(all)
}

/// Counts the points at which `reader` reads the wanted element under `proposal`.
fn met(solved: &Solved, reader: &Reader, proposal: &[Expr], points: &[Vec<i64>]) -> usize {
    let at = |exprs: &[Expr], point: &[i64]| -> Option<Vec<i64>> {
        exprs.iter().map(|expr| expr.eval(point).ok()).collect()
    };
    let is_met = |point: &&Vec<i64>| {
        let read = || {
            let own = at(proposal, point)?;
            let is_inside = reader.map.domain().contains(&own).ok()?;
            let wanted = at(&reader.wanted, &at(&solved.images, point)?)?;
            Some(is_inside && reader.map.eval(&own).ok()? == wanted)
        };
        read() == Some(true)
    };
    points.iter().filter(is_met).count()
}

/// Returns some points of the domain.
fn samples(solved: &Solved, budget: &Budget) -> Vec<Vec<i64>> {
    let bounds: Vec<Interval> = solved.domain.intervals().collect();
    sample::points(&bounds, budget.samples)
        .filter(|point| solved.domain.contains(point) == Ok(true))
        .take(TRIED)
        .collect()
}
