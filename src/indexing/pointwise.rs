//! Pointwise ops: each output element reads the element at the same index of each operand.
//!
//! Law: `output[d] = f(operand_0[d], operand_1[d], ..)`, where an operand of rank 0 beside an output
//! that is no scalar is read by every element (the predicate of a select, the bounds of a clamp).
//! Source: XLA, *Operation semantics*, element-wise ops.

use super::NoMap;
use super::builder::{identity, scalar};
use crate::map::IndexingMap;

/// The map from an output to one operand.
pub(super) fn output_to_operand(output: &[i64], operand: &[i64]) -> Result<IndexingMap, NoMap> {
    if operand == output {
        Ok(identity(output))
    } else if operand.is_empty() {
        Ok(scalar(output))
    } else {
        Err(NoMap::invalid(format!(
            "a pointwise op of sizes {output:?} has an operand of sizes {operand:?}"
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::indexing::testing::{built, check_against};

    #[test]
    fn reads_the_same_index_or_the_scalar() {
        let same = built(output_to_operand(&[2, 3], &[2, 3]));
        check_against(&[same], &[2, 3], |d| vec![d.to_vec()]);
        let one = built(output_to_operand(&[2, 3], &[]));
        check_against(&[one], &[2, 3], |_| vec![vec![]]);
        let scalars = built(output_to_operand(&[], &[]));
        check_against(&[scalars], &[], |_| vec![vec![]]);
        let nothing = built(output_to_operand(&[0, 3], &[0, 3]));
        assert!(nothing.domain().is_known_empty());
    }

    #[test]
    fn refuses_other_sizes() {
        assert!(matches!(output_to_operand(&[2, 3], &[3]), Err(NoMap::Invalid(_))));
        assert!(matches!(output_to_operand(&[2, 3], &[3, 2]), Err(NoMap::Invalid(_))));
    }
}
