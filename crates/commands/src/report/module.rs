//! The instructions of a module by number, and which of them have memory of their own.

use affinor_hlo::module::{ComputationId, Instruction, InstructionId, Module};
use affinor_hlo::opcode::Opcode;
use affinor_ops::indexing::runs_computations;
use std::collections::BTreeMap;

/// A module with its instructions numbered, in the order of the text.
pub struct Numbered<'a> {
    pub module: &'a Module,
    /// The number of the first instruction of each computation.
    first: Vec<usize>,
    /// The numbers of the instructions, by the names of the computation and of the instruction.
    names: BTreeMap<(&'a str, &'a str), usize>,
    /// Whether each computation runs by itself: the entry, and computations that it runs, directly or indirectly, without a
    /// fusion.
    runs: Vec<bool>,
}

impl<'a> Numbered<'a> {
    pub fn of(module: &'a Module) -> Numbered<'a> {
        let (mut first, mut names) = (Vec::new(), BTreeMap::new());
        let mut next = 0;
        for (_, computation) in module.computations() {
            first.push(next);
            for (_, instruction) in computation.instructions() {
                names.insert((computation.name(), instruction.name()), next);
                next += 1;
            }
        }
        let mut runs = vec![false; first.len()];
        let mut open = vec![module.entry()];
        while let Some(id) = open.pop() {
            if std::mem::replace(&mut runs[id.index()], true) {
                continue;
            }
            for (_, instruction) in module[id].instructions() {
                let opcode = instruction.opcode();
                if runs_computations(opcode) && *opcode != Opcode::Fusion {
                    open.extend(called(instruction));
                }
            }
        }
        Numbered { module, first, names, runs }
    }

    /// Returns the number of an instruction.
    pub fn number(&self, id: ComputationId, instruction: InstructionId) -> usize {
        self.first[id.index()] + instruction.index()
    }

    /// Returns whether the results of a computation's instructions are in memory.
    pub fn has_memory(&self, id: ComputationId) -> bool {
        self.runs[id.index()]
    }

    /// Returns the number of an instruction, by its name and that of its computation.
    pub fn named(&self, computation: &str, instruction: &str) -> Option<usize> {
        self.names.get(&(computation, instruction)).copied()
    }

    /// Returns the instructions whose memory accesses are counted: those that have memory, and neither rename it nor only run
    /// other instructions.
    pub fn accessing(&self) -> Vec<(ComputationId, InstructionId)> {
        let computations = self.module.computations();
        let with_memory = computations.filter(|(id, _)| self.has_memory(*id));
        let instructions = with_memory.flat_map(|(id, computation)| {
            let instructions = computation.instructions();
            instructions.filter_map(move |(at, found)| accesses(found).then_some((id, at)))
        });
        instructions.collect()
    }
}

fn accesses(instruction: &Instruction) -> bool {
    let opcode = instruction.opcode();
    let is_name = matches!(opcode, Opcode::Tuple | Opcode::GetTupleElement | Opcode::Bitcast);
    let is_fusion = *opcode == Opcode::Fusion;
    !instruction.operands().is_empty() && !is_name && (is_fusion || !runs_computations(opcode))
}

/// Returns the computations that an instruction names.
pub fn called(instruction: &Instruction) -> Vec<ComputationId> {
    let references = instruction.attributes().computations();
    references.filter_map(|reference| reference.target()).collect()
}
