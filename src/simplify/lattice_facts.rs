//! What a store knows of mins and maxes in a sum.

use super::linear::{AtomId, Linear};
use super::store::{Definition, Store};
use crate::interval::Interval;

/// Most mins and maxes, one inside or beside the other, by whose operands a range is distinguished.
const MAX_DISTINGUISHED: u32 = 6;

impl Store {
    /// Is there a min or max among the atoms?
    pub fn has_lattices(&self) -> bool {
        self.lattices > 0
    }

    /// The operands of a min or max.
    pub fn lattice_operands(&self, atom: AtomId) -> Option<&[Linear]> {
        match &self.atom(atom).definition {
            Definition::Least(operands) | Definition::Greatest(operands) => Some(operands),
            _ => None,
        }
    }

    /// The mins and maxes among the terms of a sum, each with its coefficient and whether it is a min,
    /// in the order in which they were met: what is inside one comes before it.
    pub fn lattices_of<'a>(
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

    /// The range of a sum with a min or max in it, as the least or greatest of what the sum is with each
    /// operand in its place (`range-min-term`, `range-min-term-negative`, `range-max-term`,
    /// `range-max-term-negative`). A min and its operand in one sum cancel in one of the two.
    pub fn range_by_operands(&mut self, sum: &Linear) -> Interval {
        let Some((atom, factor, least)) = self.lattices_of(sum).last() else {
            return Interval::ALL;
        };
        if self.distinguished >= MAX_DISTINGUISHED {
            return Interval::ALL;
        }
        let operands = self.lattice_operands(atom).unwrap_or_default().to_vec();
        let rest = sum.without(atom);
        let join = if least == (factor > 0) {
            Interval::min
        } else {
            Interval::max
        };
        self.distinguished += 1;
        let mut total: Option<Interval> = None;
        for operand in operands {
            let range = rest.plus(factor, &operand).map(|sum| self.range(&sum));
            let range = range.unwrap_or(Interval::ALL);
            total = Some(total.map_or(range, |total| join(total, range)));
        }
        self.distinguished -= 1;
        total.unwrap_or(Interval::ALL)
    }
}
