//! Drops, rescales and renames the variables of a map.

use super::{Domain, IndexingMap, Variable, VariableKind};
use crate::expr::{Divisor, Expr, ExprError, ExprKind, VariableId};
use crate::num;
use crate::num::Interval;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The reason why a variable could not be rescaled.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum RescaleError {
    /// A rescaled expression overflows.
    #[error(transparent)]
    Expr(#[from] ExprError),
}

impl IndexingMap {
    /// Renames the variables; `names` has one name per variable.
    #[must_use]
    pub fn renamed(&self, names: &[Arc<str>]) -> IndexingMap {
        IndexingMap::new(self.domain().renamed(names), self.results().to_vec())
    }

    /// Turns the first `count` range variables (or all, if there are fewer) into dimensions.
    #[must_use]
    pub fn with_ranges_as_dimensions(&self, count: usize) -> IndexingMap {
        let domain = self.domain().with_ranges_as_dimensions(count);
        IndexingMap::new(domain, self.results().to_vec())
    }

    /// Drops the variables of the given kinds that occur neither in a result nor in a constraint.
    ///
    /// The set of results over all values of the dropped variables stays the same: either their intervals are nonempty, or the
    /// whole domain is empty. No constraint is dropped.
    #[must_use]
    pub fn without_unused(&self, kinds: &[VariableKind]) -> IndexingMap {
        let mut used = BTreeSet::new();
        self.results().iter().for_each(|result| result.collect_variables(&mut used));
        self.domain()
            .constraints()
            .iter()
            .for_each(|constraint| constraint.expr.collect_variables(&mut used));
        let keep: Vec<bool> = (0u32..)
            .zip(self.domain().variables())
            .map(|(index, variable)| {
                !kinds.contains(&variable.kind) || used.contains(&VariableId(index))
            })
            .collect();
        self.keeping(&keep)
    }

    /// Fixes the values of some variables and removes them from the map.
    ///
    /// Law: the value at a point is that of this map at the point with the fixed values filled in; if a fixed value is out of
    /// bounds, the domain is empty.
    ///
    /// # Errors
    /// [`ExprError`] if an expression overflows.
    pub fn bound(&self, values: &[(VariableId, i64)]) -> Result<IndexingMap, ExprError> {
        let value_of = |id: VariableId| {
            let found = values.iter().find(|(bound, _)| *bound == id);
            found.map(|(_, value)| *value)
        };
        let mut kept = Vec::new();
        let mut places = Vec::new();
        for (id, variable) in (0..).map(VariableId).zip(self.domain().variables()) {
            match value_of(id) {
                Some(value) => places.push(Expr::constant(value)),
                None => {
                    places.push(Expr::variable(VariableId(kept.len() as u32)));
                    kept.push(variable.clone());
                }
            }
        }
        let mut domain = Domain::new(kept);
        let inside = |(id, value): &(VariableId, i64)| self.domain().bounds(*id).contains(*value);
        if !values.iter().all(inside) {
            domain.make_empty();
        }
        self.substituted(domain, &places)
    }

    /// Orders the parameters as in `other`; those that `other` lacks come last. A parameter that only `other` has is added, with
    /// its bounds there.
    ///
    /// # Errors
    /// [`ExprError`] if a renumbered expression overflows.
    pub fn with_parameters_of(&self, other: &Domain) -> Result<IndexingMap, ExprError> {
        let of_kind = |domain: &Domain| -> Vec<Variable> {
            let parameters = domain.ids(VariableKind::Parameter);
            parameters.map(|id| domain.variables()[id.index()].clone()).collect()
        };
        let own = of_kind(self.domain());
        let first = self.domain().variables().len() - own.len();
        let mut variables = self.domain().variables()[..first].to_vec();
        let mut places: Vec<Expr> =
            (0u32..).map(VariableId).take(first).map(Expr::variable).collect();
        for theirs in of_kind(other) {
            let bounds = match other.is_known_empty() {
                true => Interval::ALL,
                false => theirs.bounds,
            };
            let known = own.iter().find(|own| own.name == theirs.name).cloned();
            variables.push(known.unwrap_or(Variable { bounds, ..theirs }));
        }
        for own in &own {
            if !variables[first..].iter().any(|listed| listed.name == own.name) {
                variables.push(own.clone());
            }
        }
        for own in &own {
            let mut listed = (first as u32..).zip(&variables[first..]);
            let place = listed.find(|(_, listed)| listed.name == own.name);
            places.extend(place.map(|(id, _)| Expr::variable(VariableId(id))));
        }
        self.substituted(Domain::new(variables), &places)
    }

    /// Turns the variables that satisfy `is_meant` into range variables; also returns the new number of each variable.
    ///
    /// # Errors
    /// [`ExprError`] if a renumbered expression overflows.
    pub fn with_ranges(
        &self,
        is_meant: impl Fn(VariableId) -> bool,
    ) -> Result<(IndexingMap, Vec<VariableId>), ExprError> {
        let own = (0..).map(VariableId).zip(self.domain().variables());
        let mut variables: Vec<(VariableId, Variable)> = own
            .map(|(id, variable)| {
                let kind = match is_meant(id) {
                    true => VariableKind::Range,
                    false => variable.kind,
                };
                let bounds = variable.bounds;
                (id, Variable::new(variable.name.clone(), kind, bounds))
            })
            .collect();
        // A stable sort, as in `Domain::new`.
        variables.sort_by_key(|(_, variable)| variable.kind);
        let mut numbers = vec![VariableId(0); variables.len()];
        for (number, (id, _)) in (0..).zip(&variables) {
            numbers[id.index()] = VariableId(number);
        }
        let places: Vec<Expr> = numbers.iter().copied().map(Expr::variable).collect();
        let domain = Domain::new(variables.into_iter().map(|(_, v)| v).collect());
        Ok((self.substituted(domain, &places)?, numbers))
    }

    /// Rewrites each range variable `s` with a constraint `s mod c in [r, r]` as `c * s + r` with the bounds of the
    /// quotient, and drops the constraint, which is then always true.
    ///
    /// Laws (`rules/constraints.rules`): `stride-onto`, `stride-bounds`; they hold for negative bounds too.
    ///
    /// # Errors
    /// [`RescaleError::Expr`] if a coefficient overflows.
    pub fn with_rescaled_ranges(&self) -> Result<IndexingMap, RescaleError> {
        let mut map = self.clone();
        for id in self.domain().ids(VariableKind::Range) {
            let stride = map.domain().constraints().iter().find_map(|constraint| match constraint
                .expr
                .kind()
            {
                ExprKind::Mod(x, Divisor::Integer(c)) if x.as_variable() == Some(id) => {
                    constraint.bounds.as_point().filter(|r| 0 <= *r && r < c).map(|r| (*c, r))
                }
                _ => None,
            });
            if let Some((stride, remainder)) = stride {
                map = map.rescaled(id, stride, remainder)?;
            }
        }
        Ok(map)
    }

    fn rescaled(
        &self,
        id: VariableId,
        stride: i64,
        remainder: i64,
    ) -> Result<IndexingMap, RescaleError> {
        let bounds = self.domain().bounds(id);
        let lo = match bounds.lo() {
            crate::num::MINUS_INFINITY => crate::num::MINUS_INFINITY,
            // `ceil((lo - r) / c)` without computing `lo - r`, which may not fit.
            lo => num::floordiv(lo, stride) + i64::from(num::modulo(lo, stride) > remainder),
        };
        let hi = match bounds.hi() {
            crate::num::PLUS_INFINITY => crate::num::PLUS_INFINITY,
            hi => num::floordiv(hi, stride) - i64::from(num::modulo(hi, stride) < remainder),
        };
        let mut variables = self.domain().variables().to_vec();
        variables[id.index()].bounds = Interval::new(lo, hi);
        let replacements: Vec<Expr> = (0..variables.len() as u32)
            .map(|index| {
                let variable = Expr::variable(VariableId(index));
                if index == id.0 {
                    Expr::sum(remainder, [(stride, variable)])
                } else {
                    Ok(variable)
                }
            })
            .collect::<Result<_, _>>()?;
        let mut domain = Domain::new(variables);
        let stride_constraint = Expr::variable(id).modulo(stride)?;
        for constraint in self.domain().constraints() {
            if constraint.expr != stride_constraint {
                domain.constrain(&constraint.expr.substitute(&replacements)?, constraint.bounds);
            }
        }
        if self.domain().is_known_empty() {
            domain.make_empty();
        }
        let results: Result<Vec<Expr>, ExprError> =
            self.results().iter().map(|result| result.substitute(&replacements)).collect();
        Ok(IndexingMap::new(domain, results?))
    }

    /// Drops the variables not marked in `keep`; these must not occur in any expression.
    fn keeping(&self, keep: &[bool]) -> IndexingMap {
        let mut next = 0u32;
        let renumbered: Vec<Expr> = keep
            .iter()
            .map(|kept| {
                let expr = Expr::variable(VariableId(next));
                next += u32::from(*kept);
                expr
            })
            .collect();
        let variables: Vec<Variable> = self
            .domain()
            .variables()
            .iter()
            .zip(keep)
            .filter(|(_, kept)| **kept)
            .map(|(variable, _)| variable.clone())
            .collect();
        // Renumbering keeps the order of variables, so no sum changes its size and nothing can overflow.
        let renumber = |expr: &Expr| expr.substitute(&renumbered).unwrap_or_else(|_| expr.clone());
        let mut domain = Domain::new(variables);
        for constraint in self.domain().constraints() {
            domain.constrain(&renumber(&constraint.expr), constraint.bounds);
        }
        if self.domain().is_known_empty() {
            domain.make_empty();
        }
        IndexingMap::new(domain, self.results().iter().map(renumber).collect())
    }
}
