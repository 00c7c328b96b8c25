//! Proposes smaller forms of a value, by the rules of `forms.rules`.
//!
//! A rule is matched from its text; its hints choose open variables. The size of a right side is estimated before it is
//! evaluated: one that seems larger than the known form is left to saturation.

use super::engine::Engine;
use super::linear::{AtomId, Bindings, SumId};
use crate::rule::matching::{Forms, Number, Operation, Operator, Subject, establishes};
use crate::simplify::saturate::{Family, FormRef, Rewriting};
use smallvec::SmallVec;
use std::ops::ControlFlow;
use std::rc::Rc;

/// Maximum number of instances of one rule per value.
const MAX_INSTANCES: usize = 12;

/// Estimated number of scans over the terms of a sum to find the instances of one rule.
const TERMS_LOOKED_AT: usize = 16;

/// Number of operations by which a right side may be estimated to exceed the known form, whatever its rule says: with session
/// rules, and at a higher effort.
const LARGER: u32 = 2;

/// The limit inside another proposal, if nothing has a min or max: these join in more steps.
const LARGER_INSIDE: u32 = 1;

/// An instance, with the estimated number of operations of its right side.
type Measured = (u32, Bindings);

/// The value to find a smaller form of.
#[derive(Clone, Copy, Debug)]
pub enum Target {
    Sum(SumId),
    /// `of floordiv divisor` or `of mod divisor`, for a divisor of at least 2 or a named one.
    Division(Operator, SumId, Number),
}

impl Engine<'_> {
    /// Sets `best` to the smallest form that a rule produces, if that is smaller.
    pub(super) fn propose(&mut self, target: Target, depth: u32, best: &mut FormRef) {
        let rules = self.rules;
        let (root, id, divisor) = match target {
            Target::Sum(id) => (None, id, Number::Integer(0)),
            Target::Division(operator, id, divisor) => (Some(operator), id, divisor),
        };
        let of = self.store.sum(id).clone();
        let least = self.least_operations(&of);
        let forms: Forms<_> = Rc::from([of.clone()]);
        let operation = Operation { operands: Rc::from([forms.clone()]), divisor };
        let outline = self.store.outline(&of);
        for family in rules.proposed(root, self.store.has_mins_or_maxes()) {
            if !family.matcher.has_room(&outline) {
                continue;
            }
            if best.ops <= least || !self.spend_terms(TERMS_LOOKED_AT * outline.terms) {
                return;
            }
            let subject = match root {
                None => Subject::Forms(&forms),
                Some(operator) => Subject::Operation(operator, &operation),
            };
            let instances = self.instances(family, subject, best.ops);
            for (rewriting, instances) in family.tried().zip(instances) {
                for (size, bindings) in instances {
                    // The results of earlier rules may have made it too large.
                    if size <= self.most(rewriting, best.ops) {
                        self.try_instance(rewriting, &bindings, depth, best);
                    }
                }
            }
        }
    }

    /// Returns the instances of each tried rule of a family that hold, and whose right side is not estimated to exceed `ops` by
    /// too much.
    fn instances(
        &mut self,
        family: &Family,
        subject: Subject<'_, AtomId>,
        ops: u32,
    ) -> SmallVec<[Vec<Measured>; 2]> {
        let members = family.tried();
        let mut instances: SmallVec<[Vec<Measured>; 2]> =
            members.clone().map(|_| Vec::new()).collect();
        let Some(first) = members.clone().next() else {
            return instances;
        };
        let conditions = &self.rules.rule(first.rule).conditions;
        let mut found = |engine: &mut Self, bindings: &Bindings| {
            let mut holds = None;
            for (rewriting, instances) in members.clone().zip(&mut instances) {
                if instances.len() >= MAX_INSTANCES {
                    continue;
                }
                let size = rewriting.size.size(bindings, engine);
                if let Some(size) = size.filter(|size| *size <= engine.most(rewriting, ops))
                    && *holds.get_or_insert_with(|| {
                        let mut all = conditions.iter();
                        all.all(|condition| establishes(condition, bindings, engine))
                    })
                    && !instances.iter().any(|(_, known)| known == bindings)
                {
                    instances.push((size, bindings.clone()));
                }
            }
            let is_open = instances.iter().any(|list| list.len() < MAX_INSTANCES);
            match is_open && engine.spend_terms(1) {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            }
        };
        family.matcher.search(self, subject, &mut found);
        instances
    }

    /// Returns the maximum estimated number of operations of a right side if the known form has `ops`.
    fn most(&self, rewriting: &Rewriting, ops: u32) -> u32 {
        let larger = if self.is_wide { LARGER } else { rewriting.larger };
        let is_outside = self.proposals == 0 || self.store.has_mins_or_maxes();
        ops.saturating_add(if is_outside { larger } else { larger.min(LARGER_INSIDE) })
    }

    fn try_instance(
        &mut self,
        rewriting: &Rewriting,
        bindings: &Bindings,
        depth: u32,
        best: &mut FormRef,
    ) {
        if !self.spend() {
            return;
        }
        self.proposals += 1;
        let form = self.form_of(&rewriting.right, bindings, depth);
        self.proposals -= 1;
        if let Some(form) = form.filter(|form| form.is_smaller_than(best)) {
            self.note(rewriting.rule, bindings);
            *best = form;
        }
    }
}
