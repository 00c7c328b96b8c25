//! The walk through a computation, from its result back to its parameters.
//!
//! Instructions are visited once for each part of the result, users before their operands; what was
//! collected for an instruction from all its users is passed on to its operands by the maps of its op.
//! So a diamond costs no more than its edges, unless its paths really have different maps.
//!
//! Laws: what is read through several paths is the union over the paths, and that union is exact
//! if every step is. An op without maps makes unknown what is read through it, and nothing else.

use super::builder::{everything, identity};
use super::op::{arrays, sizes_at};
use super::operation::OperationOf;
use super::reads::{
    InstructionPlace, InstructionReads, OperandMap, OperandReads, Reads, TuplePath,
};
use super::sequence::compose;
use super::tidy::Tidy;
use super::union::Union;
use super::values;
use crate::error::Error;
use crate::expr::Expr;
use crate::hlo::module::{ComputationId, InstructionId, Module};
use crate::interval::Interval;
use crate::map::{IndexingMap, VariableKind};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Bounds on the work of an analysis. Beyond them an answer is wider than what is read and says so,
/// or is unknown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Most maps that one union may have.
    pub maps: usize,
    /// Most operations, counted as a tree, that one map may have.
    pub operations: u64,
    /// Deepest nesting of fusions and calls.
    pub nesting: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            maps: 256,
            operations: 4_096,
            nesting: 100,
        }
    }
}

/// What a walk works with.
pub(super) struct Context<'a, 'o> {
    pub(super) module: &'a Module,
    pub(super) tidy: Tidy<'a>,
    pub(super) limits: Limits,
    pub(super) operation: &'o mut OperationOf<'o>,
}

/// What each array of the result of a computation reads of each array of its parameters.
pub(super) fn computation(
    context: &mut Context<'_, '_>,
    id: ComputationId,
    seen: &mut dyn FnMut(&dyn Fn() -> InstructionReads),
) -> Result<Vec<OperandReads>, Error> {
    let computation = &context.module[id];
    let mut entries = Vec::new();
    for (output, array) in arrays(computation[computation.root()].shape()) {
        let sizes = array.sizes();
        let start = match &sizes {
            Some(sizes) => Collected::exactly(identity(sizes)),
            None => Collected::Unknown("a dimension of the result has no bound".into()),
        };
        let mut walk = Walk {
            computation: id,
            output_sizes: sizes.unwrap_or_default(),
            pending: BTreeMap::from([((computation.root(), output.clone()), start)]),
            tidy: context.tidy,
            limits: context.limits,
        };
        let mut read = walk.run(context, &mut |(instruction, path), collected| {
            seen(&|| InstructionReads {
                output: output.clone(),
                instruction: *instruction,
                path: path.clone(),
                reads: collected.to_reads(),
            });
        })?;
        for (operand, parameter) in computation.parameters().iter().enumerate() {
            for (operand_path, _) in arrays(computation[*parameter].shape()) {
                let reads = read.remove(&(operand, operand_path.clone()));
                entries.push(OperandReads {
                    output: output.clone(),
                    operand,
                    operand_path,
                    reads: reads.map_or(Reads::NOTHING, |collected| collected.to_reads()),
                });
            }
        }
    }
    Ok(entries)
}

/// The same pairs of arrays as [`computation`], without a claim.
pub(super) fn unknown(module: &Module, id: ComputationId, reason: &str) -> Vec<OperandReads> {
    let computation = &module[id];
    let reads = Reads::unknown(reason);
    let mut entries = Vec::new();
    for (output, _) in arrays(computation[computation.root()].shape()) {
        for (operand, parameter) in computation.parameters().iter().enumerate() {
            for (operand_path, _) in arrays(computation[*parameter].shape()) {
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

/// What is known, at some moment of the walk, to be read of one array.
enum Collected {
    Maps(Union),
    /// One map that may read everything took the place of maps that could not be kept.
    Everything(OperandMap),
    Unknown(Arc<str>),
}

impl Collected {
    fn exactly(map: IndexingMap) -> Collected {
        match Reads::exactly(map) {
            Reads::Maps(maps) => Collected::Maps(Union::of_distinct(maps)),
            Reads::Unknown { reason } => Collected::Unknown(reason),
        }
    }

    fn maps(&self) -> Result<&[OperandMap], &Arc<str>> {
        match self {
            Collected::Maps(union) => Ok(union.maps()),
            Collected::Everything(map) => Ok(std::slice::from_ref(map)),
            Collected::Unknown(reason) => Err(reason),
        }
    }

    fn to_reads(&self) -> Reads {
        match self.maps() {
            Ok(maps) => Reads::union(maps.iter().cloned()),
            Err(reason) => Reads::unknown(reason.clone()),
        }
    }
}

/// Part of an instruction's result.
type Place = (InstructionId, TuplePath);

struct Walk<'a> {
    computation: ComputationId,
    output_sizes: Vec<i64>,
    /// What is still to be passed on. Operands stand before their users, so the last entry is complete.
    pending: BTreeMap<Place, Collected>,
    tidy: Tidy<'a>,
    limits: Limits,
}

impl Walk<'_> {
    /// What is read of each part of each parameter.
    fn run(
        &mut self,
        context: &mut Context<'_, '_>,
        seen: &mut dyn FnMut(&Place, &Collected),
    ) -> Result<BTreeMap<(usize, TuplePath), Collected>, Error> {
        let computation = &context.module[self.computation];
        let mut read = BTreeMap::new();
        while let Some((place, collected)) = self.pending.pop_last() {
            seen(&place, &collected);
            let (id, path) = place;
            let instruction = &computation[id];
            if let Some(parameter) = instruction.parameter_number() {
                read.insert((parameter, path), collected);
                continue;
            }
            let place = InstructionPlace {
                computation: self.computation,
                instruction: id,
            };
            let sizes = sizes_at(instruction.shape(), &path).unwrap_or_default();
            let entries = (context.operation)(place)?;
            for entry in entries.iter().filter(|entry| entry.output == path) {
                if let Some(operand) = instruction.operands().get(entry.operand) {
                    let step = Step {
                        place,
                        sizes: &sizes,
                        target: (*operand, entry.operand_path.clone()),
                        target_sizes: sizes_at(computation[*operand].shape(), &entry.operand_path),
                    };
                    self.pass_on(context, &step, &collected, &entry.reads)?;
                }
            }
        }
        Ok(read)
    }

    /// Adds what is read of an operand through an instruction of which `collected` is read.
    fn pass_on(
        &mut self,
        context: &mut Context<'_, '_>,
        step: &Step<'_>,
        collected: &Collected,
        reads: &Reads,
    ) -> Result<(), Error> {
        let (first, second) = match (collected.maps(), reads) {
            (Ok([]), _) => return Ok(()),
            (_, Reads::Maps(maps)) if maps.is_empty() => return Ok(()),
            (Ok(first), Reads::Maps(second)) => (first, second),
            (Err(reason), _) | (_, Reads::Unknown { reason }) => {
                let unknown = Collected::Unknown(reason.clone());
                self.pending.insert(step.target.clone(), unknown);
                return Ok(());
            }
        };
        for second in second {
            let second = rooted(context, step.place, second)?;
            for first in first {
                let composed = self.composed(first, &second, step.sizes);
                self.add(step, composed);
            }
        }
        Ok(())
    }

    /// `second`, a map of an array of these sizes, after `first`, in tidy form; `None` when it is nowhere
    /// defined; else why it cannot be kept.
    fn composed(
        &self,
        first: &OperandMap,
        second: &OperandMap,
        sizes: &[i64],
    ) -> Result<Option<OperandMap>, String> {
        if is_identity(&second.map, sizes) {
            // Maps stay within the arrays they lead to, so nothing is left to restrict.
            return Ok(Some(OperandMap {
                exactness: first.exactness.and(&second.exactness),
                ..first.clone()
            }));
        }
        let composed = compose(first, second).map_err(|error| error.to_string())?;
        let tidied = self.tidy.apply(&composed);
        let tidied = tidied.map_err(|error| error.to_string())?;
        match tidied {
            Some(map) if operations(&map) > self.limits.operations => Err(format!(
                "a map has more than {} operations",
                self.limits.operations
            )),
            tidied => Ok(tidied),
        }
    }

    /// Adds one map to what is read of the target, or, if it cannot be kept, one that reads everything.
    fn add(&mut self, step: &Step<'_>, map: Result<Option<OperandMap>, String>) {
        let collected = self.pending.entry(step.target.clone());
        let collected = collected.or_insert_with(|| Collected::Maps(Union::default()));
        let Collected::Maps(union) = collected else {
            return; // nothing can be added to everything, nor to no claim
        };
        let failure = match map {
            Ok(None) => return,
            Ok(Some(map)) => match union.insert(map) {
                Ok(()) if union.len() <= self.limits.maps => return,
                Ok(()) => format!("more than {} maps are needed", self.limits.maps),
                Err(error) => error.to_string(),
            },
            Err(failure) => failure,
        };
        *collected = match &step.target_sizes {
            Some(sizes) => {
                let map = everything(&self.output_sizes, sizes);
                Collected::Everything(OperandMap::at_most(map, failure))
            }
            None => Collected::Unknown(failure.into()),
        };
    }
}

/// From an instruction to one of its operands.
struct Step<'s> {
    place: InstructionPlace,
    /// Of the part of the instruction's result whose reads are passed on.
    sizes: &'s [i64],
    target: Place,
    target_sizes: Option<Vec<i64>>,
}

/// Operations of a map, those of its constraints included.
fn operations(map: &OperandMap) -> u64 {
    let constraints = map.map.domain().constraints().iter();
    let of_constraints = constraints.map(|constraint| constraint.expr.cost().ops);
    of_constraints.fold(map.map.cost().ops, u64::saturating_add)
}

/// The map of an op inside the computation, with the sources of its runtime variables named as seen
/// from the computation.
fn rooted(
    context: &mut Context<'_, '_>,
    place: InstructionPlace,
    map: &OperandMap,
) -> Result<OperandMap, Error> {
    let mut map = map.clone();
    for runtime in &mut map.runtime {
        let value = std::mem::take(&mut runtime.index);
        (runtime.source, runtime.index) = values::seen_from(
            context.module,
            context.operation,
            place,
            &runtime.source,
            value,
        )?;
    }
    Ok(map)
}

/// Does it say `(d0, ..) -> (d0, ..)` of every element of an array of these sizes?
fn is_identity(map: &IndexingMap, sizes: &[i64]) -> bool {
    let domain = map.domain();
    let bounds = domain.variables().iter().map(|variable| variable.bounds);
    domain.constraints().is_empty()
        && bounds.eq(sizes.iter().map(|size| Interval::of_size(*size)))
        && domain.variables().len() == map.results().len()
        && domain
            .ids(VariableKind::Dimension)
            .eq(map.results().iter().filter_map(Expr::as_variable))
}
