//! Maps as trees: they are read back unchanged, and invalid trees are refused.

use crate::support::random::{extreme_map, small_map};
use crate::support::symbolic::symbolic_map;
use affinor_maps::expr::IndexingMap;
use affinor_maps::text::{ErrorKind, MAX_NESTED, Tree, parse_map};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Checks whether all divisors are known to be positive, which random maps with parameters do not guarantee.
fn is_valid(map: &IndexingMap) -> bool {
    parse_map(&map.to_string()).is_ok()
}

fn nesting(tree: &Value) -> usize {
    let inside = match tree {
        Value::Array(list) => list.iter().map(nesting).max(),
        Value::Object(fields) => fields.values().map(nesting).max(),
        _ => return 0,
    };
    1 + inside.unwrap_or(0)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn a_tree_reads_as_its_map(
        map in prop_oneof![small_map(), extreme_map(), symbolic_map(None).prop_map(|case| case.map)]
            .prop_filter("a map that can be read", is_valid)
    ) {
        let tree = Tree::of(&map).expect("it is not deep");
        prop_assert!(nesting(&tree) <= MAX_NESTED);
        prop_assert_eq!(Tree::read(&tree), Ok(map.clone()));
        let text = serde_json::to_string(&Tree(map.clone())).expect("text");
        let back: Tree = serde_json::from_str(&text).expect("a tree");
        prop_assert_eq!(back.0, map);
    }
}

#[test]
fn deeply_nested_maps_have_no_tree() {
    let nested = |count: usize| {
        let expr =
            (0..count).fold("a".to_owned(), |expr, _| format!("(({expr}) * 3 + 1) floordiv 2"));
        parse_map(&format!("(a) -> ({expr}), domain: a in [0, 9]")).expect("a map")
    };
    // Each level adds a quotient, a sum, and a product inside it.
    let deepest = Tree::of(&nested(32)).expect("a tree");
    assert_eq!(nesting(&deepest), 2 + 3 * 32);
    assert!(serde_json::from_str::<Value>(&deepest.to_string()).is_ok());
    assert!(Tree::of(&nested(33)).is_none() && Tree::of(&nested(600)).is_none());
}

fn with(results: Value, constraints: Value) -> Value {
    let variable = |name: &str, kind: &str, bounds: Value| json!({"name": name, "kind": kind, "bounds": bounds});
    let variables =
        [variable("d0", "dimension", json!([0, 9])), variable("n", "parameter", json!([1, null]))];
    json!({"variables": variables, "constraints": constraints, "results": results})
}

#[test]
fn trees_of_other_programs_are_read() {
    for (expr, text) in [
        (json!(["add", "d0", "d0", 1, ["mul", 2, 3]]), "d0 * 2 + 7"),
        (json!(["mul", "n", ["add", "d0", 1], 2]), "n * (d0 + 1) * 2"),
        (json!(["mod", "d0", "n"]), "d0 mod n"),
        (json!(["min", "d0", "d0"]), "d0"),
    ] {
        let expected = format!(
            "<n>(d0) -> ({text}), domain: n in [1, inf], d0 in [0, 9], d0 - n in [-inf, 0]"
        );
        let constraint = json!({"expr": ["add", "d0", ["mul", -1, "n"]], "bounds": [null, 0]});
        let found = Tree::read(&with(json!([expr]), json!([constraint])));
        assert_eq!(found, parse_map(&expected), "{text}");
    }
}

#[test]
fn invalid_trees_are_rejected() {
    let result = |expr: Value| with(json!([expr]), json!([]));
    let variables = |list: Value| json!({"variables": list, "constraints": [], "results": []});
    for (tree, kind) in [
        (json!("(d0) -> (d0)"), ErrorKind::Encoding),
        (json!({"variables": [], "results": []}), ErrorKind::Encoding),
        (
            json!({"variables": [], "constraints": [], "results": [], "more": 1}),
            ErrorKind::Encoding,
        ),
        (result(json!("x")), ErrorKind::Name),
        (result(json!(1.5)), ErrorKind::Encoding),
        (result(json!(u64::MAX)), ErrorKind::Encoding),
        (result(json!([])), ErrorKind::Encoding),
        (result(json!(["add"])), ErrorKind::Encoding),
        (result(json!(["xor", "d0", 1])), ErrorKind::Encoding),
        (result(json!(["mod", "d0"])), ErrorKind::Encoding),
        (result(json!(["mod", "d0", 0])), ErrorKind::Division),
        (result(json!(["floordiv", "n", "d0"])), ErrorKind::Division),
        (result(json!(["mul", i64::MAX, ["mul", 2, "d0"]])), ErrorKind::Overflow),
        (with(json!([]), json!([{"expr": "d0", "bounds": [0]}])), ErrorKind::Encoding),
        (
            variables(json!([{"name": "a", "kind": "symbol", "bounds": [0, 1]}])),
            ErrorKind::Encoding,
        ),
        (variables(json!([{"name": "mod", "kind": "range", "bounds": [0, 1]}])), ErrorKind::Name),
        (
            variables(
                json!([{"name": "n", "kind": "parameter", "bounds": [0, 1]}, {"name": "a", "kind": "range", "bounds": [0, 1]}]),
            ),
            ErrorKind::Encoding,
        ),
        (
            variables(
                json!([{"name": "a", "kind": "range", "bounds": [0, 1]}, {"name": "a", "kind": "range", "bounds": [0, 1]}]),
            ),
            ErrorKind::Name,
        ),
    ] {
        let found = Tree::read(&tree);
        assert_eq!(found.map_err(|error| error.kind), Err(kind), "{tree}");
    }
    let mut deep = json!("d0");
    for _ in 0..MAX_NESTED + 2 {
        deep = json!(["mod", deep, 3]);
    }
    assert_eq!(Tree::read(&result(deep)).map_err(|error| error.kind), Err(ErrorKind::TooLarge));
}
