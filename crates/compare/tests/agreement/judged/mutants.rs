//! Mutated maps: with another stride, constant, bound, clamp, source, constraint, or order of results.

use affinor::expr::{Domain, Expr, IndexingMap, VariableId, VariableKind};
use affinor::num::Interval;
use affinor_ops::indexing::{OperandMap, ValueSource};

/// Returns wrong (or only different) versions of a map.
pub fn mutants(map: &OperandMap) -> Vec<OperandMap> {
    let (domain, results) = (map.map.domain(), map.map.results());
    let with = |domain: Domain, results: Vec<Expr>| OperandMap {
        map: IndexingMap::new(domain, results),
        ..map.clone()
    };
    let rebuilt = |number: Option<usize>, bounds: Option<Interval>, dropped: Option<usize>| {
        let mut variables = domain.variables().to_vec();
        if let (Some(number), Some(bounds)) = (number, bounds) {
            variables[number].bounds = bounds;
        }
        let mut other = Domain::new(variables);
        for (place, constraint) in domain.constraints().iter().enumerate() {
            if dropped != Some(place) {
                other.constrain(&constraint.expr, constraint.bounds);
            }
        }
        other
    };
    let mut mutants = Vec::new();
    for (place, result) in results.iter().enumerate() {
        for other in [
            Expr::sum(1, [(1, result.clone())]),
            Expr::sum(-1, [(1, result.clone())]),
            Expr::sum(0, [(2, result.clone())]),
            result.floordiv(2),
            Ok(Expr::constant(0)),
            Expr::sum(3, [(-1, result.clone())]),
        ] {
            let mut results = results.to_vec();
            results[place] = other.expect("small");
            mutants.push(with(domain.clone(), results));
        }
    }
    if let [first, second, ..] = results {
        let mut swapped = results.to_vec();
        (swapped[0], swapped[1]) = (second.clone(), first.clone());
        mutants.push(with(domain.clone(), swapped));
    }
    for (number, variable) in domain.variables().iter().enumerate() {
        let (lo, hi) = (variable.bounds.lo(), variable.bounds.hi());
        for bounds in [(lo + 1, hi), (lo, hi - 1), (lo, hi + 1), (lo - 1, hi)] {
            let is_range = variable.kind == VariableKind::Range;
            if bounds.0 <= bounds.1 && (is_range || lo <= bounds.0 && bounds.1 <= hi) {
                let bounds = Interval::new(bounds.0, bounds.1);
                mutants.push(with(rebuilt(Some(number), Some(bounds), None), results.to_vec()));
            }
        }
        let held = Expr::variable(VariableId(number as u32)).modulo(2).expect("small");
        let mut halved = domain.clone();
        halved.constrain(&held, Interval::point(0));
        mutants.push(with(halved, results.to_vec()));
    }
    for (place, constraint) in domain.constraints().iter().enumerate() {
        mutants.push(with(rebuilt(None, None, Some(place)), results.to_vec()));
        let (lo, hi) = (constraint.bounds.lo(), constraint.bounds.hi());
        for (lo, hi) in [(lo - 1, hi), (lo + 1, hi), (lo, hi - 1), (lo, hi + 1)] {
            let mut other = rebuilt(None, None, Some(place));
            other.constrain(&constraint.expr, Interval::new(lo, hi));
            mutants.push(with(other, results.to_vec()));
        }
    }
    for number in 0..map.runtime.len() {
        let mut other = map.clone();
        let clamp = other.runtime[number].clamp;
        other.runtime[number].clamp = Interval::new(clamp.lo(), clamp.hi() - 1);
        mutants.push(other);
        let mut other = map.clone();
        if let ValueSource::Operand { operand, .. } = &mut other.runtime[number].source {
            *operand += 1;
        }
        mutants.push(other);
        for place in 0..map.runtime[number].index.len() {
            let mut other = map.clone();
            let index = &mut other.runtime[number].index[place];
            *index = Expr::sum(1, [(1, index.clone())]).expect("small");
            mutants.push(other);
        }
    }
    mutants
}
