//! The order of expressions by size, and the recognition of minimal expressions.

use crate::expr::{Cost, Divisor, Domain, Expr, ExprKind, interval_by_operands};
use crate::num::Interval;
use crate::simplify::saturate::{Form, Measures};
use std::cmp::Ordering;
use std::collections::BTreeSet;

/// Maximum number of operations of an expression that is traversed as a tree: sharing can make trees very large.
const FEW_OPERATIONS: u64 = 1_000;

/// Returns whether an expression is minimal for its value: a sum of variables, or a form with floordiv or mod that mentions
/// each variable once and has no other constant or factor, and no division that the bounds of the variables make redundant.
pub fn is_simplest(expr: &Expr, domain: &Domain) -> bool {
    let cost = expr.cost();
    if expr.is_symbolic() {
        return cost.ops <= FEW_OPERATIONS && cost.ops < number_of_variables(expr);
    }
    if cost.divmods == 0 {
        return !has_min_max(expr);
    }
    let is_few = cost.ops <= FEW_OPERATIONS && cost.ops <= number_of_variables(expr);
    is_few && !has_min_max(expr) && !has_needless_division(expr, domain)
}

fn has_needless_division(expr: &Expr, domain: &Domain) -> bool {
    let is_needless = match expr.kind() {
        ExprKind::FloorDiv(x, Divisor::Integer(c)) | ExprKind::Mod(x, Divisor::Integer(c)) => {
            domain.range_of(x).block(*c).is_some()
        }
        _ => false,
    };
    is_needless || expr.operands().any(|x| has_needless_division(x, domain))
}

pub fn has_min_max(expr: &Expr) -> bool {
    matches!(expr.kind(), ExprKind::Min(_) | ExprKind::Max(_)) || expr.operands().any(has_min_max)
}

fn number_of_variables(expr: &Expr) -> u64 {
    let mut variables = BTreeSet::new();
    expr.collect_variables(&mut variables);
    variables.len() as u64
}

/// Returns the smaller of input and result in a total order, that of forms, so that passes terminate.
pub fn smaller_of(given: &Expr, found: &Form, domain: &Domain) -> Expr {
    // Shared parts make a tree much larger than its form.
    if u64::from(found.ops) > given.cost().ops.saturating_add(1) {
        return given.clone();
    }
    let smaller = found.to_expr().ok().filter(|found| order(found, given, domain).is_lt());
    smaller.unwrap_or_else(|| given.clone())
}

/// Returns the smaller of two expressions.
pub fn smaller(x: &Expr, y: &Expr, domain: &Domain) -> Expr {
    if order(y, x, domain).is_lt() { y.clone() } else { x.clone() }
}

fn order(x: &Expr, y: &Expr, domain: &Domain) -> Ordering {
    let rank = |expr: &Expr| {
        let Cost { ops, divmods } = expr.cost();
        let (reach, magnitude) = match ops {
            0..=FEW_OPERATIONS => (reach_of(expr, domain).1, magnitude(expr)),
            _ => (0, 0),
        };
        Measures { ops, divmods, reach, magnitude }.rank()
    };
    rank(x).cmp(&rank(y)).then_with(|| x.cmp(y))
}

/// Returns the interval of an expression, and the [`Interval::reach`] of all numbers in it: values of parts, their products by
/// coefficients, constants and divisors. Partial sums are excluded, as in forms: if the rest fits, they wrap to the same sums.
fn reach_of(expr: &Expr, domain: &Domain) -> (Interval, u64) {
    let number = |value: i64| Interval::point(value).reach();
    let mut most = 0;
    let mut of = |x: &Expr| {
        let (interval, reach) = reach_of(x, domain);
        most = most.max(reach);
        interval
    };
    let (interval, own) = match expr.kind() {
        ExprKind::Sum(sum) => {
            let constant = (Interval::point(sum.constant()), number(sum.constant()));
            sum.terms().iter().fold(constant, |(total, own), (c, x)| {
                let term = of(x).scale(*c);
                (total.add(term), own.max(term.reach()).max(number(*c)))
            })
        }
        kind => {
            let divisor = match kind {
                ExprKind::FloorDiv(_, c) | ExprKind::CeilDiv(_, c) | ExprKind::Mod(_, c) => {
                    c.as_integer().map_or(0, number)
                }
                _ => 0,
            };
            (interval_by_operands(expr, &|id| domain.bounds(id), of), divisor)
        }
    };
    (interval, most.max(own).max(interval.reach()))
}

/// Returns the sum of the absolute values of the integers in an expression.
pub fn magnitude(expr: &Expr) -> u64 {
    let own = match expr.kind() {
        ExprKind::Constant(value) => value.unsigned_abs(),
        ExprKind::Sum(sum) => sum
            .terms()
            .iter()
            .map(|(factor, _)| factor.unsigned_abs())
            .fold(sum.constant().unsigned_abs(), u64::saturating_add),
        ExprKind::FloorDiv(_, c) | ExprKind::CeilDiv(_, c) | ExprKind::Mod(_, c) => {
            c.as_integer().map_or(0, i64::unsigned_abs)
        }
        ExprKind::Variable(_) | ExprKind::Min(_) | ExprKind::Max(_) | ExprKind::Product(_) => 0,
    };
    expr.operands().map(magnitude).fold(own, u64::saturating_add)
}
