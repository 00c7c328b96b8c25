//! Modules whose counted loops are written out, so that loops that run differently often can be compared.
//!
//! Law: the entry gives the same, for the same parameters.

use affinor::num::Interrupt;
use affinor_hlo::module::{InstructionId, Module};
use affinor_hlo::opcode::Opcode;
use affinor_ops::indexing::{InstructionPlace, LoopCourse};

/// Most instructions of an entry with its loops written out.
const INSTRUCTIONS: usize = 2_000;

/// Most loops that are nested.
const NESTING: usize = 8;

/// The module, which has no calls, with loops of its entry written out that run as often as is known before the program runs; `None` if
/// none is.
#[must_use]
pub fn unrolled(module: &Module, interrupt: &Interrupt) -> Option<Module> {
    let mut unrolled: Option<Module> = None;
    for _ in 0..NESTING {
        let of = unrolled.as_ref().unwrap_or(module);
        let mut trips = |instruction: InstructionId| {
            let at = InstructionPlace { computation: of.entry(), instruction };
            LoopCourse::of(of, at, interrupt).map(|course| course.trips())
        };
        let next = of.unrolled(&mut trips, INSTRUCTIONS);
        if loops(&next) == loops(of) && entry_length(&next) == entry_length(of) {
            break;
        }
        unrolled = Some(next);
    }
    unrolled
}

fn entry_length(module: &Module) -> usize {
    module[module.entry()].instructions().len()
}

fn loops(module: &Module) -> usize {
    let instructions = module[module.entry()].instructions();
    instructions.filter(|(_, one)| *one.opcode() == Opcode::While).count()
}
