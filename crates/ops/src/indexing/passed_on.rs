//! Parts of a loop's state that its body passes on unchanged.

use super::reads::TuplePath;
use affinor_hlo::module::{Computation, ComputationId, Instruction, Module};
use affinor_hlo::opcode::Opcode;
use affinor_hlo::shape::Shape;
use std::collections::BTreeSet;

/// Returns the arrays of a loop's state that its body passes on unchanged.
#[must_use]
pub fn passed_on(body: &Computation, state: &Shape) -> BTreeSet<TuplePath> {
    let paths = state.arrays().into_iter().map(|(path, _)| path);
    paths.filter(|path| is_passed_on(body, path)).collect()
}

/// Returns whether part `path` of the computation's result is the same part of its parameter, passed on by forwarding ops only.
pub(super) fn is_passed_on(computation: &Computation, path: &[usize]) -> bool {
    is_forwarded(computation, path, &|_, _| false)
}

/// Returns the same, through loops that pass it on as well.
pub(super) fn is_kept(module: &Module, computation: ComputationId, path: &[usize]) -> bool {
    is_forwarded(&module[computation], path, &|one, path| {
        one.called("body").is_ok_and(|body| is_kept(module, body, path))
    })
}

fn is_forwarded(
    computation: &Computation,
    path: &[usize],
    by_loop: &dyn Fn(&Instruction, &[usize]) -> bool,
) -> bool {
    let mut at = path.to_vec();
    let mut id = computation.root();
    loop {
        let instruction = &computation[id];
        let operand = match instruction.opcode() {
            Opcode::Parameter => return at == path,
            Opcode::Tuple if !at.is_empty() => at.remove(0),
            Opcode::GetTupleElement => match instruction.tuple_index() {
                Ok(index) => {
                    at.insert(0, index);
                    0
                }
                Err(_) => return false,
            },
            Opcode::Copy => 0,
            Opcode::While if by_loop(instruction, &at) => 0,
            _ => return false,
        };
        match instruction.operands().get(operand) {
            Some(operand) => id = *operand,
            None => return false,
        }
    }
}
