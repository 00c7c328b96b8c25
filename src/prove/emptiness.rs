//! Emptiness of domains.

use super::extremes::any_point;
use super::named::{self, Draws};
use super::obligations::Obligations;
use super::{Budget, Reason, Verdict, sample};
use crate::expr::Domain;
use crate::num::Interval;

/// Decides whether `domain` is empty. A counterexample is a point in it.
#[must_use]
pub fn is_empty(domain: &Domain, budget: &Budget) -> Verdict<Vec<i64>> {
    match point_of(domain, budget) {
        Ok(None) => Verdict::Proved,
        Ok(Some(point)) => Verdict::Refuted(point),
        Err(reason) => Verdict::Unknown(reason),
    }
}

/// Finds a point of `domain`; `None` if the domain is proved empty.
fn point_of(domain: &Domain, budget: &Budget) -> Result<Option<Vec<i64>>, Reason> {
    if domain.is_known_empty() {
        return Ok(None);
    }
    let mut accept = |point: &[i64]| (domain.contains(point) == Ok(true)).then(|| point.to_vec());
    let mut emptiness = Obligations::within(domain, budget, |work| {
        work.require_nothing();
        Some(())
    });
    if let Some(emptiness) = &mut emptiness {
        if budget.forms {
            emptiness.by_intervals();
        }
        if let Some(found) = emptiness.by_points(budget, &mut accept)? {
            return Ok(Some(found));
        }
        if emptiness.is_met() {
            return Ok(None);
        }
    }
    let bounds: Vec<Interval> = domain.variables().iter().map(|x| x.bounds).collect();
    for point in sample::points(&bounds, budget.samples) {
        if let Some(found) = accept(&point) {
            return Ok(Some(found));
        }
    }
    if budget.forms
        && let Some(point) = any_point(domain, budget)
    {
        return Ok(point);
    }
    match emptiness {
        Some(mut emptiness) => emptiness.by_solver(budget, &mut accept),
        None if !domain.constraints().iter().any(|c| c.expr.is_symbolic()) => Err(Reason::Overflow),
        None if budget.solver_steps == 0 => Err(Reason::SolverOff),
        None => {
            let mut draws = Draws::new(domain);
            let mut drawn = (0..budget.samples).map(|_| draws.draw());
            match drawn.find_map(|point| point) {
                None => named::is_empty(domain, budget).map(|()| None),
                found => Ok(found),
            }
        }
    }
}
