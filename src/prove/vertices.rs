//! Ends of a result in terms of parameters, with the point that has them for all sizes.
//!
//! Law: the value of a result at a point in terms of parameters is its end, if the point is in the domain for all sizes with
//! which the domain has one, and at no point the result is beyond it. Both are ends of expressions over all integer points
//! ([`extremes`]); which points are tried does not matter.
//!
//! Tried are points at which one variable after the other is at its end, given those before it, or there at the end of a
//! block of a divisor.

use super::Budget;
use super::extremes::{Extreme, extremes};
use super::named::ends_of;
use crate::expr::{Divisor, Domain, End, Expr, ExprKind, IndexingMap, VariableId};
use crate::num::{Interval, MINUS_INFINITY, PLUS_INFINITY};
use std::collections::BTreeSet;

/// Most points that are tried for an end.
const TRIED: usize = 64;

/// Fuel for all points of an end.
const STEPS: u64 = 1 << 24;

/// Most variables that are placed in all orders.
const PERMUTED: usize = 3;

/// The end of result `number` in terms of parameters, if a point is found that has it for all of them.
#[must_use]
pub fn end_by_size(map: &IndexingMap, number: usize, end: End, budget: &Budget) -> Option<Expr> {
    let domain = map.domain();
    let result = map.results().get(number)?;
    let budget = &budget.with_fuel(STEPS);
    let mut seen: BTreeSet<String> = BTreeSet::new();
    let mut tried = 0;
    for places in points(map, result) {
        let Ok(bound) = result.substitute(&places) else {
            continue;
        };
        if tried == TRIED || budget.is_interrupted() {
            return None;
        }
        if !seen.insert(format!("{bound:?} {places:?}")) {
            continue;
        }
        tried += 1;
        let room = match end {
            End::Lower => result.sub(&bound),
            End::Upper => bound.sub(result),
        };
        if room.is_ok_and(|room| all_within(domain, room, Interval::new(0, PLUS_INFINITY), budget))
            && is_inside(domain, &places, budget)
        {
            return Some(bound);
        }
    }
    None
}

/// Whether all values of an expression with linear forms are known to lie in an interval.
fn all_within(domain: &Domain, expr: Expr, bounds: Interval, budget: &Budget) -> bool {
    let found = extremes(&IndexingMap::new(domain.clone(), vec![expr]), budget);
    let ends = [(bounds.lo(), MINUS_INFINITY), (bounds.hi(), PLUS_INFINITY)];
    found.into_iter().flatten().zip(ends).all(|(extreme, (end, infinity))| match extreme {
        _ if end == infinity => true,
        Some(Extreme::Empty) => true,
        Some(Extreme::At(value, _)) => bounds.contains(value),
        Some(Extreme::Endless) | None => false,
    })
}

/// Whether the point is in the domain, wherever the domain has a point.
fn is_inside(domain: &Domain, places: &[Expr], budget: &Budget) -> bool {
    let variables = places.iter().cloned().map(Ok).zip(domain.intervals());
    let constraints = domain.constraints().iter();
    let constraints = constraints.map(|c| (c.expr.substitute(places), c.bounds));
    let mut all = variables.chain(constraints);
    all.all(|(value, bounds)| value.is_ok_and(|value| all_within(domain, value, bounds, budget)))
}

/// Points in terms of parameters.
fn points<'a>(map: &'a IndexingMap, result: &'a Expr) -> impl Iterator<Item = Vec<Expr>> + 'a {
    let domain = map.domain();
    let ids = (0..domain.variables().len() as u32).map(VariableId);
    let local: Vec<VariableId> = ids.filter(|id| !domain.is_parameter(*id)).collect();
    let exprs = domain.constraints().iter().map(|c| &c.expr).chain([result]);
    let divisors: Vec<i64> = divisors(exprs).into_iter().collect();
    let kinds = 2 * (1 + 2 * divisors.len());
    let orders = orders(&local);
    // The plain ends of all variables first.
    let choices = kinds.saturating_pow(local.len().min(PERMUTED) as u32).min(4 * TRIED);
    let mut all: Vec<(usize, usize)> = Vec::new();
    for choice in 0..choices {
        all.extend((0..orders.len()).map(|order| (choice, order)));
    }
    let unusual = move |choice: usize| {
        let mut rest = choice;
        let digits = std::iter::from_fn(move || {
            let digit = rest % kinds;
            rest /= kinds;
            Some(digit)
        });
        digits.take(PERMUTED).filter(|digit| *digit > 1).count()
    };
    all.sort_by_key(|(choice, order)| (unusual(*choice), *choice, *order));
    all.into_iter().filter_map(move |(choice, order)| {
        let mut places: Vec<Option<Expr>> = (0..domain.variables().len() as u32)
            .map(VariableId)
            .map(|id| domain.is_parameter(id).then(|| Expr::variable(id)))
            .collect();
        let mut rest = choice;
        for id in &orders[order] {
            let (kind, others) = (rest % kinds, rest / kinds);
            rest = others;
            let place = place(domain, *id, &places, kind, &divisors)?;
            places[id.index()] = Some(place);
        }
        places.into_iter().collect()
    })
}

/// The place of a variable, given those that have one: kinds 0 and 1 are its ends.
fn place(
    domain: &Domain,
    id: VariableId,
    places: &[Option<Expr>],
    kind: usize,
    divisors: &[i64],
) -> Option<Expr> {
    let known: Vec<Expr> = (0u32..)
        .zip(places)
        .map(|(id, place)| place.clone().unwrap_or_else(|| Expr::variable(VariableId(id))))
        .collect();
    let [lower, upper] = ends_of(domain, id, &|other| places[other.index()].is_some());
    let there = |ends: Vec<Expr>| -> Option<Vec<Expr>> {
        ends.iter().map(|end| end.substitute(&known).ok()).collect()
    };
    let lower = there(lower).filter(|ends| !ends.is_empty()).and_then(|ends| Expr::max(ends).ok());
    let upper = there(upper).filter(|ends| !ends.is_empty()).and_then(|ends| Expr::min(ends).ok());
    let (at_upper, variant) = (kind % 2 == 1, kind / 2);
    let own = if at_upper { upper.clone()? } else { lower.clone()? };
    let Some(variant) = variant.checked_sub(1) else {
        return Some(own);
    };
    let divisor = *divisors.get(variant / 2)?;
    match (at_upper, variant % 2) {
        // The last multiple, or the end of the block before it, or of the block of the lower end.
        (true, 0) => own.floordiv(divisor).ok()?.scale(divisor).ok(),
        (true, _) => own
            .add(&Expr::constant(1))
            .ok()?
            .floordiv(divisor)
            .ok()?
            .scale(divisor)
            .ok()?
            .sub(&Expr::constant(1))
            .ok(),
        (false, 0) => own.ceildiv(divisor).ok()?.scale(divisor).ok(),
        (false, _) => {
            let last = own.floordiv(divisor).ok()?.scale(divisor).ok()?;
            let last = last.add(&Expr::constant(divisor.checked_sub(1)?)).ok()?;
            Expr::min(std::iter::once(last).chain(upper).collect::<Vec<_>>()).ok()
        }
    }
}

/// Orders of the variables: all of few.
fn orders(variables: &[VariableId]) -> Vec<Vec<VariableId>> {
    if variables.len() > PERMUTED {
        return vec![variables.to_vec(), variables.iter().rev().copied().collect()];
    }
    let mut orders = vec![Vec::new()];
    for id in variables {
        let longer = orders.iter().flat_map(|order: &Vec<VariableId>| {
            (0..=order.len()).rev().map(|place| {
                let mut longer = order.clone();
                longer.insert(place, *id);
                longer
            })
        });
        orders = longer.collect();
    }
    orders
}

/// The numbers that are divided by.
fn divisors<'e>(exprs: impl Iterator<Item = &'e Expr>) -> BTreeSet<i64> {
    let mut found = BTreeSet::new();
    let mut seen = BTreeSet::new();
    let mut todo: Vec<&Expr> = exprs.collect();
    while let Some(expr) = todo.pop() {
        if !seen.insert(expr.address()) {
            continue;
        }
        if let ExprKind::FloorDiv(_, Divisor::Integer(c))
        | ExprKind::CeilDiv(_, Divisor::Integer(c))
        | ExprKind::Mod(_, Divisor::Integer(c)) = expr.kind()
        {
            found.insert(*c);
        }
        todo.extend(expr.operands());
    }
    found
}
