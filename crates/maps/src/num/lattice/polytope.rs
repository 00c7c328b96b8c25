//! The integer points of rows without choices: the least value of a sum, and the number of points.
//!
//! Law of `least`: a part of the points is dropped only if it contains no rational point, or if the value of each rational
//! point in it, rounded up to a possible value at integers, is at least the value of a point found. A sum is unbounded if it is
//! unbounded over the rational points and there is an integer point: further integer points lie in the same direction from it.

use super::coordinates::Coordinates;
use super::number::Counter;
use super::ratio::Ratio;
use super::simplex::{Bounds, Fall, Simplex};
use super::system::{Row, Visit, common, dot};
use crate::num::Fuel;

/// Fuel for a first search, and for a search near a point.
const SHARE: u64 = 1 << 15;

/// Distances from the rational optimum within which a point is searched for.
const REACHES: [i128; 3] = [6, 70, 5000];

/// The least value of a sum over integer points.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Least {
    /// No point has a value less than the limit; if there is no limit, there is no point.
    None,
    At(i128, Vec<i128>),
    /// The values are unbounded; the point belongs to the polytope.
    Endless(Vec<i128>),
}

/// The integer points of rows, in coordinates in which no equations are left.
pub(super) struct Polytope {
    coordinates: Coordinates,
    /// Rows over the coordinates.
    rows: Vec<Row>,
    is_empty: bool,
}

impl Polytope {
    /// Creates the polytope; `None` on overflow or without fuel.
    pub(super) fn new(unknowns: usize, given: &[&Row], fuel: &Fuel) -> Option<Polytope> {
        let mut polytope =
            Polytope { coordinates: Coordinates::all(unknowns), rows: Vec::new(), is_empty: false };
        loop {
            fuel.spend((given.len() * unknowns * unknowns) as u64).ok()?;
            if !polytope.state(given)? {
                polytope.is_empty = true;
                return Some(polytope);
            }
            let is_equation = |row: &&Row| matches!(row.bounds, [Some(lo), Some(hi)] if lo == hi);
            let Some(row) = polytope.rows.iter().find(is_equation) else {
                polytope.choose_coordinates(fuel)?;
                return Some(polytope);
            };
            if !polytope.coordinates.solve(&row.factors, row.bounds[0]?)? {
                polytope.is_empty = true;
                return Some(polytope);
            }
        }
    }

    /// Rewrites the rows over the coordinates and merges those with the same sum; returns false if a row cannot hold.
    fn state(&mut self, given: &[&Row]) -> Option<bool> {
        self.rows.clear();
        for row in given {
            let (factors, constant) = self.coordinates.over(&row.factors)?;
            let mut row = Row { factors, bounds: row.bounds };
            for end in row.bounds.iter_mut().flatten() {
                *end = end.checked_sub(constant)?;
            }
            row.in_lowest_terms()?;
            if row.factors.iter().all(|factor| *factor == 0) {
                if !within(row.bounds, 0) {
                    return Some(false);
                }
                continue;
            }
            match self.rows.iter_mut().find(|other| other.factors == row.factors) {
                Some(other) => other.bounds = both(other.bounds, row.bounds),
                None => self.rows.push(row),
            }
        }
        Some(!self.rows.iter().any(|row| matches!(row.bounds, [Some(lo), Some(hi)] if lo > hi)))
    }

    fn choose_coordinates(&mut self, fuel: &Fuel) -> Option<()> {
        let count = self.coordinates.basis.len();
        if count < 2 {
            return Some(());
        }
        let mut simplex = self.simplex(&[]);
        if !simplex.is_feasible(fuel)? {
            self.is_empty = true;
            return Some(());
        }
        let mut widths = Vec::with_capacity(self.rows.len());
        for (number, row) in self.rows.iter().enumerate() {
            widths.push(match row.bounds {
                [Some(lo), Some(hi)] => Some(hi.checked_sub(lo)?),
                _ => {
                    let down = simplex.extreme(count + number, false, fuel)?;
                    let up = simplex.extreme(count + number, true, fuel)?;
                    match (down, up) {
                        (Fall::To(lo), Fall::To(hi)) => Some(hi.plus(lo)?.negated()?.floor()),
                        _ => None,
                    }
                }
            });
        }
        self.coordinates.shorten(&mut self.rows, &widths)
    }

    fn simplex(&self, more: &[&[i128]]) -> Simplex {
        let rows = self.rows.iter().map(|row| (row.factors.as_slice(), row.bounds));
        let more = more.iter().map(|sum| (*sum, [None, None]));
        Simplex::new(self.coordinates.basis.len(), &rows.chain(more).collect::<Vec<_>>())
    }

    /// Returns whether the polytope was found to be empty when it was created.
    pub(super) fn is_known_empty(&self) -> bool {
        self.is_empty
    }

    /// Returns the least value of a sum of the unknowns, if it is less than the limit; `None` on overflow or without fuel.
    pub(super) fn least(&self, sum: &[i128], limit: Option<i128>, fuel: &Fuel) -> Option<Least> {
        if self.is_empty {
            return Some(Least::None);
        }
        let (slopes, constant) = self.coordinates.over(sum)?;
        let limit = match limit {
            Some(limit) => Some(limit.checked_sub(constant)?),
            None => None,
        };
        let start = vec![[None, None]; slopes.len()];
        Some(match self.least_from(start, &slopes, limit, fuel)? {
            Least::None => Least::None,
            Least::At(value, point) => {
                Least::At(value.checked_add(constant)?, self.coordinates.point(&point)?)
            }
            Least::Endless(point) => Least::Endless(self.coordinates.point(&point)?),
        })
    }

    /// Returns the least value of a sum over the coordinates, within bounds.
    fn least_from(
        &self,
        start: Vec<Bounds>,
        slopes: &[i128],
        limit: Option<i128>,
        fuel: &Fuel,
    ) -> Option<Least> {
        let with_share = |start: Vec<Bounds>, limit: Option<i128>| {
            let share = fuel.share(SHARE);
            let found = self.branch(start, slopes, limit, &share);
            fuel.spend(SHARE - share.left().min(SHARE)).ok().and(found)
        };
        if let Some(found) = with_share(start.clone(), limit) {
            return Some(found);
        }
        // Splitting unbounded parts may not terminate. A point near the rational optimum may show that no other has a lesser
        // value.
        let mut simplex = self.simplex(&[slopes]);
        simplex.bound(&start)?;
        if !simplex.is_feasible(fuel)? {
            return Some(Least::None);
        }
        simplex.extreme(slopes.len() + self.rows.len(), false, fuel)?;
        for reach in REACHES {
            let near = start.iter().zip(simplex.values(slopes.len())).map(|(bounds, value)| {
                let (lo, hi) =
                    (value.floor().checked_sub(reach)?, value.floor().checked_add(reach)?);
                Some(both(*bounds, [Some(lo), Some(hi)]))
            });
            let near: Vec<Bounds> = near.collect::<Option<_>>()?;
            if let Some(Least::At(value, point)) = with_share(near, limit) {
                return Some(match self.branch(start, slopes, Some(value), fuel)? {
                    Least::None => Least::At(value, point),
                    lesser => lesser,
                });
            }
        }
        self.branch(start, slopes, limit, fuel)
    }

    fn branch(
        &self,
        start: Vec<Bounds>,
        slopes: &[i128],
        mut limit: Option<i128>,
        fuel: &Fuel,
    ) -> Option<Least> {
        let count = slopes.len();
        let objective = count + self.rows.len();
        let step = common(slopes)?.max(1);
        let mut simplex = self.simplex(&[slopes]);
        let mut best = Least::None;
        let mut open = vec![(start, None::<i128>)];
        while let Some((bounds, known)) = open.pop() {
            fuel.spend((objective + 1) as u64).ok()?;
            let is_no_better = |value: i128| limit.is_some_and(|limit| value >= limit);
            if known.is_some_and(is_no_better) {
                continue;
            }
            simplex.bound(&bounds)?;
            if !simplex.is_feasible(fuel)? {
                continue;
            }
            let value = match simplex.extreme(objective, false, fuel)? {
                Fall::Endless => {
                    // Check whether there is an integer point at all.
                    match self.least_from(bounds, &vec![0; count], None, fuel)? {
                        Least::At(_, point) => return Some(Least::Endless(point)),
                        _ => continue,
                    }
                }
                Fall::To(value) => value,
            };
            let value = value.ceil()?.checked_neg()?.div_euclid(step).checked_mul(-step)?;
            if is_no_better(value) {
                continue;
            }
            let values = simplex.values(count);
            let Some(split) = values.iter().position(|value| value.as_whole().is_none()) else {
                let point: Option<Vec<i128>> =
                    values.iter().map(|value| value.as_whole()).collect();
                let point = point?;
                let value = dot(slopes, &point)?;
                limit = Some(value);
                best = Least::At(value, point);
                continue;
            };
            let at = values[split];
            let below = at.floor();
            let rounded: Vec<i128> = values.iter().map(nearest).collect::<Option<_>>()?;
            if self.contains(&rounded)?
                && bounds.iter().zip(&rounded).all(|(bounds, value)| within(*bounds, *value))
            {
                let reached = dot(slopes, &rounded)?;
                if limit.is_none_or(|limit| reached < limit) {
                    limit = Some(reached);
                    best = Least::At(reached, rounded);
                }
            }
            let (mut low, mut high) = (bounds.clone(), bounds);
            low[split][1] = Some(below);
            high[split][0] = Some(below.checked_add(1)?);
            let is_nearer_below = nearest(&at)? == below;
            let (first, second) = if is_nearer_below { (low, high) } else { (high, low) };
            open.push((second, Some(value)));
            open.push((first, Some(value)));
        }
        Some(best)
    }

    fn contains(&self, point: &[i128]) -> Option<bool> {
        for row in &self.rows {
            if !row.holds(point)? {
                return Some(false);
            }
        }
        Some(true)
    }

    /// Counts the integer points; `None` on overflow, without fuel, or if there are infinitely many.
    pub(super) fn count(&self, fuel: &Fuel) -> Option<i128> {
        if self.is_empty {
            return Some(0);
        }
        let mut simplex = self.simplex(&[]);
        if !simplex.is_feasible(fuel)? {
            return Some(0);
        }
        let mut ranges = Vec::with_capacity(self.coordinates.basis.len());
        for place in 0..self.coordinates.basis.len() {
            let (low, high) = range(&mut simplex, place, fuel)?;
            if low > high {
                return Some(0);
            }
            ranges.push([low, high]);
        }
        Counter::new(&self.rows, ranges, fuel)?.count()
    }

    /// Visits the integer points, whole segments of a line at a time: `visit` gets the first point, the step and the number
    /// of points. `None` on overflow, without fuel, if there are infinitely many, or if `visit` returns it.
    pub(super) fn segments(&self, visit: Visit, fuel: &Fuel) -> Option<()> {
        if self.is_empty {
            return Some(());
        }
        let count = self.coordinates.basis.len();
        if count == 0 {
            return visit(&self.coordinates.origin, &[], 1);
        }
        let mut simplex = self.simplex(&[]);
        let mut bounds: Vec<Bounds> = vec![[None, None]; count];
        // The remaining values of each coordinate, from the first on.
        let mut left: Vec<(i128, i128)> = Vec::new();
        loop {
            fuel.spend(count as u64).ok()?;
            simplex.bound(&bounds)?;
            let place = left.len();
            if simplex.is_feasible(fuel)? {
                let (low, high) = range(&mut simplex, place, fuel)?;
                if place + 1 < count {
                    left.push((low, high));
                } else if low <= high {
                    let mut point: Vec<i128> = left.iter().map(|(now, _)| *now).collect();
                    point.push(low);
                    let number = high.checked_sub(low)?.checked_add(1)?;
                    visit(
                        &self.coordinates.point(&point)?,
                        &self.coordinates.basis[place],
                        number,
                    )?;
                    if let Some(last) = left.last_mut() {
                        last.0 = last.0.checked_add(1)?;
                    }
                } else if let Some(last) = left.last_mut() {
                    last.0 = last.0.checked_add(1)?;
                }
            } else if let Some(last) = left.last_mut() {
                last.0 = last.0.checked_add(1)?;
            }
            if count == 1 || left.is_empty() {
                return Some(());
            }
            while let Some((now, end)) = left.last().copied() {
                if now <= end {
                    break;
                }
                left.pop();
                match left.last_mut() {
                    Some(last) => last.0 = last.0.checked_add(1)?,
                    None => return Some(()),
                }
            }
            for (place, bounds) in bounds.iter_mut().enumerate() {
                let fixed = left.get(place).map(|(now, _)| *now);
                *bounds = [fixed, fixed];
            }
        }
    }
}

/// Intersects two bounds.
fn both(x: Bounds, y: Bounds) -> Bounds {
    // `None` compares less than all numbers.
    let hi = match (x[1], y[1]) {
        (Some(x), Some(y)) => Some(x.min(y)),
        (x, y) => x.or(y),
    };
    [x[0].max(y[0]), hi]
}

fn within(bounds: Bounds, value: i128) -> bool {
    bounds[0].is_none_or(|lo| lo <= value) && bounds[1].is_none_or(|hi| value <= hi)
}

/// Returns the least and the greatest integer of an unknown within its rational range; `None` if unbounded, on overflow or
/// without fuel.
fn range(simplex: &mut Simplex, unknown: usize, fuel: &Fuel) -> Option<(i128, i128)> {
    let low = simplex.extreme(unknown, false, fuel)?;
    let high = simplex.extreme(unknown, true, fuel)?;
    let (Fall::To(low), Fall::To(high)) = (low, high) else {
        return None;
    };
    Some((low.ceil()?, high.negated()?.floor()))
}

/// Returns an integer nearest to a fraction.
fn nearest(value: &Ratio) -> Option<i128> {
    let half = Ratio::new(1, 2)?;
    Some(value.plus(half)?.floor())
}
