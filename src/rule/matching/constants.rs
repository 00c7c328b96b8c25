//! Binds constants: solves the terms without expressions in which a single one is open, factorizes the value of a product of two
//! open ones, and evaluates choices.

use super::number::factorizations;
use super::pattern::Integer;
use super::search::{Bound, Flow, Next, ON, Search};
use super::{Number, Terms};
use crate::rule::{Slot, Term};

impl<'m, T: Terms> Search<'_, 'm, T> {
    fn set(&mut self, slot: Slot, value: Number) {
        self.bindings.set_constant(slot, value);
        self.open &= !(1 << slot);
        self.trail.push(Bound::Constant(slot));
    }

    /// Constrains a term without expressions to `value`; `false` if that is impossible.
    pub(super) fn resolve(&mut self, of: &'m Integer, value: Number) -> bool {
        let open = of.constants & self.open;
        match open.count_ones() {
            0 => of.value(&self.bindings, self.terms) == Some(value),
            1 => {
                let slot = open.trailing_zeros() as Slot;
                let value = match of.term {
                    Term::Constant(_) => Some(value),
                    _ => of.solution(slot, value, &mut self.bindings, self.terms),
                };
                // Prunes values that a condition excludes.
                let may_be_less = self.scheme.positive & (1 << slot) == 0;
                let value =
                    value.filter(|value| may_be_less || !matches!(value, Number::Integer(..1)));
                value.map(|value| self.set(slot, value)).is_some()
            }
            _ => {
                self.pending.push((of, value));
                self.trail.push(Bound::Pending);
                true
            }
        }
    }

    /// Resolves the pending terms that now have a single open constant; `false` if one cannot have its value.
    pub(super) fn settle(&mut self, is_meant: fn(&Integer) -> bool) -> bool {
        let open = self.open;
        (0..self.pending.len()).all(|index| {
            let (of, value) = self.pending[index];
            let is_settled = (of.constants & open).count_ones() == 1 && is_meant(of);
            !is_settled || self.resolve(of, value)
        })
    }

    pub(super) fn integer(
        &mut self,
        of: &'m Integer,
        value: Number,
        next: Next<'_, 'm, T::Atom>,
    ) -> Flow {
        let mark = self.mark();
        let flow = if self.resolve(of, value) { self.solve(next) } else { ON };
        self.back(mark);
        flow
    }

    pub(super) fn complete_pending(&mut self, pending: &[(&'m Integer, Number)]) -> Flow {
        let Some(((of, value), others)) = pending.split_last() else {
            self.choose();
            let is_bound = self.bindings.constants.iter().all(Option::is_some)
                && self.bindings.expressions.iter().all(Option::is_some);
            return if is_bound { (self.found)(self.terms, &self.bindings) } else { ON };
        };
        let mark = self.mark();
        let open = (of.constants & self.open).count_ones();
        let flow = match &of.term {
            _ if open < 2 => match self.resolve(of, *value) {
                true => self.complete_pending(others),
                false => ON,
            },
            Term::Product(x, y) => match (&**x, &**y) {
                (Term::Constant(x), Term::Constant(y)) => self.factored([*x, *y], *value, others),
                _ => ON,
            },
            _ => ON,
        };
        self.back(mark);
        flow
    }

    /// Solves `x * y = value` for two open constants by enumerating factorizations.
    fn factored(
        &mut self,
        [x, y]: [Slot; 2],
        value: Number,
        others: &[(&'m Integer, Number)],
    ) -> Flow {
        let factors = match value {
            Number::Integer(value) => factorizations(value),
            Number::Named(name) => {
                let divisors = self.terms.divisors_of(name).into_iter();
                let pair = |factor| Some((factor, value.exactly(factor, self.terms)?));
                divisors.filter_map(pair).collect()
            }
        };
        for (factor, other) in factors {
            let mark = self.mark();
            self.set(x, factor);
            self.set(y, other);
            let flow = self.complete_pending(others);
            self.back(mark);
            flow?;
        }
        ON
    }

    /// Binds the constants whose choices can be evaluated.
    pub(super) fn choose(&mut self) {
        if self.scheme.chosen & self.open == 0 {
            return;
        }
        for (slot, choice) in &self.scheme.choices {
            if self.open & (1 << slot) != 0
                && let Some(value) = choice.value(&self.bindings, self.terms)
            {
                self.set(*slot, value);
            }
        }
    }
}
