//! Operands of folds, as maps.
//!
//! Law: a map from the indices of a result and the folded indices gives the elements of the operand.

use super::frames::At;
use affinor::expr::{Domain, Expr, IndexingMap, Variable, VariableId, VariableKind};
use affinor::num::Interval;
use affinor_ops::indexing::OperandMap;

/// An operand of a fold.
#[derive(Clone)]
pub(super) struct Folded {
    pub(super) at: At,
    /// The sizes of the folded dimensions.
    pub(super) over: Vec<i64>,
    /// Maps the indices of the result and of the folded dimensions to the index of the operand.
    pub(super) map: IndexingMap,
}

/// Returns the map with the dimensions after the first `rank` permuted: dimension `k` of them was dimension `order[k]`.
pub(super) fn reordered(map: &IndexingMap, rank: usize, order: &[usize]) -> Option<IndexingMap> {
    let old = map.domain();
    let from: Vec<usize> = (0..rank).chain(order.iter().map(|k| rank + k)).collect();
    let variables = from.iter().enumerate().map(|(number, k)| {
        let bounds = old.variables()[*k].bounds;
        Variable::new(format!("d{number}"), VariableKind::Dimension, bounds)
    });
    let mut places = vec![Expr::constant(0); from.len()];
    for (number, k) in from.iter().enumerate() {
        places[*k] = Expr::variable(VariableId(u32::try_from(number).ok()?));
    }
    let domain = domain_over(variables.collect(), old, |expr| expr.substitute(&places).ok())?;
    let results = map.results().iter().map(|result| result.substitute(&places).ok());
    Some(IndexingMap::new(domain, results.collect::<Option<_>>()?))
}

/// Returns a map with its range variables as further dimensions, and the sizes of these.
pub(super) fn spread(map: &IndexingMap) -> Option<(Vec<i64>, IndexingMap)> {
    let old = map.domain();
    let (mut over, mut variables) = (Vec::new(), Vec::new());
    for (number, variable) in old.variables().iter().enumerate() {
        let bounds = variable.bounds;
        (bounds.lo() == 0 && bounds.is_bounded()).then_some(())?;
        if variable.kind == VariableKind::Range {
            over.push(bounds.hi().checked_add(1)?);
        }
        variables.push(Variable::new(format!("d{number}"), VariableKind::Dimension, bounds));
    }
    let domain = domain_over(variables, old, |expr| Some(expr.clone()))?;
    Some((over, IndexingMap::new(domain, map.results().to_vec())))
}

/// Returns the domain of these variables with the constraints of `old`, each expression transformed by `moved`.
pub(super) fn domain_over(
    variables: Vec<Variable>,
    old: &Domain,
    moved: impl Fn(&Expr) -> Option<Expr>,
) -> Option<Domain> {
    let mut domain = Domain::new(variables);
    for constraint in old.constraints() {
        domain.constrain(&moved(&constraint.expr)?, constraint.bounds);
    }
    if old.is_known_empty() {
        domain.make_empty();
    }
    Some(domain)
}

/// Returns a map of a view with further dimensions of these sizes, which are appended to its results.
pub(super) fn extended(map: &OperandMap, over: &[i64]) -> Option<OperandMap> {
    let old = map.map.domain();
    let dimensions = old.count(VariableKind::Dimension);
    // Without other variables, the new dimensions come last.
    (map.runtime.is_empty() && dimensions == old.variables().len()).then_some(())?;
    let mut variables = old.variables().to_vec();
    let mut results = map.map.results().to_vec();
    for size in over {
        let id = VariableId(u32::try_from(variables.len()).ok()?);
        let (name, bounds) = (format!("d{}", variables.len()), Interval::of_size(*size));
        variables.push(Variable::new(name, VariableKind::Dimension, bounds));
        results.push(Expr::variable(id));
    }
    let domain = domain_over(variables, old, |expr| Some(expr.clone()))?;
    Some(OperandMap { map: IndexingMap::new(domain, results), ..map.clone() })
}
