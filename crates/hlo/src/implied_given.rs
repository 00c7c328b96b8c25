//! The input of the rules for implied shapes, and helpers for building shapes.

use super::attribute::ComputationReference;
use super::element_type::ElementType;
use super::layout::Layout;
use super::module::{Computation, Instruction};
use super::shape::{ArrayShape, Dimension, Shape};

/// An instruction whose own shape is to be ignored.
pub(super) struct Given<'a> {
    pub(super) instruction: &'a Instruction,
    pub(super) operands: Vec<&'a Shape>,
    /// Looks up the computation that a reference names, if it precedes the instruction.
    pub(super) callee: &'a dyn Fn(&ComputationReference) -> Option<&'a Computation>,
}

impl<'a> Given<'a> {
    pub(super) fn operand(&self, number: usize) -> Option<&'a Shape> {
        self.operands.get(number).copied()
    }

    pub(super) fn array(&self, number: usize) -> Option<&'a ArrayShape> {
        self.operand(number)?.as_array()
    }

    pub(super) fn arrays(&self) -> Option<Vec<&'a ArrayShape>> {
        let arrays = self.operands.iter().map(|shape| shape.as_array());
        arrays.collect()
    }

    /// Returns the shape of the result of the computation that `reference` names.
    pub(super) fn result(&self, reference: &ComputationReference) -> Option<&'a Shape> {
        let computation = (self.callee)(reference)?;
        Some(computation[computation.root()].shape())
    }

    /// Returns the shape of the result of the computation that attribute `name` refers to.
    pub(super) fn result_of(&self, name: &str) -> Option<&'a Shape> {
        let reference = self.instruction.computation_reference(name).ok()?;
        self.result(reference)
    }
}

/// Returns the common type of two types that differ only in floating-point precision.
pub(super) fn wider_float(lhs: ElementType, rhs: ElementType) -> Option<ElementType> {
    let both = lhs == rhs || lhs.is_float() && rhs.is_float();
    both.then(|| lhs.wider(rhs))
}

pub(super) fn row_major(element_type: ElementType, dimensions: Vec<Dimension>) -> ArrayShape {
    ArrayShape::new(element_type, dimensions)
}

pub(super) fn with_layout(
    element_type: ElementType,
    dimensions: Vec<Dimension>,
    layout: Layout,
) -> Option<ArrayShape> {
    let array = ArrayShape::new(element_type, dimensions);
    array.with_layout(layout).ok()
}

/// Returns `array` with another element type.
pub(super) fn retyped(array: &ArrayShape, element_type: ElementType) -> Option<Shape> {
    let dimensions = array.dimensions().to_vec();
    with_layout(element_type, dimensions, array.layout().clone()).map(Shape::Array)
}

/// Returns a single shape itself, several shapes as a tuple.
pub(super) fn one_or_tuple(mut shapes: Vec<Shape>) -> Option<Shape> {
    match shapes.len() {
        0 => None,
        1 => shapes.pop(),
        _ => Some(Shape::Tuple(shapes)),
    }
}
