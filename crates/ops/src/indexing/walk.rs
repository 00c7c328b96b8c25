//! The walk through a computation, from its result back to its parameters.
//!
//! Instructions are visited once for each part of the result, users before their operands; the reads collected for an
//! instruction from all its users are passed on to its operands by the maps of its op. So a diamond costs no more than its
//! edges, unless its paths have different maps.
//!
//! Laws: the reads through several paths are the union over the paths, and that union is exact if every step is. An op without
//! maps makes only the reads through it unknown.
//!
//! What a `recv` brings in may be computed from any parameter, on the device that sends it.
//!
//! The steps of a computation are divided among the arrays of its result. An array whose steps are spent may read everything
//! from each array of a parameter that it depends on (`pairs`).

use super::asked::AskedPairs;
use super::builder::everything;
use super::composed::Compositions;
use super::op::{arrays, each_pair, sizes_at};
use super::open::{OpenReads, elements};
use super::operation::OperationOf;
use super::pairs::{self, Readers, entries_of};
use super::reads::{
    InstructionPlace, InstructionReads, OperandMap, OperandReads, Reads, TuplePath,
};
use super::tidy::Tidy;
use super::union::Union;
use super::values;
use affinor::expr::IndexingMap;
use affinor::num::{Fuel, Interrupt, Stopped};
use affinor::text::Error;
use affinor_hlo::module::{Computation, ComputationId, InstructionId, Module};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Limits on the work of an analysis. Beyond them, an answer is wider than the reads and says so, or is unknown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Maximum number of maps in a union.
    pub maps: usize,
    /// Maximum number of operations of a map, counted as a tree.
    pub operations: u64,
    /// Maximum nesting of fusions and calls.
    pub nesting: usize,
    /// Maximum number of steps of the walk through one computation: about one per operation of a composed map.
    pub steps: u64,
    /// Maximum number of pairs of an array of a computation's result and an array of a parameter for which pairs without reads
    /// are listed, too.
    pub pairs: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { maps: 256, operations: 4_096, nesting: 100, steps: 3_000_000, pairs: 4_096 }
    }
}

const SENT: &str = "another device sends it, and computes it in this module";

/// The number of rounds in which the remaining steps are shared among the arrays of a result.
const ROUNDS: u32 = 2;

/// The input of a walk.
pub(super) struct Context<'a, 'o> {
    pub(super) module: &'a Module,
    pub(super) open: Option<&'a dyn OpenReads>,
    pub(super) tidy: Tidy<'a>,
    pub(super) limits: Limits,
    pub(super) interrupt: &'a Interrupt,
    pub(super) operation: &'o mut OperationOf<'o>,
}

/// Returns the reads of each array of the parameters of a computation by each array of its result, for the queried pairs. If
/// there are more pairs than the limit, only pairs with reads are listed.
pub(super) fn computation(
    context: &mut Context<'_, '_>,
    id: ComputationId,
    asked: &AskedPairs,
    seen: &mut dyn FnMut(&dyn Fn() -> InstructionReads),
) -> Result<Vec<OperandReads>, Error> {
    let computation = &context.module[id];
    let outputs = (0..).zip(arrays(computation[computation.root()].shape()));
    let outputs: Vec<_> = outputs.filter(|(_, (path, _))| asked.has_output(path)).collect();
    let given = Parameters::of(computation, asked);
    let names_all = outputs.len().saturating_mul(given.arrays.len()) <= context.limits.pairs;
    let reached = asked.reached(computation);
    let mut steps = context.limits.steps;
    let mut compositions = Compositions::new(context.tidy, context.limits.operations);
    let mut walks: Vec<(Walk<'_>, Result<(), Stopped>)> = Vec::new();
    for (_, (output, array)) in &outputs {
        let place = InstructionPlace { computation: id, instruction: computation.root() };
        let start = match elements(context.open, place, output, array) {
            Some(elements) => Collected::exactly(elements),
            None => Collected::Unknown("a dimension of the result has no bound".into()),
        };
        let start = BTreeMap::from([((computation.root(), output.clone()), start)]);
        let mut walk = Walk::of(context, id, array.sizes().unwrap_or_default(), start);
        walk.reached = reached.as_deref();
        walks.push((walk, Err(Stopped::Steps)));
    }
    // Steps unused by one array are available to those after it, and then to those that need more than their share.
    for _ in 0..ROUNDS {
        let mut count = walks.iter().filter(|(_, ended)| ended.is_err()).count() as u64;
        for ((walk, ended), (_, (output, _))) in walks.iter_mut().zip(&outputs) {
            if ended.is_ok() {
                continue;
            }
            let share = steps / count.max(1);
            count -= 1;
            walk.fuel = Fuel::new(share, context.interrupt);
            let seen = &mut |(instruction, path): &Place, collected: &Collected| {
                seen(&|| InstructionReads {
                    output: output.clone(),
                    instruction: *instruction,
                    path: path.clone(),
                    reads: collected.to_reads(),
                });
            };
            *ended = walk.run(context, &mut compositions, &|_| false, seen)?;
            steps -= share - walk.fuel.left();
        }
    }
    let mut entries = Vec::new();
    let mut readers: Option<Readers> = None;
    for ((walk, ended), (number, (output, _))) in walks.into_iter().zip(outputs) {
        let read = match ended {
            Ok(()) => walk.read,
            Err(stopped) => {
                let known = match readers.take() {
                    Some(known) => known,
                    None => pairs::readers(context, id)?,
                };
                walk.bounds(context, number, readers.insert(known), stopped)
            }
        };
        entries.extend(given.entries(&output, read, names_all));
    }
    Ok(entries)
}

/// The arrays of the parameters that the query is about.
struct Parameters {
    /// The arrays, ordered by parameter number, then by part.
    arrays: Vec<(usize, Place)>,
    numbers: BTreeMap<InstructionId, usize>,
}

impl Parameters {
    fn of(computation: &Computation, asked: &AskedPairs) -> Parameters {
        let (mut of_parameters, mut numbers) = (Vec::new(), BTreeMap::new());
        for (number, id) in computation.parameters().iter().enumerate() {
            if asked.has_parameter(number) {
                numbers.insert(*id, number);
                let parts = arrays(computation[*id].shape()).into_iter();
                of_parameters.extend(parts.map(|(path, _)| (number, (*id, path))));
            }
        }
        Parameters { arrays: of_parameters, numbers }
    }

    /// Returns the entries for array `output` of the result: for each array, or only for those with reads.
    fn entries(
        &self,
        output: &TuplePath,
        mut read: ReadOfPlaces,
        names_all: bool,
    ) -> Vec<OperandReads> {
        let entry = |operand: usize, operand_path: TuplePath, reads: Option<Collected>| {
            let reads = reads.map_or(Reads::NOTHING, |collected| collected.to_reads());
            OperandReads { output: output.clone(), operand, operand_path, reads }
        };
        if names_all {
            let arrays = self.arrays.iter();
            let entries =
                arrays.map(|(number, place)| entry(*number, place.1.clone(), read.remove(place)));
            return entries.collect();
        }
        let found = read.into_iter().filter_map(|((id, path), collected)| {
            let entry = entry(*self.numbers.get(&id)?, path, Some(collected));
            (entry.reads != Reads::NOTHING).then_some(entry)
        });
        let mut found: Vec<OperandReads> = found.collect();
        found.sort_by(|x, y| (x.operand, &x.operand_path).cmp(&(y.operand, &y.operand_path)));
        found
    }
}

/// Returns the reads of the arrays at which `stops` holds, and of the parameters, given that `start` is read for each element
/// of an array of sizes `output_sizes`. `None` if the steps run out.
pub(super) fn onward(
    context: &mut Context<'_, '_>,
    id: ComputationId,
    output_sizes: &[i64],
    start: BTreeMap<Place, Reads>,
    stops: &dyn Fn(&Place) -> bool,
) -> Result<Option<BTreeMap<Place, Reads>>, Error> {
    let start = start.into_iter().map(|(place, reads)| match reads {
        Reads::Maps(maps) => (place, Collected::Maps(Union::of_distinct(maps))),
        Reads::Unknown { reason } => (place, Collected::Unknown(reason)),
    });
    let mut compositions = Compositions::new(context.tidy, context.limits.operations);
    let mut walk = Walk::of(context, id, output_sizes.to_vec(), start.collect());
    if walk.run(context, &mut compositions, stops, &mut |_, _| {})?.is_err() {
        return Ok(None);
    }
    let to_reads = |(place, collected): (Place, Collected)| (place, collected.to_reads());
    Ok(Some(walk.read.into_iter().map(to_reads).collect()))
}

/// Returns the same pairs of arrays as [`computation`], without claims.
pub(super) fn unknown(module: &Module, id: ComputationId, reason: &str) -> Vec<OperandReads> {
    let computation = &module[id];
    let parameters = computation.parameters().iter().map(|id| &computation[*id]);
    each_pair(&computation[computation.root()], parameters, &Reads::unknown(reason))
}

/// The reads of one array that are known at some point of the walk.
enum Collected {
    Maps(Union),
    /// One map that may read everything replaced maps that could not be kept.
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
pub type Place = (InstructionId, TuplePath);

struct Walk<'a> {
    computation: ComputationId,
    /// For each instruction, whether it depends on a queried parameter; `None` if all parameters are queried.
    reached: Option<&'a [bool]>,
    output_sizes: Vec<i64>,
    /// Reads still to be passed on. Operands precede their users, so the last entry is complete.
    pending: BTreeMap<Place, Collected>,
    /// The reads of each part of each parameter, and of each other array at which it stops, so far.
    read: ReadOfPlaces,
    limits: Limits,
    fuel: Fuel,
}

/// The reads of each part of each parameter, and of each other array that stopped the walk.
type ReadOfPlaces = BTreeMap<Place, Collected>;

impl<'a> Walk<'a> {
    /// Starts from `pending`, which is about arrays of these sizes, with all steps of the limits.
    fn of(
        context: &Context<'a, '_>,
        computation: ComputationId,
        output_sizes: Vec<i64>,
        pending: BTreeMap<Place, Collected>,
    ) -> Walk<'a> {
        let (limits, fuel) = (context.limits, Fuel::new(context.limits.steps, context.interrupt));
        Walk {
            computation,
            reached: None,
            output_sizes,
            pending,
            read: ReadOfPlaces::new(),
            limits,
            fuel,
        }
    }

    /// Collects the reads of each part of each parameter, and where `stops` holds. If the steps run out, the walk can be
    /// resumed.
    fn run(
        &mut self,
        context: &mut Context<'_, '_>,
        compositions: &mut Compositions<'_>,
        stops: &dyn Fn(&Place) -> bool,
        seen: &mut dyn FnMut(&Place, &Collected),
    ) -> Result<Result<(), Stopped>, Error> {
        let computation = &context.module[self.computation];
        while let Some((place, collected)) = self.pending.pop_last() {
            if computation[place.0].parameter_number().is_some() || stops(&place) {
                seen(&place, &collected);
                self.read.insert(place, collected);
                continue;
            }
            if let Err(stopped) = self.visit(context, compositions, &place, &collected)? {
                // Reads that were already passed on are in the unions, and change nothing if they are added again.
                self.pending.insert(place, collected);
                return Ok(Err(stopped));
            }
            seen(&place, &collected);
        }
        Ok(Ok(()))
    }

    /// Passes the reads of an array on to the operands of its instruction.
    fn visit(
        &mut self,
        context: &mut Context<'_, '_>,
        compositions: &mut Compositions<'_>,
        (id, path): &Place,
        collected: &Collected,
    ) -> Result<Result<(), Stopped>, Error> {
        let computation = &context.module[self.computation];
        let instruction = &computation[*id];
        let place = InstructionPlace { computation: self.computation, instruction: *id };
        let sizes = sizes_at(instruction.shape(), path).unwrap_or_default();
        if pairs::is_sent(context.module, instruction) {
            let reason: Arc<str> = format!("`{}`: {SENT}", instruction.name()).into();
            for id in computation.parameters() {
                for (path, _) in arrays(computation[*id].shape()) {
                    self.pending.insert((*id, path), Collected::Unknown(reason.clone()));
                }
            }
        }
        let entries = (context.operation)(place)?;
        let entries = entries_of(&entries, path);
        if let Err(stopped) = self.fuel.spend(1 + entries.len() as u64) {
            return Ok(Err(stopped));
        }
        for entry in entries {
            let operand = instruction.operands().get(entry.operand);
            if let Some(operand) = operand.filter(|operand| self.is_reached(**operand)) {
                let step = Step {
                    place,
                    sizes: &sizes,
                    target: (*operand, entry.operand_path.clone()),
                    target_sizes: sizes_at(computation[*operand].shape(), &entry.operand_path),
                };
                let passed = self.pass_on(context, compositions, &step, collected, &entry.reads)?;
                if let Err(stopped) = passed {
                    return Ok(Err(stopped));
                }
            }
        }
        Ok(Ok(()))
    }

    fn is_reached(&self, id: InstructionId) -> bool {
        self.reached.is_none_or(|reached| reached.get(id.index()) == Some(&true))
    }

    /// Returns the bound for array `number` of the result: it may read everything of the parameters that it depends on.
    fn bounds(
        &self,
        context: &Context<'_, '_>,
        number: usize,
        readers: &Readers,
        stopped: Stopped,
    ) -> ReadOfPlaces {
        let computation = &context.module[self.computation];
        let reason = format!("`{}`: stopped at {stopped}", computation.name());
        let read = readers.iter().filter(|(_, set)| set.contains(number));
        let bound = |(parameter, path): &(usize, TuplePath)| {
            let id = *computation.parameters().get(*parameter)?;
            let sizes = sizes_at(computation[id].shape(), path);
            let all = self.everything(sizes.as_deref(), &reason);
            Some(((id, path.clone()), all))
        };
        read.filter_map(|(place, _)| bound(place)).collect()
    }

    /// Returns the reads of all of an array of these sizes, as an upper bound.
    fn everything(&self, sizes: Option<&[i64]>, reason: &str) -> Collected {
        match sizes {
            Some(sizes) => {
                let map = everything(&self.output_sizes, sizes);
                Collected::Everything(OperandMap::at_most(map, reason))
            }
            None => Collected::Unknown(reason.into()),
        }
    }

    /// Adds the reads of an operand through an instruction whose own reads are `collected`.
    fn pass_on(
        &mut self,
        context: &mut Context<'_, '_>,
        compositions: &mut Compositions<'_>,
        step: &Step<'_>,
        collected: &Collected,
        reads: &Reads,
    ) -> Result<Result<(), Stopped>, Error> {
        let (first, second) = match (collected.maps(), reads) {
            (Ok([]), _) => return Ok(Ok(())),
            (_, Reads::Maps(maps)) if maps.is_empty() => return Ok(Ok(())),
            (Ok(first), Reads::Maps(second)) => (first, second),
            (Err(reason), _) | (_, Reads::Unknown { reason }) => {
                let unknown = Collected::Unknown(reason.clone());
                self.pending.insert(step.target.clone(), unknown);
                return Ok(Ok(()));
            }
        };
        for second in second {
            let second = rooted(context, step.place, second)?;
            for first in first {
                let cost = compositions.cost(first, &second, step.sizes);
                if let Err(stopped) = self.fuel.spend(cost.saturating_add(self.known(step))) {
                    return Ok(Err(stopped));
                }
                let composed = compositions.composed(first, &second, step.sizes);
                self.add(step, composed);
            }
        }
        Ok(Ok(()))
    }

    /// Returns the number of maps that a new map has to be compared with.
    fn known(&self, step: &Step<'_>) -> u64 {
        match self.pending.get(&step.target) {
            Some(Collected::Maps(union)) => union.len() as u64,
            _ => 0,
        }
    }

    /// Adds one map to the reads of the target, or, if it cannot be kept, one that reads everything.
    fn add(&mut self, step: &Step<'_>, map: Result<Option<OperandMap>, String>) {
        let collected = self.pending.entry(step.target.clone());
        let collected = collected.or_insert_with(|| Collected::Maps(Union::default()));
        let Collected::Maps(union) = collected else {
            return; // reads of everything, or no claim: nothing can be added
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
        let everything = self.everything(step.target_sizes.as_deref(), &failure);
        self.pending.insert(step.target.clone(), everything);
    }
}

/// A step from an instruction to one of its operands.
struct Step<'s> {
    place: InstructionPlace,
    /// The sizes of the part of the instruction's result whose reads are passed on.
    sizes: &'s [i64],
    target: Place,
    target_sizes: Option<Vec<i64>>,
}

/// Returns the map of an op inside the computation, with the sources of its runtime variables in terms of the computation.
pub(super) fn rooted(
    context: &mut Context<'_, '_>,
    place: InstructionPlace,
    map: &OperandMap,
) -> Result<OperandMap, Error> {
    let mut map = map.clone();
    for runtime in &mut map.runtime {
        let value = std::mem::take(&mut runtime.index);
        (runtime.source, runtime.index) =
            values::seen_from(context.module, context.operation, place, &runtime.source, value)?;
    }
    Ok(map)
}
