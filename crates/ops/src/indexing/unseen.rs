//! Ops whose results depend on hidden state, on unknown elements, or on no elements.
//!
//! Laws: random numbers read the bounds of their distribution, beside a hidden state; a generator may read all of its operands;
//! the size of a dimension is not an element, and setting it moves no elements.
//! Source: XLA, *Operation semantics*, `RngUniform`, `RngBitGenerator`, `GetDimensionSize`, `SetDimensionSize`.

use super::builder::{everything, identity, scalar};
use super::op::{Entries, NoMap, Op, arrays, bounded_sizes, entry, require};
use super::reads::{OperandMap, OperandReads, Reads};

/// Returns the reads of a random-number op: the two parameters of its distribution. The semantics define no further operand.
pub(super) fn random(op: &Op<'_>) -> Entries {
    let output = bounded_sizes(op.array()?)?;
    let reads = |k: usize| {
        if k < 2 {
            op.check_scalar(k)?;
            return Ok(entry(k, Reads::exactly(scalar(&output))));
        }
        let name = op.instruction.name();
        let reason = format!("`{name}`: a distribution has two parameters, this is operand {k}");
        let map = everything(&output, &bounded_sizes(op.operand_array(k)?)?);
        Ok(entry(k, Reads::union([OperandMap::at_most(map, reason)])))
    };
    (0..op.operands.len()).map(reads).collect()
}

/// Returns an unknown answer, for this reason.
pub(super) fn unknown(reason: &str) -> Entries {
    Err(NoMap::unknown(reason))
}

/// Returns the answer that everything may be read, for this reason, for each pair of arrays.
pub(super) fn anything(op: &Op<'_>, reason: &str) -> Entries {
    let mut entries = Vec::new();
    let reason = format!("`{}`: {reason}", op.instruction.name());
    for (output, array) in arrays(op.instruction.shape()) {
        let sizes = bounded_sizes(array)?;
        for (operand, instruction) in op.operands.iter().enumerate() {
            for (operand_path, array) in arrays(instruction.shape()) {
                let map = everything(&sizes, &bounded_sizes(array)?);
                entries.push(OperandReads {
                    output: output.clone(),
                    operand,
                    operand_path,
                    reads: Reads::union([OperandMap::at_most(map, reason.clone())]),
                });
            }
        }
    }
    Ok(entries)
}

/// Returns the reads of a dimension's size: no element.
pub(super) fn dimension_size(op: &Op<'_>) -> Entries {
    op.one_dimension(op.operand_array(0)?.rank(), "")?;
    Ok(op.each_pair(&Reads::NOTHING))
}

/// Returns the reads of an op that sets the size of a dimension: the array, element by element.
pub(super) fn set_dimension_size(op: &Op<'_>) -> Entries {
    op.one_dimension(op.operand_array(0)?.rank(), "")?;
    op.check_scalar(1)?;
    let (output, operand) = (bounded_sizes(op.array()?)?, bounded_sizes(op.operand_array(0)?)?);
    require(output == operand, || "the operand has a different shape")?;
    let reason = format!(
        "`{}`: the size determines which elements exist, not their values",
        op.instruction.name()
    );
    let size = OperandMap::at_most(scalar(&output), reason);
    Ok(vec![entry(0, Reads::exactly(identity(&output))), entry(1, Reads::union([size]))])
}
