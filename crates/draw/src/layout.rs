//! The picture of a layout: the two most minor tiled dimensions, padding included, with the position of each cell in memory;
//! indices of all other dimensions are 0.

use super::grid::{Axis, Cell, Content, Extent, Grid, Line};
use affinor::expr::EvalError;
use affinor::num::{floordiv, modulo};
use affinor_layout::memory::{Level, Placement};

/// Draws the array of `placement` divided into tiles, with each cell's position as its label.
///
/// # Errors
/// [`EvalError`] if a position overflows.
pub fn of_placement(placement: &Placement, extent: Extent) -> Result<Grid, EvalError> {
    let view = View::new(placement, extent);
    let mut cells = Vec::new();
    let mut tiles: Vec<Vec<Vec<Vec<i64>>>> = Vec::new();
    for row in view.rows.drawn.iter().copied() {
        let (mut line, mut tile_line) = (Vec::new(), Vec::new());
        for column in view.columns.drawn.iter().copied() {
            let place = view.place(row, column)?;
            let element = placement.element();
            let inside = element.domain().contains(&[place.position])?;
            let content = match inside {
                true => Content::Element(view.color(row, column)),
                false => Content::Padding,
            };
            line.push(Cell { content, label: place.position.to_string() });
            tile_line.push(place.tiles);
        }
        cells.push(line);
        tiles.push(tile_line);
    }
    let line = |(row, column): (usize, usize), (next_row, next_column): (usize, usize)| {
        let (here, there) = (&tiles[row][column], &tiles[next_row][next_column]);
        match here.iter().zip(there).position(|(x, y)| x != y) {
            Some(0) => Line::Heavy,
            Some(_) => Line::Light,
            None => Line::None,
        }
    };
    let title = format!("{}: positions in memory", placement.shape());
    Ok(Grid::framed(title, view.rows, view.columns, cells, line))
}

/// The part of an array that is drawn.
struct View<'a> {
    placement: &'a Placement,
    first: Option<&'a Level>,
    rows: Axis,
    columns: Axis,
    /// The numbers of rows and columns in one tile of the first level.
    tile: (i64, i64),
}

/// The position of a cell.
struct Place {
    position: i64,
    /// The index of the containing tile at each level.
    tiles: Vec<Vec<i64>>,
}

impl<'a> View<'a> {
    fn new(placement: &'a Placement, extent: Extent) -> View<'a> {
        let order = placement.shape().layout().minor_to_major();
        let first = placement.levels().iter().find(|level| !level.groups().is_empty());
        // A tile `T()` changes nothing; only a first level that divides the array is drawn as the first level.
        let first = first.filter(|level| placement.levels().first() == Some(level));
        let axis = |back: usize| match first {
            Some(level) => {
                let group = level.groups().iter().rev().nth(back);
                let size = group.map_or(1, |group| group.tiles() * group.tile());
                (size, group.map_or(1, |group| group.tile()))
            }
            None => {
                let size = order.get(back).map_or(1, |d| placement.widths()[*d]);
                (size, size.max(1))
            }
        };
        let names = first.map_or_else(
            || order.iter().map(|d| format!("dim {d}")).collect(),
            |level| group_names(level, order),
        );
        let name = |back: usize| names.get(back).cloned().unwrap_or_else(|| "one".to_owned());
        let ((columns, column_tile), (rows, row_tile)) = (axis(0), axis(1));
        View {
            placement,
            first,
            rows: Axis::new(name(1), rows, extent),
            columns: Axis::new(name(0), columns, extent),
            tile: (row_tile, column_tile),
        }
    }

    fn color(&self, row: i64, column: i64) -> usize {
        let (down, right) = (row / self.tile.0, column / self.tile.1);
        usize::try_from((3 * down + right) % Grid::COLORS as i64).unwrap_or(0)
    }

    fn place(&self, row: i64, column: i64) -> Result<Place, EvalError> {
        let steps = self.placement.steps();
        let mut tiles = Vec::new();
        let (mut index, rest) = match self.first {
            Some(level) => {
                let index = split(level, row, column);
                tiles.push(index[..index.len() - level.groups().len()].to_vec());
                (index, &steps[2..])
            }
            None => {
                let rank = self.placement.sizes().len();
                let mut index = vec![0; rank];
                for (place, value) in index.iter_mut().rev().zip([column, row]) {
                    *place = value;
                }
                (index, &steps[1..])
            }
        };
        let later = self.placement.levels().iter().skip(tiles.len());
        for (step, level) in rest.iter().zip(later.map(Some).chain([None])) {
            index = step.apply().eval(&index)?;
            if let Some(level) = level {
                tiles.push(index[..index.len() - level.groups().len()].to_vec());
            }
        }
        Ok(Place { position: index.first().copied().unwrap_or(0), tiles })
    }
}

/// Returns the index under the tile for the cell at `row` and `column` of the last two groups.
fn split(level: &Level, row: i64, column: i64) -> Vec<i64> {
    let mut grouped = vec![0; level.groups().len()];
    for (place, value) in grouped.iter_mut().rev().zip([column, row]) {
        *place = value;
    }
    let grouped = || grouped.iter().zip(level.groups());
    let mut index = vec![0; level.untouched().len()];
    index.extend(grouped().map(|(value, group)| floordiv(*value, group.tile())));
    index.extend(grouped().map(|(value, group)| modulo(*value, group.tile())));
    index
}

/// Names the dimensions that each group combines, the most minor group first.
fn group_names(level: &Level, minor_to_major: &[usize]) -> Vec<String> {
    let mut order = minor_to_major.iter();
    let name = |group: &affinor_layout::memory::Group| {
        let dimensions = order.by_ref().take(group.dimensions());
        let mut dimensions: Vec<String> = dimensions.map(|d| format!("dim {d}")).collect();
        dimensions.reverse();
        match dimensions.is_empty() {
            true => "one".to_owned(),
            false => dimensions.join(" x "),
        }
    };
    level.groups().iter().rev().map(name).collect()
}
