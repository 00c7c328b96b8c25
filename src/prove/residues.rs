//! Expressions that depend only on the residues of their variables, such as `x * x mod 4`: enumerating residues gives all values.
//!
//! Law: for variables that are congruent modulo c, sums and products are congruent modulo c, and quotients by k where their
//! dividends are modulo c*k. So the values at all residues modulo the least common multiple of these moduli are all values.

use crate::expr::{Divisor, Domain, Expr, ExprKind, VariableId};
use crate::num::{Interval, MINUS_INFINITY, gcd, lcm, modulo};

/// Maximum number of operations of an expression, as a tree.
const MOST_OPERATIONS: u64 = 200;

/// The residues of an expression's variables that determine its value.
pub(super) struct Residues {
    modulus: i64,
    variables: Vec<VariableId>,
}

impl Residues {
    /// Finds the residues for an expression; `None` if its value depends on more, or there are more than `most` points.
    pub(super) fn of(expr: &Expr, most: u64) -> Option<Residues> {
        if expr.cost().ops > MOST_OPERATIONS {
            return None;
        }
        let modulus = of_value(expr)?;
        let variables: Vec<VariableId> = expr.variables().into_iter().collect();
        let points = u64::try_from(modulus).ok()?.checked_pow(variables.len().try_into().ok()?)?;
        (points <= most).then_some(Residues { modulus, variables })
    }

    /// Returns a point for each combination of residues, as near to the lower bounds of the domain as possible. It may lie
    /// outside the domain.
    pub(super) fn points(&self, domain: &Domain) -> impl Iterator<Item = Vec<i64>> {
        let nearest = |own: Interval| match own.is_empty() {
            true => 0,
            false => 0.clamp(own.lo(), own.hi()),
        };
        let start: Vec<i64> = domain.intervals().map(nearest).collect();
        let mut residues = Some(vec![0; self.variables.len()]);
        std::iter::from_fn(move || {
            let current = residues.take()?;
            let mut point = start.clone();
            for (id, residue) in self.variables.iter().zip(&current) {
                let own = point.get_mut(id.index())?;
                let least = domain.bounds(*id).lo();
                let first = if least == MINUS_INFINITY { 0 } else { least };
                *own = first
                    .checked_add(modulo(residue - modulo(first, self.modulus), self.modulus))?;
            }
            residues = next(current, self.modulus);
            Some(point)
        })
    }

    /// Returns whether each of these points is in the domain.
    pub(super) fn are_all_in(&self, domain: &Domain) -> bool {
        let is_wide = |id: &VariableId| {
            let bounds = domain.bounds(*id);
            let first = if bounds.lo() == MINUS_INFINITY { 0 } else { bounds.lo() };
            !bounds.is_empty() && bounds.hi().saturating_sub(first) >= self.modulus - 1
        };
        domain.constraints().is_empty() && self.variables.iter().all(is_wide)
    }
}

/// Returns the next combination in order; `None` after the last.
fn next(mut residues: Vec<i64>, modulus: i64) -> Option<Vec<i64>> {
    for own in residues.iter_mut().rev() {
        *own += 1;
        if *own < modulus {
            return Some(residues);
        }
        *own = 0;
    }
    None
}

/// Returns a modulus whose residues determine the value of an expression.
fn of_value(expr: &Expr) -> Option<i64> {
    match expr.kind() {
        ExprKind::Constant(_) => Some(1),
        ExprKind::Variable(_) => None,
        ExprKind::Mod(x, Divisor::Integer(c)) => of_remainder(x, *c),
        ExprKind::FloorDiv(_, Divisor::Named(_))
        | ExprKind::CeilDiv(_, Divisor::Named(_))
        | ExprKind::Mod(_, Divisor::Named(_)) => None,
        _ => all(expr, of_value),
    }
}

/// Returns a modulus whose residues determine the remainder of an expression by `c`.
fn of_remainder(expr: &Expr, c: i64) -> Option<i64> {
    match expr.kind() {
        ExprKind::Constant(_) => Some(1),
        ExprKind::Variable(_) => Some(c),
        ExprKind::Sum(sum) => sum.terms().iter().try_fold(1, |total, (factor, x)| {
            let own = c / gcd(c, *factor)?;
            lcm(total, of_remainder(x, own)?)
        }),
        ExprKind::Product(_) => all(expr, |x| of_remainder(x, c)),
        ExprKind::FloorDiv(x, Divisor::Integer(k)) | ExprKind::CeilDiv(x, Divisor::Integer(k)) => {
            of_remainder(x, c.checked_mul(*k)?)
        }
        ExprKind::Mod(x, Divisor::Integer(k)) if k % c == 0 => of_remainder(x, c),
        _ => of_value(expr),
    }
}

fn all(expr: &Expr, of: impl Fn(&Expr) -> Option<i64>) -> Option<i64> {
    let mut operands = expr.operands();
    operands.try_fold(1, |total, x| lcm(total, of(x)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::parse_map;

    /// The values at all residues include the values at distant points.
    #[test]
    fn residues_decide_the_value() {
        for (text, modulus) in [
            ("x * x mod 4", Some(4)),
            ("(x * x - x * y) mod 6 + y mod 4", Some(12)),
            ("(x * x) floordiv 3 mod 2", Some(6)),
            ("(x * 4 + y * y) mod 8", Some(8)),
            ("(x * 4) mod 8", Some(2)),
            ("min(x mod 3, y mod 2)", Some(6)),
            ("x mod 12 mod 4", Some(4)),
            ("(x mod 4 + 3) mod 6", Some(4)),
            ("x * x", None),
            ("x floordiv 3", None),
            ("x mod 4 + y", None),
            ("min(x, 4) mod 3", None),
        ] {
            let map = format!("<x, y>() -> ({text}), domain: x in [-inf, inf], y in [-inf, inf]");
            let map = parse_map(&map).expect("a map");
            let expr = &map.results()[0];
            let found = Residues::of(expr, 1 << 10);
            assert_eq!(found.as_ref().map(|found| found.modulus), modulus, "{text}");
            let Some(found) = found else { continue };
            for point in found.points(map.domain()) {
                let far: Vec<i64> = point.iter().map(|x| x - 7 * found.modulus).collect();
                assert_eq!(expr.eval(&point), expr.eval(&far), "{text}");
            }
        }
    }
}
