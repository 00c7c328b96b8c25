//! Which arrays of a computation's result, and of its parameters, are asked about.
//!
//! Law: the answer about some arrays is the part about them of the answer about all, unless that ran out of steps earlier:
//! the whole budget goes to the arrays that are asked about.

use super::op::arrays;
use super::reads::TuplePath;
use affinor_hlo::module::{Computation, InstructionId};
use affinor_hlo::shape::Shape;

/// Arrays of a computation's result and of its parameters; those of [`Default`] are all.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct AskedPairs {
    /// Parts of the result, each with all that is inside; `None` for the whole result.
    pub outputs: Option<Vec<TuplePath>>,
    /// Numbers of parameters; `None` for all of them.
    pub parameters: Option<Vec<usize>>,
}

impl AskedPairs {
    /// Returns whether the array at this part of the result is asked about.
    #[must_use]
    pub fn has_output(&self, path: &[usize]) -> bool {
        let outputs = self.outputs.as_ref();
        outputs.is_none_or(|outputs| outputs.iter().any(|part| path.starts_with(part)))
    }

    /// Returns whether the parameter with this number is asked about.
    #[must_use]
    pub fn has_parameter(&self, number: usize) -> bool {
        self.parameters.as_ref().is_none_or(|numbers| numbers.contains(&number))
    }

    /// The number of pairs of an array of `result` and one of `parameters`, which are in order, that are asked about.
    pub fn count<'s>(&self, result: &Shape, parameters: impl Iterator<Item = &'s Shape>) -> usize {
        let outputs = arrays(result).iter().filter(|(path, _)| self.has_output(path)).count();
        let asked = parameters.enumerate().filter(|(number, _)| self.has_parameter(*number));
        let read: usize = asked.map(|(_, shape)| arrays(shape).len()).sum();
        outputs.saturating_mul(read)
    }

    /// For each instruction, whether a parameter that is asked about is an operand of it, or of one of its operands, and so
    /// on; `None` if all parameters are asked about.
    pub(super) fn reached(&self, computation: &Computation) -> Option<Vec<bool>> {
        self.parameters.as_ref()?;
        let mut reached: Vec<bool> = Vec::with_capacity(computation.instructions().len());
        for (_, instruction) in computation.instructions() {
            // Operands stand before their users.
            let is_reached = |id: &InstructionId| reached.get(id.index()) == Some(&true);
            let is_asked = match instruction.parameter_number() {
                Some(number) => self.has_parameter(number),
                None => instruction.operands().iter().any(is_reached),
            };
            reached.push(is_asked);
        }
        Some(reached)
    }
}
