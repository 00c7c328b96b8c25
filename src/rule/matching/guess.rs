//! Variables that a condition defines as a quotient which is not in a sum as it stands.
//!
//! Of `m*y - m*k*q + z` with `y floordiv k = q` the quotient need not be `y floordiv k` as written: the sum
//! has what that became. So each quotient of the sum suggests what `m*k` is, `y` is chosen as the rule's
//! `split` says, `q` is computed, and the quotient that suggested it must then have cancelled.

use super::pattern::{Integer, Summand};
use super::search::{Bound, Flow, Goal, Goals, Next, ON, Search};
use super::{Operator, Terms, sum_of};
use crate::num::Sum;
use crate::rule::Slot;
use smallvec::SmallVec;

impl<'m, T: Terms> Search<'_, 'm, T> {
    /// The summand number `index` is defined, and is not in the sum as it stands.
    pub(super) fn guess_in(
        &mut self,
        (summands, left): (&'m [Summand], u64),
        index: usize,
        sum: &Sum<T::Atom>,
        next: Next<'_, 'm, T::Atom>,
    ) -> Flow {
        for &(atom, coefficient) in sum.terms() {
            if !self.terms.has_operation(atom, Operator::FloorDiv) {
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

    /// The value of a variable that is defined, once what its definition needs is known.
    pub(super) fn compute(&mut self, slot: Slot) -> Option<Sum<T::Atom>> {
        let mut defined = self.scheme.defined.iter();
        let (_, term) = defined.find(|(known, _)| *known == slot)?;
        let value = sum_of(term, &self.bindings, self.terms)?;
        self.bindings.set_expression(slot, value.clone());
        self.trail.push(Bound::Expression(slot));
        Some(value)
    }

    /// Resolves the terms that had more open constants than one and now have one; `false` if one cannot be its value.
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
