//! Linear constraints over fractions: feasibility, and the extreme values of an unknown.
//!
//! Law: the rows are consequences of the definitions of their heads, and each unknown that is not a head is within its bounds. So
//! a row whose head cannot come closer to its bound shows that there is no solution, and one whose head cannot decrease shows a
//! minimum. Bounds may be replaced at any time; the rows stay.
//!
//! Ties go to the unknown with the smallest number (Bland's rule), so that no cycle can occur.

use super::ratio::Ratio;
use crate::num::Fuel;
use std::cmp::Ordering;

/// The least and the greatest value; `None` if unbounded.
pub(super) type Bounds = [Option<i128>; 2];

/// The result of decreasing an unknown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fall {
    To(Ratio),
    Endless,
}

/// Unknowns, of which some are sums of the others.
#[derive(Clone)]
pub(super) struct Simplex {
    /// The unknown that each row defines.
    heads: Vec<usize>,
    /// The unknown of each column.
    columns: Vec<usize>,
    rows: Vec<Vec<Ratio>>,
    bounds: Vec<Bounds>,
    values: Vec<Ratio>,
}

impl Simplex {
    /// Creates `columns` unknowns without bounds, followed by one unknown for each sum of these.
    pub(super) fn new(columns: usize, sums: &[(&[i128], Bounds)]) -> Simplex {
        let bounds = std::iter::repeat_n([None, None], columns);
        Simplex {
            heads: (columns..columns + sums.len()).collect(),
            columns: (0..columns).collect(),
            rows: sums
                .iter()
                .map(|(sum, _)| sum.iter().map(|c| Ratio::whole(*c)).collect())
                .collect(),
            bounds: bounds.chain(sums.iter().map(|(_, bounds)| *bounds)).collect(),
            values: vec![Ratio::ZERO; columns + sums.len()],
        }
    }

    /// Returns the values of the first unknowns.
    pub(super) fn values(&self, count: usize) -> &[Ratio] {
        &self.values[..count]
    }

    /// Replaces the bounds of the first unknowns; `None` on overflow.
    pub(super) fn bound(&mut self, bounds: &[Bounds]) -> Option<()> {
        self.bounds[..bounds.len()].copy_from_slice(bounds);
        for column in 0..self.columns.len() {
            let unknown = self.columns[column];
            let value = self.values[unknown];
            let [lo, hi] = self.bounds[unknown].map(|end| end.map(Ratio::whole));
            let mut nearest = value;
            if let Some(lo) = lo
                && nearest.compare(lo)? == Ordering::Less
            {
                nearest = lo;
            }
            if let Some(hi) = hi
                && nearest.compare(hi)? == Ordering::Greater
            {
                nearest = hi;
            }
            if nearest != value {
                self.shift(column, nearest.minus(value)?)?;
            }
        }
        Some(())
    }

    /// Moves all unknowns within their bounds; returns whether that is possible. `None` on overflow or without fuel.
    pub(super) fn is_feasible(&mut self, fuel: &Fuel) -> Option<bool> {
        if self.bounds.iter().any(|bounds| matches!(bounds, [Some(lo), Some(hi)] if lo > hi)) {
            return Some(false);
        }
        loop {
            let mut worst: Option<(usize, Ratio, bool)> = None;
            for (row, head) in self.heads.iter().enumerate() {
                if worst.is_some_and(|(other, ..)| self.heads[other] < *head) {
                    continue;
                }
                if let Some(missing) = self.room(*head, false)?.filter(|room| room.signum() < 0) {
                    worst = Some((row, missing.negated()?, true));
                } else if let Some(excess) =
                    self.room(*head, true)?.filter(|room| room.signum() < 0)
                {
                    worst = Some((row, excess, false));
                }
            }
            let Some((row, missing, up)) = worst else {
                return Some(true);
            };
            let mut chosen: Option<usize> = None;
            for (column, unknown) in self.columns.iter().enumerate() {
                let slope = self.rows[row][column].signum();
                let is_first = chosen.is_none_or(|other| self.columns[other] > *unknown);
                if slope != 0 && is_first && self.can_move(*unknown, (slope > 0) == up)? {
                    chosen = Some(column);
                }
            }
            let Some(column) = chosen else {
                return Some(false);
            };
            let step = missing.times(self.rows[row][column].inverse()?)?;
            self.shift(column, step)?;
            self.exchange(row, column, fuel)?;
        }
    }

    /// Decreases `unknown`, or increases it if `up`, as far as the bounds allow, starting from values within the bounds. A
    /// greatest value is returned negated. `None` on overflow or without fuel.
    pub(super) fn extreme(&mut self, unknown: usize, up: bool, fuel: &Fuel) -> Option<Fall> {
        loop {
            fuel.spend(self.columns.len() as u64).ok()?;
            let own_row = self.heads.iter().position(|head| *head == unknown);
            let mut chosen: Option<(usize, bool)> = None;
            for (column, other) in self.columns.iter().enumerate() {
                let slope = match own_row {
                    Some(row) => self.rows[row][column].signum(),
                    None => i128::from(*other == unknown),
                };
                let rises = (slope > 0) == up;
                let is_first = chosen.is_none_or(|(best, _)| self.columns[best] > *other);
                if slope != 0 && is_first && self.can_move(*other, rises)? {
                    chosen = Some((column, rises));
                }
            }
            let Some((column, rises)) = chosen else {
                let value = self.values[unknown];
                return Some(Fall::To(if up { value.negated()? } else { value }));
            };
            // Find the first bound reached: that of the unknown itself, or that of a head.
            let mut step = self.room(self.columns[column], rises)?;
            let mut stopped_by: Option<usize> = None;
            for (row, head) in self.heads.iter().enumerate() {
                let slope = self.rows[row][column];
                if slope.is_zero() {
                    continue;
                }
                let Some(room) = self.room(*head, (slope.signum() > 0) == rises)? else {
                    continue;
                };
                let size = if slope.signum() < 0 { slope.negated()? } else { slope };
                let limit = room.times(size.inverse()?)?;
                let order = match step {
                    None => Ordering::Less,
                    Some(step) => limit.compare(step)?,
                };
                let is_first = stopped_by.is_some_and(|other| self.heads[other] > *head);
                if order == Ordering::Less || (order == Ordering::Equal && is_first) {
                    (step, stopped_by) = (Some(limit), Some(row));
                }
            }
            let Some(step) = step else {
                return Some(Fall::Endless);
            };
            self.shift(column, if rises { step } else { step.negated()? })?;
            if let Some(row) = stopped_by {
                self.exchange(row, column, fuel)?;
            }
        }
    }

    /// Returns the distance of an unknown from its bound in a direction, negative beyond the bound; the outer `None` means
    /// overflow.
    fn room(&self, unknown: usize, up: bool) -> Option<Option<Ratio>> {
        let value = self.values[unknown];
        Some(match self.bounds[unknown][usize::from(up)] {
            None => None,
            Some(end) if up => Some(Ratio::whole(end).minus(value)?),
            Some(end) => Some(value.minus(Ratio::whole(end))?),
        })
    }

    fn can_move(&self, unknown: usize, up: bool) -> Option<bool> {
        Some(self.room(unknown, up)?.is_none_or(|room| room.signum() > 0))
    }

    /// Moves the unknown of a column, and updates the heads.
    fn shift(&mut self, column: usize, step: Ratio) -> Option<()> {
        let unknown = self.columns[column];
        self.values[unknown] = self.values[unknown].plus(step)?;
        for (row, head) in self.rows.iter().zip(&self.heads) {
            if !row[column].is_zero() {
                self.values[*head] = self.values[*head].plus(row[column].times(step)?)?;
            }
        }
        Some(())
    }

    /// Solves a row for the unknown of a column, and replaces it in the other rows.
    fn exchange(&mut self, row: usize, column: usize, fuel: &Fuel) -> Option<()> {
        fuel.spend((self.rows.len() * self.columns.len()) as u64).ok()?;
        let inverse = self.rows[row][column].inverse()?;
        let mut solved = std::mem::take(&mut self.rows[row]);
        for (position, factor) in solved.iter_mut().enumerate() {
            *factor = match position == column {
                true => inverse,
                false => factor.times(inverse)?.negated()?,
            };
        }
        for (other, factors) in self.rows.iter_mut().enumerate() {
            if other == row || factors[column].is_zero() {
                continue;
            }
            let factor = std::mem::replace(&mut factors[column], Ratio::ZERO);
            for (own, new) in factors.iter_mut().zip(&solved) {
                if !new.is_zero() {
                    *own = own.plus(factor.times(*new)?)?;
                }
            }
        }
        self.rows[row] = solved;
        std::mem::swap(&mut self.heads[row], &mut self.columns[column]);
        Some(())
    }
}
