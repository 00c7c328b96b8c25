//! Ops that compute each element of the result from the elements at the same index.
//!
//! *Operation semantics*, "Element-wise unary functions", "Element-wise binary arithmetic operations",
//! "Select", "Clamp", "Map", "BitcastConvertType", "BatchNorm..".

use super::access::{Access, Definition};
use super::named::Array;
use super::op::{NoDefinition, Op, same_index};
use super::relation::{Relation, d, i};
use affinor_hlo::opcode::Opcode;

/// "For each element in the operand array": `d = i`.
pub(super) fn pointwise(op: &Op<'_>) -> Result<Definition, NoDefinition> {
    let access = |k| Ok(Access::new(k, op.same_index(k)?));
    (0..op.operand_count()).map(access).collect()
}

/// "The predicate may be a scalar; it then chooses one of the arrays as a whole", and the bounds of a clamp may be scalars,
/// too: every element reads a scalar.
pub(super) fn with_scalars(op: &Op<'_>, scalars: &[usize]) -> Result<Definition, NoDefinition> {
    let access = |k| {
        let is_scalar = scalars.contains(&k) && op.rank(Array::Operand(k))? == 0;
        let reads = match is_scalar {
            true => op.all_pairs(k)?,
            false => op.same_index(k)?,
        };
        Ok(Access::new(k, reads))
    };
    (0..op.operand_count()).map(access).collect()
}

/// "Applies a scalar function over the given operands": reads the operands that the function uses.
pub(super) fn map(op: &Op<'_>) -> Result<Definition, NoDefinition> {
    let used = op.used("to_apply")?;
    let is_used = |k: &usize| {
        let parts = used.as_ref().and_then(|used| used.parts.first());
        parts.is_none_or(|parameters| parameters.contains(k))
    };
    let is_exact = used.as_ref().is_none_or(|used| used.is_exact);
    let access = |k| {
        let access = Access::new(k, op.same_index(k)?);
        Ok(access.at_most_unless(is_exact, "the function may leave an operand unused"))
    };
    (0..op.operand_count()).filter(is_used).map(access).collect()
}

/// "If the widths differ, the shape changes by one minor dimension": the bits of an element on one side
/// are the bits of a row on the other.
pub(super) fn bitcast_convert(op: &Op<'_>) -> Result<Definition, NoDefinition> {
    let mut reads = op.relation(0)?;
    let rank = reads.output().len().min(reads.operand().len());
    for k in 0..rank {
        reads.equate(d(k), i(k))?;
    }
    Ok(Definition::from_iter([Access::new(0, reads)]))
}

/// "Normalizes an array across batch and spatial dimensions": results for a feature read the elements and statistics of that
/// feature.
pub(super) fn batch_norm(op: &Op<'_>) -> Result<Definition, NoDefinition> {
    let feature = op.instruction.number("feature_index");
    let feature = feature.ok().flatten().unwrap_or(0);
    let feature =
        usize::try_from(feature).map_err(|_| op.invalid("the feature dimension is at least 0"))?;
    // For each part of the result: whether it is an array over features only, and its operands.
    let parts: &[(bool, &[usize])] = match op.instruction.opcode() {
        Opcode::BatchNormInference => &[(false, &[0, 1, 2, 3, 4])],
        Opcode::BatchNormTraining => &[(false, &[0, 1, 2]), (true, &[0]), (true, &[0])],
        _ => &[(false, &[0, 1, 2, 3, 4]), (true, &[0, 2, 3, 4]), (true, &[4])],
    };
    let paths = op.output_paths(parts.len())?;
    let mut accesses = Vec::new();
    for ((of_features, operands), path) in parts.iter().zip(&paths) {
        let output = op.output_part(path)?;
        let in_output = if *of_features { 0 } else { feature };
        for &k in *operands {
            let operand = op.operand(k)?;
            let reads = if op.instruction.opcode() == &Opcode::BatchNormInference && k == 0 {
                same_index(&output, &operand)?
            } else {
                let in_operand = if operand.len() == 1 { 0 } else { feature };
                let mut reads = Relation::new(&output, &operand);
                reads.equate(d(in_output), i(in_operand))?;
                reads
            };
            accesses.push(Access::new(k, reads).of_output(path));
        }
    }
    Ok(accesses.into_iter().collect())
}
