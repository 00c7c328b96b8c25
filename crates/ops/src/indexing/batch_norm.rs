//! Batch normalization: each feature is normalized over all other dimensions.
//!
//! Laws, with feature `f` of `d`: inference reads the element itself and the four statistics at `f`. Training computes mean and
//! variance of all elements with feature `f` of its operand, and also returns them. The gradient needs, beside the statistics,
//! operand and incoming gradient at all elements with feature `f`; that of the scale does not need the scale, and that of the
//! offset only the incoming gradient. Source: XLA, *Operation semantics*, `BatchNormTraining`, `BatchNormInference`,
//! `BatchNormGrad`.

use super::builder::{MapBuilder, identity};
use super::op::{Entries, NoMap, Op, arrays, entry_of, fixed_sizes, require};
use super::reads::Reads;
use affinor::expr::IndexingMap;
use affinor_hlo::opcode::Opcode;

/// The elements of an operand that an output element reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum How {
    /// The element at the same index.
    Same,
    /// The statistic of the feature.
    Feature,
    /// All elements with the feature.
    All,
    Not,
}

/// Returns the reads of a batch normalization.
pub(super) fn entries(op: &Op<'_>) -> Entries {
    use How::{All, Feature, Not, Same};
    // A row for each result, a column for each operand.
    let (rows, full): (&[&[How]], &[usize]) = match op.instruction.opcode() {
        Opcode::BatchNormInference => (&[&[Same, Feature, Feature, Feature, Feature]], &[0]),
        Opcode::BatchNormTraining => {
            (&[&[All, Feature, Feature], &[All, Not, Not], &[All, Not, Not]], &[0])
        }
        _ => (
            &[
                &[All, Feature, Feature, Feature, All],
                &[All, Not, Feature, Feature, All],
                &[Not, Not, Not, Not, All],
            ],
            &[0, 4],
        ),
    };
    let operand = op.operand_sizes(0)?;
    let feature = op.instruction.number("feature_index")?;
    let feature = feature.and_then(|feature| usize::try_from(feature).ok());
    let Some((feature, features)) = feature.and_then(|k| Some((k, *operand.get(k)?))) else {
        return Err(NoMap::invalid("expected a dimension of the operand as `feature_index`"));
    };
    for k in 0..op.operands.len() {
        let expected = if full.contains(&k) { operand.clone() } else { vec![features] };
        require(op.operand_sizes(k)? == expected, || {
            format!("expected sizes {expected:?} for operand {k}")
        })?;
    }
    let outputs = arrays(op.instruction.shape());
    if outputs.len() != rows.len() {
        return Err(NoMap::invalid(format!(
            "expected {} result(s), found {}",
            rows.len(),
            outputs.len()
        )));
    }
    let mut entries = Vec::new();
    for (i, ((path, array), row)) in outputs.into_iter().zip(rows).enumerate() {
        let output = fixed_sizes(array)?;
        let expected = if i == 0 { operand.clone() } else { vec![features] };
        require(output == expected, || format!("expected sizes {expected:?} for result {i}"))?;
        for (k, how) in row.iter().enumerate() {
            let reads = match how {
                Same => Reads::exactly(identity(&output)),
                Feature => Reads::exactly(of_feature(&output, feature)),
                All => Reads::exactly(with_feature(&output, &operand, feature)),
                Not => Reads::NOTHING,
            };
            entries.push(entry_of(&path, k, reads));
        }
    }
    Ok(entries)
}

/// Returns the map from an output of full rank to the statistic of its feature, or from a statistic to another one.
fn of_feature(output: &[i64], feature: usize) -> IndexingMap {
    let builder = MapBuilder::over(output);
    let at = if output.len() == 1 { 0 } else { feature };
    let results = builder.dimensions().into_iter().skip(at).take(1).collect();
    builder.finish(results)
}

/// Returns the map from an output of full rank, or from a statistic, to all elements with its feature.
fn with_feature(output: &[i64], operand: &[i64], feature: usize) -> IndexingMap {
    let mut builder = MapBuilder::over(output);
    let dimensions = builder.dimensions();
    let at = if output.len() == operand.len() { feature } else { 0 };
    let mut results = Vec::with_capacity(operand.len());
    for (k, size) in operand.iter().enumerate() {
        results.push(match dimensions.get(at) {
            Some(index) if k == feature => index.clone(),
            _ => builder.range(*size),
        });
    }
    builder.finish(results)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::indexing::testing::{check_against, points, sizes};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn reads_what_the_loop_reads(sizes in sizes(), at in any::<prop::sample::Index>()) {
            if sizes.is_empty() {
                return Ok(());
            }
            let feature = at.index(sizes.len());
            let all = |f: i64| -> Vec<Vec<i64>> {
                points(&sizes).into_iter().filter(|i| i[feature] == f).collect()
            };
            check_against(&[with_feature(&sizes, &sizes, feature)], &sizes, |d| all(d[feature]));
            check_against(&[of_feature(&sizes, feature)], &sizes, |d| vec![vec![d[feature]]]);
            let statistic = [sizes[feature]];
            check_against(&[with_feature(&statistic, &sizes, feature)], &statistic, |d| all(d[0]));
            check_against(&[of_feature(&statistic, feature)], &statistic, |d| vec![d.to_vec()]);
        }
    }
}
