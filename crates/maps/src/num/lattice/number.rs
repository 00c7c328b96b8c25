//! The number of integer points of rows, counted by the values of one coordinate after another.
//!
//! Law: the number of points for the remaining coordinates depends only on the bounds of the rows minus the contribution of the
//! coordinates so far, and a bound that the remaining coordinates cannot exceed does not matter. So each such state is counted
//! once, however many points share it.

use super::simplex::Bounds;
use super::system::Row;
use crate::num::Fuel;
use rustc_hash::FxHashMap;

/// Fuel for a memoized state, in addition to that for the values of its coordinate.
const STATE: u64 = 32;

/// Rows over coordinates that each have a least and a greatest value.
pub(super) struct Counter<'a> {
    rows: &'a [Row],
    ranges: Vec<[i128; 2]>,
    /// For each place and each row, the bounds of the sum over the coordinates from that place on.
    rests: Vec<Vec<[i128; 2]>>,
    known: FxHashMap<(usize, Vec<Bounds>), i128>,
    fuel: &'a Fuel,
}

impl<'a> Counter<'a> {
    /// Creates a counter; `None` on overflow.
    pub(super) fn new(
        rows: &'a [Row],
        ranges: Vec<[i128; 2]>,
        fuel: &'a Fuel,
    ) -> Option<Counter<'a>> {
        let mut rests = vec![vec![[0i128; 2]; rows.len()]];
        for (place, [lo, hi]) in ranges.iter().enumerate().rev() {
            let mut next = rests.last()?.clone();
            for (row, rest) in rows.iter().zip(&mut next) {
                let factor = *row.factors.get(place)?;
                let (x, y) = (factor.checked_mul(*lo)?, factor.checked_mul(*hi)?);
                *rest = [rest[0].checked_add(x.min(y))?, rest[1].checked_add(x.max(y))?];
            }
            rests.push(next);
        }
        rests.reverse();
        Some(Counter { rows, ranges, rests, known: FxHashMap::default(), fuel })
    }

    /// Counts the points; `None` on overflow or without fuel.
    pub(super) fn count(&mut self) -> Option<i128> {
        let bounds = self.rows.iter().map(|row| row.bounds).collect();
        self.from(0, bounds)
    }

    /// Counts the values of the coordinates from `place` on that keep each row within `left`.
    fn from(&mut self, place: usize, mut left: Vec<Bounds>) -> Option<i128> {
        for (bounds, [least, most]) in left.iter_mut().zip(&self.rests[place]) {
            if bounds[0].is_some_and(|lo| lo > *most) || bounds[1].is_some_and(|hi| hi < *least) {
                return Some(0);
            }
            *bounds = [bounds[0].filter(|lo| lo > least), bounds[1].filter(|hi| hi < most)];
        }
        if left.iter().all(|bounds| *bounds == [None, None]) {
            let mut widths = self.ranges[place..].iter();
            return widths.try_fold(1i128, |all, [lo, hi]| all.checked_mul(width(*lo, *hi)?));
        }
        let [lo, hi] = self.range(place, &left)?;
        if place + 1 == self.ranges.len() {
            return width(lo, hi);
        }
        let key = (place, left);
        if let Some(number) = self.known.get(&key) {
            return Some(*number);
        }
        self.fuel.spend(STATE).ok()?;
        let (mut number, mut value) = (0i128, lo);
        while value <= hi {
            self.fuel.spend(1 + self.rows.len() as u64 / 4).ok()?;
            let mut next = key.1.clone();
            for (row, bounds) in self.rows.iter().zip(&mut next) {
                let part = row.factors[place].checked_mul(value)?;
                for end in bounds.iter_mut().flatten() {
                    *end = end.checked_sub(part)?;
                }
            }
            number = number.checked_add(self.from(place + 1, next)?)?;
            value = value.checked_add(1)?;
        }
        self.known.insert(key, number);
        Some(number)
    }

    /// Returns the values of a coordinate that each row by itself allows.
    fn range(&self, place: usize, left: &[Bounds]) -> Option<[i128; 2]> {
        let [mut lo, mut hi] = self.ranges[place];
        let rests = self.rests.get(place + 1)?;
        for ((row, bounds), [least, most]) in self.rows.iter().zip(left).zip(rests) {
            let factor = row.factors[place];
            let low = match bounds[0] {
                Some(low) if factor != 0 => Some(low.checked_sub(*most)?),
                _ => None,
            };
            let high = match bounds[1] {
                Some(high) if factor != 0 => Some(high.checked_sub(*least)?),
                _ => None,
            };
            // `low <= factor * x <= high`
            let (low, high) = match factor > 0 {
                true => (low, high),
                false => (negated(high)?, negated(low)?),
            };
            let size = factor.checked_abs()?;
            if let Some(low) = low {
                lo = lo.max(low.checked_neg()?.div_euclid(size).checked_neg()?);
            }
            if let Some(high) = high {
                hi = hi.min(high.div_euclid(size));
            }
        }
        Some([lo, hi])
    }
}

fn negated(end: Option<i128>) -> Option<Option<i128>> {
    match end {
        Some(end) => end.checked_neg().map(Some),
        None => Some(None),
    }
}

/// Returns the number of integers in `[lo, hi]`.
fn width(lo: i128, hi: i128) -> Option<i128> {
    if lo > hi { Some(0) } else { hi.checked_sub(lo)?.checked_add(1) }
}
