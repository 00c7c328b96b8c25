//! Binds variables that a condition defines as a quotient which does not occur literally in the sum.
//!
//! In `m*y - m*k*q + z` with `y floordiv k = q` the quotient may occur in simplified form only. So each quotient of the
//! sum suggests a value of `m*k`, `y` is chosen by the rule's `split`, `q` is computed, and the quotient that suggested
//! it must then have cancelled.

use super::pattern::{Integer, Summand};
use super::search::{Bound, Flow, Goal, Goals, Next, ON, Search};
use super::{Operator, Terms, sum_of};
use crate::num::Sum;
use crate::rule::Slot;
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
            if !kinds.iter().any(|kind| self.terms.has_operation(atom, *kind)) {
                continue;
            }
            self.guess = Some(atom);
            let goal = Goal::Sum(summands, left, sum.clone());
            let rest = Goals { goal, next };
            let flow = self.integer(&summands[index].factor, coefficient, Some(&rest));
            self.guess = None;
            flow?;
        }
        ON
    }

    /// Evaluates a defined variable, once the operands of its definition are bound.
    pub(super) fn compute(&mut self, slot: Slot) -> Option<Sum<T::Atom>> {
        let mut defined = self.scheme.defined.iter();
        let (_, term) = defined.find(|(known, _)| *known == slot)?;
        let value = sum_of(term, &self.bindings, self.terms)?;
        self.bindings.set_expression(slot, value.clone());
        self.trail.push(Bound::Expression(slot));
        Some(value)
    }

    /// Resolves pending terms that now have one open constant; `false` if one cannot have its value.
    pub(super) fn settle(&mut self) -> bool {
        if self.pending.is_empty() {
            return true;
        }
        let open = self.open;
        let settled: SmallVec<[(&'m Integer, i64); 2]> = self
            .pending
            .iter()
            .filter(|(of, _)| (of.constants & open).count_ones() == 1)
            .copied()
            .collect();
        settled
            .into_iter()
            .all(|(of, value)| self.resolve(of, value))
    }
}
