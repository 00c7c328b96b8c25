//! Values that do not depend on parameters, and scalings by constants that are the same function.
//!
//! Law: values are those of `known_word`, or of an operation that has one value whatever some of its operands are: a choice between
//! equal constants, a product with 0. A quotient by a power of two is the product with its inverse, if both are normal
//! numbers of the type.

use super::constant::Constant;
use super::frames::At;
use super::identities::absorbs;
use super::parts::{Listed, View};
use super::values::Computed;
use super::verdict::Verdict;
use affinor_hlo::element_type::ElementType;
use affinor_hlo::opcode::{Opcode, Values};
use affinor_ops::indexing::{InstructionPlace, TuplePath, is_pointwise, known_word};

/// Maximum number of operations through which a value is followed.
const DEPTH: usize = 24;

impl Computed<'_> {
    /// Returns the value that all elements of an array have, if it is a constant or computed from constants.
    pub(super) fn scalar(&mut self, side: usize, at: &At) -> Option<Constant> {
        self.scalar_within(side, at, DEPTH)
    }

    /// Returns the value of all elements of the result of an operation on constants.
    pub(super) fn worked_out(&mut self, side: usize, at: &At) -> Option<Constant> {
        self.value(side, at, DEPTH)
    }

    fn scalar_within(&mut self, side: usize, at: &At, depth: usize) -> Option<Constant> {
        let mut at = at.clone();
        for _ in 0..DEPTH {
            if let Some(before) = self.frames[side].elsewhere(&at) {
                at = before;
                continue;
            }
            let op = self.frames[side].instruction(&at);
            if let Some(constant) = Constant::of_all(op) {
                return Some(constant);
            }
            if let Some(Listed::Constant(constant)) = self.listed(side, &at) {
                return Some(constant);
            }
            let array = op.shape().at(&at.place.1)?.as_array()?;
            let found = match array.element_count() {
                Some(1) => self.value(side, &at, depth),
                _ => None,
            };
            if found.is_some() {
                return found;
            }
            // All elements of these results are elements of the operand.
            let spreads = matches!(
                op.opcode(),
                Opcode::Broadcast
                    | Opcode::Copy
                    | Opcode::Reshape
                    | Opcode::Slice
                    | Opcode::Transpose
            );
            if !spreads || op.opcode().values() == Values::Made {
                return self.value(side, &at, depth);
            }
            at = At { frame: at.frame, place: (*op.operands().first()?, TuplePath::new()) };
        }
        None
    }

    fn value(&mut self, side: usize, at: &At, depth: usize) -> Option<Constant> {
        let key = (side, at.clone());
        if let Some(known) = self.worked.get(&key) {
            return known.clone();
        }
        let found = self.computed_value(side, at, depth);
        self.worked.insert(key, found.clone());
        found
    }

    fn computed_value(&mut self, side: usize, at: &At, depth: usize) -> Option<Constant> {
        let depth = depth.checked_sub(1)?;
        let op = self.frames[side].instruction(at);
        let array = op.shape().at(&at.place.1)?.as_array()?;
        let (rank, element_type) = (array.rank(), array.element_type());
        let inner = |this: &mut Self, number: usize| {
            let place = (*op.operands().get(number)?, TuplePath::new());
            this.scalar_within(side, &At { frame: at.frame, place }, depth)
        };
        // Some operations have one value whatever some of their operands are.
        match op.opcode() {
            Opcode::Select => {
                let [one, other] = [1, 2].map(|number| inner(self, number));
                if one.is_some() && one == other {
                    return one;
                }
            }
            Opcode::And | Opcode::Multiply | Opcode::Or => {
                let decides = |value: &Constant| absorbs(op.opcode(), element_type, value);
                let found = inner(self, 0).filter(decides);
                let found = found.or_else(|| inner(self, 1).filter(decides));
                if found.is_some() {
                    return found;
                }
            }
            _ => {}
        }
        if array.element_count() != Some(1) {
            // The result has a single value if all of its operands do.
            let is_one = is_pointwise(op.opcode())
                && !array.sizes()?.contains(&0)
                && op.operands().iter().all(|id| {
                    let operand = At { frame: at.frame, place: (*id, TuplePath::new()) };
                    self.scalar_within(side, &operand, depth).is_some()
                });
            is_one.then_some(())?;
        }
        let frames = &self.frames[side];
        let (instruction, path) = &at.place;
        let computation = frames.computation(at.frame);
        let place = InstructionPlace { computation, instruction: *instruction };
        let interrupt = self.budget.interrupt.clone().unwrap_or_default();
        let word = known_word(frames.module, place, path, &vec![0; rank], &interrupt)?;
        Some(Constant::of_word(element_type, &word))
    }

    /// Returns the operands in place of the conversions between float types; `None` if there are none.
    pub(super) fn without_conversions(&self, views: [&View; 2]) -> Option<[View; 2]> {
        let inner = [0, 1].map(|side| {
            let op = self.frames[side].instruction(&views[side].at);
            (*op.opcode() == Opcode::Convert).then_some(())?;
            let inner = self.operand(side, views[side], 0)?;
            let types = [&inner, views[side]].map(|view| self.type_of(side, view));
            types.iter().all(|of| of.is_some_and(ElementType::is_float)).then_some(inner)
        });
        inner.iter().any(Option::is_some).then_some(())?;
        let [old, new] = inner;
        Some([old.unwrap_or(views[0].clone()), new.unwrap_or(views[1].clone())])
    }

    /// Compares two elementwise ops that scale the same array by the same factor; returns `None` if this is not shown.
    pub(super) fn scaled(&mut self, sizes: &[i64], views: [&View; 2]) -> Option<Verdict> {
        let opcodes = [0, 1].map(|side| self.frames[side].instruction(&views[side].at).opcode());
        let is_mixed = matches!(
            opcodes,
            [Opcode::Multiply, Opcode::Divide] | [Opcode::Divide, Opcode::Multiply]
        );
        is_mixed.then_some(())?;
        let [old, new] = [self.scaling(0, views[0])?, self.scaling(1, views[1])?];
        (old.1.to_bits() == new.1.to_bits() && old.2 == new.2).then_some(())?;
        let operands = [self.operand(0, views[0], old.0)?, self.operand(1, views[1], new.0)?];
        let found = self.same(sizes, operands, None);
        found.is_same().then_some(found)
    }

    /// Returns the scaled operand, the factor, and the type, if each result is the exact product, rounded once.
    fn scaling(&mut self, side: usize, view: &View) -> Option<(usize, f64, ElementType)> {
        let op = self.frames[side].instruction(&view.at);
        let element_type = op.shape().as_array()?.element_type();
        let most = match element_type {
            ElementType::F32 | ElementType::BF16 => 126,
            ElementType::F64 => 1022,
            ElementType::F16 => 14,
            _ => return None,
        };
        let number = |this: &mut Self, operand: usize| -> Option<f64> {
            let id = *op.operands().get(operand)?;
            let at = At { frame: view.at.frame, place: (id, TuplePath::new()) };
            let constant = this.scalar(side, &at)?;
            (constant.element_type() == element_type).then_some(())?;
            let value = constant.text().parse::<f64>().ok()?;
            let bits = value.to_bits();
            let exponent = i64::try_from((bits >> 52) & 0x7ff).ok()?.checked_sub(1023)?;
            let is_power = bits & ((1 << 52) - 1) == 0 && exponent.abs() <= most;
            is_power.then_some(value)
        };
        match op.opcode() {
            Opcode::Divide => Some((0, 1.0 / number(self, 1)?, element_type)),
            Opcode::Multiply => match number(self, 1) {
                Some(factor) => Some((0, factor, element_type)),
                None => Some((1, number(self, 0)?, element_type)),
            },
            _ => None,
        }
    }
}
