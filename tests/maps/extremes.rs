//! The extremes of results, emptiness and numbers of points, compared with an independent evaluator at every point.

use affinor::expr::{End, IndexingMap};
use affinor::prove::{
    Budget, Extreme, Fit, Verdict, count_points, end_by_size, extremes, fits, is_empty,
    list_points, wide_value_at,
};
use affinor::text::parse_parts;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use std::fmt;

/// Returns a budget without points and solver: every decision is by integer points of linear systems.
fn budget() -> Budget {
    Budget { points: 0, samples: 0, solver_steps: 0, ..Budget::default() }
}

#[derive(Clone, Debug)]
enum Term {
    Variable(usize),
    Number(i64),
    Sum(Vec<(i64, Term)>),
    Div(Box<Term>, i64),
    Mod(Box<Term>, i64),
    Min(Box<Term>, Box<Term>),
    Max(Box<Term>, Box<Term>),
}

impl Term {
    fn at(&self, point: &[i64]) -> i64 {
        match self {
            Term::Variable(place) => point[*place],
            Term::Number(number) => *number,
            Term::Sum(terms) => terms.iter().map(|(c, x)| c * x.at(point)).sum(),
            Term::Div(x, c) => x.at(point).div_euclid(*c),
            Term::Mod(x, c) => x.at(point).rem_euclid(*c),
            Term::Min(x, y) => x.at(point).min(y.at(point)),
            Term::Max(x, y) => x.at(point).max(y.at(point)),
        }
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Term::Variable(place) => write!(f, "x{place}"),
            Term::Number(number) => write!(f, "({number})"),
            Term::Sum(terms) => {
                write!(f, "(0")?;
                terms.iter().try_for_each(|(c, x)| write!(f, " + ({c})*{x}"))?;
                write!(f, ")")
            }
            Term::Div(x, c) => write!(f, "({x} floordiv {c})"),
            Term::Mod(x, c) => write!(f, "({x} mod {c})"),
            Term::Min(x, y) => write!(f, "min({x}, {y})"),
            Term::Max(x, y) => write!(f, "max({x}, {y})"),
        }
    }
}

/// A result over bounded variables, and constraints.
#[derive(Clone, Debug)]
struct Case {
    bounds: Vec<(i64, i64)>,
    constraints: Vec<(Term, Option<i64>, Option<i64>)>,
    result: Term,
}

impl Case {
    /// Builds the map; if it `is_open`, the last bound of each variable may be infinite.
    fn map(&self, is_open: bool) -> IndexingMap {
        let names: Vec<String> = (0..self.bounds.len()).map(|place| format!("x{place}")).collect();
        let end =
            |end: Option<i64>, otherwise: &str| end.map_or(otherwise.to_owned(), |x| x.to_string());
        let bounds = self.bounds.iter().zip(&names).map(|((lo, hi), name)| {
            format!("{name} in [{lo}, {}]", end((!is_open).then_some(*hi), "inf"))
        });
        let constraints = self
            .constraints
            .iter()
            .map(|(term, lo, hi)| format!("{term} in [{}, {}]", end(*lo, "-inf"), end(*hi, "inf")));
        let domain: Vec<String> = bounds.chain(constraints).collect();
        let text =
            format!("({}) -> ({}), domain: {}", names.join(", "), self.result, domain.join(", "));
        text.parse().unwrap_or_else(|error| panic!("{text}: {error:?}"))
    }

    fn contains(&self, point: &[i64]) -> bool {
        self.constraints.iter().all(|(term, lo, hi)| {
            let value = term.at(point);
            lo.is_none_or(|lo| lo <= value) && hi.is_none_or(|hi| value <= hi)
        })
    }

    /// Returns the points of the box that satisfy the constraints.
    fn points(&self) -> Vec<Vec<i64>> {
        let mut points: Vec<Vec<i64>> = vec![Vec::new()];
        for (lo, hi) in &self.bounds {
            let longer = points.iter().flat_map(|point| {
                (*lo..=*hi).map(move |value| [point.as_slice(), &[value]].concat())
            });
            points = longer.collect();
        }
        points.retain(|point| self.contains(point));
        points
    }

    fn ends(&self, points: &[Vec<i64>]) -> Option<[i64; 2]> {
        let values = points.iter().map(|point| self.result.at(point));
        Some([values.clone().min()?, values.max()?])
    }
}

fn term(variables: usize) -> BoxedStrategy<Term> {
    let leaf = prop_oneof![
        6 => (0..variables).prop_map(Term::Variable),
        1 => (-20i64..21).prop_map(Term::Number),
    ];
    let factor = || prop_oneof![3 => Just(1i64), 2 => Just(-1i64), 4 => -9i64..10];
    let divisor = || prop_oneof![3 => 2i64..13, 1 => prop::sample::select(vec![16i64, 32, 40, 64])];
    let deep = leaf.prop_recursive(3, 8, 3, move |below| {
        let terms = prop::collection::vec((factor(), below.clone()), 1..4);
        prop_oneof![
            4 => terms.prop_map(Term::Sum),
            2 => (below.clone(), divisor()).prop_map(|(x, c)| Term::Div(Box::new(x), c)),
            2 => (below.clone(), divisor()).prop_map(|(x, c)| Term::Mod(Box::new(x), c)),
            1 => (below.clone(), below.clone()).prop_map(|(x, y)| Term::Min(Box::new(x), Box::new(y))),
            1 => (below.clone(), below).prop_map(|(x, y)| Term::Max(Box::new(x), Box::new(y))),
        ]
    });
    deep.boxed()
}

fn case(widest: &'static [i64]) -> impl Strategy<Value = Case> {
    (1..=widest.len()).prop_flat_map(move |variables| {
        let bounds = (-8i64..9, 0..widest[variables - 1]).prop_map(|(lo, width)| (lo, lo + width));
        let sides = prop_oneof![
            (-30i64..31, 0i64..40).prop_map(|(lo, width)| (Some(lo), Some(lo + width))),
            (-30i64..31).prop_map(|lo| (Some(lo), None)),
            (-30i64..31).prop_map(|hi| (None, Some(hi))),
        ];
        let constraint = (term(variables), sides).prop_map(|(term, (lo, hi))| (term, lo, hi));
        let result = prop::collection::vec((-3i64..4, term(variables)), 1..4).prop_map(Term::Sum);
        (prop::collection::vec(bounds, variables), prop::collection::vec(constraint, 0..4), result)
            .prop_map(|(bounds, constraints, result)| Case { bounds, constraints, result })
    })
}

/// Returns a case with `i` below the first size and `j` below the second, a quotient of the first, or a number.
fn sized_case() -> impl Strategy<Value = (String, Term)> {
    let ends = vec!["m - 1", "n floordiv 4", "i", "(n + 7) floordiv 8 - 1", "15", "n - i", "m + 2"];
    let constraints =
        vec!["", ", i mod 4 in [0, 0]", ", i * 16 + j - n in [-inf, -1]", ", i - j in [0, inf]"];
    let result = prop::collection::vec((-2i64..3, term(4)), 1..3).prop_map(Term::Sum);
    (prop::sample::select(ends), prop::sample::select(constraints), result).prop_map(
        |(end, constraint, result)| {
            let domain = format!(
                "domain: n in [1, inf], m in [1, inf], i in [0, n - 1], j in [0, {end}]{constraint}"
            );
            // The term's variables are numbered like the coordinates of a point: i, j, n, m.
            let shown = result.to_string().replace("x0", "i").replace("x1", "j");
            let shown = shown.replace("x2", "n").replace("x3", "m");
            (format!("<n, m>(i, j) -> ({shown}), {domain}"), result)
        },
    )
}

#[test]
fn ends_in_terms_of_sizes_are_those_of_each_size() {
    let mut runner = TestRunner::deterministic();
    let strategy = sized_case();
    let count = cases() / 20;
    let mut found = 0;
    for _ in 0..count {
        let (text, result) = strategy.new_tree(&mut runner).expect("a case").current();
        let map: IndexingMap = text.parse().unwrap_or_else(|error| panic!("{text}: {error:?}"));
        let ends = [End::Lower, End::Upper].map(|end| end_by_size(&map, 0, end, &budget()));
        found += usize::from(ends.iter().all(Option::is_some));
        for (n, m) in [(1, 1), (2, 9), (7, 3), (8, 8), (16, 2), (23, 30), (40, 5), (33, 33)] {
            let points = (0..n).flat_map(|i| (0..60).map(move |j| vec![i, j, n, m]));
            let inside = points.filter(|point| map.domain().contains(point) == Ok(true));
            let values: Vec<i64> = inside.map(|point| result.at(&point)).collect();
            let wanted = [values.iter().min(), values.iter().max()];
            for (end, wanted) in ends.iter().zip(wanted) {
                if let (Some(end), Some(wanted)) = (end, wanted) {
                    assert_eq!(end.eval(&[0, 0, n, m]), Ok(*wanted), "{text}: {end:?} at {n}, {m}");
                }
            }
        }
    }
    assert!(found * 100 >= count * 97, "{found} of {count}");
}

#[test]
fn fitting_values_fit_at_all_points() {
    let mut runner = TestRunner::deterministic();
    let strategy = case(&[300, 40, 12]);
    let mut leaving = 0;
    for number in 0..cases() {
        let case = strategy.new_tree(&mut runner).expect("a case").current();
        let map = case.map(false);
        let within = [-60 + i128::try_from(number % 50).expect("small"), 90];
        let is_within = |value: i64| within[0] <= value.into() && i128::from(value) <= within[1];
        let points = case.points();
        let all = points.iter().all(|point| is_within(case.result.at(point)));
        let ends = within.map(Some);
        match fits(map.domain(), map.results(), ends, &budget()).as_slice() {
            [Fit::Always] => assert!(all, "{map}"),
            [Fit::Leaves { value, point, .. }] => {
                assert!(points.contains(point), "{map}: {point:?}");
                assert_eq!(i128::from(case.result.at(point)), *value, "{map}");
                assert!(!(within[0]..=within[1]).contains(value), "{map}");
                leaving += 1;
            }
            other => panic!("{map}: {other:?}"),
        }
    }
    assert!(leaving * 5 > cases(), "{leaving} of {} leave", cases());
}

/// Checks a map with one size, and the greatest size for which all values fit in 32 bits.
#[track_caller]
fn check_size(text: &str, up_to: Option<i64>) {
    let map: IndexingMap = text.parse().expect(text);
    let ends = [Some(-(1 << 31)), Some((1 << 31) - 1)];
    let found = fits(map.domain(), map.results(), ends, &Budget::default());
    let [Fit::Leaves { value, point, up_to: found }] = found.as_slice() else {
        panic!("{text}: {found:?}");
    };
    assert_eq!(wide_value_at(map.domain(), &map.results()[0], point), Some(*value), "{text}");
    assert_eq!(*found, up_to, "{text}");
}

#[test]
fn the_size_from_which_on_a_value_leaves() {
    check_size("<n>(i) -> (i * 4096), domain: n in [1, inf], i in [0, n - 1]", Some(524_288));
    check_size("<n>(i) -> (i * n), domain: n in [1, inf], i in [0, n - 1]", Some(46_341));
    check_size("<n>(i) -> (n * n - i * 8), domain: n in [1, inf], i in [0, 3]", Some(46_340));
    check_size("<n>(i) -> (-5 * n - i), domain: n in [-7, inf], i in [0, 9]", Some(429_496_727));
    check_size(
        "<n>(i) -> (i * 2 + 9), domain: n in [1, inf], i in [0, n floordiv 8 * 8]",
        Some(1_073_741_823),
    );
    check_size("<n>() -> (n * 3), domain: n in [1000000000, inf]", Some(999_999_999));
    // For two sizes, no single number bounds both.
    check_size("<n, m>(i) -> (i * m), domain: n in [1, inf], m in [1, inf], i in [0, n - 1]", None);
}

#[test]
fn what_64_bits_hold_is_no_end_of_them() {
    let decide = |text: &str, within: [i128; 2]| {
        let map: IndexingMap = text.parse().expect(text);
        let found = fits(map.domain(), map.results(), within.map(Some), &Budget::default());
        found.into_iter().next().expect("one result")
    };
    let (signed, unsigned) = ([-(1 << 63), (1 << 63) - 1], [0, (1 << 64) - 1]);
    let text = "(i) -> (i * 4), domain: i in [0, 2305843009213693951]";
    assert_eq!(decide(text, signed), Fit::Always);
    let text = "(i) -> (i * 4), domain: i in [0, 2305843009213693952]";
    assert!(matches!(decide(text, signed), Fit::Leaves { value, .. } if value == 1 << 63));
    assert_eq!(decide(text, unsigned), Fit::Always);
    // It underflows from some size on, and overflows from a smaller size, which 64 bits cannot show.
    let text =
        "<n>(i, j) -> (i * 1000000000 * j - n), domain: n in [0, inf], i in [0, n], j in [0, 9]";
    let quadratic = decide(text, unsigned);
    assert!(
        !matches!(quadratic, Fit::Always | Fit::Leaves { up_to: Some(1..), .. }),
        "{quadratic:?}"
    );
    let text = "<n>(i) -> (i * 9223372036854775807 - n), domain: n in [0, inf], i in [0, 4]";
    assert!(matches!(decide(text, unsigned), Fit::Leaves { up_to: None, .. }));
}

#[test]
fn parts_are_those_that_are_written() {
    let text =
        "(x, y) -> (3 * (x - 32) + y mod 4 - 7, min(x, -y)), domain: x in [0, 9], y in [0, 9]";
    let parts = parse_parts(text).expect("a map");
    let shown: Vec<&str> = parts.iter().map(|part| &text[part.span.clone()]).collect();
    let expected = [
        "3",
        "x",
        "32",
        "(x - 32)",
        "3 * (x - 32)",
        "y",
        "4",
        "y mod 4",
        "7",
        "3 * (x - 32) + y mod 4",
        "3 * (x - 32) + y mod 4 - 7",
        "x",
        "y",
        "-y",
        "min(x, -y)",
    ];
    assert_eq!(shown, expected);
}

/// Returns the number of random maps: set by the environment variable `AFFINOR_CASES`, for example `AFFINOR_CASES=4000`.
fn cases() -> usize {
    std::env::var("AFFINOR_CASES").ok().and_then(|count| count.parse().ok()).unwrap_or(400)
}

#[test]
fn ends_emptiness_and_counts_are_those_of_all_points() {
    let mut runner = TestRunner::deterministic();
    let strategy = case(&[300, 40, 12, 6]);
    let mut unknown = 0;
    for _ in 0..cases() {
        let case = strategy.new_tree(&mut runner).expect("a case").current();
        let map = case.map(false);
        let points = case.points();
        let [found] = extremes(&map, &budget()).try_into().expect("one result");
        match case.ends(&points) {
            None => {
                let empty = found.iter().all(|end| matches!(end, None | Some(Extreme::Empty)));
                assert!(empty, "{map}: {found:?}");
                assert_eq!(is_empty(map.domain(), &budget()), Verdict::Proved, "{map}");
            }
            Some(ends) => {
                for (end, wanted) in found.iter().zip(ends) {
                    match end {
                        None => {}
                        Some(Extreme::At(value, point)) => {
                            assert_eq!((*value, case.result.at(point)), (wanted, wanted), "{map}");
                            assert!(points.contains(point), "{map}: {point:?}");
                        }
                        other => panic!("{map}: {other:?}, but {wanted}"),
                    }
                }
                let point = is_empty(map.domain(), &budget());
                assert!(
                    matches!(&point, Verdict::Refuted(x) if points.contains(x)),
                    "{map}: {point:?}"
                );
            }
        }
        unknown += usize::from(found.iter().any(Option::is_none));
        let number = count_points(map.domain(), &budget());
        assert_eq!(number, Some(points.len() as u128), "{map}");
        assert_eq!(
            list_points(map.domain(), 2000, &budget()),
            (points.len() <= 2000).then_some(points)
        );
    }
    assert!(unknown * 50 <= cases(), "{unknown} of {} not exact", cases());
}

#[test]
fn ends_of_open_domains_are_right_in_a_window() {
    let mut runner = TestRunner::deterministic();
    let strategy = case(&[2000, 60]);
    let mut unknown = 0;
    for _ in 0..cases() {
        let case = strategy.new_tree(&mut runner).expect("a case").current();
        let map = case.map(true);
        let mut window = case.clone();
        for (lo, hi) in &mut window.bounds {
            *hi = *lo + if case.bounds.len() == 1 { 4000 } else { 90 };
        }
        let points = window.points();
        let [found] = extremes(&map, &budget()).try_into().expect("one result");
        unknown += usize::from(found.iter().any(Option::is_none));
        let ends = case.ends(&points);
        for (place, end) in found.iter().enumerate() {
            match (end, ends) {
                (None, _) | (Some(Extreme::Empty), None) => {}
                (Some(Extreme::At(value, point)), ends) => {
                    let bounds = case.bounds.iter().zip(point);
                    let is_point =
                        bounds.clone().all(|((lo, _), x)| lo <= x) && case.contains(point);
                    assert!(is_point && case.result.at(point) == *value, "{map}: {end:?}");
                    if let Some(ends) = ends {
                        let is_end = if place == 0 { *value <= ends[0] } else { *value >= ends[1] };
                        assert!(is_end, "{map}: {end:?}, but {ends:?}");
                    }
                }
                (Some(Extreme::Endless), _) if case.bounds.len() == 1 => {
                    // The values must exceed any bound far away.
                    let mut far = case.clone();
                    far.bounds[0] = (1 << 50, (1 << 50) + 4_000);
                    let far = far.ends(&far.points()).unwrap_or([0, 0]);
                    let is_endless = if place == 0 { far[0] < -300 } else { far[1] > 300 };
                    assert!(is_endless, "{map}: {end:?}, but {far:?}");
                }
                (Some(Extreme::Endless), _) => {}
                (end, ends) => panic!("{map}: {end:?}, but {ends:?}"),
            }
        }
    }
    assert!(unknown * 50 <= cases(), "{unknown} of {} not exact", cases());
}

/// Checks the number of points of a domain that is too large to enumerate.
#[track_caller]
fn check_count(variables: usize, domain: &str, number: Option<u128>) {
    let names: Vec<String> = (0..variables).map(|place| format!("x{place}")).collect();
    let bounds = names.iter().map(|name| format!("{name} in [0, inf]"));
    let text = format!(
        "({}) -> (), domain: {}, {domain}",
        names.join(", "),
        bounds.collect::<Vec<_>>().join(", ")
    );
    let map: IndexingMap = text.parse().unwrap_or_else(|error| panic!("{text}: {error:?}"));
    assert_eq!(count_points(map.domain(), &budget()), number, "{text}");
}

#[test]
fn many_points_are_counted_by_what_is_left_for_the_others() {
    // Sums of at most 1000, and of at most 100: the binomials 1003 over 3 and 106 over 6.
    check_count(3, "x0 + x1 + x2 in [0, 1000]", Some(167_668_501));
    check_count(6, "x0 + x1 + x2 + x3 + x4 + x5 in [0, 100]", Some(1_705_904_746));
    // Ways to give change for a dollar.
    check_count(6, "x0 + x1 * 5 + x2 * 10 + x3 * 25 + x4 * 50 + x5 * 100 in [100, 100]", Some(293));
    // Nested triangles: `x1 <= x0`, `x2 <= x1`.
    check_count(3, "x0 in [0, 999], x0 - x1 in [0, inf], x1 - x2 in [0, inf]", Some(167_167_000));
    check_count(4, "x0 + x1 in [0, 999], x2 + x3 in [0, 999]", Some(500_500 * 500_500));
    check_count(3, "x0 + x1 + x2 in [0, 999], (x0 + x1) mod 10 in [3, 3]", Some(16_717_300));
    check_count(2, "x0 - x1 in [0, 9]", None);
}
