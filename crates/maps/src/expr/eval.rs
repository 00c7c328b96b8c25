//! The semantics of expressions: the value at a point. Every other engine is tested against it.

use super::{Divisor, Expr, ExprKind};
use crate::num;

/// The reason why an expression has no value at a point.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum EvalError {
    /// The value of this expression does not fit in 64 bits.
    #[error("the value does not fit in 64 bits")]
    Overflow(Expr),
    /// The value of this divisor is less than 1.
    #[error("a divisor is not positive")]
    Divisor(Expr),
    /// The point has no coordinate for a variable.
    #[error("no value was given for variable number {0}")]
    Missing(u32),
}

impl Expr {
    /// Evaluates at `point`, which has one integer per variable.
    ///
    /// # Errors
    /// [`EvalError::Overflow`] names the innermost expression whose value does not fit, [`EvalError::Divisor`] the
    /// innermost divisor whose value is not positive.
    pub fn eval(&self, point: &[i64]) -> Result<i64, EvalError> {
        match self.kind() {
            ExprKind::Constant(value) => Ok(*value),
            ExprKind::Variable(id) => {
                point.get(id.index()).copied().ok_or(EvalError::Missing(id.0))
            }
            ExprKind::Sum(sum) => {
                // Products of 64-bit numbers fit in 127 bits; the total is checked at each step.
                let mut total = i128::from(sum.constant());
                for (coefficient, expr) in sum.terms() {
                    let product = i128::from(*coefficient) * i128::from(expr.eval(point)?);
                    total = total
                        .checked_add(product)
                        .ok_or_else(|| EvalError::Overflow(self.clone()))?;
                }
                i64::try_from(total).map_err(|_| EvalError::Overflow(self.clone()))
            }
            ExprKind::Product(list) => {
                let factors = list.iter().map(|factor| factor.eval(point));
                let factors = factors.collect::<Result<Vec<i64>, EvalError>>()?;
                num::product(factors).ok_or_else(|| EvalError::Overflow(self.clone()))
            }
            ExprKind::FloorDiv(x, c) => Ok(num::floordiv(x.eval(point)?, divisor(c, point)?)),
            ExprKind::CeilDiv(x, c) => Ok(num::ceildiv(x.eval(point)?, divisor(c, point)?)),
            ExprKind::Mod(x, c) => Ok(num::modulo(x.eval(point)?, divisor(c, point)?)),
            ExprKind::Min(list) => fold(list, point, i64::min),
            ExprKind::Max(list) => fold(list, point, i64::max),
        }
    }
}

fn divisor(divisor: &Divisor, point: &[i64]) -> Result<i64, EvalError> {
    match divisor {
        Divisor::Integer(value) => Ok(*value),
        Divisor::Named(expr) => match expr.eval(point)? {
            value if value < 1 => Err(EvalError::Divisor(expr.clone())),
            value => Ok(value),
        },
    }
}

fn fold(list: &[Expr], point: &[i64], choose: fn(i64, i64) -> i64) -> Result<i64, EvalError> {
    let mut values = list.iter().map(|expr| expr.eval(point));
    let first = values.next().unwrap_or(Ok(0))?; // a min or max has at least two operands
    values.try_fold(first, |chosen, value| Ok(choose(chosen, value?)))
}
