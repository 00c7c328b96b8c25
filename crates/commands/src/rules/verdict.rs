//! Output of the verdict on a rule.

use crate::failure::Failure;
use crate::option::Flag;
use crate::output::{Object, Output, Role, Text};
use crate::table::Call;
use crate::trace::Trace;
use crate::verdict::{vacuous, verdict_status};
use affinor::num::Interrupt;
use affinor::prove::Budget;
use affinor::rule::verify::{self, Verdict};
use affinor::rule::{Condition, Point, Rule, Statement, Term, Truth};
use serde_json::Value;

pub(super) const SCRIPTS: Flag =
    Flag::new("scripts", "with `prove`: also print the SMT-LIB scripts, each of which is unsat");

/// Describes a verdict in words, and a counterexample with both sides evaluated.
pub fn text(rule: &Rule, verdict: &Verdict) -> Text {
    match verdict {
        Verdict::Proved => Text::of(Role::Good, "proved").plain(" for all integers"),
        Verdict::Unknown(reason) => {
            Text::of(Role::Doubtful, "unknown").plain(format!(": {reason}"))
        }
        Verdict::Refuted(point) => {
            let Some(trace) = trace(rule, point) else {
                return short_text(rule, verdict);
            };
            let mut text = Text::of(Role::Bad, "refuted").plain(format!(": {}", at(rule, point)));
            text.append(trace.text());
            text
        }
    }
}

/// Describes the verdict on a rule; if it `is_vacuous`, that nothing satisfies its conditions, otherwise as [`text`] does.
pub fn text_where(rule: &Rule, verdict: &Verdict, is_vacuous: bool) -> Text {
    match is_vacuous {
        true => vacuous(),
        false => text(rule, verdict),
    }
}

/// Describes a verdict as [`text`] does, but without the values of subterms.
pub fn short_text(rule: &Rule, verdict: &Verdict) -> Text {
    match verdict {
        Verdict::Refuted(point) => {
            let mut text = Text::of(Role::Bad, "refuted").plain(format!(": {}", at(rule, point)));
            text.append(lines(&sides(rule, point)));
            text
        }
        other => text(rule, other),
    }
}

/// Adds `verdict`, `counterexample` and `reason` to an answer.
pub fn object(json: Object, rule: &Rule, verdict: &Verdict) -> Object {
    let json = json.with("verdict", verdict.word());
    match verdict {
        Verdict::Proved => json,
        Verdict::Unknown(reason) => json.with("reason", reason.as_str()),
        Verdict::Refuted(point) => json.with("counterexample", counterexample(rule, point)),
    }
}

/// Returns `{"point": {"x": 64}, "left": 0, "right": 1}`; `left` and `right` are the values of the two sides that differ, or of
/// the comparison that fails, and `divisor` is the value of a divisor below 1.
pub fn counterexample(rule: &Rule, point: &Point) -> Object {
    let object = Object::nested().with("point", point_object(rule, point));
    let object = with_sides(object, &sides(rule, point));
    object.with_some("nodes", trace(rule, point).map(|trace| trace.json()))
}

/// Compares two sides that differ, node by node; `None` if a divisor or a condition fails instead.
fn trace(rule: &Rule, point: &Point) -> Option<Trace> {
    match &rule.statement {
        Statement::Rewrite(lhs, rhs) if rule.truth(point) != Truth::Undefined => {
            Some(Trace::of_terms(rule, lhs, rhs, point))
        }
        Statement::Fact(facts) if rule.truth(point) != Truth::Undefined => {
            let failing = facts.iter().find(|fact| fact.holds(point) != Some(true))?;
            Some(Trace::of_terms(rule, &failing.lhs, &failing.rhs, point))
        }
        _ => None,
    }
}

/// Returns a point as JSON: `{"x": 64}`
pub fn point_object(rule: &Rule, point: &Point) -> Object {
    values(rule, point).fold(Object::nested(), |object, (name, value)| object.with(name, value))
}

/// Returns a point as text: `at c = 2, x = 64`
pub fn at(rule: &Rule, point: &Point) -> String {
    let values: Vec<String> =
        values(rule, point).map(|(name, value)| format!("{name} = {value}")).collect();
    match values.is_empty() {
        true => "everywhere".to_owned(),
        false => format!("at {}", values.join(", ")),
    }
}

fn values<'r>(rule: &'r Rule, point: &'r Point) -> impl Iterator<Item = (&'r str, i64)> {
    let names = rule.constants.iter().chain(&rule.expressions);
    let values = point.constants.iter().chain(&point.expressions);
    names.map(String::as_str).zip(values.copied())
}

/// Returns a line for each side.
pub(super) fn lines(sides: &[Side]) -> Text {
    let mut text = Text::new();
    for side in sides {
        let what = if side.key == "divisor" { "the divisor " } else { "" };
        let value = side.value();
        text.push(Role::Plain, format!("\n  {what}{} is {value}", side.written));
    }
    text
}

/// Adds `left` and `right` of a counterexample to `object`.
pub(super) fn with_sides(object: Object, sides: &[Side]) -> Object {
    let sides = sides.iter();
    sides.fold(object, |object, side| object.with(side.key, side.json()))
}

/// One side of the statement that fails.
#[derive(PartialEq, Eq)]
pub(super) struct Side {
    key: &'static str,
    written: String,
    integer: Option<i128>,
    truth: Option<bool>,
}

impl Side {
    fn of(key: &'static str, rule: &Rule, term: &Term, integer: Option<i128>) -> Side {
        Side { key, written: rule.write(term), integer, truth: None }
    }

    fn value(&self) -> String {
        match (self.integer, self.truth) {
            (Some(value), _) => value.to_string(),
            (_, Some(truth)) => truth.to_string(),
            _ => "not defined".to_owned(),
        }
    }

    /// Returns the value; integers beyond 64 bits are written as text.
    fn json(&self) -> Value {
        match (self.integer, self.truth) {
            (Some(value), _) => {
                i64::try_from(value).map_or_else(|_| value.to_string().into(), Value::from)
            }
            (_, Some(truth)) => truth.into(),
            _ => Value::Null,
        }
    }
}

/// Returns the values to show for a rule at a point where it fails or is undefined.
pub(super) fn sides(rule: &Rule, point: &Point) -> Vec<Side> {
    if rule.truth(point) == Truth::Undefined
        && let Some(divisor) = bad_divisor(rule, point)
    {
        let value = divisor.eval(point);
        return vec![Side::of("divisor", rule, &divisor, value)];
    }
    statement_sides(rule, &|term| term.eval(point))
}

/// Returns the part of the statement of a rule to show, with terms of these values: both sides, or the two sides of the fact that
/// fails.
pub(super) fn statement_sides(rule: &Rule, value: &dyn Fn(&Term) -> Option<i128>) -> Vec<Side> {
    let holds = |condition: &Condition| {
        let (lhs, rhs) = (value(&condition.lhs)?, value(&condition.rhs)?);
        Some(condition.relation.holds(lhs, rhs))
    };
    let both = |lhs: &Term, rhs: &Term| {
        let left = Side::of("left", rule, lhs, value(lhs));
        vec![left, Side::of("right", rule, rhs, value(rhs))]
    };
    match &rule.statement {
        Statement::Rewrite(lhs, rhs) => both(lhs, rhs),
        Statement::Equivalence(lhs, rhs) => {
            let side = |key, conditions: &[Condition]| {
                let truths: Option<Vec<bool>> = conditions.iter().map(holds).collect();
                let written: Vec<String> =
                    conditions.iter().map(|condition| rule.write_condition(condition)).collect();
                Side {
                    key,
                    written: written.join(" and "),
                    integer: None,
                    truth: truths.map(|truths| truths.into_iter().all(|truth| truth)),
                }
            };
            vec![side("left", lhs), side("right", rhs)]
        }
        Statement::Fact(facts) => {
            let failing = facts.iter().find(|fact| holds(fact) != Some(true));
            failing.map_or_else(Vec::new, |fact| both(&fact.lhs, &fact.rhs))
        }
    }
}

fn bad_divisor(rule: &Rule, point: &Point) -> Option<Term> {
    let mut found = None;
    for term in rule.stated_terms() {
        term.visit(&mut |part| {
            if let Term::FloorDiv(_, divisor) | Term::Mod(_, divisor) = part
                && found.is_none()
                && divisor.eval(point).is_some_and(|value| value < 1)
            {
                found = Some((**divisor).clone());
            }
        });
    }
    found
}

impl Call<'_> {
    /// Returns the budget for the proof of a rule.
    #[must_use]
    pub fn rule_budget(&self) -> Budget {
        self.with_own_steps(Budget { interrupt: Some(self.host.interrupt()), ..verify::BUDGET })
    }

    /// Returns whether a rule with this verdict is proved, but certainly vacuous.
    #[must_use]
    pub fn proved_of_nothing(&self, rule: &Rule, verdict: &Verdict) -> bool {
        *verdict == Verdict::Proved && verify::is_vacuous(rule, &self.rule_budget())
    }

    /// Returns the verdict, unless the user asked the command to stop.
    ///
    /// # Errors
    /// [`ErrorKind::Interrupted`](affinor::text::ErrorKind::Interrupted).
    pub fn judged(&self, verdict: Verdict) -> Result<Verdict, Failure> {
        match verdict {
            Verdict::Unknown(_) if Interrupt::is_triggered(&self.host.interrupt()) => {
                Err(self.interrupted())
            }
            verdict => Ok(verdict),
        }
    }

    /// Returns the verdict on several rules together, and the rule that causes it: one that is refuted, or else one that is
    /// unknown.
    ///
    /// # Errors
    /// If the user stops it.
    pub fn judged_rules<'r>(
        &self,
        rules: &'r [Rule],
    ) -> Result<(Verdict, Option<&'r Rule>), Failure> {
        let mut gravest = (Verdict::Proved, None);
        for rule in rules {
            match self.judged(verify::judge(rule, &self.rule_budget()))? {
                Verdict::Proved => {}
                unknown @ Verdict::Unknown(_) => gravest = (unknown, Some(rule)),
                refuted @ Verdict::Refuted(_) => return Ok((refuted, Some(rule))),
            }
        }
        Ok(gravest)
    }
}

/// Proves a rule now.
///
/// # Errors
/// If the user stops it.
pub(super) fn proved(call: &Call<'_>, rule: &Rule) -> Result<Output, Failure> {
    let clock = call.host.cpu_clock();
    let start = clock();
    let verdict = call.judged(verify::judge(rule, &call.rule_budget()))?;
    let elapsed = clock().saturating_sub(start);
    let is_vacuous = call.proved_of_nothing(rule, &verdict);
    let text = Text::of(Role::Name, &rule.name).plain(": ").with(Role::Formula, &rule.text);
    let text = {
        let mut text = text.plain("\n    ");
        text.append(text_where(rule, &verdict, is_vacuous));
        text
    };
    let json = Object::new().with("name", rule.name.as_str());
    let mut json = object(json, rule, &verdict)
        .with_some("vacuous", is_vacuous.then_some(true))
        .with("ms", (elapsed.as_secs_f64() * 1e6).round() / 1e3)
        .with("solver", "z3")
        .with("hash", verify::rule_hash(rule));
    if call.has(SCRIPTS) {
        let scripts = verify::obligations(rule).unwrap_or_default();
        let scripts: Vec<Object> = scripts
            .into_iter()
            .map(|(says, script)| Object::nested().with("says", says).with("smtlib", script))
            .collect();
        json = json.with("scripts", scripts);
    }
    Ok(Output::new(text, json).status(verdict_status(&verdict)))
}
