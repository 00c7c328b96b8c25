//! The measured expressions: maps of one result, each with the number of operations of the smallest correct answer of other
//! simplifiers.

#![allow(dead_code, reason = "each test file uses its own part of this")]

use affinor::expr::IndexingMap;
use affinor::text::parse_map;
use std::collections::BTreeMap;

/// An expression, and the size of the best answer of others.
pub struct Case {
    pub id: String,
    pub map: IndexingMap,
    /// The number of operations of the smallest correct answer of another simplifier.
    pub best: u64,
}

/// Chains of reshapes, transposes, slices, pads and tilings, with the answers of eleven other simplifiers.
pub fn chains() -> Vec<Case> {
    cases(
        include_str!("../../benches/data/cases.jsonl"),
        include_str!("../../benches/data/best_known.tsv"),
    )
}

/// Deep divisions, windows, gathers, tiled loops, views of views, sums of quotients, negative coefficients, layouts, digits of
/// one base in another, packed numbers, and small random expressions, with the answers of six other simplifiers.
pub fn fresh() -> Vec<Case> {
    cases(
        include_str!("../../benches/data/fresh_cases.jsonl"),
        include_str!("../../benches/data/fresh_best_known.tsv"),
    )
}

fn cases(lines: &str, best: &str) -> Vec<Case> {
    let best = best.lines().filter(|line| !line.starts_with('#'));
    let best: BTreeMap<&str, u64> = best
        .map(|line| {
            let mut fields = line.split('\t');
            let id = fields.next().expect("an id");
            let operations = fields.next().and_then(|field| field.parse().ok());
            (id, operations.expect("a number of operations"))
        })
        .collect();
    let case = |line: &str| {
        let case: serde_json::Value = serde_json::from_str(line).expect("a case is JSON");
        let id = case["id"].as_str().expect("an id").to_owned();
        let (mut names, mut bounds) = (Vec::new(), Vec::new());
        for (name, range) in case["vars"].as_object().into_iter().flatten() {
            names.push(name.clone());
            bounds.push(format!("{name} in [{}, {}]", range[0], range[1]));
        }
        let expr = case["expr"].as_str().expect("an expression");
        let (names, bounds) = (names.join(", "), bounds.join(", "));
        let text = format!("({names}) -> ({expr}), domain: {bounds}");
        Case {
            map: parse_map(&text).unwrap_or_else(|error| panic!("{error:?} in {text}")),
            best: best[id.as_str()],
            id,
        }
    };
    lines.lines().map(case).collect()
}
