//! Custom-calls of libraries that decompose matrices, solve systems or compute attention: batch by batch, each as a whole.
//!
//! Law: an element of a result in a batch reads at most the elements of this batch from each operand; an array without leading
//! batch dimensions belongs to all batches. Bytes beside the results are scratch memory, which holds nothing.
//! Sources: JAX, `jaxlib/lapack.py` and `gpu_solver.py`; XLA, `cublas_cudnn.h`, `dot_product_attention` of `jax.nn`.

use super::builder::MapBuilder;
use super::op::{Entries, NoMap, Op, arrays, entry_of, fixed_sizes, require};
use super::reads::{OperandMap, Reads};
use affinor::expr::IndexingMap;
use affinor_hlo::element_type::ElementType;

/// Returns the reads of a call whose operand of highest rank holds batches of arrays of `rank` dimensions.
pub(super) fn of_rank(op: &Op<'_>, rank: usize) -> Entries {
    let mut widest: Vec<i64> = Vec::new();
    for k in 0..op.operands.len() {
        let sizes = op.operand_sizes(k)?;
        if sizes.len() > widest.len() {
            widest = sizes;
        }
    }
    let batch = widest.len().checked_sub(rank);
    let batch =
        batch.ok_or_else(|| NoMap::invalid("none of its operands has enough dimensions"))?;
    entries(op, &widest[..batch])
}

/// Returns the reads of an attention with queries, keys and values `[batch, .., .., ..]`.
pub(super) fn attention(op: &Op<'_>) -> Entries {
    let paged = op.instruction.backend_config("is_paged_attention");
    require(paged.is_none_or(|paged| paged == false), || "its keys and values are in pages")?;
    let mut batch = None;
    for k in 0..3 {
        let sizes = op.operand_sizes(k)?;
        let is_one = sizes.len() == 4 && batch.is_none_or(|batch| batch == sizes[0]);
        require(is_one, || "expected queries, keys and values of one batch")?;
        batch = Some(sizes[0]);
    }
    entries(op, batch.as_slice())
}

fn entries(op: &Op<'_>, batch: &[i64]) -> Entries {
    let reason = format!("`{}`: a library reads all of it, or a part", op.instruction.name());
    let mut entries = Vec::new();
    for (path, array) in arrays(op.instruction.shape()) {
        let output = fixed_sizes(array)?;
        let is_scratch =
            output.len() == 1 && matches!(array.element_type(), ElementType::S8 | ElementType::U8);
        for k in 0..op.operands.len() {
            let reads = match is_scratch {
                true => Reads::NOTHING,
                false => {
                    let map = same_batch(batch, &output, &op.operand_sizes(k)?);
                    Reads::union([OperandMap::at_most(map, reason.clone())])
                }
            };
            entries.push(entry_of(&path, k, reads));
        }
    }
    Ok(entries)
}

fn same_batch(batch: &[i64], output: &[i64], operand: &[i64]) -> IndexingMap {
    let mut builder = MapBuilder::over(output);
    let is_batched = output.starts_with(batch) && operand.starts_with(batch);
    let shared = if is_batched { batch.len() } else { 0 };
    let mut results = builder.dimensions();
    results.truncate(shared);
    results.extend(operand[shared..].iter().map(|size| builder.range(*size)));
    builder.finish(results)
}
