//! A picture of an array along its first two dimensions, down and to the right; the indices of others are 0.

use super::grid::{Axis, Cell, Extent, Grid, Line};

/// Creates the grid of an array with these sizes, whose dimensions are named `word` and their number.
///
/// # Errors
/// The error of a cell.
pub(super) fn indexed<E>(
    sizes: &[i64],
    word: &str,
    title: String,
    extent: Extent,
    mut cell: impl FnMut(&[i64]) -> Result<Cell, E>,
) -> Result<Grid, E> {
    let (down, right) = match sizes.len() {
        0 | 1 => (None, 0),
        _ => (Some(0), 1),
    };
    let axis = |dim: Option<usize>| match dim.and_then(|dim| Some((dim, *sizes.get(dim)?))) {
        Some((dim, size)) => Axis::new(format!("{word} {dim}"), size, extent),
        None => Axis::new("one".to_owned(), 1, extent),
    };
    let (rows, columns) = (axis(down), axis(Some(right)));
    let mut cells = Vec::new();
    for row in &rows.drawn {
        let mut line = Vec::new();
        for column in &columns.drawn {
            let mut index = vec![0; sizes.len()];
            for (dim, value) in [(down, row), (Some(right), column)] {
                if let Some(place) = dim.and_then(|dim| index.get_mut(dim)) {
                    *place = *value;
                }
            }
            line.push(cell(&index)?);
        }
        cells.push(line);
    }
    Ok(Grid::framed(title, rows, columns, cells, |_, _| Line::None))
}
