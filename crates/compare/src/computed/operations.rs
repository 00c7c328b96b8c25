//! Compares leaves that are results of operations: the operations, and their operands.

use super::alike::{is_function, opcode_of, shape_text};
use super::frames::At;
use super::parts::View;
use super::values::Computed;
use super::verdict::{Verdict, only_difference, other_operation};
use affinor_hlo::module::{Instruction, InstructionId};
use affinor_hlo::opcode::Opcode;
use affinor_ops::indexing::{OperandMap, TuplePath, is_pointwise, row_major};

impl Computed<'_> {
    /// Compares two leaves that are results of operations.
    pub(super) fn operation(&mut self, places: [&At; 2]) -> Verdict {
        let key = places.map(Clone::clone);
        if let Some(known) = self.made.get(&key) {
            return known.clone();
        }
        let verdict = self.made_alike(places);
        if self.deep.is_none() {
            self.made.insert(key, verdict.clone());
        }
        verdict
    }

    fn made_alike(&mut self, places: [&At; 2]) -> Verdict {
        let ops = [0, 1].map(|side| self.frames[side].instruction(places[side]));
        let bodies = [0, 1].map(|side| self.frames[side].body(places[side].frame));
        let at = |side: usize, id: InstructionId, path: &TuplePath| At {
            frame: places[side].frame,
            place: (id, path.clone()),
        };
        let [old, new] = ops;
        if ops.iter().any(|op| op.parameter_number().is_some()) {
            return other_operation(ops);
        }
        if ops.iter().all(|op| *op.opcode() == Opcode::While) {
            return self.loops(places);
        }
        if ops.iter().all(|op| *op.opcode() == Opcode::Conditional) {
            return self.branches(places);
        }
        if ops.iter().all(|op| *op.opcode() == Opcode::Scatter)
            && self.scatters(places).is_some_and(|verdict| verdict.is_same())
        {
            return Verdict::Same;
        }
        let opcodes = [0, 1].map(|side| opcode_of(bodies[side], ops[side]));
        let is_like = opcodes[0] == opcodes[1]
            && places[0].place.1 == places[1].place.1
            && shape_text(old.shape()) == shape_text(new.shape())
            && old.operands().len() == new.operands().len()
            && ops.iter().all(|op| is_function(op));
        let array = old.shape().at(&places[0].place.1);
        let sizes = array.and_then(|array| array.as_array()?.sizes());
        let Some(sizes) = sizes else {
            return other_operation(ops);
        };
        let views = row_major(&sizes, &sizes).map(|all| {
            places.map(|at| View { at: at.clone(), maps: vec![OperandMap::exact(all.clone())] })
        });
        if opcodes.iter().all(is_pointwise)
            && let Some(views) = &views
            && shape_text(old.shape()) == shape_text(new.shape())
        {
            return self.elements(&sizes, views.each_ref());
        }
        if !is_like {
            return other_operation(ops);
        }
        if let Some(verdict) = views.and_then(|views| self.fold(&sizes, views.each_ref())) {
            return verdict;
        }
        if !self.alike(ops, true) {
            return other_operation(ops);
        }
        let mut verdicts = Vec::new();
        for (one, other) in old.operands().iter().zip(new.operands()) {
            let shapes = [&bodies[0][*one], &bodies[1][*other]].map(Instruction::shape);
            if shape_text(shapes[0]) != shape_text(shapes[1]) {
                return other_operation(ops);
            }
            for (path, array) in shapes[0].arrays() {
                let Some(sizes) = array.sizes() else {
                    return other_operation(ops);
                };
                verdicts.push(self.whole(&sizes, [at(0, *one, &path), at(1, *other, &path)]));
            }
        }
        only_difference(verdicts)
    }

    /// Compares two conditionals: they are the same if their predicates are the same, and the results of each branch are.
    fn branches(&mut self, places: [&At; 2]) -> Verdict {
        let ops = [0, 1].map(|side| self.frames[side].instruction(places[side]));
        let arrays = [0, 1].map(|side| {
            let array = ops[side].shape().at(&places[side].place.1)?.as_array()?;
            Some((array.element_type(), array.sizes()?))
        });
        let [Some((element_type, sizes)), Some(other)] = arrays else {
            return other_operation(ops);
        };
        if (element_type, &sizes) != (other.0, &other.1) {
            return other_operation(ops);
        }
        let counts = ops.map(|op| op.branches().map(|branches| branches.len()).ok());
        let choices = [0, 1].map(|side| {
            let choice = *ops[side].operands().first()?;
            let text = shape_text(self.frames[side].body(places[side].frame)[choice].shape());
            Some((text, At { frame: places[side].frame, place: (choice, TuplePath::new()) }))
        });
        let ([Some(count), other], [Some(one), Some(two)]) = (counts, choices) else {
            return other_operation(ops);
        };
        if Some(count) != other || one.0 != two.0 {
            return other_operation(ops);
        }
        let mut verdicts = vec![self.whole(&[], [one.1, two.1])];
        for number in 0..count {
            let roots = [0, 1].map(|side| {
                let at = places[side];
                let frame = self.frames[side].branch(at.frame, at.place.0, number)?;
                let root = self.frames[side].body(frame).root();
                Some(At { frame, place: (root, at.place.1.clone()) })
            });
            let [Some(old), Some(new)] = roots else {
                return other_operation(ops);
            };
            verdicts.push(self.whole(&sizes, [old, new]));
        }
        only_difference(verdicts)
    }
}
