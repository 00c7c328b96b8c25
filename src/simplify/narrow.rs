//! Bounds of variables that follow from constraints on sums with them.
//!
//! Law: `c*x` is the sum minus its other terms, so it lies in the sum of their intervals (`range-sum`, `range-scale`,
//! `range-scale-negative`), of which the factor divides the ends (`constraint-scale`).

use crate::expr::{
    Constraint, Divisor, Domain, Expr, ExprKind, VariableId, VariableKind, interval_of,
};
use crate::num::{self, Interval, MINUS_INFINITY, PLUS_INFINITY};

/// Maximum number of times that all constraints are read: bounds may follow from one another without end.
const MAX_ROUNDS: usize = 3;

/// The domain with ends of variables that have none, and with those that a half-infinite bound of a quotient states.
pub fn with_ends(mut domain: Domain) -> Domain {
    let stated: Vec<(Expr, Interval)> = domain.constraints().iter().filter_map(numerator).collect();
    for (numerator, bounds) in stated {
        domain.constrain(&numerator, bounds);
    }
    let given: Vec<Interval> = domain.intervals().collect();
    if given.iter().all(|bounds| bounds.is_bounded()) {
        return domain;
    }
    for (id, (given, narrow)) in (0u32..).zip(given.iter().zip(narrowed(&domain))) {
        let lo = if given.lo() == MINUS_INFINITY { narrow.lo() } else { given.lo() };
        let hi = if given.hi() == PLUS_INFINITY { narrow.hi() } else { given.hi() };
        domain.constrain(&Expr::variable(VariableId(id)), Interval::new(lo, hi));
    }
    domain
}

/// The variable of which a constraint bounds a quotient on one side, and its interval (`constraint-floordiv`).
fn numerator(constraint: &Constraint) -> Option<(Expr, Interval)> {
    let ExprKind::FloorDiv(x, Divisor::Integer(divisor)) = constraint.expr.kind() else {
        return None;
    };
    let (lo, hi) = (constraint.bounds.lo(), constraint.bounds.hi());
    let bounds = match (lo, hi) {
        (lo, PLUS_INFINITY) if lo != MINUS_INFINITY => {
            Interval::at_least(lo.checked_mul(*divisor)?)
        }
        (MINUS_INFINITY, hi) if hi != PLUS_INFINITY => {
            Interval::new(MINUS_INFINITY, hi.checked_mul(*divisor)?.checked_add(*divisor - 1)?)
        }
        _ => return None,
    };
    x.as_variable().map(|_| (x.clone(), bounds))
}

/// The intervals of the variables, narrowed by the constraints; those of the domain if they leave nothing.
pub fn narrowed(domain: &Domain) -> Vec<Interval> {
    let mut bounds: Vec<Interval> = domain.intervals().collect();
    if domain.count(VariableKind::Parameter) > 0 {
        return bounds; // there, bounds are in terms of parameters
    }
    for _ in 0..MAX_ROUNDS {
        let before = bounds.clone();
        for constraint in domain.constraints() {
            narrow(&constraint.expr, constraint.bounds, &mut bounds);
        }
        if bounds.iter().any(|x| x.is_empty()) {
            return domain.intervals().collect();
        }
        if bounds == before {
            break;
        }
    }
    bounds
}

fn narrow(expr: &Expr, of_sum: Interval, bounds: &mut [Interval]) {
    let ExprKind::Sum(sum) = expr.kind() else {
        return;
    };
    let mut ranges: Vec<Interval> = Vec::with_capacity(sum.terms().len());
    for (factor, term) in sum.terms() {
        let range = interval_of(term, &|id: VariableId| bounds[id.index()]);
        ranges.push(range.scale(*factor));
    }
    for (place, (factor, term)) in sum.terms().iter().enumerate() {
        let Some(id) = term.as_variable() else {
            continue;
        };
        let others = ranges.iter().enumerate().filter(|(other, _)| *other != place);
        let rest = others.fold(Interval::point(sum.constant()), |all, (_, range)| all.add(*range));
        let multiple = of_sum.add(rest.scale(-1));
        if let Some(own) = divided(multiple, *factor) {
            bounds[id.index()] = bounds[id.index()].intersect(own);
            ranges[place] = bounds[id.index()].scale(*factor);
        }
    }
}

/// The integers of which the multiple by a factor other than 0 is in an interval; `None` if a number does not fit.
fn divided(multiple: Interval, factor: i64) -> Option<Interval> {
    let (multiple, factor) = match factor > 0 {
        true => (multiple, factor),
        false => (multiple.scale(-1), factor.checked_neg()?),
    };
    let (lo, hi) = (multiple.lo(), multiple.hi());
    let lo = if lo == MINUS_INFINITY { lo } else { num::ceildiv(lo, factor) };
    let hi = if hi == PLUS_INFINITY { hi } else { num::floordiv(hi, factor) };
    Some(Interval::new(lo, hi))
}
