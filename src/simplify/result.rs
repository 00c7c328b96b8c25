//! Simplifies one result: its remainders are spelled in one way, parts without a common variable are taken apart, and each is
//! imported, searched, and saturated where that may help.

use super::apart::Whole;
use super::engine::Engine;
use super::import::Importer;
use super::linear::Linear;
use super::options::{Effort, Options};
use super::polish::{Polished, SHORT};
use super::smaller::{has_min_max, is_simplest, smaller, smaller_of};
use crate::expr::{Domain, Expr};

/// A result after a pass.
pub struct Simplified {
    pub best: Expr,
    /// Whether another pass would find the same.
    pub is_settled: bool,
}

impl Engine<'_> {
    /// Simplifies one result; returns it unchanged on overflow.
    pub fn simplify_result(
        &mut self,
        importer: &mut Importer,
        given: &Expr,
        domain: &Domain,
        options: &Options,
    ) -> Simplified {
        let recombined = self.recombined(given);
        let reduced = self.reduced(importer, recombined.as_ref().unwrap_or(given)).or(recombined);
        let (input, given) = (given, reduced.as_ref().unwrap_or(given));
        match self.parts_of(given) {
            Some(parts) => self.simplify_parts(importer, (input, given, &parts), domain, options),
            None => self.simplify_part(importer, (input, given), domain, options),
        }
    }

    /// Simplifies the parts of a sum that share no variable, each on its own.
    fn simplify_parts(
        &mut self,
        importer: &mut Importer,
        (input, given, parts): (&Expr, &Expr, &[Expr]),
        domain: &Domain,
        options: &Options,
    ) -> Simplified {
        let mut is_settled = true;
        let mut whole = Some(Whole::default());
        for part in parts {
            let simplified = match part.cost().divmods > 0 || has_min_max(part) {
                true => self.simplify_part(importer, (part, part), domain, options),
                false => Simplified { best: self.fixed(importer, part), is_settled: true },
            };
            is_settled &= simplified.is_settled;
            whole = whole.and_then(|whole| whole.plus(1, &simplified.best));
        }
        let best = match whole.and_then(Whole::written) {
            Some(whole) => {
                let is_larger = whole.cost().ops > given.cost().ops;
                smaller(if is_larger { given } else { input }, &whole, domain)
            }
            None => given.clone(),
        };
        // Of forms of one size, the parts may have those that share fewer factors.
        let form = importer.import(self, given).and_then(|sum| self.sum_form(&sum, 0));
        let best = form.map_or(best.clone(), |form| smaller_of(&best, &form, domain));
        Simplified { best, is_settled }
    }

    /// Returns a sum of variables with the values of those that have only one.
    fn fixed(&mut self, importer: &mut Importer, sum: &Expr) -> Expr {
        let form = importer.import(self, sum).and_then(|sum| self.sum_form(&sum, 0));
        form.and_then(|form| form.to_expr().ok()).unwrap_or_else(|| sum.clone())
    }

    /// Simplifies a result that is no sum of parts without a common variable.
    fn simplify_part(
        &mut self,
        importer: &mut Importer,
        (input, given): (&Expr, &Expr),
        domain: &Domain,
        options: &Options,
    ) -> Simplified {
        let open = |best: Expr| Simplified { best, is_settled: false };
        let mut found = None;
        if options.effort != Effort::SaturationAlone {
            let sum = importer.import(self, given);
            found = sum.and_then(|sum| Some((self.sum_form(&sum, 0)?, sum)));
            // Without a rule that expands remainders, the strategy cannot handle an expression with a remainder; saturation can.
            if found.is_none() && self.rules.remainder.is_some() {
                self.stop("a coefficient beyond 64 bits");
                return open(given.clone());
            }
        }
        let (found, sum) = found.unzip();
        let is_least = found.as_ref().is_some_and(|found| self.is_least(found));
        let best = match &found {
            // The form of the search is the canonical one: the reduced input must be smaller.
            Some(form) => {
                let is_larger = u64::from(form.ops) > given.cost().ops;
                smaller_of(if is_larger { given } else { input }, form, domain)
            }
            None => given.clone(),
        };
        let is_brief = options.effort == Effort::Bounded && !self.rules.has_own();
        let is_simplest = is_simplest(&best, domain);
        if options.effort == Effort::Strategy || is_least && is_brief || is_simplest {
            let is_settled = is_simplest || self.is_same(importer, &best, sum.as_ref());
            return Simplified { best, is_settled };
        }
        // The operators of a short input that became smaller are of no more use.
        let is_replaced = given.cost().ops <= SHORT && best.cost().ops < given.cost().ops;
        // Session rules also match remainders as written.
        let written = if self.rules.has_own() { self.reduced(importer, input) } else { None };
        let given = if self.rules.has_own() {
            written.as_ref().unwrap_or(input)
        } else if is_replaced && is_brief {
            &best
        } else {
            given
        };
        let before = (found.as_ref(), &best);
        match self.polished(importer, given, before, (domain, options)) {
            Polished::Smaller(form) => open(smaller_of(&best, &form, domain)),
            Polished::InVain => {
                // A min or max of several operands is a part of its own only if it is written.
                let is_written = best == *given || !has_min_max(&best);
                let is_settled = is_written && self.is_same(importer, &best, sum.as_ref());
                Simplified { best, is_settled }
            }
            Polished::Cut => open(best),
        }
    }

    /// Returns whether the normal form of an expression is this sum, so that its smallest form is known, independent of the
    /// expressions seen before.
    fn is_same(&mut self, importer: &mut Importer, expr: &Expr, sum: Option<&Linear>) -> bool {
        let noted = |engine: &Self| engine.noted.values().map(|list| list.len()).sum::<usize>();
        let count = noted(self);
        let is_same = sum.is_some() && importer.import(self, expr).as_ref() == sum;
        is_same && !self.is_by_class && noted(self) == count
    }
}
