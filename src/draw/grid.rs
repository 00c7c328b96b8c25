//! Cells in rows and columns, with lines between them.

/// A cell of a picture.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cell {
    /// What it holds.
    pub content: Content,
    /// What is written in it.
    pub label: String,
}

/// What a cell holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Content {
    /// An element, in the colour with this number; [`Grid::COLORS`] of them, then again from the first.
    Element(usize),
    /// An element that is read.
    Read,
    /// Memory without an element.
    Padding,
}

/// A line between two cells.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Line {
    /// No line.
    None,
    /// Between tiles of a later level.
    Light,
    /// Between tiles of the first level, and around the picture.
    Heavy,
}

/// Rows or columns of a picture.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Axis {
    /// What it is called: `dim 1`.
    pub name: String,
    /// How many there are.
    pub size: i64,
}

/// A picture, before it is drawn.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Grid {
    /// What it shows.
    pub title: String,
    /// What runs down; not all of it is drawn when there are fewer rows of cells.
    pub rows: Axis,
    /// What runs to the right.
    pub columns: Axis,
    /// The rows that are drawn, equally long.
    pub cells: Vec<Vec<Cell>>,
    /// For each row, the lines left of its cells and the line right of the last.
    pub upright: Vec<Vec<Line>>,
    /// The lines above each row, and those below the last: one for each column.
    pub level: Vec<Vec<Line>>,
    /// What is not drawn, in words.
    pub left_out: Option<String>,
}

impl Grid {
    /// How many colours tell tiles apart.
    pub const COLORS: usize = 6;

    /// The most rows, and the most columns, that are drawn.
    pub const MOST: usize = 16;

    /// Cells with a frame around them and lines where `line` says: it is asked for each cell and the one right of it, or
    /// below it.
    pub(super) fn framed(
        title: String,
        rows: Axis,
        columns: Axis,
        cells: Vec<Vec<Cell>>,
        line: impl Fn((usize, usize), (usize, usize)) -> Line,
    ) -> Grid {
        let (height, width) = (cells.len(), cells.first().map_or(0, Vec::len));
        let upright = (0..height).map(|row| {
            let line = |column: usize| match column {
                0 => Line::Heavy,
                column if column == width => Line::Heavy,
                column => line((row, column - 1), (row, column)),
            };
            (0..=width).map(line).collect()
        });
        let upright = upright.collect();
        let level = (0..=height).map(|row| {
            let line = |column: usize| match row {
                0 => Line::Heavy,
                row if row == height => Line::Heavy,
                row => line((row - 1, column), (row, column)),
            };
            (0..width).map(line).collect()
        });
        let level = level.collect();
        let is_empty = height == 0 || width == 0;
        let shown = |count: usize, axis: &Axis, what: &str| {
            let fewer = i64::try_from(count).is_ok_and(|count| count < axis.size);
            fewer.then(|| format!("the first {count} of {} {what}", axis.size))
        };
        let parts = [
            shown(height, &rows, "rows"),
            shown(width, &columns, "columns"),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        let left_out = match parts.as_slice() {
            _ if is_empty => Some("nothing to draw".to_owned()),
            [] => None,
            parts => Some(format!("only {} are drawn", parts.join(" and "))),
        };
        Grid {
            title,
            rows,
            columns,
            cells,
            upright,
            level,
            left_out,
        }
    }

    /// How many of `size` rows or columns are drawn.
    pub(super) fn drawn(size: i64) -> i64 {
        size.clamp(0, Grid::MOST as i64)
    }
}
