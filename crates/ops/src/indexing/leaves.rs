//! Elements of parameters as variables, for following values that depend on parameters.
//!
//! Law: a variable is its element clamped to its interval. A clamped element has a variable of its own, so that equal elements
//! with equal clamps are the same variable, whichever op clamps them.

use super::arithmetic::held;
use super::number::Number;
use super::reads::TuplePath;
use affinor::expr::{Expr, VariableId};
use affinor::num::{Interval, MINUS_INFINITY, PLUS_INFINITY};
use affinor_hlo::element_type::ElementType;
use affinor_hlo::opcode::Opcode;

/// An element of a parameter of the outermost computation.
#[derive(Clone, PartialEq)]
pub(super) struct Leaf {
    pub(super) parameter: usize,
    pub(super) path: TuplePath,
    pub(super) index: Vec<Expr>,
    /// The interval to which the element is clamped.
    pub(super) clamp: Interval,
    /// Whether the interval may exclude values of the element: the extreme values of 64 bits are in no interval.
    pub(super) is_cut: bool,
}

/// The variables of elements of parameters, numbered in order after other variables.
pub(super) struct Leaves {
    first: usize,
    assumed: Option<Interval>,
    list: Vec<Leaf>,
}

impl Leaves {
    pub(super) fn behind(first: usize, assumed: Option<Interval>) -> Leaves {
        Leaves { first, assumed, list: Vec::new() }
    }

    pub(super) fn list(&self) -> &[Leaf] {
        &self.list
    }

    /// Returns the variable of an element of a parameter, given by number, part and index. `bounds` are those of all variables.
    pub(super) fn element(
        &mut self,
        (parameter, path, index): (usize, TuplePath, Vec<Expr>),
        element_type: ElementType,
        bounds: &mut Vec<Interval>,
    ) -> Option<Number> {
        let is_whole = element_type == ElementType::Pred
            || element_type.is_signed_integer()
            || element_type.is_unsigned_integer();
        is_whole.then_some(())?;
        let leaf = Leaf {
            parameter,
            path,
            index,
            clamp: held(element_type)?.intersect(self.assumed.unwrap_or(Interval::ALL)),
            is_cut: element_type.bits() >= 64,
        };
        Some(self.variable(leaf, bounds))
    }

    fn variable(&mut self, leaf: Leaf, bounds: &mut Vec<Interval>) -> Number {
        let range = leaf.clamp;
        let known = self.list.iter().position(|known| *known == leaf);
        let place = known.unwrap_or_else(|| {
            bounds.push(range);
            self.list.push(leaf);
            self.list.len() - 1
        });
        let id = VariableId((self.first + place) as u32);
        Number::new(Expr::variable(id), range)
    }

    /// Returns the variable for `number`, clamped; `None` if `number` is not a variable, or is within the bounds already.
    pub(super) fn clamped(
        &mut self,
        number: &Number,
        within: Interval,
        bounds: &mut Vec<Interval>,
    ) -> Option<Number> {
        if within.contains_all(number.range) {
            return None;
        }
        let id = number.expr.as_variable()?.index();
        let leaf = self.list.get(id.checked_sub(self.first)?)?.clone();
        let inside = |end: i64| end.max(within.lo()).min(within.hi());
        let clamp = Interval::new(inside(leaf.clamp.lo()), inside(leaf.clamp.hi()));
        let is_end = clamp.lo() == leaf.clamp.lo() || clamp.hi() == leaf.clamp.hi();
        let clamped = Leaf { clamp, is_cut: leaf.is_cut && is_end, ..leaf };
        Some(self.variable(clamped, bounds))
    }
}

/// Returns the operand that an op clamps, and the interval.
pub(super) fn clamping<'n>(
    opcode: &Opcode,
    operands: &'n [(ElementType, Number)],
) -> Option<(&'n Number, Interval)> {
    let numbers: Vec<&Number> = operands.iter().map(|(_, number)| number).collect();
    let (of, bounds) = match (opcode, numbers.as_slice()) {
        (Opcode::Clamp, [lo, x, hi]) => (*x, Interval::new(lo.value()?, hi.value()?)),
        (Opcode::Maximum, [x, least]) if least.value().is_some() => {
            (*x, Interval::new(least.value()?, PLUS_INFINITY))
        }
        (Opcode::Maximum, [least, x]) => (*x, Interval::new(least.value()?, PLUS_INFINITY)),
        (Opcode::Minimum, [x, most]) if most.value().is_some() => {
            (*x, Interval::new(MINUS_INFINITY, most.value()?))
        }
        (Opcode::Minimum, [most, x]) => (*x, Interval::new(MINUS_INFINITY, most.value()?)),
        _ => return None,
    };
    (!bounds.is_empty()).then_some((of, bounds))
}
