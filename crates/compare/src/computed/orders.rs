//! Comparisons of floats in their total order, stated directly or through their bits.
//!
//! Law: floats are ordered like the integers with the same bits, after all bits except the sign of each negative one are
//! inverted.

use super::alike::opcode_of;
use super::constant::Constant;
use super::parts::View;
use super::values::Computed;
use super::verdict::Verdict;
use affinor_hlo::element_type::ElementType;
use affinor_hlo::opcode::Opcode;

/// A comparison of floats in their total order.
struct InOrder {
    of: ElementType,
    direction: String,
    views: [View; 2],
}

impl Computed<'_> {
    /// Compares two comparisons, at least one of which uses the total order of floats; returns `None` if they are not shown to be
    /// the same.
    pub(super) fn in_total_order(&mut self, sizes: &[i64], views: [&View; 2]) -> Option<Verdict> {
        let ops = [0, 1].map(|side| self.frames[side].instruction(&views[side].at));
        ops.iter().all(|op| *op.opcode() == Opcode::Compare).then_some(())?;
        let is_said = ops.map(|op| op.word("type").ok().flatten() == Some("TOTALORDER"));
        (is_said[0] != is_said[1]).then_some(())?;
        let [old, new] = [self.in_order(0, sizes, views[0])?, self.in_order(1, sizes, views[1])?];
        (old.of == new.of && old.direction == new.direction).then_some(())?;
        for (one, other) in old.views.into_iter().zip(new.views) {
            self.same(sizes, [one, other], None).is_same().then_some(())?;
        }
        Some(Verdict::Same)
    }

    fn in_order(&mut self, side: usize, sizes: &[i64], view: &View) -> Option<InOrder> {
        let op = self.frames[side].instruction(&view.at);
        let direction = op.word("direction").ok()??.to_owned();
        let operands = [self.operand(side, view, 0)?, self.operand(side, view, 1)?];
        if op.word("type").ok().flatten() == Some("TOTALORDER") {
            let of = self.type_of(side, &operands[0])?;
            return is_ordered(of).then_some(InOrder { of, direction, views: operands });
        }
        let [one, other] = operands;
        let (one, of) = self.ordered(side, sizes, &one)?;
        let (other, like) = self.ordered(side, sizes, &other)?;
        (of == like).then_some(InOrder { of, direction, views: [one, other] })
    }

    /// Returns the floats that a view of integers represents in the total order.
    fn ordered(&mut self, side: usize, sizes: &[i64], view: &View) -> Option<(View, ElementType)> {
        let chosen = self.made_by(side, sizes, view, &Opcode::Select)?;
        let [is_negative, turned, bits] =
            [0, 1, 2].map(|number| self.operand(side, &chosen, number));
        let bits = self.made_by(side, sizes, &bits?, &Opcode::BitcastConvert)?;
        let floats = self.operand(side, &bits, 0)?;
        let (of, whole) = (self.type_of(side, &floats)?, self.type_of(side, &bits)?);
        let is_fitting = is_ordered(of) && whole.is_signed_integer() && of.bits() == whole.bits();
        is_fitting.then_some(())?;
        let compared = self.made_by(side, sizes, &is_negative?, &Opcode::Compare)?;
        let op = self.frames[side].instruction(&compared.at);
        let is_below = op.word("direction").ok().flatten() == Some("LT");
        let (one, zero) = (self.operand(side, &compared, 0)?, self.operand(side, &compared, 1)?);
        let is_same = self.made_by(side, sizes, &one, &Opcode::BitcastConvert)? == bits;
        (is_below && is_same && self.is_constant(side, &zero, 0)).then_some(())?;
        let turned = self.made_by(side, sizes, &turned?, &Opcode::Xor)?;
        let (one, other) = (self.operand(side, &turned, 0)?, self.operand(side, &turned, 1)?);
        let most = 1_i64.checked_shl(whole.bits().checked_sub(1)?)?.wrapping_sub(1);
        let (one, other) = match self.is_constant(side, &one, most) {
            true => (other, one),
            false => (one, other),
        };
        let is_same = self.made_by(side, sizes, &one, &Opcode::BitcastConvert)? == bits;
        (is_same && self.is_constant(side, &other, most)).then_some((floats, of))
    }

    /// Returns the result of the only operation that computes the elements of a view, if it has this opcode.
    fn made_by(
        &mut self,
        side: usize,
        sizes: &[i64],
        view: &View,
        opcode: &Opcode,
    ) -> Option<View> {
        let leaves = self.leaves(side, sizes, view).ok()?;
        let [leaf] = leaves.as_slice() else {
            return None;
        };
        let body = self.frames[side].body(leaf.at.frame);
        let op = self.frames[side].instruction(&leaf.at);
        (opcode_of(body, op) == *opcode).then(|| leaf.clone())
    }

    fn is_constant(&mut self, side: usize, view: &View, value: i64) -> bool {
        let constant: Option<Constant> = self.scalar(side, &view.at);
        constant.is_some_and(|constant| constant.text() == value.to_string())
    }

    pub(super) fn type_of(&self, side: usize, view: &View) -> Option<ElementType> {
        let shape = self.frames[side].instruction(&view.at).shape().at(&view.at.place.1)?;
        Some(shape.as_array()?.element_type())
    }
}

/// Returns whether all bits of a float except its sign encode its magnitude.
fn is_ordered(of: ElementType) -> bool {
    matches!(of, ElementType::BF16 | ElementType::F16 | ElementType::F32 | ElementType::F64)
}
