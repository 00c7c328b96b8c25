//! Test support shared by the families: maps as text, and comparison of maps with a plain loop.

use super::op::NoMap;
use super::reads::{OperandMap, ValueSource};
use affinor::expr::{IndexingMap, VariableKind};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Unwraps a family's result for valid arguments.
#[track_caller]
pub(super) fn built<T>(result: Result<T, NoMap>) -> T {
    result.expect("the arguments are right")
}

/// Returns a strategy for up to three small sizes; occasionally one of them is 0.
pub(super) fn sizes() -> impl Strategy<Value = Vec<i64>> {
    prop::collection::vec(prop_oneof![8 => 1i64..5, 1 => Just(0)], 0..4)
}

/// Returns a strategy for sizes with a permutation of the dimensions.
pub(super) fn permuted_sizes() -> impl Strategy<Value = (Vec<i64>, Vec<usize>)> {
    sizes().prop_flat_map(|sizes| {
        let order: Vec<usize> = (0..sizes.len()).collect();
        (Just(sizes), Just(order).prop_shuffle())
    })
}

/// Returns a strategy for sizes with some of the dimensions, in order.
pub(super) fn chosen_sizes() -> impl Strategy<Value = (Vec<i64>, Vec<usize>)> {
    sizes().prop_flat_map(|sizes| {
        let order: Vec<usize> = (0..sizes.len()).collect();
        let chosen = prop::sample::subsequence(order, 0..=sizes.len());
        (Just(sizes), chosen)
    })
}

/// Returns a strategy for two lists of sizes with the same number of elements: one list split and joined in two ways.
pub(super) fn reshaped_sizes() -> impl Strategy<Value = (Vec<i64>, Vec<i64>)> {
    let factors = prop::collection::vec(prop_oneof![1 => Just(1i64), 6 => 2i64..5], 0..5);
    let joins = || prop::collection::vec(any::<bool>(), 5);
    (factors, joins(), joins(), any::<bool>()).prop_map(|(factors, lhs, rhs, turned)| {
        let join = |factors: &[i64], joins: &[bool]| {
            let mut sizes: Vec<i64> = Vec::new();
            for (factor, join) in factors.iter().zip(joins) {
                match sizes.last_mut() {
                    Some(last) if *join => *last *= factor,
                    _ => sizes.push(*factor),
                }
            }
            sizes
        };
        let mut other = factors.clone();
        if turned {
            other.reverse(); // so that the sizes of one side need not divide those of the other
        }
        (join(&factors, &lhs), join(&other, &rhs))
    })
}

/// Returns the row-major position of an index.
pub(super) fn position(sizes: &[i64], index: &[i64]) -> i64 {
    sizes.iter().zip(index).fold(0, |position, (size, x)| position * size + x)
}

/// Places `items` at the positions `places`.
pub(super) fn spread(places: &[usize], items: &[i64]) -> Vec<i64> {
    let mut spread = vec![0; items.len()];
    for (place, item) in places.iter().zip(items) {
        spread[*place] = *item;
    }
    spread
}

/// Returns all points of a box, in row-major order.
pub(super) fn points(sizes: &[i64]) -> Vec<Vec<i64>> {
    sizes.iter().fold(vec![Vec::new()], |points, size| {
        let extend = |point: &Vec<i64>| {
            let point = point.clone();
            (0..*size).map(move |x| [&point[..], &[x]].concat())
        };
        points.iter().flat_map(extend).collect()
    })
}

/// Returns the results of a map at output index `d` and these values of the runtime variables, over all values of the range
/// variables.
pub(super) fn read_by(map: &IndexingMap, d: &[i64], runtime: &[i64]) -> BTreeSet<Vec<i64>> {
    let domain = map.domain();
    if domain.is_known_empty() {
        return BTreeSet::new();
    }
    let ranges: Vec<(i64, i64)> = domain
        .ids(VariableKind::Range)
        .map(|id| (domain.bounds(id).lo(), domain.bounds(id).hi()))
        .collect();
    let widths: Vec<i64> = ranges.iter().map(|(lo, hi)| hi - lo + 1).collect();
    let mut read = BTreeSet::new();
    for offsets in points(&widths) {
        let values = offsets.iter().zip(&ranges).map(|(x, (lo, _))| x + lo);
        let point: Vec<i64> =
            d.iter().copied().chain(values).chain(runtime.iter().copied()).collect();
        if domain.contains(&point).expect("small numbers") {
            read.insert(map.eval(&point).expect("small numbers"));
        }
    }
    read
}

/// Returns the elements that a map reads at output index `d`, where `element(operand, index)` gives the elements of the
/// operands.
pub(super) fn read_of_tensors(
    map: &OperandMap,
    d: &[i64],
    element: impl Fn(usize, &[i64]) -> i64,
) -> BTreeSet<Vec<i64>> {
    let domain = map.map.domain();
    let mut read = BTreeSet::new();
    if domain.is_known_empty() {
        return read;
    }
    let widths = domain.ids(VariableKind::Range).map(|id| domain.bounds(id).hi() + 1);
    for ranges in points(&widths.collect::<Vec<_>>()) {
        let mut point = [d, &ranges].concat();
        point.resize(domain.variables().len(), i64::MAX); // a sentinel that exposes a use before the value is known
        for runtime in &map.runtime {
            let ValueSource::Operand { operand, .. } = &runtime.source else {
                panic!("an op names its operands only");
            };
            let index = runtime.index.iter().map(|index| index.eval(&point));
            let index: Vec<i64> = index.collect::<Result<_, _>>().expect("in order");
            let value = element(*operand, &index);
            point[runtime.variable.index()] = value.clamp(runtime.clamp.lo(), runtime.clamp.hi());
        }
        if domain.contains(&point).expect("small numbers") {
            read.insert(map.map.eval(&point).expect("small numbers"));
        }
    }
    read
}

/// Checks that, at each output index, the union of `maps` is the set that the plain loop `reads` returns, and that the maps are
/// pairwise disjoint.
#[track_caller]
pub(super) fn check_against(
    maps: &[IndexingMap],
    output: &[i64],
    reads: impl Fn(&[i64]) -> Vec<Vec<i64>>,
) {
    check_at(maps, output, &[], reads);
}

/// [`check_against`] at these values of the runtime variables, which all maps share.
#[track_caller]
pub(super) fn check_at(
    maps: &[IndexingMap],
    output: &[i64],
    runtime: &[i64],
    reads: impl Fn(&[i64]) -> Vec<Vec<i64>>,
) {
    for d in points(output) {
        let part = |map| read_by(map, &d, runtime);
        let parts: Vec<BTreeSet<Vec<i64>>> = maps.iter().map(part).collect();
        let defined = parts.iter().filter(|part| !part.is_empty()).count();
        assert!(defined <= 1, "maps overlap at {d:?}: {maps:?}");
        let union: BTreeSet<Vec<i64>> = parts.into_iter().flatten().collect();
        assert_eq!(union, reads(&d).into_iter().collect(), "at {d:?}: {maps:?}");
    }
    for map in maps {
        let dimensions = map.domain().count(VariableKind::Dimension);
        assert_eq!(dimensions, output.len(), "{map:?}");
    }
}
