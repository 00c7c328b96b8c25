//! Entered computations, and the values of their parameters.
//!
//! Law: if [`Frames::elsewhere`] returns a place, both places hold the same array. A part of a loop's state that the body passes
//! on keeps its value from before the loop; other parts have the class that an induction gives them (`loops`).

use affinor_hlo::module::{Computation, ComputationId, Instruction, InstructionId, Module};
use affinor_hlo::opcode::Opcode;
use affinor_ops::indexing::{LoopCourse, Place, TuplePath, passed_on};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// A part of an instruction's result, in an entered computation.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct At {
    /// The number of the frame.
    pub(super) frame: usize,
    pub(super) place: Place,
}

/// The state of a loop before one of its iterations: the parameter of its body and of its condition.
#[derive(Clone)]
pub(super) struct State {
    /// The frame of the loop.
    pub(super) frame: usize,
    pub(super) start: InstructionId,
    pub(super) body: ComputationId,
    pub(super) unchanged: Rc<BTreeSet<TuplePath>>,
    /// Parts that are the same in all iterations, of both modules, have the same number.
    pub(super) classes: Rc<BTreeMap<TuplePath, usize>>,
    /// The course of the loop, and the number of its pair: both loops of a pair have the same number.
    pub(super) course: Option<(usize, Rc<LoopCourse>)>,
}

/// The values of the parameters of a frame.
#[derive(Clone)]
pub(super) enum Given {
    /// The parameters of the module.
    Entry,
    /// Operands of an instruction in another frame.
    Operands(usize, Vec<InstructionId>),
    /// Unknown arrays, by parameter and part, each with a number; equal arrays have the same number.
    Any(BTreeMap<Place, usize>),
    State(State),
}

struct Frame {
    computation: ComputationId,
    given: Given,
}

/// The entered computations of a module. The entry is frame 0.
pub(super) struct Frames<'m> {
    pub(super) module: &'m Module,
    frames: Vec<Frame>,
    /// Frames of the computations that an instruction runs once, by the position of the computation among those that it may run.
    entered: BTreeMap<(usize, InstructionId, usize), usize>,
    /// The parts that each loop passes on.
    unchanged: BTreeMap<(ComputationId, InstructionId), Rc<BTreeSet<TuplePath>>>,
}

impl<'m> Frames<'m> {
    pub(super) fn new(module: &'m Module) -> Frames<'m> {
        let entry = Frame { computation: module.entry(), given: Given::Entry };
        Frames { module, frames: vec![entry], entered: BTreeMap::new(), unchanged: BTreeMap::new() }
    }

    pub(super) fn open(&mut self, computation: ComputationId, given: Given) -> usize {
        self.frames.push(Frame { computation, given });
        self.frames.len() - 1
    }

    /// Returns the frame of branch `number` of a conditional.
    pub(super) fn branch(
        &mut self,
        frame: usize,
        conditional: InstructionId,
        number: usize,
    ) -> Option<usize> {
        if let Some(known) = self.entered.get(&(frame, conditional, number)) {
            return Some(*known);
        }
        let instruction = &self.body(frame)[conditional];
        let computation = *instruction.branches().ok()?.get(number)?;
        let operand = *instruction.operands().get(number + 1)?;
        let opened = self.open(computation, Given::Operands(frame, vec![operand]));
        self.entered.insert((frame, conditional, number), opened);
        Some(opened)
    }

    pub(super) fn computation(&self, frame: usize) -> ComputationId {
        self.frames[frame].computation
    }

    pub(super) fn body(&self, frame: usize) -> &'m Computation {
        &self.module[self.computation(frame)]
    }

    pub(super) fn instruction(&self, at: &At) -> &'m Instruction {
        &self.body(at.frame)[at.place.0]
    }

    /// Returns the state that is the parameter of a frame.
    pub(super) fn state(&self, frame: usize) -> Option<&State> {
        match &self.frames[frame].given {
            Given::State(state) => Some(state),
            _ => None,
        }
    }

    /// Returns whether the parameters of a frame are those of the module.
    pub(super) fn is_entry(&self, frame: usize) -> bool {
        matches!(self.frames[frame].given, Given::Entry)
    }

    /// Returns the class of a part of a loop's state, or of an unknown array.
    pub(super) fn class(&self, at: &At) -> Option<usize> {
        self.instruction(at).parameter_number()?;
        match &self.frames[at.frame].given {
            Given::State(state) => state.classes.get(&at.place.1).copied(),
            Given::Any(classes) => classes.get(&at.place).copied(),
            _ => None,
        }
    }

    /// Returns the parts that a loop passes on.
    pub(super) fn unchanged(
        &mut self,
        frame: usize,
        at: InstructionId,
    ) -> Option<Rc<BTreeSet<TuplePath>>> {
        let key = (self.computation(frame), at);
        if let Some(known) = self.unchanged.get(&key) {
            return Some(known.clone());
        }
        let instruction = &self.body(frame)[at];
        let body = &self.module[instruction.called("body").ok()?];
        let found = Rc::new(passed_on(body, instruction.shape()));
        self.unchanged.insert(key, found.clone());
        Some(found)
    }

    /// Returns the place of the array that a parameter or a loop's result is equal to; `None` if there is no other such place.
    pub(super) fn elsewhere(&mut self, at: &At) -> Option<At> {
        let instruction = self.instruction(at);
        let path = at.place.1.clone();
        if let Some(number) = instruction.parameter_number() {
            return match &self.frames[at.frame].given {
                Given::Entry | Given::Any(_) => None,
                Given::Operands(frame, operands) => {
                    Some(At { frame: *frame, place: (*operands.get(number)?, path) })
                }
                Given::State(state) => {
                    let is_same = state.unchanged.contains(&path);
                    is_same.then_some(At { frame: state.frame, place: (state.start, path) })
                }
            };
        }
        if *instruction.opcode() != Opcode::While {
            return None;
        }
        let unchanged = self.unchanged(at.frame, at.place.0)?;
        unchanged.contains(&path).then_some(())?;
        Some(At { frame: at.frame, place: (*instruction.operands().first()?, path) })
    }
}
