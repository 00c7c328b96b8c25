//! The inverse of a map is the same relation, and a dimension that is determined does not become a range variable.

use affinor_maps::expr::{INVERSE_STEPS, IndexingMap, VariableKind};
use affinor_maps::num::{Fuel, Interrupt, Interval};
use affinor_maps::text::{Style, parse_map, print_map};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Returns all points of a box.
fn points(bounds: &[Interval]) -> Vec<Vec<i64>> {
    bounds.iter().fold(vec![Vec::new()], |points, bounds| {
        let extend = |point: &Vec<i64>| {
            let point = point.clone();
            (bounds.lo()..=bounds.hi()).map(move |x| [&point[..], &[x]].concat())
        };
        points.iter().flat_map(extend).collect()
    })
}

type Pairs = BTreeSet<(Vec<i64>, Vec<i64>, Vec<i64>)>;

/// Returns `(dimensions, results, runtime values)` for all points of the domain.
fn pairs(map: &IndexingMap) -> Pairs {
    let domain = map.domain();
    if domain.is_known_empty() {
        return Pairs::new();
    }
    let bounds: Vec<Interval> = domain.variables().iter().map(|v| v.bounds).collect();
    let dimensions = domain.count(VariableKind::Dimension);
    let fixed = bounds.len() - domain.count(VariableKind::Runtime);
    let inside = points(&bounds).into_iter();
    let inside = inside.filter(|point| domain.contains(point).expect("small numbers"));
    inside
        .map(|point| {
            let results = map.eval(&point).expect("small numbers");
            (point[..dimensions].to_vec(), results, point[fixed..].to_vec())
        })
        .collect()
}

fn ample() -> Fuel {
    Fuel::new(INVERSE_STEPS, &Interrupt::new())
}

#[track_caller]
fn check_inverse(map: &IndexingMap, target: &[Interval]) -> IndexingMap {
    let inverse = map.inverse(target, &ample()).expect("small numbers");
    let is_inside = |index: &[i64]| index.iter().zip(target).all(|(x, t)| t.contains(*x));
    let expected: Pairs = pairs(map)
        .into_iter()
        .filter(|(_, index, _)| is_inside(index))
        .map(|(point, index, runtime)| (index, point, runtime))
        .collect();
    let write = |map: &IndexingMap| print_map(map, Style::Plain);
    assert_eq!(pairs(&inverse), expected, "{} of {}", write(&inverse), write(map));
    inverse
}

#[track_caller]
fn check(text: &str, target: &[i64], free: usize) {
    let map = parse_map(text).expect("a map");
    let target: Vec<Interval> = target.iter().map(|size| Interval::of_size(*size)).collect();
    let inverse = check_inverse(&map, &target);
    let ranges = inverse.domain().count(VariableKind::Range);
    assert_eq!(ranges, free, "{}", print_map(&inverse, Style::Plain));
}

#[test]
fn ops_are_inverted_without_searching_for_what_is_determined() {
    // transpose, slice, pad with holes, concatenate
    check("(d0, d1) -> (d1, d0), domain: d0 in [0, 3], d1 in [0, 4]", &[5, 4], 0);
    check("(d0) -> (d0 * 3 + 2), domain: d0 in [0, 3]", &[14], 0);
    check("(d0) -> ((d0 - 1) floordiv 2), domain: d0 in [1, 7], (d0 - 1) mod 2 in [0, 0]", &[4], 0);
    check("(d0) -> (d0 - 3), domain: d0 in [3, 6]", &[4], 0);
    // reverse; reshapes: split, joined, general
    check("(d0) -> (-d0 + 4), domain: d0 in [0, 4]", &[5], 0);
    check("(d0) -> (d0 floordiv 4, d0 mod 4), domain: d0 in [0, 11]", &[3, 4], 0);
    check("(d0, d1) -> (d0 * 4 + d1), domain: d0 in [0, 2], d1 in [0, 3]", &[12], 0);
    check(
        "(d0, d1) -> ((d0 * 6 + d1) floordiv 4, (d0 * 6 + d1) mod 4), domain: d0 in [0, 1], d1 in [0, 5]",
        &[3, 4],
        0,
    );
    check(
        "(d0, d1) -> (d0 floordiv 2, (d0 * 4 + d1) mod 8), domain: d0 in [0, 7], d1 in [0, 3]",
        &[4, 8],
        0,
    );
    // broadcast and reduce, which leave a dimension undetermined; dot
    check("(d0, d1) -> (d1), domain: d0 in [0, 2], d1 in [0, 3]", &[4], 1);
    check("(d0)[s0] -> (d0, s0), domain: d0 in [0, 2], s0 in [0, 3]", &[3, 4], 0);
    check("(d0, d1)[s0] -> (d0, s0), domain: d0 in [0, 2], d1 in [0, 4], s0 in [0, 3]", &[3, 4], 1);
    // a window with stride: the position in the window is free; a window with holes
    check("(d0)[s0] -> (d0 * 2 + s0), domain: d0 in [0, 3], s0 in [0, 2]", &[9], 1);
    check(
        "(d0)[s0] -> ((d0 + s0) floordiv 2), domain: d0 in [0, 3], s0 in [0, 2], (d0 + s0) mod 2 in [0, 0]",
        &[3],
        1,
    );
    // a dynamic slice
    check("(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 3], rt0 in [0, 2]", &[6], 0);
    // only one digit is known
    check("(d0) -> (d0 mod 3), domain: d0 in [0, 10]", &[3], 1);
    check("(d0) -> (d0 floordiv 3), domain: d0 in [0, 10]", &[4], 1);
    // operands of a min are not solved for
    check("(d0) -> (min(d0, 3) * 2), domain: d0 in [0, 6]", &[7], 1);
    check("() -> (5), domain:", &[7], 0);
}

#[test]
fn results_behind_the_target_are_carried() {
    let map =
        parse_map("(d0){rt0} -> (d0 + rt0, d0 floordiv 2), domain: d0 in [0, 3], rt0 in [0, 2]");
    let inverse =
        map.expect("a map").inverse(&[Interval::of_size(6)], &ample()).expect("small numbers");
    assert_eq!(inverse.eval(&[4, 1]), Ok(vec![3, 1]));
}

fn term() -> impl Strategy<Value = String> {
    let variable = prop::sample::select(vec!["d0", "d1", "s0", "rt0"]);
    let leaf = (1i64..4, variable).prop_map(|(c, name)| format!("{c} * {name}"));
    leaf.prop_recursive(3, 8, 2, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone(), any::<bool>())
                .prop_map(|(x, y, minus)| format!("({x} {} {y})", if minus { "-" } else { "+" })),
            (inner.clone(), 2i64..5).prop_map(|(x, c)| format!("({x}) floordiv {c}")),
            (inner.clone(), 2i64..5).prop_map(|(x, c)| format!("({x}) mod {c}")),
            (inner.clone(), inner).prop_map(|(x, y)| format!("min({x}, {y})")),
        ]
    })
}

proptest! {
    #[test]
    fn is_the_same_relation(
        results in prop::collection::vec(term(), 1..3),
        constraint in (term(), -2i64..2, 0i64..5),
        lo in -2i64..2,
    ) {
        let (expr, least, width) = constraint;
        let text = format!(
            "(d0, d1)[s0]{{rt0}} -> ({}), domain: d0 in [0, 3], d1 in [-1, 2], s0 in [0, 2], rt0 in [0, 1], {expr} in [{least}, {}]",
            results.join(", "), least + width
        );
        let map = parse_map(&text).expect("a map");
        let target = vec![Interval::new(lo, lo + 6); results.len()];
        check_inverse(&map, &target);
    }
}
