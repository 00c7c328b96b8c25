//! Maps between the states of a loop with a known trip count at different times.
//!
//! The state at time `T` is the state of the loop after `T` iterations. An element of a part is written with its time as an
//! additional last index: `(d0, .., T) -> (e0, .., T - 1)` is a read, by an iteration, of the state before it.
//!
//! Laws: [`timed`] has, at each time, the reads of the given map, with the known values of counters substituted.
//! [`Times::then`] has the reads of two maps in sequence; it drops range variables that only express the existence of a value,
//! if that can be decided for sums in which they have coefficient 1 or -1 (Fourier-Motzkin elimination, which is exact for
//! these).

use super::choices::unconditioned;
use super::fold;
use super::freed::for_all_values;
use super::number::Number;
use super::opened::by_parameters;
use super::passed_on::is_kept;
use super::reads::{OperandMap, RuntimeVariable, ValueSource};
use super::sequence::compose;
use super::tidy::Tidy;
use super::trips::{self, Scalars, Starts, Trips};
use affinor::expr::{
    Domain, Expr, ExprError, ExprKind, IndexingMap, Variable, VariableId, VariableKind,
};
use affinor::num::{Fuel, Interrupt, Interval, MINUS_INFINITY, PLUS_INFINITY};
use affinor_hlo::module::{ComputationId, Module};

/// Maximum number of pairs of bounds that replace a range variable.
const BOUNDS: usize = 16;

/// Maximum number of runtime variables of a map that are other values in other iterations: they multiply the maps.
const VALUES: usize = 2;

const EACH: &str = "an offset in its body may be another one in each iteration";

/// Base cost of one composition in steps.
const COMPOSITION: u64 = 16;

/// The reads cannot be followed: a map is not representable, or the fuel ran out.
pub(super) struct Lost;

impl From<ExprError> for Lost {
    fn from(_: ExprError) -> Lost {
        Lost
    }
}

/// The context in which the maps of a loop are computed.
pub(super) struct Times<'a> {
    pub(super) module: &'a Module,
    pub(super) body: ComputationId,
    pub(super) tidy: Tidy<'a>,
    pub(super) interrupt: &'a Interrupt,
    pub(super) fuel: Fuel,
    pub(super) trips: &'a Trips,
    pub(super) starts: &'a Starts,
    /// The loop's name.
    pub(super) name: &'a str,
}

impl Times<'_> {
    /// Adds times to `map`, a map of an array of rank `rank` computed by `computation`: from the states at `times` to the
    /// states `back` iterations before.
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
        let first = map.map.domain().variables().len();
        self.valued(computation, &map, self.trips.at(&iteration, first).ok_or(Lost)?)
    }

    /// Returns the maps that replace a map of a computation of the loop, with the values of scalars substituted. The variables of
    /// their starts, numbered after those of the map, are runtime variables: elements of the operand of the loop.
    pub(super) fn valued(
        &self,
        computation: ComputationId,
        map: &OperandMap,
        scalars: Scalars,
    ) -> Result<Vec<OperandMap>, Lost> {
        let old = map.map.domain();
        let starts = scalars.starts.iter();
        let starts = starts.map(|(_, range)| Variable::new("start", VariableKind::Runtime, *range));
        let mut domain = Domain::new(old.variables().iter().cloned().chain(starts).collect());
        for constraint in old.constraints() {
            domain.constrain(&constraint.expr, constraint.bounds);
        }
        let map =
            OperandMap { map: IndexingMap::new(domain, map.map.results().to_vec()), ..map.clone() };
        let of_scalars = |map: &OperandMap| {
            let bounds = map.map.domain().intervals().collect();
            let known = trips::known(self.module, computation, bounds, self.interrupt);
            known.with_given(scalars.numbers.clone())
        };
        let mut known = of_scalars(&map).with_open_truths();
        let mut maps = Vec::new();
        for map in fold::parts(&map, &mut known, None)? {
            let mut map = unconditioned(&map)?;
            if map.runtime.is_empty() {
                let first = map.map.domain().variables().len() - scalars.starts.len();
                let starts = (first as u32..).zip(&scalars.starts);
                let runtime = starts.map(|(id, (path, range))| RuntimeVariable {
                    variable: VariableId(id),
                    source: ValueSource::Operand { operand: 0, path: path.clone() },
                    index: Vec::new(),
                    clamp: *range,
                    is_choice: false,
                });
                map.runtime = runtime.collect();
            } else {
                let is_closed = scalars.starts.is_empty();
                let known = is_closed.then(|| of_scalars(&map).with_elements_of_parameters(None));
                map = known
                    .and_then(|known| by_parameters(&map, known, false))
                    .filter(|map| map.runtime.iter().all(|one| self.is_kept(one)))
                    .unwrap_or_else(|| for_all_values(&map, self.name, EACH));
            }
            maps.extend(self.tidied(&map)?);
        }
        Ok(maps)
    }

    /// Returns whether a value is an element of the state that no iteration changes.
    fn is_kept(&self, value: &RuntimeVariable) -> bool {
        match &value.source {
            ValueSource::Operand { operand: 0, path } => is_kept(self.module, self.body, path),
            _ => false,
        }
    }

    /// Returns the reads of `first` followed by `second`; `None` if nothing is read.
    pub(super) fn then(
        &self,
        first: &OperandMap,
        second: &OperandMap,
    ) -> Result<Option<OperandMap>, Lost> {
        self.tidied(&compose(first, second).map_err(|_| Lost)?)
    }

    /// Returns the same reads in tidy form; `None` if nothing is read.
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
        // Equal maps should have equal texts.
        match next {
            Some(map)
                if map.runtime.iter().filter(|one| !one.index.is_empty()).count() > VALUES =>
            {
                Err(Lost)
            }
            Some(map) => Ok(self.tidy.apply(&from_zero(&map)?)?),
            None => Ok(None),
        }
    }
}

/// Shifts the range variables of `map` to begin at 0.
fn from_zero(map: &OperandMap) -> Result<OperandMap, ExprError> {
    let old = map.map.domain();
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
    map.substituted(Domain::new(variables), &images, map.runtime.clone())
}

/// Adds the time to `map` as one more dimension and one more result.
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
    let runtime = map.runtime.clone();
    let mut timed = map.substituted(Domain::new(variables), &images, runtime)?;
    let (domain, mut results) = timed.map.into_parts();
    let time = Expr::variable(VariableId(rank as u32));
    results.push(Expr::sum(-back, [(1, time)])?);
    timed.map = IndexingMap::new(domain, results);
    Ok(timed)
}

/// Eliminates one range variable without changing the reads; `None` if no variable can be eliminated.
fn without_a_range(map: &OperandMap) -> Result<Option<OperandMap>, ExprError> {
    for range in map.map.domain().ids(VariableKind::Range) {
        if let Some(value) = value_of(&map.map, range)? {
            return replaced(map, range, &value, Vec::new()).map(Some);
        }
        let is_read = |expr: &Expr| expr.variables().contains(&range);
        let mut indices = map.runtime.iter().flat_map(|runtime| &runtime.index);
        if map.map.results().iter().any(is_read) || indices.any(is_read) {
            continue;
        }
        if let Some(conditions) = eliminated(&map.map, range)? {
            return replaced(map, range, &Expr::constant(0), conditions).map(Some);
        }
    }
    Ok(None)
}

/// Splits `sum` into `coefficient * range + rest`; `None` if the rest depends on `range`.
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

/// Returns the only value of a range variable that an equation among the constraints permits.
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

/// Returns the conditions for the existence of a value of a range variable that occurs in no result, if its constraints are
/// suitable sums.
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

/// Substitutes `value` for a range variable in `map`; `conditions`, if any, replace all constraints on the variable.
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
