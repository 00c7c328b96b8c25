//! Selections by predicates that are known before run time, for [`Analysis::by_values`](super::Analysis::by_values).
//!
//! Law: the value of a `select` does not depend on an element of an operand that its predicate does not choose. A map is
//! restricted to the points where the predicate, an element whose value is known at compile time, chooses its operand. If the
//! predicate is not known, the map is restricted to the points where it may choose the operand: `and` with a known mask is
//! false wherever the mask is.
//!
//! In a computation that is called, a predicate may be known to the caller only: until then the map has a runtime variable for
//! it, its choice.

use super::fold::{self, folded};
use super::known::Known;
use super::reads::{InstructionPlace, OperandMap, OperandReads, Reads, RuntimeVariable};
use super::reshape::row_major;
use super::tidy::Tidy;
use super::union::tidied;
use affinor::expr::{Domain, Expr, ExprError, VariableId};
use affinor::num::{Interrupt, Interval};
use affinor_hlo::module::Module;
use affinor_hlo::opcode::Opcode;
use std::sync::Arc;

/// The size of values that a caller is taken to pass when it is judged whether it may know a choice; the choice itself is made for all.
const LIKELY: i64 = 4_096;

/// Returns the reads of the instruction at `place`, with the values known there, where choices are made.
pub(super) fn chosen(
    module: &Module,
    place: InstructionPlace,
    reads: Arc<[OperandReads]>,
    interrupt: &Interrupt,
) -> Arc<[OperandReads]> {
    let computation = &module[place.computation];
    let instruction = &computation[place.instruction];
    let reads = match (instruction.opcode(), instruction.operands()) {
        (Opcode::Select, [predicate, ..]) => {
            let array = computation[*predicate].shape().as_array();
            of_select(&reads, array.is_some_and(|array| array.rank() == 0))
        }
        _ => reads,
    };
    let reads = folded(module, place, reads, interrupt);
    let is_entry = place.computation == module.entry();
    if !reads.iter().any(|entry| has_choices(&entry.reads)) {
        return reads;
    }
    let stays = |map: &OperandMap, choice: &RuntimeVariable| {
        if is_entry {
            return false;
        }
        let bounds = map.map.domain().intervals().collect();
        let known = Known::new(module, place.computation, bounds, interrupt);
        let mut known = known.with_elements_of_parameters(Some(Interval::new(-LIKELY, LIKELY)));
        let index = choice.index.clone();
        let element = known.element(Some(place.instruction), &choice.source, index);
        element.is_some_and(|element| known.value(&element).is_some())
    };
    // As long as a caller may know one choice, the others are dropped: each is decided in all pieces of a map or in none.
    let possible = |map: &OperandMap| {
        let mut choices = map.runtime.iter().filter(|one| one.is_choice);
        if choices.any(|choice| stays(map, choice)) {
            return vec![map.clone()];
        }
        let bounds = map.map.domain().intervals().collect();
        let known = Known::new(module, place.computation, bounds, interrupt);
        let mut known = known.with_open_truths();
        let pieces = fold::parts(map, &mut known, Some(place.instruction));
        pieces.unwrap_or_else(|_| vec![map.clone()])
    };
    let narrowed = |reads: &Reads| match reads {
        Reads::Maps(maps) => without(&Reads::union(maps.iter().flat_map(possible)), &stays),
        unknown => unknown.clone(),
    };
    let settled = reads.iter().map(|entry| match has_choices(&entry.reads) {
        true => OperandReads { reads: narrowed(&entry.reads), ..entry.clone() },
        false => entry.clone(),
    });
    settled.collect()
}

/// Returns the maps of the second and third operand of the `select` at `place` that are defined where it chooses them; `None`
/// if its predicate, an array, is not known.
#[must_use]
pub fn decided(
    module: &Module,
    place: InstructionPlace,
    interrupt: &Interrupt,
) -> Option<[Vec<OperandMap>; 2]> {
    let computation = &module[place.computation];
    let instruction = &computation[place.instruction];
    let sizes = instruction.shape().as_array()?.fixed_sizes()?;
    let predicate = computation[*instruction.operands().first()?].shape().as_array()?;
    let is_array = *instruction.opcode() == Opcode::Select && predicate.rank() == sizes.len();
    is_array.then_some(())?;
    let map = OperandMap::exact(row_major(&sizes, &sizes)?);
    let of_operand = |number: i64| -> Option<Vec<OperandMap>> {
        let (choice, truth) = (Interval::point(2 - number), Interval::new(0, 1));
        let map = map.where_operand_0(map.map.results().to_vec(), choice, truth, true);
        let bounds = map.map.domain().intervals().collect();
        let mut known = Known::new(module, place.computation, bounds, interrupt);
        let pieces = fold::parts(&map, &mut known, Some(place.instruction)).ok()?;
        let is_known = pieces.iter().all(|piece| piece.runtime.is_empty());
        is_known.then_some(pieces)
    };
    Some([of_operand(1)?, of_operand(2)?])
}

/// Returns the reads in tidy form without conditions on choices that were not made.
pub(super) fn closed(tidy: Tidy<'_>, reads: Arc<[OperandReads]>) -> Arc<[OperandReads]> {
    if !reads.iter().any(|entry| has_choices(&entry.reads)) {
        return reads;
    }
    let entries = reads.iter().map(|entry| OperandReads {
        reads: closed_reads(tidy, entry.reads.clone()),
        ..entry.clone()
    });
    entries.collect()
}

/// [`closed`] for the reads of one array.
pub(super) fn closed_reads(tidy: Tidy<'_>, reads: Reads) -> Reads {
    match has_choices(&reads) {
        true => tidied(tidy, &without(&reads, &|_, _| false)).unwrap_or_else(unwritten),
        false => reads,
    }
}

/// Restricts the reads of the second and third operand of a `select` to where it chooses them.
fn of_select(reads: &[OperandReads], is_scalar: bool) -> Arc<[OperandReads]> {
    let truth = Interval::new(0, 1);
    let entries = reads.iter().map(|entry| {
        let (Reads::Maps(maps), 1 | 2) = (&entry.reads, entry.operand) else {
            return entry.clone();
        };
        let choice = Interval::point(2 - entry.operand as i64);
        let restricted = maps.iter().map(|map| {
            let index = if is_scalar { Vec::new() } else { map.map.results().to_vec() };
            map.where_operand_0(index, choice, truth, true)
        });
        OperandReads { reads: Reads::union(restricted), ..entry.clone() }
    });
    entries.collect()
}

/// Returns whether a choice stays in a map.
type Stays<'a> = &'a dyn Fn(&OperandMap, &RuntimeVariable) -> bool;

/// Returns whether some of the reads depend on a choice.
pub(super) fn has_choices(reads: &Reads) -> bool {
    let mut maps = reads.maps().unwrap_or_default().iter();
    maps.any(|map| map.runtime.iter().any(|one| one.is_choice))
}

fn unwritten(error: ExprError) -> Reads {
    Reads::unknown(format!("its map cannot be written: {error}"))
}

/// Drops the choices that do not stay.
fn without(reads: &Reads, stays: Stays<'_>) -> Reads {
    let maps = reads.maps().unwrap_or_default().iter().map(|map| {
        let goes = |one: &&RuntimeVariable| one.is_choice && !stays(map, one);
        let dropped: Vec<VariableId> =
            map.runtime.iter().filter(goes).map(|one| one.variable).collect();
        unconditional(map, &dropped)
    });
    maps.collect::<Result<Vec<_>, _>>().map_or_else(unwritten, Reads::union)
}

/// Returns the map without conditions on choices.
pub(super) fn unconditioned(map: &OperandMap) -> Result<OperandMap, ExprError> {
    let choices = map.runtime.iter().filter(|one| one.is_choice);
    unconditional(map, &choices.map(|one| one.variable).collect::<Vec<_>>())
}

/// Drops choices from a map: each has one value there, and may have it wherever the map is defined.
fn unconditional(map: &OperandMap, dropped: &[VariableId]) -> Result<OperandMap, ExprError> {
    if dropped.is_empty() {
        return Ok(map.clone());
    }
    let (mut variables, mut images) = (Vec::new(), Vec::new());
    let old = map.map.domain();
    for (id, variable) in (0..).map(VariableId).zip(old.variables()) {
        if dropped.contains(&id) {
            images.push(Expr::constant(variable.bounds.lo()));
        } else {
            images.push(Expr::variable(VariableId(variables.len() as u32)));
            variables.push(variable.clone());
        }
    }
    let kept = map.runtime.iter().filter(|one| !dropped.contains(&one.variable));
    map.substituted(Domain::new(variables), &images, kept.cloned().collect())
}
