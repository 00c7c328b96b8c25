//! A dot as a fold over products.
//!
//! Law: integers are multiplied and summed in the type of the result; floats of at least 32 bits also are, but for rounding.

use super::texts::{array, listed};
use affinor_hlo::module::{Computation, Instruction};

/// Returns the operation as a computation of its operands; that of floats only if `is_rounded`.
pub(super) fn text(
    computation: &Computation,
    instruction: &Instruction,
    is_rounded: bool,
) -> Option<String> {
    let operands: Vec<&Instruction> = computation.operands(instruction).collect();
    let [lhs, rhs] = operands[..] else {
        return None;
    };
    let ((of, left), (like, right)) = (array(lhs, &[])?, array(rhs, &[])?);
    let (to, sizes) = array(instruction, &[])?;
    let element_type = instruction.shape().as_array()?.element_type();
    let is_number = element_type.is_signed_integer()
        || element_type.is_unsigned_integer()
        || is_rounded && element_type.is_float() && element_type.bits() >= 32;
    let is_plain = is_number
        && of == like
        && of == to
        && ["algorithm", "operand_precision", "sparsity"]
            .iter()
            .all(|name| instruction.attributes().get(name).is_none());
    is_plain.then_some(())?;
    let dims = instruction.dot_dimensions(left.len(), right.len()).ok()?;
    let folded = sizes.len()..sizes.len() + dims.lhs_contracting.len();
    // The dimensions of the products: those of the result, and the folded ones.
    let place = |rank: usize, batch: &[usize], contracting: &[usize], mut free: usize| {
        let of_dimension = |k: usize| {
            let at = |all: &[usize]| all.iter().position(|one| *one == k);
            at(batch).or_else(|| at(contracting).map(|k| folded.start + k)).unwrap_or_else(|| {
                free += 1;
                free - 1
            })
        };
        (0..rank).map(of_dimension).collect::<Vec<_>>()
    };
    let batch = dims.lhs_batch.len();
    let after = left.len().checked_sub(dims.lhs_contracting.len())?;
    let one = place(left.len(), &dims.lhs_batch, &dims.lhs_contracting, batch);
    let other = place(right.len(), &dims.rhs_batch, &dims.rhs_contracting, after);
    let contracted = dims.lhs_contracting.iter().map(|k| left.get(*k).copied());
    let contracted: Vec<i64> = contracted.collect::<Option<_>>()?;
    let all = listed(sizes.iter().chain(&contracted));
    let (left, right, sizes) = (listed(left), listed(right), listed(sizes));
    Some(format!(
        "HloModule d\nadd {{\n a = {of}[] parameter(0)\n b = {of}[] parameter(1)\n ROOT c = {of}[] add(a, b)\n}}\n\
         ENTRY e {{\n x = {of}[{left}] parameter(0)\n y = {of}[{right}] parameter(1)\n \
         p = {of}[{all}] broadcast(x), dimensions={{{}}}\n q = {of}[{all}] broadcast(y), dimensions={{{}}}\n \
         m = {of}[{all}] multiply(p, q)\n z = {of}[] constant(0)\n \
         ROOT r = {of}[{sizes}] reduce(m, z), dimensions={{{}}}, to_apply=add\n}}\n",
        listed(one),
        listed(other),
        listed(folded.clone()),
    ))
}
