//! Builds a map with parameters: first dimensions and range variables, bounded by sizes, then the results over them.

use super::facts::Facts;
use super::op::unwritable;
use affinor::expr::{
    Domain, End, Expr, ExprError, IndexingMap, Variable, VariableId, VariableKind, bounded,
};
use affinor::num::Interval;
use affinor::text::Error;

/// A map under construction. Sizes are expressions over the parameters of the facts; the map numbers its variables differently.
#[derive(Clone)]
pub(super) struct MapOver {
    domain: Domain,
    dimensions: usize,
    ranges: usize,
    /// For each parameter of the facts, its variable in the map.
    parameters: Vec<Expr>,
}

impl MapOver {
    /// Starts a map over the indices of a result with these sizes, and range variables bounded by further sizes.
    pub(super) fn new(
        facts: &Facts<'_>,
        sizes: &[Expr],
        ranges: &[Expr],
    ) -> Result<MapOver, Error> {
        let known = facts.domain().variables();
        let is_taken = |name: &String| known.iter().any(|variable| *variable.name == **name);
        let numbered = |letter: char| {
            let names = (0u32..).map(move |index| format!("{letter}{index}"));
            names.filter(move |name| !is_taken(name))
        };
        let natural = Interval::at_least(0);
        let mut variables: Vec<Variable> = Vec::new();
        let names = numbered('d').take(sizes.len());
        variables.extend(names.map(|name| Variable::new(name, VariableKind::Dimension, natural)));
        let names = numbered('s').take(ranges.len());
        variables.extend(names.map(|name| Variable::new(name, VariableKind::Range, natural)));
        let first = variables.len();
        variables.extend(known.iter().cloned());
        let parameters = (first..variables.len()).map(variable).collect();
        let mut map = MapOver {
            domain: Domain::new(variables),
            dimensions: sizes.len(),
            ranges: ranges.len(),
            parameters,
        };
        if facts.domain().is_known_empty() {
            map.domain.make_empty();
        }
        for constraint in facts.domain().constraints() {
            let expr = map.size(&constraint.expr)?;
            map.domain.constrain(&expr, constraint.bounds);
        }
        for (index, size) in sizes.iter().chain(ranges).enumerate() {
            let last = map.size(&size.sub(&Expr::constant(1)).map_err(unwritable)?)?;
            map.bound(&variable(index), End::Upper, &last)?;
        }
        Ok(map)
    }

    /// Returns the indices of the result.
    pub(super) fn dimensions(&self) -> Vec<Expr> {
        (0..self.dimensions).map(variable).collect()
    }

    /// Returns the range variables.
    pub(super) fn ranges(&self) -> Vec<Expr> {
        let end = self.dimensions + self.ranges;
        (self.dimensions..end).map(variable).collect()
    }

    /// Translates a size to the variables of the map.
    pub(super) fn size(&self, size: &Expr) -> Result<Expr, Error> {
        size.substitute(&self.parameters).map_err(unwritable)
    }

    /// Restricts the domain by `expr >= end` or `expr <= end`.
    pub(super) fn bound(&mut self, expr: &Expr, which: End, end: &Expr) -> Result<(), Error> {
        let (expr, bounds) = bounded(expr, which, end).map_err(unwritable)?;
        self.domain.constrain(&expr, bounds);
        Ok(())
    }

    /// Restricts the domain by `expr in bounds`.
    pub(super) fn constrain(&mut self, expr: &Expr, bounds: Interval) {
        self.domain.constrain(expr, bounds);
    }

    /// `x floordiv by`, restricted to a positive divisor. Nothing is lost: a product of sizes of a nonempty array is positive.
    pub(super) fn floordiv(&mut self, x: &Expr, by: &Expr) -> Result<Expr, Error> {
        self.divided(x, by, Expr::floordiv_by)
    }

    /// `x mod by`, restricted to a positive divisor.
    pub(super) fn modulo(&mut self, x: &Expr, by: &Expr) -> Result<Expr, Error> {
        self.divided(x, by, Expr::modulo_by)
    }

    fn divided(
        &mut self,
        x: &Expr,
        by: &Expr,
        divide: fn(&Expr, &Expr) -> Result<Expr, ExprError>,
    ) -> Result<Expr, Error> {
        match divide(x, by) {
            Err(ExprError::Divisor(_)) => {
                self.domain.make_empty();
                Ok(Expr::constant(0))
            }
            quotient => quotient.map_err(unwritable),
        }
    }

    /// Returns the map with these results.
    pub(super) fn finish(self, results: Vec<Expr>) -> IndexingMap {
        IndexingMap::new(self.domain, results)
    }
}

fn variable(index: usize) -> Expr {
    Expr::variable(VariableId(index as u32))
}
