//! Inverts reads: which elements of the output read a given element of the operand?
//!
//! Law: output element `d` is among the readers of operand element `i` exactly when `i` is among the elements that `d`
//! reads by the maps. They are computed from the maps of the other direction ([`IndexingMap::inverse`]); no op has a
//! second definition.
//!
//! [`IndexingMap::inverse`]: affinor::expr::IndexingMap::inverse

use super::analysis::Analysis;
use super::reads::{OperandMap, OperandReads, Reads, RuntimeVariable};
use super::sequence::with_indices;
use super::tidy::Tidy;
use super::union::tidied;
use affinor::expr::{Expr, ExprError, INVERSE_STEPS, IndexingMap, VariableId, VariableKind};
use affinor::num::{Fuel, Interrupt, Interval};
use affinor_hlo::shape::{ArrayShape, Dimension, Shape};
use std::collections::BTreeSet;

impl Analysis<'_> {
    /// Inverts the maps of `entries`, the reads of the callable `name`; `shape_of` gives the shapes of the operands.
    pub(super) fn turned<'s>(
        &self,
        entries: &[OperandReads],
        name: &str,
        shape_of: &dyn Fn(usize) -> Option<&'s Shape>,
    ) -> Vec<OperandReads> {
        let turned = |entry: &OperandReads| {
            let array =
                shape_of(entry.operand).and_then(|shape| shape.at(&entry.operand_path)?.as_array());
            // A map with named sizes states the ends of an array itself.
            let ends = array.and_then(|array| indices(array, self.open.is_some()));
            let reads = match ends {
                None => Reads::unknown(format!("`{name}`: one of its dimensions has no bound")),
                Some(ends) => readers(self.tidy, &entry.reads, &ends, &self.interrupt)
                    .unwrap_or_else(|error| {
                        Reads::unknown(format!("`{name}`: its map cannot be written: {error}"))
                    }),
            };
            OperandReads { reads, ..entry.clone() }
        };
        entries.iter().map(turned).collect()
    }
}

/// Returns the intervals of the indices of an array; `None` if a size is unknown, unless `may_be_open`.
fn indices(array: &ArrayShape, may_be_open: bool) -> Option<Vec<Interval>> {
    let of_dimension = |dimension: &Dimension| match dimension.size() {
        Some(size) => Some(Interval::of_size(size)),
        None => may_be_open.then(|| Interval::at_least(0)),
    };
    array.dimensions().iter().map(of_dimension).collect()
}

/// Returns the readers of the elements of an operand with these indices, by inverting `reads`. The work is bounded, and
/// `interrupt` stops it.
fn readers(
    tidy: Tidy<'_>,
    reads: &Reads,
    operand: &[Interval],
    interrupt: &Interrupt,
) -> Result<Reads, ExprError> {
    let Reads::Maps(maps) = reads else {
        return Ok(reads.clone());
    };
    let mut inverted = Vec::with_capacity(maps.len());
    for map in maps {
        match inverse(map, operand, interrupt)? {
            Some(map) => inverted.push(map),
            None => {
                return Ok(Reads::unknown(
                    "the place of a runtime value would depend on the value itself",
                ));
            }
        }
    }
    tidied(tidy, &Reads::union(inverted))
}

fn inverse(
    map: &OperandMap,
    operand: &[Interval],
    interrupt: &Interrupt,
) -> Result<Option<OperandMap>, ExprError> {
    let whole = with_indices(map);
    let of_before: Vec<VariableId> = whole.domain().ids(VariableKind::Runtime).collect();
    let dimensions = whole.domain().count(VariableKind::Dimension);
    let (domain, mut results) =
        whole.inverse(operand, &Fuel::new(INVERSE_STEPS, interrupt))?.into_parts();
    let of_now: Vec<VariableId> = domain.ids(VariableKind::Runtime).collect();
    let mut indices = results.split_off(dimensions).into_iter();
    let mut waiting: Vec<RuntimeVariable> = Vec::new();
    for variable in &map.runtime {
        let position = of_before.iter().position(|id| *id == variable.variable);
        let renumbered = position.and_then(|position| of_now.get(position));
        waiting.push(RuntimeVariable {
            variable: renumbered.copied().unwrap_or(variable.variable),
            index: indices.by_ref().take(variable.index.len()).collect(),
            ..variable.clone()
        });
    }
    let runtime = in_order(waiting, &of_now);
    Ok(runtime.map(|runtime| OperandMap {
        map: IndexingMap::new(domain, results),
        exactness: map.exactness.clone(),
        runtime,
    }))
}

/// Sorts the variables so that the index of each uses only earlier ones; `None` if there is no such order.
fn in_order(mut waiting: Vec<RuntimeVariable>, all: &[VariableId]) -> Option<Vec<RuntimeVariable>> {
    let mut unknown: BTreeSet<VariableId> = all.iter().copied().collect();
    let mut ordered = Vec::with_capacity(waiting.len());
    while !waiting.is_empty() {
        let is_ready = |variable: &RuntimeVariable| {
            let mentions = |index: &Expr| !index.variables().is_disjoint(&unknown);
            !variable.index.iter().any(mentions)
        };
        let next = waiting.remove(waiting.iter().position(is_ready)?);
        unknown.remove(&next.variable);
        ordered.push(next);
    }
    Some(ordered)
}
