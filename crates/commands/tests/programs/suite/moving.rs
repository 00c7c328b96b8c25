//! Operations that move elements, and elementwise operations.

use super::arithmetic::apply;
use super::cells::{At, Cell, Cells, Running, with};
use super::moved::moved;
use super::program::Op;

/// Returns the cells of the operation; `None` if it is not in this family.
pub fn cells(run: &Running<'_>) -> Option<Cells> {
    let cells = match run.op {
        Op::Iota(k) => run.each(|d| Cell { reads: Vec::new(), value: d[*k] }),
        Op::Constant(values) => {
            let mut values = values.iter();
            run.each(|_| Cell {
                reads: Vec::new(),
                value: *values.next().expect("a value for each element"),
            })
        }
        Op::Pointwise(opcode, attribute) => run.each(|d| {
            let reads = at_one_index(run, &d);
            let values: Vec<i64> = reads.iter().map(|at| run.value(*at)).collect();
            let value = apply(opcode, attribute, &values);
            Cell { reads, value }
        }),
        Op::Copy => run.each(|d| run.moved(run.at(0, &d), Vec::new())),
        Op::Broadcast(dimensions) => run.each(|d| {
            let index: Vec<i64> = dimensions.iter().map(|k| d[*k]).collect();
            run.moved(run.at(0, &index), Vec::new())
        }),
        // "Reshape collapses all dimensions into one and then refines them": an element keeps its number.
        Op::Reshape => run.each(|d| run.moved((0, 0, run.output().number(&d)), Vec::new())),
        Op::Bitcast => bitcast(run),
        Op::BitcastConvert => bitcast_convert(run),
        Op::Moved(opcode, attribute) => run.each(|d| {
            let index = (moved(opcode).from)(attribute, run.sizes(0), &d);
            run.moved(run.at(0, &index), Vec::new())
        }),
        Op::Slice(sides) => run.each(|d| {
            let index: Vec<i64> =
                d.iter().zip(sides).map(|(i, [start, _, stride])| start + i * stride).collect();
            run.moved(run.at(0, &index), Vec::new())
        }),
        Op::Pad(sides) => run.each(|d| {
            let mut index = Vec::new();
            for ((i, [low, _, interior]), size) in d.iter().zip(sides).zip(run.sizes(0)) {
                let (place, step) = (i - low, interior + 1);
                let element = place.div_euclid(step);
                if place.rem_euclid(step) != 0 || !(0..*size).contains(&element) {
                    return run.moved((1, 0, 0), Vec::new());
                }
                index.push(element);
            }
            run.moved(run.at(0, &index), Vec::new())
        }),
        Op::Concatenate(dimension) => run.each(|d| {
            let mut rest = d[*dimension];
            for k in 0..run.operands.len() {
                let size = run.sizes(k)[*dimension];
                if rest < size {
                    return run.moved(run.at(k, &with(&d, *dimension, rest)), Vec::new());
                }
                rest -= size;
            }
            panic!("an index beyond all parts")
        }),
        Op::DynamicSlice => {
            let (starts, reads) = starts(run, 1, run.sizes(0), &run.output().sizes);
            run.each(|d| {
                let index: Vec<i64> = d.iter().zip(&starts).map(|(i, s)| i + s).collect();
                run.moved(run.at(0, &index), reads.clone())
            })
        }
        Op::DynamicUpdateSlice => {
            let (starts, reads) = starts(run, 2, run.sizes(0), run.sizes(1));
            run.each(|d| {
                let within: Vec<i64> = d.iter().zip(&starts).map(|(i, s)| i - s).collect();
                let mut sides = within.iter().zip(run.sizes(1));
                let from = match sides.all(|(i, size)| (0..*size).contains(i)) {
                    true => run.at(1, &within),
                    false => run.at(0, &d),
                };
                run.moved(from, reads.clone())
            })
        }
        _ => return None,
    };
    Some(cells)
}

/// Returns the operands' elements at an index; a scalar is read at every index.
pub fn at_one_index(run: &Running<'_>, d: &[i64]) -> Vec<At> {
    (0..run.operands.len())
        .map(|k| match run.sizes(k).is_empty() {
            true => (k, 0, 0),
            false => run.at(k, d),
        })
        .collect()
}

/// "The start indices are clamped so that the slice is in bounds."
fn starts(run: &Running<'_>, first: usize, base: &[i64], part: &[i64]) -> (Vec<i64>, Vec<At>) {
    let offsets = (first..).zip(base.iter().zip(part));
    let starts = offsets.map(|(k, (base, part))| {
        let (value, at) = run.scalar(k);
        (value.min(base - part).max(0), at)
    });
    starts.unzip()
}

/// Reads the element at the same position in memory.
fn bitcast(run: &Running<'_>) -> Cells {
    let operand = run.array(0);
    run.each(|d| {
        let position = run.output().position(&d);
        // A position in the operand's padding is not one of its elements.
        match operand.indices().find(|i| operand.position(i) == position) {
            Some(from) => run.moved(run.at(0, &from), Vec::new()),
            None => run.computed(Vec::new()),
        }
    })
}

/// A wider element is several narrow ones, along a last dimension of their own.
fn bitcast_convert(run: &Running<'_>) -> Cells {
    let (new, old) = (run.output(), run.array(0));
    run.each(|d| match new.sizes.len().cmp(&old.sizes.len()) {
        std::cmp::Ordering::Equal => run.computed(vec![run.at(0, &d)]),
        std::cmp::Ordering::Greater => run.computed(vec![run.at(0, &d[..d.len() - 1])]),
        std::cmp::Ordering::Less => {
            let parts = 0..*old.sizes.last().expect("a last dimension");
            let parts = parts.map(|k| run.at(0, &[&d[..], &[k]].concat()));
            run.computed(parts.collect())
        }
    })
}
