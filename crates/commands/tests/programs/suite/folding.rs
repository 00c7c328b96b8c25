//! Operations that fold many elements into one.

use super::cells::{At, Cells, Running, indices_of, with};
use super::program::{Convolution, Dot, Op, Window};
use super::run::dependence;
use super::shape::Shape;
use std::collections::BTreeSet;

/// Returns the cells of the operation; `None` if it is not in this family.
pub fn cells(run: &Running<'_>) -> Option<Cells> {
    let cells = match run.op {
        Op::Dot(dot) => run.each(|d| {
            let pairs = dot_pairs(run, dot, &d);
            run.computed(pairs.into_iter().flatten().collect())
        }),
        Op::ScaledDot(dot) => run.each(|d| {
            let mut reads = Vec::new();
            for [lhs, rhs] in dot_pairs(run, dot, &d) {
                for (k, at) in [lhs, rhs].into_iter().enumerate() {
                    reads.push(at);
                    let index = run.array(k).index(at.2);
                    let sizes = run.sizes(k).iter().zip(run.sizes(k + 2));
                    let blocks = index.iter().zip(sizes);
                    let scale = blocks.map(|(i, (size, scale))| i / (size / scale));
                    reads.push(run.at(k + 2, &scale.collect::<Vec<i64>>()));
                }
            }
            run.computed(reads)
        }),
        Op::RaggedDot => ragged_dot(run),
        Op::Convolution(conv) => run.each(|d| run.computed(conv_reads(run, conv, &d))),
        Op::Reduce { dimensions, to_apply } => {
            let base = run.sizes(0).to_vec();
            folds(run, *to_apply, |d| {
                let mut kept = d.iter();
                let fixed: Vec<i64> = (0..base.len())
                    .map(|k| match dimensions.contains(&k) {
                        true => 0,
                        false => *kept.next().expect("an index of a kept dimension"),
                    })
                    .collect();
                let folded: Vec<i64> = dimensions.iter().map(|k| base[*k]).collect();
                let steps = indices_of(&folded).into_iter().map(|step| {
                    let places = dimensions.iter().zip(step);
                    places.fold(fixed.clone(), |index, (k, i)| with(&index, *k, i))
                });
                steps.map(Some).collect()
            })
        }
        Op::ReduceWindow { window, to_apply } => {
            let base = run.sizes(0).to_vec();
            folds(run, *to_apply, |d| taps(window, d, &base))
        }
        Op::SelectAndScatter { window, .. } => select_and_scatter(run, window),
        _ => return None,
    };
    Some(cells)
}

/// Returns the pairs of elements that are multiplied.
fn dot_pairs(run: &Running<'_>, dot: &Dot, d: &[i64]) -> Vec<[At; 2]> {
    let (lhs, rhs) = (run.sizes(0), run.sizes(1));
    let batch = dot.lhs_batch.len();
    let free = |sizes: &[i64], batch: &[usize], contracting: &[usize]| -> Vec<usize> {
        (0..sizes.len()).filter(|k| !batch.contains(k) && !contracting.contains(k)).collect()
    };
    let lhs_free = free(lhs, &dot.lhs_batch, &dot.lhs_contracting);
    let rhs_free = free(rhs, &dot.rhs_batch, &dot.rhs_contracting);
    let place = |rank: usize, parts: &[(&[usize], &[i64])]| -> Vec<i64> {
        let mut index = vec![0; rank];
        for (dimensions, values) in parts {
            for (k, value) in dimensions.iter().zip(*values) {
                index[*k] = *value;
            }
        }
        index
    };
    let (b, rest) = d.split_at(batch);
    let (m, n) = rest.split_at(lhs_free.len());
    let sums: Vec<i64> = dot.lhs_contracting.iter().map(|k| lhs[*k]).collect();
    let pairs = indices_of(&sums).into_iter().map(|c| {
        let left = [(&dot.lhs_batch[..], b), (&dot.lhs_contracting, &c), (&lhs_free, m)];
        let right = [(&dot.rhs_batch[..], b), (&dot.rhs_contracting, &c), (&rhs_free, n)];
        [run.at(0, &place(lhs.len(), &left)), run.at(1, &place(rhs.len(), &right))]
    });
    pairs.collect()
}

/// Multiplies rows `[m, k]` by the matrix of their group, of `[g, k, n]`; the number of rows of each group is a value at run
/// time.
fn ragged_dot(run: &Running<'_>) -> Cells {
    let sums = run.sizes(0)[1];
    run.each(|d| {
        let (mut reads, mut end) = (Vec::new(), 0);
        for g in 0..run.sizes(2)[0] {
            let size = run.at(2, &[g]);
            reads.push(size);
            end += run.value(size).max(0);
            if d[0] < end {
                for c in 0..sums {
                    reads.push(run.at(0, &[d[0], c]));
                    reads.push(run.at(1, &[g, c, d[1]]));
                }
                break;
            }
        }
        run.computed(reads)
    })
}

fn conv_reads(run: &Running<'_>, conv: &Convolution, d: &[i64]) -> Vec<At> {
    let (input, kernel) = (run.sizes(0), run.sizes(1));
    let sizes: Vec<i64> = conv.window.iter().map(|w| w.size).collect();
    let (batch, feature) = (d[conv.output[0]], d[conv.output[1]]);
    let features = run.output().sizes[conv.output[1]];
    // A group has its part of the output's features, and of the input's features or its batch.
    let feature_group = feature / (features / conv.feature_groups);
    let batch_group = feature / (features / conv.batch_groups);
    let inputs = kernel[conv.kernel[0]];
    let batches = input[conv.input[0]] / conv.batch_groups;
    let mut reads = Vec::new();
    for tap in indices_of(&sizes) {
        let mut at_input = vec![0; input.len()];
        let mut at_kernel = vec![0; kernel.len()];
        let mut is_padding = false;
        for (k, window) in conv.window.iter().enumerate() {
            let place = d[conv.output[k + 2]];
            match window.under(place, tap[k], input[conv.input[k + 2]]) {
                Some(element) => at_input[conv.input[k + 2]] = element,
                None => is_padding = true,
            }
            at_kernel[conv.kernel[k + 2]] = match window.reversed {
                true => window.size - 1 - tap[k],
                false => tap[k],
            };
        }
        if is_padding {
            continue;
        }
        for i in 0..inputs {
            at_input[conv.input[0]] = batch_group * batches + batch;
            at_input[conv.input[1]] = feature_group * inputs + i;
            at_kernel[conv.kernel[0]] = i;
            at_kernel[conv.kernel[1]] = feature;
            reads.push(run.at(0, &at_input));
            reads.push(run.at(1, &at_kernel));
        }
    }
    reads
}

/// Returns the elements under the taps of a window; `None` for padding.
fn taps(window: &[Window], place: &[i64], base: &[i64]) -> Vec<Option<Vec<i64>>> {
    let sizes: Vec<i64> = window.iter().map(|w| w.size).collect();
    let taps = indices_of(&sizes).into_iter().map(|tap| {
        let sides = window.iter().zip(place).zip(tap).zip(base);
        sides.map(|(((w, place), tap), base)| w.under(*place, tap, *base)).collect()
    });
    taps.collect()
}

/// Returns the inputs that each result of a fold needs in one step. State and element are not distinguished, since their
/// order is not fixed.
fn needs(run: &Running<'_>, to_apply: usize, count: usize) -> Vec<BTreeSet<usize>> {
    let found = dependence(run.program, to_apply).into_iter();
    found.map(|found| found.into_iter().map(|(k, _, _)| k % count).collect()).collect()
}

/// Returns the inputs that result `i` needs after this number of steps, directly or through other results.
fn needed(needs: &[BTreeSet<usize>], i: usize, steps: usize) -> BTreeSet<usize> {
    let (mut last, mut all) = (BTreeSet::from([i]), BTreeSet::new());
    for _ in 0..steps.min(needs.len() + 1) {
        last = last.iter().flat_map(|k| needs[*k].clone()).collect();
        all.extend(last.iter().copied());
    }
    all
}

/// Computes folds of `n` inputs and `n` initial values, over the elements that `steps` returns; a step without an element
/// folds the initial value once more.
fn folds(
    run: &Running<'_>,
    to_apply: usize,
    steps: impl Fn(&[i64]) -> Vec<Option<Vec<i64>>>,
) -> Cells {
    let count = run.operands.len() / 2;
    let needs = needs(run, to_apply, count);
    let mut cells = Vec::new();
    for (i, (_, array)) in run.shape.leaves().into_iter().enumerate() {
        cells.extend(run.each_of(array, |d| {
            let steps = steps(&d);
            let needed: Vec<usize> = match steps.is_empty() {
                true => vec![i],
                false => needed(&needs, i, steps.len()).into_iter().collect(),
            };
            let mut reads: Vec<At> = needed.iter().map(|j| (count + j, 0, 0)).collect();
            for element in steps.iter().flatten() {
                reads.extend(needed.iter().map(|j| run.at(*j, element)));
            }
            run.computed_as(i as i64, reads)
        }));
    }
    cells
}

/// "Selects an element from each window of the operand, and scatters the source to the selected elements": to know the
/// windows that select an element, each window that holds it is compared as a whole.
fn select_and_scatter(run: &Running<'_>, window: &[Window]) -> Cells {
    let base = run.sizes(0).to_vec();
    let windows: Vec<(Vec<i64>, Vec<Vec<i64>>)> = run
        .array(1)
        .indices()
        .map(|w| (w.clone(), taps(window, &w, &base).into_iter().flatten().collect()))
        .collect();
    assert!(matches!(run.shape, Shape::Array(_)));
    let is_one = window.iter().all(|w| w.size == 1);
    run.each(|d| {
        let mut reads = vec![(2, 0, 0)];
        for (w, held) in windows.iter().filter(|(_, held)| held.contains(&d)) {
            let held: Vec<At> = held.iter().map(|i| run.at(0, i)).collect();
            let values = held.iter().map(|at| run.value(*at)).enumerate();
            let greatest = values.max_by_key(|(_, value)| *value);
            let selected = greatest.map(|(k, _)| held[k]);
            if selected == Some(run.at(0, &d)) {
                reads.push(run.at(1, w));
            }
            if !is_one {
                reads.extend(held);
            }
        }
        run.computed(reads)
    })
}
