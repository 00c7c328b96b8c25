//! Counters of a loop as multiples of one of them, which both loops of a pair have.
//!
//! Law: a part of the state that begins at a constant and grows by a constant in each iteration is, modulo the range of its type,
//! a sum of a constant and a multiple of any other such part that grows by 1 or -1.

use super::constant::Constant;
use super::frames::At;
use super::values::Computed;
use affinor_hlo::element_type::ElementType;
use affinor_hlo::module::InstructionId;
use affinor_hlo::opcode::Opcode;

/// A counter: its initial value, and its growth.
type Counter = (i128, i128);

/// A number that is equal to a constant plus a multiple of an array's only element.
pub(super) struct Multiple {
    pub(super) constant: i128,
    pub(super) factor: i128,
    pub(super) of: At,
}

impl Computed<'_> {
    /// Returns a counter as a multiple of the counter that all counters of the loop are expressed by; `None` for this one.
    pub(super) fn multiple(&mut self, side: usize, at: &At) -> Option<Multiple> {
        let (start, step) = self.counter(side, at)?;
        let element_type = self.type_at(side, at)?;
        let state = self.frames[side].state(at.frame)?;
        let mut classes: Vec<_> =
            state.classes.iter().map(|(path, class)| (*class, path)).collect();
        classes.sort();
        let others: Vec<At> = classes
            .into_iter()
            .map(|(_, path)| At { frame: at.frame, place: (at.place.0, path.clone()) })
            .collect();
        for of in others {
            if self.type_at(side, &of) != Some(element_type) {
                continue;
            }
            let Some((first, by @ (1 | -1))) = self.counter(side, &of) else {
                continue;
            };
            let factor = step.checked_mul(by)?;
            let constant = start.checked_sub(factor.checked_mul(first)?)?;
            return (of != *at).then_some(Multiple { constant, factor, of });
        }
        None
    }

    fn type_at(&self, side: usize, at: &At) -> Option<ElementType> {
        let array = self.frames[side].instruction(at).shape().at(&at.place.1)?.as_array()?;
        let of = array.element_type();
        let is_whole = of.is_signed_integer() || of.is_unsigned_integer();
        (is_whole && array.rank() == 0).then_some(of)
    }

    /// Returns the initial value and the growth of a part of a loop's state.
    fn counter(&mut self, side: usize, at: &At) -> Option<Counter> {
        self.type_at(side, at)?;
        let frames = &self.frames[side];
        frames.instruction(at).parameter_number()?;
        let state = frames.state(at.frame)?;
        let before = At { frame: state.frame, place: (state.start, at.place.1.clone()) };
        let body = &frames.module[state.body];
        let (root, [part]) = (&body[body.root()], &at.place.1[..]) else {
            return None;
        };
        (*root.opcode() == Opcode::Tuple).then_some(())?;
        let next = &body[*root.operands().get(*part)?];
        let is_part = |id: &InstructionId| {
            let one = &body[*id];
            let of = one.operands().first().map(|of| body[*of].parameter_number());
            one.tuple_index() == Ok(*part) && of == Some(Some(0))
        };
        let number = |id: &InstructionId| Constant::of_all(&body[*id])?.text().parse::<i128>().ok();
        let step = match (next.opcode(), next.operands()) {
            (Opcode::Add, [one, other]) if is_part(one) => number(other)?,
            (Opcode::Add, [one, other]) if is_part(other) => number(one)?,
            (Opcode::Subtract, [one, other]) if is_part(one) => number(other)?.checked_neg()?,
            _ => return None,
        };
        let start = self.scalar(side, &before)?.text().parse().ok()?;
        Some((start, step))
    }
}
