//! Shapes and layouts as values, such as `f32[3,<=5]{1,0:T(2,2)}`.
//!
//! Laws: sizes are at least 0, and a layout orders exactly the dimensions of its array. They print as XLA's canonical
//! text, which parses back to the same value.

use super::element_type::ElementType;
pub use super::layout::Layout;
use affinor_maps::text::{Error, ErrorKind};

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
    /// Returns the array shape, if this is an array.
    #[must_use]
    pub fn as_array(&self) -> Option<&ArrayShape> {
        match self {
            Shape::Array(array) => Some(array),
            _ => None,
        }
    }

    /// Returns the elements, if it is a tuple.
    #[must_use]
    pub fn as_tuple(&self) -> Option<&[Shape]> {
        match self {
            Shape::Tuple(elements) => Some(elements),
            _ => None,
        }
    }

    /// Returns the shape at a tuple path: `[]` is the shape itself, `[1, 0]` the first element of the second element. `None` if
    /// the path does not exist.
    #[must_use]
    pub fn at(&self, path: &[usize]) -> Option<&Shape> {
        path.iter().try_fold(self, |shape, &element| shape.as_tuple()?.get(element))
    }

    /// Returns the shape with all dynamic sizes at their bounds.
    #[must_use]
    pub fn with_sizes_at_bounds(&self) -> Shape {
        match self {
            Shape::Array(array) => Shape::Array(array.with_sizes_at_bounds()),
            Shape::Buffer(array) => Shape::Buffer(array.with_sizes_at_bounds()),
            Shape::Tuple(parts) => {
                Shape::Tuple(parts.iter().map(Shape::with_sizes_at_bounds).collect())
            }
            other => other.clone(),
        }
    }

    /// Returns every part that is not a tuple, with its path, in order.
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

    /// Returns the number of arrays, tuples and other parts, at most `most`.
    #[must_use]
    pub(super) fn part_count(&self, most: usize) -> usize {
        let (mut count, mut pending) = (0, vec![self]);
        while let Some(shape) = pending.pop() {
            count += 1;
            if count + pending.len() >= most {
                return most;
            }
            pending.extend(shape.as_tuple().unwrap_or_default());
        }
        count
    }

    /// Returns every array among the leaves, with its path, in order.
    #[must_use]
    pub fn arrays(&self) -> Vec<(Vec<usize>, &ArrayShape)> {
        let leaves = self.leaves().into_iter();
        leaves.filter_map(|(path, leaf)| Some((path, leaf.as_array()?))).collect()
    }

    /// Returns whether structure, element types and sizes are the same. Layouts, and whether a size is a bound, do not matter;
    /// `?` agrees with every size.
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
    /// Returns an array with the default layout (row-major: the last dimension is the most minor).
    #[must_use]
    pub fn new(element_type: ElementType, dimensions: Vec<Dimension>) -> ArrayShape {
        let layout = Layout::row_major(dimensions.len());
        ArrayShape { element_type, dimensions, layout }
    }

    /// Sets the layout.
    ///
    /// # Errors
    /// Kind `shape`, without a span, if the layout is for another rank.
    pub fn with_layout(mut self, layout: Layout) -> Result<ArrayShape, Error> {
        let (rank, length) = (self.rank(), layout.minor_to_major().len());
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

    /// Returns the element type.
    #[must_use]
    pub fn element_type(&self) -> ElementType {
        self.element_type
    }

    /// Returns the dimensions, dimension 0 first.
    #[must_use]
    pub fn dimensions(&self) -> &[Dimension] {
        &self.dimensions
    }

    /// Returns the layout; row-major if the text has none.
    #[must_use]
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Number of dimensions; 0 for a scalar.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.dimensions.len()
    }

    /// Returns the sizes of the dimensions (bounds, where the size is dynamic); `None` when one is unbounded.
    #[must_use]
    pub fn sizes(&self) -> Option<Vec<i64>> {
        self.dimensions.iter().map(|d| d.size()).collect()
    }

    /// Returns the sizes of the dimensions; `None` when one is known only at run time.
    #[must_use]
    pub fn fixed_sizes(&self) -> Option<Vec<i64>> {
        self.sizes().filter(|_| !self.is_dynamic())
    }

    /// Number of elements; `None` when a dimension is unbounded or the product exceeds `i64`.
    #[must_use]
    pub fn element_count(&self) -> Option<i64> {
        let sizes = self.sizes()?;
        if sizes.contains(&0) {
            return Some(0);
        }
        sizes.iter().try_fold(1_i64, |count, &size| count.checked_mul(size))
    }

    /// Returns whether some size is dynamic.
    #[must_use]
    pub fn is_dynamic(&self) -> bool {
        self.dimensions.iter().any(|d| d.is_dynamic())
    }

    /// Returns the shape with each bound as the size.
    fn with_sizes_at_bounds(&self) -> ArrayShape {
        let fixed = |dimension: &Dimension| Dimension {
            size: dimension.size,
            dynamic: dimension.size.is_none(),
        };
        ArrayShape { dimensions: self.dimensions.iter().map(fixed).collect(), ..self.clone() }
    }

    fn is_compatible(&self, other: &ArrayShape) -> bool {
        self.element_type == other.element_type
            && self.rank() == other.rank()
            && self.dimensions.iter().zip(&other.dimensions).all(|(lhs, rhs)| {
                match (lhs.size(), rhs.size()) {
                    (Some(lhs), Some(rhs)) => lhs == rhs,
                    _ => true,
                }
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
    pub const UNBOUNDED: Dimension = Dimension { size: None, dynamic: true };

    /// `size`; `None` when negative.
    #[must_use]
    pub fn fixed(size: i64) -> Option<Dimension> {
        (size >= 0).then_some(Dimension { size: Some(size), dynamic: false })
    }

    /// `<=size`: known at run time, at most `size`; `None` when negative.
    #[must_use]
    pub fn at_most(size: i64) -> Option<Dimension> {
        (size >= 0).then_some(Dimension { size: Some(size), dynamic: true })
    }

    /// Returns the size, or the bound of a dynamic size; `None` when unbounded.
    #[must_use]
    pub fn size(self) -> Option<i64> {
        self.size
    }

    /// Returns whether the size is dynamic.
    #[must_use]
    pub fn is_dynamic(self) -> bool {
        self.dynamic
    }
}
