//! Ops that combine whole dimensions of their operands.
//!
//! *Operation semantics*, "Reduce", "Dot", "ScaledDot", "RaggedDot".

use super::access::{Access, Definition};
use super::combiner::Combiner;
use super::named::Array;
use super::op::{NoDefinition, Op};
use super::relation::{Relation, Sum, d, i};

/// "Applies a reduction function to one or more arrays in parallel": every element along the reduced dimensions; the others
/// keep their order. Each part starts from its initial value, which is the result if no elements are reduced.
pub(super) fn reduce(op: &Op<'_>) -> Result<Definition, NoDefinition> {
    let n = op.operand_count() / 2;
    let sizes = op.operand(0)?;
    let reduced = op.instruction.dimensions(sizes.len())?;
    let kept: Vec<usize> = (0..sizes.len()).filter(|k| !reduced.contains(k)).collect();
    let combiner = Combiner::of(op, "to_apply", n)?;
    let folded = reduced.iter().filter_map(|k| sizes.get(*k));
    let count = folded.fold(1_i64, |count, size| count.saturating_mul(*size));
    let folded = combiner.folded(count);
    let mut accesses = Vec::new();
    for (part, path) in op.output_paths(n)?.iter().enumerate() {
        if count == 0 {
            accesses.push(initial(op, path, part)?);
            continue;
        }
        let output = op.output_part(path)?;
        for &input in folded.needs(part) {
            let mut reads = Relation::new(&output, &op.operand(input)?);
            for (k, dimension) in kept.iter().enumerate() {
                reads.equate(d(k), i(*dimension))?;
            }
            let elements = Access::new(input, reads).of_output(path);
            for access in [elements, initial(op, path, input)?] {
                accesses.push(folded.judge(&combiner, (part, input), access));
            }
        }
    }
    Ok(accesses.into_iter().collect())
}

/// Every element of the part `path` of the result reads the initial value of `input`.
pub(super) fn initial(op: &Op<'_>, path: &[usize], input: usize) -> Result<Access, NoDefinition> {
    let operand = op.operand_count() / 2 + input;
    let reads = Relation::new(&op.output_part(path)?, &op.operand(operand)?);
    Ok(Access::new(operand, reads).of_output(path))
}

/// "The dimensions of the result are the batch dimensions, then the free dimensions of the left and of the right operand"; the
/// other dimensions are contracted: every index that both sides share is read.
pub(super) fn dot(op: &Op<'_>) -> Result<Definition, NoDefinition> {
    if op.operand_count() != 2 {
        return Err(op.unknown("sparsity operands are not supported"));
    }
    let [lhs, rhs] = sides(op)?;
    let side = |operand, meanings: &[Meaning]| {
        let mut reads = op.relation(operand)?;
        for (k, meaning) in meanings.iter().enumerate() {
            meaning.equate(&mut reads, i(k))?;
        }
        Ok::<Access, NoDefinition>(Access::new(operand, reads))
    };
    Ok([side(0, &lhs)?, side(1, &rhs)?].into_iter().collect())
}

/// A dot of operands multiplied by scales: "each scale is for a block of elements", so the index in the operand is `block * i`
/// plus an index in the block. A scalar scales all elements.
pub(super) fn scaled_dot(op: &Op<'_>) -> Result<Definition, NoDefinition> {
    if op.operand_count() != 4 {
        return Err(op.unknown("this number of scales is not supported"));
    }
    let sides = sides(op)?;
    let mut accesses = Vec::new();
    for operand in 0..4 {
        let meanings = &sides[operand % 2];
        let mut reads = op.relation(operand)?;
        let sizes = op.operand(operand % 2)?;
        let scales = op.operand(operand)?;
        for (k, (scale, meaning)) in scales.iter().zip(meanings).enumerate() {
            let size = sizes.get(k).copied().unwrap_or(0);
            let block = size / scale.max(&1);
            if block <= 1 {
                meaning.equate(&mut reads, i(k))?;
                continue;
            }
            let index = i(k) * block + reads.over(block);
            match meaning {
                Meaning::Result(dimension) => reads.equate(d(*dimension), index)?,
                Meaning::Summed => {
                    let summed = reads.over(size);
                    reads.equate(summed, index)?;
                }
            }
        }
        accesses.push(Access::new(operand, reads));
    }
    Ok(accesses.into_iter().collect())
}

/// A dot whose rows are divided into groups: "each group of rows of the left operand is multiplied with its own matrix of the
/// right operand", the group being one more index there; the sizes of the groups are given as an operand.
pub(super) fn ragged_dot(op: &Op<'_>) -> Result<Definition, NoDefinition> {
    let (lhs, rhs) = (op.operand(0)?.len(), op.operand(1)?.len());
    let ragged = op.instruction.optional_dimensions("lhs_ragged_dims", lhs)?;
    let dimensions = op.instruction.dot_dimensions(lhs, rhs)?;
    let [row] = ragged[..] else {
        return Err(op.unknown("one dimension of the left operand must be ragged"));
    };
    // "In the ragged contracting mode, the result has the groups as a leading dimension."
    let before = usize::from(dimensions.lhs_contracting.contains(&row));
    let mut sides = sides(op)?;
    for meaning in sides.iter_mut().flatten() {
        if let Meaning::Result(dimension) = meaning {
            *dimension += before;
        }
    }
    let mut accesses = Vec::new();
    for operand in 0..op.operand_count() {
        let mut reads = op.relation(operand)?;
        for (k, meaning) in sides.get(operand).into_iter().flatten().enumerate() {
            meaning.equate(&mut reads, i(k))?;
        }
        accesses
            .push(Access::new(operand, reads).possibly("the groups are known only at run time"));
    }
    Ok(accesses.into_iter().collect())
}

/// The role of a dimension of an operand of a dot.
enum Meaning {
    /// The dimension is this dimension of the result.
    Result(usize),
    /// All elements along the dimension are read.
    Summed,
}

impl Meaning {
    fn equate(&self, reads: &mut Relation, index: Sum) -> Result<(), NoDefinition> {
        match self {
            Meaning::Result(dimension) => Ok(reads.equate(d(*dimension), index)?),
            Meaning::Summed => Ok(()),
        }
    }
}

/// Returns the roles of the dimensions of both operands. Groups of the right operand are summed over, too.
fn sides(op: &Op<'_>) -> Result<[Vec<Meaning>; 2], NoDefinition> {
    let ranks = (op.rank(Array::Operand(0))?, op.rank(Array::Operand(1))?);
    let dimensions = op.instruction.dot_dimensions(ranks.0, ranks.1)?;
    let groups = op.instruction.optional_dimensions("rhs_group_dims", ranks.1)?;
    let mut next = dimensions.lhs_batch.len();
    let mut meanings = |rank: usize, batch: &[usize], summed: &[usize]| {
        let meaning = |k: usize| match batch.iter().position(|dimension| *dimension == k) {
            Some(position) => Meaning::Result(position),
            None if summed.contains(&k) => Meaning::Summed,
            None => {
                next += 1;
                Meaning::Result(next - 1)
            }
        };
        (0..rank).map(meaning).collect()
    };
    Ok([
        meanings(ranks.0, &dimensions.lhs_batch, &dimensions.lhs_contracting),
        meanings(
            ranks.1,
            &dimensions.rhs_batch,
            &[&dimensions.rhs_contracting[..], &groups].concat(),
        ),
    ])
}
