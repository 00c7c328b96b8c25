//! Coordinates of the integer solutions of equations.
//!
//! Law: the solutions are an origin plus the integer combinations of a basis, each solution of the equations exactly once. A
//! change of basis adds a multiple of one vector to another, which preserves both properties.

use super::system::{Row, dot};

/// The solutions of equations: `origin + t0 * basis[0] + ..` for all integers `t0, ..`.
#[derive(Clone, Debug)]
pub(super) struct Coordinates {
    pub(super) origin: Vec<i128>,
    pub(super) basis: Vec<Vec<i128>>,
}

/// Maximum number of passes over all pairs of vectors that shorten them.
const PASSES: usize = 40;

/// Maximum multiple in one step; beyond it, floats are too inexact.
const MOST_TIMES: f64 = 1e9;

impl Coordinates {
    /// Creates the coordinates of all integer points.
    pub(super) fn all(unknowns: usize) -> Coordinates {
        let unit = |place: usize| (0..unknowns).map(|i| i128::from(i == place)).collect();
        Coordinates { origin: vec![0; unknowns], basis: (0..unknowns).map(unit).collect() }
    }

    /// Keeps the points whose coordinates have this weighted sum. Returns false if there are none; `None` on overflow.
    pub(super) fn solve(&mut self, slopes: &[i128], value: i128) -> Option<bool> {
        let mut slopes = slopes.to_vec();
        loop {
            let used = (0..slopes.len()).filter(|place| slopes[*place] != 0);
            let Some(least) = used.clone().min_by_key(|place| slopes[*place].unsigned_abs()) else {
                return Some(value == 0);
            };
            let others: Vec<usize> = used.filter(|place| *place != least).collect();
            if others.is_empty() {
                let step = value.checked_div(slopes[least])?;
                if step.checked_mul(slopes[least])? != value {
                    return Some(false);
                }
                let vector = self.basis.remove(least);
                add(&mut self.origin, step, &vector)?;
                return Some(true);
            }
            // Steps of Euclid's algorithm.
            for place in others {
                let times = slopes[place].checked_div(slopes[least])?;
                add_to(&mut self.basis, place, times.checked_neg()?, least)?;
                slopes[place] = slopes[place].checked_rem(slopes[least])?;
            }
        }
    }

    /// Returns the point with these coordinates.
    pub(super) fn point(&self, coordinates: &[i128]) -> Option<Vec<i128>> {
        let mut point = self.origin.clone();
        for (vector, times) in self.basis.iter().zip(coordinates) {
            add(&mut point, *times, vector)?;
        }
        Some(point)
    }

    /// Rewrites a row in terms of the coordinates; returns its factors and its constant.
    pub(super) fn over(&self, factors: &[i128]) -> Option<(Vec<i128>, i128)> {
        let slopes = self.basis.iter().map(|vector| dot(factors, vector));
        Some((slopes.collect::<Option<_>>()?, dot(factors, &self.origin)?))
    }

    /// Chooses a basis of short vectors, measured by the widths of the rows (over the coordinates, which are updated), longest
    /// first: along the longest, few integers lie within the rows. The choice of basis affects no answer, so it is measured in
    /// floats. `None` on overflow.
    pub(super) fn shorten(&mut self, rows: &mut [Row], widths: &[Option<i128>]) -> Option<()> {
        let scales: Vec<f64> = widths.iter().map(|width| scale(*width)).collect();
        let measure = |rows: &[Row], place: usize| -> Vec<f64> {
            rows.iter().zip(&scales).map(|(row, scale)| row.factors[place] as f64 * scale).collect()
        };
        let product = |x: &[f64], y: &[f64]| -> f64 { x.iter().zip(y).map(|(x, y)| x * y).sum() };
        let count = self.basis.len();
        let mut measures: Vec<Vec<f64>> = (0..count).map(|place| measure(rows, place)).collect();
        for _ in 0..PASSES {
            let mut changed = false;
            for long in 0..count {
                for short in 0..count {
                    let square = product(&measures[short], &measures[short]);
                    if long == short || square <= 0.0 {
                        continue;
                    }
                    let times = (product(&measures[long], &measures[short]) / square).round();
                    if times == 0.0 || times.abs() > MOST_TIMES {
                        continue;
                    }
                    let times = -(times as i128);
                    add_to(&mut self.basis, long, times, short)?;
                    for row in rows.iter_mut() {
                        let more = row.factors[short].checked_mul(times)?;
                        row.factors[long] = row.factors[long].checked_add(more)?;
                    }
                    measures[long] = measure(rows, long);
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        let mut order: Vec<usize> = (0..count).collect();
        let length = |place: &usize| product(&measures[*place], &measures[*place]);
        order.sort_by(|x, y| length(y).total_cmp(&length(x)).then(x.cmp(y)));
        self.basis = order.iter().map(|place| std::mem::take(&mut self.basis[*place])).collect();
        for row in rows {
            row.factors = order.iter().map(|place| row.factors[*place]).collect();
        }
        Some(())
    }
}

/// Adds a multiple of one vector to another.
fn add_to(basis: &mut [Vec<i128>], to: usize, times: i128, vector: usize) -> Option<()> {
    let vector = basis[vector].clone();
    add(&mut basis[to], times, &vector)
}

/// Returns the scale of a row: an unbounded row hardly counts.
fn scale(width: Option<i128>) -> f64 {
    match width {
        Some(width) => 1.0 / (width as f64 + 1.0),
        None => 1e-12,
    }
}

fn add(to: &mut [i128], times: i128, vector: &[i128]) -> Option<()> {
    for (own, other) in to.iter_mut().zip(vector) {
        *own = own.checked_add(times.checked_mul(*other)?)?;
    }
    Some(())
}
