//! Shapes and layouts as values: what a shape text such as `f32[3,<=5]{1,0:T(2,2)}` says.
//!
//! Laws: sizes are at least 0, a layout's `minor_to_major` is a permutation of the dimensions,
//! tile sizes are at least 1. What these values print is XLA's canonical text, and reading it gives
//! the value back.
//!
//! What a layout means for memory (tiling, padding, packing) is not worked out here.

use super::element_type::ElementType;
use crate::error::{Error, ErrorKind};

/// The shape of a value.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Shape {
    /// `f32[3,5]{1,0}`; a scalar is an array of rank 0.
    Array(ArrayShape),
    /// `(f32[3], s32[])`.
    Tuple(Vec<Shape>),
    /// `token[]`: orders side effects, holds nothing.
    Token,
    /// `opaque[]`: known to a custom call only.
    Opaque,
    /// `b(f32[3])`: a buffer that holds an array.
    Buffer(ArrayShape),
}

impl Shape {
    /// The array, if it is one.
    #[must_use]
    pub fn as_array(&self) -> Option<&ArrayShape> {
        match self {
            Shape::Array(array) => Some(array),
            _ => None,
        }
    }

    /// The elements, if it is a tuple.
    #[must_use]
    pub fn as_tuple(&self) -> Option<&[Shape]> {
        match self {
            Shape::Tuple(elements) => Some(elements),
            _ => None,
        }
    }

    /// The shape at a tuple path: `[]` is the shape itself, `[1, 0]` the first element of the
    /// second element. `None` when the path leads nowhere.
    #[must_use]
    pub fn at(&self, path: &[usize]) -> Option<&Shape> {
        path.iter()
            .try_fold(self, |shape, &element| shape.as_tuple()?.get(element))
    }

    /// Every part that is not a tuple, with its path, in order.
    #[must_use]
    pub fn leaves(&self) -> Vec<(Vec<usize>, &Shape)> {
        let mut leaves = Vec::new();
        let mut pending = vec![(Vec::new(), self)];
        while let Some((path, shape)) = pending.pop() {
            match shape {
                Shape::Tuple(elements) => {
                    for (index, element) in elements.iter().enumerate().rev() {
                        let mut path = path.clone();
                        path.push(index);
                        pending.push((path, element));
                    }
                }
                _ => leaves.push((path, shape)),
            }
        }
        leaves
    }

    /// Same structure, element types and sizes? Layouts, and whether a size is a bound, do not
    /// matter; `?` agrees with every size.
    #[must_use]
    pub fn is_compatible(&self, other: &Shape) -> bool {
        match (self, other) {
            (Shape::Array(lhs), Shape::Array(rhs)) | (Shape::Buffer(lhs), Shape::Buffer(rhs)) => {
                lhs.is_compatible(rhs)
            }
            (Shape::Tuple(lhs), Shape::Tuple(rhs)) => {
                lhs.len() == rhs.len()
                    && lhs.iter().zip(rhs).all(|(lhs, rhs)| lhs.is_compatible(rhs))
            }
            (Shape::Token, Shape::Token) | (Shape::Opaque, Shape::Opaque) => true,
            _ => false,
        }
    }
}

/// An element type, the dimensions (major to minor as the program numbers them), and a layout.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ArrayShape {
    element_type: ElementType,
    dimensions: Vec<Dimension>,
    layout: Layout,
}

impl ArrayShape {
    /// An array with the default layout (row-major: the last dimension is the most minor).
    #[must_use]
    pub fn new(element_type: ElementType, dimensions: Vec<Dimension>) -> ArrayShape {
        let layout = Layout::row_major(dimensions.len());
        ArrayShape {
            element_type,
            dimensions,
            layout,
        }
    }

    /// The same array laid out as `layout` says.
    ///
    /// # Errors
    /// Kind `shape`, without a span, when the layout is for another rank.
    pub fn with_layout(mut self, layout: Layout) -> Result<ArrayShape, Error> {
        let (rank, length) = (self.rank(), layout.minor_to_major.len());
        if rank != length {
            return Err(Error::without_span(
                ErrorKind::Shape,
                format!("the shape has {rank} dimensions, but the layout orders {length}"),
            )
            .hint("list each dimension number once, the most minor first, as in `{1,0}`"));
        }
        self.layout = layout;
        Ok(self)
    }

    /// What the array holds.
    #[must_use]
    pub fn element_type(&self) -> ElementType {
        self.element_type
    }

    /// The dimensions, dimension 0 first.
    #[must_use]
    pub fn dimensions(&self) -> &[Dimension] {
        &self.dimensions
    }

    /// Where elements lie; row-major when the text does not say.
    #[must_use]
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Number of dimensions; 0 for a scalar.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.dimensions.len()
    }

    /// The sizes of the dimensions (bounds, where the size is dynamic); `None` when one is
    /// unbounded.
    #[must_use]
    pub fn sizes(&self) -> Option<Vec<i64>> {
        self.dimensions.iter().map(|d| d.size()).collect()
    }

    /// Number of elements; `None` when a dimension is unbounded or the product exceeds `i64`.
    #[must_use]
    pub fn element_count(&self) -> Option<i64> {
        let sizes = self.sizes()?;
        if sizes.contains(&0) {
            return Some(0);
        }
        sizes
            .iter()
            .try_fold(1_i64, |count, &size| count.checked_mul(size))
    }

    /// Is some size known only at run time?
    #[must_use]
    pub fn is_dynamic(&self) -> bool {
        self.dimensions.iter().any(|d| d.is_dynamic())
    }

    fn is_compatible(&self, other: &ArrayShape) -> bool {
        self.element_type == other.element_type
            && self.rank() == other.rank()
            && self
                .dimensions
                .iter()
                .zip(&other.dimensions)
                .all(|(lhs, rhs)| match (lhs.size(), rhs.size()) {
                    (Some(lhs), Some(rhs)) => lhs == rhs,
                    _ => true,
                })
    }
}

/// The size of one dimension: `10`, at most 10 (`<=10`), or unbounded (`?`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Dimension {
    size: Option<i64>,
    dynamic: bool,
}

impl Dimension {
    /// `?`: any size.
    pub const UNBOUNDED: Dimension = Dimension {
        size: None,
        dynamic: true,
    };

    /// `size`; `None` when negative.
    #[must_use]
    pub fn fixed(size: i64) -> Option<Dimension> {
        (size >= 0).then_some(Dimension {
            size: Some(size),
            dynamic: false,
        })
    }

    /// `<=size`: known at run time, at most `size`; `None` when negative.
    #[must_use]
    pub fn at_most(size: i64) -> Option<Dimension> {
        (size >= 0).then_some(Dimension {
            size: Some(size),
            dynamic: true,
        })
    }

    /// The size, or the bound of a dynamic size; `None` when unbounded.
    #[must_use]
    pub fn size(self) -> Option<i64> {
        self.size
    }

    /// Is the size known only at run time?
    #[must_use]
    pub fn is_dynamic(self) -> bool {
        self.dynamic
    }
}

/// The order of the dimensions in memory, and the attributes after the colon.
///
/// Source: XLA, `layout.h` and *Tiled layout*. Level types `D(..)` are read and dropped, as XLA
/// does; physical shapes `P(..)` are refused, as XLA does for shapes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Layout {
    minor_to_major: Vec<usize>,
    pub(super) tiles: Vec<Tile>,
    pub(super) tail_padding_alignment: i64,
    pub(super) index_type: Option<ElementType>,
    pub(super) pointer_type: Option<ElementType>,
    pub(super) element_bits: i64,
    pub(super) memory_space: i64,
    pub(super) splits: Vec<SplitConfig>,
    pub(super) metadata_prefix_bytes: i64,
}

impl Layout {
    /// The default layout: `{rank-1, .., 1, 0}`, nothing after the colon.
    #[must_use]
    pub fn row_major(rank: usize) -> Layout {
        Layout::from_permutation((0..rank).rev().collect())
    }

    /// The layout that orders dimensions from the most minor to the most major, untiled.
    ///
    /// # Errors
    /// Kind `shape`, without a span, when a dimension is out of range or listed twice. (XLA's text
    /// parser lets both through; neither has a meaning.)
    pub fn new(minor_to_major: Vec<usize>) -> Result<Layout, Error> {
        let rank = minor_to_major.len();
        let mut seen = vec![false; rank];
        for &dimension in &minor_to_major {
            match seen.get_mut(dimension) {
                Some(seen) if !*seen => *seen = true,
                Some(_) => {
                    return Err(Error::without_span(
                        ErrorKind::Shape,
                        format!("the layout lists dimension {dimension} twice"),
                    )
                    .hint("list each dimension number once, the most minor first"));
                }
                None => {
                    return Err(Error::without_span(
                        ErrorKind::Shape,
                        format!(
                            "the layout lists dimension {dimension}, but orders {rank} dimensions"
                        ),
                    )
                    .hint("dimensions are numbered from 0"));
                }
            }
        }
        Ok(Layout::from_permutation(minor_to_major))
    }

    fn from_permutation(minor_to_major: Vec<usize>) -> Layout {
        Layout {
            minor_to_major,
            tiles: Vec::new(),
            tail_padding_alignment: 1,
            index_type: None,
            pointer_type: None,
            element_bits: 0,
            memory_space: 0,
            splits: Vec::new(),
            metadata_prefix_bytes: 0,
        }
    }

    /// Dimension numbers, the most minor (fastest varying) first; a permutation.
    #[must_use]
    pub fn minor_to_major(&self) -> &[usize] {
        &self.minor_to_major
    }

    /// `T(..)(..)`: applied one after the other to the physical dimensions.
    #[must_use]
    pub fn tiles(&self) -> &[Tile] {
        &self.tiles
    }

    /// `L(n)`: the number of elements is padded to a multiple of this; 1 when not given.
    #[must_use]
    pub fn tail_padding_alignment(&self) -> i64 {
        self.tail_padding_alignment
    }

    /// `#(type)`: of no use since sparse layouts were removed from XLA; kept.
    #[must_use]
    pub fn index_type(&self) -> Option<ElementType> {
        self.index_type
    }

    /// `*(type)`: of no use since sparse layouts were removed from XLA; kept.
    #[must_use]
    pub fn pointer_type(&self) -> Option<ElementType> {
        self.pointer_type
    }

    /// `E(n)`: bits of one element in memory; 0 when not given (a whole number of bytes).
    #[must_use]
    pub fn element_bits(&self) -> i64 {
        self.element_bits
    }

    /// `S(n)`: which memory; 0 is the default one.
    #[must_use]
    pub fn memory_space(&self) -> i64 {
        self.memory_space
    }

    /// `SC(d:i,j)(..)`: where a physical dimension is split between memories.
    #[must_use]
    pub fn splits(&self) -> &[SplitConfig] {
        &self.splits
    }

    /// `M(n)`: bytes of dynamic metadata in front of the array.
    #[must_use]
    pub fn metadata_prefix_bytes(&self) -> i64 {
        self.metadata_prefix_bytes
    }

    /// Is there nothing after the colon: only an order of dimensions?
    #[must_use]
    pub fn is_plain(&self) -> bool {
        *self == Layout::from_permutation(self.minor_to_major.clone())
    }
}

/// One `(..)` after `T`: tile sizes, major to minor.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Tile {
    pub(super) dimensions: Vec<TileDimension>,
}

impl Tile {
    /// The dimensions of the tile, major to minor.
    #[must_use]
    pub fn dimensions(&self) -> &[TileDimension] {
        &self.dimensions
    }
}

/// One entry of a tile.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TileDimension {
    /// A tile size of at least 1.
    Size(i64),
    /// `*`: this dimension is combined with the next more minor one before tiling.
    Combine,
}

/// One `(dimension:index,..)` after `SC`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct SplitConfig {
    pub(super) dimension: i64,
    pub(super) indices: Vec<i64>,
}

impl SplitConfig {
    /// The *physical* dimension, counted from the most major one.
    #[must_use]
    pub fn dimension(&self) -> i64 {
        self.dimension
    }

    /// Where it is split.
    #[must_use]
    pub fn indices(&self) -> &[i64] {
        &self.indices
    }
}
