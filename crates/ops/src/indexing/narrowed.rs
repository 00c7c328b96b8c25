//! Selections by a comparison with a constant, whose branches are followed where they are selected.

use super::arithmetic::selected;
use super::known::{Element, Known};
use super::number::Number;
use super::reads::TuplePath;
use affinor::num::{Interval, MINUS_INFINITY, PLUS_INFINITY};
use affinor_hlo::module::Instruction;
use affinor_hlo::opcode::Opcode;

impl<'m> Known<'m> {
    /// Restricts the value of an element to the branch that is being followed.
    pub(super) fn within_branch(&self, value: Number) -> Number {
        match self.narrowed {
            Some((id, within)) if value.expr.as_variable() == Some(id) => {
                Number::new(value.expr, value.range.intersect(within))
            }
            _ => value,
        }
    }

    /// Returns the value of a selection by a comparison with a constant, with each branch followed where it is selected: `i + n`
    /// may wrap, but not in `select(i < 0, i + n, i)`.
    pub(super) fn selected(
        &mut self,
        element: &Element,
        instruction: &'m Instruction,
    ) -> Option<Number> {
        (*instruction.opcode() == Opcode::Select && self.narrowed.is_none()).then_some(())?;
        let part = |of: &Element, k: usize| {
            let part = self.operand(of, k, TuplePath::new(), element.index.clone())?;
            let shape = self.frames.instruction(part.frame, part.instruction).shape();
            (shape.as_array()?.rank() == element.index.len()).then_some(part)
        };
        let [test, if_true, if_false] = [part(element, 0)?, part(element, 1)?, part(element, 2)?];
        let comparison = self.frames.instruction(test.frame, test.instruction);
        (*comparison.opcode() == Opcode::Compare).then_some(())?;
        let [x, end] = [part(&test, 0)?, part(&test, 1)?];
        let (x, end) = (self.value(&x)?, self.value(&end)?.value()?);
        let choice = self.value(&test)?;
        let (below, above) = (
            |end: i64| Interval::new(MINUS_INFINITY, end),
            |end: i64| Interval::new(end, PLUS_INFINITY),
        );
        let within = match comparison.word("direction").ok()?? {
            "LT" => [below(end.checked_sub(1)?), above(end)],
            "LE" => [below(end), above(end.checked_add(1)?)],
            "GT" => [above(end.checked_add(1)?), below(end)],
            "GE" => [above(end), below(end.checked_sub(1)?)],
            _ => return None,
        };
        let id = x.expr.as_variable()?;
        let mut branches = Vec::new();
        for (branch, within) in [if_true, if_false].iter().zip(within) {
            (!within.intersect(x.range).is_empty()).then_some(())?;
            let outside = std::mem::take(&mut self.values);
            self.narrowed = Some((id, within));
            let value = self.value(branch);
            (self.narrowed, self.values) = (None, outside);
            branches.push(value?);
        }
        // Elsewhere the expression of a branch has other values than the branch.
        let anywhere = |value: &Number| Number::new(value.expr.clone(), self.range(&value.expr));
        let value = selected(&choice, &anywhere(&branches[0]), &anywhere(&branches[1]))?;
        let within = branches[0].range.hull(branches[1].range);
        Some(Number::new(value.expr, value.range.intersect(within)))
    }
}
