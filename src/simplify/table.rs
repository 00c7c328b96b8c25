//! Tables of the values of an operation on one variable.

use super::linear::AtomId;
use crate::num::Interval;
use std::cell::OnceCell;

/// Maximum number of values of a variable that are tabulated.
pub(super) const MAX_VALUES: u64 = 64;

/// The values of an atom, for each value of the only variable that it depends on; computed on first use.
#[derive(Clone, Debug)]
pub struct Table {
    pub(super) variable: AtomId,
    /// `None` if a value does not fit in 64 bits.
    pub(super) values: OnceCell<Option<Box<[i64]>>>,
}

/// Returns the interval from the least to the greatest value; `None` if there are none.
pub(super) fn range_of(values: &[i64]) -> Option<Interval> {
    let (lo, hi) = (values.iter().min()?, values.iter().max()?);
    Some(Interval::new(*lo, *hi))
}
