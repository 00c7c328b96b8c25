//! Bounds of variables that follow from constraints on sums.

use crate::expr::{Constraint, Divisor, Domain, Expr, ExprKind, VariableId, VariableKind, narrow};
use crate::num::{Interval, MINUS_INFINITY, PLUS_INFINITY};

/// Maximum number of rounds over all constraints: bounds may imply each other without end.
const MAX_ROUNDS: usize = 3;

/// Adds the missing bounds of variables, and the bounds that follow from a one-sided bound of a quotient.
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

/// Returns the variable whose quotient a constraint bounds on one side, and its interval (`constraint-floordiv`).
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

/// Returns the intervals of the variables, narrowed by the constraints; those of the domain if the result would be empty.
pub fn narrowed(domain: &Domain) -> Vec<Interval> {
    let mut bounds: Vec<Interval> = domain.intervals().collect();
    if domain.count(VariableKind::Parameter) > 0 {
        return bounds; // here the bounds depend on parameters
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
