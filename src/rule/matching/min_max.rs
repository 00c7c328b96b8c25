//! Matches min and max modulo the order of operands; an unbound variable takes all remaining operands.

use super::pattern::Pattern;
use super::search::{Flow, Goal, Goals, Next, ON, Search, bits};
use super::{Forms, Number, Operator, Terms};
use crate::num::Sum;
use std::rc::Rc;

impl<'m, T: Terms> Search<'_, 'm, T> {
    /// Matches a set of patterns with a set of operands, one bit for each.
    pub(super) fn operands(
        &mut self,
        operator: Operator,
        (patterns, open): (&'m [Pattern], u64),
        (operands, left): (&Rc<[Forms<T::Atom>]>, u64),
        next: Next<'_, 'm, T::Atom>,
    ) -> Flow {
        // Each pattern takes at least one operand.
        if open == 0 || open.count_ones() > left.count_ones() {
            return if open == left { self.solve(next) } else { ON };
        }
        // An unbound variable takes the remaining operands.
        let free = |pattern: &Pattern| {
            let slot = pattern.as_variable()?;
            self.bindings.expression(slot).is_none().then_some(slot)
        };
        // Splitting a sum for it only guesses its value if another operand determines it.
        let guessed = |index: &usize| {
            let slot = free(&patterns[*index]);
            slot.is_some_and(|slot| bits(open).any(|other| patterns[other].takes_apart(slot)))
        };
        let position = bits(open).find(guessed);
        let position =
            position.or_else(|| bits(open).find(|index| free(&patterns[*index]).is_none()));
        let position = position.unwrap_or(open.trailing_zeros() as usize);
        let others = open & !(1 << position);
        if let (0, Some(slot)) = (others, free(&patterns[position]))
            && left.count_ones() > 1
        {
            let firsts = bits(left).filter_map(|index| operands[index].first().cloned());
            let firsts: Vec<Sum<T::Atom>> = firsts.collect();
            let mark = self.mark();
            let whole = self.terms.operation(operator, &firsts, Number::Integer(0));
            let flow = match whole.is_some_and(|whole| self.bind(slot, &[whole])) {
                true => self.solve(next),
                false => ON,
            };
            self.back(mark);
            return flow;
        }
        for index in bits(left) {
            let rest = (operands.clone(), left & !(1 << index));
            let goal = Goal::Operands(operator, (patterns, others), rest);
            let rest = Goals { goal, next };
            self.forms(&patterns[position], &operands[index], Some(&rest))?;
        }
        ON
    }
}
