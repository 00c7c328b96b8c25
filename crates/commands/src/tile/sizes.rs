//! The sizes of requested tiles: for arrays of any rank, in the order of dimensions or of a layout, and for each result of a
//! tuple.

use super::output::grid_error;
use crate::arguments::Argument;
use crate::failure::Failure;
use crate::given::parse_point;
use affinor::text::ErrorKind;
use affinor_ops::footprint::tiling::{Grid, GridError};

/// The prefix of sizes in the order of the layout, the major dimension first.
const BY_LAYOUT: &str = "layout:";

/// A size of 1 in each leading dimension.
const LEADING: &str = "..";

/// The separator before the sizes along range variables.
const ALONG: char = '|';

/// The sizes of tiles, and their assignment to the dimensions of an array.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sizes {
    /// A list for each result of a tuple, or one list for all.
    of_results: Vec<List>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct List {
    is_by_layout: bool,
    /// Whether further leading dimensions have size 1.
    has_leading: bool,
    sizes: Vec<i64>,
    /// The sizes along the first range variables, which represent contracted and reduced dimensions.
    along: Vec<i64>,
}

impl Sizes {
    /// Parses `8,128`, `..,128` (1 in each leading dimension), `layout:..,128` (in the order of the layout), `8,128|32` (32 along
    /// the first range variable), or several of them separated by `/` (one for each result of a tuple).
    ///
    /// # Errors
    /// At the size that is wrong.
    pub fn read(given: &Argument) -> Result<Sizes, Failure> {
        let mut of_results = Vec::new();
        let mut start = 0;
        for text in given.text.split('/') {
            let end = start + text.len();
            let part = given.part(start..end).unwrap_or_else(|| given.clone());
            of_results.push(List::read(&part)?);
            start = end + 1;
        }
        Ok(Sizes { of_results })
    }

    /// Returns the grid of result `number` of a tuple: an array of this rank with dimensions in this order, major to minor, then
    /// at most `ranges` range variables.
    ///
    /// # Errors
    /// [`GridError::Rank`] if there are not as many sizes as dimensions, [`GridError::Result`] if that result has none.
    pub fn grid(
        &self,
        number: usize,
        (rank, ranges): (usize, usize),
        major_to_minor: impl Iterator<Item = usize>,
    ) -> Result<Grid, GridError> {
        let list = self.of_result(number)?;
        let given = list.sizes.len();
        let leading = match rank.checked_sub(given) {
            Some(leading) if leading == 0 || list.has_leading => leading,
            _ => {
                return Err(GridError::Rank { given, dimensions: rank });
            }
        };
        let sizes = std::iter::repeat_n(1, leading).chain(list.sizes.iter().copied());
        let mut by_dimension: Vec<i64> = sizes.clone().collect();
        if list.is_by_layout {
            for (dimension, size) in major_to_minor.zip(sizes) {
                if let Some(place) = by_dimension.get_mut(dimension) {
                    *place = size;
                }
            }
        }
        by_dimension.extend(list.along.iter().take(ranges));
        Grid::of_sizes(by_dimension)
    }

    /// Returns the number of range variables that tiles of result `number` of a tuple divide.
    ///
    /// # Errors
    /// [`GridError::Result`].
    pub fn along(&self, number: usize) -> Result<usize, GridError> {
        Ok(self.of_result(number)?.along.len())
    }

    fn of_result(&self, number: usize) -> Result<&List, GridError> {
        match self.of_results.as_slice() {
            [all] => Ok(all),
            lists => lists.get(number).ok_or(GridError::Result { number, given: lists.len() }),
        }
    }
}

impl List {
    fn read(given: &Argument) -> Result<List, Failure> {
        let (of_array, along) = match given.text.find(ALONG) {
            None => (given.clone(), None),
            Some(place) => {
                let part = |span| given.part(span).unwrap_or_else(|| given.clone());
                let after = part(place + ALONG.len_utf8()..given.text.len());
                (part(0..place), Some(after))
            }
        };
        let after = |text: &str, prefix: &str| {
            let start = text.len() - text.trim_start().len();
            let has_it = text.trim_start().starts_with(prefix);
            has_it.then_some(start + prefix.len())
        };
        let mut rest = of_array;
        let part_from = |rest: &Argument, start: usize| rest.part(start..rest.text.len());
        let layout = after(&rest.text, BY_LAYOUT);
        if let Some(part) = layout.and_then(|start| part_from(&rest, start)) {
            rest = part;
        }
        let leading = after(&rest.text, LEADING);
        if let Some(part) = leading.and_then(|start| part_from(&rest, start)) {
            let comma = after(&part.text, ",").and_then(|start| part_from(&part, start));
            rest = comma.ok_or_else(|| {
                part.wrong(ErrorKind::Syntax, "expected `,` and sizes after `..`")
                    .hint("write `..,32,128`: 1 in each leading dimension")
            })?;
        }
        Ok(List {
            is_by_layout: layout.is_some(),
            has_leading: leading.is_some(),
            sizes: positive(&rest)?,
            along: along.as_ref().map_or(Ok(Vec::new()), positive)?,
        })
    }
}

/// Parses sizes of at least 1.
fn positive(given: &Argument) -> Result<Vec<i64>, Failure> {
    let sizes = parse_point(given)?;
    let grid = Grid::of_sizes(sizes).map_err(|error| grid_error(given, &error))?;
    Ok(grid.sizes().to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the sizes for result 1 of rank 3 whose dimensions are 2, 0, 1 from major to minor.
    fn sizes(given: &str) -> Result<Vec<i64>, String> {
        let argument = Argument::word(given, 1);
        let read = Sizes::read(&argument).map_err(|failure| failure.error.to_string())?;
        let grid = read.grid(1, (3, 2), [2, 0, 1].into_iter());
        grid.map(|grid| grid.sizes().to_vec()).map_err(|error| error.to_string())
    }

    #[test]
    fn sizes_are_assigned_to_dimensions() {
        let table: [(&str, &[i64]); 10] = [
            ("2,3,4", &[2, 3, 4]),
            ("..,3,4", &[1, 3, 4]),
            (" .. , 4 ", &[1, 1, 4]),
            ("..,2,3,4", &[2, 3, 4]),
            ("layout:2,3,4", &[3, 4, 2]),
            ("layout:..,4", &[1, 4, 1]),
            ("1,1,1/5,6,7", &[5, 6, 7]),
            ("4 / ..,9 / 3", &[1, 1, 9]),
            ("2,3,4|5", &[2, 3, 4, 5]),
            ("layout:..,4 | 5, 6, 7", &[1, 4, 1, 5, 6]),
        ];
        for (given, expected) in table {
            assert_eq!(sizes(given), Ok(expected.to_vec()), "{given}");
        }
    }

    #[test]
    fn sizes_that_do_not_fit_are_refused() {
        for (given, error) in [
            ("2,3", "the tile has 2 size(s), the map has 3 dimension(s)"),
            ("..,1,2,3,4", "the tile has 4 size(s), the map has 3 dimension(s)"),
            ("4/2/8", "the tile has 1 size(s), the map has 3 dimension(s)"),
            ("..", "expected `,` and sizes after `..`"),
            ("..3", "expected `,` and sizes after `..`"),
            ("2,..,3", "expected an integer"),
            ("2,3,4|x", "expected an integer"),
            ("2,3,4|0", "tile sizes and strides must be at least 1"),
            ("0,1,1", "tile sizes and strides must be at least 1, one stride per size"),
        ] {
            let found = sizes(given);
            assert!(
                found.as_ref().is_err_and(|found| found.starts_with(error)),
                "{given}: {found:?}"
            );
        }
        let two = Sizes::read(&Argument::word("4/8", 1)).expect("sizes");
        let third = two.grid(2, (1, 0), [0].into_iter()).map_err(|error| error.to_string());
        assert_eq!(third, Err("result 2 has no sizes: there are 2 lists".to_owned()));
    }
}
