//! The sums of a store as the terms of the matcher.

use super::engine::Engine;
use super::linear::{AtomId, Linear, SumId};
use super::store::Definition;
use crate::num::{Interval, MINUS_INFINITY, PLUS_INFINITY};
use crate::rule::matching::{Name, Number, Operation, Operator, Terms, number_of};
use crate::simplify::saturate::{Sizes, sum_operations};
use smallvec::SmallVec;
use std::rc::Rc;

impl Sizes for Engine<'_> {
    /// Estimates the size by the smallest known form, or by the definitions of the atoms: as written, or in the digit view.
    fn size(&mut self, sum: &Linear) -> u32 {
        let plain = self.plain_size(sum, &[]);
        if sum.terms().len() < 2 || self.store.quotients_of(sum).next().is_none() {
            return plain;
        }
        let id = self.store.intern(sum);
        if let Some(form) = self.forms.sums.get(&id) {
            return form.ops.min(plain);
        }
        let view = self.store.digits_by_class(id);
        if view.digits.is_empty() {
            return plain;
        }
        let mut digits: SmallVec<[(i64, u32); 4]> = SmallVec::new();
        for digit in &view.digits {
            let (_, of) = digit.of.split_multiples(digit.modulus);
            digits.push((digit.coefficient, self.plain_size(&of, &[]).saturating_add(1)));
        }
        self.plain_size(&view.rest, &digits).min(plain)
    }
}

impl Engine<'_> {
    /// Counts the operations of a sum as written, with further parts: the coefficient and the operations of each.
    fn plain_size(&self, sum: &Linear, further: &[(i64, u32)]) -> u32 {
        let terms = sum.terms().iter();
        let parts = terms.map(|(atom, c)| (*c, self.store.atom(*atom).weight.saturating_sub(1)));
        let parts = parts.chain(further.iter().copied());
        let own = sum_operations(sum.constant, parts.clone().map(|(c, ops)| (c, ops == 0)));
        parts.map(|(_, ops)| ops).fold(own, u32::saturating_add)
    }
}

impl Terms for Engine<'_> {
    type Atom = AtomId;

    fn operations(&mut self, atom: AtomId, operator: Operator) -> Rc<[Operation<AtomId>]> {
        if !self.has_operation(atom, operator) {
            return Rc::from([]);
        }
        if self.operations.len() <= atom.index() {
            self.operations.resize(atom.index() + 1, None);
        }
        let definition = &self.store.atom(atom).definition;
        let known = self.operations[atom.index()].get_or_insert_with(|| {
            let (operands, divisor) = match definition {
                Definition::Variable(_) | Definition::Product(_) => (&[][..], Number::Integer(0)),
                Definition::Quotient(of, divisor) => (std::slice::from_ref(of), *divisor),
                Definition::Least(list) | Definition::Greatest(list) => {
                    (list.as_slice(), Number::Integer(0))
                }
            };
            let operands = operands.iter().map(|x| Rc::from([x.clone()]));
            Rc::from([Operation { operands: operands.collect(), divisor }])
        });
        known.clone()
    }

    fn further_quotients(&self, atom: AtomId) -> &[Operation<AtomId>] {
        self.noted.get(&atom).map_or(&[], SmallVec::as_slice)
    }

    fn has_operation(&mut self, atom: AtomId, operator: Operator) -> bool {
        self.store.atom(atom).definition.operator() == Some(operator)
    }

    fn support(&mut self, atom: AtomId) -> u64 {
        self.store.atom(atom).support
    }

    fn points(&self) -> usize {
        self.store.samples.count()
    }

    fn value_at(&self, sum: &Linear, point: usize) -> Option<i64> {
        self.store.samples.valid_sum(sum, point)
    }

    fn range(&mut self, sum: &Linear) -> Interval {
        self.store.range(sum)
    }

    fn is_at_least(&mut self, sum: &Linear, bound: i64) -> bool {
        self.store.is_at_least(sum, bound)
    }

    fn is_at_most(&mut self, sum: &Linear, bound: i64) -> bool {
        self.store.is_at_most(sum, bound)
    }

    fn is_within(&mut self, sum: &Linear, bounds: Interval) -> bool {
        self.store.is_within(sum, bounds)
    }

    /// Builds the normal form of an operation.
    fn operation(
        &mut self,
        operator: Operator,
        operands: &[Linear],
        divisor: Number,
    ) -> Option<Linear> {
        match (operator, operands) {
            (Operator::FloorDiv, [x]) => Some(self.divide(x, divisor)),
            (Operator::Mod, [x]) => self.remainder(x, divisor),
            (Operator::Min | Operator::Max, _) => {
                self.min_max(operands.to_vec(), operator == Operator::Min)
            }
            _ => None,
        }
    }

    fn constrained(&self) -> Vec<Linear> {
        self.store.constrained_sums()
    }

    fn named(&mut self, name: Name) -> Option<Linear> {
        Some(self.store.sum(SumId(name.0)).clone())
    }

    fn name(&mut self, sum: &Linear) -> Option<Name> {
        self.store.names.as_ref()?;
        Some(Name(self.store.intern(sum).0))
    }

    fn product(&mut self, x: &Linear, y: &Linear) -> Option<Linear> {
        self.store.product(x, y)
    }

    fn split(&mut self, sum: &Linear, factor: Name) -> Option<(Linear, Linear)> {
        let factor = self.store.sum(SumId(factor.0)).clone();
        self.store.split(sum, &factor)
    }

    fn factored(&mut self, atom: AtomId) -> Option<(Number, AtomId)> {
        let (others, operation) = self.store.factored(atom)?;
        Some((Number::Named(Name(others.0)), operation))
    }

    fn divisors_of(&mut self, name: Name) -> Vec<Number> {
        let of = self.store.sum(SumId(name.0)).clone();
        let divisors = self.store.divisors_of(&of).into_iter();
        divisors.filter_map(|x| number_of(&x, self)).collect()
    }

    fn end(&mut self, sum: &Linear, upper: bool) -> Option<Number> {
        let end = self.store.end(sum, upper);
        if end != MINUS_INFINITY && end != PLUS_INFINITY {
            return Some(Number::Integer(end));
        }
        let end = self.store.named_end(sum, upper)?;
        number_of(&end, self)
    }
}
