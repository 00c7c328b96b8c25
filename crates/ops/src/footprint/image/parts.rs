//! Splits a map into independent parts.
//!
//! Law: no variable, constraint or result of one part mentions a variable of another. So the domain is the product of
//! the domains of the parts, and the set of results is the product of the sets of results of the parts.

use affinor::expr::{Domain, Expr, ExprError, IndexingMap, VariableId};
use std::collections::BTreeSet;

/// An independent part of a map.
pub(super) struct Part {
    /// The part's variables, constraints and results.
    pub(super) map: IndexingMap,
    /// Indices of the part's results in the whole map.
    pub(super) results: Vec<usize>,
}

/// Splits `map`; constant results are parts without variables. The domain must not be known to be empty.
pub(super) fn parts(map: &IndexingMap) -> Result<Vec<Part>, ExprError> {
    let domain = map.domain();
    let mut group: Vec<usize> = (0..domain.variables().len()).collect();
    let constraints = domain.constraints().iter().map(|c| &c.expr);
    for expr in constraints.chain(map.results()) {
        let variables: Vec<usize> = expr.variables().iter().map(|id| id.index()).collect();
        let Some(first) = variables.first().map(|id| group[*id]) else {
            continue;
        };
        let joined: BTreeSet<usize> = variables.iter().map(|id| group[*id]).collect();
        for of in &mut group {
            if joined.contains(of) {
                *of = first;
            }
        }
    }
    let numbers: BTreeSet<usize> = group.iter().copied().collect();
    let mut parts = Vec::new();
    for number in numbers {
        let members: Vec<usize> = (0..group.len()).filter(|id| group[*id] == number).collect();
        parts.push(part(map, &members)?);
    }
    let constant = |index: &usize| map.results()[*index].variables().is_empty();
    let constants: Vec<usize> = (0..map.results().len()).filter(constant).collect();
    if !constants.is_empty() {
        let results = constants.iter().map(|index| map.results()[*index].clone());
        parts.push(Part {
            map: IndexingMap::new(Domain::new(Vec::new()), results.collect()),
            results: constants,
        });
    }
    Ok(parts)
}

fn part(map: &IndexingMap, members: &[usize]) -> Result<Part, ExprError> {
    let domain = map.domain();
    let mut places: Vec<Expr> = vec![Expr::constant(0); domain.variables().len()];
    for (place, member) in (0..).zip(members) {
        places[*member] = Expr::variable(VariableId(place));
    }
    let variables = members.iter().map(|k| domain.variables()[*k].clone());
    let mut own = Domain::new(variables.collect());
    let is_own = |expr: &Expr| {
        let first = expr.variables().into_iter().next();
        first.is_some_and(|id| members.contains(&id.index()))
    };
    for constraint in domain.constraints() {
        if is_own(&constraint.expr) {
            own.constrain(&constraint.expr.substitute(&places)?, constraint.bounds);
        }
    }
    let numbers: Vec<usize> =
        (0..map.results().len()).filter(|index| is_own(&map.results()[*index])).collect();
    let results = numbers.iter().map(|k| map.results()[*k].substitute(&places));
    Ok(Part { map: IndexingMap::new(own, results.collect::<Result<_, _>>()?), results: numbers })
}
