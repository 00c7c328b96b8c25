//! Ops on arrays with dynamic sizes: known only at run time, with bounds.
//!
//! Law: at any sizes within the bounds, the elements that an element of the result reads are among those of the map. It is the
//! map of the op on arrays of the bounds' sizes if no position depends on a size that is dynamic; else everything may be read.
//! The map is exact if it has one element for each index of the result, which exists whenever the element of the result does.

use super::op::{Callee, Entries, NoMap, Op, arrays};
use super::reads::{Exactness, OperandMap, OperandReads, Reads};
use super::unseen::anything;
use affinor::expr::VariableKind;
use affinor_hlo::module::Instruction;
use affinor_hlo::opcode::Opcode;
use affinor_hlo::shape::ArrayShape;
use std::sync::Arc;

/// Computes the reads of an op on arrays of fixed sizes.
type OfOp<'o> = dyn FnMut(&Op<'_>, &mut Callee<'_, '_>) -> Result<Arc<[OperandReads]>, NoMap> + 'o;

const SIZES: &str = "the size of one of its dimensions is known only at run time";

/// Returns the reads of `op`, using the bounds of dynamic sizes as sizes.
pub(super) fn entries(op: &Op<'_>, of_op: &mut OfOp<'_>, callee: &mut Callee<'_, '_>) -> Entries {
    let Some(moves) = moves(op) else {
        return anything(op, SIZES);
    };
    let instruction = op.instruction.with_sizes_at_bounds();
    let operands: Vec<Instruction> =
        op.operands.iter().map(|operand| operand.with_sizes_at_bounds()).collect();
    let at_bounds = Op { instruction: &instruction, operands: operands.iter().collect() };
    let Ok(found) = of_op(&at_bounds, callee) else {
        return anything(op, SIZES); // the bounds may contradict each other even if the sizes do not
    };
    let name = op.instruction.name();
    let reason: Arc<str> = format!("`{name}`: {SIZES}").into();
    let bound = |map: &OperandMap| {
        let ranges = map.map.domain().count(VariableKind::Range);
        let is_exact = moves == Moves::EachToOne && ranges == 0;
        match is_exact {
            true => map.clone(),
            false => OperandMap {
                exactness: map.exactness.and(&Exactness::AtMost { reason: reason.clone() }),
                ..map.clone()
            },
        }
    };
    let entry = |entry: &OperandReads| OperandReads {
        reads: match &entry.reads {
            Reads::Maps(maps) => Reads::union(maps.iter().map(bound)),
            unknown => unknown.clone(),
        },
        ..entry.clone()
    };
    Ok(found.iter().map(entry).collect())
}

/// The element movement of an op whose positions do not depend on a dynamic size.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Moves {
    /// Each element of the result is one of an operand.
    EachToOne,
    /// An element may read several elements, some of which need not exist.
    Several,
}

/// Returns `None` if positions depend, or may depend, on a dynamic size.
fn moves(op: &Op<'_>) -> Option<Moves> {
    let result = op.instruction.shape().as_array();
    let operand = |k: usize| op.operand_array(k).ok();
    let are_fixed = |array: &ArrayShape, dimensions: &[usize]| {
        let dimensions = dimensions.iter().map(|k| array.dimensions().get(*k));
        dimensions.into_iter().all(|dimension| dimension.is_some_and(|it| !it.is_dynamic()))
    };
    let named = |array: &ArrayShape| op.instruction.dimensions(array.rank()).ok();
    match op.instruction.opcode() {
        Opcode::Broadcast | Opcode::Transpose => Some(Moves::EachToOne),
        Opcode::Dot | Opcode::Reduce | Opcode::Slice | Opcode::Sort => Some(Moves::Several),
        Opcode::Reverse => {
            let array = result?;
            are_fixed(array, &named(array)?).then_some(Moves::EachToOne)
        }
        Opcode::Concatenate => {
            let along = named(result?)?;
            let mut all = (0..op.operands.len()).map(operand);
            all.all(|array| array.is_some_and(|array| are_fixed(array, &along)))
                .then_some(Moves::EachToOne)
        }
        // The major dimension has the largest stride, so no stride depends on its size.
        Opcode::Reshape => {
            let is_major =
                |array: &ArrayShape| array.dimensions().iter().skip(1).all(|it| !it.is_dynamic());
            (is_major(result?) && is_major(operand(0)?)).then_some(Moves::EachToOne)
        }
        // Indices are clamped to the array's actual sizes, which must therefore be fixed.
        Opcode::DynamicSlice | Opcode::Gather => {
            (!operand(0)?.is_dynamic() && !is_slice_dynamic(op)).then_some(Moves::EachToOne)
        }
        _ => None,
    }
}

/// Returns whether the size of the slice is dynamic: it then determines the range of valid offsets.
fn is_slice_dynamic(op: &Op<'_>) -> bool {
    *op.instruction.opcode() == Opcode::DynamicSlice
        && op.instruction.shape().as_array().is_none_or(ArrayShape::is_dynamic)
}

/// Returns whether an array of an op has a dynamic size, and all dynamic sizes have bounds.
pub(super) fn is_bounded(op: &Op<'_>) -> bool {
    let shapes = op.operands.iter().map(|operand| operand.shape());
    let mut all = shapes.chain([op.instruction.shape()]).flat_map(arrays);
    let (mut has_dynamic, mut has_bounds) = (false, true);
    all.by_ref().for_each(|(_, array)| {
        has_dynamic |= array.is_dynamic();
        has_bounds &= array.sizes().is_some();
    });
    has_dynamic && has_bounds
}
