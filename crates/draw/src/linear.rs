//! Pictures of linear layouts: the register and thread that hold each element of a tensor, or its offset in memory.

use super::cute::{Banks, Held, cell, held_cell, what};
use super::grid::{Cell, Extent, Grid};
use super::indexed::indexed;
use affinor::expr::{EvalError, IndexingMap};
use affinor_layout::linear::LinearLayout;
use std::convert::Infallible;

/// Draws the holder of each element: threads are numbered across warps and blocks, values are registers. If there are several
/// holders, shows the lowest and the number of others.
#[must_use]
pub fn of_linear(layout: &LinearLayout, title: String, extent: Extent) -> Grid {
    let sizes: Vec<i64> = layout.shape().iter().map(|size| signed(*size)).collect();
    let elimination = layout.elimination();
    let registers = layout.inputs().first().map_or(0, |input| input.bases.len());
    let copies = 1_usize << elimination.kernel().len();
    let mut free = 0;
    let holder = |index: &[i64]| {
        let coordinates: Vec<u64> = index.iter().map(|i| u64::try_from(*i).unwrap_or(0)).collect();
        let input =
            layout.element(&coordinates).ok().and_then(|element| elimination.solve(element));
        let held = input.map(|input| Held {
            thread: signed(input >> registers),
            value: signed(input & ((1 << registers) - 1)),
            count: copies,
        });
        free += usize::from(held.is_none());
        Ok::<Cell, Infallible>(held_cell(held, 1 << registers))
    };
    let mut grid = match indexed(&sizes, "dim", title, extent, holder) {
        Ok(grid) => grid,
        Err(never) => match never {},
    };
    grid.note((free > 0).then(|| format!("elements drawn that no thread holds: {free}")));
    grid.note((copies > 1).then(|| format!("each element is held {copies} times")));
    grid
}

/// Draws the offset of each index, or its bank, for a map from an index to an offset.
///
/// # Errors
/// If an offset overflows.
pub fn of_offsets(
    map: &IndexingMap,
    banks: Option<Banks>,
    title: String,
    extent: Extent,
) -> Result<Grid, EvalError> {
    let sizes: Vec<i64> =
        map.domain().intervals().map(|bounds| bounds.hi().saturating_add(1)).collect();
    let mut grid = indexed(&sizes, "dim", title, extent, |index| {
        let offset = map.eval(index)?;
        Ok::<Cell, EvalError>(cell(offset.first().copied().unwrap_or(0), banks))
    })?;
    grid.note(Some(what(banks)));
    Ok(grid)
}

fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
