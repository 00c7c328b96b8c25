//! Custom-calls whose target has a published meaning: another op, or the identity up to the location of an array.
//!
//! The targets are those of XLA: `host_offload_utils.h` and `spmd_partitioner` for arrays that are passed on unchanged, `TopK`
//! as the op "TopK" of *Operation semantics*; routines of LAPACK, cuSOLVER and cuDNN process each batch separately. Matrix
//! products and convolutions of libraries have no definition here: additions and scales are specified by their own
//! configurations. If a table gives one of these targets another meaning, the published one applies.

use super::access::{Access, Definition};
use super::elementwise;
use super::fiber;
use super::op::{NoDefinition, Op, same_index};
use super::points;
use super::relation::{Relation, d, i};
use affinor_hlo::attribute::AttributeValue;
use affinor_hlo::element_type::ElementType;
use affinor_hlo::shape::Shape;

pub(super) fn custom_call(op: &Op<'_>) -> Result<Definition, NoDefinition> {
    let target = op.instruction.attributes().get("custom_call_target");
    let target = match target.map(|attribute| attribute.value()) {
        Some(AttributeValue::String(target)) => &**target,
        _ => "",
    };
    match target {
        "MoveToHost"
        | "MoveToDevice"
        | "annotate_device_placement"
        | "Pin"
        | "Unpin"
        | "Sharding"
        | "xla.sdy.FuncResultSharding" => unchanged(op),
        "TopK" | "__gpu$TopK" => fiber::topk(op),
        "linalg.generic" | "memref.access" => points::points(op),
        // "Returns .. element-wise": ChloOps.td.
        "chlo.asin_acos_kernel"
        | "chlo.atan"
        | "chlo.bessel_i1e"
        | "chlo.conj"
        | "chlo.digamma"
        | "chlo.erf_inv"
        | "chlo.erfc"
        | "chlo.is_inf"
        | "chlo.is_neg_inf"
        | "chlo.is_pos_inf"
        | "chlo.lgamma"
        | "chlo.next_after"
        | "chlo.polygamma"
        | "chlo.zeta" => elementwise::pointwise(op),
        _ => match batched(target) {
            Some(batched) => by_batch(op, batched),
            None => Err(op.unknown("no definition is stated for its target")),
        },
    }
}

/// The dimensions that a library routine treats as batches.
enum Batched {
    /// All except this number of last dimensions of the operand with the highest rank.
    AllBut(usize),
    /// The first dimension.
    First,
}

fn batched(target: &str) -> Option<Batched> {
    let of_matrices = ["lapack_", "blas_", "cusolver_", "hipsolver_", "cublas_", "hipblas_"];
    match target {
        "__cusolver$cholesky" | "__cublas$triangularSolve" | "Qr" | "LuDecomposition" | "Eigh" => {
            Some(Batched::AllBut(2))
        }
        "ProductOfElementaryHouseholderReflectors" => Some(Batched::AllBut(2)),
        _ if target.ends_with("lu_pivots_to_permutation") => Some(Batched::AllBut(1)),
        _ if target.starts_with("__cudnn$fmha") => Some(Batched::First),
        _ => {
            let is_one = of_matrices.iter().any(|library| target.starts_with(library));
            is_one.then_some(Batched::AllBut(2))
        }
    }
}

/// "Batched routines": the results of a batch depend only on the operands of the same batch, and may depend on all of these.
fn by_batch(op: &Op<'_>, batched: Batched) -> Result<Definition, NoDefinition> {
    let operands = (0..op.operand_count()).map(|k| op.operand(k));
    let operands: Vec<Vec<i64>> = operands.collect::<Result<_, _>>()?;
    let longest = operands.iter().rev().max_by_key(|sizes| sizes.len());
    let batch = match (batched, longest) {
        (Batched::AllBut(rank), Some(sizes)) if sizes.len() >= rank => {
            sizes[..sizes.len() - rank].to_vec()
        }
        (Batched::First, Some(_)) => operands[0].iter().copied().take(1).collect(),
        _ => return Err(op.unknown("its operands have too few dimensions")),
    };
    let mut accesses = Vec::new();
    for (path, leaf) in op.instruction.shape().leaves() {
        let Shape::Array(array) = leaf else {
            continue;
        };
        let output = op.sizes(array)?;
        if output.len() == 1 && matches!(array.element_type(), ElementType::S8 | ElementType::U8) {
            continue; // scratch memory
        }
        for (k, sizes) in operands.iter().enumerate() {
            let mut reads = Relation::new(&output, sizes);
            let has_batch = |sizes: &[i64]| sizes.get(..batch.len()) == Some(&batch[..]);
            if has_batch(&output) && has_batch(sizes) {
                for dimension in 0..batch.len() {
                    reads.equate(d(dimension), i(dimension))?;
                }
            }
            let access = Access::new(k, reads).of_output(&path);
            accesses.push(access.possibly("which elements a library reads is its own matter"));
        }
    }
    Ok(accesses.into_iter().collect())
}

/// Each array of the result is the operand of the same number, with the same sizes.
fn unchanged(op: &Op<'_>) -> Result<Definition, NoDefinition> {
    let paths = op.output_paths(op.operand_count())?;
    let access = |(operand, path): (usize, &Vec<usize>)| {
        let reads = same_index(&op.output_part(path)?, &op.operand(operand)?)?;
        Ok(Access::new(operand, reads).of_output(path))
    };
    paths.iter().enumerate().map(access).collect()
}
