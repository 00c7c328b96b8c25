//! The height of an array: the number of non-algebraic operations on the longest path to it.
//!
//! Law: sums, products, quotients, roots and moves of elements do not count, so arrays that are the same up to rounding have the
//! same height, unless a rewrite removes an operation. The height only decides which comparisons are worth their steps, never a
//! verdict. What depends on no parameter has no height: a compiler may compute it.

use super::frames::At;
use super::values::Computed;
use affinor_hlo::module::{Computation, Instruction};
use affinor_hlo::opcode::{Opcode, Values};
use std::rc::Rc;

impl Computed<'_> {
    /// Returns whether two arrays may be the same up to rounding.
    pub(super) fn are_as_high(&mut self, places: [&At; 2]) -> bool {
        let [old, new] = [0, 1].map(|side| {
            let at = places[side];
            let heights = self.heights_of(side, at.frame);
            heights.get(at.place.0.index()).copied()
        });
        old == new
    }

    fn heights_of(&mut self, side: usize, frame: usize) -> Rc<Vec<usize>> {
        let id = self.frames[side].computation(frame);
        let body = self.frames[side].body(frame);
        self.heights.entry((side, id)).or_insert_with(|| Rc::new(heights(body))).clone()
    }
}

fn heights(body: &Computation) -> Vec<usize> {
    let mut heights: Vec<usize> = Vec::with_capacity(body.instructions().len());
    // Whether an array depends on no parameter.
    let mut fixed: Vec<bool> = Vec::with_capacity(body.instructions().len());
    for (_, one) in body.instructions() {
        // A part of a tuple is as high as its own operand.
        let part = one.operands().first().filter(|_| *one.opcode() == Opcode::GetTupleElement);
        let whole = part.map(|id| &body[*id]).filter(|whole| *whole.opcode() == Opcode::Tuple);
        let part = whole.and_then(|whole| whole.operands().get(one.tuple_index().ok()?));
        let operands = part.map_or(one.operands(), std::slice::from_ref);
        let below = operands.iter().filter_map(|id| heights.get(id.index()));
        let below = below.max().copied().unwrap_or(0);
        let mut operands = operands.iter();
        let is_fixed = *one.opcode() != Opcode::Parameter
            && operands.all(|id| fixed.get(id.index()) == Some(&true));
        heights.push(if is_fixed { 0 } else { below + usize::from(counts(one)) });
        fixed.push(is_fixed);
    }
    heights
}

fn counts(one: &Instruction) -> bool {
    use Opcode as O;
    matches!(
        one.opcode(),
        O::Exponential
            | O::ExponentialMinusOne
            | O::Log
            | O::LogPlusOne
            | O::Logistic
            | O::Tanh
            | O::Sine
            | O::Cosine
            | O::Erf
            | O::Convolution
            | O::Sort
            | O::While
    ) && one.opcode().values() == Values::Made
}
