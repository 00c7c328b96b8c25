//! Binds variables that a condition defines as a quotient which does not occur literally in the sum.
//!
//! In `m*y - m*k*q + z` with `y floordiv k = q` the quotient may occur only in simplified form. So each quotient of the sum
//! suggests a value of `m*k`, `y` is chosen by the rule's `split`, `q` is computed, and the suggesting quotient must then have
//! cancelled.

use super::pattern::{Integer, Summand};
use super::search::{Bound, Flow, Goal, Goals, Next, ON, Search};
use super::{Number, Operator, Terms, number, sum_of};
use crate::num::Sum;
use crate::rule::{Slot, Split, Term};
use smallvec::SmallVec;

impl<'m, T: Terms> Search<'_, 'm, T> {
    /// Matches summand `index`, which is defined and does not occur literally in the sum.
    pub(super) fn guess_in(
        &mut self,
        (summands, left): (&'m [Summand], u64),
        index: usize,
        sum: &Sum<T::Atom>,
        next: Next<'_, 'm, T::Atom>,
    ) -> Flow {
        for &(atom, coefficient) in sum.terms() {
            // A quotient of a min is the min of quotients.
            let kinds = [Operator::FloorDiv, Operator::Min, Operator::Max];
            let factored = self.terms.factored(atom);
            let (cofactor, operation) = factored.unwrap_or((Number::ONE, atom));
            let mut kinds = kinds.iter();
            if !kinds.any(|kind| self.terms.has_operation(operation, *kind)) {
                continue;
            }
            let coefficient = Number::Integer(coefficient).times(cofactor, self.terms);
            let Some(coefficient) = coefficient else {
                continue;
            };
            self.guess = Some(atom);
            let goal = Goal::Sum(summands, left, sum.clone());
            let rest = Goals { goal, next };
            let flow = self.integer(&summands[index].factor, coefficient, Some(&rest));
            self.guess = None;
            flow?;
        }
        ON
    }

    /// Returns the operation that a term of a sum is a multiple of, with its factor.
    pub(super) fn operation_at(
        &mut self,
        term: T::Atom,
        coefficient: i64,
        operator: Operator,
    ) -> Option<(Number, T::Atom)> {
        let coefficient = Number::Integer(coefficient);
        if self.terms.has_operation(term, operator) {
            return Some((coefficient, term));
        }
        let (cofactor, atom) = self.terms.factored(term)?;
        let is_meant = self.terms.has_operation(atom, operator);
        is_meant.then(|| Some((coefficient.times(cofactor, self.terms)?, atom)))?
    }

    /// Evaluates a defined variable, once the operands of its definition are bound.
    pub(super) fn compute(&mut self, slot: Slot) -> Option<Sum<T::Atom>> {
        let mut defined = self.scheme.defined.iter();
        let (_, term) = defined.find(|(known, _)| *known == slot)?;
        if let (Some(guess), Term::FloorDiv(x, c)) = (self.guess, term) {
            let x = sum_of(x, &self.bindings, self.terms)?;
            let c = number(c, &self.bindings, self.terms)?;
            if x.coefficient(guess) == 0 && !self.terms.may_have_quotient(&x, true, c, guess) {
                return None;
            }
        }
        let value = sum_of(term, &self.bindings, self.terms)?;
        self.bindings.set_expression(slot, value.clone());
        self.trail.push(Bound::Expression(slot));
        Some(value)
    }

    /// Whether the quotient that suggested a factor may cancel, now that the factor is bound: tested before `sum` is split by it.
    pub(super) fn may_cancel(&mut self, sum: &Sum<T::Atom>) -> bool {
        let Some(guess) = self.guess else {
            return true;
        };
        let scheme = self.scheme;
        let is_related = |split: &Split| {
            use Split::{Related, RelatedQuotients, Within};
            matches!(split, Related | RelatedQuotients | Within)
        };
        if !scheme.splits.iter().all(is_related) {
            return true; // another may split off the quotient itself
        }
        scheme.defined.iter().all(|(slot, term)| {
            let Term::FloorDiv(_, c) = term else {
                return true;
            };
            let divisor = number(c, &self.bindings, self.terms);
            self.bindings.expression(*slot).is_some()
                || divisor.is_none_or(|c| self.terms.may_have_quotient(sum, false, c, guess))
        })
    }

    /// Resolves the pending terms that now have a single open constant; `false` if one cannot have its value.
    pub(super) fn settle(&mut self, is_meant: fn(&Integer) -> bool) -> bool {
        if self.pending.is_empty() {
            return true;
        }
        let open = self.open;
        let settled: SmallVec<[(&'m Integer, Number); 2]> = self
            .pending
            .iter()
            .filter(|(of, _)| (of.constants & open).count_ones() == 1 && is_meant(of))
            .copied()
            .collect();
        settled.into_iter().all(|(of, value)| self.resolve(of, value))
    }
}
