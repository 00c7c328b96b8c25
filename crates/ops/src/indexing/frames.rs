//! Computations with the instructions that run them, which determine the values of their parameters.

use affinor_hlo::module::{Computation, ComputationId, Instruction, InstructionId, Module};
use affinor_hlo::opcode::Opcode;
use std::collections::BTreeMap;

/// The computations that were entered, by number. The outermost one is 0, and its parameters are unknown.
pub(super) struct Frames<'m> {
    module: &'m Module,
    frames: Vec<Frame>,
    entered: BTreeMap<Caller, usize>,
}

struct Frame {
    computation: ComputationId,
    caller: Option<Caller>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Caller {
    frame: usize,
    instruction: InstructionId,
    /// The operand that is parameter 0, which distinguishes the branches of a conditional.
    first: usize,
}

impl<'m> Frames<'m> {
    pub(super) fn new(module: &'m Module, computation: ComputationId) -> Frames<'m> {
        let outermost = Frame { computation, caller: None };
        Frames { module, frames: vec![outermost], entered: BTreeMap::new() }
    }

    pub(super) fn computation(&self, frame: usize) -> ComputationId {
        self.frames[frame].computation
    }

    pub(super) fn body(&self, frame: usize) -> &'m Computation {
        &self.module[self.frames[frame].computation]
    }

    pub(super) fn body_of_loop(&self, instruction: &Instruction) -> Option<&'m Computation> {
        Some(&self.module[instruction.called("body").ok()?])
    }

    pub(super) fn instruction(&self, frame: usize, id: InstructionId) -> &'m Instruction {
        &self.body(frame)[id]
    }

    /// Returns the operand of the caller that a parameter is bound to, with the frame of the caller.
    pub(super) fn argument(
        &self,
        frame: usize,
        parameter: usize,
    ) -> Option<(usize, InstructionId)> {
        let caller = self.frames[frame].caller?;
        let operands = self.instruction(caller.frame, caller.instruction).operands();
        Some((caller.frame, *operands.get(caller.first + parameter)?))
    }

    /// Returns the frame of the computation that an instruction runs once; `wanted` if it refers to several computations.
    pub(super) fn enter(
        &mut self,
        frame: usize,
        instruction: InstructionId,
        wanted: Option<ComputationId>,
    ) -> Option<usize> {
        let caller = self.instruction(frame, instruction);
        let (computation, first) = match caller.opcode() {
            Opcode::Fusion | Opcode::AsyncStart => (caller.called("calls").ok()?, 0),
            Opcode::Call => (caller.called("to_apply").ok()?, 0),
            Opcode::Conditional => {
                let branches = caller.branches().ok()?;
                let mut found = (0..).zip(branches).filter(|(_, id)| Some(*id) == wanted);
                let (Some((branch, id)), None) = (found.next(), found.next()) else {
                    return None;
                };
                (id, branch + 1)
            }
            _ => return None,
        };
        let is_wanted = wanted.is_none_or(|wanted| wanted == computation);
        is_wanted.then(|| self.enter_as(frame, instruction, computation, first))
    }

    /// Returns the frame of `computation`, run by an instruction whose operand number `first` is parameter 0.
    pub(super) fn enter_as(
        &mut self,
        frame: usize,
        instruction: InstructionId,
        computation: ComputationId,
        first: usize,
    ) -> usize {
        let caller = Caller { frame, instruction, first };
        let next = self.frames.len();
        let entered = *self.entered.entry(caller).or_insert(next);
        if entered == next {
            self.frames.push(Frame { computation, caller: Some(caller) });
        }
        entered
    }
}
