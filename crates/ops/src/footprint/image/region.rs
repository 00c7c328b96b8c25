//! The box that a map reads, with a stride in each dimension.
//!
//! Law: everything that is read is in the product of the progressions. Unless the basis is [`Basis::Cover`], everything
//! in the product is read.

use super::Basis;
use super::parts::{Part, parts};
use super::points::{Points, Stop, few_points};
use super::progression::{Progression, SumValues, linear, sum_values};
use affinor::expr::{
    Domain, Expr, ExprError, ExprKind, INVERSE_STEPS, IndexingMap, Variable, VariableId,
    VariableKind,
};
use affinor::num::{Interval, gcd_wide};
use affinor::prove::{Budget, Extreme, Reader, Reason, Verdict, covered, extremes, is_empty};
use affinor::text::json::Wide;
use serde::{Serialize, Serializer};
use std::collections::BTreeSet;

/// A product of progressions that contains all reads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Region {
    /// One progression per result.
    pub progressions: Vec<Progression>,
    /// Whether everything in the product is read, and how that was established.
    pub basis: Basis,
}

impl Serialize for Region {
    /// `box` (`[lo, hi]` of each dimension), `steps`, `size` and `exact`.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Written {
            r#box: Vec<Interval>,
            steps: Vec<i64>,
            size: Option<Wide>,
            exact: bool,
        }
        let sides = self.progressions.iter();
        let written = Written {
            r#box: sides.map(|side| side.span()).collect(),
            steps: self.progressions.iter().map(|side| side.step).collect(),
            size: self.size().map(Wide),
            exact: self.is_exact(),
        };
        written.serialize(serializer)
    }
}

impl Region {
    /// Returns whether the product is exactly the set of elements read.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.basis != Basis::Cover
    }

    /// Returns the number of elements; `None` beyond 128 bits.
    #[must_use]
    pub fn size(&self) -> Option<u128> {
        let counts = self.progressions.iter().map(|p| u128::from(p.count));
        let counts: Vec<u128> = counts.collect();
        if counts.contains(&0) {
            return Some(0);
        }
        counts.iter().try_fold(1_u128, |size, count| size.checked_mul(*count))
    }

    /// Returns the region with the least and greatest value that each result has; `None` if these are not known.
    #[must_use]
    pub fn tightened(&self, map: &IndexingMap, budget: &Budget) -> Option<Region> {
        let ends = extremes(map, budget);
        let tight = ends.into_iter().zip(&self.progressions).map(|(ends, cover)| match ends {
            [Some(Extreme::At(lo, _)), Some(Extreme::At(hi, _))] => {
                Progression::within(Interval::new(lo, hi), cover.step)
            }
            _ => None,
        });
        Some(Region { progressions: tight.collect::<Option<_>>()?, basis: self.basis })
    }

    fn nothing(results: usize, basis: Basis) -> Region {
        Region { progressions: vec![Progression::NONE; results], basis }
    }
}

/// Computes the region that `map` reads. Without results, a nonempty map reads the one element of a scalar.
///
/// # Errors
/// [`Stop::TooMany`] if a result has no bounds; [`Stop::Eval`] if a value does not fit; [`Stop::Interrupted`].
pub fn region(map: &IndexingMap, budget: &Budget) -> Result<Region, Stop> {
    let results = map.results().len();
    if map.domain().is_known_empty() {
        return Ok(Region::nothing(results, Basis::Proved));
    }
    let mut progressions = vec![Progression::NONE; results];
    let mut basis = Basis::Proved;
    for part in parts(map).map_err(|_| Stop::TooMany)? {
        let found = match part.results.is_empty() {
            true => somewhere(part.map.domain(), budget)?,
            false => Some(of_part(&part.map, budget)?),
        };
        let Some(found) = found else {
            return Ok(Region::nothing(results, Basis::Proved));
        };
        if !part.results.is_empty() && found.progressions.iter().any(|p| p.count == 0) {
            return Ok(Region::nothing(results, found.basis));
        }
        basis = basis.max(found.basis);
        place(&mut progressions, &part, &found);
    }
    Ok(Region { progressions, basis })
}

fn place(progressions: &mut [Progression], part: &Part, found: &Region) {
    for (number, progression) in part.results.iter().zip(&found.progressions) {
        progressions[*number] = *progression;
    }
}

/// Returns the region of a map without results; `None` if the domain is empty.
fn somewhere(domain: &Domain, budget: &Budget) -> Result<Option<Region>, Stop> {
    let basis = match domain.constraints().is_empty() {
        true => Basis::Proved,
        false => match is_empty(domain, budget) {
            Verdict::Proved => return Ok(None),
            Verdict::Refuted(_) => Basis::Proved,
            Verdict::Unknown(Reason::Interrupted) => return Err(Stop::Interrupted),
            Verdict::Unknown(_) => Basis::Cover,
        },
    };
    Ok(Some(Region { progressions: Vec::new(), basis }))
}

fn of_part(map: &IndexingMap, budget: &Budget) -> Result<Region, Stop> {
    if let ([result], []) = (map.results(), map.domain().constraints())
        && let Some(SumValues::Even(values)) = sum_values(result, map.domain())
    {
        return Ok(Region { progressions: vec![values], basis: Basis::Proved });
    }
    match few_points(map.domain(), budget) {
        Some(most) => counted(map, most, budget),
        None => by_proof(map, budget),
    }
}

/// Computes the region by enumeration: the least and greatest values, and the common divisor of all distances.
fn counted(map: &IndexingMap, most: u64, budget: &Budget) -> Result<Region, Stop> {
    let mut read: BTreeSet<Vec<i64>> = BTreeSet::new();
    for point in Points::new(map.domain(), most, budget)? {
        read.insert(map.eval(&point?)?);
    }
    let Some(first) = read.first() else {
        return Ok(Region::nothing(map.results().len(), Basis::Counted));
    };
    let progression = |place: usize| {
        let values = || read.iter().map(|element| element[place]);
        let (lo, hi) = (values().min()?, values().max()?);
        let step = values()
            .fold(0_u128, |step, value| gcd_wide(step, value.abs_diff(first[place]).into()));
        let step = i64::try_from(step.max(1)).ok()?;
        Progression::within(Interval::new(lo, hi), step)
    };
    let progressions: Option<Vec<Progression>> = (0..first.len()).map(progression).collect();
    let mut region =
        Region { progressions: progressions.ok_or(Stop::TooMany)?, basis: Basis::Cover };
    if region.size() == Some(read.len() as u128) {
        region.basis = Basis::Counted;
    }
    Ok(region)
}

/// Computes the region from intervals and coefficients; the prover decides whether everything is read.
pub(super) fn by_proof(map: &IndexingMap, budget: &Budget) -> Result<Region, Stop> {
    let domain = map.domain();
    let progression = |result: &Expr| {
        let interval = interval_in(domain, result);
        let step = step_of(result);
        // All values are congruent to the constant modulo the step.
        let constant = linear(result).map_or_else(|| constant_of(result), |(constant, _)| constant);
        let rest = (i128::from(constant) - i128::from(interval.lo())).rem_euclid(i128::from(step));
        let lo = i64::try_from(i128::from(interval.lo()) + rest).ok()?;
        match interval.is_bounded() {
            true => Progression::within(Interval::new(lo, interval.hi()), step),
            false => None,
        }
    };
    let progressions: Option<Vec<Progression>> = map.results().iter().map(progression).collect();
    let progressions = progressions.ok_or(Stop::TooMany)?;
    let basis = match is_all_read(map, &progressions, budget) {
        Ok(Ok(())) => Basis::Proved,
        Ok(Err(Reason::Interrupted)) => return Err(Stop::Interrupted),
        Ok(Err(_)) | Err(_) => Basis::Cover,
    };
    Ok(Region { progressions, basis })
}

/// Returns an interval that contains the values of `expr`, using constraints on `expr` up to a constant as well.
fn interval_in(domain: &Domain, expr: &Expr) -> Interval {
    let constraints = domain.constraints().iter();
    constraints.fold(domain.range_of(expr), |interval, constraint| {
        let difference = expr.sub(&constraint.expr).ok();
        match difference.and_then(|difference| difference.as_constant()) {
            Some(more) => interval.intersect(constraint.bounds.add(Interval::point(more))),
            None => interval,
        }
    })
}

/// Returns a common divisor of all differences of values: that of the coefficients.
fn step_of(expr: &Expr) -> i64 {
    let step = match expr.kind() {
        ExprKind::Sum(sum) => {
            let coefficients =
                sum.terms().iter().map(|(coefficient, _)| u128::from(coefficient.unsigned_abs()));
            coefficients.fold(0, gcd_wide)
        }
        _ => 1,
    };
    i64::try_from(step.max(1)).unwrap_or(1)
}

fn constant_of(expr: &Expr) -> i64 {
    match expr.kind() {
        ExprKind::Sum(sum) => sum.constant(),
        _ => 0,
    }
}

/// Returns whether every element of the product of `progressions` is read.
fn is_all_read(
    map: &IndexingMap,
    progressions: &[Progression],
    budget: &Budget,
) -> Result<Result<(), Reason>, ExprError> {
    let counters = progressions.iter().enumerate().map(|(number, progression)| {
        let last = i64::try_from(progression.count).unwrap_or(i64::MAX);
        let bounds = Interval::of_size(last);
        Variable::new(format!("k{number}"), VariableKind::Dimension, bounds)
    });
    let from = Domain::new(counters.collect());
    let element = |(number, progression): (u32, &Progression)| {
        let counter = Expr::variable(VariableId(number));
        Expr::sum(progression.first, [(progression.step, counter)])
    };
    let wanted = (0..).zip(progressions).map(element);
    let wanted: Vec<Expr> = wanted.collect::<Result<_, _>>()?;
    let box_of = |progression: &Progression| Interval::new(progression.first, progression.last());
    let target: Vec<Interval> = progressions.iter().map(box_of).collect();
    all_read(map, &from, &wanted, &target, budget)
}

/// Proves that at each point of `from`, whose variables are dimensions, some point of `map` has the results `wanted`; these are
/// expressions over the variables of `from` with values in `target`.
///
/// # Errors
/// [`ExprError`] if an expression is not representable; inside `Ok`, the [`Reason`] why it was not proved, which
/// does not mean that it is false.
pub fn all_read(
    map: &IndexingMap,
    from: &Domain,
    wanted: &[Expr],
    target: &[Interval],
    budget: &Budget,
) -> Result<Result<(), Reason>, ExprError> {
    let solved = solved(map, target, from.variables(), wanted, budget)?;
    let reader = Reader { map: behind(map, from.variables().to_vec())?, wanted: wanted.to_vec() };
    Ok(covered(from, &[reader, solved], budget))
}

/// Returns a reader of the element `wanted` at each point of `counters`: the equations of `map` are solved, and the remaining
/// goal is that the solution is a point of its domain.
fn solved(
    map: &IndexingMap,
    target: &[Interval],
    counters: &[Variable],
    wanted: &[Expr],
    budget: &Budget,
) -> Result<Reader, ExprError> {
    let fuel = budget.own_fuel(INVERSE_STEPS);
    let inverse = behind(map, Vec::new())?.inverse(target, &fuel)?;
    let (domain, counted) = (inverse.domain(), counters.len());
    let ranges = domain.variables().iter().skip(target.len()).cloned();
    let ranges: Vec<Variable> = ranges.collect();
    let own = (counted..counted + ranges.len()).map(|id| Expr::variable(VariableId(id as u32)));
    let places: Vec<Expr> = wanted.iter().cloned().chain(own).collect();
    let mut solved = Domain::new(counters.iter().cloned().chain(ranges).collect());
    for constraint in domain.constraints() {
        solved.constrain(&constraint.expr.substitute(&places)?, constraint.bounds);
    }
    if domain.is_known_empty() {
        solved.make_empty();
    }
    Ok(Reader { map: IndexingMap::new(solved, Vec::new()), wanted: Vec::new() })
}

/// Adds unused `dimensions` to `map`; all its own variables become range variables.
pub(super) fn behind(
    map: &IndexingMap,
    dimensions: Vec<Variable>,
) -> Result<IndexingMap, ExprError> {
    let first = dimensions.len() as u32;
    let own = map.domain().variables().iter();
    let own = own.map(|v| Variable::new(v.name.clone(), VariableKind::Range, v.bounds));
    let places: Vec<Expr> = (0..map.domain().variables().len() as u32)
        .map(|number| Expr::variable(VariableId(first + number)))
        .collect();
    let mut domain = Domain::new(dimensions.into_iter().chain(own).collect());
    for constraint in map.domain().constraints() {
        domain.constrain(&constraint.expr.substitute(&places)?, constraint.bounds);
    }
    if map.domain().is_known_empty() {
        domain.make_empty();
    }
    let results = map.results().iter().map(|result| result.substitute(&places));
    Ok(IndexingMap::new(domain, results.collect::<Result<_, _>>()?))
}
