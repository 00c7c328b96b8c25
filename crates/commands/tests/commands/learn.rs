//! Examples that the shipped rules do not make as small as possible: a rule is learnt from each, simplifies it, and preserves
//! the values.

use crate::support::talk::Talk;
use affinor::text::{parse_expr, parse_map};
use serde_json::Value;

/// Random expressions of a few operations, with a smaller form that was found by enumeration.
const MISSED: &str = include_str!("missed.jsonl");

#[test]
fn rules_are_learnt_from_what_shipped_rules_miss() {
    let mut talk = Talk::default();
    let file = MISSED.as_bytes().to_vec();
    talk.host.files.insert("missed.jsonl", file);
    talk.say("learn --jsonl missed.jsonl --threads 2");
    let answers: Vec<Value> = (talk.host.outputs.iter())
        .map(|output| output.json.clone().expect("an object").into())
        .collect();
    assert_eq!(answers.len(), MISSED.lines().count());
    for (line, answer) in MISSED.lines().zip(answers) {
        let case: Value = serde_json::from_str(line).expect("a case is JSON");
        assert_eq!(case["id"], answer["id"]);
        let operations = &answer["operations"];
        assert!(operations["with"].as_u64() < operations["without"].as_u64(), "{line}: {answer}");
        // In a new session the rule is proved again, and fires.
        let mut talk = Talk::default();
        let rule = answer["rule"].as_str().expect("a text").replace('\n', " ");
        talk.say(&format!("rule {rule}"));
        let bounds = case["vars"].as_object().expect("bounds");
        let names: Vec<&str> = bounds.keys().map(String::as_str).collect();
        let ranges =
            bounds.iter().map(|(name, range)| format!("{name} in [{}, {}]", range[0], range[1]));
        let map = format!(
            "({}) -> ({}), domain: {}",
            names.join(", "),
            case["expr"].as_str().expect("an expression"),
            ranges.collect::<Vec<_>>().join(", ")
        );
        talk.say(&format!("simplify {map}"));
        let output = talk.host.outputs.last().expect("an answer");
        let json = output.json.as_ref().expect("an object");
        let result = parse_map(json["result"].as_str().expect("a map")).expect("it reads");
        assert_eq!(json["ops"], operations["with"], "{line}");
        let given = parse_expr(case["expr"].as_str().expect("an expression"), &names);
        let given = given.expect("it reads");
        let mut points: Vec<Vec<i64>> = vec![Vec::new()];
        for range in bounds.values() {
            let [lo, hi] = [0, 1].map(|end| range[end].as_i64().expect("a bound"));
            let longer = points
                .iter()
                .flat_map(|point| (lo..=hi).map(move |value| [&point[..], &[value]].concat()));
            points = longer.collect();
        }
        for point in points {
            let value = result.results()[0].eval(&point);
            assert_eq!(value, given.eval(&point), "{line} at {point:?}");
        }
    }
}
