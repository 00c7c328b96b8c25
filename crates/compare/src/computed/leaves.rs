//! The sources of copied elements, through all operations that only move elements, and through entered computations.
//!
//! Law: each element of a view is a copy of one element of one leaf. The maps to the leaves together are defined where the view
//! is, and each element of the view is in the domain of one of them.

use super::frames::At;
use super::parts::View;
use super::values::Computed;
use affinor_hlo::attribute::AttributeValue;
use affinor_hlo::module::{Computation, Instruction, InstructionId};
use affinor_hlo::opcode::{Opcode, Values};
use affinor_ops::indexing::{Exactness, OperandMap, Place, Reads, ValueSource};
use std::collections::BTreeMap;

/// Maximum number of steps through operations that move elements.
const STEPS: u64 = 200_000;

/// Maximum number of walks, each through one computation.
const WALKS: usize = 500;

impl Computed<'_> {
    /// Returns the arrays that a view is copied from: parameters, constants, and results of operations.
    pub(super) fn leaves(
        &mut self,
        side: usize,
        sizes: &[i64],
        view: &View,
    ) -> Result<Vec<View>, String> {
        let mut found: BTreeMap<At, Vec<OperandMap>> = BTreeMap::new();
        // The arrays still to follow, frame by frame.
        let start = BTreeMap::from([(view.at.place.clone(), view.maps.clone())]);
        let mut pending = BTreeMap::from([(view.at.frame, start)]);
        for _ in 0..WALKS {
            let Some((frame, start)) = pending.pop_last() else {
                let views = found.into_iter().map(|(at, maps)| View { at, maps });
                return Ok(views.collect());
            };
            let computation = self.frames[side].body(frame);
            let id = self.frames[side].computation(frame);
            let start = start.into_iter().map(|(place, maps)| (place, Reads::Maps(maps)));
            let stops = |place: &Place| !moves(computation, place.0);
            let read = self.analyses[side].onward(id, sizes, start.collect(), &stops, STEPS);
            let read = read
                .map_err(|error| error.to_string())?
                .ok_or("there are too many steps between its operations")?;
            for (place, reads) in read {
                let name = computation[place.0].name();
                let Reads::Maps(mut maps) = reads else {
                    return Err(format!("the reads of `{name}` are not known"));
                };
                if maps.iter().any(|map| map.exactness != Exactness::Exact) {
                    return Err(format!("the reads of `{name}` are not exact"));
                }
                for map in &mut maps {
                    self.placed(side, frame, map).ok_or("an offset is computed elsewhere")?;
                }
                let at = At { frame, place };
                let maps = maps.into_iter();
                let is_through = self.frames[side].elsewhere(&at);
                let known = match is_through.or_else(|| self.kept(side, &at)) {
                    Some(At { frame, place }) => {
                        pending.entry(frame).or_default().entry(place).or_default()
                    }
                    None => found.entry(at).or_default(),
                };
                for map in maps {
                    if !known.contains(&map) {
                        known.push(map);
                    }
                }
            }
            found.retain(|_, maps| !maps.is_empty());
        }
        Err("it is passed on through too many computations".to_owned())
    }

    /// Replaces the sources of runtime variables in a frame by numbers of arrays.
    fn placed(&mut self, side: usize, frame: usize, map: &mut OperandMap) -> Option<()> {
        let computation = self.frames[side].body(frame);
        for runtime in &mut map.runtime {
            let place = match &runtime.source {
                // It is a number already.
                ValueSource::Operand { operand, path } if path == NUMBERED => {
                    (*operand < self.sources[side].len()).then_some(())?;
                    continue;
                }
                ValueSource::Operand { operand, path } => {
                    (*computation.parameters().get(*operand)?, path.clone())
                }
                ValueSource::Instruction { at, through, path } => {
                    let is_here = through.is_empty()
                        && at.computation == self.frames[side].computation(frame);
                    is_here.then_some(())?;
                    (at.instruction, path.clone())
                }
            };
            let mut at = At { frame, place };
            while let Some(before) = self.frames[side].elsewhere(&at) {
                at = before;
            }
            let operand = self.number_of(side, at);
            runtime.source = ValueSource::Operand { operand, path: NUMBERED.to_vec() };
        }
        Some(())
    }

    fn number_of(&mut self, side: usize, at: At) -> usize {
        let next = self.sources[side].len();
        let number = *self.numbers[side].entry(at.clone()).or_insert(next);
        if number == next {
            self.sources[side].push(at);
        }
        number
    }

    /// Returns the array that a runtime variable of a view is an element of.
    pub(super) fn source(&self, side: usize, source: &ValueSource) -> Option<At> {
        match source {
            ValueSource::Operand { operand, path } if path == NUMBERED => {
                self.sources[side].get(*operand).cloned()
            }
            _ => None,
        }
    }
}

/// The path that marks numbers of arrays: it is not the path of any part of a tuple.
const NUMBERED: &[usize] = &[usize::MAX];

/// Custom-calls that annotate their operand and return it unchanged.
const NOTES: [&str; 2] = ["Sharding", "xla.sdy.FuncResultSharding"];

fn is_note(instruction: &Instruction) -> bool {
    let target = instruction.attributes().get("custom_call_target");
    target.is_some_and(|target| match target.value() {
        AttributeValue::String(name) => NOTES.iter().any(|note| **note == **name),
        _ => false,
    })
}

/// Returns whether the elements of an instruction are copies of its operands' elements.
fn moves(computation: &Computation, id: InstructionId) -> bool {
    let instruction = &computation[id];
    let keeps_type = || {
        let types = [
            computation.operands(instruction).next().map(|x| x.shape()),
            Some(instruction.shape()),
        ];
        let [from, to] = types.map(|shape| Some(shape?.as_array()?.element_type()));
        from.is_some() && from == to
    };
    match instruction.opcode() {
        Opcode::AddDependency | Opcode::CopyDone | Opcode::CopyStart | Opcode::Domain => true,
        Opcode::Bitcast | Opcode::Convert => keeps_type(),
        Opcode::Parameter => false,
        Opcode::CustomCall => is_note(instruction),
        opcode => opcode.values() != Values::Made,
    }
}
