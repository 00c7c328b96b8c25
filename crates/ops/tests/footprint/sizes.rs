//! Equality for all sizes: a table of pairs, and random maps compared with evaluation.

use crate::support::symbolic::{Symbolic, symbolic_expr, symbolic_map};
use affinor::expr::{Domain, Expr, IndexingMap};
use affinor::prove::{Budget, Verdict, equal_functions};
use affinor::text::parse_map;
use proptest::prelude::*;

/// Parses a map; the text must be valid.
#[track_caller]
fn map(text: &str) -> IndexingMap {
    parse_map(text).unwrap_or_else(|error| panic!("{text}: {error:?}"))
}

/// Returns the verdict about two lists of results on one domain.
fn verdict(domain: &str, left: &str, right: &str) -> Verdict {
    let [left, right] = [left, right].map(|results| {
        let (head, items) = domain.split_once(':').expect("variables before bounds");
        map(&format!("{head} -> ({results}), domain: {items}"))
    });
    equal_functions(&left, &right, &Budget::default()).expect("the same variables")
}

const FLAT: &str = "<n, m>(d0): n in [1, inf], m in [1, inf], d0 in [0, n * m - 1]";
const GRID: &str =
    "<n, m>(d0, d1): n in [1, inf], m in [1, inf], d0 in [0, n - 1], d1 in [0, m - 1]";
const FREE: &str = "<n, m>(d0): n in [1, inf], m in [1, inf], d0 in [-inf, inf]";
const MULTIPLE: &str =
    "<n, m>(d0): n in [4, inf], m in [1, n], d0 in [0, n - 1], n mod 4 in [0, 0]";
const RESIDUE: &str =
    "<n, m>(d0): n in [5, inf], m in [1, n], d0 in [0, n - 1], (n + 2) mod 4 in [3, 3]";
const BEYOND: &str =
    "<n, m>(d0): n in [1, inf], m in [1, inf], d0 in [0, m - 1], (m - 2) mod 6 in [4, 4]";
/// The residue of a parameter is stated, and so is that of its quotient.
const TWICE: &str = "<n, m>(d0): n in [8, inf], m in [1, n], d0 in [0, n - 1], n mod 8 in [0, 0], \
     n floordiv 8 mod 3 in [1, 1]";
const LARGE: &str = "<n>(d0): n in [8, inf], d0 in [0, n - 1], n mod 4 in [0, 0]";
/// Colliding points are far from the least sizes.
const FAR: &str =
    "<n>(d0, d1): n in [500000, inf], d0 in [0, 3], d1 in [0, n - 1], n mod 8 in [3, 3]";
const EQUATION: &str = "<n, m, k>(d0): n in [1, inf], m in [1, inf], k in [1, inf], \
     d0 in [0, n - 1], n - m * k in [0, 0]";

#[test]
fn proved_for_all_sizes() {
    for (domain, left, right) in [
        (FLAT, "d0 floordiv (n * m)", "0"),
        (FLAT, "d0 floordiv n * n + d0 mod n", "d0"),
        (FLAT, "d0 floordiv n mod m", "d0 floordiv n"),
        (FLAT, "(d0 + n * m) floordiv n", "d0 floordiv n + m"),
        (FLAT, "min(d0 floordiv n, m - 1)", "d0 floordiv n"),
        (FLAT, "max(d0 - n * m, -1)", "-1"),
        (GRID, "(d0 * m + d1) floordiv m", "d0"),
        (GRID, "(d0 * m + d1) mod m", "d1"),
        (GRID, "(d1 * n + d0) mod n * m + (d1 * n + d0) floordiv n", "d0 * m + d1"),
        (GRID, "(m - 1 - d1) floordiv m", "0"),
        (GRID, "min(d0, d1 + n)", "d0"),
        (FREE, "d0 floordiv n floordiv m", "d0 floordiv (m * n)"),
        (FREE, "d0 mod (n * m) mod n", "d0 mod n"),
        (FREE, "d0 mod (n * m) floordiv n", "d0 floordiv n mod m"),
        (FREE, "d0 ceildiv n", "-(-d0 floordiv n)"),
        (FREE, "(d0 mod n + n) mod n", "d0 mod n"),
        (FREE, "(d0 * m) floordiv (n * m)", "d0 floordiv n"),
        (FREE, "max(d0, n) + min(d0, n)", "d0 + n"),
        (MULTIPLE, "d0 floordiv 4 floordiv (n floordiv 4)", "0"),
        (MULTIPLE, "(n * m) mod 4 + d0", "d0"),
        (EQUATION, "(d0 mod (m * k)) * 2", "d0 * 2"),
        (EQUATION, "d0 floordiv m floordiv k", "0"),
    ] {
        let found = verdict(domain, left, right);
        assert_eq!(found, Verdict::Proved, "{left} and {right} of {domain}");
    }
}

#[test]
fn refuted_with_sizes() {
    for (domain, left, right) in [
        (FLAT, "d0 floordiv n", "d0 ceildiv n"),
        (FLAT, "d0 mod n", "d0"),
        (FLAT, "d0 * n", "d0 * m"),
        (FLAT, "d0 floordiv n floordiv (m - 1 + d0 * 0 + 1) * n", "d0 floordiv n floordiv 7"),
        (FLAT, "d0 * n", "d0 * n + (d0 ceildiv (n * m)) floordiv 2 * 2 + d0 mod m"),
        (GRID, "(d0 * m + d1) floordiv n", "d0"),
        (GRID, "(d0 * n + d1) mod m", "d1"),
        (FREE, "(d0 + n) floordiv n", "d0 floordiv n"),
        (FREE, "(d0 * n + 1) floordiv (n * m)", "d0 floordiv m + 1 floordiv n"),
        (MULTIPLE, "d0 floordiv 8 floordiv (n floordiv 8 + 1) + n mod 8", "0"),
        (EQUATION, "d0 floordiv m", "d0 floordiv k"),
    ] {
        let found = verdict(domain, left, right);
        let is_refuted = matches!(found, Verdict::Refuted(_));
        assert!(is_refuted, "{left} and {right} of {domain}: {found:?}");
    }
}

#[test]
fn domains_are_compared() {
    let grid = map("<n>(d0) -> (d0), domain: n in [1, inf], d0 in [0, 2 * n - 1]");
    for (other, is_equal) in [
        ("<n>(d0) -> (d0), domain: n in [1, inf], d0 in [0, inf], d0 floordiv n in [0, 1]", true),
        ("<n>(d0) -> (d0), domain: n in [1, inf], d0 in [0, inf], d0 floordiv n in [0, 2]", false),
        (
            "<n>(d0) -> (d0), domain: n in [1, inf], d0 in [0, inf], n * d0 - 2 * n * n in [-inf, -1]",
            true,
        ),
        ("<n>(d0) -> (d0), domain: n in [2, inf], d0 in [0, 2 * n - 1]", false),
    ] {
        let found =
            equal_functions(&grid, &map(other), &Budget::default()).expect("the same variables");
        assert_eq!(found == Verdict::Proved, is_equal, "{other}: {found:?}");
        assert_eq!(matches!(found, Verdict::Refuted(_)), !is_equal, "{other}: {found:?}");
    }
}

#[test]
fn injective_or_not() {
    use affinor_ops::footprint::image::injective;
    for (domain, results, is_injective) in [
        (GRID, "d0 * m + d1", true),
        (GRID, "d0 + n * d1", true),
        (GRID, "d0 * n + d1", false),
        (FLAT, "d0 floordiv n, d0 mod n", true),
        (FLAT, "d0 mod n", false),
        (FREE, "d0 floordiv n, d0 mod (2 * n)", true),
        (MULTIPLE, "d0 mod 4, d0 floordiv 4", true),
        // A kernel's blocks, distributed to four units.
        (MULTIPLE, "d0 mod 4 * (n floordiv 4) + d0 floordiv 4", true),
        (MULTIPLE, "d0 mod 4 * ((n + 3) floordiv 4) + d0 floordiv 4", true),
        (MULTIPLE, "d0 mod 4 * (n floordiv 4 - 1) + d0 floordiv 4", false),
        (RESIDUE, "d0 mod 4 * ((n + 3) floordiv 4) + d0 floordiv 4", true),
        (RESIDUE, "d0 mod 4 * (n floordiv 4) + d0 floordiv 4", false),
        (LARGE, "d0 mod 4 * (n ceildiv 4) + d0 floordiv 4", true),
        (LARGE, "d0 mod 4 * (n ceildiv 4 - 1) + d0 floordiv 4", false),
        (BEYOND, "d0 mod 6 * (m ceildiv 6) + d0 floordiv 6", true),
        (TWICE, "d0 mod 8 * (n floordiv 8 - 1) + d0 floordiv 8", false),
        (FAR, "d0 * n, d1 mod (n - 499999)", false),
    ] {
        let (head, items) = domain.split_once(':').expect("variables before bounds");
        let map = map(&format!("{head} -> ({results}), domain: {items}"));
        let (found, _) = injective(&map, &Budget::default()).expect("small values");
        let text = format!("{results} of {domain}: {found:?}");
        match found {
            Verdict::Proved => assert!(is_injective, "{text}"),
            Verdict::Refuted(found) => {
                assert!(!is_injective, "{text}");
                assert_ne!(found.first, found.second);
                for point in [found.first, found.second] {
                    assert_eq!(map.domain().contains(&point), Ok(true), "{text}");
                    assert_eq!(map.eval(&point).as_ref(), Ok(&found.element), "{text}");
                }
            }
            Verdict::Unknown(_) => panic!("{text}"),
        }
    }
}

/// Numbers of points, and bounds of results, at some sizes, compared with all points.
#[test]
fn in_terms_of_sizes() {
    use affinor_ops::footprint::image::points_by_size;
    for (text, counted) in [
        (GRID, true),
        (FLAT, true),
        (
            "<n, m>(d0, d1): n in [1, inf], m in [1, inf], d0 in [n, m], d1 in [-n, 3], m - n in [0, inf]",
            true,
        ),
        ("<n, m>(d0): n in [1, inf], m in [1, inf], d0 in [n, m]", true),
        ("<n, m>(d0, d1): n in [1, inf], m in [1, inf], d0 in [0, n - 1], d1 in [0, d0 + m]", true),
        (
            "<n, m>(d0): n in [2, inf], m in [1, inf], d0 in [0, n - 1], d0 - m in [-inf, 0], m - n in [0, inf]",
            true,
        ),
    ] {
        let (head, items) = text.split_once(':').expect("variables before bounds");
        let results = "(d0 * 2 - n, d0 mod m, n - d0 floordiv n)";
        let map = map(&format!("{head} -> {results}, domain: {items}"));
        let budget = Budget::default();
        let number = points_by_size(map.domain(), &budget);
        assert_eq!(number.is_some(), counted, "{text}");
        let bounds = affinor::prove::ends(&map, &map.ranges(), &budget);
        let own = map.domain().variables().len() - 2;
        let mut tried = 0;
        for (n, m) in (1..6).flat_map(|n| (1..9).map(move |m| (n, m))) {
            let own_points: Vec<Vec<i64>> = match own {
                1 => (-10..50).map(|d0| vec![d0]).collect(),
                _ => (-10..50).flat_map(|d0| (-10..50).map(move |d1| vec![d0, d1])).collect(),
            };
            let points = own_points.into_iter().map(|own| [own, vec![n, m]].concat());
            let inside = |point: &Vec<i64>| map.domain().contains(point) == Ok(true);
            let points: Vec<Vec<i64>> = points.filter(inside).collect();
            if points.is_empty() {
                continue;
            }
            tried += 1;
            if let Some(number) = &number {
                assert_eq!(number.domain().contains(&[n, m]), Ok(true), "{text}");
                let value = number.eval(&[n, m]).expect("a small number");
                assert_eq!(value, [points.len() as i64], "{text} at {n}, {m}");
            }
            for point in points {
                let values = map.eval(&point).expect("small");
                for (value, [lower, upper]) in values.iter().zip(&bounds) {
                    let end = |end: &Expr| end.eval(&point).expect("small");
                    assert!(lower.as_ref().is_none_or(|x| end(x) <= *value), "{text}: {bounds:?}");
                    assert!(upper.as_ref().is_none_or(|x| end(x) >= *value), "{text}: {bounds:?}");
                }
            }
        }
        assert!(tried > 0, "{text}");
    }
}

/// Checks that a proved equality holds at all points tried, and that a refuted one fails at the point reported.
fn judged(
    left: &IndexingMap,
    right: &IndexingMap,
    points: &[Vec<i64>],
    budget: &Budget,
) -> Result<(), TestCaseError> {
    let value = |map: &IndexingMap, point: &[i64]| match map.domain().contains(point) {
        Ok(true) => map.eval(point).map(Some).map_err(|_| ()),
        Ok(false) => Ok(None),
        Err(_) => Err(()),
    };
    match equal_functions(left, right, budget).expect("the same variables") {
        Verdict::Proved => {
            for point in points {
                if let (Ok(x), Ok(y)) = (value(left, point), value(right, point)) {
                    prop_assert_eq!(x, y, "{} and {} at {:?}", left, right, point);
                }
            }
        }
        Verdict::Refuted(found) => {
            let sides = [(left, found.left), (right, found.right)];
            let [x, y] = sides.map(|(map, shown)| (value(map, &found.point), shown));
            prop_assert_eq!(&x.0, &Ok(x.1));
            prop_assert_eq!(&y.0, &Ok(y.1));
            prop_assert_ne!(x.0, y.0);
        }
        Verdict::Unknown(_) => {}
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn random_maps_are_judged_right(
        (drawn, results) in symbolic_map(None).prop_flat_map(|drawn| {
            let variables = drawn.map.domain().variables().len();
            let count = drawn.map.results().len();
            (Just(drawn), prop::collection::vec(symbolic_expr(variables), count))
        }),
        moves in prop::collection::vec(prop::collection::vec(-3i64..4, 8), 30),
    ) {
        let Symbolic { map, point } = drawn;
        let points: Vec<Vec<i64>> = moves.iter().map(|moved| {
            point.iter().zip(moved).map(|(x, by)| x + by).collect()
        }).collect();
        let other = IndexingMap::new(map.domain().clone(), results);
        let budget = Budget { samples: 20, solver_steps: 20_000, ..Budget::default() };
        judged(&map, &other, &points, &budget)?;
        // The same values in another form.
        let twice = map.results().iter().map(|x| x.add(x).and_then(|x| x.floordiv(2)));
        if let Ok(twice) = twice.collect::<Result<Vec<_>, _>>() {
            judged(&map, &IndexingMap::new(map.domain().clone(), twice), &points, &budget)?;
        }
        let bare = Domain::new(map.domain().variables().to_vec());
        judged(&map, &IndexingMap::new(bare, map.results().to_vec()), &points, &budget)?;
    }
}
