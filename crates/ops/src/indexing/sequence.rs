//! Consecutive reads: composes the maps of two ops.
//!
//! Law: for the same tensors, from which the runtime variables are taken, the composition reads the elements that the second map
//! reads for the elements that the first map reads. It is exact if both maps are.
//!
//! The index of a runtime variable is an expression over the variables of its map. It is composed and simplified as an
//! additional result of the map, so that it stays paired with its variable: runtime variables are identified by tensor and
//! index, not by position.
//! For all sizes: `slice-of-*`, `pad-of-pad`, `reshape-middle`, `window-of-window` and `clamped-twice` of `rules/ops.rules`.

use super::reads::{OperandMap, RuntimeVariable};
use affinor::expr::{ComposeError, Expr, ExprError, IndexingMap, VariableId, VariableKind};

/// `second` after `first`. Nothing is simplified.
pub(super) fn compose(first: &OperandMap, second: &OperandMap) -> Result<OperandMap, ComposeError> {
    let composed = first.map.then(&with_indices(second))?;
    let (domain, mut results) = composed.into_parts();
    let mut indices = results.split_off(second.map.results().len()).into_iter();
    // The numbering documented at `then`: dimensions of the first; ranges, then runtime variables, of the second before those
    // of the first.
    let (ranges, runtimes) = (VariableKind::Range, VariableKind::Runtime);
    let dimensions = first.map.domain().count(VariableKind::Dimension);
    let second_ranges = second.map.domain().count(ranges);
    let second_runtimes = second.map.domain().count(runtimes);
    let first_ranges = first.map.domain().count(ranges);
    let of_first = |id: VariableId| {
        let index = id.index();
        let shift = if index < dimensions {
            0
        } else if index < dimensions + first_ranges {
            second_ranges
        } else {
            second_ranges + second_runtimes
        };
        VariableId((index + shift) as u32)
    };
    let of_second = |id: VariableId| {
        let second_dimensions = second.map.domain().count(VariableKind::Dimension);
        let after = id.index() - second_dimensions; // runtime variables are not dimensions
        VariableId((dimensions + after + first_ranges) as u32)
    };
    let renumbered: Vec<Expr> = (0..first.map.domain().variables().len())
        .map(|index| Expr::variable(of_first(VariableId(index as u32))))
        .collect();
    let mut runtime = Vec::with_capacity(first.runtime.len() + second.runtime.len());
    for variable in &first.runtime {
        let index: Result<Vec<Expr>, ExprError> =
            variable.index.iter().map(|index| index.substitute(&renumbered)).collect();
        runtime.push(RuntimeVariable {
            variable: of_first(variable.variable),
            index: index?,
            ..variable.clone()
        });
    }
    for variable in &second.runtime {
        runtime.push(RuntimeVariable {
            variable: of_second(variable.variable),
            index: indices.by_ref().take(variable.index.len()).collect(),
            ..variable.clone()
        });
    }
    Ok(OperandMap {
        map: IndexingMap::new(domain, results),
        exactness: first.exactness.and(&second.exactness),
        runtime,
    })
}

/// Returns the map with the indices of all runtime variables as additional results.
#[must_use]
pub fn with_indices(map: &OperandMap) -> IndexingMap {
    let indices = map.runtime.iter().flat_map(|runtime| &runtime.index);
    let results = map.map.results().iter().chain(indices).cloned();
    IndexingMap::new(map.map.domain().clone(), results.collect())
}

/// Returns the inverse of [`with_indices`]: splits the results of `map` like those of `like`.
pub(super) fn without_indices(map: IndexingMap, like: &OperandMap) -> OperandMap {
    let (domain, mut results) = map.into_parts();
    let mut indices = results.split_off(like.map.results().len()).into_iter();
    let runtime = like.runtime.iter().map(|runtime| RuntimeVariable {
        index: indices.by_ref().take(runtime.index.len()).collect(),
        ..runtime.clone()
    });
    let runtime = runtime.collect();
    OperandMap {
        map: IndexingMap::new(domain, results),
        exactness: like.exactness.clone(),
        runtime,
    }
}

#[cfg(test)]
mod tests {
    use super::super::reads::{Exactness, ValueSource};
    use super::super::testing::{points, read_of_tensors};
    use super::super::tidy::Tidy;
    use super::*;
    use affinor::expr::{Domain, Variable};
    use affinor::num::Interval;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn linear(constant: i64, coefficients: &[i64]) -> Expr {
        let terms = (0..).map(VariableId).zip(coefficients);
        let terms = terms.map(|(id, c)| (*c, Expr::variable(id)));
        Expr::sum(constant, terms).expect("small numbers")
    }

    /// Returns a strategy for maps `(d0, d1)[s0, s1]{rt0, rt1}` with two results, a constraint, and `rt1` at an index that uses
    /// `rt0`, so that indices, ranges and both kinds of sharing occur.
    fn map() -> impl Strategy<Value = OperandMap> {
        let coefficients = |count| prop::collection::vec(-1i64..3, count);
        let results = prop::collection::vec((-1i64..2, coefficients(6)), 2);
        let constraint = (coefficients(6), -4i64..3, 0i64..8);
        let runtime = (0usize..2, coefficients(4), coefficients(5));
        (results, constraint, runtime).prop_map(|(results, constraint, runtime)| {
            let variable = |stem: &'static str, kind, hi| {
                (0..2).map(move |k| Variable::new(format!("{stem}{k}"), kind, Interval::new(0, hi)))
            };
            let variables = variable("d", VariableKind::Dimension, 3)
                .chain(variable("s", VariableKind::Range, 1))
                .chain(variable("rt", VariableKind::Runtime, 2));
            let mut domain = Domain::new(variables.collect());
            let (expr, lo, width) = constraint;
            domain.constrain(&linear(0, &expr), Interval::new(lo, lo + width));
            let results = results.iter().map(|(c, expr)| linear(*c, expr));
            let (operand, first, second) = runtime;
            let value = |id, operand, index| RuntimeVariable {
                variable: VariableId(id),
                source: ValueSource::Operand { operand, path: Vec::new() },
                index: vec![index],
                clamp: Interval::new(0, 2),
                is_choice: false,
            };
            OperandMap {
                map: IndexingMap::new(domain, results.collect()),
                exactness: Exactness::Exact,
                runtime: vec![
                    value(4, operand, linear(0, &first)),
                    value(5, 1, linear(0, &second)),
                ],
            }
        })
    }

    /// Integer tensors: the element at `index` of the tensor `operand`.
    fn element(operand: usize, index: &[i64]) -> i64 {
        let sum: i64 = index.iter().map(|x| x * 5).sum();
        (operand as i64 * 3 + sum).rem_euclid(4) - 1
    }

    fn read_at(map: &OperandMap, d: &[i64]) -> BTreeSet<Vec<i64>> {
        read_of_tensors(map, d, element)
    }

    proptest! {
        #[test]
        fn composition_reads_what_one_after_the_other_reads(first in map(), second in map()) {
            let composed = compose(&first, &second).expect("small numbers");
            let tidy = Tidy { simplify: &|map| map.clone(), projects: false };
            let tidied = tidy.apply(&composed).expect("small numbers");
            let inside = |index: &Vec<i64>| index.iter().all(|x| (0..=3).contains(x));
            for d in points(&[4, 4]) {
                let between = read_at(&first, &d);
                let expected: BTreeSet<Vec<i64>> = between
                    .into_iter()
                    .filter(inside)
                    .flat_map(|index| read_at(&second, &index))
                    .collect();
                prop_assert_eq!(&read_at(&composed, &d), &expected, "{:?}", composed);
                let tidied = tidied.as_ref().map(|map| read_at(map, &d)).unwrap_or_default();
                prop_assert_eq!(&tidied, &expected);
            }
        }

        #[test]
        fn tidy_is_idempotent(map in map()) {
            let tidy = Tidy { simplify: &|map| map.clone(), projects: false };
            if let Some(once) = tidy.apply(&map).expect("small numbers") {
                prop_assert_eq!(tidy.apply(&once).expect("small numbers"), Some(once));
            }
        }
    }
}
