//! The arrays of a computation's result and of its parameters that a query is about.
//!
//! Law: the answer about some arrays is the restriction of the answer about all arrays, except that it may be more precise if
//! the latter ran out of steps: the whole budget goes to the queried arrays.

use super::op::arrays;
use super::reads::TuplePath;
use affinor_hlo::module::{Computation, InstructionId};
use affinor_hlo::opcode::Opcode;
use affinor_hlo::shape::Shape;

/// The arrays of a computation's result and of its parameters that a query is about; [`Default`] is all of them.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct AskedPairs {
    /// Parts of the result, each including all arrays inside; `None` for the whole result.
    pub outputs: Option<Vec<TuplePath>>,
    /// Numbers of parameters; `None` for all of them.
    pub parameters: Option<Vec<usize>>,
}

impl AskedPairs {
    /// Returns whether the query includes the array at this part of the result.
    #[must_use]
    pub fn has_output(&self, path: &[usize]) -> bool {
        let outputs = self.outputs.as_ref();
        outputs.is_none_or(|outputs| outputs.iter().any(|part| path.starts_with(part)))
    }

    /// Returns whether the query includes the parameter with this number.
    #[must_use]
    pub fn has_parameter(&self, number: usize) -> bool {
        self.parameters.as_ref().is_none_or(|numbers| numbers.contains(&number))
    }

    /// Returns the number of queried pairs of an array of `result` and an array of `parameters`, which are listed in order.
    pub fn count<'s>(&self, result: &Shape, parameters: impl Iterator<Item = &'s Shape>) -> usize {
        let outputs = arrays(result).iter().filter(|(path, _)| self.has_output(path)).count();
        let asked = parameters.enumerate().filter(|(number, _)| self.has_parameter(*number));
        let read: usize = asked.map(|(_, shape)| arrays(shape).len()).sum();
        outputs.saturating_mul(read)
    }

    /// Returns, for each instruction, whether it depends on a queried parameter, directly or through its operands; `None` if
    /// all parameters are queried.
    pub(super) fn reached(&self, computation: &Computation) -> Option<Vec<bool>> {
        self.parameters.as_ref()?;
        let mut reached: Vec<bool> = Vec::with_capacity(computation.instructions().len());
        for (_, instruction) in computation.instructions() {
            // Operands precede their users.
            let is_reached = |id: &InstructionId| reached.get(id.index()) == Some(&true);
            let is_asked = match instruction.parameter_number() {
                Some(number) => self.has_parameter(number),
                None if *instruction.opcode() == Opcode::Recv => true,
                None => instruction.operands().iter().any(is_reached),
            };
            reached.push(is_asked);
        }
        Some(reached)
    }
}
