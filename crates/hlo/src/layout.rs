//! Layouts as values: the braces after a shape, `{1,0:T(2,2)}`.
//!
//! Laws: `minor_to_major` is a permutation of the dimensions; tile sizes and the alignment are at least 1, all other
//! numbers at least 0. The memory semantics (tiling, padding, packing) are in `layout::memory`.

use super::element_type::ElementType;
use affinor_maps::text::{Error, ErrorKind};

/// The order of the dimensions in memory, and the attributes after the colon.
///
/// Source: XLA, `layout.h` and *Tiled layout*. Level types `D(..)` are parsed and dropped, as in XLA; physical shapes
/// `P(..)` are rejected, as XLA does for shapes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Layout {
    minor_to_major: Vec<usize>,
    /// `None` when there are none: most layouts have none, and a module has many layouts.
    attributes: Option<Box<LayoutAttributes>>,
}

/// The attributes after the colon.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct LayoutAttributes {
    pub(super) tiles: Vec<Tile>,
    pub(super) tail_padding_alignment: i64,
    pub(super) index_type: Option<ElementType>,
    pub(super) pointer_type: Option<ElementType>,
    pub(super) element_bits: i64,
    pub(super) memory_space: i64,
    pub(super) splits: Vec<SplitConfig>,
    pub(super) metadata_prefix_bytes: i64,
}

impl LayoutAttributes {
    /// No attributes after the colon.
    pub(super) const PLAIN: LayoutAttributes = LayoutAttributes {
        tiles: Vec::new(),
        tail_padding_alignment: 1,
        index_type: None,
        pointer_type: None,
        element_bits: 0,
        memory_space: 0,
        splits: Vec::new(),
        metadata_prefix_bytes: 0,
    };
}

impl Layout {
    /// Returns the default layout: `{rank-1, .., 1, 0}`, without attributes.
    #[must_use]
    pub fn row_major(rank: usize) -> Layout {
        Layout { minor_to_major: (0..rank).rev().collect(), attributes: None }
    }

    /// Creates an untiled layout that orders dimensions from the most minor to the most major.
    ///
    /// # Errors
    /// Kind `shape`, without a span, if a dimension is out of range or listed twice. (XLA's text parser accepts both,
    /// which have no meaning.)
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
        Ok(Layout { minor_to_major, attributes: None })
    }

    pub(super) fn with_attributes(mut self, attributes: LayoutAttributes) -> Layout {
        let is_plain = attributes == LayoutAttributes::PLAIN;
        self.attributes = (!is_plain).then(|| Box::new(attributes));
        self
    }

    /// Returns the same order of dimensions and memory space with these tiles and `E(element_bits)` (0 for none). Other
    /// attributes are dropped.
    ///
    /// # Errors
    /// Kind `shape`, without a span, for a negative number of bits.
    pub fn retiled(&self, tiles: Vec<Tile>, element_bits: i64) -> Result<Layout, Error> {
        if element_bits < 0 {
            let message = format!("a number of bits is at least 0, not {element_bits}");
            return Err(Error::without_span(ErrorKind::Shape, message));
        }
        let layout = Layout { minor_to_major: self.minor_to_major.clone(), attributes: None };
        Ok(layout.with_attributes(LayoutAttributes {
            tiles,
            element_bits,
            memory_space: self.memory_space(),
            ..LayoutAttributes::PLAIN
        }))
    }

    /// Returns the layout of the array whose dimension `k` is dimension `order[k]` of this one, and whose elements keep their
    /// positions; `None` if `order` is not a permutation of the dimensions.
    pub(super) fn transposed(&self, order: &[usize]) -> Option<Layout> {
        let place = |dimension: &usize| order.iter().position(|d| d == dimension);
        let minor_to_major = self.minor_to_major.iter().map(place);
        Some(Layout {
            minor_to_major: minor_to_major.collect::<Option<_>>()?,
            attributes: self.attributes.clone(),
        })
    }

    fn attributes(&self) -> &LayoutAttributes {
        static PLAIN: LayoutAttributes = LayoutAttributes::PLAIN;
        self.attributes.as_deref().unwrap_or(&PLAIN)
    }

    /// Dimension numbers, the most minor (fastest varying) first; a permutation.
    #[must_use]
    pub fn minor_to_major(&self) -> &[usize] {
        &self.minor_to_major
    }

    /// Returns `T(..)(..)`: tiles, applied in sequence to the physical dimensions.
    #[must_use]
    pub fn tiles(&self) -> &[Tile] {
        &self.attributes().tiles
    }

    /// `L(n)`: the number of elements is padded to a multiple of this; 1 when not given.
    #[must_use]
    pub fn tail_padding_alignment(&self) -> i64 {
        self.attributes().tail_padding_alignment
    }

    /// Returns `#(type)`, which is obsolete since sparse layouts were removed from XLA.
    #[must_use]
    pub fn index_type(&self) -> Option<ElementType> {
        self.attributes().index_type
    }

    /// Returns `*(type)`, which is obsolete since sparse layouts were removed from XLA.
    #[must_use]
    pub fn pointer_type(&self) -> Option<ElementType> {
        self.attributes().pointer_type
    }

    /// `E(n)`: bits of one element in memory; 0 when not given (a whole number of bytes).
    #[must_use]
    pub fn element_bits(&self) -> i64 {
        self.attributes().element_bits
    }

    /// Returns `S(n)`: the memory space; 0 is the default one.
    #[must_use]
    pub fn memory_space(&self) -> i64 {
        self.attributes().memory_space
    }

    /// `SC(d:i,j)(..)`: the indices at which a physical dimension is split between memories.
    #[must_use]
    pub fn splits(&self) -> &[SplitConfig] {
        &self.attributes().splits
    }

    /// `M(n)`: bytes of dynamic metadata before the array.
    #[must_use]
    pub fn metadata_prefix_bytes(&self) -> i64 {
        self.attributes().metadata_prefix_bytes
    }

    /// Returns whether the layout is only an order of dimensions, without attributes.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.attributes.is_none()
    }
}

/// One `(..)` after `T`: tile sizes, major to minor.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Tile {
    pub(super) dimensions: Vec<TileDimension>,
}

impl Tile {
    /// Returns a tile with these entries, major to minor.
    ///
    /// # Errors
    /// Kind `shape`, without a span, for a size below 1.
    pub fn new(dimensions: Vec<TileDimension>) -> Result<Tile, Error> {
        for dimension in &dimensions {
            if let TileDimension::Size(size) = dimension
                && *size < 1
            {
                let message = format!("a tile size is at least 1, not {size}");
                return Err(Error::without_span(ErrorKind::Shape, message));
            }
        }
        Ok(Tile { dimensions })
    }

    /// Returns the dimensions of the tile, major to minor.
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
    /// Returns the *physical* dimension, counted from the most major one.
    #[must_use]
    pub fn dimension(&self) -> i64 {
        self.dimension
    }

    /// Returns the split indices.
    #[must_use]
    pub fn indices(&self) -> &[i64] {
        &self.indices
    }
}
