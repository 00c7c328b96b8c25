//! Matching both sides of a rule at once: a statement is an instance of the rule, with these values, or it is not.

use super::RANGES;
use super::terms::Store;
use affinor::num::{MINUS_INFINITY, PLUS_INFINITY};
use affinor::rule::matching::{Bindings, Number, Sides, Stated, establishes};
use affinor::rule::{Rule, RuleSet, read_rule};
use std::ops::ControlFlow;

/// Parses a side: a term, or comparisons of terms with integers.
fn stated(store: &mut Store, side: &str) -> Vec<Stated<usize>> {
    let comparisons = side.split(" and ").map(|comparison| {
        let parts: Vec<&str> = comparison.split("<=").map(str::trim).collect();
        let end = |text: &str| text.parse::<i64>().ok();
        let (term, ends) = match (parts.as_slice(), comparison.split_once(" = ")) {
            (_, Some((term, value))) => (term, [end(value), end(value)]),
            ([lo, term, hi], _) => (*term, [end(lo), end(hi)]),
            ([lo, term], _) if end(lo).is_some() => (*term, [end(lo), None]),
            ([term, hi], _) => (*term, [None, end(hi)]),
            ([term], _) => (*term, [None, None]),
            _ => panic!("{side} is not a side"),
        };
        Stated {
            sum: store.read(term),
            ends: [ends[0].unwrap_or(MINUS_INFINITY), ends[1].unwrap_or(PLUS_INFINITY)],
        }
    });
    comparisons.collect()
}

/// Returns the values for which a rule states that one side is the other, if its conditions are established.
fn values(rule: &Rule, [left, right]: [&str; 2]) -> Option<String> {
    let sides = Sides::new(rule).unwrap_or_else(|| panic!("{rule} cannot be asked"));
    let mut store = Store::new(RANGES);
    let left = stated(&mut store, left);
    let right = stated(&mut store, right);
    let mut found = None;
    let mut look = |store: &mut Store, bindings: &Bindings<usize>| {
        let mut conditions = rule.conditions.iter();
        if !conditions.all(|condition| establishes(condition, bindings, store)) {
            return ControlFlow::Continue(());
        }
        let constants = rule.constants.iter().zip(&bindings.constants);
        let constants = constants.map(|(name, value)| {
            format!("{name}={}", value.and_then(Number::integer).expect("an integer"))
        });
        let expressions = rule.expressions.iter().zip(&bindings.expressions);
        let expressions = expressions.map(|(name, value)| {
            format!("{name}={}", store.write(value.as_ref().expect("a value")))
        });
        let all: Vec<String> = constants.chain(expressions).collect();
        found = Some(all.join(" "));
        ControlFlow::Break(())
    };
    sides.search(&mut store, [&left, &right], &mut look);
    found
}

#[track_caller]
fn check(rule: &str, sides: [&str; 2], expected: Option<&str>) {
    let rule = read_rule(rule).expect("a rule");
    assert_eq!(values(&rule, sides).as_deref(), expected, "{rule} of {sides:?}");
}

#[track_caller]
fn check_shipped(name: &str, sides: [&str; 2], expected: Option<&str>) {
    let shipped = RuleSet::shipped().expect("the rules");
    let rule = shipped.rule(shipped.find(name).expect(name));
    assert_eq!(values(rule, sides).as_deref(), expected, "{rule} of {sides:?}");
}

#[test]
fn the_side_that_tells_more_decides() {
    let affine = "min(m*x + z, m*y + z) => m*min(x, y) + z where m >= 0";
    let apart = "min(6*n + j + 4, 6*m + j - 2)";
    check(affine, [apart, "2*min(3*n + 2, 3*m - 1) + j"], Some("m=2 x=3*n + 2 z=j y=3*m + -1"));
    check(affine, [apart, "6*min(n + 1, m) + j - 2"], Some("m=6 x=n + 1 z=j + -2 y=m"));
    check(affine, [apart, "6*min(n, m) + j - 2"], None);
    check(affine, [apart, "6*max(n + 1, m) + j - 2"], None);
    check(affine, ["min(-n, -m)", "-min(n, m)"], None);
    check(affine, ["max(6*n, 6*m)", "6*min(n, m)"], None);
    // Variable names and the order of terms do not matter.
    let other = "min(z*b + a, a + c*z) => a + min(c, b)*z constant z where z >= 0";
    check(other, ["min(3*n + j, 3*m + j)", "3*min(m, n) + j"], Some("z=3 b=n a=j c=m"));
    // A rule for shifts alone covers shifts, but not factors.
    let shift = "min(x + z, y + z) => min(x, y) + z";
    check(shift, ["min(n + j, m + j)", "min(n, m) + j"], Some("x=n z=j y=m"));
    check(shift, ["min(2*n + j, 2*m + j)", "2*min(n, m) + j"], None);
}

#[test]
fn a_factor_is_told_by_what_it_multiplies() {
    let half = "(c*x) floordiv c => x where c >= 1";
    check(half, ["(4*n + 6*m) floordiv 2", "2*n + 3*m"], Some("c=2 x=3*m + 2*n"));
    check(half, ["(4*n + 6*m) floordiv 2", "n + 3*m"], None);
    check_shipped(
        "constraint-scale",
        ["1 <= 4*n + 6*m <= 9", "1 <= 2*n + 3*m <= 4"],
        Some("l=1 c=2 u=9 x=3*m + 2*n"),
    );
    // The bounds may contradict each other.
    check_shipped("constraint-scale", ["1 <= 3*n <= 2", "1 <= n <= 0"], Some("l=1 c=3 u=2 x=n"));
    check_shipped("constraint-scale", ["1 <= 3*n <= 2", "0 <= n <= 0"], None);
}

#[test]
fn comparisons_in_any_order() {
    let stride = "constraint-stride";
    let rounded = "5 <= n <= 17 and n mod 4 = 1";
    check_shipped(stride, ["2 <= n <= 19 and n mod 4 = 1", rounded], Some("l=2 u=19 c=4 r=1 x=n"));
    check_shipped(stride, ["n mod 4 = 1 and 2 <= n <= 19", rounded], Some("l=2 u=19 c=4 r=1 x=n"));
    check_shipped(stride, ["2 <= n <= 20 and n mod 4 = 1", rounded], Some("l=2 u=20 c=4 r=1 x=n"));
    check_shipped(stride, ["2 <= n <= 21 and n mod 4 = 1", rounded], None);
    check_shipped(stride, ["2 <= n and n mod 4 = 1", rounded], None);
    check_shipped("constraint-negate", ["2 <= -n <= 9", "-9 <= n <= -2"], Some("l=2 u=9 x=n"));
    check_shipped("constraint-negate", ["2 <= -n <= 9", "-9 <= n <= -1"], None);
    let upper = "constraint-low-upper";
    check_shipped(upper, ["4*n + j <= 35", "n <= 8"], Some("g=4 u=35 q=8 x=n y=j"));
    check_shipped(upper, ["4*n + j <= 34", "n <= 8"], None);
    check_shipped(upper, ["0 <= 4*n + j <= 35", "n <= 8"], None);
}

#[test]
fn variables_of_neither_side_are_computed() {
    let both = ["n mod 4 = 1 and n mod 6 = 3", "n mod 12 = 9"];
    check_shipped(
        "constraint-crt",
        both,
        Some("a=4 r=1 b=6 s=3 m=12 w=9 p=3 q=2 u=-1 v=1 d=2 x=n"),
    );
    // Moduli of any size.
    let large = ["n mod 1000003 = 1 and n mod 999983 = 1", "n mod 999985999949 = 1"];
    assert!(values_of(
        "constraint-crt",
        ["n mod 999983 = 1 and n mod 1000003 = 1", "n mod 999985999949 = 1"]
    ));
    assert!(values_of("constraint-crt", large));
    check_shipped("constraint-crt", ["n mod 4 = 1 and n mod 6 = 3", "n mod 12 = 3"], None);
    check_shipped("constraint-crt", ["n mod 4 = 1 and n mod 6 = 3", "n mod 24 = 9"], None);
    let never = "1 = 0";
    check_shipped(
        "congruence-never",
        ["n mod 4 = 1 and n mod 6 = 2", never],
        Some("a=4 r=1 b=6 s=2 d=2 p=2 q=3 x=n"),
    );
    check_shipped("congruence-never", ["n mod 4 = 1 and n mod 6 = 3", never], None);
    check_shipped("congruence-never", ["n mod 4 = 1 and n mod 5 = 3", never], None);
}

fn values_of(name: &str, sides: [&str; 2]) -> bool {
    let shipped = RuleSet::shipped().expect("the rules");
    let rule = shipped.rule(shipped.find(name).expect(name));
    values(rule, sides).is_some()
}
