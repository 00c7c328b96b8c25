//! Inclusion: whether one map reads everything that another reads.
//!
//! First proposes the value of each range variable with which the same element is read, which leaves a quantifier-free query;
//! then queries the solver with a quantifier over all values.

use super::forms::{Forms, Style};
use super::obligations::Obligations;
use super::problem::{Formula, Problem};
use super::tape::Tape;
use super::{Budget, Reason, witness};
use crate::expr::{Expr, IndexingMap, VariableId, VariableKind};
use crate::num::Interval;
use std::collections::BTreeMap;

/// Returns whether proposed values of the range variables of `to` are proved to read all that `from` reads. Uses the solver
/// only if `with_solver`.
///
/// # Errors
/// [`Reason::Interrupted`].
pub(super) fn by_proposal(
    from: &IndexingMap,
    to: &IndexingMap,
    budget: &Budget,
    with_solver: bool,
) -> Result<bool, Reason> {
    if from.domain().is_known_empty() {
        return Ok(true);
    }
    let Some(mut work) = obligations(from, to, budget) else {
        return Ok(false);
    };
    let mut accept = |point: &[i64]| (from.domain().contains(point) == Ok(true)).then_some(());
    if budget.forms {
        work.by_intervals();
        if work.by_points(budget, &mut accept)?.is_some() {
            return Ok(false);
        }
    }
    if work.is_met() || !with_solver {
        return Ok(work.is_met());
    }
    match work.by_solver(budget, &mut accept) {
        Err(Reason::Interrupted) => Err(Reason::Interrupted),
        shown => Ok(shown == Ok(None)),
    }
}

/// Returns the obligations in the domain of `from` under which `to` reads its results with the proposed values of the range
/// variables. `None` without a proposal.
fn obligations(from: &IndexingMap, to: &IndexingMap, budget: &Budget) -> Option<Obligations> {
    if to.domain().is_known_empty() {
        return None; // bounds and constraints may not show this: a map may have no variables
    }
    let mut places = BTreeMap::new();
    for (place, id) in fixed_ids(from).into_iter().zip(fixed_ids(to)) {
        places.insert(id, Expr::variable(place));
    }
    let proposal = witness::propose(to, from.results(), places).ok()?;
    let placed = |expr: &Expr| expr.substitute(&proposal).ok();
    let constraints = to.domain().constraints();
    let constrained: Option<Vec<Expr>> = constraints.iter().map(|c| placed(&c.expr)).collect();
    let results: Option<Vec<Expr>> = to.results().iter().map(placed).collect();
    let (constrained, results) = (constrained?, results?);
    let bounds: Vec<Interval> = to.domain().intervals().collect();
    Obligations::within(from.domain(), budget, |work| {
        work.require(proposal.iter().zip(bounds.iter().copied()))?;
        let allowed = constraints.iter().map(|constraint| constraint.bounds);
        work.require(constrained.iter().zip(allowed))?;
        work.require_equal(from.results(), &results)
    })
}

/// Encodes the query whether `from` reads an element that `to` does not: unknowns of `from` with its facts, and the
/// goal that no value of the range variables of `to` reads the same element.
///
/// The unknowns of `to` come last, and the goal quantifies over them. `None` on overflow.
pub(super) fn for_all_values(
    from: &IndexingMap,
    to: &IndexingMap,
    budget: &Budget,
) -> Option<(Forms, Problem, Formula)> {
    let mut forms = Forms::under(from.domain(), Style::Normal, budget)?;
    let wanted = forms.of_tape(&Tape::new(from.results()))?;
    let mut problem = forms.problem()?;
    let own = problem.unknowns;
    if to.domain().is_known_empty() {
        return Some((forms, problem, Formula::All(Vec::new())));
    }

    // Variables of `to` in the joint numbering: those of `from`, then the ranges of `to`.
    let mut fixed = fixed_ids(from).into_iter();
    let mut body = Vec::new();
    let mut places = Vec::new();
    for variable in to.domain().variables() {
        let (number, form) = match variable.kind {
            VariableKind::Range => forms.add_variable(variable.bounds),
            VariableKind::Dimension | VariableKind::Runtime | VariableKind::Parameter => {
                let id = fixed.next()?;
                (id.0, forms.variables().get(id.index())?.clone())
            }
        };
        places.push(Expr::variable(VariableId(number)));
        body.push(Formula::In(form, variable.bounds));
    }
    let constraints = to.domain().constraints();
    let placed = |expr: &Expr| expr.substitute(&places).ok();
    let constrained: Option<Vec<Expr>> = constraints.iter().map(|c| placed(&c.expr)).collect();
    let results: Option<Vec<Expr>> = to.results().iter().map(placed).collect();
    let constrained = forms.of_tape(&Tape::new(&constrained?))?;
    let results = forms.of_tape(&Tape::new(&results?))?;
    for (form, constraint) in constrained.into_iter().zip(constraints) {
        body.push(Formula::In(form, constraint.bounds));
    }
    for (x, y) in wanted.iter().zip(&results) {
        body.push(Formula::In(x.plus(-1, y)?, Interval::point(0)));
    }
    for unknown in forms.unknowns().skip(own) {
        body.extend(forms.meaning(unknown)?);
    }
    problem.unknowns = forms.unknowns().count();
    let nowhere = Formula::Not(Box::new(Formula::All(body)));
    let goal = Formula::ForAll(own, Box::new(nowhere));
    Some((forms, problem, goal))
}

/// Returns dimensions and runtime variables, in order.
pub(super) fn fixed_ids(map: &IndexingMap) -> Vec<VariableId> {
    let variables = (0u32..).zip(map.domain().variables());
    let fixed = variables.filter(|(_, variable)| variable.kind != VariableKind::Range);
    fixed.map(|(number, _)| VariableId(number)).collect()
}
