//! How large an expression is to read and to compute.

use super::{Expr, ExprKind, Sum};
use std::collections::BTreeSet;

/// Operations of an expression, counted as a tree (a shared part counts at each use).
///
/// A sum of n summands is n - 1 additions and a multiplication for each coefficient other than 1
/// and -1. A sign inside a sum is free; a sum without any positive summand pays 1 for its leading
/// minus. floordiv, mod, min and max are one each; a ceildiv counts as `-((-x) floordiv c)`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Hash)]
pub struct Cost {
    /// All operations.
    pub ops: u64,
    /// floordiv and mod among them.
    pub divmods: u64,
}

impl Cost {
    /// The sum of both.
    #[must_use]
    pub fn plus(self, other: Cost) -> Cost {
        Cost {
            ops: self.ops.saturating_add(other.ops),
            divmods: self.divmods.saturating_add(other.divmods),
        }
    }

    /// `count` more operations, none of them a floordiv or mod.
    #[must_use]
    pub fn more(self, count: u64) -> Cost {
        Cost {
            ops: self.ops.saturating_add(count),
            ..self
        }
    }
}

impl Expr {
    /// The operations of this expression.
    #[must_use]
    pub fn cost(&self) -> Cost {
        self.0.cost
    }
}

/// The operations of an expression of this kind; those of its operands are known.
pub(super) fn of_kind(kind: &ExprKind) -> Cost {
    match kind {
        ExprKind::Constant(_) | ExprKind::Variable(_) => Cost::default(),
        ExprKind::Sum(sum) => of_sum(sum, 1),
        ExprKind::FloorDiv(x, _) | ExprKind::Mod(x, _) => {
            x.cost().plus(Cost { ops: 1, divmods: 1 })
        }
        ExprKind::CeilDiv(x, _) => {
            // -((-x) floordiv c): one leading minus, and one inside unless x can absorb the sign.
            let negated = match x.kind() {
                ExprKind::Sum(sum) => of_sum(sum, -1),
                _ => x.cost().more(1),
            };
            negated.plus(Cost { ops: 2, divmods: 1 })
        }
        ExprKind::Min(list) | ExprKind::Max(list) => {
            let operands = list.iter().map(Expr::cost);
            let operands = operands.fold(Cost::default(), Cost::plus);
            operands.more(list.len() as u64 - 1)
        }
    }
}

/// The operations of a sum, or of its negation for a `sign` of -1.
fn of_sum(sum: &Sum, sign: i64) -> Cost {
    let terms = sum.terms().iter();
    let operands = terms.fold(Cost::default(), |total, (_, x)| total.plus(x.cost()));
    let coefficients = sum.terms().iter().map(|(c, _)| c.saturating_mul(sign));
    operands.more(sum_overhead(
        sum.constant().saturating_mul(sign),
        coefficients,
    ))
}

/// Operations of several expressions where a part that occurs more than once, in one of them or in
/// several, is computed once.
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
            ExprKind::CeilDiv(x, _) => x.scale(-1).ok(),
            _ => None,
        };
        // What an operation costs beside its operands, whatever they are.
        let operands: Vec<Expr> = match negated {
            Some(negated) => vec![negated],
            None => expr.operands().cloned().collect(),
        };
        let below = operands
            .iter()
            .fold(Cost::default(), |sum, x| sum.plus(x.cost()));
        let whole = expr.cost();
        total = total.plus(Cost {
            ops: whole.ops - below.ops,
            divmods: whole.divmods - below.divmods,
        });
        pending.extend(operands);
        seen.insert(expr);
    }
    total
}

/// Operations that a sum needs beside those of its terms.
#[must_use]
pub fn sum_overhead(constant: i64, coefficients: impl Iterator<Item = i64>) -> u64 {
    let (mut summands, mut products, mut positive) = (u64::from(constant != 0), 0, constant > 0);
    for coefficient in coefficients {
        summands += 1;
        products += u64::from(coefficient != 1 && coefficient != -1);
        positive |= coefficient > 0;
    }
    // A lone product `x * -2` carries its sign in the constant.
    let lone_product = summands == 1 && products == 1;
    summands.saturating_sub(1) + products + u64::from(!positive && !lone_product && summands > 0)
}

#[cfg(test)]
mod tests {
    use super::super::VariableId;
    use super::*;

    fn d(index: u32) -> Expr {
        Expr::variable(VariableId(index))
    }

    #[track_caller]
    fn check(expr: Result<Expr, super::super::ExprError>, ops: u64, divmods: u64) {
        assert_eq!(expr.map(|e| e.cost()), Ok(Cost { ops, divmods }));
    }

    #[test]
    fn counts_as_documented() {
        check(Ok(d(0)), 0, 0);
        check(d(0).scale(-1), 1, 0);
        check(d(0).scale(-2), 1, 0);
        check(Expr::sum(16, [(-1, d(1))]), 1, 0);
        check(Expr::sum(-3, [(-1, d(0))]), 2, 0);
        check(Expr::sum(0, [(2, d(0)), (-1, d(1))]), 2, 0);
        check(d(0).add(&d(1)).and_then(|s| s.scale(2)), 2, 0);
        check(
            Expr::sum(0, [(4, d(1)), (1, d(2))]).and_then(|s| s.modulo(8)),
            3,
            1,
        );
        check(d(0).ceildiv(4), 3, 1);
        check(Expr::min([d(0), d(1), Expr::constant(3)]), 2, 0);
    }

    #[test]
    fn shared_parts_count_once() {
        let pair = |x: Result<Expr, super::super::ExprError>| x.expect("small numbers");
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
