//! The cost of several expressions with common subexpressions shared.

use super::{Cost, Expr, ExprKind};
use std::collections::BTreeSet;

/// Counts the operations of several expressions where a common subexpression is computed once.
#[must_use]
pub fn shared_cost<'e>(exprs: impl IntoIterator<Item = &'e Expr>) -> Cost {
    let mut seen: BTreeSet<Expr> = BTreeSet::new();
    let mut pending: Vec<Expr> = exprs.into_iter().cloned().collect();
    let mut total = Cost::default();
    while let Some(expr) = pending.pop() {
        if seen.contains(&expr) {
            continue;
        }
        let negated = match expr.kind() {
            ExprKind::CeilDiv(x, c) => x.scale(-1).ok().map(|x| (x, c)),
            _ => None,
        };
        // The cost of an operation without its operands.
        let operands: Vec<Expr> = match negated {
            Some((negated, divisor)) => {
                let named = divisor.as_named().cloned();
                named.into_iter().chain([negated]).collect()
            }
            None => expr.operands().cloned().collect(),
        };
        let below = operands.iter().fold(Cost::default(), |sum, x| sum.plus(x.cost()));
        let whole = expr.cost();
        total =
            total.plus(Cost { ops: whole.ops - below.ops, divmods: whole.divmods - below.divmods });
        pending.extend(operands);
        seen.insert(expr);
    }
    total
}

#[cfg(test)]
mod tests {
    use super::super::{ExprError, VariableId};
    use super::*;

    fn d(index: u32) -> Expr {
        Expr::variable(VariableId(index))
    }

    #[test]
    fn shared_parts_count_once() {
        let pair = |x: Result<Expr, ExprError>| x.expect("small numbers");
        let quotient = pair(d(0).floordiv(4));
        let square = pair(quotient.add(&pair(quotient.modulo(3))));
        assert_eq!(square.cost(), Cost { ops: 4, divmods: 3 });
        assert_eq!(shared_cost([&square]), Cost { ops: 3, divmods: 2 });
        let all = [&square, &quotient, &d(0)];
        assert_eq!(shared_cost(all), Cost { ops: 3, divmods: 2 });
        let up = pair(d(0).ceildiv(4));
        assert_eq!(shared_cost([&up, &up]), up.cost());
        assert_eq!(shared_cost([]), Cost::default());
    }
}
