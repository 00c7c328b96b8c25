//! Splits range variables into the digits that are read.
//!
//! Law: the same set of results, over all values of the range variables, at each value of the other variables. Where a range
//! variable `s` occurs in `s floordiv c` and `s mod c`, it is `c*q + r` (the laws `div-split` and `mod-split` of the rules),
//! which leaves linear expressions, for which values are easily proposed.

use crate::expr::{Divisor, Domain, Expr, ExprError, ExprKind, Variable, VariableId, VariableKind};
use crate::num::{self, Interval, gcd};
use std::collections::BTreeSet;

/// Splits the range variables of `domain` and of `exprs` until no quotient of any is left, and drops unused ones.
///
/// # Errors
/// [`ExprError`] if an expression overflows.
pub fn split_ranges(domain: &Domain, exprs: &[Expr]) -> Result<(Domain, Vec<Expr>), ExprError> {
    let (mut domain, mut exprs) = with_known_values(domain, exprs)?;
    // Each round divides the largest value of a variable.
    while let Some((id, divisor)) = splittable(&domain, &exprs) {
        (domain, exprs) = split(&domain, &exprs, id, divisor)?;
    }
    Ok((domain, exprs))
}

/// Substitutes the value of each variable that has a single possible value.
fn with_known_values(domain: &Domain, exprs: &[Expr]) -> Result<(Domain, Vec<Expr>), ExprError> {
    let variables = (0..).map(VariableId).zip(domain.intervals());
    let places: Vec<Expr> = variables
        .map(|(id, bounds)| bounds.as_point().map_or(Expr::variable(id), Expr::constant))
        .collect();
    let mut known = Domain::new(domain.variables().to_vec());
    for constraint in domain.constraints() {
        known.constrain(&constraint.expr.substitute(&places)?, constraint.bounds);
    }
    if domain.is_known_empty() {
        known.make_empty();
    }
    let exprs = exprs.iter().map(|x| x.substitute(&places));
    Ok((known, exprs.collect::<Result<_, _>>()?))
}

/// Returns a range variable with quotients or remainders, and a common divisor of all their divisors.
fn splittable(domain: &Domain, exprs: &[Expr]) -> Option<(VariableId, i64)> {
    let ids: BTreeSet<VariableId> = domain.ids(VariableKind::Range).collect();
    let is_finite = |id: VariableId| domain.bounds(id).count().is_some_and(|count| count > 1);
    let mut divisors = vec![0; domain.variables().len()];
    let constraints = domain.constraints().iter().map(|constraint| &constraint.expr);
    let mut pending: Vec<&Expr> = exprs.iter().chain(constraints).collect();
    let mut seen = BTreeSet::new();
    while let Some(expr) = pending.pop() {
        if !seen.insert(expr.address()) {
            continue;
        }
        if let ExprKind::FloorDiv(of, Divisor::Integer(divisor))
        | ExprKind::Mod(of, Divisor::Integer(divisor)) = expr.kind()
            && let Some(id) = of.as_variable().filter(|id| ids.contains(id))
        {
            divisors[id.index()] = gcd(divisors[id.index()], *divisor)?;
        }
        pending.extend(expr.operands());
    }
    let found = ids.into_iter().map(|id| (id, divisors[id.index()]));
    found.into_iter().find(|(id, divisor)| *divisor > 1 && is_finite(*id))
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
    let exprs: Vec<Expr> = exprs.iter().map(|x| digits.apply(x)).collect::<Result<_, _>>()?;
    let mut split = Domain::new(variables);
    if domain.is_known_empty() {
        split.make_empty();
    }
    for constraint in domain.constraints() {
        split.constrain(&digits.apply(&constraint.expr)?, constraint.bounds);
    }
    // If the quotient of a long enough interval is unused, the remainder takes all of its values.
    let mut used: BTreeSet<VariableId> = BTreeSet::new();
    let constraints = split.constraints().iter().map(|constraint| &constraint.expr);
    for expr in exprs.iter().chain(constraints) {
        expr.collect_variables(&mut used);
    }
    let is_used = quotient.as_variable().is_some_and(|q| used.contains(&q));
    let has_all = bounds.count().is_some_and(|count| count >= divisor.unsigned_abs());
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
    /// The expression of each variable over the new variables.
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
            ExprKind::FloorDiv(of, Divisor::Integer(divisor))
                if self.is_it(of) && divisor % self.divisor == 0 =>
            {
                self.quotient.floordiv(divisor / self.divisor)
            }
            ExprKind::Mod(of, Divisor::Integer(divisor))
                if self.is_it(of) && divisor % self.divisor == 0 =>
            {
                let upper = self.quotient.modulo(divisor / self.divisor)?;
                upper.scale(self.divisor)?.add(&self.rest)
            }
            ExprKind::Product(list) => Expr::product(all(list)?),
            ExprKind::FloorDiv(of, c) => self.apply(of)?.floordiv_by(&self.apply(&c.to_expr())?),
            ExprKind::CeilDiv(of, c) => self.apply(of)?.ceildiv_by(&self.apply(&c.to_expr())?),
            ExprKind::Mod(of, c) => self.apply(of)?.modulo_by(&self.apply(&c.to_expr())?),
            ExprKind::Min(list) => Expr::min(all(list)?),
            ExprKind::Max(list) => Expr::max(all(list)?),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::blocks::advance;
    use super::*;
    use crate::expr::IndexingMap;
    use crate::text::parse_map;

    /// Returns the results over all points of the range variables of a map without other variables.
    fn results(map: &IndexingMap) -> BTreeSet<Vec<i64>> {
        let bounds: Vec<Interval> = map.domain().intervals().collect();
        let mut point: Vec<i64> = bounds.iter().map(|bounds| bounds.lo()).collect();
        let mut found = BTreeSet::new();
        loop {
            if map.domain().contains(&point) == Ok(true) {
                found.insert(map.eval(&point).expect("small numbers"));
            }
            if !advance(&mut point, &bounds) {
                return found;
            }
        }
    }

    /// Checks that `text` reads the same after the split, with this many range variables.
    #[track_caller]
    fn check(text: &str, ranges: usize) {
        let map: IndexingMap = parse_map(text).expect("a map");
        let (domain, exprs) = split_ranges(map.domain(), map.results()).expect("small numbers");
        let split = IndexingMap::new(domain, exprs);
        assert_eq!(results(&split), results(&map), "{text}");
        let split = split.without_unused(&[VariableKind::Range]);
        assert_eq!(split.domain().count(VariableKind::Range), ranges, "{text}");
    }

    #[test]
    fn digits_read_the_same() {
        check("()[s0] -> (s0 floordiv 4, s0 mod 4), domain: s0 in [0, 11]", 2);
        check("()[s0] -> (s0 floordiv 4), domain: s0 in [0, 11]", 1);
        check("()[s0] -> (s0 mod 8), domain: s0 in [0, 79]", 1);
        check("()[s0] -> (s0 mod 8), domain: s0 in [3, 6]", 2);
        check("()[s0] -> (s0 mod 8), domain: s0 in [-3, 4]", 1);
        check("()[s0] -> (s0 floordiv 4 + s0 mod 12), domain: s0 in [-7, 30]", 3);
        check("()[s0] -> (s0 floordiv 6, s0 mod 4), domain: s0 in [0, 30]", 2);
        check("()[s0] -> (s0 - s0 floordiv 8 * 6), domain: s0 in [0, 30], s0 mod 8 in [1, 5]", 2);
        // Nothing to split.
        check("()[s0] -> (s0 * 3), domain: s0 in [0, 5]", 1);
        check("()[s0, s1] -> ((s0 + s1) floordiv 3), domain: s0 in [0, 5], s1 in [0, 2]", 2);
    }
}
