//! Compares maxima, minima, conjunctions and disjunctions, however they are grouped.
//!
//! Law: such an operation takes its operands in any order and any number of times, so two are the same if each operand of one is
//! an operand of the other. Initial values of folds that have no effect do not count.

use super::alike::{combiner, is_fold};
use super::frames::At;
use super::identities::is_neutral;
use super::parts::View;
use super::values::{Computed, without_results};
use super::verdict::Verdict;
use affinor_hlo::element_type::ElementType;
use affinor_hlo::opcode::Opcode;

/// Maximum number of operands.
const OPERANDS: usize = 40;

impl Computed<'_> {
    /// Compares two views as operations on any number of operands; returns `None` if they are not shown to be the same.
    pub(super) fn extremes(&mut self, sizes: &[i64], views: [&View; 2]) -> Option<Verdict> {
        let [old, new] = [0, 1].map(|side| self.extreme(side, &views[side].at));
        let (opcode, of) = match (old, new) {
            (Some(old), Some(new)) if old != new => return None,
            (old, new) => old.or(new)?,
        };
        let mut operands: [Vec<View>; 2] = [Vec::new(), Vec::new()];
        for (side, all) in operands.iter_mut().enumerate() {
            self.gathered(side, sizes, views[side], (&opcode, of), all)?;
        }
        let [old, new] = operands;
        let is_known = |all: &[View], view: &View| all.iter().any(|one| one.at == view.at);
        let are_known = is_known(&old, views[0]) && is_known(&new, views[1]);
        (!are_known && old.len() + new.len() != 4).then_some(())?;
        let mut is_met = vec![false; new.len()];
        for one in &old {
            let order = (0..new.len()).filter(|k| !is_met[*k]);
            let order: Vec<usize> = order.chain((0..new.len()).filter(|k| is_met[*k])).collect();
            let mut order = order.into_iter();
            let found =
                order.find(|k| self.same(sizes, [one.clone(), new[*k].clone()], None).is_same())?;
            is_met[found] = true;
        }
        let left = (0..new.len()).filter(|k| !is_met[*k]);
        let mut known = left.map(|k| {
            let is_same =
                |one: &View| self.same(sizes, [one.clone(), new[k].clone()], None).is_same();
            old.iter().any(is_same)
        });
        known.all(|is_known| is_known).then_some(Verdict::Same)
    }

    /// Returns the operation, and the type of its operands.
    fn extreme(&self, side: usize, at: &At) -> Option<(Opcode, ElementType)> {
        use Opcode as O;
        let op = self.frames[side].instruction(at);
        let of = op.shape().at(&at.place.1)?.as_array()?.element_type();
        let opcode = match (op.opcode(), op.operands().len()) {
            (O::Reduce | O::ReduceWindow, 2) => combiner(self.frames[side].module, op)?.0,
            (opcode, _) => opcode.clone(),
        };
        matches!(opcode, O::And | O::Maximum | O::Minimum | O::Or).then_some((opcode, of))
    }

    /// Adds the operands; returns `None` if there are too many.
    fn gathered(
        &mut self,
        side: usize,
        sizes: &[i64],
        view: &View,
        (opcode, of): (&Opcode, ElementType),
        all: &mut Vec<View>,
    ) -> Option<()> {
        let leaf = match self.leaves(side, sizes, view) {
            Ok(mut leaves) if leaves.len() == 1 => leaves.remove(0),
            _ => view.clone(),
        };
        let mut inner = Vec::new();
        if self.extreme(side, &leaf.at).as_ref() == Some(&(opcode.clone(), of)) {
            let op = self.frames[side].instruction(&leaf.at);
            if is_fold(op.opcode()) {
                for mut summand in self.summands(side, &leaf, OPERANDS).unwrap_or_default() {
                    inner.append(&mut summand);
                }
                let start =
                    At { frame: leaf.at.frame, place: (*op.operands().get(1)?, Vec::new()) };
                let known = self.scalar(side, &start);
                if !inner.is_empty()
                    && !known.is_some_and(|known| is_neutral(opcode, of, &known, true))
                {
                    let maps = leaf.maps.iter().map(without_results).collect();
                    inner.push(View { at: start, maps });
                }
            } else {
                inner.extend(self.operand(side, &leaf, 0));
                inner.extend(self.operand(side, &leaf, 1));
            }
        }
        if inner.is_empty() {
            if !all.contains(&leaf) {
                all.push(leaf);
            }
            return (all.len() <= OPERANDS).then_some(());
        }
        for one in &inner {
            self.gathered(side, sizes, one, (opcode, of), all)?;
        }
        Some(())
    }
}
