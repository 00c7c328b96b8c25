//! Sizes and strides that are sums: `(3,2):(2*n+1,4)`; texts, answers, and agreement with layouts of numbers at values of the
//! names.

use super::named::layout;
use super::plain::Plain;
use affinor::prove::Budget;
use affinor::text::parse_map;
use affinor_layout::cute::algebra::Refusal;
use affinor_layout::cute::named::{
    Conditional, NamedLayout, NamedTiler, Operation, coalesce, conditional, left_inverse, recognise,
};
use std::collections::BTreeMap;

/// Substitutes these values for n and m.
fn at(layout: &NamedLayout, n: i64, m: i64) -> Plain {
    let values = BTreeMap::from([("n".to_owned(), n), ("m".to_owned(), m)]);
    let found = layout.with_values(&values).unwrap_or_else(|why| panic!("{layout}: {why}"));
    Plain::of(&found.to_string())
}

fn composed(first: &str, second: &str) -> Result<Conditional, Refusal> {
    let tiler = NamedTiler::read(second).unwrap_or_else(|error| panic!("{second}: {error}"));
    conditional(Operation::Compose, &layout(first), &tiler, &[], &Budget::default())
}

#[test]
fn texts() {
    for (text, expected) in [
        ("(n,m):(1,n+1)", "(n,m):(1,n+1)"),
        ("(2,n):(1+n*2, 4 * n + 8*m)", "(2,n):(2*n+1,4*(n+2*m))"),
        // Like terms are collected, and common factors come before the parenthesis.
        ("(2,n):(n+n,n+3+n+1)", "(2,n):(2*n,2*(n+2))"),
        ("(2,n):(n*(m+1),n*m+n)", "(2,n):(n*(m+1),n*(m+1))"),
        ("(2,n):(2*(n+1),1*(n+1)*(m+1))", "(2,n):(2*(n+1),1*(m+1)*(n+1))"),
        ("(2,n):(n,ceil_div(n+7,4)+1)", "(2,n):(n,ceil_div(n+7,4)+1)"),
        ("n+1:1", "n+1:1"),
        ("(n+1,m)", "(n+1,m):(1,n+1)"),
    ] {
        assert_eq!(layout(text).to_string(), expected, "{text}");
        assert_eq!(layout(expected).to_string(), expected, "{text}");
    }
    for text in [
        "(2,n):(n+,1)",
        "(2,n):(+n,1)",
        "(2,n):(n+-1,1)",
        "(2,n):(n-1,1)",
        "(2,n):(2*(n+1,1)",
        "(2,n):(n+m+n*m+n*n+m*m+n*n*m+n*m*m+n*n*n+m*m*m,1)",
    ] {
        assert!(NamedLayout::read(text).is_err(), "{text}");
    }
}

#[test]
fn compositions_across_an_extent() {
    for (first, second, expected, conditions) in [
        ("(6,n):(n,1)", "6:8", "(3,2):(2*n+1,4)", ""),
        ("(6,n):(n,1)", "3:8", "3:2*n+1", ""),
        ("(8,n):(n,1)", "4:9", "4:n+1", ""),
        ("(8,n):(n,1)", "(2,4):(4,9)", "(2,4):(4*n,n+1)", ""),
        ("(6,n):(n,1)", "2:10", "2:4*n+1", ""),
        ("(16,n):(2*n,1)", "2:12", "2:24*n", ""),
        // Diagonals.
        ("(n,n):(n,1)", "n:n+1", "n:n+1", ""),
        ("(n,m):(m+1,1)", "n:n+1", "n:m+2", ""),
        ("(n,m):(m,1)", "4:n+1", "4:m+1", "n >= 4"),
        // Across the first of two extents that do not merge.
        ("(4,8,n):(1,5,64*n)", "2:5", "2:6", ""),
    ] {
        let found =
            composed(first, second).unwrap_or_else(|why| panic!("{first} ; {second}: {why}"));
        assert_eq!(found.layout.to_string(), expected, "{first} ; {second}");
        let texts: Vec<String> = found.conditions.iter().map(ToString::to_string).collect();
        assert_eq!(texts.join(", "), conditions, "{first} ; {second}");
        let (first, second) = (layout(first), layout(second));
        for (n, m) in [(1, 1), (2, 5), (3, 2), (4, 4), (5, 7), (8, 3), (12, 2)] {
            let values = BTreeMap::from([("n".to_owned(), n), ("m".to_owned(), m)]);
            if !found.conditions.iter().all(|condition| condition.holds(&values)) {
                continue;
            }
            let (outer, inner) = (at(&first, n, m), at(&second, n, m));
            let expected: Vec<i64> = inner.values().iter().map(|index| outer.at(*index)).collect();
            assert_eq!(
                at(&found.layout, n, m).values(),
                expected,
                "{first} ; {second}: n = {n}, m = {m}"
            );
        }
    }
    // 4 steps of 8 in 6 are not steps of a single stride; neither are 3 of 10, the second of which carries.
    for (first, second) in [("(6,n):(n,1)", "(4,2):(8,1)"), ("(6,n):(n,1)", "3:10")] {
        assert!(composed(first, second).is_err(), "{first} ; {second}");
    }
}

#[test]
fn other_operations_take_sums_as_they_are() {
    let budget = Budget::default();
    let merged = coalesce(&layout("(4,n):(n+1,4*n+4)"), &budget);
    assert_eq!(merged.expect("a layout").to_string(), "4*n:n+1");
    let (inverse, is_inverse) =
        left_inverse(&layout("(n+1,8):(8,1)"), &budget).expect("an inverse");
    assert_eq!((inverse.to_string().as_str(), is_inverse), ("(8,n+1):(n+1,1)", true));
    let target = layout("64").into();
    let complement = layout("(4,n):(1,4*n+4)");
    let found = conditional(Operation::Complement, &complement, &target, &[], &budget);
    let found = found.unwrap_or_else(|why| panic!("{why}"));
    assert_eq!(found.layout.to_string(), "(n+1,ceil_div(16,n*(n+1))):(4,4*n*(n+1))");
}

#[test]
fn maps_with_sums() {
    let budget = Budget::default();
    for (map, expected) in [
        (
            "<n>(i, j) -> (i * (n + 1) + j), domain: n in [1, inf], i in [0, 3], j in [0, n]",
            "(4,n+1):(n+1,1)",
        ),
        ("<n>(i) -> (i * n * 2 + i), domain: n in [1, inf], i in [0, n - 1]", "n:2*n+1"),
        ("<n>(i) -> (i * n - i), domain: n in [1, inf], i in [0, n - 1]", "none"),
        ("<n>(i) -> (i * i + i), domain: n in [1, inf], i in [0, n - 1]", "none"),
    ] {
        let parsed = parse_map(map).unwrap_or_else(|error| panic!("{map}: {error}"));
        let found =
            recognise(&parsed, &budget).map_or("none".to_owned(), |found| found.to_string());
        assert_eq!(found, expected, "{map}");
    }
}
