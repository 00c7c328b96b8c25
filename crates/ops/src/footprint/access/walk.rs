//! The array that threads traverse, and the building blocks of maps from threads to its indices.

use affinor::expr::{Expr, ExprError, IndexingMap, Variable, VariableId, VariableKind};
use affinor::num::Interval;
use affinor::text::{Error, ErrorKind};

/// The array and the threads of a preset.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Walk<'a> {
    /// Sizes of the array, dimension 0 first.
    pub sizes: &'a [i64],
    /// The order of the dimensions in memory, minor first.
    pub minor_to_major: &'a [usize],
    /// Bits per element.
    pub element_bits: i64,
    /// Threads per block; the preset's default if `None`.
    pub block: Option<i64>,
    /// Elements per thread and access; the preset's default if `None`.
    pub vector: Option<i64>,
    /// The dimension along which lanes read in a transpose: the minor dimension of the layout that the elements are read from;
    /// by default the second most minor one.
    pub beside: Option<usize>,
    /// The dimensions that are reduced, for a reduction.
    pub reduced: &'a [usize],
}

/// A map, its variables that number threads, and its variables that number the elements of a vector.
pub(super) type Walked = (IndexingMap, Vec<VariableId>, Vec<VariableId>);

pub(super) fn put(results: &mut [Expr], dimension: usize, index: Expr) {
    if let Some(place) = results.get_mut(dimension) {
        *place = index;
    }
}

/// Returns the digits of a number, the fastest-varying first; `order` has the dimension and the size of each digit.
pub(super) fn digits(
    number: &Expr,
    order: &[(usize, i64)],
) -> Result<Vec<(usize, Expr)>, ExprError> {
    let mut faster = 1_i64;
    let mut digits = Vec::with_capacity(order.len());
    for (place, (dimension, size)) in order.iter().enumerate() {
        let size = (*size).max(1);
        let rest = number.floordiv(faster)?;
        let digit = match place + 1 == order.len() {
            true => rest,
            false => rest.modulo(size)?,
        };
        digits.push((*dimension, digit));
        faster = faster.checked_mul(size).ok_or(ExprError::Overflow)?;
    }
    Ok(digits)
}

pub(super) fn product(sizes: &[i64]) -> Result<i64, Error> {
    let product = sizes.iter().try_fold(1_i64, |n, size| n.checked_mul(*size));
    product.ok_or_else(too_large)
}

pub(super) fn dimension(name: &str, size: i64) -> Variable {
    Variable::new(name, VariableKind::Dimension, Interval::of_size(size))
}

pub(super) fn variable(index: u32) -> Expr {
    Expr::variable(VariableId(index))
}

pub(super) fn too_large() -> Error {
    let message = "the array has more elements than 64 bits can number";
    Error::without_span(ErrorKind::Overflow, message)
}
