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
    /// An element, in the colour with this number; [`Grid::COLORS`] of them, then again from the first.
    Element(usize),
    /// An element that is read.
    Read,
    /// An element in one of many colours.
    Shaded(Shade),
    /// Memory without an element.
    Padding,
}

/// One of `of` colours around the wheel, and how light it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shade {
    /// Which colour, from 0.
    pub number: usize,
    /// How many there are.
    pub of: usize,
    /// How dark, from 0.
    pub level: usize,
    /// How many levels there are.
    pub levels: usize,
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
    /// Its name: `dim 1`.
    pub name: String,
    /// How many there are.
    pub size: i64,
    /// Those that are drawn, in order.
    pub drawn: Vec<i64>,
}

/// How much of a large array is drawn: the first and the last rows and columns.
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

    /// The extent that a notebook stores with an answer: as SVG at most 60 kB.
    pub const NOTEBOOK: Extent = Extent { first: 12, last: 4 };
}

impl Axis {
    /// `size` rows or columns, of which this extent is drawn.
    pub(super) fn new(name: String, size: i64, extent: Extent) -> Axis {
        let Extent { first, last } = extent;
        let drawn = match size <= first + last {
            true => (0..size).collect(),
            false => (0..first).chain(size - last..size).collect(),
        };
        Axis { name, size, drawn }
    }

    /// The same, but around `place` if that would not be drawn otherwise.
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

    /// How many of those that are drawn come before the first gap.
    pub(super) fn before_gap(&self) -> usize {
        let start = self.drawn.first().copied().unwrap_or(0);
        let numbered = (start..).zip(&self.drawn);
        numbered.take_while(|(expected, index)| expected == *index).count()
    }

    /// A note if not all are drawn: `the first 16 of 40 rows`, `rows 20 to 35 of 40`.
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

/// A picture, before it is drawn.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Grid {
    /// Its title.
    pub title: String,
    /// The vertical axis; not all of it is drawn when there are fewer rows of cells.
    pub rows: Axis,
    /// The horizontal axis.
    pub columns: Axis,
    /// The rows that are drawn, equally long.
    pub cells: Vec<Vec<Cell>>,
    /// For each row, the lines left of its cells and the line right of the last.
    pub upright: Vec<Vec<Line>>,
    /// The lines above each row, and those below the last: one for each column.
    pub level: Vec<Vec<Line>>,
    /// Notes below it: the parts that are not drawn, the meaning of the numbers.
    pub words: Option<String>,
}

impl Grid {
    /// How many colours tell tiles apart.
    pub const COLORS: usize = 8;

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
        let parts = [rows.shown("rows"), columns.shown("columns")];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        let words = match parts.as_slice() {
            _ if is_empty => Some("nothing to draw".to_owned()),
            [] => None,
            parts => Some(format!("only {} are drawn", parts.join(" and "))),
        };
        Grid { title, rows, columns, cells, upright, level, words }
    }

    /// `columns: dim 1 (6), rows: dim 0 (4)`
    pub(super) fn axes(&self) -> String {
        let (rows, columns) = (&self.rows, &self.columns);
        format!("columns: {} ({}), rows: {} ({})", columns.name, columns.size, rows.name, rows.size)
    }

    /// Adds a sentence below.
    pub(super) fn note(&mut self, note: Option<String>) {
        let notes = self.words.take().into_iter().chain(note);
        let notes: Vec<String> = notes.collect();
        self.words = (!notes.is_empty()).then(|| notes.join("; "));
    }
}
