//! The sizes of tiles as they are asked for: of arrays of any rank, in the order of dimensions or of a layout, and for
//! each result of a tuple.

use super::output::grid_error;
use crate::command::arguments::Argument;
use crate::command::failure::Failure;
use crate::command::given::parse_point;
use crate::footprint::tiling::{Grid, GridError};
use crate::text::ErrorKind;

/// Begins sizes that are in the order of the layout, the major dimension first.
const BY_LAYOUT: &str = "layout:";

/// Stands for a size of 1 in each leading dimension.
const LEADING: &str = "..";

/// The sizes of tiles, and how they are assigned to the dimensions of an array.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sizes {
    /// For each result of a tuple, or one for all.
    of_results: Vec<List>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct List {
    is_by_layout: bool,
    /// Whether further leading dimensions have size 1.
    has_leading: bool,
    sizes: Vec<i64>,
}

impl Sizes {
    /// Reads `8,128`, `..,128` (1 in each leading dimension), `layout:..,128` (in the order of the layout), or several of
    /// them with `/` in between (one for each result of a tuple).
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

    /// The grid of an array of this rank with dimensions in this order, major to minor: of result `number` of a tuple.
    ///
    /// # Errors
    /// [`GridError::Rank`] if there are not as many sizes as dimensions, [`GridError::Result`] if that result has none.
    pub fn grid(
        &self,
        number: usize,
        rank: usize,
        major_to_minor: impl Iterator<Item = usize>,
    ) -> Result<Grid, GridError> {
        let list = match self.of_results.as_slice() {
            [all] => all,
            lists => lists.get(number).ok_or(GridError::Result {
                number,
                given: lists.len(),
            })?,
        };
        let given = list.sizes.len();
        let leading = match rank.checked_sub(given) {
            Some(leading) if leading == 0 || list.has_leading => leading,
            _ => {
                return Err(GridError::Rank {
                    given,
                    dimensions: rank,
                });
            }
        };
        let sizes = std::iter::repeat_n(1, leading).chain(list.sizes.iter().copied());
        if !list.is_by_layout {
            return Grid::of_sizes(sizes.collect());
        }
        let mut by_dimension = vec![1; rank];
        for (dimension, size) in major_to_minor.zip(sizes) {
            if let Some(place) = by_dimension.get_mut(dimension) {
                *place = size;
            }
        }
        Grid::of_sizes(by_dimension)
    }
}

impl List {
    fn read(given: &Argument) -> Result<List, Failure> {
        let after = |text: &str, prefix: &str| {
            let start = text.len() - text.trim_start().len();
            let has_it = text.trim_start().starts_with(prefix);
            has_it.then_some(start + prefix.len())
        };
        let mut rest = given.clone();
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
        let sizes = parse_point(&rest)?;
        Grid::of_sizes(sizes.clone()).map_err(|error| grid_error(&rest, &error))?;
        Ok(List {
            is_by_layout: layout.is_some(),
            has_leading: leading.is_some(),
            sizes,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sizes for result 1 of rank 3 whose dimensions are 2, 0, 1 from major to minor.
    fn sizes(given: &str) -> Result<Vec<i64>, String> {
        let argument = Argument::word(given, 1);
        let read = Sizes::read(&argument).map_err(|failure| failure.error.to_string())?;
        let grid = read.grid(1, 3, [2, 0, 1].into_iter());
        grid.map(|grid| grid.sizes().to_vec())
            .map_err(|error| error.to_string())
    }

    #[test]
    fn sizes_are_assigned_to_dimensions() {
        for (given, expected) in [
            ("2,3,4", &[2, 3, 4]),
            ("..,3,4", &[1, 3, 4]),
            (" .. , 4 ", &[1, 1, 4]),
            ("..,2,3,4", &[2, 3, 4]),
            ("layout:2,3,4", &[3, 4, 2]),
            ("layout:..,4", &[1, 4, 1]),
            ("1,1,1/5,6,7", &[5, 6, 7]),
            ("4 / ..,9 / 3", &[1, 1, 9]),
        ] {
            assert_eq!(sizes(given), Ok(expected.to_vec()), "{given}");
        }
    }

    #[test]
    fn sizes_that_do_not_fit_are_refused() {
        for (given, error) in [
            ("2,3", "the tile has 2 size(s), the map has 3 dimension(s)"),
            (
                "..,1,2,3,4",
                "the tile has 4 size(s), the map has 3 dimension(s)",
            ),
            (
                "4/2/8",
                "the tile has 1 size(s), the map has 3 dimension(s)",
            ),
            ("..", "expected `,` and sizes after `..`"),
            ("..3", "expected `,` and sizes after `..`"),
            ("2,..,3", "expected an integer"),
            (
                "0,1,1",
                "tile sizes and strides must be at least 1, one stride per size",
            ),
        ] {
            let found = sizes(given);
            assert!(
                found.as_ref().is_err_and(|found| found.starts_with(error)),
                "{given}: {found:?}"
            );
        }
        let two = Sizes::read(&Argument::word("4/8", 1)).expect("sizes");
        let third = two
            .grid(2, 1, [0].into_iter())
            .map_err(|error| error.to_string());
        assert_eq!(
            third,
            Err("result 2 has no sizes: there are 2 lists".to_owned())
        );
    }
}
