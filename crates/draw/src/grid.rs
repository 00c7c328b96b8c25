//! Cells in rows and columns, with lines between them.

/// A cell of a picture.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cell {
    /// Its content.
    pub content: Content,
    /// Its text.
    pub label: String,
}

/// The content of a cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Content {
    /// An element, in the colour with this number modulo [`Grid::COLORS`].
    Element(usize),
    /// An element that is read.
    Read,
    /// An element in one of many colours.
    Shaded(Shade),
    /// Memory without an element.
    Padding,
}

/// One of `of` colours around the colour wheel, with a lightness.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shade {
    /// The number of the colour, from 0.
    pub number: usize,
    /// The number of colours.
    pub of: usize,
    /// The darkness, from 0.
    pub level: usize,
    /// The number of levels of darkness.
    pub levels: usize,
}

/// A line between two cells.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Line {
    /// No line.
    None,
    /// A line between tiles of a later level.
    Light,
    /// A line between tiles of the first level, and around the picture.
    Heavy,
}

/// Rows or columns of a picture.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Axis {
    /// Its name: `dim 1`.
    pub name: String,
    /// The number of rows or columns.
    pub size: i64,
    /// The indices that are drawn, in order.
    pub drawn: Vec<i64>,
}

/// The part of a large array that is drawn: the first and the last rows and columns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Extent {
    first: i64,
    last: i64,
}

impl Extent {
    /// The extent that fits on a terminal.
    pub const TERMINAL: Extent = Extent { first: 16, last: 0 };

    /// The extent of a picture in a file.
    pub const FILE: Extent = Extent { first: 56, last: 8 };

    /// The extent for an answer stored in a notebook: as SVG at most 60 kB.
    pub const NOTEBOOK: Extent = Extent { first: 12, last: 4 };
}

impl Axis {
    /// Creates an axis with `size` rows or columns, of which this extent is drawn.
    pub(super) fn new(name: String, size: i64, extent: Extent) -> Axis {
        let Extent { first, last } = extent;
        let drawn = match size <= first + last {
            true => (0..size).collect(),
            false => (0..first).chain(size - last..size).collect(),
        };
        Axis { name, size, drawn }
    }

    /// Creates an axis like [`Axis::new`], but around `place` if it would not be drawn otherwise.
    pub(super) fn around(name: String, size: i64, extent: Extent, place: Option<i64>) -> Axis {
        let most = extent.first + extent.last;
        match place.filter(|place| (extent.first..size).contains(place) && size > most) {
            None => Axis::new(name, size, extent),
            Some(place) => {
                let start = (place - 1).min(size - most);
                let drawn = (start..start + most).collect();
                Axis { name, size, drawn }
            }
        }
    }

    /// Returns the number of drawn indices before the first gap.
    pub(super) fn before_gap(&self) -> usize {
        let start = self.drawn.first().copied().unwrap_or(0);
        let numbered = (start..).zip(&self.drawn);
        numbered.take_while(|(expected, index)| expected == *index).count()
    }

    /// Returns a note if not all indices are drawn: `the first 16 of 40 rows`, `rows 20 to 35 of 40`.
    fn shown(&self, what: &str) -> Option<String> {
        let (first, all) = (self.before_gap(), self.drawn.len());
        let is_all = i64::try_from(all).is_ok_and(|all| all >= self.size);
        let last = match all - first {
            0 => String::new(),
            last => format!(" and the last {last}"),
        };
        let size = self.size;
        let words = match (self.drawn.first(), self.drawn.last()) {
            (Some(start), Some(end)) if *start > 0 => format!("{what} {start} to {end} of {size}"),
            _ => format!("the first {first}{last} of {size} {what}"),
        };
        (!is_all).then_some(words)
    }
}

/// A picture that can be drawn as text or SVG.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Grid {
    /// Its title.
    pub title: String,
    /// The vertical axis; fewer rows of cells may be drawn.
    pub rows: Axis,
    /// The horizontal axis.
    pub columns: Axis,
    /// The rows that are drawn, equally long.
    pub cells: Vec<Vec<Cell>>,
    /// For each row, the lines to the left of its cells and the line to the right of the last.
    pub upright: Vec<Vec<Line>>,
    /// The lines above each row, and those below the last: one for each column.
    pub level: Vec<Vec<Line>>,
    /// Notes below the picture: the parts that are not drawn, and the meaning of the numbers.
    pub words: Option<String>,
}

impl Grid {
    /// The number of colours that distinguish tiles.
    pub const COLORS: usize = 8;

    /// Creates a grid with a frame around it and inner lines given by `line`, which is called for each cell and its neighbour to
    /// the right or below.
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
        let parts = [rows.shown("rows"), columns.shown("columns")];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        let words = match parts.as_slice() {
            _ if is_empty => Some("nothing to draw".to_owned()),
            [] => None,
            parts => Some(format!("only {} are drawn", parts.join(" and "))),
        };
        Grid { title, rows, columns, cells, upright, level, words }
    }

    /// Describes the axes: `columns: dim 1 (6), rows: dim 0 (4)`
    pub(super) fn axes(&self) -> String {
        let (rows, columns) = (&self.rows, &self.columns);
        format!("columns: {} ({}), rows: {} ({})", columns.name, columns.size, rows.name, rows.size)
    }

    /// Adds a note below the picture.
    pub(super) fn note(&mut self, note: Option<String>) {
        let notes = self.words.take().into_iter().chain(note);
        let notes: Vec<String> = notes.collect();
        self.words = (!notes.is_empty()).then(|| notes.join("; "));
    }
}
