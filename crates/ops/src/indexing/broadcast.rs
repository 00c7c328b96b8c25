//! Broadcast: repeats the operand along new dimensions.
//!
//! Law: `output[d] = operand[i]` with `i_k = d_{dimensions[k]}`. A scalar needs no `dimensions`.
//! Source: XLA, *Operation semantics*, `BroadcastInDim` without size-1 expansion (the `broadcast` of HLO).
//! For all sizes: the law `broadcast-in-bounds` of `rules/ops.rules`.

use super::builder::{MapBuilder, check_dimensions};
use super::op::{Entries, NoMap, Op, require};
use affinor::expr::IndexingMap;

/// Returns the reads of a broadcast.
pub(super) fn entries(op: &Op<'_>) -> Entries {
    op.single(|output, operand| {
        let dimensions = match operand.is_empty() {
            true => op.instruction.optional_dimensions("dimensions", output.len()),
            false => op.instruction.dimensions(output.len()),
        };
        output_to_operand(output, operand, &dimensions?)
    })
}

/// `(d..) -> (d_{dimensions[0]}, ..)`.
pub(super) fn output_to_operand(
    output: &[i64],
    operand: &[i64],
    dimensions: &[usize],
) -> Result<IndexingMap, NoMap> {
    if dimensions.len() != operand.len() {
        return Err(NoMap::invalid(format!(
            "broadcast names {} dimension(s) for an operand of rank {}",
            dimensions.len(),
            operand.len()
        )));
    }
    check_dimensions("broadcast", dimensions, output.len())?;
    let builder = MapBuilder::over(output);
    let indices = builder.dimensions();
    let mut results = Vec::with_capacity(operand.len());
    for (size, dimension) in operand.iter().zip(dimensions) {
        require(output.get(*dimension) == Some(size), || {
            format!(
                "broadcast puts a dimension of size {size} at dimension {dimension} of sizes {output:?}"
            )
        })?;
        results.extend(indices.get(*dimension).cloned());
    }
    Ok(builder.finish(results))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::indexing::testing::{built, check_against, chosen_sizes};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn reads_what_the_loop_reads((output, kept) in chosen_sizes()) {
            let operand: Vec<i64> = kept.iter().map(|k| output[*k]).collect();
            let map = built(output_to_operand(&output, &operand, &kept));
            check_against(&[map], &output, |d| vec![kept.iter().map(|k| d[*k]).collect()]);
        }
    }

    #[test]
    fn refuses_what_does_not_fit() {
        let rejects = |output: &[i64], operand: &[i64], dimensions: &[usize]| {
            let map = output_to_operand(output, operand, dimensions);
            assert!(matches!(map, Err(NoMap::Invalid(_))), "{map:?}");
        };
        rejects(&[2, 3], &[3], &[0]);
        rejects(&[2, 3], &[3], &[2]);
        rejects(&[2, 3], &[3], &[]);
        rejects(&[3, 3], &[3, 3], &[1, 1]);
        rejects(&[2, 3], &[1], &[0]);
    }
}
