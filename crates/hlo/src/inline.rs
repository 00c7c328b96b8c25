//! Inlines the calls and fusions of a module.
//!
//! Law: for the same parameters, each computation of the returned module has the same result as the computation with its number,
//! and contains neither calls nor fusions of computations in the text. Names of instructions may repeat.

use super::module::{Computation, Instruction, InstructionId, Module};
use super::opcode::Opcode;

impl Module {
    /// Returns the module with the computations of its fusions and calls inlined; `None` if this takes more than `most`
    /// instructions, or if a computation is called with other shapes than its own.
    #[must_use]
    pub fn inlined(&self, most: usize) -> Option<Module> {
        let mut inlined =
            Inlined { module: self, done: vec![None; self.computations.len()], left: most };
        for number in 0..self.computations.len() {
            inlined.computation(number)?;
        }
        Some(Module {
            computations: inlined.done.into_iter().collect::<Option<_>>()?,
            ..self.clone()
        })
    }
}

struct Inlined<'m> {
    module: &'m Module,
    done: Vec<Option<Computation>>,
    /// The remaining number of instructions.
    left: usize,
}

impl Inlined<'_> {
    /// Inlines a computation. The reader limits the nesting of calls and excludes recursion.
    fn computation(&mut self, number: usize) -> Option<()> {
        if self.done.get(number)?.is_some() {
            return Some(());
        }
        let old = &self.module.computations[number];
        let mut instructions = Vec::with_capacity(old.instructions.len());
        // The new position of each instruction.
        let mut places: Vec<InstructionId> = Vec::with_capacity(old.instructions.len());
        for instruction in &old.instructions {
            let operands: Vec<InstructionId> =
                instruction.operands.iter().map(|id| places[id.0]).collect();
            let called = match instruction.opcode {
                Opcode::Fusion => instruction.called("calls").ok(),
                Opcode::Call => instruction.called("to_apply").ok(),
                _ => None,
            };
            let Some(called) = called else {
                self.left = self.left.checked_sub(1)?;
                places.push(InstructionId(instructions.len()));
                let mut instruction = instruction.clone();
                instruction.operands = operands;
                instructions.push(instruction);
                continue;
            };
            self.computation(called.0)?;
            let body = self.done[called.0].as_ref()?;
            self.left = self.left.checked_sub(body.instructions.len())?;
            if body.parameters.len() != operands.len()
                || !body[body.root].shape.is_compatible(&instruction.shape)
            {
                return None;
            }
            let mut inside: Vec<InstructionId> = Vec::with_capacity(body.instructions.len());
            for inner in &body.instructions {
                if let Some(parameter) = inner.parameter_number() {
                    let operand = *operands.get(parameter)?;
                    let given: &Instruction = &instructions[operand.0];
                    inner.shape.is_compatible(&given.shape).then_some(())?;
                    inside.push(operand);
                    continue;
                }
                inside.push(InstructionId(instructions.len()));
                let mut inner = inner.clone();
                inner.operands = inner.operands.iter().map(|id| inside[id.0]).collect();
                instructions.push(inner);
            }
            places.push(inside[body.root.0]);
        }
        self.done[number] = Some(Computation {
            root: places[old.root.0],
            parameters: old.parameters.iter().map(|id| places[id.0]).collect(),
            instructions,
            ..old.clone()
        });
        Some(())
    }
}
