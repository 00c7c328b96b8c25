//! The derivation of each map of an answer in one step: from the map that an op states, or from two consecutive maps.
//!
//! Law: for each step, `left` is [`Tidy::apply`] of `whole`, and the maps of all steps to an array are those of its answer, up
//! to duplicates. Nothing here is a proof; it states the claims that need a certificate.

use super::analysis::Analysis;
use super::pairs::entries_of;
use super::reads::{
    InstructionPlace, InstructionReads, OperandMap, OperandReads, Reads, TuplePath,
};
use super::sequence::{compose, with_indices};
use super::tidy::{Tidied, Tidy};
use super::union::tidied;
use super::walk::{Context, rooted};
use affinor::expr::{ExprError, IndexingMap, VariableId};
use affinor::text::Error;
use affinor_hlo::module::{ComputationId, InstructionId};
use std::sync::Arc;

/// A map and its derivation.
#[derive(Clone, Debug)]
pub struct Derivation {
    /// The two maps of which `whole` is the composition, in order; `None` if an op states `whole`.
    pub composition: Option<[OperandMap; 2]>,
    /// The map before simplification.
    pub whole: OperandMap,
    /// `whole` [`with_indices`], simplified: the same function.
    pub simplified: IndexingMap,
    /// The map in tidy form; `None` if its domain is empty.
    pub left: Option<OperandMap>,
    /// For each variable of `whole`, the variable of `left` with its value; `None` if it was dropped.
    pub variables: Vec<Option<VariableId>>,
}

/// The steps to the maps of one pair of arrays.
#[derive(Clone, Debug)]
pub struct Derived {
    /// The answer that the steps derive.
    pub answer: OperandReads,
    /// The steps, or the reason why they are missing.
    pub steps: Result<Vec<Derivation>, Arc<str>>,
}

/// The steps from the reads of a user to those of one of its operands, inside a computation.
#[derive(Clone, Debug)]
pub struct DerivedInside {
    /// The part of the computation's result that the reads are for.
    pub output: TuplePath,
    /// The user, and the part of its value that is read.
    pub user: (InstructionId, TuplePath),
    /// The number of the operand.
    pub operand: usize,
    /// The operand, and its reads by all users.
    pub read: InstructionReads,
    /// The steps, or the reason why they are missing.
    pub steps: Result<Vec<Derivation>, Arc<str>>,
}

impl Analysis<'_> {
    /// Returns the derivation of each map of [`Analysis::instruction`] from the maps that the op states.
    ///
    /// # Errors
    /// As [`Analysis::instruction`].
    pub fn derivations(&mut self, place: InstructionPlace) -> Result<Vec<Derived>, Error> {
        let entries = self.asked(place)?;
        let name = self.module()[place.computation][place.instruction].name();
        Ok(of_entries(self.tidy, name, &entries))
    }

    /// Returns the derivation of each map of [`Analysis::steps`] from the maps of a user.
    ///
    /// # Errors
    /// As [`Analysis::instruction`].
    pub fn derivations_inside(&mut self, id: ComputationId) -> Result<Vec<DerivedInside>, Error> {
        let steps = self.steps(id)?;
        self.in_context(|context| inside(context, id, &steps))
    }
}

/// Derives the answers about one instruction, whose own reads are `entries`.
pub(super) fn of_entries(tidy: Tidy<'_>, name: &str, entries: &[OperandReads]) -> Vec<Derived> {
    let derived = |entry: &OperandReads| {
        let written = |error: ExprError| -> Arc<str> {
            format!("`{name}`: its map cannot be written: {error}").into()
        };
        let steps = match &entry.reads {
            Reads::Unknown { reason } => Err(reason.clone()),
            Reads::Maps(maps) => {
                let steps = maps.iter().map(|map| step(tidy, None, map.clone()));
                steps.collect::<Result<_, _>>().map_err(written)
            }
        };
        let reads = tidied(tidy, &entry.reads)
            .unwrap_or_else(|error| Reads::Unknown { reason: written(error) });
        Derived { answer: OperandReads { reads, ..entry.clone() }, steps }
    };
    entries.iter().map(derived).collect()
}

/// Derives the reads inside computation `id`; `read` has the reads of each array inside.
pub(super) fn inside(
    context: &mut Context<'_, '_>,
    id: ComputationId,
    read: &[InstructionReads],
) -> Result<Vec<DerivedInside>, Error> {
    let computation = &context.module[id];
    let mut all = Vec::new();
    for from in read {
        let instruction = &computation[from.instruction];
        if instruction.parameter_number().is_some() {
            continue;
        }
        let place = InstructionPlace { computation: id, instruction: from.instruction };
        let entries = (context.operation)(place)?;
        for entry in entries_of(&entries, &from.path) {
            let target = instruction.operands().get(entry.operand);
            let to = read.iter().find(|to| {
                Some(&to.instruction) == target
                    && to.path == entry.operand_path
                    && to.output == from.output
            });
            let Some(to) = to else {
                continue; // no element of it is read
            };
            let steps = match (&from.reads, &entry.reads) {
                (Reads::Unknown { reason }, _) | (_, Reads::Unknown { reason }) => {
                    Err(reason.clone())
                }
                (Reads::Maps(first), Reads::Maps(second)) => {
                    steps_through(context, place, first, second)?
                }
            };
            all.push(DerivedInside {
                output: from.output.clone(),
                user: (from.instruction, from.path.clone()),
                operand: entry.operand,
                read: to.clone(),
                steps,
            });
        }
    }
    Ok(all)
}

/// Returns the compositions of each map of the user with each map of `step`, which is about the op at `place`.
fn steps_through(
    context: &mut Context<'_, '_>,
    place: InstructionPlace,
    first: &[OperandMap],
    second: &[OperandMap],
) -> Result<Result<Vec<Derivation>, Arc<str>>, Error> {
    let mut steps = Vec::new();
    for second in second {
        let second = rooted(context, place, second)?;
        for first in first {
            let whole = match compose(first, &second) {
                Ok(whole) => whole,
                Err(error) => return Ok(Err(error.to_string().into())),
            };
            match step(context.tidy, Some([first.clone(), second.clone()]), whole) {
                Ok(step) => steps.push(step),
                Err(error) => return Ok(Err(error.to_string().into())),
            }
        }
    }
    Ok(Ok(steps))
}

fn step(
    tidy: Tidy<'_>,
    composition: Option<[OperandMap; 2]>,
    whole: OperandMap,
) -> Result<Derivation, ExprError> {
    let simplified = (tidy.simplify)(&with_indices(&whole));
    let left = tidy.left(simplified.clone(), &whole)?;
    let (left, variables) = match left {
        Some(Tidied { map, variables }) => (Some(map), variables),
        None => (None, Vec::new()),
    };
    Ok(Derivation { composition, whole, simplified, left, variables })
}
