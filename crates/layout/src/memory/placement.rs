//! The placement of a shape: positions, sizes in bytes, and the maps between elements and positions.

use super::level::{Level, product, too_large};
use super::step::{Step, held};
use affinor::expr::{ComposeError, Expr, ExprKind, IndexingMap, VariableId, VariableKind};
use affinor::text::{Error, ErrorKind};
use affinor_hlo::shape::ArrayShape;

/// The positions of an array's elements.
///
/// Dynamic sizes are represented by their bounds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Placement {
    shape: ArrayShape,
    sizes: Vec<i64>,
    widths: Vec<i64>,
    levels: Vec<Level>,
    /// Sizes after all levels, major to minor.
    physical: Vec<i64>,
    /// The product of `sizes`.
    elements: i64,
    positions: i64,
    steps: Vec<Step>,
    position: IndexingMap,
    element: IndexingMap,
}

impl Placement {
    /// Computes the placement of an array of this shape.
    ///
    /// # Errors
    /// Kind `shape` for a dimension without a bound or an invalid tile, `overflow` if there are too many positions or
    /// an expression is not representable; without a span.
    pub fn new(shape: &ArrayShape) -> Result<Placement, Error> {
        Placement::with_widths(shape, None)
    }

    /// Computes the placement with each dimension padded at its end to a width: one width per dimension, in the order
    /// of the shape. Source: *Shapes and layout*, `padded_dimensions`.
    ///
    /// # Errors
    /// The errors of [`Placement::new`]; kind `shape` also for widths that are too few, too many, or less than the size.
    pub fn with_widths(shape: &ArrayShape, widths: Option<&[i64]>) -> Result<Placement, Error> {
        let sizes = shape.sizes().ok_or_else(|| {
            let message = "a dimension is unbounded, so its elements have no positions";
            Error::without_span(ErrorKind::Shape, message)
                .hint("write a size such as `8`, or a bound such as `<=8`, for `?`")
        })?;
        let widths = match widths {
            None => sizes.clone(),
            Some(widths) => checked_widths(&sizes, widths)?,
        };
        let layout = shape.layout();
        let order = Step::order(&sizes, &widths, layout.minor_to_major());
        let mut steps = vec![order.map_err(|error| held(&error))?];
        let mut levels = Vec::new();
        let mut physical = steps[0].after().to_vec();
        for tile in layout.tiles() {
            let level = Level::new(&physical, tile)?;
            physical = level.after();
            steps.push(Step::tile(&level).map_err(|error| held(&error))?);
            levels.push(level);
        }
        let positions = round_up(product(&physical)?, layout.tail_padding_alignment())?;
        steps.push(Step::line(&physical, positions)?);
        let composed = |maps: &mut dyn Iterator<Item = &IndexingMap>| {
            chain(maps).map_err(|error| match error {
                ComposeError::Expr(error) => held(&error),
                ComposeError::Arity { .. } => {
                    Error::without_span(ErrorKind::Arity, error.to_string())
                }
            })
        };
        Ok(Placement {
            shape: shape.clone(),
            elements: product(&sizes)?,
            sizes,
            widths,
            levels,
            physical,
            positions,
            position: composed(&mut steps.iter().map(Step::apply))?,
            element: composed(&mut steps.iter().rev().map(Step::undo))?,
            steps,
        })
    }

    /// Returns the shape, with its layout.
    #[must_use]
    pub fn shape(&self) -> &ArrayShape {
        &self.shape
    }

    /// Returns the sizes, dimension 0 first.
    #[must_use]
    pub fn sizes(&self) -> &[i64] {
        &self.sizes
    }

    /// Returns the padded sizes, dimension 0 first; the sizes themselves without explicit widths.
    #[must_use]
    pub fn widths(&self) -> &[i64] {
        &self.widths
    }

    /// Returns the tiles, in order of application.
    #[must_use]
    pub fn levels(&self) -> &[Level] {
        &self.levels
    }

    /// Returns the sizes over which positions are row-major, after all tiles: `[2,3,2,2]` for `f32[3,5]{1,0:T(2,2)}`.
    #[must_use]
    pub fn physical_sizes(&self) -> &[i64] {
        &self.physical
    }

    /// Returns the number of elements.
    #[must_use]
    pub fn elements(&self) -> i64 {
        self.elements
    }

    /// Returns the number of positions: elements and padding, `L(n)` included.
    #[must_use]
    pub fn positions(&self) -> i64 {
        self.positions
    }

    /// Returns the number of bits per position: `E(n)`, or whole bytes.
    #[must_use]
    pub fn bits_per_position(&self) -> i64 {
        match self.shape.layout().element_bits() {
            0 => 8 * i64::from(self.shape.element_type().bytes()),
            bits => bits,
        }
    }

    /// Returns the bytes without any padding, as XLA's cost analysis counts them: the elements, and 4 bytes per
    /// dimension if a size is dynamic. `None` beyond 64 bits.
    #[must_use]
    pub fn dense_bytes(&self) -> Option<i64> {
        self.bytes_of(self.elements())?.checked_add(self.run_time_size_bytes())
    }

    /// Returns the bytes in memory: all positions, and the metadata of dynamic sizes (an `M(n)` prefix if the layout
    /// has it, otherwise 4 bytes per dimension). `None` beyond 64 bits.
    #[must_use]
    pub fn physical_bytes(&self) -> Option<i64> {
        let described = match self.shape.layout().metadata_prefix_bytes() {
            0 => self.run_time_size_bytes(),
            prefix => prefix,
        };
        self.bytes_of(self.positions)?.checked_add(described)
    }

    fn bytes_of(&self, positions: i64) -> Option<i64> {
        let bits = i128::from(positions) * i128::from(self.bits_per_position());
        i64::try_from(bits.div_euclid(8) + i128::from(bits.rem_euclid(8) != 0)).ok()
    }

    fn run_time_size_bytes(&self) -> i64 {
        match self.shape.is_dynamic() {
            true => 4 * self.sizes.len() as i64,
            false => 0,
        }
    }

    /// Returns `(d0, ..) -> (..)`: the position of each element, as *Tiled layout* defines it. Not simplified.
    #[must_use]
    pub fn position(&self) -> &IndexingMap {
        &self.position
    }

    /// Returns `(d0) -> (..)`: the element at each position that has one. Not simplified.
    #[must_use]
    pub fn element(&self) -> &IndexingMap {
        &self.element
    }

    /// Returns the steps that compose to [`Placement::position`], first to last, and to [`Placement::element`], last to
    /// first: the order of dimensions, the tiles, the line.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Returns `(d0, ..) -> (..)` over [`Placement::physical_sizes`]: the combined vector of *Tiled layout*, after all
    /// tiles.
    ///
    /// # Errors
    /// [`ComposeError`] if an expression is not representable.
    pub fn physical_index(&self) -> Result<IndexingMap, ComposeError> {
        self.index_after(self.levels.len())
    }

    /// Returns [`Placement::physical_index`] after the first `count` tiles.
    ///
    /// # Errors
    /// [`ComposeError`] if an expression is not representable.
    pub fn index_after(&self, count: usize) -> Result<IndexingMap, ComposeError> {
        chain(self.steps.iter().map(Step::apply).take(count + 1))
    }
}

/// Composes the maps in sequence; there is at least one.
fn chain<'a>(maps: impl Iterator<Item = &'a IndexingMap>) -> Result<IndexingMap, ComposeError> {
    let mut maps = maps.cloned();
    let first = maps
        .next()
        .unwrap_or_else(|| IndexingMap::new(affinor::expr::Domain::new(Vec::new()), Vec::new()));
    maps.try_fold(first, |all, next| all.then(&next))
}

/// For each dimension of a map with one result, returns the change of the result when that index grows by one, if it is
/// the same everywhere; `None` otherwise. Units: those of the result.
#[must_use]
pub fn strides(position: &IndexingMap) -> Vec<Option<i64>> {
    let count = position.domain().count(VariableKind::Dimension);
    let stride = |dimension: usize| {
        let id = VariableId(u32::try_from(dimension).ok()?);
        let mut stride = 0_i64;
        let [result] = position.results() else {
            return None;
        };
        let mut add = |factor: i64, term: &Expr| {
            if term.as_variable() == Some(id) {
                stride = stride.checked_add(factor)?;
            } else if term.variables().contains(&id) {
                return None;
            }
            Some(())
        };
        match result.kind() {
            ExprKind::Sum(sum) => {
                let mut terms = sum.terms().iter();
                terms.try_for_each(|(factor, term)| add(*factor, term))?;
            }
            _ => add(1, result)?,
        }
        Some(stride)
    };
    (0..count).map(stride).collect()
}

fn checked_widths(sizes: &[i64], widths: &[i64]) -> Result<Vec<i64>, Error> {
    if widths.len() != sizes.len() {
        let message = format!(
            "expected one padded width for each of {} dimensions, found {}",
            sizes.len(),
            widths.len()
        );
        return Err(Error::without_span(ErrorKind::Shape, message));
    }
    for (dimension, (size, width)) in sizes.iter().zip(widths).enumerate() {
        if width < size {
            let message =
                format!("dimension {dimension} has size {size} and cannot be padded to {width}");
            return Err(Error::without_span(ErrorKind::Shape, message));
        }
    }
    Ok(widths.to_vec())
}

fn round_up(count: i64, alignment: i64) -> Result<i64, Error> {
    let groups = affinor::num::ceildiv(count, alignment);
    groups.checked_mul(alignment).ok_or_else(too_large)
}
