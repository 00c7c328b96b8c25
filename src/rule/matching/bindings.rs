//! Values for the variables of a rule.

use crate::num::Sum;
use crate::rule::Slot;
use smallvec::SmallVec;

/// Values for the variables of a rule, by [`Slot`]; `None` until one is chosen.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Bindings<A: Copy> {
    /// Of the integer variables.
    pub constants: SmallVec<[Option<i64>; 6]>,
    /// Of the expression variables.
    pub expressions: SmallVec<[Option<Sum<A>>; 3]>,
}

impl<A: Copy + Ord> Bindings<A> {
    /// No values for so many variables of the two sorts.
    pub fn none(constants: usize, expressions: usize) -> Bindings<A> {
        Bindings {
            constants: SmallVec::from_elem(None, constants),
            expressions: (0..expressions).map(|_| None).collect(),
        }
    }

    /// Bindings in slot order.
    pub fn of(constants: &[i64], expressions: impl IntoIterator<Item = Sum<A>>) -> Bindings<A> {
        Bindings {
            constants: constants.iter().map(|value| Some(*value)).collect(),
            expressions: expressions.into_iter().map(Some).collect(),
        }
    }

    /// The value of an integer variable.
    pub fn constant(&self, slot: Slot) -> Option<i64> {
        self.constants.get(usize::from(slot)).copied().flatten()
    }

    /// The value of an expression variable.
    pub fn expression(&self, slot: Slot) -> Option<&Sum<A>> {
        self.expressions.get(usize::from(slot))?.as_ref()
    }

    /// Gives an integer variable its value.
    pub fn set_constant(&mut self, slot: Slot, value: i64) {
        if let Some(place) = self.constants.get_mut(usize::from(slot)) {
            *place = Some(value);
        }
    }

    /// Gives an expression variable its value.
    pub fn set_expression(&mut self, slot: Slot, value: Sum<A>) {
        if let Some(place) = self.expressions.get_mut(usize::from(slot)) {
            *place = Some(value);
        }
    }
}
