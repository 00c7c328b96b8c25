//! Ops that move elements: each element of the result is one element of an operand.
//!
//! *Operation semantics*, "Slice", "Rev (reverse)", "Transpose", "Broadcast", "Concatenate", "Pad".

use super::access::{Access, Definition};
use super::named::Array;
use super::op::{NoDefinition, Op};
use super::relation::{Relation, Sum, d, i};

/// "Extracts a sub-array from the input array", from `start` in steps of `stride`: `i = start + stride * d`.
pub(super) fn slice(op: &Op<'_>) -> Result<Definition, NoDefinition> {
    let mut reads = op.relation(0)?;
    let ranges = op.instruction.slice_ranges(reads.operand().len())?;
    for (k, range) in ranges.iter().enumerate() {
        reads.equate(i(k), d(k) * range.stride + range.start)?;
    }
    one(reads)
}

/// "Each element at index i is moved to N - 1 - i" in the listed dimensions: `d + i = n - 1`.
pub(super) fn reverse(op: &Op<'_>) -> Result<Definition, NoDefinition> {
    let mut reads = op.relation(0)?;
    let rank = reads.operand().len();
    let reversed = op.instruction.dimensions(rank)?;
    for k in 0..rank {
        let size = op.size(&mut reads, Array::Operand(0), k)?;
        match reversed.contains(&k) {
            true => reads.equate(d(k) + i(k) + 1, size)?,
            false => reads.equate(d(k), i(k))?,
        }
    }
    one(reads)
}

/// "Permutes the operand dimensions with the given permutation": `d_k = i_perm[k]`.
pub(super) fn transpose(op: &Op<'_>) -> Result<Definition, NoDefinition> {
    let mut reads = op.relation(0)?;
    let permutation = op.instruction.dimensions(reads.operand().len())?;
    for (k, from) in permutation.into_iter().enumerate() {
        reads.equate(d(k), i(from))?;
    }
    one(reads)
}

/// "`broadcast_dimensions[k]` is the dimension of the result that dimension k of the operand
/// corresponds to": `i_k = d_dimensions[k]`.
pub(super) fn broadcast(op: &Op<'_>) -> Result<Definition, NoDefinition> {
    let mut reads = op.relation(0)?;
    let (rank, operand_rank) = (reads.output().len(), reads.operand().len());
    let dimensions = op.instruction.optional_dimensions("dimensions", rank)?;
    if dimensions.len() != operand_rank {
        return Err(op.invalid("`dimensions` must list a dimension for each one of the operand"));
    }
    for (k, to) in dimensions.into_iter().enumerate() {
        reads.equate(i(k), d(to))?;
    }
    one(reads)
}

/// "Composes an array from multiple array operands", in sequence along one dimension:
/// `d_c = i_c + the sizes before`.
pub(super) fn concatenate(op: &Op<'_>) -> Result<Definition, NoDefinition> {
    let rank = op.rank(Array::Result)?;
    let along = op.one_dimension(rank)?;
    let mut accesses = Vec::new();
    for operand in 0..op.operand_count() {
        let mut reads = op.relation(operand)?;
        let mut before = Sum::from(0);
        for earlier in 0..operand {
            before = before + op.size(&mut reads, Array::Operand(earlier), along)?;
        }
        for k in 0..rank {
            match k == along {
                true => reads.equate(d(k), i(k) + before.clone())?,
                false => reads.equate(d(k), i(k))?,
            }
        }
        accesses.push(Access::new(operand, reads));
    }
    Ok(accesses.into_iter().collect())
}

/// "Expands the given operand array by padding around the array as well as between the elements":
/// `d = low + (interior + 1) * i`. The padding value is read if this has no solution.
pub(super) fn pad(op: &Op<'_>) -> Result<Definition, NoDefinition> {
    let mut reads = op.relation(0)?;
    let padding = op.instruction.padding(reads.operand().len())?;
    for (k, padding) in padding.iter().enumerate() {
        let step = padding.interior.saturating_add(1);
        reads.equate(d(k), i(k) * step + padding.low)?;
    }
    let value = Access::new(1, op.relation(1)?).unless(reads.clone());
    Ok(Definition::from_iter([Access::new(0, reads), value]))
}

fn one(reads: Relation) -> Result<Definition, NoDefinition> {
    Ok(Definition::from_iter([Access::new(0, reads)]))
}
