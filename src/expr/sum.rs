//! Canonical form of sums: flattened, like terms merged, terms sorted.

use super::{Expr, ExprError, ExprKind, Sum};

/// Collects the summands of a sum. Coefficients are 128-bit until the sum is complete, so that an intermediate value
/// that cancels is no overflow.
pub(super) struct SumBuilder {
    pub(super) constant: i128,
    pub(super) terms: Vec<(i128, Expr)>,
}

impl SumBuilder {
    pub(super) fn add(&mut self, coefficient: i128, expr: &Expr) -> Result<(), ExprError> {
        match expr.kind() {
            ExprKind::Constant(value) => {
                let product = coefficient
                    .checked_mul(i128::from(*value))
                    .ok_or(ExprError::Overflow)?;
                self.constant = self
                    .constant
                    .checked_add(product)
                    .ok_or(ExprError::Overflow)?;
            }
            ExprKind::Sum(sum) if sum.flattens_under(coefficient) => {
                let product = coefficient
                    .checked_mul(i128::from(sum.constant))
                    .ok_or(ExprError::Overflow)?;
                self.constant = self
                    .constant
                    .checked_add(product)
                    .ok_or(ExprError::Overflow)?;
                for (inner, x) in &sum.terms {
                    let product = coefficient
                        .checked_mul(i128::from(*inner))
                        .ok_or(ExprError::Overflow)?;
                    self.add(product, x)?;
                }
            }
            _ => self.terms.push((coefficient, expr.clone())),
        }
        Ok(())
    }

    pub(super) fn finish(self) -> Result<Expr, ExprError> {
        let SumBuilder {
            constant,
            mut terms,
        } = self;
        terms.sort_by(|(_, x), (_, y)| x.cmp(y));
        let mut merged: Vec<(i128, Expr)> = Vec::with_capacity(terms.len());
        for (coefficient, expr) in terms {
            match merged.last_mut() {
                Some((total, last)) if *last == expr => {
                    *total = total.checked_add(coefficient).ok_or(ExprError::Overflow)?;
                }
                _ => merged.push((coefficient, expr)),
            }
        }
        merged.retain(|(coefficient, _)| *coefficient != 0);
        // A factor whose coefficient became 1 or -1 is no longer a factorization: flatten it.
        let reopened = merged
            .iter()
            .any(|(c, x)| matches!(x.kind(), ExprKind::Sum(sum) if sum.flattens_under(*c)));
        if reopened {
            let mut again = SumBuilder {
                constant,
                terms: Vec::new(),
            };
            for (coefficient, expr) in merged {
                again.add(coefficient, &expr)?;
            }
            return again.finish();
        }
        let narrow = |value: i128| i64::try_from(value).map_err(|_| ExprError::Overflow);
        let constant = narrow(constant)?;
        let terms = merged
            .into_iter()
            .map(|(c, x)| Ok((narrow(c)?, x)))
            .collect::<Result<Vec<_>, ExprError>>()?;
        match terms.as_slice() {
            [] => Ok(Expr::constant(constant)),
            [(1, x)] if constant == 0 => Ok(x.clone()),
            _ => Expr::checked(ExprKind::Sum(Sum { constant, terms })),
        }
    }
}

impl Sum {
    /// Whether `coefficient * self` is flattened into a longer sum: for a sign, and for a sum of one summand, where the
    /// two coefficients merge.
    fn flattens_under(&self, coefficient: i128) -> bool {
        coefficient == 1
            || coefficient == -1
            || coefficient == 0
            || (self.terms.len() == 1 && self.constant == 0)
    }
}
