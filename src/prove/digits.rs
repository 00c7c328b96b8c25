//! Splits range variables into the digits that are read of them.
//!
//! Law: the same set of results, over all values of the range variables, at each value of the other variables. Where a range
//! variable `s` occurs in `s floordiv c` and `s mod c`, it is `c*q + r` (the laws `div-split` and `mod-split` of the rules),
//! which leaves linear expressions, for which values are easily proposed.

use crate::expr::{Domain, Expr, ExprError, ExprKind, Variable, VariableId, VariableKind};
use crate::num::{self, Interval, gcd};
use std::collections::BTreeSet;

/// Splits the range variables of `domain` and of `exprs` until no quotient of one of them is left, and drops those that
/// nothing uses.
///
/// # Errors
/// [`ExprError`] if an expression overflows.
pub fn split_ranges(domain: &Domain, exprs: &[Expr]) -> Result<(Domain, Vec<Expr>), ExprError> {
    let (mut domain, mut exprs) = (domain.clone(), exprs.to_vec());
    // Each round divides the largest value of a variable.
    while let Some((id, divisor)) = splittable(&domain, &exprs) {
        (domain, exprs) = split(&domain, &exprs, id, divisor)?;
    }
    Ok((domain, exprs))
}

/// A range variable with quotients or remainders, and what all of their divisors are multiples of.
fn splittable(domain: &Domain, exprs: &[Expr]) -> Option<(VariableId, i64)> {
    let ids: BTreeSet<VariableId> = domain.ids(VariableKind::Range).collect();
    let is_finite = |id: VariableId| domain.bounds(id).count().is_some_and(|count| count > 1);
    let mut divisors = vec![0; domain.variables().len()];
    let constraints = domain
        .constraints()
        .iter()
        .map(|constraint| &constraint.expr);
    let mut pending: Vec<&Expr> = exprs.iter().chain(constraints).collect();
    let mut seen = BTreeSet::new();
    while let Some(expr) = pending.pop() {
        if !seen.insert(expr.address()) {
            continue;
        }
        if let ExprKind::FloorDiv(of, divisor) | ExprKind::Mod(of, divisor) = expr.kind()
            && let Some(id) = of.as_variable().filter(|id| ids.contains(id))
        {
            divisors[id.index()] = gcd(divisors[id.index()], *divisor)?;
        }
        pending.extend(expr.operands());
    }
    let found = ids.into_iter().map(|id| (id, divisors[id.index()]));
    found
        .into_iter()
        .find(|(id, divisor)| *divisor > 1 && is_finite(*id))
}

fn split(
    domain: &Domain,
    exprs: &[Expr],
    id: VariableId,
    divisor: i64,
) -> Result<(Domain, Vec<Expr>), ExprError> {
    let bounds = domain.bounds(id);
    let (lo, hi) = (bounds.lo(), bounds.hi());
    let (least, greatest) = (num::floordiv(lo, divisor), num::floordiv(hi, divisor));
    let (mut variables, mut places) = (Vec::new(), Vec::new());
    for (number, variable) in (0..).map(VariableId).zip(domain.variables()) {
        places.push(Expr::variable(VariableId(variables.len() as u32)));
        if number == id {
            let digit = |lo: i64, hi: i64| {
                let bounds = Interval::new(lo, hi);
                Variable::new(variable.name.clone(), VariableKind::Range, bounds)
            };
            variables.push(digit(least, greatest));
            variables.push(digit(0, divisor - 1));
        } else {
            variables.push(variable.clone());
        }
    }
    let quotient = places[id.index()].clone();
    let digits = Digits {
        id,
        divisor,
        quotient: quotient.clone(),
        rest: Expr::variable(VariableId(id.0 + 1)),
        places,
    };
    let exprs: Vec<Expr> = exprs
        .iter()
        .map(|x| digits.apply(x))
        .collect::<Result<_, _>>()?;
    let mut split = Domain::new(variables);
    if domain.is_known_empty() {
        split.make_empty();
    }
    for constraint in domain.constraints() {
        split.constrain(&digits.apply(&constraint.expr)?, constraint.bounds);
    }
    // Where nothing uses the quotient of an interval that is long enough, the remainder has all of its values.
    let mut used: BTreeSet<VariableId> = BTreeSet::new();
    let constraints = split
        .constraints()
        .iter()
        .map(|constraint| &constraint.expr);
    for expr in exprs.iter().chain(constraints) {
        expr.collect_variables(&mut used);
    }
    let is_used = quotient.as_variable().is_some_and(|q| used.contains(&q));
    let has_all = bounds
        .count()
        .is_some_and(|count| count >= divisor.unsigned_abs());
    let is_whole = lo.rem_euclid(divisor) == 0 && hi.rem_euclid(divisor) == divisor - 1;
    if (is_used || !has_all) && !is_whole {
        split.constrain(&digits.whole()?, bounds);
    }
    Ok((split, exprs))
}

/// One variable as `divisor * quotient + rest`.
struct Digits {
    id: VariableId,
    divisor: i64,
    quotient: Expr,
    rest: Expr,
    /// The variables of the new map.
    places: Vec<Expr>,
}

impl Digits {
    fn whole(&self) -> Result<Expr, ExprError> {
        self.quotient.scale(self.divisor)?.add(&self.rest)
    }

    fn is_it(&self, expr: &Expr) -> bool {
        expr.as_variable() == Some(self.id)
    }

    fn apply(&self, expr: &Expr) -> Result<Expr, ExprError> {
        let all = |list: &[Expr]| -> Result<Vec<Expr>, ExprError> {
            list.iter().map(|x| self.apply(x)).collect()
        };
        match expr.kind() {
            ExprKind::Constant(_) => Ok(expr.clone()),
            ExprKind::Variable(id) if *id == self.id => self.whole(),
            ExprKind::Variable(id) => Ok(self.places[id.index()].clone()),
            ExprKind::Sum(sum) => {
                let mut terms = Vec::new();
                for (coefficient, term) in sum.terms() {
                    if self.is_it(term) {
                        let scaled = coefficient.checked_mul(self.divisor);
                        terms.push((scaled.ok_or(ExprError::Overflow)?, self.quotient.clone()));
                        terms.push((*coefficient, self.rest.clone()));
                    } else {
                        terms.push((*coefficient, self.apply(term)?));
                    }
                }
                Expr::sum(sum.constant(), terms)
            }
            ExprKind::FloorDiv(of, divisor) if self.is_it(of) && divisor % self.divisor == 0 => {
                self.quotient.floordiv(divisor / self.divisor)
            }
            ExprKind::Mod(of, divisor) if self.is_it(of) && divisor % self.divisor == 0 => {
                let upper = self.quotient.modulo(divisor / self.divisor)?;
                upper.scale(self.divisor)?.add(&self.rest)
            }
            ExprKind::FloorDiv(of, divisor) => self.apply(of)?.floordiv(*divisor),
            ExprKind::CeilDiv(of, divisor) => self.apply(of)?.ceildiv(*divisor),
            ExprKind::Mod(of, divisor) => self.apply(of)?.modulo(*divisor),
            ExprKind::Min(list) => Expr::min(all(list)?),
            ExprKind::Max(list) => Expr::max(all(list)?),
        }
    }
}
