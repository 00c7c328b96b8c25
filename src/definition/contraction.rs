//! Ops that combine whole dimensions of their operands.
//!
//! *Operation semantics*, "Reduce", "Dot".

use super::op::{Combiner, NoDefinition, Op};
use super::relation::{Access, Definition, Relation, d, i};

/// "Applies a reduction function to one or more arrays in parallel": every element along the reduced
/// dimensions; the others keep their order. Each part starts from its initial value.
pub(super) fn reduce(op: &Op<'_>) -> Result<Definition, NoDefinition> {
    let n = op.operand_count() / 2;
    let sizes = op.operand(0)?;
    let reduced = op.instruction.dimensions(sizes.len())?;
    let kept: Vec<usize> = (0..sizes.len()).filter(|k| !reduced.contains(k)).collect();
    let combiner = Combiner::of(op, "to_apply", n)?;
    let mut accesses = Vec::new();
    for (part, path) in op.output_paths(n)?.iter().enumerate() {
        let output = op.output_part(path)?;
        for &input in &combiner.inputs[part] {
            let mut reads = Relation::new(&output, &op.operand(input)?);
            for (k, dimension) in kept.iter().enumerate() {
                reads.equate(d(k), i(*dimension))?;
            }
            accesses.push(combiner.judge(part, Access::new(input, reads).of_output(path)));
            accesses.push(initial(op, &combiner, part, path, input)?);
        }
        if !combiner.inputs[part].contains(&part) {
            accesses.push(initial(op, &combiner, part, path, part)?);
        }
    }
    Ok(accesses.into_iter().collect())
}

/// The initial value of `input` is read by every element of part `part`.
pub(super) fn initial(
    op: &Op<'_>,
    combiner: &Combiner,
    part: usize,
    path: &[usize],
    input: usize,
) -> Result<Access, NoDefinition> {
    let operand = op.operand_count() / 2 + input;
    let reads = Relation::new(&op.output_part(path)?, &op.operand(operand)?);
    Ok(combiner.judge(part, Access::new(operand, reads).of_output(path)))
}

/// "The dimensions of the result are the batch dimensions, then the free dimensions of the left and of
/// the right operand"; what remains is contracted: every index that both have.
pub(super) fn dot(op: &Op<'_>) -> Result<Definition, NoDefinition> {
    if op.operand_count() != 2 {
        return Err(op.unknown("operands that say which elements are there are not defined here"));
    }
    let ranks = (op.operand(0)?.len(), op.operand(1)?.len());
    let dimensions = op.instruction.dot_dimensions(ranks.0, ranks.1)?;
    let free = |rank: usize, batch: &[usize], contracting: &[usize]| -> Vec<usize> {
        (0..rank)
            .filter(|k| !batch.contains(k) && !contracting.contains(k))
            .collect()
    };
    let lhs_free = free(ranks.0, &dimensions.lhs_batch, &dimensions.lhs_contracting);
    let rhs_free = free(ranks.1, &dimensions.rhs_batch, &dimensions.rhs_contracting);
    let batch = dimensions.lhs_batch.len();
    let sides = [
        (&dimensions.lhs_batch, lhs_free.clone(), batch),
        (&dimensions.rhs_batch, rhs_free, batch + lhs_free.len()),
    ];
    let side = |(operand, (batch, free, first_free)): (usize, (&Vec<usize>, Vec<usize>, usize))| {
        let mut reads = op.relation(operand)?;
        for (k, dimension) in batch.iter().enumerate() {
            reads.equate(d(k), i(*dimension))?;
        }
        for (k, dimension) in free.into_iter().enumerate() {
            reads.equate(d(first_free + k), i(dimension))?;
        }
        Ok(Access::new(operand, reads))
    };
    sides.into_iter().enumerate().map(side).collect()
}
