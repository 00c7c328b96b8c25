//! Builds the map of one op: variables with their intervals first, then results over them.
//!
//! Law: a built map's dimensions are the indices of the tensor it starts from, one for each size. The builder is independent of
//! ops; the families of ops supply the results.

use super::op::NoMap;
use affinor::expr::{Domain, Expr, IndexingMap, Variable, VariableId, VariableKind};
use affinor::num::Interval;

/// A map under construction. Range variables are added before runtime variables, as maps list them.
#[derive(Clone, Debug)]
pub(super) struct MapBuilder {
    variables: Vec<Variable>,
    dimensions: usize,
    ranges: usize,
}

impl MapBuilder {
    /// Starts a map from the indices of a tensor with these sizes.
    pub(super) fn over(sizes: &[i64]) -> MapBuilder {
        let variables = (0..).zip(sizes).map(|(index, size): (usize, &i64)| {
            Variable::new(format!("d{index}"), VariableKind::Dimension, Interval::of_size(*size))
        });
        MapBuilder { variables: variables.collect(), dimensions: sizes.len(), ranges: 0 }
    }

    /// Returns the dimension variables, in order.
    pub(super) fn dimensions(&self) -> Vec<Expr> {
        (0..self.dimensions).map(variable).collect()
    }

    /// Adds a range variable over the indices of a dimension of this size.
    pub(super) fn range(&mut self, size: i64) -> Expr {
        debug_assert_eq!(self.variables.len(), self.dimensions + self.ranges);
        self.range_called(&format!("s{}", self.ranges), size)
    }

    /// Adds a range variable of this name.
    pub(super) fn range_called(&mut self, name: &str, size: i64) -> Expr {
        self.ranges += 1;
        self.push(Variable::new(name, VariableKind::Range, Interval::of_size(size)))
    }

    /// Adds a range variable, or returns 0 if that is the only index.
    pub(super) fn any_index(&mut self, size: i64) -> Expr {
        match size {
            1 => Expr::constant(0),
            _ => self.range(size),
        }
    }

    /// Adds a runtime variable.
    pub(super) fn runtime(&mut self, bounds: Interval) -> (VariableId, Expr) {
        let index = self.variables.len() - self.dimensions - self.ranges;
        let id = VariableId(self.variables.len() as u32);
        let variable = Variable::new(format!("rt{index}"), VariableKind::Runtime, bounds);
        (id, self.push(variable))
    }

    /// Finishes the map with these results.
    pub(super) fn finish(self, results: Vec<Expr>) -> IndexingMap {
        IndexingMap::new(Domain::new(self.variables), results)
    }

    fn push(&mut self, variable: Variable) -> Expr {
        let id = VariableId(self.variables.len() as u32);
        self.variables.push(variable);
        Expr::variable(id)
    }
}

fn variable(index: usize) -> Expr {
    Expr::variable(VariableId(index as u32))
}

/// `(d0, ..) -> (d0, ..)`.
pub(super) fn identity(sizes: &[i64]) -> IndexingMap {
    let builder = MapBuilder::over(sizes);
    let results = builder.dimensions();
    builder.finish(results)
}

/// `(d0, ..) -> ()`: every output element reads the one element of a scalar.
pub(super) fn scalar(sizes: &[i64]) -> IndexingMap {
    MapBuilder::over(sizes).finish(Vec::new())
}

/// `(d0, ..)[s0, ..] -> (s0, ..)`: every output element may read every element of the operand.
pub(super) fn everything(sizes: &[i64], operand: &[i64]) -> IndexingMap {
    let mut builder = MapBuilder::over(sizes);
    let results = operand.iter().map(|size| builder.range(*size)).collect();
    builder.finish(results)
}

/// `(d0, ..)[s0, ..] -> ..`: the same index, except for any index in the dimensions `whole`, each of which becomes a range
/// variable, in order. The other dimensions of output and operand must have equal sizes.
pub(super) fn fibres(
    what: &str,
    output: &[i64],
    operand: &[i64],
    whole: &[usize],
) -> Result<IndexingMap, NoMap> {
    check_dimensions(what, whole, operand.len())?;
    let fits = output.len() == operand.len()
        && (0..output.len()).all(|k| whole.contains(&k) || output[k] == operand[k]);
    if !fits {
        return Err(NoMap::invalid(format!(
            "{what} of sizes {operand:?} along dimensions {whole:?} does not give sizes {output:?}"
        )));
    }
    let mut builder = MapBuilder::over(output);
    let mut results = builder.dimensions();
    for (k, size) in operand.iter().enumerate() {
        if whole.contains(&k) {
            results[k] = builder.range(*size);
        }
    }
    Ok(builder.finish(results))
}

/// `expr in bounds`: a condition on an index.
pub(super) type Condition = (Expr, Interval);

/// Restricts `map` by `conditions`, except those that the intervals of its variables imply.
pub(super) fn restrict(map: &IndexingMap, conditions: &[Condition]) -> IndexingMap {
    conditions.iter().fold(map.clone(), |map, (expr, bounds)| {
        match bounds.contains_all(map.domain().range_of(expr)) {
            true => map,
            false => map.restricted(expr, *bounds),
        }
    })
}

/// Rejects a list that names a dimension twice or beyond the rank.
pub(super) fn check_dimensions(what: &str, list: &[usize], rank: usize) -> Result<(), NoMap> {
    let mut seen = vec![false; rank];
    for dimension in list {
        match seen.get_mut(*dimension) {
            None => {
                return Err(NoMap::invalid(format!(
                    "{what} names dimension {dimension} of a tensor of rank {rank}"
                )));
            }
            Some(true) => {
                return Err(NoMap::invalid(format!("{what} names dimension {dimension} twice")));
            }
            Some(first) => *first = true,
        }
    }
    Ok(())
}
