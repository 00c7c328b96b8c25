//! Substitution and variable collection.

use super::{Divisor, Expr, ExprError, ExprKind, VariableId};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

impl Expr {
    /// Substitutes `replacements[i]` for variable `i`.
    ///
    /// Shared subterms are rewritten once and stay shared. A variable without a replacement stays.
    ///
    /// # Errors
    /// [`ExprError::Overflow`] or [`ExprError::TooDeep`] if the result is not representable, [`ExprError::Divisor`] if a
    /// divisor becomes an integer that is not positive.
    pub fn substitute(&self, replacements: &[Expr]) -> Result<Expr, ExprError> {
        Substitution { replacements, done: FxHashMap::default() }.apply(self)
    }

    /// Rebuilds the operation with each operand, named divisors included, replaced by its image under `to`.
    ///
    /// # Errors
    /// The errors of `to`, and those of [`Expr::substitute`].
    pub fn with_operands(
        &self,
        mut to: impl FnMut(&Expr) -> Result<Expr, ExprError>,
    ) -> Result<Expr, ExprError> {
        let mut all = |list: &[Expr]| list.iter().map(&mut to).collect::<Result<Vec<_>, _>>();
        match self.kind() {
            ExprKind::Constant(_) | ExprKind::Variable(_) => Ok(self.clone()),
            ExprKind::Sum(sum) => {
                let terms = sum.terms().iter().map(|(c, x)| Ok((*c, to(x)?)));
                Expr::sum(sum.constant(), terms.collect::<Result<Vec<_>, ExprError>>()?)
            }
            ExprKind::Product(list) => Expr::product(all(list)?),
            ExprKind::FloorDiv(x, Divisor::Integer(c)) => to(x)?.floordiv(*c),
            ExprKind::CeilDiv(x, Divisor::Integer(c)) => to(x)?.ceildiv(*c),
            ExprKind::Mod(x, Divisor::Integer(c)) => to(x)?.modulo(*c),
            ExprKind::FloorDiv(x, Divisor::Named(c)) => to(x)?.floordiv_by(&to(c)?),
            ExprKind::CeilDiv(x, Divisor::Named(c)) => to(x)?.ceildiv_by(&to(c)?),
            ExprKind::Mod(x, Divisor::Named(c)) => to(x)?.modulo_by(&to(c)?),
            ExprKind::Min(list) => Expr::min(all(list)?),
            ExprKind::Max(list) => Expr::max(all(list)?),
        }
    }

    /// Adds the variables that occur in the expression to `found`.
    pub fn collect_variables(&self, found: &mut BTreeSet<VariableId>) {
        fn walk(
            expr: &Expr,
            found: &mut BTreeSet<VariableId>,
            seen: &mut rustc_hash::FxHashSet<usize>,
        ) {
            if let Some(id) = expr.as_variable() {
                found.insert(id);
            } else if seen.insert(expr.address()) {
                expr.operands().for_each(|operand| walk(operand, found, seen));
            }
        }
        walk(self, found, &mut rustc_hash::FxHashSet::default());
    }

    /// Returns the variables that occur in the expression.
    #[must_use]
    pub fn variables(&self) -> BTreeSet<VariableId> {
        let mut found = BTreeSet::new();
        self.collect_variables(&mut found);
        found
    }
}

/// Rewrites each shared node once, keyed by its address: the expressions outlive the pass.
pub(super) struct Substitution<'a> {
    replacements: &'a [Expr],
    done: FxHashMap<usize, Expr>,
}

impl Substitution<'_> {
    fn apply(&mut self, expr: &Expr) -> Result<Expr, ExprError> {
        if let Some(done) = self.done.get(&expr.address()) {
            return Ok(done.clone());
        }
        let result = match expr.kind() {
            ExprKind::Constant(_) => expr.clone(),
            ExprKind::Variable(id) => self.replacements.get(id.index()).unwrap_or(expr).clone(),
            _ => expr.with_operands(|x| self.apply(x))?,
        };
        self.done.insert(expr.address(), result.clone());
        Ok(result)
    }
}
