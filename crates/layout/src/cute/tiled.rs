//! Converts a tiled array to a CuTe layout, if it has one.
//!
//! Law: the layout's offset of each index is the position of that element. It exists if every tile divides the
//! dimension it splits, so that each step only regroups digits of the indices.

use super::layout::Layout;
use super::mode::Mode;
use crate::memory::{Level, Placement};

/// A digit of the index of a dimension: `(index floordiv unit) mod size`.
#[derive(Clone, Copy)]
struct Digit {
    dimension: usize,
    unit: i64,
    size: i64,
}

/// Returns the array's positions as a CuTe layout; `None` if a tile leaves padding or splits digits that it does not
/// divide.
#[must_use]
pub fn of_placement(placement: &Placement) -> Option<Layout> {
    let sizes = placement.sizes();
    let order = placement.shape().layout().minor_to_major();
    if sizes.contains(&0) || placement.elements() != placement.positions() {
        return None;
    }
    // The digits of each dimension, the lowest first; the dimensions in major-to-minor order.
    let whole =
        |dimension: &usize| vec![Digit { dimension: *dimension, unit: 1, size: sizes[*dimension] }];
    let mut entries: Vec<Vec<Digit>> = order.iter().rev().map(whole).collect();
    for level in placement.levels() {
        entries = tiled(entries, level)?;
    }
    let mut leaves: Vec<Vec<(i64, i64, i64)>> = vec![Vec::new(); sizes.len()];
    let mut stride = 1_i64;
    for digit in entries.iter().rev().flatten() {
        leaves[digit.dimension].push((digit.unit, digit.size, stride));
        stride = stride.checked_mul(digit.size)?;
    }
    let modes = leaves.into_iter().map(|mut leaves| {
        leaves.sort_unstable();
        let mut merged: Vec<(i64, i64)> = Vec::new();
        for (_, size, stride) in leaves {
            match merged.last_mut() {
                // An index that is always 0 needs no digit; digits adjacent in memory are merged.
                _ if size == 1 => {}
                Some((low, start)) if start.checked_mul(*low) == Some(stride) => *low *= size,
                _ => merged.push((size, stride)),
            }
        }
        let leaf = |(size, stride)| Mode::Leaf { size, stride };
        match merged.as_slice() {
            [] => leaf((1, 0)),
            [only] => leaf(*only),
            _ => Mode::Nested(merged.into_iter().map(leaf).collect()),
        }
    });
    Layout::new(modes.collect(), false, None).ok()
}

/// Splits digits by one tile.
fn tiled(entries: Vec<Vec<Digit>>, level: &Level) -> Option<Vec<Vec<Digit>>> {
    let mut entries = entries.into_iter();
    let mut after: Vec<Vec<Digit>> = entries.by_ref().take(level.untouched().len()).collect();
    let mut within = Vec::new();
    for group in level.groups() {
        // For combined dimensions, the digits of the most minor one come first.
        let mut parts: Vec<Vec<Digit>> = entries.by_ref().take(group.dimensions()).collect();
        parts.reverse();
        let (low, high) = cut(parts.concat(), group.tile())?;
        after.push(high);
        within.push(low);
    }
    after.extend(within);
    Some(after)
}

/// Splits the digits below and above `tile`.
fn cut(digits: Vec<Digit>, tile: i64) -> Option<(Vec<Digit>, Vec<Digit>)> {
    let (mut low, mut high) = (Vec::new(), Vec::new());
    let mut left = tile;
    for digit in digits {
        if left == 1 {
            high.push(digit);
        } else if left % digit.size == 0 {
            left /= digit.size;
            low.push(digit);
        } else if digit.size % left == 0 {
            low.push(Digit { size: left, ..digit });
            high.push(Digit {
                unit: digit.unit.checked_mul(left)?,
                size: digit.size / left,
                ..digit
            });
            left = 1;
        } else {
            return None;
        }
    }
    (left == 1).then_some((low, high))
}
