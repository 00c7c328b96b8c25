//! The replayer: checks the steps of a certificate one by one, trusting none.
//!
//! A rewrite whose side conditions follow adds an equation; at the end the equations must imply the claim. For equivalences see
//! `domain.rs`.

use super::known::{Known, Steps};
use super::range::Facts;
use super::sum::Sum;
use super::values::{Bindings, NoValue, Values};
use super::{Certificate, Instance, Rejection, RejectionKind};
use crate::expr::{Constraint, Expr, VariableId, interval_of};
use crate::num::{Fuel, Interrupt, Interval, Stopped};
use crate::rule::{Condition, Relation, Rule, RuleSet, Statement, Term};

/// Checks a certificate against the rules, with fuel in proportion to its size ([`Certificate::fuel`]).
///
/// # Errors
/// The errors of [`replay_within`].
pub fn replay(certificate: &Certificate, rules: &RuleSet) -> Result<(), Rejection> {
    replay_within(certificate, rules, &certificate.fuel(&Interrupt::new()))
}

/// Checks a certificate against the rules within the given fuel.
///
/// # Errors
/// [`Rejection`] with the first step that does not hold, or the part of the claim that does not follow; of kind
/// [`RejectionKind::Stopped`] if the fuel was spent first.
pub fn replay_within(
    certificate: &Certificate,
    rules: &RuleSet,
    fuel: &Fuel,
) -> Result<(), Rejection> {
    trace(certificate, rules, fuel, Mode::Full).map(|_| ())
}

/// Checks a certificate as other checkers can, such as `affinor-check`: bounds are never derived from several constraints unless
/// a step does so.
///
/// # Errors
/// The errors of [`replay_within`].
pub fn replay_plainly(
    certificate: &Certificate,
    rules: &RuleSet,
    fuel: &Fuel,
) -> Result<(), Rejection> {
    trace(certificate, rules, fuel, Mode::Plain).map(|_| ())
}

/// The grounds on which a claim holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Grounds {
    /// The steps suffice, also for other checkers ([`replay_plainly`]).
    Steps,
    /// The steps suffice with bounds that are derived from several constraints without a step.
    DerivedBounds,
}

/// Checks a certificate, using only its steps if these suffice.
pub(super) fn replay_grounds(
    certificate: &Certificate,
    rules: &RuleSet,
    fuel: &Fuel,
) -> Result<Grounds, Rejection> {
    match replay_plainly(certificate, rules, &fuel.share(fuel.left())) {
        Ok(()) => Ok(Grounds::Steps),
        Err(_) => replay_within(certificate, rules, fuel).map(|()| Grounds::DerivedBounds),
    }
}

/// The mode of a replay.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// A step that cannot be followed rejects the certificate.
    Full,
    /// A step that cannot be followed is skipped; nothing may depend on it.
    Lenient,
    /// As [`replay_plainly`].
    Plain,
}

/// The dependencies of each step and of the claim, as 0-based step indices.
pub struct Trace {
    /// Dependencies by step.
    pub steps: Vec<Steps>,
    /// Dependencies of the claim.
    pub claim: Steps,
}

/// Like [`replay_within`]; returns the dependencies.
pub fn trace(
    certificate: &Certificate,
    rules: &RuleSet,
    fuel: &Fuel,
    mode: Mode,
) -> Result<Trace, Rejection> {
    let traced = Replay::new(fuel, mode).certificate(certificate, rules);
    // Without fuel nothing can be shown, so other reasons do not count.
    traced.map_err(|rejection| match fuel.check() {
        Ok(()) => rejection,
        Err(stopped) => Reason::stopped(stopped).without_step(),
    })
}

/// The state after some steps.
pub(super) struct Replay<'c> {
    pub(super) values: Values<'c>,
    pub(super) known: Known,
    pub(super) facts: Facts,
    /// Bounds of the domain in addition to the box, as nonnegative sums.
    pub(super) open: Vec<Sum>,
    /// Constraints of the domain that are not yet read, because a divisor is not yet shown to be positive.
    pub(super) unread: Vec<&'c Constraint>,
    /// The box to reach.
    pub(super) target: Vec<Interval>,
    /// Whether a bound excludes every point of the box.
    pub(super) is_empty: bool,
    /// Whether an equivalence adds either side if the other side holds.
    pub(super) reads_both_ways: bool,
    mode: Mode,
    /// Dependencies of each step.
    pub(super) steps: Vec<Steps>,
    /// Dependencies of the claim.
    pub(super) claim: Steps,
}

impl<'c> Replay<'c> {
    pub(super) fn new(fuel: &Fuel, mode: Mode) -> Replay<'c> {
        Replay {
            values: Values::new(fuel.clone()),
            known: Known::default(),
            facts: Facts::new(mode == Mode::Plain),
            open: Vec::new(),
            unread: Vec::new(),
            target: Vec::new(),
            is_empty: false,
            reads_both_ways: false,
            mode,
            steps: Vec::new(),
            claim: Steps::new(),
        }
    }

    fn certificate(
        mut self,
        certificate: &'c Certificate,
        rules: &RuleSet,
    ) -> Result<Trace, Rejection> {
        if !certificate.has_same_variables() {
            let message = "both maps must have the same variables".to_owned();
            return Err(Reason(RejectionKind::Domain, message).without_step());
        }
        let (before, after) = (certificate.before.domain(), certificate.after.domain());
        self.open_domain(before, after).map_err(Reason::without_step)?;
        for instance in &certificate.domain_steps {
            self.step(rules, instance, true)?;
        }
        self.close_domain(before, after).map_err(Reason::without_step)?;
        if certificate.before.results().len() != certificate.after.results().len() {
            let message = "both maps must have the same number of results".to_owned();
            return Err(Reason(RejectionKind::Result, message).without_step());
        }
        if !after.is_known_empty() {
            for instance in &certificate.result_steps {
                self.step(rules, instance, false)?;
            }
            self.results(certificate)?;
        }
        Ok(Trace { steps: self.steps, claim: self.claim })
    }

    /// Checks one step.
    pub(super) fn step(
        &mut self,
        rules: &RuleSet,
        instance: &'c Instance,
        in_domain: bool,
    ) -> Result<(), Rejection> {
        let number = self.steps.len();
        self.steps.push(Steps::new());
        let done = match rules.find(&instance.rule).map(|id| rules.rule(id)) {
            None => Err(Reason(RejectionKind::Rule, "unknown rule".to_owned())),
            Some(_) if self.is_empty => Ok(()), // nothing remains to be shown
            Some(rule) if in_domain => self.apply_to_domain(rule, instance, number),
            Some(rule) => self.apply(rule, instance, number, false),
        };
        match done {
            Err(_) if self.mode == Mode::Lenient => {
                let spent = self.values.spend(0).ok_or(RejectionKind::Stopped);
                spent.map_err(|kind| Reason(kind, String::new()).without_step())
            }
            done => done.map_err(|Reason(kind, message)| Rejection {
                step: Some(number + 1),
                rule: Some(instance.rule.clone()),
                kind,
                message,
            }),
        }
    }

    /// Evaluates the bindings of a step's rule variables.
    pub(super) fn bindings(
        &mut self,
        rule: &Rule,
        instance: &'c Instance,
    ) -> Result<Bindings, Reason> {
        if !instance.binds(rule) {
            let message =
                "the step does not bind each variable of the rule exactly once".to_owned();
            return Err(Reason(RejectionKind::Bindings, message));
        }
        let mut bindings = Bindings::default();
        for constant in &instance.constants {
            bindings.constants.push(match constant.as_constant() {
                Some(value) => Sum::integer(i128::from(value)),
                None => self.expr(constant)?,
            });
        }
        for expr in &instance.expressions {
            bindings.expressions.push(self.expr(expr)?);
        }
        Ok(bindings)
    }

    /// Evaluates an expression, once its divisors are shown to be positive.
    pub(super) fn expr(&mut self, expr: &'c Expr) -> Result<Sum, NoValue> {
        self.admitting(|values| values.expr(expr))
    }

    /// Evaluates a term, once its divisors are shown to be positive.
    pub(super) fn term(&mut self, term: &Term, bindings: &Bindings) -> Result<Sum, NoValue> {
        self.admitting(|values| values.term(term, bindings))
    }

    /// Computes a value, once each divisor in it is shown to be positive at every point of the domain.
    fn admitting(
        &mut self,
        mut value: impl FnMut(&mut Values<'c>) -> Result<Sum, NoValue>,
    ) -> Result<Sum, NoValue> {
        loop {
            let done = value(&mut self.values);
            let Err(NoValue::Divisor) = done else {
                return done;
            };
            let divisor = self.values.wanted().ok_or(NoValue::Divisor)?;
            let less_one = divisor.plus_integer(-1).ok_or(NoValue::Overflow)?;
            let mut used = Steps::new();
            if !self.is_natural(&less_one, &mut used) {
                return Err(NoValue::Divisor);
            }
            self.claim.extend(used);
            self.values.admit(divisor);
        }
    }

    fn apply_to_domain(
        &mut self,
        rule: &Rule,
        instance: &'c Instance,
        number: usize,
    ) -> Result<(), Reason> {
        if let Err(reason) = self.apply(rule, instance, number, true) {
            // The congruence closure is computed only on demand.
            self.narrow_closed()?;
            self.apply(rule, instance, number, true).map_err(|_| reason)?;
        }
        self.narrow()
    }

    fn apply(
        &mut self,
        rule: &Rule,
        instance: &'c Instance,
        number: usize,
        in_domain: bool,
    ) -> Result<(), Reason> {
        let bindings = self.bindings(rule, instance)?;
        let mut used = Steps::new();
        for condition in &rule.conditions {
            if !self.establishes(condition, &bindings, &mut used)? {
                let condition = rule.write_condition(condition);
                let message = format!("the side condition {condition} is not established");
                return Err(Reason(RejectionKind::Condition, message));
            }
        }
        match &rule.statement {
            Statement::Rewrite(lhs, rhs) => {
                let x = self.term(lhs, &bindings)?;
                let y = self.term(rhs, &bindings)?;
                let equation = x.plus(-1, &y).ok_or_else(Reason::overflow)?;
                let added = self.known.add(&self.values, equation, Steps::from([number]));
                added.ok_or_else(Reason::overflow)?;
                if let (Term::Expression(i), Term::Expression(j)) = (lhs, rhs) {
                    let written = [i, j].map(|slot| &instance.expressions[*slot as usize]);
                    self.share_range([&x, &y], written, number);
                }
            }
            Statement::Equivalence(lhs, rhs) if in_domain => {
                self.replace(lhs, rhs, &bindings)?;
                self.claim.insert(number);
            }
            Statement::Equivalence(lhs, rhs) if self.reads_both_ways => {
                self.learn_either([lhs, rhs], &bindings)?;
            }
            Statement::Equivalence(..) => {
                let message = "only domain steps can replace bounds".to_owned();
                return Err(Reason(RejectionKind::Bound, message));
            }
            Statement::Fact(facts) => {
                for fact in facts {
                    self.learn(fact, &bindings, number)?;
                }
            }
        }
        self.steps[number] = used;
        Ok(())
    }

    /// Adds a comparison as a fact.
    fn learn(
        &mut self,
        fact: &Condition,
        bindings: &Bindings,
        number: usize,
    ) -> Result<(), Reason> {
        let from = Steps::from([number]);
        for sum in self.comparison(fact, bindings)? {
            let natural = Interval::new(0, Interval::ALL.hi());
            let learnt = match fact.relation {
                Relation::Equal => self.known.add(&self.values, sum, from.clone()).map(drop),
                Relation::LessEqual | Relation::Less => {
                    self.facts.show(&sum, natural, from.clone())
                }
            };
            learnt.ok_or_else(Reason::overflow)?;
        }
        Ok(())
    }

    /// Shares intervals between two forms of a value: an interval of either holds for both.
    fn share_range(&mut self, sums: [&Sum; 2], written: [&Expr; 2], number: usize) {
        let (mut shared, mut used) = (Interval::ALL, Steps::from([number]));
        let variables = &self.facts.variables;
        let bounds = |id: VariableId| variables.get(id.index()).copied().unwrap_or(Interval::ALL);
        for expr in written {
            shared = shared.intersect(interval_of(expr, &bounds));
        }
        for sum in sums {
            let range = self.facts.range(&self.values, &self.known, sum, &mut used);
            shared = shared.intersect(range);
        }
        for sum in sums {
            self.facts.show(sum, shared, used.clone());
        }
    }

    /// Checks that the results are equal under the equations.
    pub(super) fn results(&mut self, certificate: &'c Certificate) -> Result<(), Rejection> {
        let (before, after) = (certificate.before.results(), certificate.after.results());
        for (index, (x, y)) in before.iter().zip(after).enumerate() {
            if x == y {
                continue;
            }
            let (x, y) = (self.expr(x), self.expr(y));
            let difference = x.and_then(|x| x.plus(-1, &y?).ok_or(NoValue::Overflow));
            let difference = difference.map_err(|error| Reason::from(error).without_step())?;
            let mut used = Steps::new();
            if self.is_integer(&difference, &mut used) != Some(0) {
                let message =
                    format!("the steps do not prove that result {} is unchanged", index + 1);
                return Err(Reason(RejectionKind::Result, message).without_step());
            }
            self.claim.extend(used);
        }
        Ok(())
    }
}

/// The kind and message of a rejection, before the failing step is known.
pub(super) struct Reason(pub RejectionKind, pub String);

impl Reason {
    pub(super) fn overflow() -> Reason {
        Reason(RejectionKind::Overflow, "a number does not fit in 128 bits".to_owned())
    }

    pub(super) fn stopped(stopped: Stopped) -> Reason {
        let message = match stopped {
            Stopped::Steps => format!("stopped at {stopped}"),
            Stopped::Interrupted => stopped.to_string(),
        };
        Reason(RejectionKind::Stopped, message)
    }

    pub(super) fn without_step(self) -> Rejection {
        Rejection { step: None, rule: None, kind: self.0, message: self.1 }
    }
}

impl From<NoValue> for Reason {
    fn from(error: NoValue) -> Reason {
        match error {
            NoValue::Overflow | NoValue::Stopped => Reason::overflow(),
            NoValue::NotAffine => Reason(
                RejectionKind::Bindings,
                "with these bindings, a term of the rule divides by a non-positive integer"
                    .to_owned(),
            ),
            NoValue::Divisor => {
                Reason(RejectionKind::Condition, "a divisor is not shown to be positive".to_owned())
            }
        }
    }
}
