//! Results under facts of the domain, remainders of sums, and constraints on several variables: the smallest form is known by
//! construction, and each simplification has a certificate.

use crate::SIMPLIFIER;
use crate::support::random;
use affinor::certificate::replay;
use affinor::expr::IndexingMap;
use affinor::simplify::Options;
use affinor::text::{Style, parse_map, print_map};
use proptest::prelude::*;

#[track_caller]
fn parsed(text: &str) -> IndexingMap {
    parse_map(text).unwrap_or_else(|error| panic!("{error:?} in {text}"))
}

/// Simplifies a map with a certificate that is checked; returns the result.
#[track_caller]
fn simplified(text: &str) -> IndexingMap {
    let certified = SIMPLIFIER.certify(&parsed(text), &Options::default());
    assert_eq!(certified.verdict, Ok(()), "{text}");
    assert_eq!(replay(&certified.certificate, SIMPLIFIER.rules()), Ok(()), "{text}");
    certified.outcome.map
}

#[track_caller]
fn check(input: &str, expected: &str) {
    assert_eq!(print_map(&simplified(input), Style::Plain), expected, "from {input}");
}

#[test]
fn remainders_of_a_variable() {
    check(
        "(o) -> ((o + 3) floordiv 8 * 8, (o + 7) floordiv 8 * 8), domain: o in [0, 999], o mod 8 in [0, 0]",
        "(o) -> (o, o), domain: o in [0, 992], o mod 8 in [0, 0]",
    );
    check(
        "(d0, d1) -> ((d0 * 4 + d1) mod 8), domain: d0 in [0, 99], d1 in [0, 7], d0 mod 2 in [0, 0]",
        "(d0, d1) -> (d1), domain: d0 in [0, 98], d1 in [0, 7], d0 mod 2 in [0, 0]",
    );
    // Terms that are smaller in the variable itself stay.
    check(
        "(o) -> (o floordiv 4, o floordiv 16, o mod 16, o mod 4), domain: o in [0, 992], o mod 8 in [0, 0]",
        "(o) -> (o floordiv 4, o floordiv 16, o mod 16, 0), domain: o in [0, 992], o mod 8 in [0, 0]",
    );
    check(
        "(o) -> (o floordiv 8 * 8, o mod 4, (o + 5) floordiv 8 * 8), domain: o in [3, 995], o mod 8 in [3, 3]",
        "(o) -> (o - 3, 3, o + 5), domain: o in [3, 995], o mod 8 in [3, 3]",
    );
    check(
        "<n>(a, i) -> ((a + i) floordiv 8 * 8, a * n mod 8), domain: n in [1, inf], a in [0, n - 1], i in [0, 7], a mod 8 in [0, 0]",
        "<n>(a, i) -> (a, 0), domain: n in [1, inf], a in [0, n - 1], i in [0, 7], a mod 8 in [0, 0]",
    );
    // Another divisor, or a sum with the variable itself, is not simplified by the fact.
    check(
        "(o) -> ((o + 8) floordiv 16 * 16), domain: o in [0, 992], o mod 8 in [0, 0]",
        "(o) -> (o + o mod 16), domain: o in [0, 992], o mod 8 in [0, 0]",
    );
    check(
        "(o) -> (o mod 12), domain: o in [0, 992], o mod 8 in [0, 0]",
        "(o) -> (o mod 12), domain: o in [0, 992], o mod 8 in [0, 0]",
    );
}

#[test]
fn remainders_of_a_sum() {
    check(
        "(a, b) -> ((a + b + 3) floordiv 8 * 8, (a * 3 + b * 3) mod 4), domain: a in [0, 999], b in [0, 99], (a + b) mod 8 in [0, 0]",
        "(a, b) -> (a + b, 0), domain: a in [0, 999], b in [0, 99], (a + b) mod 8 in [0, 0]",
    );
    check(
        "(a, b) -> ((a + b) mod 16), domain: a in [0, 999], b in [0, 99], (a + b) mod 8 in [0, 0]",
        "(a, b) -> ((a + b) mod 16), domain: a in [0, 999], b in [0, 99], (a + b) mod 8 in [0, 0]",
    );
}

#[test]
fn bounds_by_constraints_on_several_variables() {
    check(
        "(x, y) -> (y floordiv 64), domain: x in [0, inf], y in [0, inf], x * 10 + y in [0, 50]",
        "(x, y) -> (0), domain: x in [0, 5], y in [0, 50], x * 10 + y in [0, 50]",
    );
    check(
        "(x, y) -> (y floordiv 50), domain: x in [0, inf], y in [0, inf], x * 10 + y in [0, 50]",
        "(x, y) -> (y floordiv 50), domain: x in [0, 5], y in [0, 50], x * 10 + y in [0, 50]",
    );
    check(
        "(x, y) -> (x, y), domain: x in [0, inf], y in [0, inf], x * 2 + y * 3 in [12, 12]",
        "(x, y) -> (x, y), domain: x in [0, 6], y in [0, 4], x * 2 + y * 3 in [12, 12]",
    );
    // Finite bounds stay as written, but are tightened for the simplification of the results.
    check(
        "(i, j) -> (i floordiv 7, i mod 7), domain: i in [0, 100], j in [0, 100], i + j in [0, 6]",
        "(i, j) -> (0, i), domain: i in [0, 100], j in [0, 100], i + j in [0, 6]",
    );
    // Each of these bounds tightens the other, without end.
    check(
        "(i, j) -> (i), domain: i in [0, inf], j in [0, inf], i - j in [1, inf], j - i in [1, inf]",
        "(i, j) -> (i), domain: i in [0, inf], j in [0, inf], -i + j in [1, inf], i - j in [1, inf]",
    );
}

#[test]
fn quotients_with_one_bound() {
    check(
        "<n>() -> (max(n, 4)), domain: n in [1, inf], n floordiv 4 in [1, inf]",
        "<n>() -> (n), domain: n in [4, inf]",
    );
    check(
        "(n) -> (max(n, 11)), domain: n in [-inf, 50], n floordiv 4 in [-inf, 2]",
        "(n) -> (11), domain: n in [-inf, 11]",
    );
    check(
        "<n>(t, i) -> (min(t + i * 96, n - 1)), domain: n in [1, inf], t in [0, 95], i in [0, (n - t + 95) floordiv 96 - 1]",
        "<n>(t, i) -> (t + i * 96), domain: n in [1, inf], t in [0, 95], i in [0, inf], i + (t - n) floordiv 96 in [-inf, -1]",
    );
    check(
        "<n>(t, i) -> (min(t + i * 96, n - 2)), domain: n in [2, inf], t in [0, 95], i in [0, (n - t + 95) floordiv 96 - 1]",
        "<n>(t, i) -> (min(t + i * 96, n - 2)), domain: n in [2, inf], t in [0, 95], i in [0, inf], i + (t - n) floordiv 96 in [-inf, -1]",
    );
}

/// Generates a map for which a fact of the domain allows a smaller form, and that form.
fn made() -> impl Strategy<Value = (String, String)> {
    let modulus = || prop::sample::select(vec![2i64, 3, 4, 6, 8, 12, 16, 64]);
    let scale = || prop::sample::select(vec![2i64, 3, 4, 8]);
    let case = |text: String, smallest: &str| (text, smallest.to_owned());
    prop_oneof![
        (modulus(), 0i64..64, 130i64..150).prop_map(move |(m, r, n)| case(
            format!("(x, y) -> ((x + {}) floordiv {m} * {m}), domain: x in [0, {n}], y in [0, 0], x mod {m} in [0, 0]", r % m),
            "x"
        )),
        (prop::sample::select(vec![2i64, 3, 8, 12]), scale(), 130i64..150).prop_map(move |(m, c, n)| case(
            format!("(x, y) -> ((x * {c} + y) mod {0}), domain: x in [0, {n}], y in [0, {1}], x mod {m} in [0, 0]", c * m, c * m - 1),
            "y"
        )),
        (modulus(), 0i64..64, 130i64..150).prop_map(move |(m, r, n)| case(
            format!("(x, y) -> ((x + y + {}) floordiv {m} * {m}), domain: x in [0, {n}], y in [0, {m}], (x + y) mod {m} in [0, 0]", r % m),
            "x + y"
        )),
        (2i64..30, 0i64..30, 1i64..9).prop_map(move |(c, more, beyond)| {
            let most = c + more;
            case(
                format!("(x, y) -> (y floordiv {} + x), domain: x in [0, 99], y in [0, 99], x * {c} + y in [0, {most}]", most + beyond),
                "x"
            )
        }),
        (5i64..60, 1i64..9).prop_map(move |(n, d)| case(
            format!("(x, y) -> ((y - x) floordiv {} + x), domain: x in [0, {n}], y in [0, {}], y - x in [0, {d}]", d + 1, n + d),
            "x"
        )),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn the_form_by_which_a_map_was_made_is_found((text, smallest) in made()) {
        let (before, after) = (parsed(&text), simplified(&text));
        let expected = format!("(x, y) -> ({smallest}), domain");
        prop_assert!(after.to_string().starts_with(&expected), "{} from {}", after, text);
        for point in random::box_points(before.domain()) {
            if before.domain().contains(&point) == Ok(true) {
                prop_assert_eq!(before.eval(&point), after.eval(&point), "{} at {:?}", text, point);
            }
        }
    }
}
