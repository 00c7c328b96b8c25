//! The overall reads of maps, compared with enumeration of every point.

use affinor::expr::{IndexingMap, VariableId, VariableKind};
use affinor::num::Interval;
use affinor::prove::{Budget, Verdict};
use affinor::text::parse_map;
use affinor_ops::footprint::image::{
    Basis, MOST_POINTS, Points, Progression, Stop, compare, contains, elements, injective, inverse,
    points, region,
};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

fn map(text: &str) -> IndexingMap {
    parse_map(text).unwrap_or_else(|error| panic!("{text}: {error:?}"))
}

/// Returns every point of the domain with its element, by trying all points of the box.
fn table(map: &IndexingMap) -> Vec<(Vec<i64>, Vec<i64>)> {
    let mut tried = vec![Vec::new()];
    for variable in map.domain().variables() {
        let values = variable.bounds.lo()..=variable.bounds.hi();
        let longer = tried.iter().flat_map(|point: &Vec<i64>| {
            values.clone().map(move |value| [&point[..], &[value]].concat())
        });
        tried = longer.collect();
    }
    tried.retain(|point| map.domain().contains(point) == Ok(true));
    let value = |point: Vec<i64>| {
        let value = map.eval(&point).expect("small numbers");
        (point, value)
    };
    tried.into_iter().map(value).collect()
}

fn read(map: &IndexingMap) -> BTreeSet<Vec<i64>> {
    table(map).into_iter().map(|(_, value)| value).collect()
}

/// Returns every element of a product.
fn product(progressions: &[Progression]) -> BTreeSet<Vec<i64>> {
    let mut elements = BTreeSet::from([Vec::new()]);
    for values in progressions {
        let longer = elements.iter().flat_map(|element: &Vec<i64>| {
            (0..values.count as i64)
                .map(move |k| [&element[..], &[values.first + k * values.step]].concat())
        });
        elements = longer.collect();
    }
    elements
}

/// Returns a small map: two dimensions, a range and a runtime variable, at most one constraint, up to two results.
fn small_map() -> impl Strategy<Value = IndexingMap> {
    let coefficient = -3i64..5;
    let linear = prop::array::uniform4(coefficient)
        .prop_map(|[a, b, c, d]| format!("(d0 * {a} + d1 * {b} + s0 * {c} + rt0 * {d} + 1)"));
    let single = prop::sample::select(vec!["d0", "d1", "s0", "d0 * 4 + d1", "d1 * 2 + s0", "5"]);
    let expr =
        (linear.clone(), single, 0..5, 2i64..5).prop_map(|(linear, single, form, c)| match form {
            0 => linear,
            1 => format!("{linear} floordiv {c}"),
            2 => format!("{linear} mod {c}"),
            3 => format!("({single}) floordiv {c}"),
            _ => single.to_owned(),
        });
    let results = prop::collection::vec(expr, 0..3);
    let bounds = prop::array::uniform4((-2i64..2, 0i64..4));
    let constraint = prop::option::of((linear, -3i64..3, 0i64..6));
    (results, bounds, constraint).prop_map(|(results, bounds, constraint)| {
        let names = ["d0", "d1", "s0", "rt0"];
        let domain = names.iter().zip(bounds);
        let domain = domain.map(|(name, (lo, more))| format!("{name} in [{lo}, {}]", lo + more));
        let mut domain: Vec<String> = domain.collect();
        if let Some((expr, lo, more)) = constraint {
            domain.push(format!("{expr} in [{lo}, {}]", lo + more));
        }
        map(&format!(
            "(d0, d1)[s0]{{rt0}} -> ({}), domain: {}",
            results.join(", "),
            domain.join(", ")
        ))
    })
}

proptest! {
    #[test]
    fn counts_are_those_of_all_points(map in small_map()) {
        let budget = Budget::default();
        let walked: Vec<Vec<i64>> = Points::new(map.domain(), MOST_POINTS, &budget)
            .expect("bounds")
            .collect::<Result<_, _>>()
            .expect("few points");
        let expected: Vec<Vec<i64>> = table(&map).into_iter().map(|(point, _)| point).collect();
        prop_assert_eq!(&walked, &expected);
        let count = points(map.domain(), &budget).expect("few points");
        prop_assert_eq!(count.number, expected.len() as u128);
        let count = elements(&map, &budget).expect("few points");
        prop_assert_eq!(count.number, read(&map).len() as u128);
    }

    #[test]
    fn regions_hold_what_is_read(map in small_map()) {
        let found = region(&map, &Budget::default()).expect("few points");
        let (all, inside) = (read(&map), product(&found.progressions));
        match found.basis {
            Basis::Cover => prop_assert!(all.is_subset(&inside), "{:?}", found),
            _ if all.is_empty() => prop_assert!(found.size() == Some(0) || map.results().is_empty()),
            _ => prop_assert_eq!(all, inside),
        }
    }

    #[test]
    fn injective_is_what_all_pairs_say(map in small_map()) {
        let (verdict, _) = injective(&map, &Budget::default()).expect("few points");
        let mut readers: BTreeMap<(Vec<i64>, i64), usize> = BTreeMap::new();
        for (point, value) in table(&map) {
            *readers.entry((value, point[3])).or_default() += 1;
        }
        let expected = readers.values().all(|count| *count == 1);
        match verdict {
            Verdict::Proved => prop_assert!(expected),
            Verdict::Unknown(reason) => prop_assert!(false, "{}", reason),
            Verdict::Refuted(found) => {
                prop_assert_ne!(&found.first, &found.second);
                for point in [&found.first, &found.second] {
                    prop_assert_eq!(map.domain().contains(point), Ok(true));
                    prop_assert_eq!(map.eval(point), Ok(found.element.clone()));
                }
                prop_assert_eq!(found.first[3], found.second[3]);
            }
        }
    }

    #[test]
    fn comparisons_are_those_of_the_sets(one in small_map(), other in small_map()) {
        if one.results().len() == other.results().len() {
            let found = compare(&one, &other, &Budget::default()).expect("few points");
            let (first, second) = (read(&one), read(&other));
            prop_assert_eq!(found.sizes.first, first.len() as u128);
            prop_assert_eq!(found.sizes.both, first.intersection(&second).count() as u128);
            prop_assert_eq!(found.sizes.either(), first.union(&second).count() as u128);
            prop_assert_eq!(found.only_first.as_ref(), first.difference(&second).next());
            let (verdict, _) = contains(&one, &other, &Budget::default()).expect("few points");
            prop_assert_eq!(verdict == Verdict::Proved, second.is_subset(&first));
        }
    }

    #[test]
    fn inverses_give_all_points_that_read_an_element(map in small_map()) {
        let found = inverse(&map, &|map| map.clone(), &Budget::default()).expect("small numbers");
        prop_assert!(!matches!(found.verdict, Verdict::Refuted(_)), "{:?}", found);
        // (element, runtime value, dimensions)
        type Triple = (Vec<i64>, i64, Vec<i64>);
        let expected: BTreeSet<Triple> = table(&map)
            .into_iter()
            .map(|(point, value)| (value, point[3], point[..2].to_vec()))
            .collect();
        let few = Points::new(found.map.domain(), 50_000, &Budget::default()).expect("bounds");
        let few: Result<Vec<Vec<i64>>, Stop> = few.collect();
        if let Ok(points) = few {
            let count = map.results().len();
            let triple = |point: Vec<i64>| {
                let dimensions = found.map.eval(&point).expect("small numbers");
                (point[..count].to_vec(), point[point.len() - 1], dimensions)
            };
            let triples: BTreeSet<Triple> = points.into_iter().map(triple).collect();
            prop_assert_eq!(&triples, &expected, "{:?}", found);
            let mut readers: BTreeMap<(Vec<i64>, i64), usize> = BTreeMap::new();
            for (value, runtime, _) in &triples {
                *readers.entry((value.clone(), *runtime)).or_default() += 1;
            }
            let is_function = readers.values().all(|count| *count == 1);
            prop_assert!(!found.is_function || is_function);
        }
    }

    #[test]
    fn a_bound_map_is_the_map_at_the_bound_values(map in small_map(), fixed in -2i64..4) {
        let ids = [VariableId(1), VariableId(3)];
        let bound = map.bound(&ids.map(|id| (id, fixed))).expect("small numbers");
        let filled_in = |(point, value): (Vec<i64>, Vec<i64>)| {
            (point[1] == fixed && point[3] == fixed).then(|| (vec![point[0], point[2]], value))
        };
        let expected: Vec<(Vec<i64>, Vec<i64>)> = table(&map).into_iter().filter_map(filled_in).collect();
        prop_assert_eq!(table(&bound), expected);
    }

    #[test]
    fn progressions_meet_where_both_are(
        (a, s, n) in (-20i64..20, 1i64..7, 0u64..12),
        (b, t, m) in (-20i64..20, 1i64..7, 0u64..12),
    ) {
        let [one, other] = [(a, s, n), (b, t, m)].map(|(first, step, count)| {
            let last = first + step * (count as i64 - 1);
            Progression::within(Interval::new(first, last), step).expect("bounded")
        });
        let both = product(&[one]).intersection(&product(&[other])).cloned().collect();
        prop_assert_eq!(product(&[one.meet(other).expect("small numbers")]), both);
    }
}

#[track_caller]
fn check_count(text: &str, number: u128, basis: Basis) {
    let found = elements(&map(text), &Budget::default()).expect(text);
    assert_eq!((found.number, found.basis), (number, basis), "{text}");
}

#[test]
fn large_maps_are_counted_by_formulas_and_proofs() {
    let large = "d0 in [0, 99999], d1 in [0, 99999]";
    check_count(&format!("(d0, d1) -> (d0, d1), domain: {large}"), 10_000_000_000, Basis::Proved);
    check_count(&format!("(d0, d1) -> (d0 + d1), domain: {large}"), 199_999, Basis::Proved);
    check_count(
        &format!("(d0, d1) -> (d0 * 100000 - d1), domain: {large}"),
        10_000_000_000,
        Basis::Proved,
    );
    check_count(
        &format!("(d0, d1) -> (d0 * 300000 + d1 * 2), domain: {large}"),
        10_000_000_000,
        Basis::Proved,
    );
    check_count(
        &format!("(d0, d1) -> (d0 floordiv 64, d0 mod 64), domain: {large}"),
        100_000,
        Basis::Proved,
    );
    check_count(
        "(d0)[s0] -> (d0 floordiv 7), domain: d0 in [0, 999], s0 in [0, 999999999]",
        143,
        Basis::Counted,
    );
}

#[test]
fn what_is_too_much_says_so() {
    let text = "(d0, d1) -> ((d0 + d1) floordiv 3 * 2), domain: d0 in [0, 99999], d1 in [0, 99999], d0 + d1 in [3, 9999]";
    assert_eq!(elements(&map(text), &Budget::default()), Err(Stop::TooMany));
    // The few points of a large box are found.
    let few = map(&text.replace("[3, 9999]", "[3, 9]"));
    assert_eq!(elements(&few, &Budget::default()).map(|found| found.number), Ok(3));
    let endless = map("affine_map<(d0) -> (d0)>");
    assert_eq!(region(&endless, &Budget::default()), Err(Stop::TooMany));
    assert_eq!(points(endless.domain(), &Budget::default()), Err(Stop::TooMany));
}

#[track_caller]
fn check_region(text: &str, expected: &[(i64, i64, i64)], basis: Basis) {
    let found = region(&map(text), &Budget::default()).expect(text);
    let steps: Vec<(i64, i64, i64)> =
        found.progressions.iter().map(|p| (p.first, p.last(), p.step)).collect();
    assert_eq!((steps.as_slice(), found.basis), (expected, basis), "{text}");
}

#[test]
fn large_regions_are_proved() {
    check_region(
        "(d0, d1) -> (d0 * 8 + 3, -d1), domain: d0 in [0, 99999], d1 in [0, 99999]",
        &[(3, 799_995, 8), (-99_999, 0, 1)],
        Basis::Proved,
    );
    check_region(
        "(d0) -> (d0 floordiv 64, d0 mod 64), domain: d0 in [0, 6399999]",
        &[(0, 99_999, 1), (0, 63, 1)],
        Basis::Proved,
    );
    check_region(
        "(d0, d1) -> (d0, d0 + d1), domain: d0 in [0, 9999], d1 in [0, 9999]",
        &[(0, 9_999, 1), (0, 19_998, 1)],
        Basis::Cover,
    );
    check_region(
        "(d0, d1)[s0] -> (d0 + s0 - 1, d1), domain: d0 in [0, 99999], d1 in [0, 7], s0 in [0, 2], d0 + s0 in [1, 100000]",
        &[(0, 99_999, 1), (0, 7, 1)],
        Basis::Counted,
    );
}

#[test]
fn large_maps_are_injective_by_proof() {
    let verdict = |text: &str| injective(&map(text), &Budget::default()).expect(text);
    let (proved, basis) =
        verdict("(d0, d1) -> (d0 * 4096 + d1), domain: d0 in [0, 99999], d1 in [0, 4095]");
    assert_eq!((proved, basis), (Verdict::Proved, Basis::Proved));
    let (proved, _) = verdict("(d0) -> (d0 floordiv 64, d0 mod 64), domain: d0 in [0, 6399999]");
    assert_eq!(proved, Verdict::Proved);
    let text = "(d0, d1) -> (d0 * 4096 + d1), domain: d0 in [0, 99999], d1 in [0, 4096]";
    let (Verdict::Refuted(found), _) = verdict(text) else {
        panic!("{text} is not injective");
    };
    let map = map(text);
    assert_ne!(found.first, found.second);
    assert_eq!(map.eval(&found.first), map.eval(&found.second));
}

#[test]
fn large_maps_are_compared_by_their_boxes() {
    let large = |text: &str| map(&format!("{text}, domain: d0 in [0, 9999999]"));
    let (even, third) = (large("(d0) -> (d0 * 2)"), large("(d0) -> (d0 * 3)"));
    let found = compare(&even, &third, &Budget::default()).expect("boxes");
    assert_eq!((found.sizes.both, found.basis), (3_333_334, Basis::Proved));
    assert_eq!(found.only_first, Some(vec![2]));
    assert_eq!(found.only_second, Some(vec![3]));
    let all = large("(d0) -> (d0)");
    let (verdict, _) = contains(&all, &even, &Budget::default()).expect("boxes");
    assert_eq!(verdict, Verdict::Refuted(vec![10_000_000]));
    let skew = map("(d0, d1) -> (d0, d0 + d1), domain: d0 in [0, 9999], d1 in [0, 9999]");
    let (verdict, _) = contains(&skew, &skew, &Budget::default()).expect("a proof");
    assert_eq!(verdict, Verdict::Proved);
}

#[test]
fn inverses_are_functions_or_relations() {
    let found = |text: &str| inverse(&map(text), &|map| map.clone(), &Budget::default());
    let digits =
        found("(d0, d1) -> (d0 * 8 + d1), domain: d0 in [0, 3], d1 in [0, 7]").expect("bounds");
    assert!(digits.is_function);
    assert_eq!(digits.verdict, Verdict::Proved);
    assert_eq!(digits.map.eval(&[13]), Ok(vec![1, 5]));
    let window =
        found("(d0)[s0] -> (d0 * 2 + s0), domain: d0 in [0, 3], s0 in [0, 2]").expect("bounds");
    assert!(!window.is_function);
    assert_eq!(window.map.domain().count(VariableKind::Range), 1);
    // Sums need no bounds; digits do.
    let turned = found("affine_map<(d0, d1, d2) -> (d2, d0 - d1, d1 + 3)>").expect("sums");
    assert!(turned.is_function);
    assert_eq!(turned.verdict, Verdict::Proved);
    assert_eq!(turned.map.eval(&[7, -3, 5]), Ok(vec![-1, 2, 7]));
    let twice = found("affine_map<(d0) -> (d0 * 2)>").expect("a sum");
    assert_eq!(twice.map.eval(&[-6]), Ok(vec![-3]));
    assert_eq!(twice.map.domain().contains(&[5]), Ok(false));
    for unbounded in ["d0 floordiv 2", "min(d0, 5)"] {
        assert!(found(&format!("affine_map<(d0) -> ({unbounded})>")).is_err());
    }
}
