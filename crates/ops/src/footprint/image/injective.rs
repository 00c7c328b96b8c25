//! Injectivity: does a map read each element at most once?
//!
//! Law: a map is injective if no two distinct points of its domain, with the same values of the runtime variables, have the
//! same results. Runtime variables and parameters have one value each in a run, so their values do not distinguish points.

use super::Basis;
use super::multiples::in_quotients;
use super::points::{Points, Stop, few_points};
use affinor::expr::{Domain, Expr, ExprError, IndexingMap, Variable, VariableId, VariableKind};
use affinor::num::{Interval, PLUS_INFINITY};
use affinor::prove::{Budget, Draws, Reason, Verdict, covered, is_empty};
use rustc_hash::FxHashMap;

/// Two points that read the same element.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Collision {
    /// The first point.
    pub first: Vec<i64>,
    /// The second point.
    pub second: Vec<i64>,
    /// The element.
    pub element: Vec<i64>,
}

/// Decides whether `map` is injective. The basis is that of a proof; a collision was evaluated.
///
/// # Errors
/// [`Stop::Eval`] if a value does not fit, [`Stop::Interrupted`].
pub fn injective(map: &IndexingMap, budget: &Budget) -> Result<(Verdict<Collision>, Basis), Stop> {
    if map.domain().is_known_empty() {
        return Ok((Verdict::Proved, Basis::Proved));
    }
    if let Some(found) = drawn_collision(map, budget)? {
        return Ok((Verdict::Refuted(found), Basis::Proved));
    }
    if let Some(most) = few_points(map.domain(), budget) {
        let verdict = match collision(map, most, budget)? {
            None => Verdict::Proved,
            Some(found) => Verdict::Refuted(found),
        };
        return Ok((verdict, Basis::Counted));
    }
    Ok((by_proof(map, budget)?, Basis::Proved))
}

/// Returns whether `map` is proved injective, without enumeration.
pub(super) fn proved_injective(map: &IndexingMap, budget: &Budget) -> Result<bool, Stop> {
    Ok(by_proof(map, budget)? == Verdict::Proved)
}

/// Finds the first point that reads the same element as an earlier one.
fn collision(map: &IndexingMap, most: u64, budget: &Budget) -> Result<Option<Collision>, Stop> {
    let mut readers = Readers::new(map);
    for point in Points::new(map.domain(), most, budget)? {
        if let Some(found) = readers.add(point?)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// Searches a sample of points with small parameters for a collision; a map without parameters has no sample.
fn drawn_collision(map: &IndexingMap, budget: &Budget) -> Result<Option<Collision>, Stop> {
    let mut readers = Readers::new(map);
    let mut draws = Draws::new(map.domain());
    let count = match map.domain().count(VariableKind::Parameter) {
        0 => 0,
        _ => budget.samples,
    };
    for point in (0..count).filter_map(|_| draws.draw()) {
        match readers.add(point) {
            Ok(None) | Err(Stop::Eval(_)) => {}
            found => return found,
        }
    }
    Ok(None)
}

/// The points that read each element, keyed also by the values of the variables that do not distinguish points.
struct Readers<'m> {
    map: &'m IndexingMap,
    readers: FxHashMap<Vec<i64>, Vec<i64>>,
}

impl<'m> Readers<'m> {
    fn new(map: &'m IndexingMap) -> Readers<'m> {
        Readers { map, readers: FxHashMap::default() }
    }

    /// Adds a point; if an earlier point reads the same element, returns both.
    fn add(&mut self, point: Vec<i64>) -> Result<Option<Collision>, Stop> {
        let element = self.map.eval(&point)?;
        let variables = self.map.domain().variables().iter().zip(&point);
        let shared = variables.filter(|(variable, _)| !is_own(variable));
        let shared = shared.map(|(_, value)| *value);
        let key = element.iter().copied().chain(shared).collect();
        let first = self.readers.insert(key, point.clone());
        let first = first.filter(|first| *first != point);
        Ok(first.map(|first| Collision { first, second: point, element }))
    }
}

/// Returns whether the values of a variable distinguish points.
fn is_own(variable: &Variable) -> bool {
    !matches!(variable.kind, VariableKind::Runtime | VariableKind::Parameter)
}

/// Proves that a map is injective; parameters whose residues are stated are first replaced by their quotients.
pub(super) fn by_proof(map: &IndexingMap, budget: &Budget) -> Result<Verdict<Collision>, Stop> {
    let Some(changed) = in_quotients(map) else {
        return by_variable(map, budget);
    };
    let found = match by_variable(&changed.map, budget)? {
        Verdict::Refuted(found) => found,
        other => return Ok(other),
    };
    let (first, second) = (changed.point(&found.first), changed.point(&found.second));
    let (Some(first), Some(second)) = (first, second) else {
        return Ok(Verdict::Unknown(Reason::Overflow));
    };
    let element = map.eval(&first)?;
    Ok(match map.eval(&second)? == element {
        true => Verdict::Refuted(Collision { first, second, element }),
        false => Verdict::Unknown(Reason::Symbolic),
    })
}

/// Proves, for each variable, that no two points with the same results differ in it.
fn by_variable(map: &IndexingMap, budget: &Budget) -> Result<Verdict<Collision>, Stop> {
    let variables = map.domain().variables();
    let mut open = None;
    for (number, variable) in (0..).zip(variables) {
        if !is_own(variable) || variable.bounds.as_point().is_some() {
            continue;
        }
        let Ok(pairs) = pairs(map, number) else {
            open = Some(Reason::Overflow);
            continue;
        };
        if covered(&pairs, &[], budget).is_ok() {
            continue;
        }
        match is_empty(&pairs, budget) {
            Verdict::Proved => {}
            Verdict::Unknown(Reason::Interrupted) => return Err(Stop::Interrupted),
            Verdict::Unknown(reason) => {
                let eased =
                    eased(&pairs).filter(|eased| is_empty(eased, budget) == Verdict::Proved);
                open = eased.map_or(Some(reason), |_| open);
            }
            Verdict::Refuted(both) => return Ok(Verdict::Refuted(taken_apart(map, &both)?)),
        }
    }
    Ok(open.map_or(Verdict::Proved, Verdict::Unknown))
}

/// Relaxes the lower bounds of parameters to 1; `None` if no parameter has a greater lower bound. With such bounds, a solver
/// decides some questions about products of sizes by sign alone.
fn eased(domain: &Domain) -> Option<Domain> {
    let is_above =
        |variable: &Variable| variable.kind == VariableKind::Parameter && variable.bounds.lo() > 1;
    let mut variables = domain.variables().to_vec();
    variables.iter().any(is_above).then_some(())?;
    for variable in variables.iter_mut().filter(|variable| is_above(variable)) {
        variable.bounds = Interval::new(1, variable.bounds.hi());
    }
    let mut eased = Domain::new(variables);
    for constraint in domain.constraints() {
        eased.constrain(&constraint.expr, constraint.bounds);
    }
    Some(eased)
}

/// Pairs of points of `map`, the second one with smaller values of variable `number`, with the same results, runtime
/// variables and parameters: first all variables of the first point, then the second point's own, then the parameters.
fn pairs(map: &IndexingMap, number: u32) -> Result<Domain, ExprError> {
    let domain = map.domain();
    let (first, second) = numbers(domain);
    let (parameters, others): (Vec<&Variable>, Vec<&Variable>) =
        domain.variables().iter().partition(|variable| variable.kind == VariableKind::Parameter);
    let own = others.iter().copied().filter(|variable| is_own(variable));
    let as_dimension =
        |v: &Variable| Variable::new(v.name.clone(), VariableKind::Dimension, v.bounds);
    let listed = others.iter().copied().chain(own).map(as_dimension);
    let mut pairs = Domain::new(listed.chain(parameters.into_iter().cloned()).collect());
    for constraint in domain.constraints() {
        pairs.constrain(&constraint.expr.substitute(&first)?, constraint.bounds);
        pairs.constrain(&constraint.expr.substitute(&second)?, constraint.bounds);
    }
    for result in map.results() {
        let difference = result.substitute(&first)?.sub(&result.substitute(&second)?)?;
        pairs.constrain(&difference, Interval::point(0));
    }
    let apart = first[number as usize].sub(&second[number as usize])?;
    pairs.constrain(&apart, Interval::new(1, PLUS_INFINITY));
    Ok(pairs)
}

/// Returns the variables of the first and of the second point of a pair.
fn numbers(domain: &Domain) -> (Vec<Expr>, Vec<Expr>) {
    let own = domain.variables().iter().filter(|variable| is_own(variable));
    let own = own.count() as u32;
    let others = domain.variables().len() as u32 - domain.count(VariableKind::Parameter) as u32;
    let mut next = others;
    let (mut first, mut second) = (Vec::new(), Vec::new());
    for (place, variable) in (0..).zip(domain.variables()) {
        let id = match variable.kind {
            VariableKind::Parameter => place + own,
            _ => place,
        };
        first.push(Expr::variable(VariableId(id)));
        second.push(Expr::variable(VariableId(if is_own(variable) {
            next += 1;
            next - 1
        } else {
            id
        })));
    }
    (first, second)
}

fn taken_apart(map: &IndexingMap, both: &[i64]) -> Result<Collision, Stop> {
    let (larger, smaller) = numbers(map.domain());
    let value = |number: &Expr| {
        let id = number.as_variable();
        id.and_then(|id| both.get(id.index()).copied()).unwrap_or(0)
    };
    let second: Vec<i64> = larger.iter().map(value).collect();
    Ok(Collision {
        first: smaller.iter().map(value).collect(),
        element: map.eval(&second)?,
        second,
    })
}
