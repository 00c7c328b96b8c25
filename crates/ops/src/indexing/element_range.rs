//! Narrows runtime values to the integers that their element type represents: an `s8` is never above 127, even if the array
//! that it indexes is larger.
//!
//! Law: narrowing preserves the clamped value of each integer of the type. Any other integer is clamped like the nearest
//! integer of the type, so users of the map need not know the type.

use super::arithmetic::held;
use super::op::Op;
use super::reads::{OperandMap, OperandReads, Reads, RuntimeVariable, ValueSource};
use affinor::expr::Expr;
use affinor::num::Interval;
use affinor_hlo::shape::Shape;
use std::sync::Arc;

/// Returns the entries of an op with all runtime values narrowed to their element types.
pub(super) fn narrowed(entries: Arc<[OperandReads]>, op: &Op<'_>) -> Arc<[OperandReads]> {
    let values = |entry: &OperandReads| match &entry.reads {
        Reads::Maps(maps) => maps.iter().any(|map| map.runtime.iter().any(|x| is_wider(x, op))),
        Reads::Unknown { .. } => false,
    };
    if !entries.iter().any(values) {
        return entries;
    }
    let narrow = |entry: &OperandReads| OperandReads {
        reads: match &entry.reads {
            Reads::Maps(maps) => Reads::union(maps.iter().map(|map| narrowed_map(map, op))),
            Reads::Unknown { .. } => entry.reads.clone(),
        },
        ..entry.clone()
    };
    entries.iter().map(narrow).collect()
}

fn narrowed_map(map: &OperandMap, op: &Op<'_>) -> OperandMap {
    let mut narrowed = map.clone();
    for runtime in &mut narrowed.runtime {
        if let Some(clamp) = clamp_within(runtime, op) {
            runtime.clamp = clamp;
            narrowed.map = narrowed.map.restricted(&Expr::variable(runtime.variable), clamp);
        }
    }
    narrowed
}

fn is_wider(runtime: &RuntimeVariable, op: &Op<'_>) -> bool {
    clamp_within(runtime, op).is_some_and(|clamp| clamp != runtime.clamp)
}

/// Returns the part of a clamp that its element type represents; `None` if the type is unknown, or if no integer of the clamp
/// is representable.
fn clamp_within(runtime: &RuntimeVariable, op: &Op<'_>) -> Option<Interval> {
    let ValueSource::Operand { operand, path } = &runtime.source else {
        return None;
    };
    let shape = op.operand(*operand).ok()?.shape().at(path);
    let element_type = shape.and_then(Shape::as_array)?.element_type();
    let clamp = runtime.clamp.intersect(held(element_type)?);
    (!clamp.is_empty()).then_some(clamp)
}
