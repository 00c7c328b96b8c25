//! Decides whether the values of expressions fit in a machine integer, and where they overflow.
//!
//! Law: [`Fit::Always`] is proved, from extremes over all integer points, from intervals, or for all sizes; a point of overflow
//! has been evaluated. `up_to` is exact if the expression has linear forms; otherwise the fit up to it is proved.

use super::extremes::{Wide, finite, wide_extremes, wide_value_at};
use super::named::extends;
use super::{Budget, Extreme, extremes, sample};
use crate::expr::{Domain, Expr, IndexingMap, VariableId, VariableKind};
use crate::num::{Interval, MINUS_INFINITY, PLUS_INFINITY};

/// Fuel for finding points and sizes at which expressions overflow.
const STEPS: u64 = 1 << 26;

/// Maximum number of points that are tried if all else fails.
const POINTS: u64 = 64;

/// Whether the values of an expression fit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fit {
    /// All values fit.
    Always,
    /// A value overflows at a point.
    Leaves {
        /// The value.
        value: i128,
        /// The point.
        point: Vec<i64>,
        /// If the domain has one parameter: the greatest value of it up to which all values fit, if known.
        up_to: Option<i64>,
    },
    /// Unknown.
    Unknown,
}

/// Decides for each expression whether its values on `domain` lie between two bounds; `None` means unbounded.
#[must_use]
pub fn fits(
    domain: &Domain,
    exprs: &[Expr],
    within: [Option<i128>; 2],
    budget: &Budget,
) -> Vec<Fit> {
    let map = IndexingMap::new(domain.clone(), exprs.to_vec());
    let ends = wide_extremes(&map, budget);
    let budget = &budget.with_fuel(STEPS);
    let work = Work { domain, within, budget };
    exprs.iter().zip(ends).map(|(expr, ends)| work.fit(expr, ends)).collect()
}

struct Work<'a> {
    domain: &'a Domain,
    within: [Option<i128>; 2],
    budget: &'a Budget,
}

impl Work<'_> {
    fn fit(&self, expr: &Expr, [lowest, greatest]: [Option<Wide>; 2]) -> Fit {
        let (mut is_known, mut is_endless) = (true, false);
        let mut left: Option<(i128, Vec<i64>)> = None;
        for (end, bound) in [lowest, greatest].into_iter().zip(self.within) {
            match end {
                Some(Wide::Empty) => return Fit::Always,
                _ if bound.is_none() => {}
                Some(Wide::At(value, _)) if self.holds(value) => {}
                Some(Wide::At(value, point)) => left = left.or(Some((value, point))),
                Some(Wide::Endless) => {
                    is_endless = true;
                    left = left.or_else(|| self.first_beyond(expr));
                }
                None => is_known = false,
            }
        }
        if let Some((value, point)) = left {
            return self.at_least_size(expr, value, point);
        }
        match (is_known, is_endless) {
            (true, false) => Fit::Always,
            // No overflow point is known, but one exists.
            (_, true) => Fit::Unknown,
            (false, false) => match self.by_sizes(expr) {
                Fit::Unknown => self.at_points(expr),
                known => known,
            },
        }
    }

    fn holds(&self, value: i128) -> bool {
        let [lo, hi] = self.within;
        lo.is_none_or(|lo| lo <= value) && hi.is_none_or(|hi| value <= hi)
    }

    /// Returns the values beyond the bounds, as intervals; `None` if they exceed 64 bits.
    fn beyond(&self) -> Option<Vec<Interval>> {
        let mut beyond = Vec::new();
        let [lo, hi] = self.within;
        if let Some(hi) = hi {
            beyond.push(Interval::new(finite(hi + 1)?, PLUS_INFINITY));
        }
        if let Some(lo) = lo {
            beyond.push(Interval::new(MINUS_INFINITY, finite(lo - 1)?));
        }
        Some(beyond)
    }

    /// For unbounded values, returns an overflowing value, the nearest to the bound.
    fn first_beyond(&self, expr: &Expr) -> Option<(i128, Vec<i64>)> {
        self.beyond()?.into_iter().find_map(|beyond| {
            let mut domain = self.domain.clone();
            domain.constrain(expr, beyond);
            let map = IndexingMap::new(domain, vec![expr.clone()]);
            let ends = wide_extremes(&map, self.budget).into_iter().next()?;
            ends.into_iter().flatten().find_map(|end| self.leaving(end))
        })
    }

    /// Returns the extreme, if it is an overflowing value.
    fn leaving(&self, end: Wide) -> Option<(i128, Vec<i64>)> {
        match end {
            Wide::At(value, point) if !self.holds(value) => Some((value, point)),
            _ => None,
        }
    }

    fn parameter(&self) -> Option<VariableId> {
        let mut ids = self.domain.ids(VariableKind::Parameter);
        ids.next().filter(|_| ids.next().is_none())
    }

    /// Reports an overflow, at a point of the least size if that is known.
    fn at_least_size(&self, expr: &Expr, value: i128, point: Vec<i64>) -> Fit {
        let least = || {
            let id = self.parameter()?;
            let mut least: Option<(i64, i128, Vec<i64>)> = None;
            for beyond in self.beyond()? {
                let mut domain = self.domain.clone();
                domain.constrain(expr, beyond);
                let map = IndexingMap::new(domain, vec![Expr::variable(id)]);
                let [lowest, _] = extremes(&map, self.budget).into_iter().next()?;
                match lowest? {
                    Extreme::Empty => {}
                    Extreme::Endless => return None,
                    Extreme::At(size, point) => {
                        let value = wide_value_at(self.domain, expr, &point)?;
                        if least.as_ref().is_none_or(|(known, ..)| size < *known) {
                            least = Some((size, value, point));
                        }
                    }
                }
            }
            least
        };
        match least() {
            Some((size, value, point)) => Fit::Leaves { value, point, up_to: size.checked_sub(1) },
            None => Fit::Leaves { value, point, up_to: None },
        }
    }

    /// Decides for an expression that multiplies or divides by sizes.
    fn by_sizes(&self, expr: &Expr) -> Fit {
        if self.is_shown(self.domain, expr) {
            return Fit::Always;
        }
        let sizes: Vec<VariableId> = self.domain.ids(VariableKind::Parameter).collect();
        // Finds a power of two, used for all sizes, at which a value overflows; then bisects for the least such number.
        let mut found: Option<(i64, i128, Vec<i64>)> = None;
        let mut fitting = 0;
        for exponent in 0..63 {
            let size = 1_i64 << exponent;
            match self.with_sizes(expr, &sizes, size) {
                Some((value, point)) => {
                    found = Some((size, value, point));
                    break;
                }
                None => fitting = size,
            }
        }
        let Some((mut size, mut value, mut point)) = found else {
            return Fit::Unknown;
        };
        while size - fitting > 1 {
            let middle = fitting + (size - fitting) / 2;
            match self.with_sizes(expr, &sizes, middle) {
                Some(found) => (size, value, point) = (middle, found.0, found.1),
                None => fitting = middle,
            }
        }
        let up_to = self.parameter().filter(|id| {
            let mut smaller = self.domain.clone();
            smaller.constrain(&Expr::variable(*id), Interval::new(MINUS_INFINITY, fitting));
            self.is_shown(&smaller, expr)
        });
        Fit::Leaves { value, point, up_to: up_to.map(|_| fitting) }
    }

    /// Decides for an expression with a part too large for extremes: returns the first of some points at which it overflows.
    fn at_points(&self, expr: &Expr) -> Fit {
        let bounds: Vec<Interval> = self.domain.intervals().collect();
        let mut points = sample::points(&bounds, self.budget.samples.min(POINTS));
        let left = points.find_map(|point| {
            let value = wide_value_at(self.domain, expr, &point)?;
            (!self.holds(value)).then_some((value, point))
        });
        left.map_or(Fit::Unknown, |(value, point)| Fit::Leaves { value, point, up_to: None })
    }

    /// Returns whether it is proved that all values on a domain fit.
    fn is_shown(&self, domain: &Domain, expr: &Expr) -> bool {
        let end = |end: Option<i128>, infinite: i64| match end {
            Some(end) => finite(end),
            None => Some(infinite),
        };
        let (Some(lo), Some(hi)) =
            (end(self.within[0], MINUS_INFINITY), end(self.within[1], PLUS_INFINITY))
        else {
            return false;
        };
        let within = Interval::new(lo, hi);
        if within.contains_all(domain.range_of(expr)) {
            return true;
        }
        let mut inside = domain.clone();
        inside.constrain(expr, within);
        let map = |domain: Domain| IndexingMap::new(domain, Vec::new());
        extends(&map(inside), &map(domain.clone()), self.budget).is_ok()
    }

    /// Returns an overflowing value with all sizes at this number, or as near to it as they may be.
    fn with_sizes(&self, expr: &Expr, sizes: &[VariableId], size: i64) -> Option<(i128, Vec<i64>)> {
        let mut places: Vec<Expr> = (0..self.domain.variables().len() as u32)
            .map(|id| Expr::variable(VariableId(id)))
            .collect();
        let mut bound = self.domain.clone();
        for id in sizes {
            let bounds = self.domain.bounds(*id);
            let value = size.max(bounds.lo()).min(bounds.hi()).min(PLUS_INFINITY - 1);
            places[id.index()] = Expr::constant(value);
            bound.constrain(&Expr::variable(*id), Interval::point(value));
        }
        let variables = bound.variables().to_vec();
        let mut domain = Domain::new(variables);
        for constraint in bound.constraints() {
            domain.constrain(&constraint.expr.substitute(&places).ok()?, constraint.bounds);
        }
        let there = expr.substitute(&places).ok()?;
        let map = IndexingMap::new(domain, vec![there]);
        let ends = wide_extremes(&map, self.budget).into_iter().next()?;
        let mut left = ends.into_iter().flatten().filter_map(|end| self.leaving(end));
        left.find(|(value, point)| wide_value_at(self.domain, expr, point) == Some(*value))
    }
}
