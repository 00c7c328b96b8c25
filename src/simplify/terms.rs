//! The sums of a store as the terms that rules are evaluated on.

use super::engine::Engine;
use super::linear::{AtomId, Linear};
use super::store::Definition;
use crate::interval::Interval;
use crate::rule::matching::{self, Operation, Operator, Terms};
use std::rc::Rc;

/// Sums for the variables of a rule.
pub type Bindings = matching::Bindings<AtomId>;

impl Terms for Engine<'_> {
    type Atom = AtomId;

    fn operations(&mut self, atom: AtomId, operator: Operator) -> Rc<[Operation<AtomId>]> {
        let operation = |operands: &[Linear], divisor| {
            let operands = operands.iter().map(|x| Rc::from([x.clone()]));
            Rc::from([Operation {
                operands: operands.collect(),
                divisor,
            }])
        };
        match (&self.store.atom(atom).definition, operator) {
            (Definition::Quotient(of, divisor), Operator::FloorDiv) => {
                operation(std::slice::from_ref(of), *divisor)
            }
            (Definition::Least(list), Operator::Min)
            | (Definition::Greatest(list), Operator::Max) => operation(list, 0),
            _ => Rc::from([]),
        }
    }

    fn range(&mut self, sum: &Linear) -> Interval {
        self.store.range(sum)
    }

    /// The normal form of an operation.
    fn operation(
        &mut self,
        operator: Operator,
        operands: &[Linear],
        divisor: i64,
    ) -> Option<Linear> {
        match (operator, operands) {
            (Operator::FloorDiv, [x]) => Some(self.divide(x, divisor)),
            (Operator::Mod, [x]) => self.remainder(x, divisor),
            (Operator::Min | Operator::Max, _) => {
                self.lattice(operands.to_vec(), operator == Operator::Min)
            }
            _ => None,
        }
    }
}
