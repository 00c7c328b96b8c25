//! Integers computed from floats whose values are known at compile time.
//!
//! Law: as for `known`; the floats are computed in the same computation.

use super::concrete::{Concrete, Given};
use super::known::{Element, Known};
use super::number::Number;
use affinor::expr::Expr;
use affinor_hlo::opcode::Opcode;

impl Known<'_> {
    /// Returns the value of an element at a constant index, if it is the result of a conversion or a comparison of floats.
    pub(super) fn of_floats(&self, element: &Element) -> Option<Number> {
        let body = self.frames.body(element.frame);
        let instruction = &body[element.instruction];
        let is_of_floats = body.operands(instruction).all(|operand| {
            operand.shape().as_array().is_some_and(|array| array.element_type().is_float())
        });
        let is_fitting = matches!(instruction.opcode(), Opcode::Compare | Opcode::Convert);
        (is_fitting && is_of_floats).then_some(())?;
        let index: Vec<i64> = element.index.iter().map(Expr::as_constant).collect::<Option<_>>()?;
        let mut floats = Concrete::new(body, Given::new(), &self.fuel);
        let value = floats.value(element.instruction, &element.path, &index)?.integer()?;
        Some(Number::constant(value))
    }
}
