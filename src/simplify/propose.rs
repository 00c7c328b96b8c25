//! Smaller forms of a value, by the rules of `forms.rules`.
//!
//! A rule is matched from its text; what its left side leaves open is chosen as its hints say. What it
//! leads to is judged by its size before it is looked at: a right side that seems larger than what is
//! known is left to saturation.

use super::engine::Engine;
use super::linear::AtomId;
use super::store::SumId;
use super::terms::Bindings;
use crate::rule::matching::{Forms, Operation, Operator, Subject, establishes};
use crate::rule::{RuleId, Term};
use crate::saturate::{FormRef, Rewriting, size_of};
use std::ops::ControlFlow;
use std::rc::Rc;

/// Most instances of one rule that are looked at for one value.
const MAX_INSTANCES: usize = 12;

/// How often the terms of a sum are gone through to find the instances of one rule.
const TERMS_LOOKED_AT: usize = 16;

/// Operations by which a right side may seem larger than what is known of a value: less, and what cancels
/// in it is not seen; more, and nearly all time goes into what is no smaller.
const GROWTH: u32 = 2;

/// What is to be written in a smaller way.
#[derive(Clone, Copy, Debug)]
pub enum Target {
    /// A sum.
    Sum(SumId),
    /// `of floordiv divisor` or `of mod divisor`, for a divisor of at least 2.
    Division(Operator, SumId, i64),
}

impl Engine<'_> {
    /// Makes `best` the smallest form that a rule leads to, if that is smaller.
    pub(super) fn propose(&mut self, target: Target, depth: u32, best: &mut FormRef) {
        let rules = self.rules;
        let (root, id, divisor) = match target {
            Target::Sum(id) => (None, id, 0),
            Target::Division(operator, id, divisor) => (Some(operator), id, divisor),
        };
        let of = self.store.sum(id).clone();
        let least = self.least_operations(&of);
        let forms: Forms<_> = Rc::from([of.clone()]);
        let operation = Operation {
            operands: Rc::from([forms.clone()]),
            divisor,
        };
        for rewriting in rules.proposed(root, self.store.has_lattices()) {
            let (terms, has_constant) = (of.terms().len(), of.constant != 0);
            if !rewriting.matcher.has_room(terms, has_constant) {
                continue;
            }
            if best.ops <= least || !self.spend_terms(TERMS_LOOKED_AT * terms) {
                return;
            }
            let subject = match root {
                None => Subject::Forms(&forms),
                Some(operator) => Subject::Operation(operator, &operation),
            };
            for bindings in self.instances(rewriting, subject, best.ops) {
                self.try_instance(rewriting.rule, &rewriting.right, &bindings, depth, best);
            }
        }
    }

    /// The instances of a rule that hold, and of which the right side does not seem much larger than `ops`.
    fn instances(
        &mut self,
        rewriting: &Rewriting,
        subject: Subject<'_, AtomId>,
        ops: u32,
    ) -> Vec<Bindings> {
        let conditions = &self.rules.rule(rewriting.rule).conditions;
        let most = ops.saturating_add(GROWTH);
        let mut instances: Vec<Bindings> = Vec::new();
        let mut found = |engine: &mut Self, bindings: &Bindings| {
            let size = size_of(&rewriting.right, bindings, engine);
            if size.is_some_and(|size| size <= most)
                && conditions
                    .iter()
                    .all(|condition| establishes(condition, bindings, engine))
                && !instances.contains(bindings)
            {
                instances.push(bindings.clone());
            }
            match instances.len() < MAX_INSTANCES && engine.spend_terms(1) {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            }
        };
        rewriting.matcher.search(self, subject, &mut found);
        instances
    }

    fn try_instance(
        &mut self,
        rule: RuleId,
        right: &Term,
        bindings: &Bindings,
        depth: u32,
        best: &mut FormRef,
    ) {
        if self.spend()
            && let Some(form) = self.form_of(right, bindings, depth)
            && form.is_smaller_than(best)
        {
            self.note(rule, bindings);
            *best = form;
        }
    }
}
