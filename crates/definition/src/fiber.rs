//! Ops whose result elements read whole rows of an operand.
//!
//! *Operation semantics*, "Sort", "TopK", "Fft".

use super::access::{Access, Definition};
use super::op::{NoDefinition, Op};
use super::relation::{Relation, d, i};
use std::collections::BTreeSet;

/// Returns the elements whose index agrees with `d` in all dimensions except `whole`.
fn along(output: &[i64], operand: &[i64], whole: &[usize]) -> Result<Relation, NoDefinition> {
    let mut reads = Relation::new(output, operand);
    for k in (0..output.len()).filter(|k| !whole.contains(k)) {
        reads.equate(d(k), i(k))?;
    }
    Ok(reads)
}

/// "Sorts the operands along the provided dimension": the new position of an element is determined by comparing the elements of
/// the row that the comparator uses; each operand's elements only move within it.
pub(super) fn sort(op: &Op<'_>) -> Result<Definition, NoDefinition> {
    let n = op.operand_count();
    let sizes = op.operand(0)?;
    let dimension = op.one_dimension(sizes.len())?;
    let compares = sizes.get(dimension).is_some_and(|size| *size > 1);
    let used = op.used("to_apply")?;
    let is_exact = used.as_ref().is_none_or(|used| used.is_exact);
    let keys: BTreeSet<usize> = match used.as_ref().map(|used| &used.parts[..]) {
        _ if !compares => BTreeSet::new(),
        Some([used]) => used.iter().map(|parameter| parameter / 2).collect(),
        _ => (0..n).collect(),
    };
    let mut accesses = Vec::new();
    for (part, path) in op.output_paths(n)?.iter().enumerate() {
        let output = op.output_part(path)?;
        let moved = [part].into_iter().filter(|k| !keys.contains(k));
        for operand in keys.iter().copied().chain(moved) {
            let reads = along(&output, &op.operand(operand)?, &[dimension])?;
            let access = Access::new(operand, reads).of_output(path);
            accesses.push(match keys.contains(&operand) || !compares {
                true if is_exact || !compares => access,
                true => access.at_most("the comparator may leave an operand unused"),
                false => access.possibly("values decide which element of the row it is"),
            });
        }
    }
    Ok(accesses.into_iter().collect())
}

/// "Finds values and indices of the k largest elements for the last dimension": compares the whole row.
pub(super) fn topk(op: &Op<'_>) -> Result<Definition, NoDefinition> {
    let operand = op.operand(0)?;
    let last = operand.len().saturating_sub(1);
    let part = |path: &Vec<usize>| {
        let reads = along(&op.output_part(path)?, &operand, &[last])?;
        Ok(Access::new(0, reads).of_output(path))
    };
    op.output_paths(2)?.iter().map(part).collect()
}

/// "Forward and inverse Fourier transforms for real and complex inputs" over the last dimensions, as many as `fft_length`
/// lists: each result element is a sum over all of them.
pub(super) fn fft(op: &Op<'_>) -> Result<Definition, NoDefinition> {
    let Ok(Some(lengths)) = op.instruction.numbers("fft_length") else {
        return Err(op.invalid("`fft_length` must list the transformed sizes"));
    };
    let (output, operand) = (op.output()?, op.operand(0)?);
    let Some(first) = output.len().checked_sub(lengths.len()) else {
        return Err(op.invalid("`fft_length` lists more sizes than there are dimensions"));
    };
    let whole: Vec<usize> = (first..output.len()).collect();
    let reads = along(&output, &operand, &whole)?;
    Ok(Definition::from_iter([Access::new(0, reads)]))
}
