//! Rules as JSON: listed, proved, added, switched off.

use crate::support::{affinor, check_json as check};
use serde_json::{Value, json};

#[test]
fn rules() {
    for rule in affinor(&["rules", "list", "--json"], b"").objects() {
        for key in ["name", "file", "statement", "purpose", "hash", "truncating", "cvc5", "rocq"] {
            assert!(rule[key].is_string(), "{key} of {rule}");
        }
        assert!(rule["where"].is_array(), "{rule}");
        assert_eq!(rule["verdict"], "proved", "{rule}");
    }
    let proved = affinor(&["rules", "prove", "div-div", "mod-def", "--json"], b"").objects();
    assert_eq!(proved.len(), 2);
    for (rule, name) in proved.iter().zip(["div-div", "mod-def"]) {
        assert_eq!((&rule["name"], &rule["verdict"]), (&json!(name), &json!("proved")));
        assert_eq!(rule["solver"], "z3");
        assert!(rule["ms"].is_number());
    }
    let shown = affinor(&["rules", "show", "div-strip", "--json"], b"").objects();
    let roles: Vec<&Value> = shown[0]["conditions"]
        .as_array()
        .expect("an array")
        .iter()
        .map(|condition| &condition["needed"])
        .collect();
    assert_eq!(roles, [&json!(false), &json!(true), &json!(true)]);
    let map = "(d0, d1) -> ((d0 * 49 + d1 + 6) floordiv 12), domain: d0 in [0, 3], d1 in [0, 2]";
    assert_eq!(shown[0]["example"]["map"], map);
    assert_ne!(shown[0]["example"]["with"], shown[0]["example"]["without"]);
}

/// The answer has a field for each question about a rule; it is null if the question was not asked.
#[test]
fn rule() {
    let rule = |arguments: &[&str], status: i32, expected: Value| {
        let mut all = vec!["rule"];
        all.extend_from_slice(arguments);
        check(&all, "", status, &[expected]);
    };
    rule(
        &["a: x floordiv c => x - x where c >= 1, 0 <= x, x < c"],
        0,
        json!({"schema": 1, "name": "a", "verdict": "proved", "law": false, "fires": true, "ends": true,
               "adds": true, "added": true}),
    );
    rule(
        &["a: (u floordiv c + w) floordiv d => (u + c*w) floordiv (c*d) where c >= 1, d >= 2"],
        0,
        json!({"schema": 1, "name": "a", "verdict": "proved", "law": false, "fires": true, "ends": true,
               "adds": false, "known_by": "div-div", "added": true}),
    );
    rule(
        &["a: x floordiv c => (x + c) floordiv c - 1 where c >= 1"],
        0,
        json!({"schema": 1, "name": "a", "verdict": "proved", "law": false, "fires": true, "ends": false,
               "adds": true, "added": true}),
    );
    rule(
        &["a: x + x => 2*x"],
        1,
        json!({"schema": 1, "name": "a", "verdict": "proved", "law": false, "fires": false, "ends": null,
               "adds": true, "not_added": "its sides are sums, whose normal form is the same", "added": false}),
    );
    rule(
        &["--law", "a: x + x => 2*x"],
        0,
        json!({"schema": 1, "name": "a", "verdict": "proved", "law": true, "fires": null, "ends": null,
               "adds": null, "added": true}),
    );
    let run = affinor(&["rule", "a: x floordiv 2 => x where x >= 1", "--json"], b"");
    let answer = &run.objects()[0];
    assert_eq!(answer["counterexample"]["point"], json!({"x": 1}));
    for (key, value) in [
        ("verdict", json!("refuted")),
        ("fires", json!(null)),
        ("ends", json!(null)),
        ("adds", json!(null)),
        ("added", json!(false)),
    ] {
        assert_eq!(answer[key], value, "{key}");
    }
}

#[test]
fn rules_that_are_off() {
    let run = affinor(
        &[
            "--json",
            "-e",
            "simplify (d0) -> ((d0 floordiv 3 + 2) floordiv 4), domain: d0 in [0, 9]",
            "rules off div-div div-low",
            "set",
            "rules list div-div range-sum",
            "rules on div-low",
        ],
        b"",
    );
    let answers = run.objects();
    let off = json!(["div-div", "div-low"]);
    assert_eq!(answers[1], json!({"schema": 1, "rules_off": off}));
    assert_eq!(answers[2]["rules_off"], off);
    let rule = &answers[3];
    assert_eq!((&rule["fires"], &rule["on"]), (&json!(true), &json!(false)));
    assert_eq!(rule["used"], 1);
    let law = &answers[4];
    assert_eq!((&law["fires"], &law["on"]), (&json!(false), &Value::Null));
    assert_eq!(answers[5]["rules_off"], json!(["div-div"]));
}
