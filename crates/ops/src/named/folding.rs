//! Ops that fold elements: reduce and dot. Each obeys the law stated in the file of `indexing` of the same name.

use super::facts::Facts;
use super::movement::{operand, result};
use super::op::{NamedOp, NamedReads, invalid};
use super::over::MapOver;
use affinor::expr::Expr;
use affinor::text::Error;

/// Returns the reads of a reduce of one array: each reduced dimension is a range variable.
pub(super) fn reduce(op: &NamedOp<'_>, facts: &mut Facts<'_>) -> Result<NamedReads, Error> {
    let [input, initial] = op.operands else {
        return Err(invalid("expected one array and its initial value")
            .hint("give the sizes of a reduce of several arrays as numbers"));
    };
    if !initial.is_empty() {
        return Err(invalid("expected a scalar as operand 1"));
    }
    let reduced = op.instruction.dimensions(input.len())?;
    let is_reduced = |k: &usize| reduced.contains(k);
    let (folded, kept): (Vec<usize>, Vec<usize>) = (0..input.len()).partition(is_reduced);
    let sizes_of =
        |list: &[usize]| -> Vec<Expr> { list.iter().map(|k| input[*k].clone()).collect() };
    let sizes = result(op, facts, sizes_of(&kept))?;
    let map = MapOver::new(facts, &sizes, &sizes_of(&folded))?;
    let results = placed(input.len(), [(&kept, map.dimensions()), (&folded, map.ranges())]);
    let of_initial = MapOver::new(facts, &sizes, &[])?.finish(Vec::new());
    let maps = vec![(0, map.finish(results)), (1, of_initial)];
    Ok(NamedReads { sizes, maps })
}

/// Returns the reads of a dot. The contracted dimensions are range variables, in the order of the attributes.
pub(super) fn dot(op: &NamedOp<'_>, facts: &mut Facts<'_>) -> Result<NamedReads, Error> {
    let (lhs, rhs) = (operand(op, 0)?, operand(op, 1)?);
    if op.operands.len() != 2 {
        return Err(invalid("a sparse dot has no map yet"));
    }
    let numbers = op.instruction.dot_dimensions(lhs.len(), rhs.len())?;
    let pairs = numbers.lhs_batch.iter().zip(&numbers.rhs_batch);
    let pairs = pairs.chain(numbers.lhs_contracting.iter().zip(&numbers.rhs_contracting));
    for (k, l) in pairs {
        let what = format!("dimension {k} of the left operand and {l} of the right one");
        facts.require_equal(&lhs[*k], &rhs[*l], &what)?;
    }
    let free = |rank: usize, batch: &[usize], contracting: &[usize]| -> Vec<usize> {
        let is_free = |k: &usize| !batch.contains(k) && !contracting.contains(k);
        (0..rank).filter(is_free).collect()
    };
    let lhs_free = free(lhs.len(), &numbers.lhs_batch, &numbers.lhs_contracting);
    let rhs_free = free(rhs.len(), &numbers.rhs_batch, &numbers.rhs_contracting);
    let sizes_of = |sizes: &[Expr], list: &[usize]| -> Vec<Expr> {
        list.iter().map(|k| sizes[*k].clone()).collect()
    };
    let implied =
        [sizes_of(lhs, &numbers.lhs_batch), sizes_of(lhs, &lhs_free), sizes_of(rhs, &rhs_free)];
    let sizes = result(op, facts, implied.concat())?;
    let map = MapOver::new(facts, &sizes, &sizes_of(lhs, &numbers.lhs_contracting))?;
    let indices = map.dimensions();
    let (batch, rest) = indices.split_at(numbers.lhs_batch.len());
    let (of_lhs, of_rhs) = rest.split_at(lhs_free.len());
    let side = |rank, own_batch, own_free, own: &[Expr], contracting| {
        let places =
            [(own_batch, batch.to_vec()), (own_free, own.to_vec()), (contracting, map.ranges())];
        map.clone().finish(placed(rank, places))
    };
    let left = side(lhs.len(), &numbers.lhs_batch, &lhs_free, of_lhs, &numbers.lhs_contracting);
    let right = side(rhs.len(), &numbers.rhs_batch, &rhs_free, of_rhs, &numbers.rhs_contracting);
    let maps = vec![(0, left), (1, right)];
    Ok(NamedReads { sizes, maps })
}

/// Returns the index over the dimensions listed with each expression.
fn placed<'a>(
    rank: usize,
    places: impl IntoIterator<Item = (&'a Vec<usize>, Vec<Expr>)>,
) -> Vec<Expr> {
    let mut index = vec![Expr::constant(0); rank];
    for (dimensions, own) in places {
        for (k, expr) in dimensions.iter().zip(own) {
            index[*k] = expr;
        }
    }
    index
}
