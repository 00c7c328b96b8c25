//! Rules that nearly apply: a result matches their left side, but a condition is not established.
//!
//! Law: on the domain, the left side of each rule under its bindings has the value of the operation. A condition that is not
//! established may still hold; a prover can decide it.

use super::engine::Engine;
use super::import::Importer;
use super::journal::{self, Entry};
use super::linear::{AtomId, Bindings, Linear};
use super::options::Options;
use super::samples;
use super::simplifier::{Simplifier, Under};
use crate::certificate::{Instance, written};
use crate::expr::{Divisor, Expr, ExprKind, IndexingMap};
use crate::num::Fuel;
use crate::rule::matching::{Forms, Number, Operation, Operator, Subject, establishes};
use crate::rule::{Condition, Relation, RuleId, Term};
use std::ops::ControlFlow;
use std::rc::Rc;

/// Maximum number of operations of a map that are examined.
const MAX_PARTS: usize = 8;

/// Maximum number of instances of a rule for one operation.
const MAX_INSTANCES: usize = 32;

/// Maximum number of instances kept for one operation.
const MAX_NEAR: usize = 12;

/// A remaining operation in a result of a map: floordiv, ceildiv, mod, min or max.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Left {
    /// The 0-based index of the result.
    pub result: usize,
    /// The operation.
    pub part: Expr,
    /// The rules that nearly apply, the nearest first.
    pub near: Vec<Near>,
}

/// An instance of a rule that would make an operation smaller.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Near {
    /// The name of the rule.
    pub rule: String,
    /// The bindings of its variables, in the order of the rule.
    pub bindings: Vec<(String, Expr)>,
    /// The expression that its left side matches: the operation, or the quotient of a remainder.
    pub from: Expr,
    /// The expression that it would be replaced by.
    pub to: Expr,
    /// The conditions that are not established, at least one.
    pub open: Vec<Open>,
}

/// A side condition under bindings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Open {
    /// The condition as the rule states it.
    pub text: String,
    /// The left side.
    pub lhs: Expr,
    /// The relation.
    pub relation: Relation,
    /// The right side.
    pub rhs: Expr,
}

/// A rule with bindings, and the conditions that are not established.
type Instantiated = (RuleId, Term, Bindings, Vec<Condition>);

impl Simplifier {
    /// Returns the operations that remain in the results of a map, with the rules that nearly apply to each.
    #[must_use]
    pub fn left(&self, map: &IndexingMap, options: &Options) -> Vec<Left> {
        let domain = map.domain();
        let mut left: Vec<Left> = Vec::new();
        for (result, expr) in map.results().iter().enumerate() {
            operations(expr, result, &mut left);
        }
        let points = samples::points(domain);
        let fuel = options.fuel(left.len());
        let under = Under { domain, points: &points, is_strided: false };
        let (mut engine, mut importer) = self.assumed(under, &fuel, false);
        for Left { part, near, .. } in &mut left {
            *near = self.near(&mut engine, &mut importer, part, &fuel);
        }
        left
    }

    fn near(
        &self,
        engine: &mut Engine<'_>,
        importer: &mut Importer,
        part: &Expr,
        fuel: &Fuel,
    ) -> Vec<Near> {
        let mut near = Vec::new();
        for (operator, operation, from) in subjects(engine, importer, part) {
            for (rule, right, bindings, open) in self.instances(engine, operator, &operation) {
                if fuel.check().is_err() {
                    return near;
                }
                let entry = Entry::Instance(rule, Box::new(bindings));
                let instance = journal::written(vec![entry], &engine.store, &self.program).pop();
                let described =
                    instance.and_then(|x| self.described(rule, &x, (&from, &right), &open));
                near.extend(described.filter(|x| x.to.cost() < x.from.cost()));
            }
        }
        // Nearer means fewer open conditions, then a smaller result; then in the order of the files.
        near.sort_by_key(|near| (near.open.len(), near.to.cost()));
        let mut kept: Vec<Near> = Vec::new();
        for one in near {
            let is_known = |x: &Near| x.rule == one.rule && x.from == one.from && x.to == one.to;
            if kept.len() < MAX_NEAR && !kept.iter().any(is_known) {
                kept.push(one);
            }
        }
        kept
    }

    /// Returns the instances of all rules for an operation that have open conditions.
    fn instances(
        &self,
        engine: &mut Engine<'_>,
        operator: Operator,
        operation: &Operation<AtomId>,
    ) -> Vec<Instantiated> {
        let mut all = Vec::new();
        for family in self.program.rewritings().at(Some(operator), u8::MAX) {
            let Some(first) = family.members.first() else {
                continue;
            };
            let conditions = &self.program.rule(first.rule).conditions;
            let mut instances: Vec<(Bindings, Vec<Condition>)> = Vec::new();
            let mut found = |engine: &mut Engine<'_>, bindings: &Bindings| {
                let mut open = conditions.clone();
                open.retain(|condition| !establishes(condition, bindings, engine));
                if !open.is_empty() {
                    instances.push((bindings.clone(), open));
                }
                match instances.len() < MAX_INSTANCES && engine.spend_terms(1) {
                    true => ControlFlow::Continue(()),
                    false => ControlFlow::Break(()),
                }
            };
            let subject = Subject::Operation(operator, operation);
            family.matcher.search(engine, subject, &mut found);
            for (bindings, open) in instances {
                for member in &family.members {
                    let right = member.right.clone();
                    all.push((member.rule, right, bindings.clone(), open.clone()));
                }
            }
        }
        all
    }

    fn described(
        &self,
        rule: RuleId,
        instance: &Instance,
        (from, right): (&Expr, &Term),
        open: &[Condition],
    ) -> Option<Near> {
        let rule = self.program.rule(rule);
        let values = instance.constants.iter().chain(&instance.expressions);
        let bindings: Vec<(String, Expr)> =
            rule.variables().cloned().zip(values.cloned()).collect();
        // A variable without a value would shift the later ones.
        if bindings.len() != rule.variables().count() {
            return None;
        }
        let under = |condition: &Condition| {
            Some(Open {
                text: rule.write_condition(condition),
                lhs: written(&condition.lhs, instance).ok()?,
                relation: condition.relation,
                rhs: written(&condition.rhs, instance).ok()?,
            })
        };
        Some(Near {
            rule: rule.name.clone(),
            bindings,
            from: from.clone(),
            to: written(right, instance).ok()?,
            open: open.iter().map(under).collect::<Option<_>>()?,
        })
    }
}

/// Adds the operations of an expression, outer ones first.
fn operations(expr: &Expr, result: usize, left: &mut Vec<Left>) {
    if left.len() == MAX_PARTS || expr.cost().ops == 0 {
        return;
    }
    let is_operation = matches!(
        expr.kind(),
        ExprKind::FloorDiv(..)
            | ExprKind::CeilDiv(..)
            | ExprKind::Mod(..)
            | ExprKind::Min(_)
            | ExprKind::Max(_)
    );
    if is_operation {
        if left.iter().any(|left| left.part == *expr) {
            return;
        }
        left.push(Left { result, part: expr.clone(), near: Vec::new() });
    }
    for operand in expr.operands() {
        operations(operand, result, left);
    }
}

/// Returns the subjects for rules to match in an operation, with the corresponding expressions.
fn subjects(
    engine: &mut Engine<'_>,
    importer: &mut Importer,
    part: &Expr,
) -> Vec<(Operator, Operation<AtomId>, Expr)> {
    let of = |sums: Vec<Linear>, divisor| Operation {
        operands: sums.into_iter().map(|sum| -> Forms<AtomId> { Rc::from([sum]) }).collect(),
        divisor,
    };
    let mut division = |x: &Expr, divisor: &Divisor| -> Option<Operation<AtomId>> {
        let sum = importer.import(engine, x)?;
        let divisor = importer.divisor(engine, divisor)?;
        Some(of(vec![sum], divisor))
    };
    let quotient = |x: &Expr, divisor: &Divisor| x.floordiv_by(&divisor.to_expr()).ok();
    let found = match part.kind() {
        ExprKind::FloorDiv(x, divisor) => {
            vec![(Operator::FloorDiv, division(x, divisor), Some(part.clone()))]
        }
        ExprKind::Mod(x, divisor) => vec![
            (Operator::Mod, division(x, divisor), Some(part.clone())),
            (Operator::FloorDiv, division(x, divisor), quotient(x, divisor)),
        ],
        ExprKind::CeilDiv(x, divisor) => match x.scale(-1) {
            Ok(x) => vec![(Operator::FloorDiv, division(&x, divisor), quotient(&x, divisor))],
            Err(_) => Vec::new(),
        },
        ExprKind::Min(list) | ExprKind::Max(list) => {
            let sums = list.iter().map(|x| importer.import(engine, x)).collect();
            let operator = match part.kind() {
                ExprKind::Min(_) => Operator::Min,
                _ => Operator::Max,
            };
            let operation = Option::map(sums, |sums| of(sums, Number::Integer(0)));
            vec![(operator, operation, Some(part.clone()))]
        }
        _ => Vec::new(),
    };
    let found = found.into_iter();
    found.filter_map(|(operator, operation, expr)| Some((operator, operation?, expr?))).collect()
}
