//! Maps with parameters: their text, and operations on them, compared with evaluation at points.

use crate::support::symbolic::{Symbolic, symbolic_map};
use affinor_maps::expr::{Domain, IndexingMap, VariableId, VariableKind};
use affinor_maps::text::{ErrorKind, Style, parse_map, print_map, print_map_strictly};
use proptest::prelude::*;

/// Checks that `text` is printed as `expected`, and that this parses as the same map.
#[track_caller]
fn check(text: &str, expected: &str) {
    let map = parse_map(text).unwrap_or_else(|error| panic!("{text}: {error:?}"));
    assert_eq!(print_map(&map, Style::Plain), expected);
    assert_eq!(parse_map(expected), Ok(map), "{expected}");
}

#[test]
fn maps_with_parameters() {
    check(
        "<n, m>(d0, d1) -> ((d0*n + d1) // n, d1 % m), domain: n in [1, inf], m in [1, n], d0 in [0, m - 1], d1 in [0, n-1]",
        "<n, m>(d0, d1) -> ((d0 * n + d1) floordiv n, d1 mod m), domain: n in [1, inf], m in [1, n], d0 in [0, m - 1], d1 in [0, n - 1]",
    );
    check(
        "<n>(d0)[s0]{rt0} -> (d0 * n * 4 + s0 * rt0), domain: n in [1, 8], d0 in [-n, n], s0 in [0, 3], rt0 in [n, n + 3], n mod 4 in [0, 0], d0 + s0 in [0, n - 1]",
        "<n>(d0)[s0]{rt0} -> (d0 * n * 4 + s0 * rt0), domain: n in [1, 8], d0 in [-n, n], s0 in [0, 3], rt0 in [n, n + 3], d0 + s0 in [0, inf], d0 + s0 - n in [-inf, -1], n mod 4 in [0, 0]",
    );
    check(
        "<n, k>(d0) -> (d0 ceildiv (n + k), n * n * 3 * k, -(n * k), (n + 1) * 2 * d0), domain: n in [0, inf], k in [1, inf], d0 in [0, min(n * k, 8) - 1]",
        "<n, k>(d0) -> (d0 ceildiv (n + k), n * n * k * 3, -(n * k), d0 * (n + 1) * 2), domain: n in [0, inf], k in [1, inf], d0 in [0, min(n * k, 8) - 1]",
    );
    check(
        "<n>(d0) -> (d0 floordiv (2 + 2), d0 floordiv -n), domain: n in [-9, -1], d0 in [0, 9]",
        "<n>(d0) -> (d0 floordiv 4, d0 floordiv (-n)), domain: n in [-9, -1], d0 in [0, 9]",
    );
    check("<n>() -> (n), domain: n in [-inf, inf]", "<n>() -> (n), domain: n in [-inf, inf]");
    check(
        "<>(d0, d1) -> (d0 mod d1), domain: d0 in [0, 3], d1 in [1, 3]",
        "<>(d0, d1) -> (d0 mod d1), domain: d0 in [0, 3], d1 in [1, 3]",
    );
    check(
        "<>(d0) -> (d0 mod 3), domain: d0 in [0, 4 * 2]",
        "(d0) -> (d0 mod 3), domain: d0 in [0, 8]",
    );
    check("<n>(d0) -> (d0 mod n), domain: empty", "<n>(d0) -> (d0 mod n), domain: empty");
    // A bound that already is an expression, and further bounds of the same variable.
    check(
        "<n, m>(d0) -> (d0), domain: n in [1, inf], m in [1, inf], d0 in [0, 9], d0 - n in [-inf, 3], d0 - m in [0, inf]",
        "<n, m>(d0) -> (d0), domain: n in [1, inf], m in [1, inf], d0 in [0, 9], d0 - n in [-inf, 3], d0 - m in [0, inf]",
    );
    check(
        "<n>(d0) -> (d0 floordiv (n - 3)), domain: n in [0, inf], d0 in [0, 9], n - 3 in [1, 8]",
        "<n>(d0) -> (d0 floordiv (n - 3)), domain: n in [0, inf], d0 in [0, 9], n - 3 in [1, 8]",
    );
    check(
        "<n>(d0, d1) -> (d0 floordiv d1), domain: n in [1, inf], d0 in [0, n], d1 in [1, n]",
        "<n>(d0, d1) -> (d0 floordiv d1), domain: n in [1, inf], d0 in [0, n], d1 in [1, n]",
    );
    check(
        "#xla.indexing_map<\"<n>(d0) -> (d0 / n), domain: n in [1, inf], d0 in [0, n - 1]\">",
        "<n>(d0) -> (d0 floordiv n), domain: n in [1, inf], d0 in [0, n - 1]",
    );
}

#[test]
fn maps_of_mlir() {
    check(
        "affine_map<(d0)[s0] -> (d0 floordiv s0, d0 * s0)>",
        "<s0>(d0) -> (d0 floordiv s0, d0 * s0), domain: s0 in [1, inf], d0 in [-inf, inf]",
    );
    check(
        "affine_map<(d0)[s0, s1] -> (d0 * s1 + s0)>, affine_set<(i)[j, k] : (i >= 0, i <= k - 1, j == 2)>",
        "<s1>(d0)[s0] -> (d0 * s1 + s0), domain: s1 in [-inf, inf], d0 in [0, s1 - 1], s0 in [2, 2]",
    );
    let mlir = |text: &str| {
        let map = parse_map(text).expect(text);
        print_map_strictly(&map, Style::Mlir).map_err(|error| error.message)
    };
    for (text, expected) in [
        (
            "<n>(d0)[s0] -> (d0 floordiv n + s0), domain: n in [1, inf], d0 in [0, n - 1], s0 in [0, 3]",
            Ok(
                "affine_map<(d0)[s0, n] -> (s0 + d0 floordiv n)>, affine_set<(d0)[s0, n] : (d0 >= 0, s0 >= 0, s0 <= 3, n >= 1, d0 - n <= -1)>",
            ),
        ),
        (
            "<n>(d0) -> (d0 + n), domain: n in [1, inf], d0 in [0, 7]",
            Err(
                "in an MLIR affine_map, `n` would be read as a range variable: it is not a factor or divisor",
            ),
        ),
        (
            "<n>(d0)[s0] -> (d0 * s0 * n), domain: n in [1, inf], d0 in [0, 7], s0 in [0, 1]",
            Err("in an MLIR affine_map, the factor or divisor `s0` would be read as a parameter"),
        ),
        (
            "<n>(d0) -> (d0 * d0 * n), domain: n in [1, inf], d0 in [0, 7]",
            Err("an MLIR affine_map multiplies and divides by symbols only"),
        ),
    ] {
        assert_eq!(mlir(text), expected.map(str::to_owned).map_err(str::to_owned), "{text}");
    }
}

/// Checks that the map is refused at the text `marked`, with a hint that contains `hint`.
#[track_caller]
fn reject(text: &str, kind: ErrorKind, marked: &str, hint: &str) {
    let error = parse_map(text).expect_err(text);
    assert_eq!(error.kind, kind, "{text}: {error:?}");
    let found = error.span.clone().and_then(|span| text.get(span));
    assert_eq!(found, Some(marked), "{text}: {error:?}");
    let found = error.hint.as_deref().unwrap_or("");
    assert!(found.contains(hint), "{text}: {error:?}");
}

#[test]
fn bounds_of_triangular_loops_are_constraints() {
    let check = |text: &str, expected: &str| {
        assert_eq!(parse_map(text).expect(text).to_string(), expected, "{text}");
    };
    check(
        "(i, j) -> (i - j), domain: i in [0, 7], j in [0, i]",
        "(i, j) -> (i - j), domain: i in [0, 7], j in [0, 7], -i + j in [-inf, 0]",
    );
    check(
        "(i)[s0] -> (i), domain: i in [0, 7], s0 in [2 * i + 1, i mod 4 + 9]",
        "(i)[s0] -> (i), domain: i in [0, 7], s0 in [1, 12], i * -2 + s0 in [1, inf], s0 - i mod 4 in [-inf, 9]",
    );
    check(
        "<n>(t, i) -> (t), domain: n in [1, inf], t in [0, 95], i in [0, (n - t + 95) floordiv 96 - 1]",
        "<n>(t, i) -> (t), domain: n in [1, inf], t in [0, 95], i in [0, inf], i - (-t + n + 95) floordiv 96 in [-inf, -1]",
    );
    check("(i) -> (i), domain: i in [0, 3 + 1]", "(i) -> (i), domain: i in [0, 4]");
}

#[test]
fn rejected_maps() {
    use ErrorKind::{Division, Domain, Name, Syntax, Unsupported};
    let one = |map: &str, kind, marked: &str, hint: &str| {
        let text =
            format!("<n, m>(d0) -> ({map}), domain: n in [0, inf], m in [1, inf], d0 in [0, n]");
        reject(&text, kind, marked, hint);
    };
    one("d0 floordiv n", Division, "n", "state `n in [1, inf]`");
    one("d0 floordiv (m*n)", Division, "(m*n)", "state `n in [1, inf]`");
    one("d0 mod (n - m)", Division, "(n - m)", "state `n - m in [1, inf]`");
    one("d0 mod (n * (n - m))", Division, "(n * (n - m))", "state `n * (n - m) in [1, inf]`");
    one("(d0 mod m) ceildiv (m - 2 * m)", Division, "(m - 2 * m)", "");
    one("d0 mod (m - m)", Division, "d0 mod (m - m)", "");
    one("d0 mod d0", Division, "d0", "state `d0 in [1, inf]`");
    one("d0 mod -3", Division, "-3", "");
    one("d0 * q", Name, "q", "known variables");
    // Without parameters, maps must be quasi-affine.
    let plain = |map: &str, kind, marked: &str| {
        let text = format!("(d0, d1) -> ({map}), domain: d0 in [0, 3], d1 in [1, 3]");
        reject(&text, kind, marked, "quasi-affine");
    };
    plain("d0 * d1", Unsupported, "d0 * d1");
    plain("d0 floordiv d1", Division, "d1");
    reject("(d0, d1) -> (), domain: d0 in [0, d1], d1 in [0, 3]", Domain, "d1", "constraint");
    reject("(d0)[s0] -> (), domain: d0 in [0, s0], s0 in [0, 3]", Domain, "s0", "constraint");
    reject("(d0, d1) -> (), domain: d0 in [0, 3], d1 in [0, d0 * d0]", Unsupported, "d0 * d0", "");
    // Lists and bounds.
    reject("<>(d0, d1) -> (), domain: d0 in [0, d1], d1 in [0, 3]", Domain, "d1", "constraint");
    reject("<n>(d0) -> (), domain: n in [0, d0], d0 in [0, 3]", Domain, "d0", "constraint");
    reject("<n, n>() -> (), domain: n in [0, 3], n in [0, 3]", Name, "n", "another name");
    reject("<n>(n) -> (), domain: n in [0, 3], n in [0, 3]", Name, "n", "another name");
    reject("<min>() -> ()", Name, "min", "another name");
    reject("<n -> ()", Syntax, "->", "");
    reject("<n>[s0] -> ()", Syntax, "[", "write a map");
    reject("<n>(d0) -> (d0), domain: d0 in [0, 3], n + 1 in [0, 3]", Domain, "d0", "constraints");
    reject("<n>(d0) -> (d0), domain: n in [1, inf]", Domain, "", "d0 in [0, 9]");
    reject(
        "<n>(d0, d1) -> (), domain: n in [1, inf], d0 in [0, n + d1], d1 in [0, n]",
        Domain,
        "n + d1",
        "constraint",
    );
    reject("<n, m>() -> (), domain: n in [1, m + 1], m in [1, inf]", Domain, "m + 1", "constraint");
    reject("<n>() -> (), domain: n in [1, n]", Domain, "n", "constraint");
    reject(
        "<n>(d0) -> (), domain: n in [0, inf], d0 in [0, 8 floordiv n]",
        Division,
        "n",
        "state `n in [1, inf]`",
    );
    reject("<n>(d0) -> (), domain: n in [0, inf], d0 in [inf, n]", Domain, "inf", "");
    reject("affine_map<<n>(d0) -> (d0)>", Syntax, "<", "");
    reject("affine_map<(d0)[s0] -> (d0 floordiv d0)>", Division, "d0", "");
    reject("affine_map<(d0, d1)[s0] -> (d0 * d1 * s0)>", Unsupported, "d0 * d1", "");
}

/// Points of the box around the drawn point.
fn near(point: &[i64], moves: &[Vec<i64>]) -> Vec<Vec<i64>> {
    let moved = moves.iter().map(|by| point.iter().zip(by).map(|(x, by)| x + by).collect());
    std::iter::once(point.to_vec()).chain(moved).collect()
}

fn moves() -> impl Strategy<Value = Vec<Vec<i64>>> {
    prop::collection::vec(prop::collection::vec(-2i64..3, 12), 8)
}

fn comes_back(text: &str, map: &IndexingMap) -> Result<(), TestCaseError> {
    let again = parse_map(text);
    prop_assert_eq!(again.as_ref(), Ok(map), "{}", text);
    Ok(())
}

/// Returns the value at a point, `None` outside the domain; an error on overflow.
fn value(map: &IndexingMap, point: &[i64]) -> Result<Option<Vec<i64>>, ()> {
    match map.domain().contains(point) {
        Ok(true) => map.eval(point).map(Some).map_err(|_| ()),
        Ok(false) => Ok(None),
        Err(_) => Err(()),
    }
}

fn of_kind(domain: &Domain, kind: VariableKind, point: &[i64]) -> Vec<i64> {
    domain.ids(kind).map(|id| point[id.index()]).collect()
}

fn parameters(map: &IndexingMap) -> Vec<(VariableId, String)> {
    let named = |id: VariableId| (id, map.domain().variables()[id.index()].name.to_string());
    map.domain().ids(VariableKind::Parameter).map(named).collect()
}

proptest! {
    #[test]
    fn parameters_are_matched_by_name(drawn in symbolic_map(None), moves in moves()) {
        let Symbolic { map, point } = drawn;
        // Reverses the order through a composition: its parameters are those of the first map, then of the second.
        let names: Vec<String> = parameters(&map).into_iter().map(|(_, name)| name).rev().collect();
        let bounds: Vec<String> = names.iter().map(|name| format!("{name} in [-inf, inf]")).collect();
        let head = names.join(", ");
        let other = parse_map(&format!("<{head}>() -> (), domain: {}", bounds.join(", "))).expect("a map");
        let turned = map.with_parameters_of(other.domain()).expect("the same names");
        let found: Vec<String> = parameters(&turned).into_iter().map(|(_, name)| name).collect();
        prop_assert_eq!(&found, &names);
        for point in near(&point, &moves) {
            let own = point.len().min(map.domain().variables().len());
            let first = own - names.len();
            let mut moved = point.clone();
            moved[first..own].reverse();
            if let (Ok(expected), Ok(found)) = (value(&map, &point), value(&turned, &moved)) {
                prop_assert_eq!(found, expected, "{} and {}", turned, map);
            }
        }
        // Bounds may be narrower than before: constraints are normalized again, over variables whose bounds are known by then.
        let back = turned.with_parameters_of(map.domain()).expect("the same names");
        prop_assert_eq!(parameters(&back), parameters(&map));
        prop_assert_eq!(back.results(), map.results());
        for point in near(&point, &moves) {
            prop_assert_eq!(back.domain().contains(&point), map.domain().contains(&point), "{} and {}", back, map);
        }
    }

    #[test]
    fn a_map_comes_back(drawn in symbolic_map(None)) {
        for style in [Style::Plain, Style::Xla] {
            let text = print_map(&drawn.map, style);
            comes_back(&text, &drawn.map)?;
        }
        if let Ok(text) = print_map_strictly(&drawn.map, Style::Mlir) {
            prop_assert!(text.starts_with("affine_map<"));
            comes_back(&text, &drawn.map)?;
        }
    }

    /// No divisor is less than 1 at a point of the domain.
    #[test]
    fn a_map_has_values(drawn in symbolic_map(None), moves in moves()) {
        use affinor_maps::expr::EvalError;
        for point in near(&drawn.point, &moves) {
            if drawn.map.domain().contains(&point) == Ok(true) {
                let values = drawn.map.eval(&point);
                let fails = matches!(values, Err(EvalError::Divisor(_) | EvalError::Missing(_)));
                prop_assert!(!fails, "{} at {:?}", drawn.map, point);
                for (range, value) in drawn.map.ranges().iter().zip(values.unwrap_or_default()) {
                    prop_assert!(range.contains(value), "{} at {:?}", drawn.map, point);
                }
            }
        }
    }

    #[test]
    fn binding_fixes_values(drawn in symbolic_map(None), moves in moves(), which in any::<u8>()) {
        let Symbolic { map, point } = drawn;
        for point in near(&point, &moves) {
            let chosen = |id: &VariableId| which >> (id.0 % 8) & 1 == 1;
            let all = (0..).map(VariableId).take(point.len());
            let (fixed, rest): (Vec<_>, Vec<_>) = all.partition(chosen);
            let values: Vec<_> = fixed.iter().map(|id| (*id, point[id.index()])).collect();
            let Ok(bound) = map.bound(&values) else { continue };
            let rest: Vec<i64> = rest.iter().map(|id| point[id.index()]).collect();
            if let (Ok(expected), Ok(found)) = (value(&map, &point), value(&bound, &rest)) {
                prop_assert_eq!(found, expected, "{} is {} at {:?}", map, bound, point);
            }
            let text = bound.to_string();
            comes_back(&text, &bound)?;
        }
    }

    #[test]
    fn composition_is_composition(
        (first, second) in symbolic_map(None).prop_flat_map(|first| {
            let results = first.map.results().len();
            (Just(first), symbolic_map(Some(results)))
        }),
        moves in moves(),
    ) {
        let Ok(both) = first.map.then(&second.map) else { return Ok(()) };
        let text = both.to_string();
        comes_back(&text, &both)?;
        for (x, y) in near(&first.point, &moves).iter().zip(near(&second.point, &moves)) {
            let of_first = |kind| of_kind(first.map.domain(), kind, x);
            let of_second = |kind| of_kind(second.map.domain(), kind, &y);
            // Parameters of the same name have the value from the first map.
            let known = parameters(&first.map);
            let mut shared = of_first(VariableKind::Parameter);
            let mut own = Vec::new();
            for (id, name) in parameters(&second.map) {
                let same = known.iter().find(|(_, other)| *other == name);
                if same.is_none() {
                    shared.push(y[id.index()]);
                }
                own.push(same.map_or(y[id.index()], |(same, _)| x[same.index()]));
            }
            let (ranges, runtimes) = (VariableKind::Range, VariableKind::Runtime);
            let point = [
                of_first(VariableKind::Dimension),
                of_second(ranges), of_first(ranges), of_second(runtimes), of_first(runtimes), shared,
            ].concat();
            let expected = match value(&first.map, x) {
                Ok(Some(results)) => {
                    value(&second.map, &[results, of_second(ranges), of_second(runtimes), own].concat())
                }
                outside => outside,
            };
            if let (Ok(expected), Ok(found)) = (expected, value(&both, &point)) {
                prop_assert_eq!(found, expected, "{} then {} at {:?}", first.map, second.map, point);
            }
        }
    }
}
