//! Pictures of CuTe layouts: the offset of each index, the memory banks of these offsets, and the thread that holds each element
//! of a tile.
//!
//! The first two modes run down and to the right; indices of all others are 0.

use super::grid::{Axis, Cell, Content, Extent, Grid, Line, Shade};
use super::indexed::indexed;
use affinor::expr::EvalError;
use affinor::num::modulo;
use affinor::text::{Error, ErrorKind, count as counted};
use affinor_layout::cute::Layout;
use std::collections::BTreeMap;

/// Number of colours of offsets, and of threads.
const COLORS: i64 = 8;

/// Maximum number of pairs of a thread and a value that are tried.
const MOST_HELD: i64 = 1_000_000;

/// Shared memory in banks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Banks {
    /// The number of banks, at least 1.
    pub count: i64,
    /// The bytes of a word, at least 1; word `w` is in bank `w mod count`.
    pub word: i64,
    /// The bytes of an element, at least 1.
    pub element: i64,
}

/// The reason why threads and values cannot be drawn over a tile.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NotATile {
    /// The layout does not have two modes.
    #[error("a layout of threads and values has two modes, this one has {0}")]
    Modes(usize),
    /// An element is outside the tile.
    #[error(
        "value {value} of thread {thread} is element {offset}, outside the tile of {size} elements"
    )]
    Outside {
        /// The thread.
        thread: i64,
        /// The index of its value.
        value: i64,
        /// The position that the layout maps the value to.
        offset: i64,
        /// The number of elements of the tile.
        size: i64,
    },
    /// There are too many values.
    #[error("a picture has at most {MOST_HELD} values")]
    TooMany,
    /// A value overflows.
    #[error(transparent)]
    Eval(#[from] EvalError),
}

/// Draws the offsets of a layout, coloured by their remainder modulo 8, or the bank of each. A layout with a swizzle has two
/// pictures: before and after the swizzle.
///
/// # Errors
/// Kind `overflow`, without a span.
pub fn of_cute(layout: &Layout, banks: Option<Banks>, extent: Extent) -> Result<Vec<Grid>, Error> {
    let grid = |layout: &Layout, title: String| {
        offsets(layout, banks, extent, title)
            .map_err(|error| Error::without_span(ErrorKind::Overflow, error.to_string()))
    };
    match layout.swizzle() {
        None => Ok(vec![grid(layout, layout.to_string())?]),
        Some(_) => {
            let before = layout.without_swizzle()?;
            Ok(vec![
                grid(&before, format!("before: {before}"))?,
                grid(layout, format!("after: {layout}"))?,
            ])
        }
    }
}

/// Describes the meaning of the numbers.
pub(super) fn what(banks: Option<Banks>) -> String {
    let Some(banks) = banks else {
        return "numbers: offsets".to_owned();
    };
    let Banks { count, word, element } = banks;
    let first = if element > word { "first bank" } else { "bank" };
    format!(
        "numbers: {first} of each element of {}, of {} of {}",
        counted(element, "byte"),
        counted(count, "bank"),
        counted(word, "byte")
    )
}

fn offsets(
    layout: &Layout,
    banks: Option<Banks>,
    extent: Extent,
    title: String,
) -> Result<Grid, EvalError> {
    let sizes = layout.sizes();
    let mut grid = indexed(&sizes, "mode", title, extent, |index| {
        let offset = layout.map().eval(index)?;
        Ok::<Cell, EvalError>(cell(offset.first().copied().unwrap_or(0), banks))
    })?;
    grid.note(Some(what(banks)));
    grid.note(match sizes.len() {
        0..=2 => None,
        3 => Some("the index of mode 2 is 0".to_owned()),
        modes => Some(format!("the indices of modes 2 to {} are 0", modes - 1)),
    });
    Ok(grid)
}

pub(super) fn cell(offset: i64, banks: Option<Banks>) -> Cell {
    let (number, of) = match banks {
        None => (modulo(offset, COLORS), COLORS),
        Some(banks) => {
            let byte = i128::from(offset) * i128::from(banks.element);
            let word = byte.div_euclid(i128::from(banks.word));
            let bank = word.rem_euclid(i128::from(banks.count));
            (i64::try_from(bank).unwrap_or(0), banks.count) // less than the count
        }
    };
    let label = match banks {
        None => offset.to_string(),
        Some(_) => number.to_string(),
    };
    let [number, of] = [number, of].map(|n| usize::try_from(n).unwrap_or(0));
    Cell { content: Content::Shaded(Shade { number, of, level: 0, levels: 1 }), label }
}

/// The holder of an element.
#[derive(Clone, Copy)]
pub(super) struct Held {
    pub(super) thread: i64,
    /// The index of the thread's value.
    pub(super) value: i64,
    /// The number of holders, including this one.
    pub(super) count: usize,
}

/// Returns the cell of an element; each thread has `values` values.
pub(super) fn held_cell(held: Option<Held>, values: i64) -> Cell {
    let Some(Held { thread, value, count }) = held else {
        return Cell { content: Content::Padding, label: String::new() };
    };
    let others = match count {
        1 => String::new(),
        count => format!("+{}", count - 1),
    };
    let number = |value: i64| usize::try_from(value).unwrap_or(0);
    Cell {
        content: Content::Shaded(Shade {
            number: number(modulo(thread, COLORS)),
            of: number(COLORS),
            level: number(value),
            levels: usize::try_from(values).unwrap_or(1),
        }),
        label: format!("T{thread}V{value}{others}"),
    }
}

/// Draws the thread and the value that hold each element of a tile, for a layout from threads and values to elements whose first
/// dimension is the fastest. The colour is that of the thread, darker for later values.
///
/// # Errors
/// [`NotATile`].
pub fn of_threads(layout: &Layout, tile: [i64; 2], extent: Extent) -> Result<Grid, NotATile> {
    let sizes = layout.sizes();
    let [threads, values] = sizes.as_slice() else {
        return Err(NotATile::Modes(sizes.len()));
    };
    let size = tile[0].checked_mul(tile[1]).ok_or(NotATile::TooMany)?;
    if threads.checked_mul(*values).is_none_or(|all| all > MOST_HELD) || size > MOST_HELD {
        return Err(NotATile::TooMany);
    }
    // The first holder of each element, and the number of holders.
    let mut held: BTreeMap<i64, (i64, i64, usize)> = BTreeMap::new();
    for thread in 0..*threads {
        for value in 0..*values {
            let offset = layout.map().eval(&[thread, value])?;
            let offset = offset.first().copied().unwrap_or(0);
            if !(0..size).contains(&offset) {
                return Err(NotATile::Outside { thread, value, offset, size });
            }
            held.entry(offset).or_insert((thread, value, 0)).2 += 1;
        }
    }
    let rows = Axis::new("dim 0".to_owned(), tile[0], extent);
    let columns = Axis::new("dim 1".to_owned(), tile[1], extent);
    let held_by = |row: i64, column: i64| {
        held.get(&(row + column * tile[0])).map(|(thread, value, count)| Held {
            thread: *thread,
            value: *value,
            count: *count,
        })
    };
    let row = |row: &i64| {
        columns.drawn.iter().map(|column| held_cell(held_by(*row, *column), *values)).collect()
    };
    let cells = rows.drawn.iter().map(row).collect();
    let title = format!(
        "{layout}: thread and value of each element of a tile of {} x {}",
        tile[0], tile[1]
    );
    let mut grid = Grid::framed(title, rows, columns, cells, |_, _| Line::None);
    let free = size - i64::try_from(held.len()).unwrap_or(size);
    grid.note((free > 0).then(|| format!("elements that no thread holds: {free}")));
    let several = held.values().filter(|(.., count)| *count > 1).count();
    grid.note(
        (several > 0).then(|| format!("elements that several hold: {several}, with how many more")),
    );
    Ok(grid)
}
