//! The picture of the reads of a map: the operand's last two dimensions, with the elements that are read marked.

use super::grid::{Axis, Cell, Content, Extent, Grid, Line};
use affinor::expr::{EvalError, IndexingMap};
use affinor::num::Interval;
use std::collections::BTreeMap;

/// Maximum number of points of a map that a picture tries.
pub const MOST_POINTS: u64 = 1_000_000;

/// The reason why there is no picture.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TooManyPoints {
    /// The box has more than [`MOST_POINTS`] points, or is unbounded.
    #[error("a picture has at most {MOST_POINTS} points")]
    Points,
    /// A value overflows.
    #[error(transparent)]
    Eval(#[from] EvalError),
}

/// Draws the elements that `map` reads at the points of `within`, which has one interval for each variable. `sizes` are those of
/// the operand. Draws only the slice that contains the first element read, and of a large slice only the part where reads begin,
/// with the number of reads of each element.
///
/// # Errors
/// [`TooManyPoints`].
pub fn of_reads(
    map: &IndexingMap,
    within: &[Interval],
    sizes: &[i64],
    title: String,
    extent: Extent,
) -> Result<Grid, TooManyPoints> {
    let counts = reads(map, within)?;
    let rank = sizes.len();
    let slice: Vec<i64> = match counts.keys().next() {
        Some(first) => first[..rank.saturating_sub(2)].to_vec(),
        None => vec![0; rank.saturating_sub(2)],
    };
    let size = |back: usize| rank.checked_sub(back + 1).map_or(1, |d| sizes[d]);
    let axis = |back: usize| {
        let dimension = rank.checked_sub(back + 1);
        let name = dimension.map_or("one".to_owned(), |d| format!("dim {d}"));
        let inside = counts.keys().filter(|index| index.starts_with(&slice));
        let place = inside.filter_map(|index| index.get(dimension?).copied()).min();
        Axis::around(name, size(back), extent, place)
    };
    let (rows, columns) = (axis(1), axis(0));
    let cell = |row: i64, column: i64| {
        let mut index = slice.clone();
        index.extend([row, column].into_iter().skip(2_usize.saturating_sub(rank)));
        match counts.get(&index) {
            Some(count) => Cell { content: Content::Read, label: count.to_string() },
            None => Cell { content: Content::Element(0), label: String::new() },
        }
    };
    let row = |row: &i64| columns.drawn.iter().map(|column| cell(*row, *column)).collect();
    let cells: Vec<Vec<Cell>> = rows.drawn.iter().map(row).collect();
    let mut grid = Grid::framed(title, rows, columns, cells, |_, _| Line::None);
    let drawn = grid.cells.iter().flatten();
    let drawn = drawn.filter(|cell| cell.content == Content::Read);
    let others = counts.len() - drawn.count();
    let of_slice = format!("the first {} indices are {slice:?}", slice.len());
    grid.note((!slice.is_empty()).then_some(of_slice));
    grid.note((others > 0).then(|| format!("elements read outside the picture: {others}")));
    Ok(grid)
}

/// Returns the smallest sizes of an operand that contains all elements that `map` reads at natural indices, according to its
/// ranges; `None` if the reads are unbounded.
///
/// ```
/// use affinor::text::parse_map;
/// use affinor_draw::sizes_read;
///
/// let of = |text| Ok::<_, affinor::text::Error>(sizes_read(&parse_map(text)?));
/// assert_eq!(of("(i, j) -> (i * 2, i + j), domain: i in [0, 3], j in [0, 1]")?, Some(vec![7, 5]));
/// assert_eq!(of("(i) -> (i), domain: i in [0, inf]")?, None);
/// assert_eq!(of("(i) -> (i), domain: i in [0, -1]")?, Some(vec![0]));
/// # Ok::<(), affinor::text::Error>(())
/// ```
#[must_use]
pub fn sizes_read(map: &IndexingMap) -> Option<Vec<i64>> {
    let size = |range: Interval| match range {
        range if range.is_empty() => Some(0),
        range if range.is_bounded() => range.hi().checked_add(1),
        _ => None,
    };
    map.ranges().into_iter().map(size).collect()
}

/// Counts the reads of each element.
fn reads(map: &IndexingMap, within: &[Interval]) -> Result<BTreeMap<Vec<i64>, u64>, TooManyPoints> {
    let mut counts = within.iter().map(|interval| interval.count());
    let total = counts.try_fold(1_u64, |total, count| total.checked_mul(count?));
    if total.is_none_or(|total| total > MOST_POINTS) {
        return Err(TooManyPoints::Points);
    }
    let mut found = BTreeMap::new();
    if within.iter().any(|interval| interval.is_empty()) {
        return Ok(found);
    }
    let mut point: Vec<i64> = within.iter().map(|interval| interval.lo()).collect();
    loop {
        if map.domain().contains(&point)? {
            *found.entry(map.eval(&point)?).or_insert(0) += 1;
        }
        let next = (0..point.len()).rev().find(|place| point[*place] < within[*place].hi());
        let Some(place) = next else {
            return Ok(found);
        };
        point[place] += 1;
        for behind in place + 1..point.len() {
            point[behind] = within[behind].lo();
        }
    }
}
