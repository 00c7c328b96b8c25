//! The justification of an answer, as equations of maps that a certificate can show.

use affinor::expr::{Domain, Expr, IndexingMap, Variable, VariableId, VariableKind};
use std::sync::Arc;

/// Pairs of maps that all express the same statement: the two maps of a pair are the same function. The equality of any pair
/// proves it. An empty list means that no equation expresses it.
pub type Claim = Vec<(IndexingMap, IndexingMap)>;

/// Returns equations that each state all claims at once: over the dimensions of all of them, with a result for each. The list is
/// empty if a claim has no equation.
#[must_use]
pub fn together(claims: &[Claim]) -> Claim {
    if claims.is_empty() || claims.iter().any(Vec::is_empty) {
        return Vec::new();
    }
    let ways = claims.iter().map(Vec::len).max().unwrap_or(0);
    let way = |number: usize| {
        let pairs = claims.iter().filter_map(|claim| claim.get(number).or(claim.last()));
        let (left, right): (Vec<_>, Vec<_>) = pairs.map(|(left, right)| (left, right)).unzip();
        Some((joined(&left)?, joined(&right)?))
    };
    (0..ways).filter_map(way).collect()
}

/// Returns a map with the results of all maps: over the concatenated dimensions, with parameters identified by name.
fn joined(maps: &[&IndexingMap]) -> Option<IndexingMap> {
    if let [only] = maps {
        return Some((*only).clone());
    }
    let (mut dimensions, mut parameters): (Vec<Variable>, Vec<Variable>) = (Vec::new(), Vec::new());
    for variable in maps.iter().flat_map(|map| map.domain().variables()) {
        match variable.kind {
            VariableKind::Dimension => {
                let name: Arc<str> = format!("d{}", dimensions.len()).into();
                dimensions.push(Variable { name, ..variable.clone() });
            }
            VariableKind::Parameter => {
                match parameters.iter_mut().find(|known| known.name == variable.name) {
                    Some(known) => known.bounds = known.bounds.intersect(variable.bounds),
                    None => parameters.push(variable.clone()),
                }
            }
            _ => return None,
        }
    }
    let count = dimensions.len();
    let known = |name: &str| parameters.iter().position(|known| &*known.name == name);
    let mut domain = Domain::new([dimensions, parameters.clone()].concat());
    let (mut results, mut passed) = (Vec::new(), 0);
    for map in maps {
        let mut places = Vec::new();
        for variable in map.domain().variables() {
            let place = match variable.kind {
                VariableKind::Dimension => passed + places.len(),
                _ => count + known(&variable.name)?,
            };
            places.push(Expr::variable(VariableId(u32::try_from(place).ok()?)));
        }
        passed += map.domain().count(VariableKind::Dimension);
        if map.domain().is_known_empty() {
            domain.make_empty();
        }
        for constraint in map.domain().constraints() {
            domain.constrain(&constraint.expr.substitute(&places).ok()?, constraint.bounds);
        }
        for result in map.results() {
            results.push(result.substitute(&places).ok()?);
        }
    }
    Some(IndexingMap::new(domain, results))
}
