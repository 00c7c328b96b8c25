//! The operations that remain in a result, and the rules that fail on a condition there.

use crate::SIMPLIFIER;
use crate::support::random::{box_points, small_map};
use affinor::expr::Expr;
use affinor::simplify::{Left, Options};
use affinor::text::{Style, parse_map, print_expr, variable_names};
use proptest::prelude::*;

/// Checks the operations that remain in `result`, on d0 in [0, 9] and d1 in [0, 2], with the nearest rule, the term it would
/// produce, and the first open condition.
#[track_caller]
fn check(result: &str, expected: &[(&str, &str)]) {
    let text = format!("(d0, d1) -> ({result}), domain: d0 in [0, 9], d1 in [0, 2]");
    let map = parse_map(&text).unwrap_or_else(|error| panic!("{error:?} in {text}"));
    let names = variable_names(map.domain());
    let written = |expr: &Expr| print_expr(expr, &names, Style::Plain);
    let nearest = |left: &Left| {
        let near = left.near.first();
        near.map_or(String::new(), |near| {
            let open = &near.open[0];
            let (lhs, rhs) = (written(&open.lhs), written(&open.rhs));
            let symbol = open.relation.symbol();
            format!("{}: {} if {lhs} {symbol} {rhs}", near.rule, written(&near.to))
        })
    };
    let left = SIMPLIFIER.left(&map, &Options::default());
    let found: Vec<(String, String)> =
        left.iter().map(|x| (written(&x.part), nearest(x))).collect();
    let found: Vec<(&str, &str)> = found.iter().map(|(x, y)| (x.as_str(), y.as_str())).collect();
    assert_eq!(found, expected);
}

#[test]
fn the_nearest_rules() {
    check("d0 + d1 * 2", &[]);
    check("d0 mod 8", &[("d0 mod 8", "mod-block: d0 if d0 < 8")]);
    check("d0 floordiv 8 * 3", &[("d0 floordiv 8", "div-block: 0 if d0 < 8")]);
    check("min(d0, 5) + 1", &[("min(d0, 5)", "min-le: d0 if d0 <= 5")]);
    check("max(d0, 5)", &[("max(d0, 5)", "max-ge: d0 if 5 <= d0")]);
    check(
        "(d0 floordiv 4 + d1) mod 2",
        &[
            ("(d1 + d0 floordiv 4) mod 2", "div-block: 0 if d1 + d0 floordiv 4 < 2"),
            ("d0 floordiv 4", "div-block: 0 if d0 < 4"),
        ],
    );
}

proptest! {
    /// A reported rule is correct at each point at which its open conditions hold.
    #[test]
    fn reported_rules_are_correct_under_their_conditions(map in small_map()) {
        let map = SIMPLIFIER.simplify(&map, &Options::default()).map;
        prop_assume!(!map.domain().is_known_empty());
        let points: Vec<Vec<i64>> = box_points(map.domain())
            .into_iter()
            .filter(|point| map.domain().contains(point) == Ok(true))
            .collect();
        for left in SIMPLIFIER.left(&map, &Options::default()) {
            for near in left.near {
                prop_assert!(!near.open.is_empty() && near.to.cost() < near.from.cost());
                for point in &points {
                    let holds = near.open.iter().all(|open| {
                        let sides = (open.lhs.eval(point), open.rhs.eval(point));
                        matches!(sides, (Ok(lhs), Ok(rhs)) if open.relation.holds(lhs, rhs))
                    });
                    if holds {
                        prop_assert_eq!(near.from.eval(point), near.to.eval(point), "{} {:?}", near.rule, point);
                    }
                }
            }
        }
    }
}
