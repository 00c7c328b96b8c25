//! Ops whose results depend on more, or less, than elements at known indices.
//!
//! Laws: random numbers read the bounds of their distribution, beside a hidden state; a generator and a scan
//! may read all they are given; the size of a dimension is no element, and setting it moves none.
//! Source: XLA, *Operation semantics*, `RngUniform`, `RngBitGenerator`, `GetDimensionSize`, `SetDimensionSize`.

use super::builder::{everything, identity, scalar};
use super::op::{Entries, NoMap, Op, arrays, bounded_sizes, entry, require};
use super::reads::{OperandMap, OperandReads, Reads};

/// What random numbers read: the two parameters of their distribution. The semantics know no further operand.
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

/// No answer, because of `reason`.
pub(super) fn unknown(reason: &str) -> Entries {
    Err(NoMap::unknown(reason))
}

/// At most everything, because of `reason`, for each pair of arrays.
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

/// What the size of a dimension reads: no element.
pub(super) fn dimension_size(op: &Op<'_>) -> Entries {
    op.one_dimension(op.operand_array(0)?.rank(), "")?;
    Ok(op.each_pair(&Reads::NOTHING))
}

/// The reads of an array from which the size of a dimension is set.
pub(super) fn set_dimension_size(op: &Op<'_>) -> Entries {
    op.one_dimension(op.operand_array(0)?.rank(), "")?;
    op.check_scalar(1)?;
    let (output, operand) = (bounded_sizes(op.array()?)?, bounded_sizes(op.operand_array(0)?)?);
    require(output == operand, || "the operand has another shape")?;
    let reason = format!(
        "`{}`: the size says which elements there are, not what they hold",
        op.instruction.name()
    );
    let size = OperandMap::at_most(scalar(&output), reason);
    Ok(vec![entry(0, Reads::exactly(identity(&output))), entry(1, Reads::union([size]))])
}
