//! Describes a step of a certificate as text: names, bindings, and the facts that allow it.

use super::Instance;
use super::known::Steps;
use super::replay::Replay;
use super::shown::written;
use super::sum::Sum;
use super::values::Bindings;
use crate::expr::Domain;
use crate::num::{Interval, MINUS_INFINITY, PLUS_INFINITY};
use crate::rule::{Condition, Relation, Rule, Statement, Term};
use crate::text::{Style, print_constraint, print_expr, print_interval};
use serde::{Serialize, Serializer};
use std::sync::Arc;

/// The rule name of a line that needs no rule.
pub const ARITHMETIC: &str = "arithmetic";

/// A use of a rule, for readers. All texts use the names of the map.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Step {
    /// Name of the rule, or [`ARITHMETIC`].
    pub rule: String,
    /// Bindings of the variables, in the order of the rule.
    #[serde(serialize_with = "as_object")]
    pub bindings: Vec<(String, String)>,
    /// The side conditions as they were established, with the ranges used.
    pub facts: Vec<String>,
    /// The line before. The first one of a result, or of the domain, is the input.
    pub before: String,
    /// The line after, the same if the next step uses this one. The last one is the answer.
    pub after: String,
    /// The 0-based index of the rewritten result; `None` for the domain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<usize>,
    /// The rule's statement under these bindings.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub states: String,
    /// Whether it is used from right to left.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub reversed: bool,
    /// Indices of the earlier steps that this one depends on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rests_on: Vec<usize>,
}

fn as_object<S: Serializer>(pairs: &[(String, String)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(pairs.iter().map(|(name, value)| (name, value)))
}

/// The description of an instance.
#[derive(Clone)]
pub(super) struct Narrated {
    pub(super) rule: String,
    bindings: Vec<(String, String)>,
    facts: Vec<String>,
    states: String,
    /// Both sides of the equation, if the instance states one.
    pub(super) equation: Option<(Sum, Sum)>,
}

impl Narrated {
    /// Describes an instance without further facts.
    pub(super) fn of(rule: &Rule, instance: &Instance, names: &[Arc<str>]) -> Narrated {
        let expressions = rule.expressions.iter().zip(&instance.expressions);
        let expressions =
            expressions.map(|(name, x)| (name.clone(), print_expr(x, names, Style::Plain)));
        let constants = rule.constants.iter().zip(&instance.constants);
        let constants =
            constants.map(|(name, x)| (name.clone(), print_expr(x, names, Style::Plain)));
        let side = |term: &Term| text(term, instance, names);
        let comparison =
            |x: &Condition| format!("{} {} {}", side(&x.lhs), x.relation, side(&x.rhs));
        let all = |conditions: &[Condition]| -> String {
            let all: Vec<String> = conditions.iter().map(comparison).collect();
            all.join(" and ")
        };
        Narrated {
            rule: rule.name.clone(),
            bindings: expressions.chain(constants).collect(),
            facts: Vec::new(),
            states: match &rule.statement {
                Statement::Rewrite(lhs, rhs) => format!("{} = {}", side(lhs), side(rhs)),
                Statement::Equivalence(lhs, rhs) => format!("{} <=> {}", all(lhs), all(rhs)),
                Statement::Fact(facts) => all(facts),
            },
            equation: None,
        }
    }

    /// Describes a line that needs no rule.
    pub(super) fn arithmetic() -> Narrated {
        Narrated {
            rule: ARITHMETIC.to_owned(),
            bindings: Vec::new(),
            facts: Vec::new(),
            states: String::new(),
            equation: None,
        }
    }

    pub(super) fn step(self, result: Option<usize>, before: &str, after: &str) -> Step {
        Step {
            rule: self.rule,
            bindings: self.bindings,
            facts: self.facts,
            states: self.states,
            reversed: false,
            result,
            before: before.to_owned(),
            after: after.to_owned(),
            rests_on: Vec::new(),
        }
    }
}

fn text(term: &Term, instance: &Instance, names: &[Arc<str>]) -> String {
    match written(term, instance) {
        Ok(expr) => print_expr(&expr, names, Style::Plain),
        Err(error) => format!("({error})"),
    }
}

/// Prints a domain as it appears after `domain:`.
pub(super) fn domain_text(domain: &Domain, names: &[Arc<str>]) -> String {
    if domain.is_known_empty() {
        return "empty".to_owned();
    }
    let variables = domain.variables().iter();
    let variables = variables.map(|x| format!("{} in {}", x.name, print_interval(x.bounds)));
    let constraints = domain.constraints().iter();
    let constraints = constraints.map(|x| print_constraint(x, names, Style::Plain));
    let all: Vec<String> = variables.chain(constraints).collect();
    all.join(", ")
}

impl Replay<'_> {
    /// Describes an instance whose side conditions have just been established.
    pub(super) fn narrate(
        &mut self,
        rule: &Rule,
        instance: &Instance,
        names: &[Arc<str>],
        bindings: &Bindings,
    ) -> Narrated {
        let mut narrated = Narrated::of(rule, instance, names);
        let facts = rule.conditions.iter();
        narrated.facts =
            facts.filter_map(|condition| self.fact(condition, instance, bindings, names)).collect();
        let mut value = |term: &Term| self.values.term(term, bindings).ok();
        narrated.equation = match &rule.statement {
            Statement::Rewrite(lhs, rhs) => value(lhs).zip(value(rhs)),
            Statement::Fact(facts) => match facts.as_slice() {
                [Condition { lhs, relation: Relation::Equal, rhs }] => value(lhs).zip(value(rhs)),
                _ => None,
            },
            Statement::Equivalence(..) => None,
        };
        narrated
    }

    /// Describes a condition on an expression, with the ranges that establish it: those of its sides, or that of their
    /// difference. Conditions on integers alone are evident from the bindings.
    fn fact(
        &mut self,
        condition: &Condition,
        instance: &Instance,
        bindings: &Bindings,
        names: &[Arc<str>],
    ) -> Option<String> {
        let mut value = |term| self.values.term(term, bindings).ok();
        let (lhs, rhs) = (value(&condition.lhs)?, value(&condition.rhs)?);
        if lhs.as_integer().is_some() && rhs.as_integer().is_some() {
            return None;
        }
        let side = |term: &Term| text(term, instance, names);
        let stated =
            format!("{} {} {}", side(&condition.lhs), condition.relation, side(&condition.rhs));
        let least = match condition.relation {
            Relation::Equal => {
                let [lhs, rhs] = [&condition.lhs, &condition.rhs].map(side);
                return (lhs != rhs).then_some(stated);
            }
            Relation::LessEqual => 0,
            Relation::Less => 1,
        };
        let mut range =
            |sum: &Sum| self.facts.range(&self.values, &self.known, sum, &mut Steps::new());
        let (below, above) = (range(&lhs), range(&rhs));
        let mut ranges = Vec::new();
        if above.lo() != MINUS_INFINITY
            && below.hi() != PLUS_INFINITY
            && i128::from(above.lo()) - i128::from(below.hi()) >= least
        {
            for (sum, term, range) in [(&lhs, &condition.lhs, below), (&rhs, &condition.rhs, above)]
            {
                if sum.as_integer().is_none() {
                    ranges.push(format!("{} in {}", side(term), range_text(range)));
                }
            }
        } else if let Some(difference) = rhs.plus(-1, &lhs) {
            let range = range(&difference);
            let written = written(&condition.rhs, instance)
                .and_then(|x| x.sub(&written(&condition.lhs, instance)?));
            if let (true, Ok(written)) = (i128::from(range.lo()) >= least, written) {
                ranges.push(format!(
                    "{} in {}",
                    print_expr(&written, names, Style::Plain),
                    range_text(range)
                ));
            }
        }
        Some(match ranges.as_slice() {
            [] => stated,
            ranges => format!("{stated}, as {}", ranges.join(", ")),
        })
    }
}

fn range_text(range: Interval) -> String {
    match (range.lo(), range.hi()) {
        (MINUS_INFINITY, _) | (_, PLUS_INFINITY) => range.to_string(),
        _ => print_interval(range),
    }
}
