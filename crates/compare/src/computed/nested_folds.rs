//! Flattens a fold over the result of another fold into one fold over all its elements.
//!
//! Law: if both folds have the same combiner, and an initial value that may be folded in repeatedly without effect, the outer
//! fold combines the elements of all inner folds, in some order. Windows that are next to each other are such folds; padding is
//! equal to the initial value.

use super::alike::{attributes, combiner};
use super::constant::Constant;
use super::folded::{Folded, extended, spread};
use super::frames::At;
use super::parts::View;
use super::values::Computed;
use affinor::expr::{Domain, ExprKind, IndexingMap};
use affinor::num::Interval;
use affinor_hlo::attribute::{AttributeValue, WindowDimension};
use affinor_hlo::module::Instruction;
use affinor_hlo::opcode::Opcode;
use affinor_ops::indexing::OperandMap;
use std::collections::BTreeSet;

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
        let is_alike = [Opcode::Reduce, Opcode::ReduceWindow].contains(inner.opcode())
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
        if *inner.opcode() == Opcode::ReduceWindow {
            return self.of_windows(side, at, map, operand.over.len());
        }
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

    /// Returns the operand of a fold over all its windows, to whose results `map` leads; the last `folded` dimensions of
    /// its domain are folded.
    fn of_windows(
        &mut self,
        side: usize,
        windows: &At,
        map: &OperandMap,
        folded: usize,
    ) -> Option<Folded> {
        let op = self.frames[side].instruction(windows);
        let operand = At { frame: windows.frame, place: (*op.operands().first()?, Vec::new()) };
        let sizes = partition(op, self.frames[side].instruction(&operand))?;
        let domain = map.map.domain();
        let mut variables = domain.variables().to_vec();
        let kept = variables.len().checked_sub(folded)?;
        let mut seen = BTreeSet::new();
        for (result, [count, size]) in map.map.results().iter().zip(&sizes) {
            let ExprKind::Variable(id) = result.kind() else {
                return None;
            };
            let variable = &mut variables[id.index()];
            let is_whole = variable.bounds == Interval::of_size(*count) && seen.insert(*id);
            (is_whole && (id.index() >= kept || count == size)).then_some(())?;
            variable.bounds = Interval::of_size(*size);
        }
        let are_all = (kept..variables.len()).all(|k| seen.iter().any(|id| id.index() == k));
        (are_all && domain.constraints().is_empty() && map.runtime.is_empty()).then_some(())?;
        let map = IndexingMap::new(Domain::new(variables), map.map.results().to_vec());
        let over = dimensions(&map)?.split_off(kept);
        Some(Folded { at: operand, over, map })
    }
}

/// Returns the numbers of windows and of elements along each dimension; `None` unless each element is in one window.
fn partition(windows: &Instruction, operand: &Instruction) -> Option<Vec<[i64; 2]>> {
    let AttributeValue::Window(dimensions) = windows.attributes().get("window")?.value() else {
        return None;
    };
    let [counts, sizes] = [windows, operand].map(|one| one.shape().as_array()?.fixed_sizes());
    let along = counts?.into_iter().zip(sizes?).zip(dimensions);
    let of = |((count, size), window): ((i64, i64), &WindowDimension)| {
        let is_plain = window.stride == window.size
            && window.base_dilation == 1
            && window.window_dilation == 1
            && window.padding_low >= 0;
        let end = count.checked_mul(window.size)?.checked_sub(window.padding_low)?;
        (is_plain && size <= end).then_some([count, size])
    };
    along.map(of).collect()
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
