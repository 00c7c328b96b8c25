//! What the strategy found, made smaller by saturation.
//!
//! The e-graph is seeded with what is given and with the forms that the strategy knows of it and of its parts
//! near the root. So it holds the operators that were written over operands that are written better, and the
//! rules fire on all of it.

use super::engine::Engine;
use super::import::Importer;
use super::options::{Effort, Options};
use super::smaller::has_min_max;
use crate::expr::{Domain, Expr, ExprKind};
use crate::simplify::saturate::{FormRef, Limits, Saturation};

/// Levels of the given expression whose parts are looked at.
const LEVELS: u32 = 5;

/// Most operations of an expression for which an e-graph is made.
const MAX_OPERATIONS: u64 = 500;

/// Most operations of a given expression on which rules fire before it is simplified.
const SHORT: u64 = 24;

/// An expression and a form of its value.
type Known = (Expr, FormRef);

impl Engine<'_> {
    /// The smallest form that saturation finds of `given`, if it is smaller than what the strategy found; `best` is
    /// the smaller of the two as an expression.
    pub(super) fn polished(
        &mut self,
        importer: &mut Importer,
        given: &Expr,
        (found, best): (Option<&FormRef>, &Expr),
        (domain, options): (&Domain, &Options),
    ) -> Option<FormRef> {
        // What is walked as a tree below must not be large.
        if given.cost().ops.max(best.cost().ops) > MAX_OPERATIONS {
            return None;
        }
        let limits = self.limits(given, best, options.effort);
        if limits.rounds == 0 && (best.cost().divmods < 2 || self.reach.is_last) {
            return None;
        }
        let mut known = Vec::new();
        match found {
            // A coefficient that cannot be held makes less known, not wrong.
            Some(_) if !self.reach.is_last => drop(self.know(importer, given, LEVELS, &mut known)),
            Some(found) => known.push((given.clone(), found.clone())),
            None => (),
        }
        let (rules, rewritings) = (self.rules.rules(), self.rules.rewritings());
        let mut saturation = Saturation::new(rules, rewritings, self.store.variables());
        saturation.note_firings(self.journal.is_some());
        let root = saturation.add(given)?;
        saturation.assume(domain);
        for (expr, form) in &known {
            if let (Some(x), Some(y)) = (saturation.add(expr), saturation.add_form(form)) {
                saturation.same(x, y);
            }
        }
        let fuel = options.fuel(limits.rounds);
        let done = saturation.run(limits, &fuel, |saturation| {
            saturation.smallest(root).is_simplest()
        });
        self.firings.add(&saturation.firings);
        if options.effort > Effort::Bounded
            && let Some(bound) = done.stopped
        {
            self.stop(bound);
        }
        let smallest = saturation.smallest(root);
        if found.is_some_and(|found| !smallest.is_smaller_than(found)) {
            return None;
        }
        for fired in saturation.into_firings() {
            self.note_fired(fired);
        }
        Some(smallest)
    }

    /// How far saturation goes for a result.
    ///
    /// Measured on the benchmark's expressions: nearly all that a bounded saturation finds comes of the few instances
    /// that lead to something no larger, in one round, and nearly all of its time goes into other nodes. In the first
    /// pass, where the operators that were written are in the e-graph as well, only what is short is worth it. Of
    /// results with one floordiv or mod and without min and max, next to none ever became smaller by the rules that are
    /// part of the program, so these are left as they are unless there are others.
    fn limits(&self, given: &Expr, best: &Expr, effort: Effort) -> Limits {
        match effort {
            Effort::Strategy => return Limits::NONE,
            Effort::Long | Effort::SaturationAlone => return Limits::of(4_000, 10, 40),
            Effort::Bounded => (),
        }
        let is_short = given.cost().ops <= SHORT;
        let is_normal = best == given || !self.is_first;
        let is_done = self.reach.is_last && best == given;
        if is_done || !is_short && !is_normal {
            return Limits::NONE;
        }
        match (self.rules.has_own(), has_min_max(best)) {
            (true, _) if is_short => Limits::of(20, 2, 6),
            (false, true) => Limits::of(4, 1, 0),
            (false, false) if best.cost().divmods < 2 => Limits::NONE,
            _ if is_short => Limits::of(12, 1, 1),
            _ => Limits::of(6, 1, 0),
        }
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
