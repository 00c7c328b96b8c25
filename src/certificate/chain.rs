//! Presents a certificate as a chain: each line equals the one before, and the last one is the answer.
//!
//! The certificate says which rule instances hold, not the order in which they turn the input into the answer. Here each instance
//! is used as a rewrite of the current line, wherever its left side occurs, in the order in which the instances fired; if no
//! single instance applies, the line names all that the remaining equality depends on. Steps that need no rule (like terms, `x
//! mod c` as `x - c*(x floordiv c)`, a variable with one value) happen within each line, or are a line of their own by
//! [`ARITHMETIC`](super::ARITHMETIC).
//!
//! Laws, tested on random maps: there are lines iff something changed; each line equals the one before at every point; the named
//! rules are exactly those of the certificate. Nothing here needs to be trusted: the replayer decides whether a certificate
//! holds.

use super::known::Steps;
use super::narrated::{Narrated, Step, domain_text};
use super::path::{Move, Use};
use super::replay::{Mode, Replay};
use super::rewrite::Rewrite;
use super::shown::Shown;
use super::{Certificate, Instance};
use crate::expr::{Constraint, Domain, Expr, ExprKind, Variable, interval_of};
use crate::num::{Fuel, Interval, MINUS_INFINITY, PLUS_INFINITY};
use crate::rule::RuleSet;
use crate::text::{Style, print_constraint, print_expr, print_map, variable_names};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Presents a certificate as a chain of steps. `None` if it does not hold, or the fuel is spent.
pub fn chain(certificate: &Certificate, rules: &RuleSet, fuel: &Fuel) -> Option<Vec<Step>> {
    let mut narrator = Narrator {
        replay: Replay::new(fuel, Mode::Full),
        rules,
        names: variable_names(certificate.before.domain()),
        narrated: Vec::new(),
        shown: Shown::default(),
        pending: Vec::new(),
        facts: Vec::new(),
        lines: Vec::new(),
    };
    narrator.domain(certificate)?;
    if !certificate.after.domain().is_known_empty() {
        narrator.results(certificate)?;
    }
    Some(narrator.steps())
}

/// Presents the claim of a certificate that has no chain as one line that names every rule once.
pub fn unchecked(certificate: &Certificate, rules: &RuleSet) -> Vec<Step> {
    if certificate.before == certificate.after {
        return Vec::new();
    }
    let [before, after] =
        [&certificate.before, &certificate.after].map(|map| print_map(map, Style::Plain));
    let names = variable_names(certificate.before.domain());
    let mut narrated: Vec<Narrated> = Vec::new();
    for instance in certificate.steps() {
        let rule = rules.find(&instance.rule).map(|id| rules.rule(id));
        let one = rule.map(|rule| Narrated::of(rule, instance, &names));
        narrated.extend(one.filter(|one| narrated.iter().all(|other| other.rule != one.rule)));
    }
    let last = narrated.len().saturating_sub(1);
    if narrated.is_empty() {
        narrated.push(Narrated::arithmetic());
    }
    let numbered = narrated.into_iter().enumerate();
    let step = |(index, narrated): (usize, Narrated)| {
        narrated.step(None, &before, if index < last { &before } else { &after })
    };
    numbered.map(step).collect()
}

/// A line: the certificate steps it uses, with the last of them as its rule.
struct Line {
    by: Vec<Use>,
    result: Option<usize>,
    before: String,
    after: String,
    /// Facts that arithmetic needs.
    facts: Vec<String>,
}

pub(super) struct Narrator<'c> {
    pub(super) replay: Replay<'c>,
    rules: &'c RuleSet,
    pub(super) names: Vec<Arc<str>>,
    /// The description of each step of the certificate.
    pub(super) narrated: Vec<Narrated>,
    /// The printed forms of subjects of steps.
    shown: Shown,
    /// Steps taken that have not produced a line yet.
    pending: Vec<Use>,
    /// Further facts that the next line needs.
    facts: Vec<String>,
    lines: Vec<Line>,
}

impl<'c> Narrator<'c> {
    /// Takes the next step of the certificate.
    fn take(&mut self, instance: &'c Instance, in_domain: bool) -> Option<()> {
        self.replay.step(self.rules, instance, in_domain).ok()?;
        let rule = self.rules.rule(self.rules.find(&instance.rule)?);
        let bindings = self.replay.bindings(rule, instance).ok()?;
        // A remainder reads better than its definition.
        let mut readable = instance.clone();
        for (expr, sum) in readable.expressions.iter_mut().zip(&bindings.expressions) {
            if let Some(new) = self.shown.sum(&self.replay.values, sum) {
                *expr = new;
            }
        }
        let narrated = self.replay.narrate(rule, &readable, &self.names, &bindings);
        self.narrated.push(narrated);
        Some(())
    }

    /// Adds the lines of the domain.
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
                self.replay.values.spend(line.len())?;
                self.line(None, &mut current, line);
                reached = next;
            }
        }
        self.replay.close_domain(given, domain).ok()?;
        if self.lines.is_empty() && self.pending.is_empty() && current != target {
            self.facts = self.ranges_of(given, domain);
        }
        self.end_at(None, current, target);
        Some(())
    }

    /// Describes the dropped constraints that the bounds of the variables decide: each sum with its range.
    fn ranges_of(&self, given: &Domain, domain: &Domain) -> Vec<String> {
        let constraints = given.constraints().iter();
        let gone = constraints.filter(|x| domain.constraints().iter().all(|y| x.expr != y.expr));
        let fact = |constraint: &Constraint| {
            let range = interval_of(&constraint.expr, &|id| given.bounds(id));
            let both = range.intersect(constraint.bounds);
            let ranged = Constraint { expr: constraint.expr.clone(), bounds: range };
            (both == range || both.is_empty())
                .then(|| print_constraint(&ranged, &self.names, Style::Plain))
        };
        gone.filter_map(fact).collect()
    }

    /// Rewrites the bounds of the domain by the equation that a step established. It holds on the box, so the same points remain.
    fn rewrite_bounds(&mut self, number: usize) {
        let Some((left, right)) = &self.narrated[number].equation else {
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

    /// Returns the current domain, with the variables of the target domain.
    fn domain_reached(&mut self, variables: &[Variable]) -> Option<String> {
        let mut shown = Shown::of(&self.replay.values);
        let boxed = variables.iter().zip(&self.replay.facts.variables);
        let boxed = boxed.map(|(x, bounds)| Variable::new(x.name.clone(), x.kind, *bounds));
        let mut domain = Domain::new(boxed.collect());
        for bound in self.replay.open.clone() {
            let Replay { values, known, facts, .. } = &mut self.replay;
            let range = facts.range(values, known, &bound, &mut Steps::new());
            let Some(sign) = bound.terms().first().map(|(_, c)| c.signum()) else {
                continue; // an integer: it is redundant, or the domain is empty
            };
            if range.lo() >= 0 {
                continue; // it is redundant
            }
            // The sum without its constant: a remainder may have added one.
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
            // The other bound comes from the box.
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

    /// Adds the lines of all results.
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

    /// Adds the lines from one form of a result to another.
    fn result(&mut self, index: usize, x: &'c Expr, y: &'c Expr) -> Option<()> {
        let (x_sum, y_sum) = (self.replay.expr(x).ok()?, self.replay.expr(y).ok()?);
        let (state, values_used) = self.with_values(x_sum)?;
        let (goal, _) = self.with_values(y_sum)?;
        let moves = self.path(state, goal)?;
        self.facts = values_used;
        let mut shown = Shown::of(&self.replay.values);
        let mut current = self.text(x);
        let target = self.text(y);
        for Move { by, sum } in moves {
            self.pending.extend(by);
            let line = shown.sum(&self.replay.values, &sum).map(|x| self.text(&x));
            if let Some(line) = line.filter(|line| *line != current) {
                self.replay.values.spend(line.len())?;
                self.line(Some(index), &mut current, line);
            }
        }
        self.end_at(Some(index), current, target);
        Some(())
    }

    fn text(&self, expr: &Expr) -> String {
        print_expr(expr, &self.names, Style::Plain)
    }

    /// Adds a line for the pending steps, or an arithmetic line if there are none.
    fn line(&mut self, result: Option<usize>, current: &mut String, after: String) {
        let before = std::mem::replace(current, after.clone());
        let by = std::mem::take(&mut self.pending);
        self.lines.push(Line { by, result, before, after, facts: std::mem::take(&mut self.facts) });
    }

    /// Replaces the last line of a result, or of the domain, by the answer.
    fn end_at(&mut self, result: Option<usize>, mut current: String, target: String) {
        let last = self.lines.last_mut().filter(|line| line.result == result);
        match last {
            Some(line) if self.pending.is_empty() => line.after = target,
            _ if current == target => {}
            _ => self.line(result, &mut current, target),
        }
    }

    /// Converts each line to steps: those that support it, then those that rewrite.
    fn steps(mut self) -> Vec<Step> {
        let mut leading: BTreeSet<usize> = BTreeSet::new();
        for line in &mut self.lines {
            let mut once = BTreeSet::new();
            line.by.retain(|(step, _)| once.insert(*step));
            leading.extend(line.by.iter().map(|(step, _)| step));
        }
        // The steps that a step depends on are shown before it, once.
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
            line.by.splice(0..0, below.into_iter().map(|step| (step, false)));
        }
        if let Some(line) = self.lines.last_mut() {
            let rest = (0..self.narrated.len()).filter(|step| !named.contains(step));
            line.by.splice(0..0, rest.map(|step| (step, false)));
        }
        let mut steps: Vec<Step> = Vec::new();
        let mut places: Vec<Option<usize>> = vec![None; self.narrated.len()];
        for Line { by, result, before, after, facts } in &self.lines {
            if by.is_empty() {
                steps.push(Narrated::arithmetic().step(*result, before, after));
            }
            for (position, (number, reversed)) in by.iter().enumerate() {
                let is_last = position + 1 == by.len();
                let after = if is_last { after } else { before };
                let mut step = self.narrated[*number].clone().step(*result, before, after);
                let below = self.replay.steps[*number].iter();
                step.reversed = *reversed;
                step.rests_on = below.filter_map(|other| places[*other]).collect();
                places[*number] = Some(steps.len());
                steps.push(step);
            }
            if let Some(last) = steps.last_mut() {
                last.facts.extend_from_slice(facts);
            }
        }
        steps
    }
}
