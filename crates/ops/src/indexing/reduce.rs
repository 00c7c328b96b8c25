//! Reduce: folds the operand's elements along some dimensions.
//!
//! Law: `output[d]` folds `operand[i]` over all `i` whose indices in the remaining dimensions are `d`, starting from the
//! initial value. Each reduced dimension becomes a range variable, in operand order. A variadic reduce has one input and one
//! initial value for each result, all inputs of one shape.
//! Source: XLA, *Operation semantics*, `Reduce`.

use super::builder::{MapBuilder, check_dimensions, scalar};
use super::op::{Callee, Entries, NoMap, Op, entry_of, fixed_sizes, require};
use super::reads::Reads;
use super::reducer::{Dependence, Needs};
use affinor::expr::IndexingMap;

/// Returns the reads of each input and of each initial value by each result of a reduce.
pub(super) fn entries(op: &Op<'_>, callee: &mut Callee<'_, '_>) -> Entries {
    let outputs = op.outputs_of_pairs(0)?;
    let n = outputs.len();
    let input = op.operand_sizes(0)?;
    let reduced = op.instruction.dimensions(input.len())?;
    let folded = reduced.iter().filter_map(|k| input.get(*k));
    // Only whether the count is 0, and whether it is less than n, matters, so it may saturate.
    let count = folded.fold(1i64, |count, size| count.saturating_mul(*size));
    let needs = Needs::of_op(op, "to_apply", n, callee)?.folded(count);
    let name = op.instruction.name();
    let mut entries = Vec::new();
    for (i, (path, array)) in outputs.into_iter().enumerate() {
        let output = fixed_sizes(array)?;
        for j in 0..n {
            let map = output_to_input(&output, &op.operand_sizes(j)?, &reduced)?;
            let reads = needs.need(i, j).restrict(name, &Reads::exactly(map));
            entries.push(entry_of(&path, j, reads));
        }
        for j in 0..n {
            op.check_scalar(n + j)?;
            let needed = match count {
                0 if i == j => Dependence::Yes, // an empty fold is its initial value
                0 => Dependence::No,
                _ => needs.need(i, j),
            };
            let reads = needed.restrict(name, &Reads::exactly(scalar(&output)));
            entries.push(entry_of(&path, n + j, reads));
        }
    }
    Ok(entries)
}

/// Returns the map from a result to an input.
pub(super) fn output_to_input(
    output: &[i64],
    input: &[i64],
    reduced: &[usize],
) -> Result<IndexingMap, NoMap> {
    check_dimensions("reduce", reduced, input.len())?;
    let kept: Vec<i64> = (0..)
        .zip(input)
        .filter(|(dimension, _)| !reduced.contains(dimension))
        .map(|(_, size)| *size)
        .collect();
    require(kept == output, || {
        format!(
            "reduce of sizes {input:?} along dimensions {reduced:?} does not give sizes {output:?}"
        )
    })?;
    let mut builder = MapBuilder::over(output);
    let mut stay = builder.dimensions().into_iter();
    let mut results = Vec::with_capacity(input.len());
    for (dimension, size) in input.iter().enumerate() {
        if reduced.contains(&dimension) {
            results.push(builder.range(*size));
        } else {
            results.extend(stay.next());
        }
    }
    Ok(builder.finish(results))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::indexing::testing::{built, check_against, chosen_sizes, points};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn reads_what_the_loop_reads((input, reduced) in chosen_sizes()) {
            let kept: Vec<usize> = (0..input.len()).filter(|k| !reduced.contains(k)).collect();
            let output: Vec<i64> = kept.iter().map(|k| input[*k]).collect();
            let map = built(output_to_input(&output, &input, &reduced));
            let all = points(&input);
            check_against(&[map], &output, |d| {
                let agrees = |i: &&Vec<i64>| kept.iter().zip(d).all(|(k, x)| i[*k] == *x);
                all.iter().filter(agrees).cloned().collect()
            });
        }
    }

    #[test]
    fn refuses_what_does_not_fit() {
        assert!(output_to_input(&[2], &[2, 3], &[0]).is_err());
        assert!(output_to_input(&[2], &[2, 3], &[2]).is_err());
        assert!(output_to_input(&[2], &[2, 3, 3], &[1, 1]).is_err());
    }
}
