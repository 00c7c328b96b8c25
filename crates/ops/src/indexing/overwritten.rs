//! A part of a loop's state in which each iteration overwrites a window that moves with the iterations.
//!
//! Law: element `e` of the part at time `T` is equal to that at time `T - 1` unless `F(e, T)` is in the window `[lo, hi]`,
//! where `F(e, T) = f(e) - step * T`; some elements are never overwritten. So it is equal to the element at an earlier time
//! `T'` if `F` is outside the window at all times after `T'` up to `T`: for a positive step, if `F(e, T' + 1) < lo`, since `F`
//! decreases; or if `F(e, T) > hi`; or if it skips the window. And it was last written at the last time with `F(e, T') >= lo`,
//! if `F` is in the window then. A negative step is a positive step of `-F`.
//!
//! The maps of an iteration are checked to have this form by comparing them, as text, with the maps expected from the law.

use super::builder::identity;
use super::reads::{Exactness, OperandMap};
use super::times::{Lost, Times};
use affinor::expr::{
    Domain, Expr, ExprError, ExprKind, IndexingMap, Variable, VariableId, VariableKind,
};
use affinor::num::{Interval, MINUS_INFINITY, PLUS_INFINITY};

/// Maps two times to a sum, and an interval to which it is restricted.
type Condition<'a> = dyn Fn(&Expr, &Expr) -> Result<(Expr, Interval), ExprError> + 'a;

/// Which elements each iteration overwrites.
pub(super) struct Overwritten {
    sizes: Vec<i64>,
    /// The number of iterations; there is a state at each time from 0 to this number.
    count: i64,
    /// `F` as it is written in the maps.
    given: Expr,
    /// The window of values of `given`.
    window: Interval,
    /// 1 if `given` decreases with the time, otherwise -1.
    sign: i64,
    /// `f` times `sign`, that is, the decreasing function without its term in the time.
    still: Expr,
    /// The amount by which the function decreases per iteration.
    step: i64,
    /// Elements that no iteration overwrites.
    kept: Vec<Domain>,
}

impl Overwritten {
    /// Recognizes the form from the reads of a part from itself in an iteration.
    pub(super) fn of(
        times: &Times<'_>,
        sizes: &[i64],
        own: &[OperandMap],
    ) -> Result<Option<Overwritten>, Lost> {
        let (rank, count) = (sizes.len(), times.trips.count);
        let time = VariableId(rank as u32);
        let every = over_time(sizes, Interval::new(1, count), 1)?;
        let mut kept = Vec::new();
        let mut moving: Option<(Expr, Interval)> = None;
        for map in own {
            let domain = map.map.domain();
            let is_own = map.exactness == Exactness::Exact
                && domain.variables().len() == rank + 1
                && map.map.results() == every.results();
            if !is_own {
                return Ok(None);
            }
            let mut timely = domain.constraints().iter();
            let timely = timely.find(|one| one.expr.variables().contains(&time));
            let Some(constraint) = timely else {
                if domain.bounds(time) != Interval::new(1, count) {
                    return Ok(None);
                }
                kept.push(domain.clone());
                continue;
            };
            // If this constraint alone gives the same map, it is the only restriction of the map.
            let alone = every.restricted(&constraint.expr, constraint.bounds);
            let alone = times.tidied(&OperandMap::exact(alone))?;
            if alone.is_none_or(|alone| alone.map != map.map) {
                return Ok(None);
            }
            let all = every.domain().range_of(&constraint.expr);
            let left = match constraint.bounds {
                kept if kept.lo() <= all.lo() => {
                    Interval::new(kept.hi().saturating_add(1), all.hi())
                }
                kept if kept.hi() >= all.hi() => {
                    Interval::new(all.lo(), kept.lo().saturating_sub(1))
                }
                _ => return Ok(None),
            };
            moving = match moving {
                None => Some((constraint.expr.clone(), left)),
                Some((expr, window)) if expr == constraint.expr => {
                    Some((expr, window.intersect(left)))
                }
                Some(_) => return Ok(None),
            };
        }
        let Some((given, window)) = moving else {
            return Ok(None);
        };
        if window.is_empty() {
            // Everything is kept: the elements that one map leaves out, the other has.
            kept.push(every.domain().clone());
        }
        let Some(slope) = slope(&given, time) else {
            return Ok(None);
        };
        let sign = if slope < 0 { 1 } else { -1 };
        let step = slope.checked_abs().ok_or(Lost)?;
        let still = Expr::sum(0, [(sign, given.clone()), (step, Expr::variable(time))])?;
        if still.variables().contains(&time) {
            return Ok(None);
        }
        Ok(Some(Overwritten {
            sizes: sizes.to_vec(),
            count,
            given,
            window,
            sign,
            still,
            step,
            kept,
        }))
    }

    /// Returns the window of the decreasing function.
    fn ends(&self) -> (i64, i64) {
        match self.sign {
            1 => (self.window.lo(), self.window.hi()),
            _ => (-self.window.hi(), -self.window.lo()),
        }
    }

    /// Returns the decreasing function at a time.
    fn at(&self, time: &Expr) -> Result<Expr, ExprError> {
        Expr::sum(0, [(1, self.still.clone()), (-self.step, time.clone())])
    }

    /// Returns whether a map of an iteration is only about elements that this iteration overwrites.
    pub(super) fn is_in_window(&self, map: &OperandMap) -> bool {
        let constraints = map.map.domain().constraints().iter();
        let mut of_window = constraints.filter(|one| one.expr == self.given);
        of_window.any(|one| self.window.contains_all(one.bounds))
    }

    /// Returns the maps from an element at a time to itself when it was last written; and, for elements that are always kept,
    /// to itself at all times.
    pub(super) fn written(&self) -> Result<Vec<OperandMap>, Lost> {
        let mut maps = self.always()?;
        if self.window.is_empty() {
            return Ok(maps);
        }
        let (lo, _) = self.ends();
        let last = Expr::sum(-lo, [(1, self.still.clone())])?.floordiv(self.step)?;
        let (variables, time) = self.variables(None);
        let mut results = self.dimensions();
        let mut domain = Domain::new(variables);
        let width = self.window.hi().saturating_sub(self.window.lo()).saturating_add(1);
        if width <= self.step {
            // No other window has the element, so it was written only if that was not after the given time.
            domain.constrain(&time.sub(&last)?, Interval::new(0, PLUS_INFINITY));
            results.push(last);
        } else {
            results.push(Expr::min([time, last])?);
        }
        maps.push(OperandMap::exact(IndexingMap::new(domain, results)));
        Ok(maps)
    }

    /// Returns the maps from an element at a time to itself at all earlier times since which it is unchanged.
    pub(super) fn unwritten(&self) -> Result<Vec<OperandMap>, Lost> {
        let mut maps = self.always()?;
        let now = over_time(&self.sizes, Interval::new(0, self.count), 0)?;
        maps.push(OperandMap::exact(now));
        if self.window.is_empty() {
            return Ok(maps);
        }
        let (lo, hi) = self.ends();
        let after = |earlier: &Expr| self.at(&Expr::sum(1, [(1, earlier.clone())])?);
        let below = |expr: Expr| (expr, Interval::new(MINUS_INFINITY, lo - 1));
        maps.push(self.earlier(&|_, earlier| Ok(below(after(earlier)?)))?);
        let above = |expr: Expr| (expr, Interval::new(hi + 1, PLUS_INFINITY));
        maps.push(self.earlier(&|time, _| Ok(above(self.at(time)?)))?);
        let width = hi - lo + 1;
        if width < self.step {
            let place = Expr::sum(-lo, [(1, self.still.clone())])?.modulo(self.step)?;
            let skipped = Interval::new(width, self.step - 1);
            maps.push(self.earlier(&|_, _| Ok((place.clone(), skipped)))?);
        }
        Ok(maps)
    }

    fn dimensions(&self) -> Vec<Expr> {
        let dimensions = 0..self.sizes.len() as u32;
        dimensions.map(|id| Expr::variable(VariableId(id))).collect()
    }

    /// Returns the variables of an element and its time, and of an earlier time if given; and the time.
    fn variables(&self, earlier: Option<Interval>) -> (Vec<Variable>, Expr) {
        let mut variables = identity(&self.sizes).domain().variables().to_vec();
        let time = VariableId(variables.len() as u32);
        let all = Interval::new(0, self.count);
        let name = format!("d{}", variables.len());
        variables.push(Variable::new(name, VariableKind::Dimension, all));
        variables.extend(earlier.map(|times| Variable::new("s0", VariableKind::Range, times)));
        (variables, Expr::variable(time))
    }

    /// Returns the map from an element to itself at any time not after its own, restricted by a condition on both times.
    fn earlier(&self, condition: &Condition<'_>) -> Result<OperandMap, Lost> {
        let (variables, time) = self.variables(Some(Interval::new(0, self.count)));
        let earlier = Expr::variable(VariableId(variables.len() as u32 - 1));
        let mut domain = Domain::new(variables);
        domain.constrain(&time.sub(&earlier)?, Interval::new(0, PLUS_INFINITY));
        let (expr, bounds) = condition(&time, &earlier)?;
        domain.constrain(&expr, bounds);
        let mut results = self.dimensions();
        results.push(earlier);
        Ok(OperandMap::exact(IndexingMap::new(domain, results)))
    }

    /// Returns the maps from an element that is always kept to itself at any earlier time.
    fn always(&self) -> Result<Vec<OperandMap>, Lost> {
        let of_domain = |kept: &Domain| {
            let all = self.earlier(&|time, _| Ok((time.clone(), Interval::ALL)))?;
            let mut map = all.map;
            for (id, bounds) in (0..self.sizes.len() as u32).zip(kept.intervals()) {
                map = map.restricted(&Expr::variable(VariableId(id)), bounds);
            }
            for constraint in kept.constraints() {
                map = map.restricted(&constraint.expr, constraint.bounds);
            }
            Ok(OperandMap::exact(map))
        };
        self.kept.iter().map(of_domain).collect()
    }
}

/// `(d0, .., T) -> (d0, .., T - back)` of arrays of these sizes, at these times.
pub(super) fn over_time(
    sizes: &[i64],
    times: Interval,
    back: i64,
) -> Result<IndexingMap, ExprError> {
    let (domain, mut results) = identity(sizes).into_parts();
    let mut variables = domain.variables().to_vec();
    let time = Expr::variable(VariableId(sizes.len() as u32));
    let name = format!("d{}", sizes.len());
    variables.push(Variable::new(name, VariableKind::Dimension, times));
    results.push(Expr::sum(-back, [(1, time)])?);
    Ok(IndexingMap::new(Domain::new(variables), results))
}

/// Returns the coefficient of a variable in a sum.
fn slope(expr: &Expr, variable: VariableId) -> Option<i64> {
    let ExprKind::Sum(sum) = expr.kind() else {
        return None;
    };
    let term = sum.terms().iter().find(|(_, term)| term.as_variable() == Some(variable));
    term.map(|(coefficient, _)| *coefficient)
}
