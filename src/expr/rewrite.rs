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

    /// Adds the variables that occur here to `found`.
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

    /// Returns the variables that occur here.
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
            ExprKind::Sum(sum) => {
                let terms: Result<Vec<_>, _> =
                    sum.terms().iter().map(|(c, x)| Ok((*c, self.apply(x)?))).collect();
                Expr::sum(sum.constant(), terms?)?
            }
            ExprKind::Product(list) => Expr::product(self.apply_all(list)?)?,
            ExprKind::FloorDiv(x, Divisor::Integer(c)) => self.apply(x)?.floordiv(*c)?,
            ExprKind::CeilDiv(x, Divisor::Integer(c)) => self.apply(x)?.ceildiv(*c)?,
            ExprKind::Mod(x, Divisor::Integer(c)) => self.apply(x)?.modulo(*c)?,
            ExprKind::FloorDiv(x, Divisor::Named(c)) => {
                self.apply(x)?.floordiv_by(&self.apply(c)?)?
            }
            ExprKind::CeilDiv(x, Divisor::Named(c)) => {
                self.apply(x)?.ceildiv_by(&self.apply(c)?)?
            }
            ExprKind::Mod(x, Divisor::Named(c)) => self.apply(x)?.modulo_by(&self.apply(c)?)?,
            ExprKind::Min(list) => Expr::min(self.apply_all(list)?)?,
            ExprKind::Max(list) => Expr::max(self.apply_all(list)?)?,
        };
        self.done.insert(expr.address(), result.clone());
        Ok(result)
    }

    fn apply_all(&mut self, list: &[Expr]) -> Result<Vec<Expr>, ExprError> {
        list.iter().map(|x| self.apply(x)).collect()
    }
}
