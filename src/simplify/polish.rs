//! What the strategy found, made smaller by saturation.
//!
//! The e-graph is seeded with what is given and with the forms that the strategy knows of it and of its parts
//! near the root. So it holds the operators that were written over operands that are written better, and the
//! rules fire on all of it.

use super::engine::Engine;
use super::import::Importer;
use super::{Budget, Effort, has_lattice, is_simplest, variables_of};
use crate::expr::{Expr, ExprKind};
use crate::map::Domain;
use crate::saturate::{FormRef, Limits, Saturation};

/// Levels of the given expression whose parts are looked at.
const LEVELS: u32 = 5;

/// An expression and a form of its value.
type Known = (Expr, FormRef);

impl Engine<'_> {
    /// The smallest form that saturation finds of `given`, if it is smaller than `found`.
    pub(super) fn polished(
        &mut self,
        importer: &mut Importer,
        given: &Expr,
        found: Option<FormRef>,
        (domain, budget): (&Domain, &Budget),
    ) -> Option<FormRef> {
        let limits = self.limits(budget.effort);
        let written = found.as_ref().map(|form| form.to_expr());
        let best = match &written {
            Some(written) => written.as_ref().ok()?,
            None => given,
        };
        let is_open = !is_simplest(best) && self.may_be_smaller(best, budget.effort);
        if budget.effort == Effort::Strategy || !is_open {
            return None;
        }
        let mut known = Vec::new();
        match &found {
            // A coefficient that cannot be held makes less known, not wrong.
            Some(_) => drop(self.know(importer, given, LEVELS, &mut known)),
            None => (),
        }
        let (rules, rewritings) = (self.rules.rules(), self.rules.rewritings());
        let mut saturation = Saturation::new(rules, rewritings, self.store.variables());
        saturation.note_firings(self.journal.is_some());
        let root = saturation.add(given)?;
        for constraint in domain.constraints() {
            if let Some(class) = saturation.add(&constraint.expr) {
                saturation.constrain(class, constraint.bounds);
            }
        }
        for (expr, form) in &known {
            if let (Some(x), Some(y)) = (saturation.add(expr), saturation.add_form(form)) {
                saturation.same(x, y);
            }
        }
        let fuel = budget.fuel(limits.rounds);
        let done = saturation.run(limits, &fuel, |saturation| {
            let smallest = saturation.smallest(root).to_expr();
            smallest.is_ok_and(|expr| is_simplest(&expr))
        });
        self.firings.add(&saturation.firings);
        if budget.effort > Effort::Bounded
            && let Some(bound) = done.stopped
        {
            self.stop(bound);
        }
        let smallest = saturation.smallest(root);
        if found.is_some_and(|found| !smallest.is_smaller_than(&found)) {
            return None;
        }
        for fired in saturation.into_firings() {
            self.note_fired(fired);
        }
        Some(smallest)
    }

    /// How far saturation goes.
    fn limits(&self, effort: Effort) -> Limits {
        match effort {
            Effort::Bounded if self.reach.saturates => Limits {
                nodes: 40,
                rounds: 2,
            },
            Effort::Strategy | Effort::Bounded => Limits::NONE,
            Effort::Long | Effort::SaturationAlone => Limits {
                nodes: 4_000,
                rounds: 10,
            },
        }
    }

    /// Is a bounded saturation likely to find something smaller? Of results with one floordiv or mod, of several
    /// variables and without min and max, next to none ever became smaller by the rules that are part of the program.
    fn may_be_smaller(&self, best: &Expr, effort: Effort) -> bool {
        effort != Effort::Bounded
            || best.cost().divmods > 1
            || has_lattice(best)
            || self.reach.saturates && (variables_of(best).len() == 1 || self.rules.is_changed())
    }

    /// Adds what is known of `given`, and of its parts near the root, to `known`; `None` if a coefficient does not
    /// fit into 64 bits.
    fn know(
        &mut self,
        importer: &mut Importer,
        given: &Expr,
        levels: u32,
        known: &mut Vec<Known>,
    ) -> Option<()> {
        let is_leaf = matches!(given.kind(), ExprKind::Constant(_) | ExprKind::Variable(_));
        if levels == 0 || is_leaf {
            return Some(());
        }
        let sum = importer.import(self, given)?;
        let form = self.sum_form(&sum, 0)?;
        let is_open = form.divmods >= 2;
        known.push((given.clone(), form));
        if !is_open {
            return Some(());
        }
        if let ExprKind::FloorDiv(x, c) | ExprKind::Mod(x, c) = given.kind() {
            let of = importer.import(self, x)?;
            if of.as_constant().is_none() {
                let form = match given.kind() {
                    ExprKind::FloorDiv(..) => self.quotient_form(&of, *c, 0)?,
                    _ => self.remainder_form(&of, *c, 0)?,
                };
                known.push((given.clone(), form));
            }
        }
        given
            .operands()
            .try_for_each(|operand| self.know(importer, operand, levels - 1, known))
    }
}
