//! Selections by predicates that are known before run time, such as masks.
//!
//! Law: each element of a `select` is a copy of the element that the predicate chooses.

use super::parts::View;
use super::values::Computed;
use affinor_hlo::opcode::Opcode;
use affinor_ops::indexing::{InstructionPlace, TuplePath, decided};
use std::rc::Rc;

/// Maximum number of selections in a row that are followed.
const ROUNDS: usize = 4;

impl Computed<'_> {
    /// Returns the leaves with each selection by a known predicate replaced by the operands that it chooses; `None` if there
    /// are none.
    pub(super) fn selected(
        &mut self,
        side: usize,
        sizes: &[i64],
        all: &[View],
    ) -> Option<Vec<View>> {
        let mut all = all.to_vec();
        let mut is_changed = false;
        for _ in 0..ROUNDS {
            let mut next: Vec<View> = Vec::new();
            let mut is_new = false;
            for leaf in all {
                let found = self.choices(side, sizes, &leaf);
                is_new |= found.is_some();
                for found in found.unwrap_or_else(|| vec![leaf]) {
                    match next.iter_mut().find(|known| known.at == found.at) {
                        Some(known) => known.maps.extend(found.maps),
                        None => next.push(found),
                    }
                }
            }
            all = next;
            is_changed |= is_new;
            if !is_new {
                break;
            }
        }
        is_changed.then_some(all)
    }

    fn choices(&mut self, side: usize, sizes: &[i64], leaf: &View) -> Option<Vec<View>> {
        let frames = &self.frames[side];
        let op = frames.instruction(&leaf.at);
        (*op.opcode() == Opcode::Select).then_some(())?;
        let place = InstructionPlace {
            computation: frames.computation(leaf.at.frame),
            instruction: leaf.at.place.0,
        };
        let interrupt = self.budget.interrupt.clone().unwrap_or_default();
        let known = self.decided.entry((side, place));
        let known = known
            .or_insert_with(|| decided(frames.module, place, &interrupt).map(Rc::new))
            .clone()?;
        let mut found = Vec::new();
        for (number, pieces) in known.iter().enumerate() {
            let mut at = leaf.at.clone();
            at.place = (*op.operands().get(number + 1)?, TuplePath::new());
            let mut maps = Vec::new();
            for piece in pieces {
                maps.extend(self.analyses[side].followed(&leaf.maps, &piece.map)?);
            }
            if !maps.is_empty() {
                found.extend(self.leaves(side, sizes, &View { at, maps }).ok()?);
            }
        }
        Some(found)
    }
}
