//! The input of definitions: the sizes of an instruction's arrays, its attributes, and its computations.

use super::access::Access;
use super::named::Given;
use super::relation::{Relation, d, i};
use super::used::{self, Used};
use affinor_hlo::module::{Computation, ComputationId, Instruction, Module};
use affinor_hlo::shape::{ArrayShape, Shape};
use affinor_maps::text::{Error, ErrorKind};
use std::sync::Arc;

/// The reason why an instruction has no definition.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NoDefinition {
    /// The instruction contradicts its own shapes or attributes.
    #[error(transparent)]
    Invalid(Error),
    /// No relation describes the op; the reason names it.
    #[error("{0}")]
    Unknown(Arc<str>),
}

impl From<Error> for NoDefinition {
    fn from(error: Error) -> NoDefinition {
        match error.kind {
            ErrorKind::Unsupported => NoDefinition::Unknown(error.message.into()),
            _ => NoDefinition::Invalid(error),
        }
    }
}

/// Returns the computation that attribute `name` refers to.
pub(super) fn called(instruction: &Instruction, name: &str) -> Result<ComputationId, NoDefinition> {
    check_defined(instruction)?;
    Ok(instruction.called(name)?)
}

/// Returns the computations of a conditional.
pub(super) fn branches(instruction: &Instruction) -> Result<Vec<ComputationId>, NoDefinition> {
    check_defined(instruction)?;
    Ok(instruction.branches()?)
}

/// Rejects an instruction that runs a computation which the text does not define.
fn check_defined(instruction: &Instruction) -> Result<(), NoDefinition> {
    match instruction.attributes().undefined_computation() {
        None => Ok(()),
        Some(missing) => {
            let reason = format!("the computation `{}` is not in the text", missing.name());
            Err(NoDefinition::Unknown(reason.into()))
        }
    }
}

/// An instruction in its context.
#[derive(Clone, Copy)]
pub(super) struct Op<'a> {
    pub(super) module: &'a Module,
    pub(super) computation: &'a Computation,
    pub(super) instruction: &'a Instruction,
    /// The sizes of arrays, if some are named.
    pub(super) given: Option<Given<'a>>,
}

impl<'a> Op<'a> {
    /// Creates the error for an op that no relation describes.
    pub(super) fn unknown(&self, why: &str) -> NoDefinition {
        NoDefinition::Unknown(format!("`{}`: {why}", self.instruction.opcode()).into())
    }

    /// Creates the error for an instruction that contradicts itself.
    pub(super) fn invalid(&self, message: &str) -> NoDefinition {
        NoDefinition::Invalid(self.instruction.error(message))
    }

    /// Returns the number of operands.
    pub(super) fn operand_count(&self) -> usize {
        self.instruction.operands().len()
    }

    /// Returns the shape of operand `operand`.
    pub(super) fn operand_shape(&self, operand: usize) -> Result<&'a Shape, NoDefinition> {
        let operands = self.instruction.operands();
        match operands.get(operand) {
            Some(id) => Ok(self.computation[*id].shape()),
            None => Err(self.invalid("the instruction has too few operands")),
        }
    }

    /// Returns the array shape of operand `operand`; an error if it is not an array.
    pub(super) fn operand_array(&self, operand: usize) -> Result<&'a ArrayShape, NoDefinition> {
        let array = self.operand_shape(operand)?.as_array();
        array.ok_or_else(|| self.invalid("the operand must be an array"))
    }

    /// Returns the sizes of operand `operand`.
    pub(super) fn operand(&self, operand: usize) -> Result<Vec<i64>, NoDefinition> {
        self.sizes(self.operand_array(operand)?)
    }

    /// Returns the sizes of the result, which must be an array.
    pub(super) fn output(&self) -> Result<Vec<i64>, NoDefinition> {
        self.output_part(&[])
    }

    /// Returns the sizes of a part of the result.
    pub(super) fn output_part(&self, path: &[usize]) -> Result<Vec<i64>, NoDefinition> {
        let array = self.instruction.shape().at(path).and_then(Shape::as_array);
        self.sizes(array.ok_or_else(|| self.invalid("the result must be an array"))?)
    }

    /// Returns the sizes of an array.
    pub(super) fn sizes(&self, array: &ArrayShape) -> Result<Vec<i64>, NoDefinition> {
        let sizes = array.fixed_sizes();
        sizes.ok_or_else(|| self.unknown("a size is known only at run time"))
    }

    /// Returns an unconstrained relation between the result and operand `operand`.
    pub(super) fn relation(&self, operand: usize) -> Result<Relation, NoDefinition> {
        match self.given.is_none() || self.has_named_definition() {
            true => self.all_pairs(operand),
            false => Err(self.unknown("a size is known only at run time")),
        }
    }

    /// `d = i` in every dimension.
    pub(super) fn same_index(&self, operand: usize) -> Result<Relation, NoDefinition> {
        if self.given.is_some() {
            let mut same = self.all_pairs(operand)?;
            if same.output().len() != same.operand().len() {
                return Err(self.invalid("the operand must have the rank of the result"));
            }
            for k in 0..same.output().len() {
                same.equate(d(k), i(k))?;
            }
            return Ok(same);
        }
        same_index(&self.output()?, &self.operand(operand)?)
    }

    /// Returns a choice: every element of the output reads all of operand `operand`.
    pub(super) fn chosen_by(&self, operand: usize) -> Result<Access, NoDefinition> {
        Ok(Access::new(operand, self.relation(operand)?).as_choice())
    }

    /// Returns the paths of a variadic op's results: `[0]`, `[1]`, .. in a tuple, `[]` for an array.
    pub(super) fn output_paths(&self, count: usize) -> Result<Vec<Vec<usize>>, NoDefinition> {
        self.output_paths_at(&[], count)
    }

    /// [`Op::output_paths`] for the part of the result at `at`.
    pub(super) fn output_paths_at(
        &self,
        at: &[usize],
        count: usize,
    ) -> Result<Vec<Vec<usize>>, NoDefinition> {
        match self.instruction.shape().at(at) {
            Some(Shape::Tuple(parts)) if parts.len() == count => {
                Ok((0..count).map(|part| [at, &[part]].concat()).collect())
            }
            Some(Shape::Array(_)) if count == 1 => Ok(vec![at.to_vec()]),
            _ => Err(self.invalid("the result must have one array for each input")),
        }
    }

    /// Returns the single dimension, of an array of this rank, that `dimensions` names.
    pub(super) fn one_dimension(&self, rank: usize) -> Result<usize, NoDefinition> {
        match self.instruction.dimensions(rank)?[..] {
            [dimension] => Ok(dimension),
            _ => Err(self.invalid("`dimensions` must name one dimension")),
        }
    }

    /// Returns whether a boolean attribute is true.
    pub(super) fn flag(&self, name: &str) -> bool {
        self.instruction.flag(name, false) == Ok(true)
    }

    /// Returns the parameters that the results of the computation `attribute` depend on; `None` if the text does not define the
    /// computation.
    pub(super) fn used(&self, attribute: &str) -> Result<Option<Used>, NoDefinition> {
        let reference = self.instruction.computation_reference(attribute)?;
        Ok(reference.target().map(|id| used::of(self.module, id)))
    }
}

/// `d = i` in every dimension of arrays of the same sizes.
pub(super) fn same_index(output: &[i64], operand: &[i64]) -> Result<Relation, NoDefinition> {
    let mut same = Relation::new(output, operand);
    if output != operand {
        return Err(NoDefinition::Invalid(Error::without_span(
            ErrorKind::Hlo,
            "the operand must have the sizes of the result",
        )));
    }
    for k in 0..output.len() {
        same.equate(d(k), i(k))?;
    }
    Ok(same)
}
