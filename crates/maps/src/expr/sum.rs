//! Canonical form of sums: flattened, like terms merged, terms sorted.

use super::{Expr, ExprError, ExprKind, Sum};
use crate::num::{self, Summand};

/// Collects the summands of a sum. Coefficients are 128-bit until the sum is complete, so that an intermediate value that cancels
/// is not an overflow.
pub(super) struct SumBuilder {
    pub(super) constant: i128,
    pub(super) terms: Vec<(Expr, i128)>,
}

impl Summand for (Expr, i128) {}

impl SumBuilder {
    /// Adds `coefficient * expr`; `None` if a number does not fit, after which the sum must not be used.
    pub(super) fn add(&mut self, coefficient: i128, expr: &Expr) -> Option<()> {
        let times = |value: i64| coefficient.checked_mul(i128::from(value));
        match expr.kind() {
            ExprKind::Constant(value) => {
                self.constant = self.constant.checked_add(times(*value)?)?;
            }
            ExprKind::Sum(sum) if sum.flattens_under(coefficient) => {
                self.constant = self.constant.checked_add(times(sum.constant)?)?;
                for (inner, x) in &sum.terms {
                    self.add(times(*inner)?, x)?;
                }
            }
            _ => self.terms.push((expr.clone(), coefficient)),
        }
        Some(())
    }

    pub(super) fn finish(self) -> Result<Expr, ExprError> {
        let merged = num::Sum::new(self.constant, self.terms).ok_or(ExprError::Overflow)?;
        // A factor whose coefficient became 1 or -1 is no longer a factorisation: flatten it.
        let mut terms = merged.terms().iter();
        if terms.any(|(x, c)| matches!(x.kind(), ExprKind::Sum(sum) if sum.flattens_under(*c))) {
            let mut again = SumBuilder { constant: merged.constant, terms: Vec::new() };
            for (x, c) in merged.terms() {
                again.add(*c, x).ok_or(ExprError::Overflow)?;
            }
            return again.finish();
        }
        let narrow = |value: i128| i64::try_from(value).map_err(|_| ExprError::Overflow);
        let constant = narrow(merged.constant)?;
        let terms = merged.terms().iter();
        let terms = terms
            .map(|(x, c)| Ok((narrow(*c)?, x.clone())))
            .collect::<Result<Vec<_>, ExprError>>()?;
        match terms.as_slice() {
            [] => Ok(Expr::constant(constant)),
            [(1, x)] if constant == 0 => Ok(x.clone()),
            _ => Expr::checked(ExprKind::Sum(Sum { constant, terms })),
        }
    }
}

impl Sum {
    /// Returns whether `coefficient * self` is flattened into a longer sum: if the coefficient is a sign, or if the sum has a
    /// single summand, in which case the two coefficients merge.
    fn flattens_under(&self, coefficient: i128) -> bool {
        coefficient == 1
            || coefficient == -1
            || coefficient == 0
            || (self.terms.len() == 1 && self.constant == 0)
    }
}
