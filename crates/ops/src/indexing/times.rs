//! Maps between the states of a counted loop at different times.
//!
//! The state at time `T` is what the loop has after `T` iterations. An element of a part of it is written with its time as
//! one more index, the last: `(d0, .., T) -> (e0, .., T - 1)` is what an iteration reads of the state before it.
//!
//! Laws: [`timed`] says at each time what the given map says there, with what is known of counters. [`Times::then`] reads
//! what is read in sequence; it drops range variables that only say whether there is a value for them, where that is
//! decided by sums in which they have coefficient 1 or -1 (Fourier-Motzkin, which is exact for those).

use super::fold;
use super::freed::for_all_values;
use super::known::Known;
use super::number::Number;
use super::reads::{OperandMap, RuntimeVariable, TuplePath};
use super::sequence::compose;
use super::tidy::Tidy;
use super::trips::Trips;
use affinor::expr::{
    Domain, Expr, ExprError, ExprKind, IndexingMap, Variable, VariableId, VariableKind,
};
use affinor::num::{Fuel, Interrupt, Interval, MINUS_INFINITY, PLUS_INFINITY};
use affinor_hlo::module::{ComputationId, Module};
use std::collections::BTreeMap;

/// Most pairs of bounds that take the place of a range variable.
const BOUNDS: usize = 16;

const EACH: &str = "an offset in its body may be another one in each iteration";

/// Base cost of one composition in steps.
const COMPOSITION: u64 = 16;

/// Why reads are not followed: they cannot be written, or steps ran out.
pub(super) struct Lost;

impl From<ExprError> for Lost {
    fn from(_: ExprError) -> Lost {
        Lost
    }
}

/// What maps of a loop are made with.
pub(super) struct Times<'a> {
    pub(super) module: &'a Module,
    pub(super) tidy: Tidy<'a>,
    pub(super) interrupt: &'a Interrupt,
    pub(super) fuel: Fuel,
    pub(super) trips: &'a Trips,
    /// The loop's name.
    pub(super) name: &'a str,
}

impl Times<'_> {
    /// `map`, of an array of rank `rank` that `computation` gives, at the times `times`, of the state `back` iterations before.
    pub(super) fn timed(
        &self,
        computation: ComputationId,
        map: &OperandMap,
        rank: usize,
        times: Interval,
        back: i64,
    ) -> Result<Vec<OperandMap>, Lost> {
        let map = with_time(map, rank, times, back)?;
        if times.is_empty() {
            return Ok(Vec::new());
        }
        let time = Expr::variable(VariableId(rank as u32));
        let iteration = Number::new(
            Expr::sum(-back, [(1, time)])?,
            Interval::new(times.lo() - back, times.hi() - back),
        );
        let counters = self.trips.counters.iter();
        let given = counters.map(|(path, counter)| Some((path.clone(), counter.at(&iteration)?)));
        let given: Option<BTreeMap<TuplePath, Number>> = given.collect();
        let bounds = map.map.domain().intervals().collect();
        let known = Known::new(self.module, computation, bounds, self.interrupt);
        let mut known = known.with_given(given.ok_or(Lost)?);
        let mut maps = Vec::new();
        for map in fold::parts(&map, &mut known, None)? {
            let map = match map.runtime.is_empty() {
                true => map,
                false => for_all_values(&map, self.name, EACH),
            };
            maps.extend(self.tidied(&map)?);
        }
        Ok(maps)
    }

    /// What `second` reads of what `first` reads; none if that is nothing.
    pub(super) fn then(
        &self,
        first: &OperandMap,
        second: &OperandMap,
    ) -> Result<Option<OperandMap>, Lost> {
        self.tidied(&compose(first, second).map_err(|_| Lost)?)
    }

    /// The same reads in tidy form; none if they are nothing.
    pub(super) fn tidied(&self, map: &OperandMap) -> Result<Option<OperandMap>, Lost> {
        let cost = COMPOSITION.saturating_add(map.map.cost().ops);
        self.fuel.spend(cost).map_err(|_| Lost)?;
        let mut next = self.tidy.apply(map)?;
        while let Some(map) = &next {
            match without_a_range(map)? {
                Some(fewer) => next = self.tidy.apply(&fewer)?,
                None => break,
            }
        }
        // Equal maps are to have equal texts.
        match next {
            Some(map) => Ok(self.tidy.apply(&from_zero(&map)?)?),
            None => Ok(None),
        }
    }
}

/// `map` with range variables that begin at 0.
fn from_zero(map: &OperandMap) -> Result<OperandMap, ExprError> {
    let old = map.map.domain();
    if !map.runtime.is_empty() {
        return Ok(map.clone());
    }
    let mut variables = old.variables().to_vec();
    let mut images = Vec::with_capacity(variables.len());
    for (id, variable) in (0..).map(VariableId).zip(&mut variables) {
        let bounds = variable.bounds;
        let is_moved = variable.kind == VariableKind::Range && bounds.is_bounded();
        let least = if is_moved { bounds.lo() } else { 0 };
        images.push(Expr::sum(least, [(1, Expr::variable(id))])?);
        if is_moved {
            variable.bounds = bounds.add(Interval::point(-least));
        }
    }
    let mut domain = Domain::new(variables);
    for constraint in old.constraints() {
        domain.constrain(&constraint.expr.substitute(&images)?, constraint.bounds);
    }
    let results = map.map.results().iter().map(|result| result.substitute(&images));
    Ok(OperandMap {
        map: IndexingMap::new(domain, results.collect::<Result<_, _>>()?),
        ..map.clone()
    })
}

/// `map` with the time as one more dimension and one more result.
fn with_time(
    map: &OperandMap,
    rank: usize,
    times: Interval,
    back: i64,
) -> Result<OperandMap, ExprError> {
    let old = map.map.domain();
    let place = |id: usize| VariableId(if id < rank { id } else { id + 1 } as u32);
    let images = (0..old.variables().len()).map(|id| Expr::variable(place(id)));
    let images: Vec<Expr> = images.collect();
    let mut variables = old.variables().to_vec();
    let name = format!("d{rank}");
    variables.insert(rank, Variable::new(name, VariableKind::Dimension, times));
    let mut domain = Domain::new(variables);
    for constraint in old.constraints() {
        domain.constrain(&constraint.expr.substitute(&images)?, constraint.bounds);
    }
    let apply = |list: &[Expr]| -> Result<Vec<Expr>, ExprError> {
        list.iter().map(|expr| expr.substitute(&images)).collect()
    };
    let mut results = apply(map.map.results())?;
    let time = Expr::variable(VariableId(rank as u32));
    results.push(Expr::sum(-back, [(1, time)])?);
    let mut runtime = Vec::new();
    for variable in &map.runtime {
        runtime.push(RuntimeVariable {
            variable: place(variable.variable.index()),
            index: apply(&variable.index)?,
            ..variable.clone()
        });
    }
    Ok(OperandMap {
        map: IndexingMap::new(domain, results),
        exactness: map.exactness.clone(),
        runtime,
    })
}

/// The map without one of its range variables, where that says the same; none if there is no such variable.
fn without_a_range(map: &OperandMap) -> Result<Option<OperandMap>, ExprError> {
    for range in map.map.domain().ids(VariableKind::Range) {
        if let Some(value) = value_of(&map.map, range)? {
            return replaced(map, range, &value, Vec::new()).map(Some);
        }
        let is_read = |expr: &Expr| expr.variables().contains(&range);
        if map.map.results().iter().any(is_read) || !map.runtime.is_empty() {
            continue;
        }
        if let Some(conditions) = eliminated(&map.map, range)? {
            return replaced(map, range, &Expr::constant(0), conditions).map(Some);
        }
    }
    Ok(None)
}

/// `sum` as `coefficient * range + rest`, where the rest has no `range`.
fn taken_apart(sum: &Expr, range: VariableId) -> Result<Option<(i64, Expr)>, ExprError> {
    let ExprKind::Sum(terms) = sum.kind() else {
        return Ok(None);
    };
    let own = terms.terms().iter().find(|(_, term)| term.as_variable() == Some(range));
    let Some((coefficient, _)) = own else {
        return Ok(None);
    };
    let rest = sum.add(&Expr::variable(range).scale(-coefficient)?)?;
    Ok((!rest.variables().contains(&range)).then_some((*coefficient, rest)))
}

/// The only value that an equation among the constraints leaves to a range variable.
fn value_of(map: &IndexingMap, range: VariableId) -> Result<Option<Expr>, ExprError> {
    for constraint in map.domain().constraints() {
        let Some(value) = constraint.bounds.as_point() else {
            continue;
        };
        if let Some((coefficient @ (1 | -1), rest)) = taken_apart(&constraint.expr, range)? {
            return Expr::sum(coefficient * value, [(-coefficient, rest)]).map(Some);
        }
    }
    Ok(None)
}

/// The conditions under which there is a value for a range variable that no result has, if they are sums.
fn eliminated(
    map: &IndexingMap,
    range: VariableId,
) -> Result<Option<Vec<(Expr, Interval)>>, ExprError> {
    let bounds = map.domain().bounds(range);
    let (mut least, mut most) = (Vec::new(), Vec::new());
    for constraint in map.domain().constraints() {
        if !constraint.expr.variables().contains(&range) {
            continue;
        }
        let Some((coefficient @ (1 | -1), rest)) = taken_apart(&constraint.expr, range)? else {
            return Ok(None);
        };
        // `lo <= c * v + rest <= hi`.
        let ends = [constraint.bounds.lo(), constraint.bounds.hi()];
        for (end, is_least) in ends.into_iter().zip([coefficient == 1, coefficient == -1]) {
            if end == MINUS_INFINITY || end == PLUS_INFINITY {
                continue;
            }
            let bound = Expr::sum(coefficient * end, [(-coefficient, rest.clone())])?;
            if is_least { &mut least } else { &mut most }.push(bound);
        }
    }
    for (end, list) in [(bounds.lo(), &mut least), (bounds.hi(), &mut most)] {
        if end != MINUS_INFINITY && end != PLUS_INFINITY {
            list.push(Expr::constant(end));
        }
    }
    if least.len().saturating_mul(most.len()) > BOUNDS {
        return Ok(None);
    }
    let mut conditions = Vec::new();
    for lo in &least {
        for hi in &most {
            conditions.push((hi.sub(lo)?, Interval::new(0, PLUS_INFINITY)));
        }
    }
    Ok(Some(conditions))
}

/// `map` with `value` in the place of a range variable; `conditions`, if there are any, in that of all constraints on it.
fn replaced(
    map: &OperandMap,
    range: VariableId,
    value: &Expr,
    conditions: Vec<(Expr, Interval)>,
) -> Result<OperandMap, ExprError> {
    let old = map.map.domain();
    let is_gone = !conditions.is_empty();
    let mut images: Vec<Expr> =
        (0..old.variables().len() as u32).map(|id| Expr::variable(VariableId(id))).collect();
    if let Some(image) = images.get_mut(range.index()) {
        *image = value.clone();
    }
    let mut domain = Domain::new(old.variables().to_vec());
    for constraint in old.constraints() {
        if !is_gone || !constraint.expr.variables().contains(&range) {
            domain.constrain(&constraint.expr.substitute(&images)?, constraint.bounds);
        }
    }
    if !is_gone {
        domain.constrain(value, old.bounds(range));
    }
    for (expr, bounds) in &conditions {
        domain.constrain(expr, *bounds);
    }
    let apply = |list: &[Expr]| -> Result<Vec<Expr>, ExprError> {
        list.iter().map(|expr| expr.substitute(&images)).collect()
    };
    let mut runtime = Vec::new();
    for variable in &map.runtime {
        runtime.push(RuntimeVariable { index: apply(&variable.index)?, ..variable.clone() });
    }
    Ok(OperandMap {
        map: IndexingMap::new(domain, apply(map.map.results())?),
        exactness: map.exactness.clone(),
        runtime,
    })
}
