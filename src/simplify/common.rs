//! Cancels the factors that a dividend and its divisor share in the written expression.
//!
//! Law: `(g*x) floordiv (g*d) = x floordiv d`. Normal forms cancel them as well (`div-low`), but may then split the quotient:
//! with named sizes, no form may be as small as the input with smaller integers. The result is used only if its normal form is
//! that of the input.

use crate::expr::{Divisor, Expr, ExprKind};
use crate::num;

/// Maximum number of operations of an expression that is traversed.
const MAX_OPERATIONS: u64 = 500;

/// Returns the expression without the common factors of its quotients; `None` if there are none.
pub fn without_common_factors(expr: &Expr) -> Option<Expr> {
    if expr.cost().ops > MAX_OPERATIONS {
        return None;
    }
    let reduced = reduced(expr)?;
    (reduced != *expr).then_some(reduced)
}

/// Cancels common factors; `None` if an integer overflows.
fn reduced(expr: &Expr) -> Option<Expr> {
    match expr.kind() {
        ExprKind::FloorDiv(x, Divisor::Integer(c)) => {
            let x = reduced(x)?;
            match num::gcd(content(&x), *c)? {
                g if g > 1 => divided(&x, g)?.floordiv(c / g).ok(),
                _ => x.floordiv(*c).ok(),
            }
        }
        ExprKind::Sum(sum) => {
            let terms = sum.terms().iter().map(|(c, x)| Some((*c, reduced(x)?)));
            Expr::sum(sum.constant(), terms.collect::<Option<Vec<_>>>()?).ok()
        }
        ExprKind::Product(factors) => {
            let factors: Option<Vec<Expr>> = factors.iter().map(reduced).collect();
            Expr::product(factors?).ok()
        }
        _ => Some(expr.clone()),
    }
}

/// Returns a common factor of all values of an expression, derived from its integers; 1 if none is found.
fn content(expr: &Expr) -> i64 {
    match expr.kind() {
        ExprKind::Constant(value) => value.checked_abs().unwrap_or(1),
        ExprKind::Sum(sum) => {
            let of_terms = sum.terms().iter().map(|(c, x)| c.checked_mul(content(x)));
            let mut all = of_terms.chain([Some(sum.constant())]);
            let common = all.try_fold(0, |known, part| num::gcd(known, part?));
            common.filter(|common| *common > 0).unwrap_or(1)
        }
        ExprKind::Product(factors) => factors
            .iter()
            .map(content)
            .fold(1, |all, one| all.checked_mul(one).filter(|all| *all > 0).unwrap_or(all)),
        _ => 1,
    }
}

/// Divides an expression by a factor of its [`content`].
fn divided(expr: &Expr, by: i64) -> Option<Expr> {
    match expr.kind() {
        _ if by == 1 => Some(expr.clone()),
        ExprKind::Constant(value) => (value % by == 0).then(|| Expr::constant(value / by)),
        ExprKind::Sum(sum) if sum.constant() % by == 0 => {
            let terms = sum.terms().iter().map(|(c, x)| {
                let own = num::gcd(*c, by)?;
                Some((c / own, divided(x, by / own)?))
            });
            Expr::sum(sum.constant() / by, terms.collect::<Option<Vec<_>>>()?).ok()
        }
        ExprKind::Product(factors) => {
            let mut left = by;
            let mut parts = Vec::with_capacity(factors.len());
            for factor in factors {
                let own = num::gcd(content(factor), left)?;
                parts.push(divided(factor, own)?);
                left /= own;
            }
            match left {
                1 => Expr::product(parts).ok(),
                _ => None,
            }
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{Style, parse_symbolic_expr, print_expr};

    const NAMES: [&str; 3] = ["x", "y", "s"];

    #[track_caller]
    fn check(given: &str, expected: Option<&str>) {
        let expr = parse_symbolic_expr(given, &NAMES);
        let expr = expr.unwrap_or_else(|error| panic!("{error:?} in {given}"));
        let found = without_common_factors(&expr);
        let written = found.as_ref().map(|found| print_expr(found, &NAMES, Style::Plain));
        assert_eq!(written.as_deref(), expected, "{given}");
        for point in [[0, 0, 1], [7, -3, 2], [-25, 11, 5], [1000, 1, 12]] {
            if let Some(found) = &found {
                assert_eq!(found.eval(&point), expr.eval(&point), "{given} at {point:?}");
            }
        }
    }

    #[test]
    fn common_factors_of_quotients_are_cancelled() {
        check("x * 4 floordiv 6", Some("x * 2 floordiv 3"));
        check("(x * 4 + y * 6 - 8) floordiv 10", Some("(x * 2 + y * 3 - 4) floordiv 5"));
        check("(x * 6 + 12) floordiv 6 + 1", Some("x + 3"));
        check(
            "((24*s + 672) * (x floordiv 7)) floordiv 22 * 3",
            Some("(s * 12 + 336) * (x floordiv 7) floordiv 11 * 3"),
        );
        check("((x * 2 + 4) * (y * 3 + 9)) floordiv 12", Some("(x + 2) * (y + 3) floordiv 2"));
        check("(x * 4 + y) floordiv 6", None);
        check("(x * 4 + 1) floordiv 6", None);
        check("(x * 5) floordiv 6", None);
        check("x * 4 mod 6", None);
        check("x floordiv 6", None);
    }
}
