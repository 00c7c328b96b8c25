//! Bindings of the variables of a rule.

use super::Number;
use crate::num::Sum;
use crate::rule::Slot;
use smallvec::SmallVec;

/// Bindings by [`Slot`]; `None` while unbound.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Bindings<A: Copy> {
    /// Values of the integer variables.
    pub constants: SmallVec<[Option<Number>; 6]>,
    /// Values of the expression variables.
    pub expressions: SmallVec<[Option<Sum<A>>; 3]>,
}

impl<A: Copy + Ord> Bindings<A> {
    /// Creates bindings for this many variables, all unbound.
    pub fn none(constants: usize, expressions: usize) -> Bindings<A> {
        Bindings {
            constants: SmallVec::from_elem(None, constants),
            expressions: (0..expressions).map(|_| None).collect(),
        }
    }

    /// Creates bindings from values in slot order.
    pub fn of(constants: &[Number], expressions: impl IntoIterator<Item = Sum<A>>) -> Bindings<A> {
        Bindings {
            constants: constants.iter().map(|value| Some(*value)).collect(),
            expressions: expressions.into_iter().map(Some).collect(),
        }
    }

    /// Returns the value of an integer variable.
    #[inline]
    pub fn constant(&self, slot: Slot) -> Option<Number> {
        self.constants.get(usize::from(slot)).copied().flatten()
    }

    /// Returns the value of an expression variable.
    #[inline]
    pub fn expression(&self, slot: Slot) -> Option<&Sum<A>> {
        self.expressions.get(usize::from(slot))?.as_ref()
    }

    /// Binds an integer variable.
    pub fn set_constant(&mut self, slot: Slot, value: Number) {
        if let Some(place) = self.constants.get_mut(usize::from(slot)) {
            *place = Some(value);
        }
    }

    /// Binds an expression variable.
    pub fn set_expression(&mut self, slot: Slot, value: Sum<A>) {
        if let Some(place) = self.expressions.get_mut(usize::from(slot)) {
            *place = Some(value);
        }
    }
}
