//! A fold over the result of another fold is one fold over all its elements.
//!
//! Law: of one combiner, and a start that may be taken once more without a difference, the elements of the inner folds are those of the outer
//! one, in some order.

use super::alike::{attributes, combiner};
use super::constant::Constant;
use super::folded::{Folded, extended, spread};
use super::frames::At;
use super::parts::View;
use super::values::Computed;
use affinor::expr::IndexingMap;
use affinor_hlo::opcode::Opcode;
use affinor_ops::indexing::OperandMap;

/// Most folds in each other.
const NESTED: usize = 8;

impl Computed<'_> {
    /// The operands of a fold, through the folds that make the one that it folds.
    pub(super) fn flattened(&mut self, side: usize, at: &At, folded: Vec<Folded>) -> Vec<Folded> {
        let mut folded = folded;
        for _ in 0..NESTED {
            let Some(first) = folded.first().and_then(|first| self.inner(side, at, first)) else {
                break;
            };
            folded[0] = first;
        }
        folded
    }

    /// The operand of the fold that makes all that is folded; `None` if that is not one, or another fold than the outer one.
    fn inner(&mut self, side: usize, outer: &At, operand: &Folded) -> Option<Folded> {
        let module = self.frames[side].module;
        let op = self.frames[side].instruction(outer);
        let is_plain = *op.opcode() == Opcode::Reduce && op.operands().len() == 2;
        (is_plain && !operand.over.is_empty()).then_some(())?;
        let sizes: Vec<i64> = dimensions(&operand.map)?;
        let map = OperandMap::exact(operand.map.clone());
        let view = View { at: operand.at.clone(), maps: vec![map] };
        let leaves = self.leaves(side, &sizes, &view).ok()?;
        let [View { at, maps }] = leaves.as_slice() else {
            return None;
        };
        let ([map], true) = (maps.as_slice(), at.place.1.is_empty()) else {
            return None;
        };
        let inner = self.frames[side].instruction(at);
        let is_alike = inner.opcode() == op.opcode()
            && inner.operands().len() == 2
            && attributes(module, inner, false)? == attributes(module, op, false)?;
        is_alike.then_some(())?;
        let starts = [(outer, op), (at, inner)].map(|(at, op)| {
            let start = op.operands().last()?;
            Constant::of(&self.frames[side].body(at.frame)[*start])
        });
        let [Some(start), Some(other)] = starts else {
            return None;
        };
        let (opcode, _) = combiner(module, op)?;
        (start == other && may_be_repeated(&opcode, &start)).then_some(())?;
        let own = self.folded(side, at)?.into_iter().next()?;
        let longer = extended(map, &own.over)?;
        let followed = self.analyses[side].followed(&[longer], &own.map)?;
        let [only] = followed.as_slice() else {
            return None;
        };
        let (more, map) = spread(&only.map)?;
        let is_whole = more.is_empty() && only.runtime.is_empty();
        let over = [&operand.over[..], &own.over].concat();
        is_whole.then_some(Folded { at: own.at, over, map })
    }
}

/// The sizes of the space of a map whose variables begin at 0.
fn dimensions(map: &IndexingMap) -> Option<Vec<i64>> {
    let sizes = map.domain().variables().iter().map(|variable| {
        let bounds = variable.bounds;
        (bounds.lo() == 0 && bounds.is_bounded()).then(|| bounds.hi().checked_add(1))?
    });
    sizes.collect()
}

/// Whether a fold gives the same if the value with which it starts is folded once more.
fn may_be_repeated(opcode: &Opcode, start: &Constant) -> bool {
    let is = |number: f64| start.text().parse::<f64>().is_ok_and(|value| value == number);
    match opcode {
        Opcode::And | Opcode::Maximum | Opcode::Minimum | Opcode::Or => true,
        Opcode::Add => is(0.0),
        Opcode::Multiply => is(1.0),
        _ => false,
    }
}
