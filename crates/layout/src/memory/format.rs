//! The common formats of *Tiled layout*, "Examples of tiling formats", and the conditions under which an array uses
//! them.
//!
//! The page gives conditions in prose. If two hold for an array, both are listed, with the cost of each.

use super::placement::Placement;
use affinor::text::Error;
use affinor_hlo::element_type::ElementType;
use affinor_hlo::layout::{Tile, TileDimension};
use affinor_hlo::shape::ArrayShape;

/// A named tiling.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Format {
    /// Its name.
    pub name: &'static str,
    /// Its tiles, major to minor; none for the linear format.
    pub tiles: &'static [&'static [i64]],
    /// Bits per element, if elements are packed; otherwise 0.
    pub element_bits: i64,
    /// When it is used.
    pub when: &'static str,
    condition: Condition,
}

impl Format {
    /// Applies the format to a shape. Keeps the order of dimensions and the memory space.
    ///
    /// # Errors
    /// The errors of [`Layout::retiled`].
    ///
    /// [`Layout::retiled`]: affinor_hlo::layout::Layout::retiled
    pub fn of(&self, shape: &ArrayShape) -> Result<ArrayShape, Error> {
        let tile =
            |sizes: &&[i64]| Tile::new(sizes.iter().copied().map(TileDimension::Size).collect());
        let tiles = self.tiles.iter().map(tile).collect::<Result<_, _>>()?;
        let layout = shape.layout().retiled(tiles, self.element_bits)?;
        shape.clone().with_layout(layout)
    }
}

/// The page's condition for a format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Condition {
    /// No condition.
    Always,
    /// Elements of 32 bits or more, and too many rows for a small tile.
    WordsInManyRows,
    /// Bounds on the number of indices in the second-most minor dimension.
    Rows(i64, i64),
    /// Elements of this many bits.
    Bits(u32),
    /// Truth values, one bit each.
    PackedPred,
}

/// The formats of the page, in its order.
pub const FORMATS: &[Format] = &[
    Format {
        name: "linear",
        tiles: &[],
        element_bits: 0,
        when: "arrays that are not on a TPU: elements follow each other as in C++",
        condition: Condition::Always,
    },
    Format {
        name: "TPU tile",
        tiles: &[&[8, 128]],
        element_bits: 0,
        when: "most arrays on a TPU: a tile fills a vector register of 8 x 128 values of 32 bits",
        condition: Condition::WordsInManyRows,
    },
    Format {
        name: "TPU small tile of 2 rows",
        tiles: &[&[2, 128]],
        element_bits: 0,
        when: "the second-most minor dimension has size 1 or 2: pads less than T(8,128)",
        condition: Condition::Rows(1, 2),
    },
    Format {
        name: "TPU small tile of 4 rows",
        tiles: &[&[4, 128]],
        element_bits: 0,
        when: "the second-most minor dimension has size 3 or 4: pads less than T(8,128)",
        condition: Condition::Rows(3, 4),
    },
    Format {
        name: "TPU 16-bit tile",
        tiles: &[&[8, 128], &[2, 1]],
        element_bits: 0,
        when: "elements of 16 bits, such as bf16: two elements of one column, one from an even row and one from \
               the odd row after it, share a word of 32 bits",
        condition: Condition::Bits(16),
    },
    Format {
        name: "TPU 8-bit tile",
        tiles: &[&[8, 128], &[4, 1]],
        element_bits: 0,
        when: "elements of 8 bits: four elements of one column share a word of 32 bits; a pred takes a byte today",
        condition: Condition::Bits(8),
    },
    Format {
        name: "TPU 1-bit tile",
        tiles: &[&[32, 128], &[32, 1]],
        element_bits: 1,
        when: "not in use: pred in one bit instead of a byte, 32 elements of one column in a word of 32 bits",
        condition: Condition::PackedPred,
    },
];

impl Condition {
    /// Explains why it holds for an array with these sizes, in physical order; `None` if it does not.
    fn because(self, element_type: ElementType, sizes: &[i64]) -> Option<String> {
        let second = sizes.iter().rev().nth(1).copied();
        let bits = match element_type {
            ElementType::Pred => 8,
            other => other.bits(),
        };
        let rows = match second {
            Some(size) => format!("the second-most minor dimension has size {size}"),
            None => "there is no second-most minor dimension, as if its size were 1".to_owned(),
        };
        let second = second.unwrap_or(1);
        let holds = match self {
            Condition::Always => true,
            Condition::WordsInManyRows => bits >= 32 && !(1..=4).contains(&second),
            Condition::Rows(from, to) => (from..=to).contains(&second),
            Condition::Bits(wanted) => bits == wanted,
            Condition::PackedPred => element_type == ElementType::Pred,
        };
        holds.then(|| match self {
            Condition::Always => "any array may be linear".to_owned(),
            Condition::WordsInManyRows => format!("{element_type} has {bits} bits, and {rows}"),
            Condition::Rows(..) => rows,
            Condition::Bits(_) => format!("{element_type} takes {bits} bits"),
            Condition::PackedPred => "a pred needs one bit".to_owned(),
        })
    }
}

/// A format that an array may use.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FormatChoice {
    /// The format.
    pub format: &'static Format,
    /// The reason why the format applies.
    pub because: String,
    /// The resulting placement.
    pub placement: Placement,
}

/// Returns every format whose condition holds for an array of this shape, in the order of [`FORMATS`]. Keeps the order
/// of dimensions and the memory space; replaces tiles and packing.
///
/// # Errors
/// The errors of [`Placement::new`].
pub fn choose(shape: &ArrayShape) -> Result<Vec<FormatChoice>, Error> {
    let order = shape.layout().minor_to_major();
    let sizes = Placement::new(shape)?.sizes().to_vec();
    let physical: Vec<i64> = order.iter().rev().map(|d| sizes[*d]).collect();
    let mut choices = Vec::new();
    for format in FORMATS {
        if let Some(because) = format.condition.because(shape.element_type(), &physical) {
            let placement = Placement::new(&format.of(shape)?)?;
            choices.push(FormatChoice { format, because, placement });
        }
    }
    Ok(choices)
}
