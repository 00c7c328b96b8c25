//! Converts a relation to an index map, for provers.
//!
//! Dimensions are output indices; range variables are operand indices, then loop indices; runtime variables are values;
//! results are the operand indices. Conditions become constraints literally.

use super::relation::{Index, Relation, Sum, indices};
use affinor_maps::expr::{
    Domain, Expr, ExprError, IndexingMap, Variable, VariableId, VariableKind,
};
use affinor_maps::num::Interval;

impl Relation {
    /// Converts the relation to a map: `(d0, ..)[i0, .., s0, ..]{rt0, ..} -> (i0, ..)`.
    ///
    /// # Errors
    /// [`ExprError`] if a condition is not representable.
    pub fn to_map(&self) -> Result<IndexingMap, ExprError> {
        let named = |stem: &'static str, kind: VariableKind, bounds: Vec<Interval>| {
            let bounds = bounds.into_iter().enumerate();
            bounds.map(move |(k, bounds)| Variable::new(format!("{stem}{k}"), kind, bounds))
        };
        let sized = |sizes: &[i64]| sizes.iter().map(|size| indices(*size)).collect();
        let values = self.values().iter().map(|value| value.clamp).collect();
        let variables = named("d", VariableKind::Dimension, sized(self.output()))
            .chain(named("i", VariableKind::Range, sized(self.operand())))
            .chain(named("s", VariableKind::Range, self.loops().to_vec()))
            .chain(named("rt", VariableKind::Runtime, values));
        let mut domain = Domain::new(variables.collect());
        for condition in self.conditions() {
            domain.constrain(&self.expr(condition.sum())?, condition.bounds());
        }
        let operand = (0..self.operand().len()).map(Index::Operand);
        let results = operand.map(|index| Expr::variable(self.variable(index)));
        Ok(IndexingMap::new(domain, results.collect()))
    }

    /// Converts `sum` to the variables of [`Relation::to_map`].
    ///
    /// # Errors
    /// [`ExprError`] if it is not representable.
    pub fn expr(&self, sum: &Sum) -> Result<Expr, ExprError> {
        let terms = sum.terms().iter();
        let terms = terms.map(|(c, index)| (*c, Expr::variable(self.variable(*index))));
        Expr::sum(sum.constant(), terms)
    }

    /// Returns the variable of [`Relation::to_map`] for `index`.
    #[must_use]
    pub fn variable(&self, index: Index) -> VariableId {
        let (output, operand) = (self.output().len(), self.operand().len());
        let place = match index {
            Index::Output(dimension) => dimension,
            Index::Operand(dimension) => output + dimension,
            Index::Loop(number) => output + operand + number,
            Index::Value(number) => output + operand + self.loops().len() + number,
        };
        VariableId(place as u32)
    }
}
