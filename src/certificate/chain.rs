//! A certificate told as a chain: each line equals the one before, and the last one is the answer.
//!
//! The certificate says which rule instances hold, not in what order they lead from what was given to the
//! answer. Here each instance is used as a rewrite of the line as it stands, wherever its left side occurs,
//! in the order in which the instances fired; where no single one goes on, the line names all that the rest
//! rests on. What no rule is needed for (like terms, `x mod c` as `x - c*(x floordiv c)`, a variable with
//! one value) happens within each line, or is a line of its own by [`ARITHMETIC`](super::ARITHMETIC).
//!
//! Laws, tested on random maps: there are lines exactly if something changed; each line equals the one
//! before at every point; the rules that are named are those of the certificate, all and only. Nothing here
//! has to be trusted: the replayer decides whether a certificate holds.

use super::known::Steps;
use super::replay::{Replay, Unfollowed};
use super::rewrite::Rewrite;
use super::shown::Shown;
use super::sum::Sum;
use super::told::{Step, Told, domain_text};
use super::{Certificate, Instance};
use crate::expr::{Expr, ExprKind, VariableId};
use crate::fuel::Fuel;
use crate::interval::{Interval, MINUS_INFINITY, PLUS_INFINITY};
use crate::map::{Domain, Variable};
use crate::rule::RuleSet;
use crate::syntax::{Style, print_expr, print_map, variable_names};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Most times that one instance rewrites a result.
const MAX_USES: usize = 3;

/// The steps of a certificate as a chain. `None` if the certificate does not hold, or the fuel is spent.
pub fn chain(certificate: &Certificate, rules: &RuleSet, fuel: &Fuel) -> Option<Vec<Step>> {
    let mut narrator = Narrator {
        replay: Replay::new(fuel, Unfollowed::Rejected),
        rules,
        names: variable_names(certificate.before.domain()),
        told: Vec::new(),
        shown: Shown::default(),
        pending: Vec::new(),
        lines: Vec::new(),
    };
    narrator.domain(certificate)?;
    if !certificate.after.domain().is_known_empty() {
        narrator.results(certificate)?;
    }
    Some(narrator.steps())
}

/// The claim of a certificate that was not shown to hold, in one line that names every rule.
pub fn unchecked(certificate: &Certificate, rules: &RuleSet) -> Vec<Step> {
    if certificate.before == certificate.after {
        return Vec::new();
    }
    let [before, after] =
        [&certificate.before, &certificate.after].map(|map| print_map(map, Style::Plain));
    let names = variable_names(certificate.before.domain());
    let mut told: Vec<Told> = Vec::new();
    for instance in certificate.steps() {
        let rule = rules.find(&instance.rule).map(|id| rules.rule(id));
        let one = rule.map(|rule| Told::of(rule, instance, &names));
        told.extend(one.filter(|one| !told.contains(one)));
    }
    let last = told.len().saturating_sub(1);
    if told.is_empty() {
        told.push(Told::arithmetic());
    }
    let numbered = told.into_iter().enumerate();
    let step = |(index, told): (usize, Told)| {
        told.step(None, &before, if index < last { &before } else { &after })
    };
    numbered.map(step).collect()
}

/// A step of the certificate, and whether it is used from right to left.
type Use = (usize, bool);

/// What leads to a sum.
struct Move {
    by: Vec<Use>,
    sum: Sum,
}

/// One end of a path: the sums from there, the steps between them, and how often each step was used.
struct End {
    sums: Vec<Sum>,
    by: Vec<Use>,
    uses: Vec<usize>,
}

impl End {
    fn new(sum: Sum, told: &[Told]) -> End {
        End {
            sums: vec![sum],
            by: Vec::new(),
            uses: vec![0; told.len()],
        }
    }
}

/// A line: the steps of the certificate that lead to it, the last of them in its place.
struct Line {
    by: Vec<Use>,
    result: Option<usize>,
    before: String,
    after: String,
}

struct Narrator<'c> {
    replay: Replay<'c>,
    rules: &'c RuleSet,
    names: Vec<Arc<str>>,
    /// By step of the certificate.
    told: Vec<Told>,
    /// How what the steps are about is written.
    shown: Shown,
    /// Steps that were taken and led to no line yet.
    pending: Vec<Use>,
    lines: Vec<Line>,
}

impl<'c> Narrator<'c> {
    /// Takes the next step of the certificate.
    fn take(&mut self, instance: &'c Instance, in_domain: bool) -> Option<()> {
        self.replay.step(self.rules, instance, in_domain).ok()?;
        let rule = self.rules.rule(self.rules.find(&instance.rule)?);
        let values = &mut self.replay.values;
        let sums = instance.expressions.iter().map(|x| values.expr(x).ok());
        let sums: Vec<Sum> = sums.collect::<Option<_>>()?;
        // A remainder is read more easily than its definition.
        let mut readable = instance.clone();
        for (expr, sum) in readable.expressions.iter_mut().zip(&sums) {
            if let Some(new) = self.shown.sum(&self.replay.values, sum) {
                *expr = new;
            }
        }
        let told = self.replay.told(rule, &readable, &self.names, &sums);
        self.told.push(told);
        Some(())
    }

    /// The lines of the domain.
    fn domain(&mut self, certificate: &'c Certificate) -> Option<()> {
        let (given, domain) = (certificate.before.domain(), certificate.after.domain());
        let mut current = domain_text(given, &self.names);
        let target = domain_text(domain, &self.names);
        self.replay.open_domain(given, domain).ok()?;
        let mut reached = self.domain_reached(domain.variables());
        for (number, instance) in certificate.domain_steps.iter().enumerate() {
            self.take(instance, true)?;
            self.pending.push((number, false));
            self.rewrite_bounds(number);
            let next = self.domain_reached(domain.variables());
            if next.is_some() && next != reached {
                let line = next.clone().unwrap_or_default();
                self.line(None, &mut current, line);
                reached = next;
            }
        }
        self.replay.close_domain(given, domain).ok()?;
        self.end_at(None, current, target);
        Some(())
    }

    /// Rewrites the bounds of the domain by the equation that a step has shown. What holds on the box may be
    /// put in its place: the same points remain.
    fn rewrite_bounds(&mut self, number: usize) {
        let Some((left, right)) = &self.told[number].equation else {
            return;
        };
        let values = &mut self.replay.values;
        let rewrites = Rewrite::of(values, left, right);
        for bound in &mut self.replay.open {
            let new = rewrites.iter().find_map(|x| x.applied(values, bound));
            if let Some(new) = new {
                *bound = new;
            }
        }
    }

    /// The domain as it is by now, with the variables of the one to be reached.
    fn domain_reached(&mut self, variables: &[Variable]) -> Option<String> {
        let mut shown = Shown::of(&self.replay.values);
        let boxed = variables.iter().zip(&self.replay.facts.variables);
        let boxed = boxed.map(|(x, bounds)| Variable::new(x.name.clone(), x.kind, *bounds));
        let mut domain = Domain::new(boxed.collect());
        for bound in self.replay.open.clone() {
            let Replay {
                values,
                known,
                facts,
                ..
            } = &mut self.replay;
            let range = facts.range(values, known, &bound, &mut Steps::new());
            let Some(sign) = bound.terms().first().map(|(_, c)| c.signum()) else {
                continue; // an integer: it says nothing, or the domain is empty
            };
            if range.lo() >= 0 {
                continue; // it says nothing
            }
            // The sum without its constant, which a remainder may have brought one of its own.
            let terms = bound.without_constant().scaled(sign)?;
            let expr = shown.sum(values, &terms)?;
            let (own, expr) = match expr.kind() {
                ExprKind::Sum(sum) => (sum.constant(), Expr::sum(0, sum.terms().to_vec()).ok()?),
                _ => (0, expr),
            };
            let constant = bound.constant().checked_mul(sign.checked_neg()?)?;
            let end = i64::try_from(constant.checked_sub(i128::from(own))?).ok()?;
            let bounds = match sign > 0 {
                true => Interval::new(end, PLUS_INFINITY),
                false => Interval::new(MINUS_INFINITY, end),
            };
            // The other end is the one that the box gives.
            let boxed = facts.range(values, known, &terms, &mut Steps::new());
            let boxed = boxed.add(Interval::point(own.checked_neg()?));
            let bounds = bounds.intersect(boxed);
            domain.constrain(&expr, bounds);
        }
        if self.replay.is_empty {
            domain.make_empty();
        }
        Some(domain_text(&domain, &self.names))
    }

    /// The lines of all results.
    fn results(&mut self, certificate: &'c Certificate) -> Option<()> {
        for instance in &certificate.result_steps {
            self.take(instance, false)?;
        }
        let (before, after) = (certificate.before.results(), certificate.after.results());
        for (index, (x, y)) in before.iter().zip(after).enumerate() {
            if x != y {
                self.result(index, x, y)?;
            }
        }
        Some(())
    }

    /// The lines from one result to another.
    fn result(&mut self, index: usize, x: &'c Expr, y: &'c Expr) -> Option<()> {
        let values = &mut self.replay.values;
        let (x_sum, y_sum) = (values.expr(x).ok()?, values.expr(y).ok()?);
        let (state, goal) = (self.with_values(x_sum)?, self.with_values(y_sum)?);
        let moves = self.path(state, goal)?;
        let mut shown = Shown::of(&self.replay.values);
        let mut current = self.text(x);
        let target = self.text(y);
        for Move { by, sum } in moves {
            self.pending.extend(by);
            let line = shown.sum(&self.replay.values, &sum).map(|x| self.text(&x));
            if let Some(line) = line.filter(|line| *line != current) {
                self.line(Some(index), &mut current, line);
            }
        }
        self.end_at(Some(index), current, target);
        Some(())
    }

    /// The steps that lead from one sum to another, and what each leads to. Rewriting goes on from both
    /// ends, from left to right where it can, until they meet; if they do not, the last move is by all that
    /// the rest rests on.
    fn path(&mut self, state: Sum, goal: Sum) -> Option<Vec<Move>> {
        let steps = self.steps_between(&state, &goal)?;
        let mut ends = [End::new(state, &self.told), End::new(goal, &self.told)];
        let met = loop {
            let met = |[front, back]: &[End; 2]| {
                let here = front.sums.iter().position(|x| Some(x) == back.sums.last());
                let there = back.sums.iter().position(|x| Some(x) == front.sums.last());
                let last = |end: &End| end.sums.len() - 1;
                let here = here.map(|here| (here, last(back)));
                here.or_else(|| there.map(|there| (last(front), there)))
            };
            if let Some(met) = met(&ends) {
                break Some(met);
            }
            let choices = [(0, false), (1, false), (0, true), (1, true)];
            let mut moved = false;
            for (end, reversed) in choices {
                moved = self.advance(&mut ends[end], &steps, reversed)?;
                if moved {
                    break;
                }
            }
            if !moved {
                break None;
            }
        };
        let [front, back] = ends;
        let last = (front.by.len(), back.by.len());
        let ((here, there), leap) = match met {
            Some(met) => (met, None),
            // From where the ends stand, or else from one before, down to where they started.
            None => {
                let fewer = (0..=last.0).rev().map(|here| (here, 0));
                let leap = |(here, there): (usize, usize)| {
                    let (from, to) = (front.sums.get(here)?, back.sums.get(there)?);
                    let steps = self.steps_between(from, to)?;
                    Some(((here, there), Some(steps)))
                };
                std::iter::once(last).chain(fewer).find_map(leap)?
            }
        };
        let mut moves: Vec<Move> = Vec::new();
        for (by, sum) in front.by.iter().zip(front.sums.iter().skip(1)).take(here) {
            let (by, sum) = (vec![*by], sum.clone());
            moves.push(Move { by, sum });
        }
        if let Some(steps) = leap {
            let by = steps.into_iter().map(|step| (step, false)).collect();
            let sum = back.sums.get(there)?.clone();
            moves.push(Move { by, sum });
        }
        let rest: Vec<(&Use, &Sum)> = back.by.iter().zip(&back.sums).take(there).collect();
        for ((step, reversed), sum) in rest.into_iter().rev() {
            let (by, sum) = (vec![(*step, !reversed)], sum.clone());
            moves.push(Move { by, sum });
        }
        Some(moves)
    }

    /// Rewrites one end by the first step that changes it; returns whether one did. A step that has rewritten
    /// goes behind those that have not, and from right to left each goes once, so that this comes to an end.
    fn advance(&mut self, end: &mut End, steps: &[usize], reversed: bool) -> Option<bool> {
        let mut order: Vec<usize> = steps.to_vec();
        order.sort_by_key(|step| end.uses[*step]);
        let most = if reversed { 0 } else { MAX_USES - 1 };
        let Some(sum) = end.sums.last().cloned() else {
            return Some(false);
        };
        for step in order {
            if end.uses[step] > most {
                continue;
            }
            self.replay.values.spend(1)?;
            let new = self.rewritten(step, reversed, &sum);
            if let Some(new) = new.filter(|new| !end.sums.contains(new)) {
                end.uses[step] = if reversed {
                    MAX_USES
                } else {
                    end.uses[step] + 1
                };
                end.by.push((step, reversed));
                end.sums.push(new);
                return Some(true);
            }
        }
        Some(false)
    }

    /// A sum with the variables that have one value replaced by it.
    fn with_values(&mut self, sum: Sum) -> Option<Sum> {
        let mut sum = sum;
        for (index, bounds) in (0u32..).zip(self.replay.facts.variables.clone()) {
            let Some(value) = bounds.as_point() else {
                continue;
            };
            let values = &mut self.replay.values;
            values.spend(1)?;
            let variable = values.variable(VariableId(index)).as_atom()?;
            if let Some(new) = Rewrite::of_variable(variable, value).applied(values, &sum) {
                sum = new;
            }
        }
        Some(sum)
    }

    /// The steps by which two sums are equal.
    fn steps_between(&mut self, x: &Sum, y: &Sum) -> Option<Vec<usize>> {
        let mut used = Steps::new();
        let difference = x.plus(-1, y)?;
        let value = self.replay.is_integer(&difference, &mut used)?;
        (value == 0).then(|| used.into_iter().collect())
    }

    /// A sum after one step, from left to right or reversed.
    fn rewritten(&mut self, step: usize, reversed: bool, sum: &Sum) -> Option<Sum> {
        let (left, right) = self.told[step].equation.as_ref()?;
        let values = &mut self.replay.values;
        let rewrites = match reversed {
            false => Rewrite::of(values, left, right),
            true => Rewrite::of(values, right, left),
        };
        rewrites.iter().find_map(|x| x.applied(values, sum))
    }

    fn text(&self, expr: &Expr) -> String {
        print_expr(expr, &self.names, Style::Plain)
    }

    /// A line by the steps that are pending; by none it needs no rule.
    fn line(&mut self, result: Option<usize>, current: &mut String, after: String) {
        let before = std::mem::replace(current, after.clone());
        let by = std::mem::take(&mut self.pending);
        self.lines.push(Line {
            by,
            result,
            before,
            after,
        });
    }

    /// The last line of a result, or of the domain, is the answer.
    fn end_at(&mut self, result: Option<usize>, mut current: String, target: String) {
        let last = self.lines.last_mut().filter(|line| line.result == result);
        match last {
            Some(line) if self.pending.is_empty() => line.after = target,
            _ if current == target => {}
            _ => self.line(result, &mut current, target),
        }
    }

    /// Each line as steps: those that only support it, then those that lead to it.
    fn steps(mut self) -> Vec<Step> {
        let mut leading: BTreeSet<usize> = BTreeSet::new();
        for line in &mut self.lines {
            let mut once = BTreeSet::new();
            line.by.retain(|(step, _)| once.insert(*step));
            leading.extend(line.by.iter().map(|(step, _)| step));
        }
        // What a step rests on is told before it, once.
        let mut named = leading.clone();
        for line in &mut self.lines {
            let mut below: BTreeSet<usize> = BTreeSet::new();
            let mut open: Vec<usize> = line.by.iter().map(|(step, _)| *step).collect();
            while let Some(step) = open.pop() {
                for other in &self.replay.steps[step] {
                    if named.insert(*other) {
                        below.insert(*other);
                        open.push(*other);
                    }
                }
            }
            line.by
                .splice(0..0, below.into_iter().map(|step| (step, false)));
        }
        if let Some(line) = self.lines.last_mut() {
            let rest = (0..self.told.len()).filter(|step| !named.contains(step));
            line.by.splice(0..0, rest.map(|step| (step, false)));
        }
        let mut steps: Vec<Step> = Vec::new();
        let mut places: Vec<Option<usize>> = vec![None; self.told.len()];
        for Line {
            by,
            result,
            before,
            after,
        } in &self.lines
        {
            if by.is_empty() {
                steps.push(Told::arithmetic().step(*result, before, after));
            }
            for (position, (number, reversed)) in by.iter().enumerate() {
                let is_last = position + 1 == by.len();
                let after = if is_last { after } else { before };
                let mut step = self.told[*number].clone().step(*result, before, after);
                let below = self.replay.steps[*number].iter();
                step.reversed = *reversed;
                step.rests_on = below.filter_map(|other| places[*other]).collect();
                places[*number] = Some(steps.len());
                steps.push(step);
            }
        }
        steps
    }
}
