//! Linear constraints over integers.

use super::simplex::Bounds;
use crate::num::gcd_wide;

/// Takes points on a line: the first point, the step to the next, and the number of points; returns `None` to stop.
pub type Visit<'v> = &'v mut dyn FnMut(&[i128], &[i128], i128) -> Option<()>;

/// A sum of unknowns that lies within bounds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    pub(super) factors: Vec<i128>,
    pub(super) bounds: Bounds,
}

/// Constraints over integers: all rows hold, and at least one list of rows of each choice.
#[derive(Clone, Debug)]
pub struct System {
    pub(super) unknowns: usize,
    pub(super) rows: Vec<Row>,
    pub(super) choices: Vec<Vec<Vec<Row>>>,
}

impl System {
    /// Creates a system over this many unknowns, without constraints.
    #[must_use]
    pub fn new(unknowns: usize) -> System {
        System { unknowns, rows: Vec::new(), choices: Vec::new() }
    }

    /// Creates the row that bounds `constant + factor * unknown + ..` (`None`: no bound on this side); `None` on overflow.
    #[must_use]
    pub fn row(
        &self,
        terms: &[(usize, i64)],
        constant: i64,
        bounds: [Option<i64>; 2],
    ) -> Option<Row> {
        let mut factors = vec![0; self.unknowns];
        for (unknown, factor) in terms {
            let own: &mut i128 = factors.get_mut(*unknown)?;
            *own = own.checked_add(i128::from(*factor))?;
        }
        let bounds = bounds.map(|end| end.map(|end| i128::from(end) - i128::from(constant)));
        Some(Row { factors, bounds })
    }

    /// Adds a row.
    pub fn require(&mut self, row: Row) {
        self.rows.push(row);
    }

    /// Requires that all rows of at least one list hold.
    pub fn require_one(&mut self, choice: Vec<Vec<Row>>) {
        self.choices.push(choice);
    }
}

impl Row {
    /// Returns whether the row holds at a point.
    pub(super) fn holds(&self, point: &[i128]) -> Option<bool> {
        let value = dot(&self.factors, point)?;
        Some(
            self.bounds[0].is_none_or(|lo| lo <= value)
                && self.bounds[1].is_none_or(|hi| value <= hi),
        )
    }

    /// Divides the row by the greatest common divisor of its factors and rounds the bounds inward.
    pub(super) fn in_lowest_terms(&mut self) -> Option<()> {
        let common = common(&self.factors)?;
        if common > 1 {
            self.factors.iter_mut().for_each(|factor| *factor /= common);
            let [lo, hi] = self.bounds;
            let lo = match lo {
                Some(lo) => Some(lo.checked_neg()?.div_euclid(common).checked_neg()?),
                None => None,
            };
            self.bounds = [lo, hi.map(|hi| hi.div_euclid(common))];
        }
        if self.factors.iter().find(|factor| **factor != 0).is_some_and(|factor| *factor < 0) {
            for factor in &mut self.factors {
                *factor = factor.checked_neg()?;
            }
            let [lo, hi] = self.bounds;
            let negated = |end: Option<i128>| match end {
                Some(end) => end.checked_neg().map(Some),
                None => Some(None),
            };
            self.bounds = [negated(hi)?, negated(lo)?];
        }
        Some(())
    }
}

/// Returns the greatest common divisor of numbers; 0 if all are 0.
pub(super) fn common(numbers: &[i128]) -> Option<i128> {
    let common = numbers.iter().fold(0, |common, x| gcd_wide(common, x.unsigned_abs()));
    i128::try_from(common).ok()
}

pub(super) fn dot(x: &[i128], y: &[i128]) -> Option<i128> {
    let mut total: i128 = 0;
    for (x, y) in x.iter().zip(y) {
        if *x != 0 && *y != 0 {
            total = total.checked_add(x.checked_mul(*y)?)?;
        }
    }
    Some(total)
}
