//! The array that threads walk over, and what the maps from threads to its indices are made of.

use affinor::expr::{Expr, ExprError, IndexingMap, Variable, VariableId, VariableKind};
use affinor::num::Interval;
use affinor::text::{Error, ErrorKind};

/// The array and the threads of a preset.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Walk<'a> {
    /// Sizes of the array, dimension 0 first.
    pub sizes: &'a [i64],
    /// Permutation of its dimensions in memory.
    pub minor_to_major: &'a [usize],
    /// Bits per element.
    pub element_bits: i64,
    /// Threads per block; by default that of the preset.
    pub block: Option<i64>,
    /// Elements per thread and access; by default that of the preset.
    pub vector: Option<i64>,
    /// The dimension along which lanes read in a transpose: the one that is minor where the elements come from; by default
    /// the second most minor one.
    pub beside: Option<usize>,
    /// The dimensions that are reduced, for a reduction.
    pub reduced: &'a [usize],
}

/// A map, which of its variables number threads, and which the elements of a vector.
pub(super) type Walked = (IndexingMap, Vec<VariableId>, Vec<VariableId>);

pub(super) fn put(results: &mut [Expr], dimension: usize, index: Expr) {
    if let Some(place) = results.get_mut(dimension) {
        *place = index;
    }
}

/// The digits of a number, the fastest first; `order` has the dimension and the size of each digit.
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
