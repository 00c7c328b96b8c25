//! Compares an operation on a selected operand with a selection between results of the operation.
//!
//! Law: an elementwise operation on the value that a `select` chooses is the choice, by the same truth values, between the operation on
//! either operand.

use super::alike::{attributes, opcode_of};
use super::parts::View;
use super::values::Computed;
use super::verdict::Verdict;
use affinor_hlo::module::Instruction;
use affinor_hlo::opcode::Opcode;

impl Computed<'_> {
    /// Compares two elementwise operations, one of them a `select`; returns `None` if they are not shown to be the same.
    pub(super) fn hoisted(&mut self, sizes: &[i64], views: [&View; 2]) -> Option<Verdict> {
        let opcodes = [0, 1].map(|side| self.frames[side].instruction(&views[side].at).opcode());
        let choosing = match opcodes.map(|opcode| *opcode == Opcode::Select) {
            [true, false] => 0,
            [false, true] => 1,
            _ => return None,
        };
        let other = 1 - choosing;
        let choice = self.operand(choosing, views[choosing], 0)?;
        let op = self.frames[other].instruction(&views[other].at);
        // Each operand, and the operand that a selection by the same truth values takes instead.
        let mut operands = Vec::new();
        let mut is_chosen = false;
        for number in 0..op.operands().len() {
            let operand = self.operand(other, views[other], number)?;
            let inner = self.only_leaf(other, sizes, &operand).unwrap_or(operand);
            let taken = match self.frames[other].instruction(&inner.at).opcode() {
                Opcode::Select => {
                    let own = self.operand(other, &inner, 0)?;
                    self.same_sides(choosing, sizes, [&choice, &own])
                }
                _ => false,
            };
            is_chosen |= taken;
            operands.push(match taken {
                true => [self.operand(other, &inner, 1)?, self.operand(other, &inner, 2)?],
                false => [inner.clone(), inner],
            });
        }
        is_chosen.then_some(())?;
        for branch in 0..2 {
            let result = self.operand(choosing, views[choosing], branch + 1)?;
            let result = self.only_leaf(choosing, sizes, &result)?;
            self.is_like(choosing, [&result, views[other]]).then_some(())?;
            for (number, operand) in operands.iter().enumerate() {
                let own = self.operand(choosing, &result, number)?;
                self.same_sides(choosing, sizes, [&own, &operand[branch]]).then_some(())?;
            }
        }
        Some(Verdict::Same)
    }

    fn only_leaf(&mut self, side: usize, sizes: &[i64], view: &View) -> Option<View> {
        let mut leaves = self.leaves(side, sizes, view).ok()?;
        let leaf = leaves.pop()?;
        leaves.is_empty().then_some(leaf)
    }

    /// Compares a view of `side` with one of the other side.
    fn same_sides(&mut self, side: usize, sizes: &[i64], [own, other]: [&View; 2]) -> bool {
        let views = match side {
            0 => [own.clone(), other.clone()],
            _ => [other.clone(), own.clone()],
        };
        self.same(sizes, views, None).is_same()
    }

    /// Returns whether a view of `side` and one of the other side are results of the same operation.
    fn is_like(&self, side: usize, [own, other]: [&View; 2]) -> bool {
        let of = |side: usize, view: &View| {
            let body = self.frames[side].body(view.at.frame);
            let op = self.frames[side].instruction(&view.at);
            let of = |one: &Instruction| one.shape().as_array().map(|array| array.element_type());
            let types: Vec<_> = body.operands(op).chain([op]).map(of).collect();
            let direction = op.word("direction").ok().flatten().map(str::to_owned);
            let said = attributes(self.frames[side].module, op, true)?;
            Some((opcode_of(body, op), types, direction, said))
        };
        let own = of(side, own);
        self.is_elementwise(1 - side, other) && own.is_some() && own == of(1 - side, other)
    }
}
