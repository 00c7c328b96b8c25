//! The values of an operation of one variable, one by one.

use super::linear::AtomId;
use crate::num::Interval;
use std::rc::Rc;

/// Maximum number of values of a variable that are listed.
pub(super) const MAX_VALUES: i64 = 64;

/// The values of an atom, for each value of the only variable that it depends on.
#[derive(Clone, Debug)]
pub struct Table {
    pub(super) variable: AtomId,
    pub(super) values: Rc<[i64]>,
}

impl Table {
    /// Lists the values of a variable, if they are few.
    pub fn of_variable(variable: AtomId, range: Interval) -> Option<Table> {
        let is_short = range
            .count()
            .is_some_and(|count| count <= MAX_VALUES as u64);
        let values = is_short.then(|| (range.lo()..=range.hi()).collect())?;
        Some(Table { variable, values })
    }

    /// Returns the least and the greatest value.
    pub fn range(&self) -> Interval {
        range_of(&self.values)
    }
}

/// Returns the least and the greatest of these.
pub(super) fn range_of(values: &[i64]) -> Interval {
    let (lo, hi) = (values.iter().min(), values.iter().max());
    lo.zip(hi)
        .map_or(Interval::ALL, |(lo, hi)| Interval::new(*lo, *hi))
}
