//! Loops whose bodies work on several devices: one loop over the states of all devices.
//!
//! Law: all devices leave the loop after the same iteration. This is known where the condition depends only on parts of the state
//! that are the same on all devices: they begin so, and each iteration computes them from such parts alone.

use super::lines::{Id, Lines};
use super::program::{Program, names_devices};
use affinor_hlo::module::{Computation, Instruction, InstructionId};
use affinor_hlo::opcode::Opcode;
use affinor_hlo::shape::Shape;
use std::collections::BTreeSet;

impl<'m> Program<'m> {
    /// Returns the state on each device after the loop.
    pub(super) fn while_loop(
        &mut self,
        outer: &'m Computation,
        one: &'m Instruction,
        operands: &[Vec<Id>],
    ) -> Option<Vec<Id>> {
        let ids = [one.called("body").ok()?, one.called("condition").ok()?];
        let [body, condition] = ids.map(|id| &self.module[id]);
        let start = outer.operands(one).next()?;
        let shapes = start.shape().as_tuple()?;
        (*body[body.root()].opcode() == Opcode::Tuple).then_some(())?;
        let mut starts: Vec<Vec<Id>> = Vec::new();
        for (index, shape) in shapes.iter().enumerate() {
            let shape = shape.to_string();
            let of = operands.first()?.clone();
            starts
                .push(of.iter().map(|of| self.element(*of, index, &shape)).collect::<Option<_>>()?);
        }
        let common = self.common(body, &starts);
        let read = parts_read(condition, condition.root())?;
        (read.is_subset(&common) && !self.reaches_devices(condition, condition.root()))
            .then_some(())?;
        // The state of all devices: parts that are the same on all devices once, others for each device.
        let copies = |index: usize| if common.contains(&index) { 1 } else { self.devices };
        let state: Vec<&Shape> = shapes
            .iter()
            .enumerate()
            .flat_map(|(index, shape)| std::iter::repeat_n(shape, copies(index)))
            .collect();
        let texts = state.iter().map(|shape| shape.to_string()).collect::<Vec<_>>().join(", ");
        let text = format!("({texts})");
        let first = join_of(&starts, &common);
        let first = self.lines.made(&text, "tuple", &first, "")?;
        let kept = std::mem::take(&mut self.lines);
        let number = self.made.len();
        let names = ["body", "condition"].map(|of| format!("devices_{of}.{number}"));
        for (which, id) in ids.iter().enumerate() {
            self.lines = Lines::default();
            let all = self.lines.leaf(&text, "parameter", "0")?;
            let parts = self.states(all, shapes, &common)?;
            let arguments = self.tuples(start.shape(), &parts)?;
            let results = self.computation(*id, &[arguments])?;
            let root = match which {
                0 => {
                    let elements = |index: usize| {
                        let of = results.iter();
                        of.map(|of| self.lines.get(*of).operands.get(index).copied()).collect()
                    };
                    let parts = (0..shapes.len()).map(elements).collect::<Option<Vec<_>>>()?;
                    let joined = join_of(&parts, &common);
                    self.lines.made(&text, "tuple", &joined, "")?
                }
                _ => *results.first()?,
            };
            let made = self.lines.text(&names[which], root);
            self.made.push(made);
        }
        self.lines = kept;
        let rest = format!(", condition={}, body={}", names[1], names[0]);
        let last = self.lines.made(&text, "while", &[first], &rest)?;
        let parts = self.states(last, shapes, &common)?;
        self.tuples(start.shape(), &parts)
    }

    /// Returns each part of the state on each device, from the state of all.
    fn states(
        &mut self,
        all: Id,
        shapes: &[Shape],
        common: &BTreeSet<usize>,
    ) -> Option<Vec<Vec<Id>>> {
        let mut next = 0;
        let mut parts = Vec::new();
        for (index, shape) in shapes.iter().enumerate() {
            let copies = if common.contains(&index) { 1 } else { self.devices };
            let shape = shape.to_string();
            let mut own = Vec::new();
            for copy in 0..copies {
                own.push(self.element(all, next + copy, &shape)?);
            }
            own.resize(self.devices, *own.first()?);
            next += copies;
            parts.push(own);
        }
        Some(parts)
    }

    /// Returns the parts of the state that are the same on all devices in each iteration.
    fn common(&self, body: &Computation, starts: &[Vec<Id>]) -> BTreeSet<usize> {
        let is_one = |index: &usize| starts[*index].iter().all(|id| *id == starts[*index][0]);
        let mut common: BTreeSet<usize> = (0..starts.len()).filter(is_one).collect();
        let results = body[body.root()].operands();
        loop {
            let stays = |index: &usize| {
                let result = results.get(*index)?;
                let read = parts_read(body, *result)?;
                (read.is_subset(&common) && !self.reaches_devices(body, *result)).then_some(())
            };
            let next: BTreeSet<usize> =
                common.iter().copied().filter(|index| stays(index).is_some()).collect();
            if next.len() == common.len() {
                return common;
            }
            common = next;
        }
    }

    /// Returns whether an instruction depends on the device, through instructions of its computation.
    fn reaches_devices(&self, body: &Computation, id: InstructionId) -> bool {
        reached(body, id).iter().any(|id| {
            let one = &body[*id];
            names_devices(one.opcode()) || self.has_devices(one)
        })
    }
}

fn join_of(parts: &[Vec<Id>], common: &BTreeSet<usize>) -> Vec<Id> {
    let parts = parts.iter().enumerate();
    let own = |(index, of): (usize, &Vec<Id>)| {
        let copies = if common.contains(&index) { 1 } else { of.len() };
        of[..copies].to_vec()
    };
    parts.flat_map(own).collect()
}

/// Returns the instructions that an instruction depends on, itself included.
fn reached(body: &Computation, id: InstructionId) -> BTreeSet<InstructionId> {
    let mut found = BTreeSet::new();
    let mut pending = vec![id];
    while let Some(id) = pending.pop() {
        if found.insert(id) {
            pending.extend(body[id].operands().iter().copied());
        }
    }
    found
}

/// Returns the parts of the parameter, a tuple, that an instruction depends on; `None` if it depends on the tuple as a whole.
fn parts_read(body: &Computation, id: InstructionId) -> Option<BTreeSet<usize>> {
    let mut parts = BTreeSet::new();
    for id in reached(body, id) {
        let one = &body[id];
        let of_parameter = one.operands().iter().any(|id| body[*id].parameter_number().is_some());
        if of_parameter {
            (*one.opcode() == Opcode::GetTupleElement).then_some(())?;
            parts.insert(one.tuple_index().ok()?);
        }
    }
    body[id].parameter_number().is_none().then_some(parts)
}
