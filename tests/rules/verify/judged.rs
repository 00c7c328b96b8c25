//! The judge on true and on false statements.

use affinor::prove::Budget;
use affinor::rule::verify::{BUDGET, Condition, Verdict, check, judge};
use affinor::rule::{Point, Rule, Truth, read_rule};

fn statement(text: &str) -> Rule {
    read_rule(text).unwrap_or_else(|error| panic!("{error:?} in {text}"))
}

#[track_caller]
fn proved(text: &str) {
    assert_eq!(judge(&statement(text), &BUDGET), Verdict::Proved, "{text}");
}

/// Checks that a statement is refuted by a point at which it fails (or divides by a number below 1).
#[track_caller]
fn refuted(text: &str, truth: Truth) -> Point {
    let rule = statement(text);
    match judge(&rule, &BUDGET) {
        Verdict::Refuted(point) => {
            assert_eq!(rule.truth(&point), truth, "{text} at {point:?}");
            point
        }
        verdict => panic!("{text}: {verdict:?}"),
    }
}

#[test]
fn true_statements_are_proved() {
    proved("x + y = y + x");
    proved("(x floordiv a) floordiv b = x floordiv (a*b) where a >= 1, b >= 1");
    proved("(x mod (a*b)) mod a = x mod a where a >= 1, b >= 1");
    proved("(x mod (a*b)) floordiv a = (x floordiv a) mod b where a >= 1, b >= 1");
    proved("a*(x floordiv a) + x mod a => x where a >= 1");
    proved("x mod c = y mod c <=> (x - y) mod c = 0 where c >= 1");
    proved("min(x + z, y + z) = min(x, y) + z");
    proved("l <= min(x, y) <=> l <= x and l <= y");
    proved("0 <= x mod c and x mod c <= c - 1 where c >= 1");
    proved("(s mod 32)*64 = 64*s - 2048*(s floordiv 32)");
    proved("x floordiv c = y floordiv c where c >= 1, x = y");
    proved("x ceildiv c = (x + c - 1) floordiv c where c >= 1");
    proved("max(x, y, z) >= y");
}

#[test]
fn false_statements_are_refuted_at_a_point() {
    refuted("x floordiv 2 = x", Truth::Fails);
    refuted("(x mod 64) mod 7 = x mod 7", Truth::Fails);
    refuted("(x floordiv a) floordiv b = x floordiv (a + b) where a >= 1, b >= 1", Truth::Fails);
    refuted("(-x) floordiv c = -(x floordiv c) where c >= 1", Truth::Fails);
    refuted("min(a*x, a*y) = a*min(x, y)", Truth::Fails);
    refuted("x mod c <= c - 2 where c >= 1", Truth::Fails);
    refuted("x floordiv c <= y <=> x <= c*y where c >= 1", Truth::Fails);
    refuted("(x + y) floordiv c = x floordiv c where c >= 1, 0 <= y, y < c", Truth::Fails);
}

#[test]
fn a_divisor_that_may_be_zero_refutes() {
    refuted("x floordiv c = x floordiv c", Truth::Undefined);
    refuted("c*(x floordiv c) <= x where c >= 0", Truth::Undefined);
    refuted("x mod (a - b) = x mod (a - b) where a >= 1, b >= 1", Truth::Undefined);
}

/// The order of the conditions, and of the parts of the statement, does not matter, at any point or to the judge.
#[test]
fn the_order_of_a_conjunction_has_no_meaning() {
    for (statement_text, conditions, expected) in [
        // One condition implies that the divisor of another is positive.
        ("q = x floordiv c", &["q = x floordiv c", "c >= 1"][..], None),
        ("(x floordiv a) mod b = r", &["(x floordiv a) mod b = r", "b = a*a + 1", "a >= 1"], None),
        (
            "x floordiv (x floordiv c) >= 1",
            &["x floordiv (x floordiv c) >= 1", "x floordiv c >= 1", "c >= 1"],
            None,
        ),
        // No condition makes the divisors positive.
        ("x = x", &["q = x floordiv c", "q >= 1"], Some(Truth::Undefined)),
        ("x = x", &["x floordiv c >= 1 + x floordiv c"], Some(Truth::Undefined)),
        // Each condition bounds the other's divisor only if its own divisor is positive.
        ("x = x", &["x mod c >= x mod c + d", "x mod d >= x mod d + c"], Some(Truth::Undefined)),
        ("q = x floordiv c + 1", &["q = x floordiv c", "c >= 1"], Some(Truth::Fails)),
    ] {
        let mut orders: Vec<Vec<&str>> = vec![Vec::new()];
        for condition in conditions {
            let mut longer = Vec::new();
            for order in &orders {
                for at in 0..=order.len() {
                    let mut order = order.clone();
                    order.insert(at, condition);
                    longer.push(order);
                }
            }
            orders = longer;
        }
        for order in orders {
            let text = format!("{statement_text} where {}", order.join(", "));
            match expected {
                None => proved(&text),
                Some(truth) => {
                    refuted(&text, truth);
                }
            }
        }
    }
}

#[test]
fn a_conjunction_with_a_value_too_large_is_not_decided_by_a_divisor() {
    let huge = i64::MAX;
    let at = |text: &str, point: &[i64]| {
        let rule = statement(text);
        let value = |name: &str| point.get(usize::from(name == "c")).copied();
        rule.truth(&rule.point(value).expect("x and c"))
    };
    for (parts, point, expected) in [
        (["x*x*x >= 1", "x floordiv c = 1"], [huge, 0], Truth::TooLarge),
        (["x*x*x >= 1", "c >= 1"], [huge, 0], Truth::Outside),
        (["x floordiv c = 1", "c >= 1"], [huge, 0], Truth::Outside),
        (["x floordiv c = 1", "c <= 0"], [huge, 0], Truth::Undefined),
    ] {
        let [one, other] = parts;
        for (one, other) in [(one, other), (other, one)] {
            let text = format!("x + c = x + c where {one}, {other}");
            assert_eq!(at(&text, &point), expected);
        }
    }
    let parts = ["x*x*x >= 1", "x floordiv c = 1"];
    for [one, other] in [parts, [parts[1], parts[0]]] {
        let text = format!("x + c = x + c and {one} and {other}");
        assert_eq!(at(&text, &[huge, 0]), Truth::TooLarge);
    }
}

#[test]
fn a_counterexample_is_small() {
    let point = refuted("x*x <= 1000 where x >= 0", Truth::Fails);
    assert_eq!(point.constants, [32], "the smallest integer whose square is above 1000");
    let point = refuted("x floordiv 1000 = 0", Truth::Fails);
    assert_eq!(point.expressions, [-1]);
}

/// Large counterexamples are reduced in few steps, even at the ends of 64 bits.
#[test]
fn a_counterexample_may_be_large() {
    let point = refuted("x <= 1000000000000", Truth::Fails);
    assert_eq!(point.expressions, [1_000_000_000_001]);
    let point = refuted("x >= -9223372036854775807", Truth::Fails);
    assert_eq!(point.expressions, [i64::MIN]);
    refuted("x*y <= 1000000000000000", Truth::Fails);
}

/// Fermat's theorem for cubes: true, but beyond the stated lemmas.
#[test]
fn unknown_is_an_answer_of_its_own() {
    let hard = "x*x*x + y*y*y + z*z*z != 0";
    assert!(read_rule(hard).is_err(), "`!=` is not a relation");
    let fermat = statement(
        "x*x*x + y*y*y <= z*z*z - 1 where x >= 1, y >= 1, z >= 1, x*x*x + y*y*y <= z*z*z",
    );
    match judge(&fermat, &Budget { solver_steps: 200_000, ..BUDGET }) {
        Verdict::Unknown(reason) => assert!(!reason.is_empty()),
        verdict => panic!("the cubes of Fermat's theorem: {verdict:?}"),
    }
}

/// A verdict of Z3 on the statement as written is not a proof, since there is no script for a second solver.
#[test]
fn the_word_of_one_solver_is_no_proof() {
    let text = "(g*x + y) floordiv (g*d) = (x + t) floordiv d where d >= 1, g*t <= y, y < g*t + g";
    proved(&format!("{text}, g >= 1"));
    match judge(&statement(text), &BUDGET) {
        Verdict::Unknown(reason) => {
            assert!(reason.ends_with("Z3 alone says that it holds as written"), "{reason}")
        }
        verdict => panic!("{verdict:?}"),
    }
}

#[test]
fn undefined_statements_are_rejected() {
    for text in [
        "lo(x) <= x",
        "x = x where hi(x) >= 0",
        "x <= 0 or x >= 0",
        "not x < x",
        "x",
        "x = y z",
        "x = y where",
        "x = y multiply lo(x)",
    ] {
        assert!(read_rule(text).is_err(), "{text}");
    }
}

/// A statement that is too large to evaluate or to expand is neither true nor false.
#[test]
fn large_statements_are_unknown_or_refused() {
    let joined = |parts: Vec<String>, by: &str| parts.join(by);
    let numbered =
        |count: usize, part: fn(usize) -> String| (0..count).map(part).collect::<Vec<_>>();
    let power = joined(numbered(40, |_| "x".to_owned()), "*");
    let brackets = joined(numbered(30, |i| format!("(a{i} + b{i})")), "*");
    let quotients = joined(numbered(200, |i| format!("x floordiv {}", i + 1)), " + ");
    for text in [
        format!("{power} >= 0 where x >= 9"),
        format!("{brackets} = {brackets}"),
        format!("{quotients} <= 200*x where x >= 0"),
    ] {
        let verdict = judge(&statement(&text), &Budget { solver_steps: 200_000, ..BUDGET });
        assert!(matches!(verdict, Verdict::Unknown(_) | Verdict::Proved), "{text}: {verdict:?}");
    }
    let many = joined(numbered(300, |i| format!("a{i}")), " + ");
    let error = read_rule(&format!("{many} = 0")).expect_err("too many variables");
    assert_eq!(error.kind, affinor::text::ErrorKind::TooLarge);
}

#[test]
fn each_condition_is_needed_or_redundant() {
    let rule = statement("(c*x + y) floordiv c = x where c >= 1, 0 <= y, y < c");
    let report = check(&rule, &BUDGET);
    assert_eq!(report.verdict, Verdict::Proved);
    let witness = report.witness.expect("there are points inside");
    assert_eq!(rule.truth(&witness), Truth::Holds);
    assert_eq!(report.conditions[0], Condition::Redundant, "0 <= y < c says it");
    for (position, condition) in report.conditions.iter().enumerate().skip(1) {
        let Condition::Needed(point) = condition else { panic!("{condition:?}") };
        let mut without = rule.clone();
        without.conditions.remove(position);
        assert!(matches!(without.truth(point), Truth::Fails | Truth::Undefined));
        assert_eq!(rule.truth(point), Truth::Outside);
    }
}

#[test]
fn a_rule_without_a_point_inside_is_seen() {
    let rule = statement("x = x + 1 where x >= 1, x <= 0");
    let report = check(&rule, &BUDGET);
    assert_eq!(report.witness, None);
}
