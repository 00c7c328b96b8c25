//! Computations that ops call on elements: folds, sorts, scatters.
//!
//! Law: two computations are the same function if they have the same results for any parameters. The parameters are represented
//! by unknown arrays that both share.

use super::alike::{attributes, attributes_alone, shape_text};
use super::frames::{At, Given};
use super::values::Computed;
use affinor_hlo::module::{ComputationId, Instruction};
use std::collections::BTreeMap;

impl Computed<'_> {
    /// Returns whether two ops have the same attributes and call equal computations.
    pub(super) fn alike(&mut self, ops: [&Instruction; 2], geometry: bool) -> bool {
        let said = [0, 1].map(|side| attributes(self.frames[side].module, ops[side], geometry));
        if said[0].is_some() && said[0] == said[1] {
            return true;
        }
        let said =
            [0, 1].map(|side| attributes_alone(self.frames[side].module, ops[side], geometry));
        if said[0].is_none() || said[0] != said[1] {
            return false;
        }
        let called = ops.map(|op| {
            let references = op.attributes().computations();
            references.map(|reference| reference.target()).collect::<Option<Vec<_>>>()
        });
        let [Some(old), Some(new)] = called else {
            return false;
        };
        old.len() == new.len()
            && old.into_iter().zip(new).all(|(old, new)| self.same_function([old, new]))
    }

    fn same_function(&mut self, computations: [ComputationId; 2]) -> bool {
        let [old, new] = [0, 1].map(|side| &self.frames[side].module[computations[side]]);
        let shapes = [old, new].map(|of| {
            let parameters = of.parameters().iter().map(|id| shape_text(of[*id].shape()));
            (parameters.collect::<Vec<_>>(), shape_text(of[of.root()].shape()))
        });
        if shapes[0] != shapes[1] {
            return false;
        }
        let first = self.next;
        let frames = [0, 1].map(|side| {
            let of = [old, new][side];
            let mut classes = BTreeMap::new();
            for id in of.parameters() {
                for (path, _) in of[*id].shape().arrays() {
                    classes.insert((*id, path), first + classes.len());
                }
            }
            self.next = self.next.max(first + classes.len());
            self.frames[side].open(computations[side], Given::Any(classes))
        });
        old[old.root()].shape().arrays().into_iter().all(|(path, array)| {
            let roots = [0, 1].map(|side| {
                let root = [old, new][side].root();
                At { frame: frames[side], place: (root, path.clone()) }
            });
            array.sizes().is_some_and(|sizes| self.whole(&sizes, roots).is_same())
        })
    }
}
