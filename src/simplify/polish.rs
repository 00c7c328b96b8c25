//! Improves the result of the strategy by saturation.
//!
//! The e-graph is seeded with the given expression and with known forms of it and of its parts near the root. So it
//! contains the original operators over improved operands, and the rules fire on all of it.

use super::engine::Engine;
use super::import::Importer;
use super::options::{Effort, Options};
use super::smaller::has_min_max;
use crate::expr::{Domain, Expr, ExprKind};
use crate::simplify::saturate::{FormRef, Limits, Saturated, Saturation};

/// Number of levels of the given expression whose parts are seeds.
const LEVELS: u32 = 3;

/// Maximum number of operations of an expression for which an e-graph is built.
const MAX_OPERATIONS: u64 = 500;

/// Maximum number of operations of an input on which rules fire before it is simplified.
pub const SHORT: u64 = 16;

/// Maximum number of operations of a result that is not saturated: none of this size became smaller in 5,429 cases.
const FEW: u64 = 3;

/// An expression and a form of its value.
type Known = (Expr, FormRef);

/// The outcome of saturation after the strategy.
pub enum Polished {
    Smaller(FormRef),
    /// No smaller form was found, and repeating the search would not find any.
    InVain,
    /// No smaller form was found within the limits.
    Cut,
}

impl Engine<'_> {
    /// Searches for a form of `given` smaller than that of the strategy; `best` is the smaller of the two as an
    /// expression.
    pub(super) fn polished(
        &mut self,
        importer: &mut Importer,
        given: &Expr,
        (found, best): (Option<&FormRef>, &Expr),
        (domain, options): (&Domain, &Options),
    ) -> Polished {
        if self.store.names.is_some() {
            return Polished::InVain; // named sizes are not saturated
        }
        // The code below traverses it as a tree, which must be small.
        if given.cost().ops.max(best.cost().ops) > MAX_OPERATIONS {
            return Polished::Cut;
        }
        let limits = self.limits(given, best, options.effort);
        if limits.rounds == 0 && best.cost().divmods < 2 {
            return match self.limits(best, best, options.effort).rounds {
                0 => Polished::InVain,
                _ => Polished::Cut,
            };
        }
        let mut known = Vec::new();
        if found.is_some() {
            // A coefficient that overflows loses a fact, not soundness.
            let _ = self.know(importer, given, LEVELS, &mut known);
        }
        let (rules, rewritings) = (self.rules.rules(), self.rules.rewritings());
        let mut saturation = Saturation::new(rules, rewritings, self.store.variables());
        saturation.note_firings(self.journal.is_some());
        let Some(root) = saturation.add(given) else {
            return Polished::Cut;
        };
        saturation.assume(domain);
        for (expr, form) in &known {
            if let (Some(x), Some(y)) = (saturation.add(expr), saturation.add_form(form)) {
                saturation.same(x, y);
            }
        }
        let fuel = options.fuel(limits.rounds);
        let all = fuel.left();
        // Another form of a class that is least is seldom of use.
        let is_brief = options.effort == Effort::Bounded && !self.rules.has_own();
        let is_least = |form: &FormRef| is_brief && self.is_least(form);
        let done = saturation
            .run(limits, &fuel, &is_least, |saturation| saturation.smallest(root).is_simplest());
        self.firings.add(&saturation.firings);
        self.firings.steps += all - fuel.left();
        if options.effort > Effort::Bounded
            && let Some(bound) = done.stopped
        {
            self.stop(bound);
        }
        let smallest = saturation.smallest(root);
        // With the built-in rules, a form with equally many operations seldom leads to a smaller one, and takes another pass.
        let is_better = |found: &FormRef| match self.rules.has_own() {
            true => smallest.is_smaller_than(found),
            false => smallest.saves_operations(found),
        };
        if found.is_some_and(|found| !is_better(found)) {
            let is_whole = limits.rounds > 0 && done.stopped != Some(Saturated::FULL);
            return match is_whole {
                true => Polished::InVain,
                false => Polished::Cut,
            };
        }
        for fired in saturation.into_firings() {
            self.note_fired(fired);
        }
        Polished::Smaller(smallest)
    }

    /// Limits of saturation for a result.
    ///
    /// Measured on the benchmark's expressions: nearly all improvements of a bounded saturation come from the few instances of
    /// few rules whose result is no larger, in one round, while nearly all time goes into others. While a result changes, so
    /// that the e-graph also has the original operators, only short inputs are worth it. Results with one floordiv or mod and
    /// without min and max almost never become smaller by the built-in rules, so they are skipped unless there are others.
    fn limits(&self, given: &Expr, best: &Expr, effort: Effort) -> Limits {
        match effort {
            Effort::Strategy => return Limits::NONE,
            Effort::Long | Effort::SaturationAlone => {
                return Limits::of(4_000, 10, 40).with_all_rules();
            }
            Effort::Bounded => (),
        }
        let is_short = given.cost().ops <= SHORT;
        if self.rules.has_own() {
            let limits = if is_short { Limits::of(20, 2, 6) } else { Limits::of(6, 1, 0) };
            return limits.with_all_rules();
        }
        match has_min_max(best) {
            _ if best.cost().ops <= FEW => Limits::NONE,
            true => Limits::of(4, 1, 0),
            false if best.cost().divmods < 2 => Limits::NONE,
            false if is_short => Limits::of(16, 1, 0),
            false => Limits::of(8, 1, 0),
        }
    }

    /// Adds known forms of `given`, and of its parts near the root, to `known`; `None` if a coefficient does not fit in
    /// 64 bits.
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
        given.operands().try_for_each(|operand| self.know(importer, operand, levels - 1, known))
    }
}
