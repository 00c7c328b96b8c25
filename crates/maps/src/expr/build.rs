//! Constructors for sums, products, quotients, remainders, min and max.

use super::sum::SumBuilder;
use super::{Divisor, Expr, ExprError, ExprKind};
use crate::num;

impl Expr {
    /// Builds `constant + c1 * x1 + c2 * x2 + ...`; like terms are merged.
    ///
    /// # Errors
    /// [`ExprError::Overflow`] if a coefficient of the merged sum does not fit.
    pub fn sum(
        constant: i64,
        terms: impl IntoIterator<Item = (i64, Expr)>,
    ) -> Result<Expr, ExprError> {
        let mut builder = SumBuilder { constant: i128::from(constant), terms: Vec::new() };
        for (coefficient, expr) in terms {
            let added = builder.add(i128::from(coefficient), &expr);
            added.ok_or(ExprError::Overflow)?;
        }
        builder.finish()
    }

    /// `self + other`.
    ///
    /// # Errors
    /// [`ExprError::Overflow`] if a coefficient does not fit.
    pub fn add(&self, other: &Expr) -> Result<Expr, ExprError> {
        Expr::sum(0, [(1, self.clone()), (1, other.clone())])
    }

    /// `self - other`.
    ///
    /// # Errors
    /// [`ExprError::Overflow`] if a coefficient does not fit.
    pub fn sub(&self, other: &Expr) -> Result<Expr, ExprError> {
        Expr::sum(0, [(1, self.clone()), (-1, other.clone())])
    }

    /// `factor * self`. A sum stays a factor unless `factor` is -1, 0 or 1.
    ///
    /// # Errors
    /// [`ExprError::Overflow`] if a coefficient does not fit.
    pub fn scale(&self, factor: i64) -> Result<Expr, ExprError> {
        Expr::sum(0, [(factor, self.clone())])
    }

    /// `self * other`. By a constant it is [`Expr::scale`].
    ///
    /// # Errors
    /// The errors of [`Expr::product`].
    pub fn times(&self, other: &Expr) -> Result<Expr, ExprError> {
        Expr::product([self.clone(), other.clone()])
    }

    /// Builds the product of `factors`. Nothing is distributed: a sum of several summands stays a factor.
    ///
    /// # Errors
    /// [`ExprError::Overflow`] if the coefficient does not fit; [`ExprError::TooDeep`].
    pub fn product(factors: impl IntoIterator<Item = Expr>) -> Result<Expr, ExprError> {
        let mut coefficient = 1i128;
        let mut list: Vec<Expr> = Vec::new();
        let mut waiting: Vec<Expr> = factors.into_iter().collect();
        while let Some(factor) = waiting.pop() {
            let taken = match factor.kind() {
                ExprKind::Constant(value) => *value,
                ExprKind::Product(inner) => {
                    list.extend_from_slice(inner);
                    continue;
                }
                ExprKind::Sum(sum) if sum.constant() == 0 && sum.terms().len() == 1 => {
                    let (taken, inner) = &sum.terms()[0];
                    waiting.push(inner.clone());
                    *taken
                }
                _ => {
                    list.push(factor);
                    continue;
                }
            };
            if taken == 0 {
                return Ok(Expr::constant(0));
            }
            let product = coefficient.checked_mul(i128::from(taken));
            coefficient = product.ok_or(ExprError::Overflow)?;
        }
        list.sort();
        let coefficient = i64::try_from(coefficient).map_err(|_| ExprError::Overflow)?;
        let product = match list.as_slice() {
            [] => return Ok(Expr::constant(coefficient)),
            [factor] => factor.clone(),
            _ => Expr::checked(ExprKind::Product(list))?,
        };
        product.scale(coefficient)
    }

    /// `self floordiv divisor`.
    ///
    /// # Errors
    /// [`ExprError::Divisor`] unless `divisor >= 1`; [`ExprError::TooDeep`].
    pub fn floordiv(&self, divisor: i64) -> Result<Expr, ExprError> {
        self.divide(divisor, num::floordiv, ExprKind::FloorDiv, self)
    }

    /// `self ceildiv divisor`.
    ///
    /// # Errors
    /// [`ExprError::Divisor`] unless `divisor >= 1`; [`ExprError::TooDeep`].
    pub fn ceildiv(&self, divisor: i64) -> Result<Expr, ExprError> {
        self.divide(divisor, num::ceildiv, ExprKind::CeilDiv, self)
    }

    /// `self mod divisor`.
    ///
    /// # Errors
    /// [`ExprError::Divisor`] unless `divisor >= 1`; [`ExprError::TooDeep`].
    pub fn modulo(&self, divisor: i64) -> Result<Expr, ExprError> {
        self.divide(divisor, num::modulo, ExprKind::Mod, &Expr::constant(0))
    }

    /// `self floordiv divisor`, which has a value where `divisor >= 1`.
    ///
    /// # Errors
    /// [`ExprError::Divisor`] if the divisor is an integer and not positive; [`ExprError::TooDeep`].
    pub fn floordiv_by(&self, divisor: &Expr) -> Result<Expr, ExprError> {
        match divisor.as_constant() {
            Some(value) => self.floordiv(value),
            None => self.divide_by(divisor, ExprKind::FloorDiv),
        }
    }

    /// `self ceildiv divisor`, which has a value where `divisor >= 1`.
    ///
    /// # Errors
    /// The errors of [`Expr::floordiv_by`].
    pub fn ceildiv_by(&self, divisor: &Expr) -> Result<Expr, ExprError> {
        match divisor.as_constant() {
            Some(value) => self.ceildiv(value),
            None => self.divide_by(divisor, ExprKind::CeilDiv),
        }
    }

    /// `self mod divisor`, which has a value where `divisor >= 1`.
    ///
    /// # Errors
    /// The errors of [`Expr::floordiv_by`].
    pub fn modulo_by(&self, divisor: &Expr) -> Result<Expr, ExprError> {
        match divisor.as_constant() {
            Some(value) => self.modulo(value),
            None => self.divide_by(divisor, ExprKind::Mod),
        }
    }

    /// Builds the minimum of `operands`, which must not be empty.
    ///
    /// # Errors
    /// [`ExprError::TooDeep`].
    pub fn min(operands: impl IntoIterator<Item = Expr>) -> Result<Expr, ExprError> {
        Expr::min_max(operands, true)
    }

    /// Builds the maximum of `operands`, which must not be empty.
    ///
    /// # Errors
    /// [`ExprError::TooDeep`].
    pub fn max(operands: impl IntoIterator<Item = Expr>) -> Result<Expr, ExprError> {
        Expr::min_max(operands, false)
    }

    fn divide(
        &self,
        divisor: i64,
        on_constant: fn(i64, i64) -> i64,
        kind: fn(Expr, Divisor) -> ExprKind,
        by_one: &Expr,
    ) -> Result<Expr, ExprError> {
        if divisor < 1 {
            return Err(ExprError::Divisor(divisor));
        }
        if divisor == 1 {
            return Ok(by_one.clone());
        }
        if let Some(value) = self.as_constant() {
            return Ok(Expr::constant(on_constant(value, divisor)));
        }
        Expr::checked(kind(self.clone(), Divisor::Integer(divisor)))
    }

    fn divide_by(
        &self,
        divisor: &Expr,
        kind: fn(Expr, Divisor) -> ExprKind,
    ) -> Result<Expr, ExprError> {
        Expr::checked(kind(self.clone(), Divisor::Named(divisor.clone())))
    }

    fn min_max(operands: impl IntoIterator<Item = Expr>, least: bool) -> Result<Expr, ExprError> {
        let mut list: Vec<Expr> = Vec::new();
        let mut constant: Option<i64> = None;
        for operand in operands {
            let nested = match operand.kind() {
                ExprKind::Min(inner) if least => inner.clone(),
                ExprKind::Max(inner) if !least => inner.clone(),
                _ => vec![operand],
            };
            for expr in nested {
                match expr.as_constant() {
                    Some(value) => {
                        constant = Some(match constant {
                            None => value,
                            Some(other) if least => value.min(other),
                            Some(other) => value.max(other),
                        });
                    }
                    None => list.push(expr),
                }
            }
        }
        list.extend(constant.map(Expr::constant));
        list.sort();
        list.dedup();
        debug_assert!(!list.is_empty(), "min and max need an operand");
        if list.len() == 1 {
            return Ok(list.swap_remove(0));
        }
        Expr::checked(if least { ExprKind::Min(list) } else { ExprKind::Max(list) })
    }
}
