//! What a loop reads, where it is known how often its body runs, beside what it reads where that is not known.
//!
//! Law: for each pair of arrays the answer is the one that is exact; if none is, the one of any loop.

use super::counted::Counted;
use super::op::{arrays, sizes_at};
use super::passed_on::is_passed_on;
use super::reads::{InstructionPlace, OperandReads, Reads, TuplePath};
use super::tidy::Tidy;
use super::times::Times;
use super::trips::trips;
use crate::hlo::module::{ComputationId, Module};
use crate::num::{Fuel, Interrupt};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Most parts of the state of a loop that is followed.
const PARTS: usize = 512;

/// What a loop is followed with.
pub(super) struct Given<'a> {
    pub(super) module: &'a Module,
    pub(super) tidy: Tidy<'a>,
    pub(super) interrupt: &'a Interrupt,
    /// The steps for one loop.
    pub(super) steps: u64,
}

/// `reads` of the loop at `place`, exact where what its body and condition read can be followed through all iterations.
pub(super) fn counted(
    given: &Given<'_>,
    place: InstructionPlace,
    reads: Arc<[OperandReads]>,
    of: &mut dyn FnMut(ComputationId) -> Option<Arc<[OperandReads]>>,
) -> Arc<[OperandReads]> {
    if reads.iter().all(|entry| entry.reads.is_exact()) {
        return reads;
    }
    followed(given, place, &reads, of).unwrap_or(reads)
}

fn followed(
    given: &Given<'_>,
    place: InstructionPlace,
    reads: &[OperandReads],
    of: &mut dyn FnMut(ComputationId) -> Option<Arc<[OperandReads]>>,
) -> Option<Arc<[OperandReads]>> {
    let instruction = &given.module[place.computation][place.instruction];
    let state = instruction.shape();
    let (body, condition) = (
        instruction.called("body").ok()?,
        instruction.called("condition").ok()?,
    );
    let trips = trips(given.module, place, given.interrupt)?;
    let paths: Vec<TuplePath> = arrays(state).into_iter().map(|(path, _)| path).collect();
    if paths.len() > PARTS {
        return None;
    }
    let sizes: Option<Vec<Vec<i64>>> = paths.iter().map(|path| sizes_at(state, path)).collect();
    let table = |list: &[OperandReads]| -> BTreeMap<(TuplePath, TuplePath), Reads> {
        let pair = |entry: &OperandReads| (entry.output.clone(), entry.operand_path.clone());
        list.iter().map(|entry| (pair(entry), entry.reads.clone())).collect()
    };
    let (in_body, in_condition) = (table(&of(body)?), table(&of(condition)?));
    let found = |known: &BTreeMap<(TuplePath, TuplePath), Reads>, output: &TuplePath, part: &TuplePath| {
        let found = known.get(&(output.clone(), part.clone())).cloned();
        found.unwrap_or(Reads::NOTHING)
    };
    let row = |output: &TuplePath| -> Vec<Reads> {
        paths.iter().map(|part| found(&in_body, output, part)).collect()
    };
    let of_body: Vec<Vec<Reads>> = paths.iter().map(row).collect();
    let scalar = TuplePath::new();
    let of_condition: Vec<Reads> =
        paths.iter().map(|part| found(&in_condition, &scalar, part)).collect();
    let passed_on: Vec<bool> =
        paths.iter().map(|path| is_passed_on(&given.module[body], path)).collect();
    let counted = Counted {
        times: Times {
            module: given.module,
            tidy: given.tidy,
            interrupt: given.interrupt,
            fuel: Fuel::new(given.steps, given.interrupt),
            trips: &trips,
            name: instruction.name(),
        },
        body,
        condition,
        paths: &paths,
        sizes: &sizes?,
        of_body: &of_body,
        of_condition: &of_condition,
        passed_on: &passed_on,
    };
    let number = |path: &TuplePath| paths.iter().position(|other| other == path);
    let open = |entry: &&OperandReads| !entry.reads.is_exact();
    let mut outputs: Vec<usize> =
        reads.iter().filter(open).filter_map(|entry| number(&entry.output)).collect();
    outputs.dedup();
    let answers = counted.followed(&outputs);
    let answers: BTreeMap<usize, _> = outputs.into_iter().zip(answers).collect();
    let entries = reads.iter().map(|entry| {
        let exact = || {
            let maps = answers.get(&number(&entry.output)?)?.get(number(&entry.operand_path)?)?;
            let reads = Reads::union(maps.clone()?);
            reads.is_exact().then_some(reads)
        };
        match entry.reads.is_exact() {
            true => entry.clone(),
            false => OperandReads {
                reads: exact().unwrap_or_else(|| entry.reads.clone()),
                ..entry.clone()
            },
        }
    });
    Some(entries.collect())
}
