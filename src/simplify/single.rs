//! Results of one variable with few values that equal a single operation.
//!
//! An operation is determined by its values: all points together leave one slope, divisor or modulus open ([`super::least`]).
//! Each candidate is evaluated at all points before it is an answer.

use super::least::Open;
use crate::expr::{Domain, Expr, ExprKind, VariableId};
use crate::num::Interval;
use std::collections::BTreeSet;

/// Maximum number of values of the variable.
const MAX_VALUES: u64 = 64;

/// Maximum number of operations of such a result.
const MAX_OPERATIONS: u64 = 1_000;

/// Returns an expression of one operation with the values of `expr`, which has more operations, if its only variable has few
/// values and no constraints.
pub fn one_operation(expr: &Expr, domain: &Domain) -> Option<Expr> {
    let ops = expr.cost().ops;
    if !(2..=MAX_OPERATIONS).contains(&ops) || !domain.constraints().is_empty() {
        return None;
    }
    let mut variables = BTreeSet::new();
    expr.collect_variables(&mut variables);
    let (Some(variable), None) = (variables.pop_first(), variables.pop_first()) else {
        return None;
    };
    let range = domain.bounds(variable);
    if range.count().is_none_or(|count| count > MAX_VALUES) {
        return None;
    }
    let mut point = vec![0; variable.index() + 1];
    let mut value = |expr: &Expr, x: i64| {
        *point.get_mut(variable.index())? = x;
        expr.eval(&point).ok()
    };
    let mut open = Open::default();
    for x in range.lo()..=range.hi() {
        if open.rules_out(x, value(expr, x)?) {
            return None;
        }
    }
    let mut integers = BTreeSet::new();
    collect_integers(expr, &mut integers);
    let mut is_equal = |found: &Expr| {
        (range.lo()..=range.hi()).all(|x| {
            let values = [expr, found].map(|expr| value(expr, x));
            values[0].is_some() && values[0] == values[1]
        })
    };
    candidates(&open, variable, range, &integers)
        .into_iter()
        .find(|found| found.cost().ops <= 1 && is_equal(found))
}

/// Returns the expressions of one operation that the points do not rule out, using an integer of `known` if possible.
fn candidates(
    open: &Open,
    variable: VariableId,
    range: Interval,
    known: &BTreeSet<i64>,
) -> Vec<Expr> {
    let x = Expr::variable(variable);
    let divisor = open.divisor().map(|of| {
        let mut fits = known.iter().copied().filter(|c| of.contains(*c));
        x.floordiv(fits.next().unwrap_or(of.lo()))
    });
    let modulus = open.modulus().map(|(of, most)| {
        let mut fits = known.iter().copied().filter(|m| *m > most && of % m == 0);
        x.modulo(fits.next().unwrap_or(of))
    });
    let line = open.line().map(|(slope, at_zero)| Expr::sum(at_zero, [(slope, x.clone())]));
    let end = open.end().filter(|end| range.contains(*end)).map(Expr::constant);
    let ends = end.iter().flat_map(|end| {
        let pair = [x.clone(), end.clone()];
        [Expr::min(pair.clone()), Expr::max(pair)]
    });
    let all = [line, divisor, modulus].into_iter().flatten().chain(ends);
    all.filter_map(Result::ok).collect()
}

/// Collects the integers in an expression, traversed as a tree.
fn collect_integers(expr: &Expr, found: &mut BTreeSet<i64>) {
    match expr.kind() {
        ExprKind::Constant(value) => drop(found.insert(*value)),
        ExprKind::FloorDiv(_, c) | ExprKind::CeilDiv(_, c) | ExprKind::Mod(_, c) => {
            found.extend(c.as_integer());
        }
        ExprKind::Sum(sum) => found.extend(sum.terms().iter().map(|(factor, _)| *factor)),
        ExprKind::Variable(_) | ExprKind::Min(_) | ExprKind::Max(_) | ExprKind::Product(_) => {}
    }
    expr.operands().for_each(|x| collect_integers(x, found));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::parse_map;

    #[test]
    fn results_that_one_operation_gives() {
        for (text, expected) in [
            ("(d0) -> (d0 * 13 floordiv 60), domain: d0 in [0, 9]", Some("d0 floordiv 5")),
            (
                "(d0) -> ((d0 + d0 floordiv 10 * 6) floordiv 12), domain: d0 in [1, 12]",
                Some("d0 floordiv 10"),
            ),
            ("(d0) -> (d0 mod 12 mod 4 + 0 * d0), domain: d0 in [0, 9]", Some("d0 mod 4")),
            ("(d0) -> ((-d0) mod 5 floordiv 3), domain: d0 in [0, 2]", Some("min(d0, 1)")),
            ("(d0) -> (max(d0, (-d0) mod 3)), domain: d0 in [1, 12]", Some("max(d0, 2)")),
            ("(d0) -> (d0 floordiv 2 * 2 + d0 mod 2 + 3), domain: d0 in [0, 40]", Some("d0 + 3")),
            (
                "(d0, d1) -> (d1 * 13 floordiv 60), domain: d0 in [0, 9], d1 in [0, 9]",
                Some("d1 floordiv 5"),
            ),
            // One operation does not suffice.
            ("(d0) -> (d0 * 13 floordiv 60), domain: d0 in [0, 20]", None),
            ("(d0) -> (d0 mod 5 floordiv 3), domain: d0 in [0, 40]", None),
            ("(d0) -> (-d0 * 2 + 3), domain: d0 in [0, 40]", None),
            // It already has one operation, other variables, too many values, or constraints.
            ("(d0) -> (d0 mod 7), domain: d0 in [0, 7]", None),
            (
                "(d0, d1) -> ((d0 + d1 * 0 + d0) floordiv 2 + d1), domain: d0 in [0, 9], d1 in [0, 9]",
                None,
            ),
            ("(d0) -> (d0 mod 12 mod 4), domain: d0 in [0, 64]", None),
            ("(d0) -> (d0 mod 12 mod 4), domain: d0 in [0, 9], d0 mod 3 in [0, 1]", None),
        ] {
            let map = parse_map(text).unwrap_or_else(|error| panic!("{error:?} in {text}"));
            let found = one_operation(&map.results()[0], map.domain());
            let names = crate::text::variable_names(map.domain());
            let style = crate::text::Style::default();
            let found = found.map(|found| crate::text::print_expr(&found, &names, style));
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }
}
