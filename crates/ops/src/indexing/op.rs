//! The interface of the families to an instruction: its arrays, its attributes, and constructors of answers.
//!
//! It looks up and validates, but has no knowledge of an op's semantics.

use super::reads::{OperandReads, Reads, TuplePath};
use affinor::expr::{ExprError, IndexingMap};
use affinor::text::{Error, ErrorKind};
use affinor_hlo::module::{Computation, ComputationId, Instruction};
use affinor_hlo::shape::{ArrayShape, Shape};
use std::sync::Arc;

/// The reason why an op has no maps.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum NoMap {
    /// The instruction contradicts its own shapes; has a description.
    Invalid(String),
    /// An attribute is missing or invalid.
    Attribute(Error),
    /// No map is known for the instruction; has the reason.
    Unknown(String),
    /// Positions depend on a dynamic size.
    Dynamic,
}

impl NoMap {
    pub(super) fn invalid(message: impl Into<String>) -> NoMap {
        NoMap::Invalid(message.into())
    }

    pub(super) fn unknown(reason: impl Into<String>) -> NoMap {
        NoMap::Unknown(reason.into())
    }
}

impl From<Error> for NoMap {
    fn from(error: Error) -> NoMap {
        match error.kind {
            ErrorKind::Unsupported => NoMap::Unknown(error.message),
            _ => NoMap::Attribute(error),
        }
    }
}

impl From<ExprError> for NoMap {
    fn from(error: ExprError) -> NoMap {
        NoMap::Unknown(format!("its map cannot be written: {error}"))
    }
}

/// The reads of an instruction, or the reason why they are unknown.
pub(super) type Entries = Result<Vec<OperandReads>, NoMap>;

/// A computation that an instruction refers to, and its reads.
pub(super) type Called<'m> = (&'m Computation, Arc<[OperandReads]>);

/// Computes the reads of a called computation.
pub(super) type Callee<'a, 'm> = dyn FnMut(ComputationId) -> Result<Called<'m>, Error> + 'a;

/// An instruction with its operands.
pub(super) struct Op<'a> {
    pub(super) instruction: &'a Instruction,
    pub(super) operands: Vec<&'a Instruction>,
}

impl<'a> Op<'a> {
    pub(super) fn new(computation: &'a Computation, instruction: &'a Instruction) -> Op<'a> {
        Op { instruction, operands: computation.operands(instruction).collect() }
    }

    /// Returns the result, which must be an array.
    pub(super) fn array(&self) -> Result<&'a ArrayShape, NoMap> {
        let opcode = self.instruction.opcode();
        let array = self.instruction.shape().as_array();
        array
            .ok_or_else(|| NoMap::invalid(format!("expected an array as the result of `{opcode}`")))
    }

    /// Operand `k`.
    pub(super) fn operand(&self, k: usize) -> Result<&'a Instruction, NoMap> {
        let operand = self.operands.get(k).copied();
        operand.ok_or_else(|| NoMap::invalid(format!("operand {k} is missing")))
    }

    /// Operand `k`, which must be an array.
    pub(super) fn operand_array(&self, k: usize) -> Result<&'a ArrayShape, NoMap> {
        let array = self.operand(k)?.shape().as_array();
        array.ok_or_else(|| NoMap::invalid(format!("expected an array as operand {k}")))
    }

    /// Returns the sizes of the result.
    pub(super) fn sizes(&self) -> Result<Vec<i64>, NoMap> {
        fixed_sizes(self.array()?)
    }

    /// Returns the sizes of operand `k`.
    pub(super) fn operand_sizes(&self, k: usize) -> Result<Vec<i64>, NoMap> {
        fixed_sizes(self.operand_array(k)?)
    }

    /// Rejects an operand that is not a scalar.
    pub(super) fn check_scalar(&self, k: usize) -> Result<(), NoMap> {
        match self.operand_array(k)?.rank() {
            0 => Ok(()),
            rank => Err(NoMap::invalid(format!(
                "expected a scalar as operand {k}, not an array of rank {rank}"
            ))),
        }
    }

    /// Returns the single dimension, of an array of this rank, that `dimensions` names; `purpose` is part of the message, e.g.
    /// ` to sort along`.
    pub(super) fn one_dimension(&self, rank: usize, purpose: &str) -> Result<usize, NoMap> {
        match self.instruction.dimensions(rank)?[..] {
            [dimension] => Ok(dimension),
            ref other => {
                Err(NoMap::invalid(format!("expected 1 dimension{purpose}, found {}", other.len())))
            }
        }
    }

    /// Returns the result arrays of an op with two operands for each of them, and `more` operands.
    pub(super) fn outputs_of_pairs(
        &self,
        more: usize,
    ) -> Result<Vec<(TuplePath, &'a ArrayShape)>, NoMap> {
        let outputs = arrays(self.instruction.shape());
        let (expected, count) = (2 * outputs.len() + more, self.operands.len());
        match count == expected {
            true => Ok(outputs),
            false => Err(NoMap::invalid(format!(
                "expected {expected} operand(s) for {} result(s), found {count}",
                outputs.len()
            ))),
        }
    }

    /// Returns the answer for an op with one array operand: exactly `map`, applied to the sizes of result and operand.
    pub(super) fn single(
        &self,
        map: impl FnOnce(&[i64], &[i64]) -> Result<IndexingMap, NoMap>,
    ) -> Entries {
        let map = map(&self.sizes()?, &self.operand_sizes(0)?)?;
        Ok(vec![entry(0, Reads::exactly(map))])
    }

    /// Returns the answer that has the same reads for each pair of an array of the result and an array of an operand.
    pub(super) fn each_pair(&self, reads: &Reads) -> Vec<OperandReads> {
        each_pair(self.instruction, self.operands.iter().copied(), reads)
    }
}

/// Returns the answer that has the same reads for each pair of an array of a result and an array of an operand.
pub(super) fn each_pair<'a>(
    result: &Instruction,
    operands: impl Iterator<Item = &'a Instruction> + Clone,
    reads: &Reads,
) -> Vec<OperandReads> {
    let mut entries = Vec::new();
    for (output, _) in arrays(result.shape()) {
        for (operand, instruction) in operands.clone().enumerate() {
            for (operand_path, _) in arrays(instruction.shape()) {
                entries.push(OperandReads {
                    output: output.clone(),
                    operand,
                    operand_path,
                    reads: reads.clone(),
                });
            }
        }
    }
    entries
}

/// Returns the answer for an op that reads each operand through exactly one map.
pub(super) fn exactly(maps: impl IntoIterator<Item = IndexingMap>) -> Entries {
    let entries = maps.into_iter().enumerate();
    Ok(entries.map(|(k, map)| entry(k, Reads::exactly(map))).collect())
}

/// Rejects an instruction unless `holds`; the message describes the contradiction.
pub(super) fn require<M: Into<String>>(
    holds: bool,
    message: impl FnOnce() -> M,
) -> Result<(), NoMap> {
    match holds {
        true => Ok(()),
        false => Err(NoMap::invalid(message())),
    }
}

/// Returns the reads of an array operand by a result array.
pub(super) fn entry(operand: usize, reads: Reads) -> OperandReads {
    entry_of(&[], operand, reads)
}

/// Returns the reads of an array operand by part `output` of the result.
pub(super) fn entry_of(output: &[usize], operand: usize, reads: Reads) -> OperandReads {
    OperandReads { output: output.to_vec(), operand, operand_path: TuplePath::new(), reads }
}

/// Returns every array in `shape`, with its path.
pub(super) fn arrays(shape: &Shape) -> Vec<(TuplePath, &ArrayShape)> {
    shape.arrays()
}

/// Returns the sizes of an array, with the bounds of dynamic ones.
pub(super) fn bounded_sizes(array: &ArrayShape) -> Result<Vec<i64>, NoMap> {
    let unbounded = || NoMap::unknown("one of its dimensions has no bound");
    array.sizes().ok_or_else(unbounded)
}

/// Returns the sizes of an array, which must be static since positions depend on them.
pub(super) fn fixed_sizes(array: &ArrayShape) -> Result<Vec<i64>, NoMap> {
    if array.is_dynamic() {
        return Err(NoMap::Dynamic);
    }
    bounded_sizes(array)
}

/// Rejects a computation that does not have `count` parameters.
pub(super) fn check_parameters(computation: &Computation, count: usize) -> Result<(), NoMap> {
    match computation.parameters().len() {
        found if found == count => Ok(()),
        found => Err(NoMap::invalid(format!(
            "expected {count} parameter(s) in the computation `{}`, found {found}",
            computation.name()
        ))),
    }
}

/// Returns whether two shapes have the same arrays, compared by sizes and tuple paths.
pub(super) fn same_sizes(lhs: &Shape, rhs: &Shape) -> bool {
    let sizes = |shape: &Shape| -> Vec<(TuplePath, Option<Vec<i64>>)> {
        let arrays = arrays(shape).into_iter();
        arrays.map(|(path, array)| (path, array.sizes())).collect()
    };
    sizes(lhs) == sizes(rhs)
}

/// Returns the sizes of the array at `path`; `None` if there is no array, or a dimension has no bound.
pub(super) fn sizes_at(shape: &Shape, path: &[usize]) -> Option<Vec<i64>> {
    shape.at(path)?.as_array()?.sizes()
}
