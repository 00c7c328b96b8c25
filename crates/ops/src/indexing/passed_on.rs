//! Parts of a loop's state that its body passes on unchanged.

use super::reads::TuplePath;
use affinor_hlo::module::Computation;
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
            _ => return false,
        };
        match instruction.operands().get(operand) {
            Some(operand) => id = *operand,
            None => return false,
        }
    }
}
