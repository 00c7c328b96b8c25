//! Operations on whole lines, matrices and features, and collectives.

use super::cells::{At, Cell, Cells, Running, with};
use super::moving::at_one_index;
use super::program::Op;
use super::run::dependence;

/// Returns the cells of the operation; `None` if it is not in this family.
pub fn cells(run: &Running<'_>) -> Option<Cells> {
    let cells = match run.op {
        Op::Map(to_apply) => {
            let used = dependence(run.program, *to_apply).remove(0);
            run.each(|d| {
                let reads = at_one_index(run, &d);
                let used = |at: &At| used.iter().any(|(k, _, _)| *k == at.0);
                run.computed(reads.into_iter().filter(used).collect())
            })
        }
        Op::Sort { dimension, to_apply } => sort(run, *dimension, *to_apply),
        Op::TopK(_) => both(run, |_, d| line(run, 0, d, d.len() - 1)),
        Op::Fft { lengths, .. } => {
            let rank = run.sizes(0).len();
            run.each(|d| {
                let kept = rank - lengths.len();
                let all = run.array(0).indices();
                let reads = all.filter(|index| index[..kept] == d[..kept]);
                run.computed(reads.map(|index| run.at(0, &index)).collect())
            })
        }
        Op::TriangularSolve { left, lower, unit, transposed } => {
            solve(run, *left, *lower, *unit, *transposed)
        }
        Op::Cholesky { lower } => cholesky(run, *lower),
        Op::BatchNorm(which, feature) => batch_norm(run, which, *feature),
        Op::Rng => run.each(|_| run.computed(vec![(0, 0, 0), (1, 0, 0)])),
        Op::Collective { opcode, dimension, group, .. } => {
            collective(run, opcode, *dimension, *group)
        }
        Op::DimensionSize(k) => run.each(|_| Cell { reads: Vec::new(), value: run.sizes(0)[*k] }),
        Op::CustomCall | Op::RngBits => {
            both(run, |_, _| (0..run.operands.len()).flat_map(|operand| run.all(operand)).collect())
        }
        _ => return None,
    };
    Some(cells)
}

/// Makes up the elements of each leaf of the result.
fn both(run: &Running<'_>, reads: impl Fn(usize, &[i64]) -> Vec<At>) -> Cells {
    let leaves = run.shape.leaves().into_iter().enumerate();
    leaves
        .flat_map(|(k, (_, array))| run.each_of(array, |d| run.computed_as(k as i64, reads(k, &d))))
        .collect()
}

/// Returns the line of operand `k` through an index, along a dimension.
fn line(run: &Running<'_>, k: usize, index: &[i64], dimension: usize) -> Vec<At> {
    let places = 0..run.sizes(k)[dimension];
    places.map(|i| run.at(k, &with(index, dimension, i))).collect()
}

/// Sorts all operands in one order, which the comparator determines from the operands that it reads.
fn sort(run: &Running<'_>, dimension: usize, to_apply: usize) -> Cells {
    let compared: Vec<usize> =
        dependence(run.program, to_apply).remove(0).into_iter().map(|(k, _, _)| k / 2).collect();
    let is_compared = run.sizes(0)[dimension] > 1;
    let mut cells = Vec::new();
    for (k, (_, array)) in run.shape.leaves().into_iter().enumerate() {
        cells.extend(run.each_of(array, |d| {
            let mut others: Vec<At> = Vec::new();
            if is_compared {
                let lines = compared.iter().map(|j| line(run, *j, &d, dimension));
                others = lines.flatten().collect();
            }
            let own = line(run, k, &d, dimension);
            // A stable order by the values that are compared.
            let mut order: Vec<usize> = (0..own.len()).collect();
            order.sort_by_key(|i| {
                let keys = compared.iter().map(|j| run.value(line(run, *j, &d, dimension)[*i]));
                keys.collect::<Vec<i64>>()
            });
            run.moved(own[order[d[dimension] as usize]], others)
        }));
    }
    cells
}

/// Returns the elements of the matrix and of the right-hand side that substitution needs.
fn solve(run: &Running<'_>, left: bool, lower: bool, unit: bool, transposed: bool) -> Cells {
    let rank = run.output().sizes.len();
    // `X M = B` is `M^T X^T = B^T`.
    let (row, turned) = match left {
        true => (rank - 2, transposed),
        false => (rank - 1, !transposed),
    };
    let is_lower = lower != turned;
    let rows = run.sizes(1)[row];
    run.each(|d| {
        let own = d[row];
        let before = |r: i64| if is_lower { 0..=r } else { r..=rows - 1 };
        let mut reads = Vec::new();
        for r in before(own) {
            reads.push(run.at(1, &with(&d, row, r)));
            for c in before(r) {
                if c == r && unit {
                    continue;
                }
                let (i, j) = if turned { (c, r) } else { (r, c) };
                reads.push(run.at(0, &with(&with(&d, rank - 2, i), rank - 1, j)));
            }
        }
        run.computed(reads)
    })
}

/// `L[i][j]` is computed from `A[i][j]` and the elements of `L` before it in rows `i` and `j`.
fn cholesky(run: &Running<'_>, lower: bool) -> Cells {
    let rank = run.output().sizes.len();
    run.each(|d| {
        let (i, j) = match lower {
            true => (d[rank - 2], d[rank - 1]),
            false => (d[rank - 1], d[rank - 2]),
        };
        let mut pairs = Vec::new();
        if j <= i {
            pairs.extend((0..=j).flat_map(|r| (0..=r).map(move |c| (r, c))));
            pairs.extend((0..=j).map(|c| (i, c)));
        }
        let reads = pairs.into_iter().map(|(r, c)| {
            let (r, c) = if lower { (r, c) } else { (c, r) };
            run.at(0, &with(&with(&d, rank - 2, r), rank - 1, c))
        });
        run.computed(reads.collect())
    })
}

fn batch_norm(run: &Running<'_>, which: &str, feature: usize) -> Cells {
    let of_feature = |k: usize, f: i64| -> Vec<At> {
        let all = run.array(k).indices().filter(|index| index[feature] == f);
        all.map(|index| run.at(k, &index)).collect()
    };
    both(run, |leaf, d| {
        // The first leaf is of full rank; the others are statistics, or gradients of scale and offset.
        let f = if leaf == 0 { d[feature] } else { d[0] };
        let one = |k: usize| run.at(k, &[f]);
        match (which, leaf) {
            ("inference", _) => {
                let mut reads: Vec<At> = (1..5).map(one).collect();
                reads.push(run.at(0, d));
                reads
            }
            ("training", 0) => [of_feature(0, f), vec![one(1), one(2)]].concat(),
            ("training", _) => of_feature(0, f),
            ("grad", 2) => of_feature(4, f),
            ("grad", 1) => [of_feature(0, f), of_feature(4, f), vec![one(2), one(3)]].concat(),
            _ => {
                let statistics = vec![one(1), one(2), one(3)];
                [of_feature(0, f), of_feature(4, f), statistics].concat()
            }
        }
    })
}

/// Reads each index from the operand of one device. The first part is that of this device.
fn collective(run: &Running<'_>, opcode: &str, dimension: Option<usize>, group: i64) -> Cells {
    let base = run.sizes(0).to_vec();
    run.each(|d| {
        let index = match (opcode, dimension) {
            ("all-gather", Some(k)) => with(&d, k, d[k] % base[k]),
            // Along the dimension, this device gets the first part from each device.
            ("all-to-all", Some(k)) => with(&d, k, d[k] % (base[k] / group)),
            _ => d,
        };
        run.computed(vec![run.at(0, &index)])
    })
}
