//! Pointwise ops: each output element reads the element at the same index of each operand.
//!
//! Law: `output[d] = f(operand_0[d], operand_1[d], ..)`. The predicate of a select and the bounds of a clamp
//! may be scalars, which every element reads; no other op broadcasts.
//! Source: XLA, *Operation semantics*, element-wise ops.

use super::builder::{identity, scalar};
use super::op::{Callee, Entries, NoMap, Op, bounded_sizes, check_parameters, entry};
use super::reads::Reads;
use super::reducer::dependence_on;
use affinor::expr::IndexingMap;

/// Returns the reads of a pointwise op.
pub(super) fn entries(op: &Op<'_>) -> Entries {
    with_scalars(op, &[])
}

/// Returns the reads of a pointwise op; the operands `scalars` may be scalars even if the output has a different rank.
pub(super) fn with_scalars(op: &Op<'_>, scalars: &[usize]) -> Entries {
    let output = bounded_sizes(op.array()?)?;
    (0..op.operands.len())
        .map(|k| {
            let operand = bounded_sizes(op.operand_array(k)?)?;
            let map = match operand.is_empty() && scalars.contains(&k) {
                true => scalar(&output),
                false => output_to_operand(&output, &operand)?,
            };
            Ok(entry(k, Reads::exactly(map)))
        })
        .collect()
}

/// Returns the reads of a `map`: an operand that its computation does not use is not read.
pub(super) fn map_entries(op: &Op<'_>, callee: &mut Callee<'_, '_>) -> Entries {
    let mut entries = entries(op)?;
    let applied = op.instruction.computation_reference("to_apply")?;
    if let Some(target) = applied.target() {
        let (computation, reads) = callee(target)?;
        check_parameters(computation, op.operands.len())?;
        for entry in &mut entries {
            let needed = dependence_on(&reads, 0, entry.operand);
            entry.reads = needed.restrict(op.instruction.name(), &entry.reads);
        }
    }
    Ok(entries)
}

/// Returns the map from an output to one operand of the same sizes.
pub(super) fn output_to_operand(output: &[i64], operand: &[i64]) -> Result<IndexingMap, NoMap> {
    if operand == output {
        Ok(identity(output))
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
        check_against(&[scalar(&[2, 3])], &[2, 3], |_| vec![vec![]]);
        let scalars = built(output_to_operand(&[], &[]));
        check_against(&[scalars], &[], |_| vec![vec![]]);
        let nothing = built(output_to_operand(&[0, 3], &[0, 3]));
        assert!(nothing.domain().is_known_empty());
    }

    #[test]
    fn refuses_other_sizes() {
        for operand in [&[][..], &[3], &[3, 2]] {
            let refused = output_to_operand(&[2, 3], operand);
            assert!(matches!(refused, Err(NoMap::Invalid(_))), "{operand:?}");
        }
    }
}
