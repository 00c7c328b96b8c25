//! Modules whose counted loops are unrolled, so that loops with different trip counts can be compared.
//!
//! Law: for the same parameters, the entry has the same result.

use affinor::num::Interrupt;
use affinor_hlo::module::{ComputationId, Instruction, InstructionId, Module};
use affinor_hlo::unroll::Runs;
use affinor_ops::indexing::{InstructionPlace, LoopCourse};

/// Maximum number of instructions of an entry with unrolled loops.
const INSTRUCTIONS: usize = 8_000;

/// Maximum nesting depth of loops.
const NESTING: usize = 8;

/// Returns the module, which has no calls, with the loops of its entry unrolled whose trip count is known before the program
/// runs, and with loops in other computations unrolled that run once or never; `None` if no loop is.
#[must_use]
pub fn unrolled(module: &Module, interrupt: &Interrupt) -> Option<Module> {
    let mut unrolled: Option<Module> = None;
    for _ in 0..NESTING {
        let of = unrolled.as_ref().unwrap_or(module);
        let next = of.unrolled(&mut |within, at| runs(of, within, at, interrupt), INSTRUCTIONS);
        if next == *of {
            break;
        }
        unrolled = Some(next);
    }
    unrolled
}

/// Returns the iterations of a loop, with the integers that are known in each.
fn runs(
    module: &Module,
    computation: ComputationId,
    instruction: InstructionId,
    interrupt: &Interrupt,
) -> Option<Runs> {
    let at = InstructionPlace { computation, instruction };
    let course = LoopCourse::of(module, at, interrupt)?;
    let count = course.trips();
    (computation == module.entry() || count <= 1).then_some(())?;
    let body = &module[course.body];
    (count.checked_mul(body.instructions().len())? <= INSTRUCTIONS).then_some(())?;
    let is_integer = |one: &Instruction| {
        let array = one.shape().as_array();
        array.is_some_and(|array| {
            let element_type = array.element_type();
            let is_whole = element_type.is_signed_integer() || element_type.is_unsigned_integer();
            array.rank() == 0 && is_whole
        })
    };
    let scalars = body.instructions().filter(|(_, one)| is_integer(one));
    let known = scalars.filter_map(|(id, _)| {
        let values = course.integers(module, id, &[], &[], interrupt)?;
        Some((id, values))
    });
    Some(Runs { count, integers: known.collect() })
}
