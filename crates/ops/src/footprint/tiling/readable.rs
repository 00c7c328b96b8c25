//! Readable forms of tile bounds: `t0 * 4 + min(t1 * n + n - 1, 3)` for `t0 * 4 - max(-(t1 * n) - n + 1, -3)`.
//!
//! Law: the value is unchanged, as `-max(x, y) = min(-x, -y)` and `-min(x, y) = max(-x, -y)`. A term with a number that does
//! not fit is kept.

use affinor::expr::{Expr, ExprError, ExprKind};

/// Rewrites `expr` without subtracted minima and maxima among its terms.
pub(super) fn readable(expr: &Expr) -> Expr {
    turned(expr).unwrap_or_else(|_| expr.clone())
}

fn turned(expr: &Expr) -> Result<Expr, ExprError> {
    let ExprKind::Sum(sum) = expr.kind() else {
        return Ok(expr.clone());
    };
    let mut terms = Vec::new();
    for (factor, term) in sum.terms() {
        let negated = |list: &[Expr]| -> Result<Vec<Expr>, ExprError> {
            list.iter().map(|x| x.scale(-1)).collect()
        };
        terms.push(match (term.kind(), *factor < 0) {
            (ExprKind::Max(list), true) => (-*factor, Expr::min(negated(list)?)?),
            (ExprKind::Min(list), true) => (-*factor, Expr::max(negated(list)?)?),
            _ => (*factor, term.clone()),
        });
    }
    Expr::sum(sum.constant(), terms)
}

#[cfg(test)]
mod tests {
    use super::*;
    use affinor::text::{Style, parse_expr, print_expr};

    #[test]
    fn subtracted_extremes_are_turned() {
        let names = ["a", "b"];
        for (given, expected) in [
            ("a * 4 - max(-b + 1, -3)", "a * 4 + min(b - 1, 3)"),
            ("a - min(b, 3) * 2", "a + max(-b, -3) * 2"),
            ("-max(-a, b) - max(-b, 1 - a)", "min(a, -b) + min(b, a - 1)"),
            ("a + max(b, 3)", "a + max(b, 3)"),
            ("max(a, b)", "max(a, b)"),
            ("(a - max(-b, 2)) floordiv 2", "(a - max(-b, 2)) floordiv 2"),
        ] {
            let expr = parse_expr(given, &names).expect("an expression");
            let found = readable(&expr);
            assert_eq!(print_expr(&found, &names, Style::Plain), expected, "{given}");
            for a in -5..5 {
                for b in -5..5 {
                    assert_eq!(found.eval(&[a, b]), expr.eval(&[a, b]), "{given}");
                }
            }
        }
    }
}
