//! Forms that have an obvious answer: each answer has the wanted operations, the same value at every point, a certificate that
//! replays, and does not change when simplified again. Where possible, a similar expression that must keep its operation is next
//! to it.

use crate::SIMPLIFIER;
use crate::support::random;
use affinor::certificate::replay;
use affinor::expr::IndexingMap;
use affinor::simplify::Options;
use affinor::text::{Style, parse_map, print_map};

/// The required answer.
enum Wanted {
    /// Exactly this text, or one of the same size.
    Text(&'static str),
    /// At most this many operations.
    Operations(u64),
}
use Wanted::{Operations, Text};

/// An expression, the bounds of `d0`, `d1`, .., and the required answer.
type Form = (&'static str, &'static [(i64, i64)], Wanted);

const FORMS: &[Form] = &[
    ("(9 - (d0 - 5) floordiv 2) mod 5 floordiv 20", &[(0, 9)], Text("0")),
    ("(d0 + 13) mod 19 * 3 mod 30 floordiv 3", &[(0, 40)], Text("(d0 + 13) mod 19 mod 10")),
    ("(9 - (d0 - 5) floordiv 2) mod 5 floordiv 4", &[(0, 9)], Operations(4)),
    ("(d0 + d1 floordiv 2) mod 2 floordiv 3", &[(0, 40), (0, 40)], Text("0")),
    ("(d0 mod 7 + d0 mod 2 * 2) floordiv 7 floordiv 4", &[(0, 40)], Text("0")),
    ("(d0 mod 7 + d0 mod 2 * 2) floordiv 7", &[(0, 40)], Operations(5)),
    ("(d0 * 4 + d0 mod 2) floordiv 2", &[(0, 40)], Text("d0 * 2")),
    ("(d0 * 4 + d0 mod 3) floordiv 2", &[(0, 40)], Operations(5)),
    ("(d0 mod 3 - d0 * 3) floordiv 3", &[(0, 40)], Text("-d0")),
    ("(d0 mod 4 - d0 * 3) floordiv 3", &[(0, 40)], Operations(4)),
    ("(d0 * 7 + d0 mod 8 * 2) floordiv 7", &[(0, 40)], Operations(4)),
    ("d0 * 12 floordiv 5 - d0 * 2 floordiv 5", &[(0, 40)], Text("d0 * 2")),
    ("max(d0, 9) mod 3 mod 3", &[(0, 40)], Text("max(d0, 9) mod 3")),
    ("min(d0, 1) mod 4 mod 2", &[(-5, 20)], Text("min(d0, 1) mod 2")),
    ("min(d0, 1) mod 4 mod 2", &[(-8, 7)], Text("min(d0, 1) mod 2")),
    ("min(d0, 1) mod 4 mod 3", &[(-5, 20)], Text("min(d0, 1) mod 4 mod 3")),
    (
        "max(min(d0, 5), 0) + d1 - (max(min(d0, 5), 0) + d1) floordiv 5 * 5",
        &[(-5, 20), (0, 40)],
        Text("(d1 + min(max(d0, 0), 5)) mod 5"),
    ),
    ("d0 floordiv 2 mod 7 floordiv 3", &[(0, 40)], Text("d0 mod 14 floordiv 6")),
    (
        "((d0 * 4 + d1) floordiv 32 * 32 + (d0 * 4 + d1) mod 4 * 8 + (d0 * 4 + d1) floordiv 4 mod 8) floordiv 16",
        &[(0, 63), (0, 63)],
        Operations(7),
    ),
    (
        "((d0 * 4 + d1) floordiv 32 * 32 + (d0 * 4 + d1) mod 4 * 8 + (d0 * 4 + d1) floordiv 4 mod 8) floordiv 16",
        &[(0, 63), (0, 7)],
        Operations(7),
    ),
    ("d0 * -18 - d1 * 6", &[(0, 40), (0, 40)], Text("(d0 * 3 + d1) * -6")),
    ("d0 * -12 - d1 * 11", &[(0, 40), (0, 40)], Text("d1 - (d0 + d1) * 12")),
    ("(d0 * -12 - d1 * 11) floordiv 48", &[(-5, 20), (0, 40)], Operations(4)),
];

#[test]
fn forms() {
    for (expr, bounds, wanted) in FORMS {
        let names: Vec<String> = (0..bounds.len()).map(|at| format!("d{at}")).collect();
        let ranges = names.iter().zip(*bounds);
        let ranges: Vec<String> =
            ranges.map(|(name, (lo, hi))| format!("{name} in [{lo}, {hi}]")).collect();
        let whole = |expr: &str| {
            let (names, ranges) = (names.join(", "), ranges.join(", "));
            format!("({names}) -> ({expr}), domain: {ranges}")
        };
        let text = whole(expr);
        let map = parse_map(&text).unwrap_or_else(|error| panic!("{error:?} in {text}"));
        let certified = SIMPLIFIER.certify(&map, &Options::default());
        let found = &certified.outcome.map;
        let written = |map: &IndexingMap| print_map(map, Style::Plain);
        match wanted {
            Text(wanted) => assert_eq!(written(found), whole(wanted), "from {text}"),
            Operations(most) => {
                let operations = found.cost().ops;
                assert!(operations <= *most, "{text}: {}", written(found));
            }
        }
        for point in random::box_points(map.domain()) {
            assert_eq!(map.eval(&point), found.eval(&point), "{text}: {point:?}");
        }
        let replayed = replay(&certified.certificate, SIMPLIFIER.rules());
        assert!(replayed.is_ok(), "{text}: {replayed:?}");
        let again = SIMPLIFIER.simplify(found, &Options::default()).map;
        assert_eq!(written(&again), written(found), "{text}");
    }
}
