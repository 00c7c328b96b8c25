//! Gather and scatter.

use super::cells::{At, Cells, Running};
use super::program::{Op, Vectors};
use super::run::dependence;
use std::collections::BTreeSet;

/// Returns the cells of the operation; `None` if it is not in this family.
pub fn cells(run: &Running<'_>) -> Option<Cells> {
    match run.op {
        Op::Gather(vectors, sizes) => Some(gather(run, vectors, sizes)),
        Op::Scatter(vectors, to_apply) => Some(scatter(run, vectors, *to_apply)),
        _ => None,
    }
}

/// A window: its start in each dimension of the operand, the element's position in it, the elements of its index vector.
struct Place {
    start: Vec<i64>,
    within: Vec<i64>,
    vector: Vec<At>,
}

/// Returns the place of the element at `d` of the array of windows; `indices` is the operand with the index vectors,
/// `operand` the sizes of the array that is indexed by windows.
fn place(
    run: &Running<'_>,
    vectors: &Vectors,
    indices: usize,
    operand: &[i64],
    d: &[i64],
) -> Place {
    let batch: Vec<i64> =
        (0..d.len()).filter(|k| !vectors.window.contains(k)).map(|k| d[k]).collect();
    let rank = run.sizes(indices).len();
    let mut start = vec![0; operand.len()];
    let mut vector = Vec::new();
    for (k, dimension) in vectors.index_map.iter().enumerate() {
        let mut index = batch.clone();
        if vectors.vector < rank {
            index.insert(vectors.vector, k as i64);
        }
        let at = run.at(indices, &index);
        start[*dimension] = run.value(at);
        vector.push(at);
    }
    // The index of the batch, by dimensions of the array of index vectors.
    for (ours, theirs) in vectors.operand_batch.iter().zip(&vectors.indices_batch) {
        let before = theirs - usize::from(*theirs > vectors.vector);
        start[*ours] = batch[before];
    }
    let mut within = vec![0; operand.len()];
    let counted = (0..operand.len())
        .filter(|k| !vectors.collapsed.contains(k) && !vectors.operand_batch.contains(k));
    for (dimension, k) in counted.zip(&vectors.window) {
        within[dimension] = d[*k];
    }
    Place { start, within, vector }
}

fn sum(a: &[i64], b: &[i64]) -> Vec<i64> {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}

fn gather(run: &Running<'_>, vectors: &Vectors, sizes: &[i64]) -> Cells {
    let operand = run.sizes(0);
    run.each(|d| {
        let mut place = place(run, vectors, 1, operand, &d);
        for ((start, size), part) in place.start.iter_mut().zip(operand).zip(sizes) {
            *start = (*start).min(size - part).max(0);
        }
        run.moved(run.at(0, &sum(&place.start, &place.within)), place.vector)
    })
}

/// "If an update does not lie wholly in bounds, it is skipped."
fn scatter(run: &Running<'_>, vectors: &Vectors, to_apply: usize) -> Cells {
    let count = run.operands.len() / 2;
    let needs = dependence(run.program, to_apply);
    let operand = run.sizes(0);
    let updates = run.array(count + 1);
    // The size of a window in each dimension of the operand.
    let mut sizes = vec![1; operand.len()];
    let counted = (0..operand.len())
        .filter(|k| !vectors.collapsed.contains(k) && !vectors.operand_batch.contains(k));
    for (dimension, k) in counted.zip(&vectors.window) {
        sizes[dimension] = updates.sizes[*k];
    }
    let mut hits: Vec<(Vec<i64>, usize)> = Vec::new();
    for u in updates.indices() {
        let place = place(run, vectors, count, operand, &u);
        let mut sides = place.start.iter().zip(operand).zip(&sizes);
        if sides.all(|((start, size), part)| *start >= 0 && start + part <= *size) {
            hits.push((sum(&place.start, &place.within), updates.number(&u)));
        }
    }
    let mut cells = Vec::new();
    for (i, (_, array)) in run.shape.leaves().into_iter().enumerate() {
        cells.extend(run.each_of(array, |d| {
            // All index vectors of its batch determine the updates that are folded into an element.
            let indices = run.array(count);
            let batches = vectors.operand_batch.iter().zip(&vectors.indices_batch);
            let batches: Vec<(i64, usize)> = batches.map(|(o, k)| (d[*o], *k)).collect();
            let all = indices.indices().filter(|index| {
                let mut batches = batches.iter();
                batches.all(|(value, k)| index[*k] == *value)
            });
            let mut reads: Vec<At> = all.map(|index| run.at(count, &index)).collect();
            let here: Vec<usize> =
                hits.iter().filter(|(at, _)| *at == d).map(|(_, u)| *u).collect();
            if here.is_empty() {
                return run.moved(run.at(i, &d), reads);
            }
            // The combiner takes the state first and the update second. Updates come in any order.
            let mut states = BTreeSet::from([i]);
            for _ in &here {
                let needed = states.iter().flat_map(|k| &needs[*k]);
                let needed: Vec<usize> = needed.map(|(k, _, _)| *k).collect();
                let (old, new): (Vec<usize>, Vec<usize>) = needed.iter().partition(|k| **k < count);
                for j in new {
                    reads.extend(here.iter().map(|u| (j + 1, 0, *u)));
                }
                states = old.into_iter().collect();
            }
            reads.extend(states.iter().map(|j| run.at(*j, &d)));
            run.computed_as(i as i64, reads)
        }));
    }
    cells
}
