//! A part of a loop's state in which each iteration overwrites a window that moves with the iterations.
//!
//! Law: element `e` of the part at time `T` is equal to that at time `T - 1` unless `F(e, T)` is in the window `[lo, hi]`,
//! where `F(e, T) = f(e) - step * T`; some elements are never overwritten. So it is equal to the element at an earlier time
//! `T'` if `F` is outside the window at all times after `T'` up to `T`: for a positive step, if `F(e, T' + 1) < lo`, since `F`
//! decreases; or if `F(e, T) > hi`; or if it skips the window. And it was last written at the last time with `F(e, T') >= lo`,
//! if `F` is in the window then. A negative step is a positive step of `-F`. `f` may depend on runtime variables.
//!
//! The maps of an iteration are checked to have this form by comparing them, as text, with the maps expected from the law.

use super::builder::identity;
use super::reads::{Exactness, OperandMap, RuntimeVariable};
use super::times::{Lost, Times};
use affinor::expr::{
    Domain, Expr, ExprError, ExprKind, IndexingMap, Variable, VariableId, VariableKind,
};
use affinor::num::{Interval, MINUS_INFINITY, PLUS_INFINITY};

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
    /// `f` times `sign`, that is, the decreasing function without its term in the time, over the variables of [`Self::map`].
    still: Expr,
    /// The amount by which the function decreases per iteration.
    step: i64,
    /// Conditions for elements that no iteration overwrites, over the variables of [`Self::map`].
    kept: Vec<Vec<(Expr, Interval)>>,
    /// The runtime variables of the maps of an iteration.
    runtime: Vec<RuntimeVariable>,
    values: Vec<Variable>,
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
        let Some(longest) = own.iter().max_by_key(|map| map.runtime.len()) else {
            return Ok(None);
        };
        let runtime = longest.runtime.clone();
        let of_longest = longest.map.domain();
        let is_fixed = |one: &RuntimeVariable| {
            let is_any = of_longest.bounds(one.variable).contains_all(one.clamp);
            one.index.is_empty() && !one.is_choice && is_any
        };
        if of_longest.count(VariableKind::Range) > 0 || !runtime.iter().all(is_fixed) {
            return Ok(None);
        }
        let values = of_longest.variables().get(rank + 1..).unwrap_or_default().to_vec();
        let (domain, results) = over_time(sizes, Interval::new(1, count), 1)?.into_parts();
        let all = domain.variables().iter().chain(&values).cloned().collect();
        let every = IndexingMap::new(Domain::new(all), results);
        let place = |id: usize| VariableId(if id > rank { id + 1 } else { id } as u32);
        let images: Vec<Expr> =
            (0..=rank + values.len()).map(|id| Expr::variable(place(id))).collect();
        let conditions = |domain: &Domain| {
            let own = images.iter().cloned().zip(domain.intervals()).enumerate();
            let own = own.filter(|(id, _)| *id != rank).map(|(_, condition)| condition);
            let mut all: Vec<(Expr, Interval)> = own.collect();
            for constraint in domain.constraints() {
                all.push((constraint.expr.substitute(&images)?, constraint.bounds));
            }
            Ok::<_, ExprError>(all)
        };
        let mut kept = Vec::new();
        let mut moving: Option<(Expr, Interval)> = None;
        for map in own {
            let domain = map.map.domain();
            let is_own = map.exactness == Exactness::Exact
                && domain.variables().len() == rank + 1 + map.runtime.len()
                && (map.runtime.is_empty() || map.runtime == runtime)
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
                kept.push(conditions(domain)?);
                continue;
            };
            // If this constraint alone gives the same map, it is the only restriction of the map.
            let alone = every.restricted(&constraint.expr, constraint.bounds);
            let alone = OperandMap { runtime: runtime.clone(), ..OperandMap::exact(alone) };
            if times.tidied(&alone)?.as_ref() != Some(map) {
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
            kept.push(Vec::new());
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
            still: still.substitute(&images)?,
            step,
            kept,
            runtime,
            values,
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
        let mut images = self.dimensions();
        images.push(self.time());
        for value in &self.runtime {
            let is_same = |own: &&RuntimeVariable| {
                let own = (*own).clone();
                RuntimeVariable { variable: value.variable, ..own } == *value
            };
            let Some(own) = map.runtime.iter().find(is_same) else {
                return false;
            };
            images.push(Expr::variable(own.variable));
        }
        let given = self.given.substitute(&images).ok();
        let constraints = map.map.domain().constraints().iter();
        let mut of_window = constraints.filter(|one| Some(&one.expr) == given.as_ref());
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
        let time = self.time();
        let width = self.window.hi().saturating_sub(self.window.lo()).saturating_add(1);
        if width <= self.step {
            // No other window has the element, so it was written only if that was not after the given time.
            let since = time.sub(&last)?;
            maps.push(self.map(last, [(since, Interval::new(0, PLUS_INFINITY))]));
        } else {
            maps.push(self.map(Expr::min([time, last])?, []));
        }
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
        let after = self.at(&Expr::sum(1, [(1, self.before())])?)?;
        maps.push(self.earlier([(after, Interval::new(MINUS_INFINITY, lo - 1))])?);
        let above = self.at(&self.time())?;
        maps.push(self.earlier([(above, Interval::new(hi + 1, PLUS_INFINITY))])?);
        let width = hi - lo + 1;
        if width < self.step {
            let place = Expr::sum(-lo, [(1, self.still.clone())])?.modulo(self.step)?;
            maps.push(self.earlier([(place, Interval::new(width, self.step - 1))])?);
        }
        Ok(maps)
    }

    fn dimensions(&self) -> Vec<Expr> {
        let dimensions = 0..self.sizes.len() as u32;
        dimensions.map(|id| Expr::variable(VariableId(id))).collect()
    }

    fn time(&self) -> Expr {
        Expr::variable(VariableId(self.sizes.len() as u32))
    }

    fn before(&self) -> Expr {
        Expr::variable(VariableId(self.sizes.len() as u32 + 1))
    }

    /// Returns the map from an element at a time to itself at time `to`, under `conditions`. Its variables are an element and its
    /// time, any other time, and the runtime variables.
    fn map(&self, to: Expr, conditions: impl IntoIterator<Item = (Expr, Interval)>) -> OperandMap {
        let mut variables = identity(&self.sizes).domain().variables().to_vec();
        let all = Interval::new(0, self.count);
        let name = format!("d{}", variables.len());
        variables.push(Variable::new(name, VariableKind::Dimension, all));
        variables.push(Variable::new("s0", VariableKind::Range, all));
        variables.extend(self.values.iter().cloned());
        let mut domain = Domain::new(variables);
        for (expr, bounds) in conditions {
            domain.constrain(&expr, bounds);
        }
        let mut results = self.dimensions();
        results.push(to);
        let shifted = |one: &RuntimeVariable| {
            let variable = VariableId(one.variable.0 + 1);
            RuntimeVariable { variable, ..one.clone() }
        };
        let runtime = self.runtime.iter().map(shifted).collect();
        OperandMap { runtime, ..OperandMap::exact(IndexingMap::new(domain, results)) }
    }

    /// Returns the map from an element to itself at any time not after its own, restricted by conditions on both times.
    fn earlier(
        &self,
        conditions: impl IntoIterator<Item = (Expr, Interval)>,
    ) -> Result<OperandMap, Lost> {
        let since = self.time().sub(&self.before())?;
        let since = [(since, Interval::new(0, PLUS_INFINITY))];
        Ok(self.map(self.before(), since.into_iter().chain(conditions)))
    }

    /// Returns the maps from an element that is always kept to itself at any earlier time.
    fn always(&self) -> Result<Vec<OperandMap>, Lost> {
        self.kept.iter().map(|kept| self.earlier(kept.iter().cloned())).collect()
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
