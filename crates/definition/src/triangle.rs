//! Ops on batches of square matrices of which one triangle is used.
//!
//! *Operation semantics*, "TriangularSolve", "Cholesky".

use super::access::{Access, Definition};
use super::op::{NoDefinition, Op};
use super::relation::{Relation, Sum, d, i};
use affinor_maps::num::Interval;

/// Adds the condition that `earlier` is at least `by` before `later`, both indices of one dimension.
fn ordered(
    reads: &mut Relation,
    earlier: &Sum,
    later: &Sum,
    by: i64,
    size: i64,
) -> Result<(), NoDefinition> {
    let distance = later.clone() - earlier.clone();
    Ok(reads.within(distance, Interval::new(by, size))?)
}

/// Returns the number of dimensions before the matrices of operand 0, and their number of rows.
fn square(op: &Op<'_>) -> Result<(usize, i64), NoDefinition> {
    match op.operand(0)?[..] {
        [ref batch @ .., rows, columns] if rows == columns => Ok((batch.len(), rows)),
        _ => Err(op.invalid("the operand must be a stack of square matrices")),
    }
}

/// "Solves systems of linear equations with lower or upper triangular coefficient matrices by forward- or back-substitution":
/// `op(a) * x = b`, or `x * op(a) = b`, which is the transposed system. Row `r` of the unknown is
/// `(b_r - a_rc * x_c - ..) / a_rr` over the rows `c` that are solved before it. So it depends on these rows of `b` and on the
/// entries `(r, c)` of the triangle whose `r` is not after it.
pub(super) fn triangular_solve(op: &Op<'_>) -> Result<Definition, NoDefinition> {
    let (batch, size) = square(op)?;
    let instruction = op.instruction;
    let from_left = op.flag("left_side");
    let is_transposed =
        matches!(instruction.word("transpose_a")?, Some(word) if word != "NO_TRANSPOSE");
    // `x * op(a) = b` is `op(a)^T * x^T = b^T`: the two transpositions cancel.
    let swapped = is_transposed == from_left;
    let is_lower = op.flag("lower") != swapped;
    let solved = d(if from_left { batch } else { batch + 1 });
    let before = |reads: &mut Relation, first: &Sum, last: &Sum, by| match is_lower {
        true => ordered(reads, first, last, by, size),
        false => ordered(reads, last, first, by, size),
    };

    let mut matrix = op.relation(0)?;
    for k in 0..batch {
        matrix.equate(d(k), i(k))?;
    }
    let (row, column) = match swapped {
        true => (i(batch + 1), i(batch)),
        false => (i(batch), i(batch + 1)),
    };
    before(&mut matrix, &column, &row, i64::from(op.flag("unit_diagonal")))?;
    before(&mut matrix, &row, &solved, 0)?;

    let mut right = op.relation(1)?;
    for k in 0..batch + 2 {
        match d(k) == solved {
            true => before(&mut right, &i(k), &solved, 0)?,
            false => right.equate(d(k), i(k))?,
        }
    }
    Ok([Access::new(0, matrix), Access::new(1, right)].into_iter().collect())
}

/// "Computes the Cholesky decomposition": `a = l * l^H`, or `u^H * u`, of which one triangle of `a` is read. For
/// `c <= r`, `l_rc` is `(a_rc - l_rk * l_ck - ..) / l_cc` over `k < c`. So it depends on row `r` up to column `c`, and
/// on the triangle up to row `c`. "The other triangle of the result is implementation-defined."
pub(super) fn cholesky(op: &Op<'_>) -> Result<Definition, NoDefinition> {
    let (batch, size) = square(op)?;
    let (first, second) = match op.flag("lower") {
        true => (batch, batch + 1),
        false => (batch + 1, batch),
    };
    let (row, column) = (d(first), d(second));
    let relation = || {
        let mut reads = op.relation(0)?;
        for k in 0..batch {
            reads.equate(d(k), i(k))?;
        }
        Ok::<Relation, NoDefinition>(reads)
    };
    let mut of_row = relation()?;
    ordered(&mut of_row, &column, &row, 0, size)?;
    of_row.equate(i(first), row.clone())?;
    ordered(&mut of_row, &i(second), &column, 0, size)?;

    let mut of_triangle = relation()?;
    ordered(&mut of_triangle, &column, &row, 0, size)?;
    ordered(&mut of_triangle, &i(first), &column, 0, size)?;
    ordered(&mut of_triangle, &i(second), &i(first), 0, size)?;

    let mut other = relation()?;
    ordered(&mut other, &row, &column, 1, size)?;
    let other = Access::new(0, other)
        .possibly("the contents of the other triangle are implementation-defined");
    Ok([Access::new(0, of_row), Access::new(0, of_triangle), other].into_iter().collect())
}
