//! Goals that must hold at every point of a domain, and the methods that prove them.
//!
//! A goal is a linear form that must lie in an interval. It is dropped once proved; a point that may violate it is
//! passed to the caller, who evaluates it before it counts.

use super::enumerate::{each_point, points};
use super::forms::{Definition, Forms, Style};
use super::linear::{Linear, Unknown, expr_of, value_of};
use super::problem::{Answer, Formula, Limits};
use super::sample::nearest_to_zero;
use super::solver::ask;
use super::tape::Tape;
use super::{Budget, Reason};
use crate::expr::{Domain, Expr};
use crate::num::Interval;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// Goals in one domain.
pub(super) struct Obligations {
    forms: Forms,
    open: Vec<Goal>,
}

#[derive(Clone)]
struct Goal {
    form: Linear,
    interval: Interval,
}

/// Evaluates a point that may violate a goal: returns a witness, or `None` if it does not.
pub(super) type Accept<'a, W> = &'a mut dyn FnMut(&[i64]) -> Option<W>;

impl Obligations {
    /// Collects the goals that `fill` adds, in `domain`. `None` if a coefficient does not fit in 64 bits, even in
    /// unevaluated forms.
    pub(super) fn within(
        domain: &Domain,
        budget: &Budget,
        fill: impl Fn(&mut Obligations) -> Option<()>,
    ) -> Option<Obligations> {
        let in_style = |style: Style| {
            let mut work =
                Obligations { forms: Forms::under(domain, style, budget)?, open: Vec::new() };
            fill(&mut work)?;
            Some(work)
        };
        let normal = if budget.forms { in_style(Style::Normal) } else { None };
        normal.or_else(|| in_style(Style::Written))
    }

    /// Adds the goals that each expression lies in its interval.
    pub(super) fn require<'a>(
        &mut self,
        goals: impl IntoIterator<Item = (&'a Expr, Interval)>,
    ) -> Option<()> {
        let (expressions, intervals): (Vec<&Expr>, Vec<Interval>) = goals.into_iter().unzip();
        let forms = self.forms.of_tape(&Tape::new(expressions))?;
        let goals = forms.into_iter().zip(intervals);
        self.open.extend(goals.map(|(form, interval)| Goal { form, interval }));
        Some(())
    }

    /// Adds the goals that the expressions are pairwise equal.
    pub(super) fn require_equal(&mut self, left: &[Expr], right: &[Expr]) -> Option<()> {
        let forms = self.forms.of_tape(&Tape::new(left.iter().chain(right)))?;
        let (left, right) = forms.split_at(left.len());
        for (x, y) in left.iter().zip(right) {
            self.open.push(Goal { form: x.plus(-1, y)?, interval: Interval::point(0) });
        }
        Some(())
    }

    /// Adds the goals that every point is also in `outer`.
    pub(super) fn require_inside(&mut self, outer: &Domain) -> Option<()> {
        if outer.is_known_empty() {
            self.require_nothing();
            return Some(());
        }
        let bounds = outer.intervals();
        let forms = self.forms.variables().iter().cloned();
        let goals = forms.zip(bounds);
        self.open.extend(goals.map(|(form, interval)| Goal { form, interval }));
        let constraints = outer.constraints().iter();
        self.require(constraints.map(|constraint| (&constraint.expr, constraint.bounds)))
    }

    /// Adds a goal that no point satisfies.
    pub(super) fn require_nothing(&mut self) {
        self.open.push(Goal { form: Linear::constant(0), interval: Interval::EMPTY });
    }

    /// Returns whether all goals are proved.
    pub(super) fn is_met(&self) -> bool {
        self.open.is_empty()
    }

    /// Returns the open goals as expressions over the variables of the domain, each with its interval; none on overflow.
    pub(super) fn goals(&self) -> Vec<(Expr, Interval)> {
        let goal =
            |unknowns: &[Expr], goal: &Goal| Some((expr_of(&goal.form, unknowns)?, goal.interval));
        let all = self.forms.written();
        let all = all.and_then(|unknowns| self.open.iter().map(|x| goal(&unknowns, x)).collect());
        all.unwrap_or_default()
    }

    pub(super) fn forms(&self) -> &Forms {
        &self.forms
    }

    /// Drops the goals that intervals prove.
    pub(super) fn by_intervals(&mut self) {
        let forms = &self.forms;
        let contradiction = forms
            .facts()
            .iter()
            .any(|(form, interval)| forms.bounds_of(form).intersect(*interval).is_empty());
        self.open.retain(|goal| {
            !contradiction && !goal.interval.contains_all(forms.bounds_of(&goal.form))
        });
    }

    /// Enumerates the variables that a goal depends on, if they have few values.
    ///
    /// # Errors
    /// [`Reason::Interrupted`].
    pub(super) fn by_points<W>(
        &mut self,
        budget: &Budget,
        accept: Accept<W>,
    ) -> Result<Option<W>, Reason> {
        let mut open = Vec::new();
        for goal in &self.open {
            let mut shown = false;
            for view in [View::connected(&self.forms, goal), View::alone(&self.forms, goal)] {
                if points(&view.bounds).is_none_or(|points| points > budget.points) {
                    continue;
                }
                match view.first_violation(&self.forms, goal, budget)? {
                    Outcome::Holds => shown = true,
                    Outcome::Fails(point) => {
                        if let Some(found) = accept(&point) {
                            return Ok(Some(found));
                        }
                    }
                    Outcome::Overflow => {}
                }
                break;
            }
            if !shown {
                open.push(goal.clone());
            }
        }
        self.open = open;
        Ok(None)
    }

    /// Queries the solver for a violation of the open goals; if none exists, they are proved.
    ///
    /// # Errors
    /// The [`Reason`] why a goal stays open.
    pub(super) fn by_solver<W>(
        &mut self,
        budget: &Budget,
        accept: Accept<W>,
    ) -> Result<Option<W>, Reason> {
        if self.is_met() {
            return Ok(None);
        }
        let limits = Limits { steps: budget.solver_steps, interrupt: budget.interrupt.as_ref() };
        let problem = self.forms.problem().ok_or(Reason::Overflow)?;
        let violated = |goal: &Goal| Formula::outside(&goal.form, goal.interval);
        let goals: Vec<Formula> = self.open.iter().map(violated).collect();
        let answers = ask(&problem, &goals, &limits)?;
        let mut reason = None;
        for (answer, goal) in answers.iter().zip(&goals) {
            match answer {
                Answer::Unsatisfiable => {}
                Answer::Unknown(why) => reason = reason.or_else(|| Some(why.clone())),
                Answer::Satisfiable(model) => {
                    let mut look = |model: &[Option<i64>]| accept(&self.forms.variables_in(model)?);
                    if let Some(found) = look(model) {
                        return Ok(Some(found));
                    }
                    let near = Formula::All(vec![goal.clone(), self.near_zero()]);
                    let again = ask(&problem, &[near], &limits)?;
                    return match again.first() {
                        Some(Answer::Satisfiable(model)) => {
                            look(model).map(Some).ok_or(Reason::Overflow)
                        }
                        _ => Err(Reason::Overflow),
                    };
                }
            }
        }
        match reason {
            Some(reason) => Err(reason),
            None => {
                self.open.clear();
                Ok(None)
            }
        }
    }

    /// Restricts all variables so that no value of an ordinary map overflows.
    fn near_zero(&self) -> Formula {
        let near = Interval::new(-(1 << 31), 1 << 31);
        let forms = self.forms.variables().iter();
        Formula::All(forms.map(|form| Formula::In(form.clone(), near)).collect())
    }
}

/// The variables and constraints relevant to a goal.
struct View {
    /// The unknowns to evaluate, in order.
    needed: Vec<Unknown>,
    facts: Vec<(Linear, Interval)>,
    /// Bounds of the needed variables, in the order of `needed`.
    bounds: Vec<Interval>,
}

enum Outcome {
    Holds,
    /// The goal fails at this point of the map's variables, according to the view.
    Fails(Vec<i64>),
    Overflow,
}

impl View {
    /// Creates a view of the goal alone, which may suffice to prove it.
    fn alone(forms: &Forms, goal: &Goal) -> View {
        let mut needed = BTreeSet::new();
        forms.collect_needed(&goal.form, &mut needed);
        View::of(forms, needed, Vec::new())
    }

    /// Creates a view of the goal with all constraints transitively connected by shared variables; if it has no variables, with
    /// all constraints.
    fn connected(forms: &Forms, goal: &Goal) -> View {
        let mut needed = BTreeSet::new();
        forms.collect_needed(&goal.form, &mut needed);
        let everything = needed.is_empty();
        let mut facts = Vec::new();
        let mut rest: Vec<&(Linear, Interval)> = forms.facts().iter().collect();
        loop {
            let before = rest.len();
            rest.retain(|(form, interval)| {
                let mut own = BTreeSet::new();
                forms.collect_needed(form, &mut own);
                let touches = everything || !own.is_disjoint(&needed);
                if touches {
                    needed.extend(own);
                    facts.push((form.clone(), *interval));
                }
                !touches
            });
            if rest.len() == before {
                return View::of(forms, needed, facts);
            }
        }
    }

    fn of(forms: &Forms, needed: BTreeSet<Unknown>, facts: Vec<(Linear, Interval)>) -> View {
        let is_variable =
            |unknown: &&Unknown| matches!(forms.definition(**unknown), Definition::Variable(_));
        let bounds = needed.iter().filter(is_variable).map(|unknown| forms.bounds(*unknown));
        View { bounds: bounds.collect(), needed: needed.into_iter().collect(), facts }
    }

    fn first_violation(
        &self,
        forms: &Forms,
        goal: &Goal,
        budget: &Budget,
    ) -> Result<Outcome, Reason> {
        let mut values = vec![0; forms.unknowns().count()];
        let mut verdict_at = |point: &[i64]| -> Option<bool> {
            let mut coordinates = point.iter();
            for unknown in &self.needed {
                values[unknown.index()] = match forms.definition(*unknown) {
                    Definition::Variable(_) => *coordinates.next()?,
                    _ => forms.derived_value(*unknown, &values)?,
                };
            }
            for (form, interval) in &self.facts {
                if !interval.contains(value_of(form, &values)?) {
                    return Some(true);
                }
            }
            Some(goal.interval.contains(value_of(&goal.form, &values)?))
        };
        let found = each_point(&self.bounds, budget, |point, _| match verdict_at(point) {
            Some(true) => ControlFlow::Continue(()),
            Some(false) => ControlFlow::Break(Some(point.to_vec())),
            None => ControlFlow::Break(None),
        })?;
        Ok(match found {
            None => Outcome::Holds,
            Some(None) => Outcome::Overflow,
            Some(Some(point)) => Outcome::Fails(self.completed(forms, &point)),
        })
    }

    /// Extends a point to all variables: irrelevant ones get their value nearest to 0.
    fn completed(&self, forms: &Forms, point: &[i64]) -> Vec<i64> {
        let mut coordinates = point.iter();
        let needed: BTreeSet<Unknown> = self.needed.iter().copied().collect();
        let mut coordinate = |form: &Linear| match form.terms().first() {
            None => form.constant,
            Some((unknown, _)) if needed.contains(unknown) => {
                coordinates.next().copied().unwrap_or(0)
            }
            Some((unknown, _)) => nearest_to_zero(forms.bounds(*unknown)),
        };
        forms.variables().iter().map(&mut coordinate).collect()
    }
}
