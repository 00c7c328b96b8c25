//! Flattens a fold over the result of another fold into one fold over all its elements.
//!
//! Law: if both folds have the same combiner, and an initial value that may be folded in repeatedly without effect, the outer
//! fold combines the elements of all inner folds, in some order.

use super::alike::{attributes, combiner};
use super::constant::Constant;
use super::folded::{Folded, extended, spread};
use super::frames::At;
use super::parts::View;
use super::values::Computed;
use affinor::expr::IndexingMap;
use affinor_hlo::opcode::Opcode;
use affinor_ops::indexing::OperandMap;

/// Maximum nesting depth of folds.
const NESTED: usize = 8;

impl Computed<'_> {
    /// Returns the operands of a fold, after flattening the folds that compute its first operand.
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

    /// Returns the operand of the fold that computes all elements of `operand`; `None` if no single fold does, or it is not a
    /// fold like the outer one.
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
        (start == other && may_be_repeated(&opcode, start.text())).then_some(())?;
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

/// Returns the sizes of the domain of a map whose variables all begin at 0.
fn dimensions(map: &IndexingMap) -> Option<Vec<i64>> {
    let sizes = map.domain().variables().iter().map(|variable| {
        let bounds = variable.bounds;
        (bounds.lo() == 0 && bounds.is_bounded()).then(|| bounds.hi().checked_add(1))?
    });
    sizes.collect()
}

/// Returns whether folding the initial value in once more leaves the result of a fold unchanged.
pub(crate) fn may_be_repeated(opcode: &Opcode, start: &str) -> bool {
    let is = |number: f64| start.parse::<f64>().is_ok_and(|value| value == number);
    match opcode {
        Opcode::And | Opcode::Maximum | Opcode::Minimum | Opcode::Or => true,
        Opcode::Add => is(0.0),
        Opcode::Multiply => is(1.0),
        _ => false,
    }
}
