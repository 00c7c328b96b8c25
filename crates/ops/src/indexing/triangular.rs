//! Triangular solve and Cholesky: batches of square matrices of which one triangle is used.
//!
//! Laws: with `n` rows, substitution gives row `i` of the solution of a lower triangular system from row `i` of the right side,
//! row `i` of the matrix up to the diagonal, and the rows of the solution before it. So it reads elements `(r, c)` of the
//! matrix with `c <= r <= i` and rows `r <= i` of its column of the right side. An upper triangular system is solved likewise
//! from the last row on; transposing swaps rows and columns; solving from the right swaps those of the right side; a unit
//! diagonal is not read. Cholesky gives element `(i, j)`, `j <= i`, of the lower factor from `(r, c)` with `c <= r <= j` and
//! from `(i, c)` with `c <= j`; for the upper factor both are swapped. The elements of the other triangle are
//! implementation-defined.
//! Source: XLA, *Operation semantics*, `TriangularSolve` and `Cholesky`.

use super::builder::{Condition, MapBuilder, fibres, restrict};
use super::op::{Entries, NoMap, Op, entry, exactly, require};
use super::reads::{OperandMap, Reads};
use affinor::expr::{Expr, IndexingMap};
use affinor::num::Interval;

/// Returns the reads of a triangular solve from its matrix and from its right side.
pub(super) fn solve_entries(op: &Op<'_>) -> Entries {
    let (output, matrix, right) = (op.sizes()?, op.operand_sizes(0)?, op.operand_sizes(1)?);
    require(output == right, || "the right side has a different shape")?;
    let transpose = op.instruction.word("transpose_a")?.unwrap_or("NO_TRANSPOSE");
    let system = System {
        left_side: op.instruction.flag("left_side", false)?,
        lower: op.instruction.flag("lower", false)?,
        unit_diagonal: op.instruction.flag("unit_diagonal", false)?,
        transposed: transpose != "NO_TRANSPOSE",
    };
    let (to_matrix, to_right) = system.output_to_operands(&output, &matrix)?;
    exactly([to_matrix, to_right])
}

/// The system that is solved.
#[derive(Clone, Copy, Debug)]
pub(super) struct System {
    /// Whether the matrix is to the left of the unknown.
    pub(super) left_side: bool,
    pub(super) lower: bool,
    pub(super) unit_diagonal: bool,
    /// Whether the matrix is transposed, or transposed and conjugated.
    pub(super) transposed: bool,
}

/// Returns the condition `lo <= hi` for two indices below `size`.
fn ordered(lo: &Expr, hi: &Expr, size: i64) -> Result<Condition, NoMap> {
    Ok((hi.sub(lo)?, Interval::of_size(size)))
}

/// Returns the number of rows of a batch of square matrices, and rejects other sizes.
fn square(matrix: &[i64]) -> Result<i64, NoMap> {
    match matrix {
        [.., rows, columns] if rows == columns => Ok(*rows),
        _ => Err(NoMap::invalid(format!("expected square matrices, not sizes {matrix:?}"))),
    }
}

impl System {
    /// Returns the maps to the matrix and to the right side, which has the output's sizes.
    pub(super) fn output_to_operands(
        &self,
        output: &[i64],
        matrix: &[i64],
    ) -> Result<(IndexingMap, IndexingMap), NoMap> {
        let size = square(matrix)?;
        let batch = matrix.len() - 2;
        let along = if self.left_side { batch } else { batch + 1 };
        if output.len() != matrix.len()
            || output[..batch] != matrix[..batch]
            || output[along] != size
        {
            return Err(NoMap::invalid(format!(
                "a triangular solve with a matrix of sizes {matrix:?} does not give sizes {output:?}"
            )));
        }
        // Whether substitution begins with the first row. From the right, the system is transposed.
        let forward = self.lower ^ self.transposed ^ !self.left_side;
        let mut builder = MapBuilder::over(output);
        let dimensions = builder.dimensions();
        let before = |x: &Expr, y: &Expr| match forward {
            true => ordered(x, y, size),
            false => ordered(y, x, size),
        };

        let mut right_side = builder.clone();
        let mut to_right = dimensions.clone();
        to_right[along] = right_side.range(size);
        let not_after = before(&to_right[along], &dimensions[along])?;
        let to_right = restrict(&right_side.finish(to_right), &[not_after]);

        let (row, column) = (builder.range(size), builder.range(size));
        let mut conditions = vec![before(&row, &dimensions[along])?, {
            let (lo, hi) = if self.lower { (&column, &row) } else { (&row, &column) };
            let (distance, _) = ordered(lo, hi, size)?;
            (distance, Interval::new(i64::from(self.unit_diagonal), size - 1))
        }];
        // Neither row nor column is after the output element in the order of substitution: it suffices to check the later one.
        conditions.push(before(&column, &dimensions[along])?);
        let mut to_matrix = dimensions[..batch].to_vec();
        to_matrix.extend([row, column]);
        Ok((restrict(&builder.finish(to_matrix), &conditions), to_right))
    }
}

/// Returns the reads of a Cholesky decomposition.
pub(super) fn cholesky_entries(op: &Op<'_>) -> Entries {
    let (output, operand) = (op.sizes()?, op.operand_sizes(0)?);
    let lower = op.instruction.flag("lower", false)?;
    require(output == operand, || "the operand has a different shape")?;
    let maps = cholesky_to_operand(&operand, lower)?;
    let name = op.instruction.name();
    let other = format!("`{name}`: the contents of the other triangle are implementation-defined");
    let exact = maps.within.into_iter().map(OperandMap::exact);
    let other = OperandMap::at_most(maps.other, other);
    Ok(vec![entry(0, Reads::union(exact.chain([other])))])
}

/// The maps of a Cholesky decomposition.
#[derive(Debug)]
pub(super) struct CholeskyMaps {
    /// The maps from the triangle that holds the factor.
    pub(super) within: Vec<IndexingMap>,
    /// The map from the other triangle.
    pub(super) other: IndexingMap,
}

/// Returns the maps of a decomposition of square matrices.
pub(super) fn cholesky_to_operand(matrix: &[i64], lower: bool) -> Result<CholeskyMaps, NoMap> {
    let size = square(matrix)?;
    let batch = matrix.len() - 2;
    let index = |builder: &MapBuilder| {
        let dimensions = builder.dimensions();
        let (row, column) = (dimensions[batch].clone(), dimensions[batch + 1].clone());
        if lower { (row, column) } else { (column, row) }
    };
    let element = |builder: &MapBuilder, row: &Expr, column: &Expr| -> Vec<Expr> {
        let pair = if lower { [row, column] } else { [column, row] };
        let batch = builder.dimensions().into_iter().take(batch);
        batch.chain(pair.into_iter().cloned()).collect()
    };
    // The row of the element, up to the element's column.
    let mut builder = MapBuilder::over(matrix);
    let (row, column) = index(&builder);
    let s = builder.range(size);
    let conditions = [ordered(&column, &row, size)?, ordered(&s, &column, size)?];
    let results = element(&builder, &row, &s);
    let of_row = restrict(&builder.finish(results), &conditions);
    // The triangle up to the element's column.
    let mut builder = MapBuilder::over(matrix);
    let (r, c) = (builder.range(size), builder.range(size));
    let conditions =
        [ordered(&column, &row, size)?, ordered(&r, &column, size)?, ordered(&c, &r, size)?];
    let results = element(&builder, &r, &c);
    let of_triangle = restrict(&builder.finish(results), &conditions);

    let whole = fibres("cholesky", matrix, matrix, &[batch, batch + 1])?;
    let after = (column.sub(&row)?, Interval::new(1, size));
    Ok(CholeskyMaps { within: vec![of_row, of_triangle], other: restrict(&whole, &[after]) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::indexing::testing::{built, check_against, read_by};
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    type Set = BTreeSet<Vec<i64>>;

    proptest! {
        #[test]
        fn a_solution_reads_what_substitution_reads(
            (n, m) in (0i64..5, 1i64..3),
            [left_side, lower, unit_diagonal, transposed] in any::<[bool; 4]>()
        ) {
            let system = System { left_side, lower, unit_diagonal, transposed };
            let output = if left_side { vec![2, n, m] } else { vec![2, m, n] };
            // Substitution, run on sets of elements read instead of numbers. `at(i, k)` is the element of the system's matrix,
            // brought to the left of the unknown.
            let swapped = transposed ^ !left_side;
            let at = |i: i64, k: i64| if swapped { vec![k, i] } else { vec![i, k] };
            let inside = |place: &[i64]| if lower { place[1] <= place[0] } else { place[0] <= place[1] };
            let rows: Vec<i64> = if lower ^ swapped { (0..n).collect() } else { (0..n).rev().collect() };
            let mut of_matrix: Vec<Set> = vec![Set::new(); n as usize];
            let mut of_right: Vec<Set> = vec![Set::new(); n as usize];
            for i in rows {
                let (mut matrix, mut right) = (Set::new(), Set::from([vec![i]]));
                for k in (0..n).filter(|k| inside(&at(i, *k))) {
                    if k == i {
                        if !unit_diagonal {
                            matrix.insert(at(i, k));
                        }
                        continue;
                    }
                    matrix.insert(at(i, k));
                    matrix.extend(of_matrix[k as usize].clone());
                    right.extend(of_right[k as usize].clone());
                }
                (of_matrix[i as usize], of_right[i as usize]) = (matrix, right);
            }
            let (to_matrix, to_right) = built(system.output_to_operands(&output, &[2, n, n]));
            let along = if left_side { 1 } else { 2 };
            check_against(&[to_matrix], &output, |d| {
                let read = of_matrix[d[along] as usize].iter();
                read.map(|place| [&d[..1], place].concat()).collect()
            });
            check_against(&[to_right], &output, |d| {
                let place = |i: &Vec<i64>| {
                    let mut place = d.to_vec();
                    place[along] = i[0];
                    place
                };
                of_right[d[along] as usize].iter().map(place).collect()
            });
        }

        #[test]
        fn a_factor_reads_what_the_recurrence_reads(n in 0i64..5, lower in any::<bool>()) {
            let maps = built(cholesky_to_operand(&[n, n], lower));
            let mut factor: Vec<Vec<Set>> = vec![vec![Set::new(); n as usize]; n as usize];
            let place = |r: i64, c: i64| if lower { vec![r, c] } else { vec![c, r] };
            for j in 0..n {
                for i in j..n {
                    let mut read = Set::from([place(i, j)]);
                    for k in 0..j {
                        read.extend(factor[i as usize][k as usize].clone());
                        read.extend(factor[j as usize][k as usize].clone());
                    }
                    if i > j {
                        read.extend(factor[j as usize][j as usize].clone());
                    }
                    factor[i as usize][j as usize] = read;
                }
            }
            for r in 0..n {
                for c in 0..n {
                    let d = place(r, c);
                    let read: Set = maps.within.iter().flat_map(|map| read_by(map, &d, &[])).collect();
                    prop_assert_eq!(&read, &factor[r as usize][c as usize]);
                    let other = read_by(&maps.other, &d, &[]).len() as i64;
                    prop_assert_eq!(other, if c > r { n * n } else { 0 });
                }
            }
        }
    }

    #[test]
    fn refuses_what_does_not_fit() {
        let system =
            System { left_side: true, lower: true, unit_diagonal: false, transposed: false };
        assert!(system.output_to_operands(&[3, 2], &[3, 3]).is_ok());
        assert!(system.output_to_operands(&[2, 3], &[3, 3]).is_err());
        assert!(system.output_to_operands(&[3, 2], &[3, 2]).is_err());
        assert!(system.output_to_operands(&[3], &[3]).is_err());
        assert!(cholesky_to_operand(&[3, 2], true).is_err());
    }
}
