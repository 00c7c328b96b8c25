//! Ranges of sums with min and max.

use super::linear::{AtomId, Linear};
use super::store::{Definition, Store};
use crate::num::Interval;
use smallvec::SmallVec;

/// Maximum number of nested or adjacent mins and maxes for a case split over operands.
const MAX_DISTINGUISHED: u32 = 6;

/// Maximum number of mins and maxes of a sum for which all are tried; otherwise only the last is.
const MAX_IN_SUM: usize = 3;

impl Store {
    /// Returns whether an atom is a min or max.
    pub fn has_mins_or_maxes(&self) -> bool {
        self.mins_and_maxes > 0
    }

    /// Returns the operands of a min or max.
    pub fn min_max_operands(&self, atom: AtomId) -> Option<&[Linear]> {
        match &self.atom(atom).definition {
            Definition::Least(operands) | Definition::Greatest(operands) => Some(operands),
            _ => None,
        }
    }

    /// Iterates over the mins and maxes among the terms of a sum, with coefficient and whether it is a min, in order of
    /// creation: nested ones come first.
    pub fn mins_and_maxes_of<'a>(
        &'a self,
        sum: &'a Linear,
    ) -> impl Iterator<Item = (AtomId, i64, bool)> + 'a {
        let terms = sum.terms().iter();
        terms.filter_map(|(atom, factor)| match self.atom(*atom).definition {
            Definition::Least(_) => Some((*atom, *factor, true)),
            Definition::Greatest(_) => Some((*atom, *factor, false)),
            _ => None,
        })
    }

    /// Returns the range of a sum with a min or max in it, as the least or greatest range of the sum with each operand
    /// substituted (`range-min-term`, `range-min-term-negative`, `range-max-term`, `range-max-term-negative`). A min and its
    /// operand in one sum may cancel after the substitution; it is unknown for which min, so each is tried.
    pub fn range_by_operands(&mut self, sum: &Linear) -> Interval {
        let mut mins_and_maxes: SmallVec<[_; MAX_IN_SUM + 1]> =
            self.mins_and_maxes_of(sum).collect();
        if mins_and_maxes.len() > MAX_IN_SUM {
            mins_and_maxes.drain(..mins_and_maxes.len() - 1);
        }
        if self.distinguished >= MAX_DISTINGUISHED || self.fuel.check().is_err() {
            return Interval::ALL;
        }
        self.distinguished += 1;
        let mut range = Interval::ALL;
        for (atom, factor, least) in mins_and_maxes {
            range = range.intersect(self.range_by_operands_of(sum, atom, factor, least));
        }
        self.distinguished -= 1;
        range
    }

    fn range_by_operands_of(
        &mut self,
        sum: &Linear,
        atom: AtomId,
        factor: i64,
        least: bool,
    ) -> Interval {
        let operands = self.min_max_operands(atom).unwrap_or_default().to_vec();
        let rest = sum.without(atom);
        let join = if least == (factor > 0) { Interval::min } else { Interval::max };
        let ranges = operands.iter().map(|operand| {
            let whole = rest.plus(factor, operand);
            whole.map_or(Interval::ALL, |whole| self.range(&whole))
        });
        ranges.reduce(join).unwrap_or(Interval::ALL)
    }
}
