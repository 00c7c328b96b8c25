//! Chains of reshapes and transposes: if the whole chain is the identity, so is the answer, wherever intermediate results are
//! simplified.

use crate::SIMPLIFIER;
use crate::support::random;
use affinor::expr::IndexingMap;
use affinor::simplify::Options;
use affinor::text::{Style, parse_map, print_map};
use proptest::prelude::*;

/// The greatest dimension size in the table of all pairs.
const GREATEST: i64 = 24;

/// Maximum number of elements of an array in a chain.
const ELEMENTS: i64 = 3_000;

/// Builds the map with these results over the indices of an array of this shape.
fn map_of(shape: &[i64], results: &[String]) -> IndexingMap {
    let names: Vec<String> = (0..shape.len()).map(|i| format!("d{i}")).collect();
    let bounds = names.iter().zip(shape);
    let bounds: Vec<String> =
        bounds.map(|(name, size)| format!("{name} in [0, {}]", size - 1)).collect();
    let (names, results) = (names.join(", "), results.join(", "));
    let text = format!("({names}) -> ({results}), domain: {}", bounds.join(", "));
    parse_map(&text).unwrap_or_else(|error| panic!("{error:?} in {text}"))
}

/// Returns the map of a reshape: from each element of the result, of shape `to`, to an element of the operand, of shape `from`.
fn reshape(from: &[i64], to: &[i64]) -> IndexingMap {
    let mut stride = 1;
    let mut position: Vec<String> = Vec::new();
    for (i, size) in to.iter().enumerate().rev() {
        position.push(format!("d{i} * {stride}"));
        stride *= size;
    }
    let position = position.join(" + ");
    let mut stride = 1;
    let mut results: Vec<String> = Vec::new();
    for size in from.iter().rev() {
        results.push(format!("({position}) floordiv {stride} mod {size}"));
        stride *= size;
    }
    results.reverse();
    map_of(to, &results)
}

/// Returns the shape and the map of a transpose: dimension i of the result is dimension `order[i]` of the operand.
fn transpose(from: &[i64], order: &[usize]) -> (Vec<i64>, IndexingMap) {
    let to: Vec<i64> = order.iter().map(|dimension| from[*dimension]).collect();
    let place = |dimension| order.iter().position(|of| *of == dimension);
    let results = (0..from.len()).filter_map(place).map(|i| format!("d{i}"));
    let map = map_of(&to, &results.collect::<Vec<String>>());
    (to, map)
}

fn simplify(map: &IndexingMap) -> IndexingMap {
    SIMPLIFIER.simplify(map, &Options::default()).map
}

fn then(first: &IndexingMap, second: &IndexingMap) -> IndexingMap {
    first.then(second).unwrap_or_else(|error| panic!("{error:?}"))
}

/// Checks that each result is its own index; for a dimension of size 1 it may be 0.
#[track_caller]
fn assert_identity(map: &IndexingMap, shape: &[i64], chain: &str) {
    for (i, (result, size)) in map.results().iter().zip(shape).enumerate() {
        let is_own = result.as_variable().is_some_and(|id| id.index() == i);
        let is_zero = *size == 1 && result.as_constant() == Some(0);
        assert!(is_own || is_zero, "{chain}: {}", print_map(map, Style::Plain));
    }
}

/// Checks a reshape and its inverse, composed as one map and with the first simplified before.
#[track_caller]
fn check_pair(from: &[i64], to: &[i64]) {
    // The chain's last step comes first: it maps from the result's elements.
    let (second, first) = (reshape(to, from), reshape(from, to));
    let chain = format!("{from:?} -> {to:?} -> {from:?}");
    assert_identity(&simplify(&then(&second, &first)), from, &chain);
    assert_identity(&simplify(&then(&simplify(&second), &first)), from, &chain);
}

#[test]
fn two_reshapes_that_come_back_are_the_identity() {
    let mut pairs = 0;
    for (a, b) in (1..=GREATEST).flat_map(|a| (1..=GREATEST).map(move |b| (a, b))) {
        for c in (1..=GREATEST).filter(|c| a * b % c == 0 && a * b / c <= GREATEST) {
            check_pair(&[a, b], &[c, a * b / c]);
            pairs += 1;
        }
    }
    assert_eq!(pairs, 2_096);
    check_pair(&[10, 10, 10], &[50, 20]);
    check_pair(&[16, 50_257], &[50_257, 16]);
}

/// Derives a step of a chain from numbers: a transpose, or a reshape to factors of the number of elements.
fn step(shape: &[i64], numbers: &[usize]) -> (Vec<i64>, IndexingMap) {
    let (kind, numbers) = numbers.split_first().unwrap_or((&0, &[]));
    if kind % 3 == 0 && shape.len() > 1 {
        let mut order: Vec<usize> = (0..shape.len()).collect();
        for (i, number) in numbers.iter().enumerate().take(shape.len()) {
            order.swap(i, number % shape.len());
        }
        return transpose(shape, &order);
    }
    let mut left: i64 = shape.iter().product();
    let mut to: Vec<i64> = Vec::new();
    for number in numbers.iter().take(kind % 5) {
        let divisors: Vec<i64> = (1..=left).filter(|d| left % d == 0).collect();
        let size = divisors[number % divisors.len()];
        to.push(size);
        left /= size;
    }
    to.insert(kind % (to.len() + 1), left);
    let map = reshape(shape, &to);
    (to, map)
}

fn a_shape() -> impl Strategy<Value = Vec<i64>> {
    let sizes = prop::collection::vec(1i64..=16, 1..=5);
    sizes.prop_filter("too many elements", |shape| shape.iter().product::<i64>() <= ELEMENTS)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// A chain passes through one to four shapes and returns, directly or by the inverse of each step.
    #[test]
    fn chains_that_are_the_identity_are_simplified_to_it(
        shape in a_shape(),
        steps in prop::collection::vec(prop::collection::vec(0usize..60, 6), 1..=4),
        undone in any::<bool>(),
    ) {
        // At most five steps in all.
        let steps = &steps[..steps.len().min(if undone { 2 } else { 4 })];
        let mut shapes = vec![shape.clone()];
        let mut maps: Vec<IndexingMap> = Vec::new();
        for numbers in steps {
            let (to, map) = step(&shapes[shapes.len() - 1], numbers);
            shapes.push(to);
            maps.push(map);
        }
        // Returns by the inverse of each step, or directly.
        let last = shapes.len() - 1;
        if undone {
            for (i, numbers) in steps.iter().enumerate().rev() {
                let (from, to) = (&shapes[i + 1], &shapes[i]);
                let is_transpose = numbers[0] % 3 == 0 && to.len() > 1;
                maps.push(match is_transpose {
                    true => inverse(&maps[i], from, to),
                    false => reshape(from, to),
                });
            }
        } else {
            maps.push(reshape(&shapes[last], &shape));
        }
        let chain = format!("{shapes:?}, undone: {undone}");
        // The chain's last step comes first: it maps from the result's elements.
        let mut maps = maps.into_iter().rev();
        let Some(first) = maps.next() else { return Ok(()) };
        let (mut whole, mut stepwise) = (first.clone(), simplify(&first));
        for map in maps {
            whole = then(&whole, &map);
            stepwise = simplify(&then(&stepwise, &map));
        }
        let is_identity = random::box_points(whole.domain())
            .into_iter()
            .all(|point| whole.eval(&point).as_deref() == Ok(&point));
        if is_identity {
            assert_identity(&stepwise, &shape, &chain);
            assert_identity(&simplify(&whole), &shape, &chain);
        }
        prop_assert!(is_identity || !undone);
    }
}

/// Returns the inverse of a transpose, over the indices of its operand's shape.
fn inverse(map: &IndexingMap, from: &[i64], to: &[i64]) -> IndexingMap {
    let order: Vec<usize> = map
        .results()
        .iter()
        .filter_map(|result| result.as_variable())
        .map(|id| id.index())
        .collect();
    let (shape, inverse) = transpose(from, &order);
    assert_eq!(shape, to);
    inverse
}
