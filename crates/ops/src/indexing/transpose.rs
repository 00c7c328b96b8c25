//! Transpose and reverse: permute the operand's dimensions, or reverse their order of elements.
//!
//! Laws: transpose has `output[d] = operand[i]` with `i_{dimensions[k]} = d_k`; reverse has
//! `i_k = size_k - 1 - d_k` for each reversed dimension `k` and `i_k = d_k` for the others.
//! Source: XLA, *Operation semantics*, `Transpose` and `Rev`.
//! For all sizes: the laws `transpose-*` and `reverse-*` of `rules/ops.rules`.

use super::builder::{MapBuilder, check_dimensions};
use super::op::{Entries, NoMap, Op, require};
use affinor::expr::{Expr, IndexingMap};

/// Returns the reads of a transpose.
pub(super) fn transpose_entries(op: &Op<'_>) -> Entries {
    op.single(|output, operand| {
        transpose_to_operand(output, operand, &op.instruction.dimensions(operand.len())?)
    })
}

/// Returns the reads of a reverse.
pub(super) fn reverse_entries(op: &Op<'_>) -> Entries {
    op.single(|output, operand| {
        reverse_to_operand(output, operand, &op.instruction.dimensions(output.len())?)
    })
}

/// Returns the map of a transpose: the inverse of the permutation.
pub(super) fn transpose_to_operand(
    output: &[i64],
    operand: &[i64],
    permutation: &[usize],
) -> Result<IndexingMap, NoMap> {
    check_dimensions("transpose", permutation, operand.len())?;
    let permuted: Vec<i64> =
        permutation.iter().filter_map(|dimension| operand.get(*dimension).copied()).collect();
    let fits = permuted == output && permutation.len() == operand.len();
    require(fits, || {
        format!("transpose by {permutation:?} of sizes {operand:?} does not give sizes {output:?}")
    })?;
    let builder = MapBuilder::over(output);
    let mut results = builder.dimensions();
    for (source, index) in permutation.iter().zip(builder.dimensions()) {
        if let Some(result) = results.get_mut(*source) {
            *result = index;
        }
    }
    Ok(builder.finish(results))
}

/// Returns the map of a reverse; it is its own inverse.
pub(super) fn reverse_to_operand(
    output: &[i64],
    operand: &[i64],
    reversed: &[usize],
) -> Result<IndexingMap, NoMap> {
    check_dimensions("reverse", reversed, output.len())?;
    require(output == operand, || {
        format!("reverse of sizes {operand:?} does not give sizes {output:?}")
    })?;
    let builder = MapBuilder::over(output);
    let mut results = Vec::with_capacity(output.len());
    for (dimension, (index, size)) in builder.dimensions().into_iter().zip(output).enumerate() {
        results.push(if reversed.contains(&dimension) {
            Expr::sum(size.saturating_sub(1), [(-1, index)])?
        } else {
            index
        });
    }
    Ok(builder.finish(results))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::indexing::testing::{built, check_against, chosen_sizes, permuted_sizes};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn transpose_reads_what_the_loop_reads((operand, permutation) in permuted_sizes()) {
            let output: Vec<i64> = permutation.iter().map(|k| operand[*k]).collect();
            let map = built(transpose_to_operand(&output, &operand, &permutation));
            check_against(&[map], &output, |d| {
                let mut index = vec![0; operand.len()];
                for (k, source) in permutation.iter().enumerate() {
                    index[*source] = d[k];
                }
                vec![index]
            });
        }

        #[test]
        fn reverse_reads_what_the_loop_reads((sizes, reversed) in chosen_sizes()) {
            let map = built(reverse_to_operand(&sizes, &sizes, &reversed));
            check_against(&[map], &sizes, |d| {
                let mut index = d.to_vec();
                for k in &reversed {
                    index[*k] = sizes[*k] - 1 - d[*k];
                }
                vec![index]
            });
        }
    }

    #[test]
    fn refuses_what_does_not_fit() {
        assert!(transpose_to_operand(&[2, 3], &[2, 3], &[1, 0]).is_err());
        assert!(transpose_to_operand(&[2, 2], &[2, 2], &[0, 0]).is_err());
        assert!(transpose_to_operand(&[2], &[2, 1], &[0]).is_err());
        assert!(reverse_to_operand(&[2, 3], &[3, 2], &[0]).is_err());
        assert!(reverse_to_operand(&[2, 3], &[2, 3], &[2]).is_err());
    }
}
