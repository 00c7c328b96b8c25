//! The JSON that programs rely on: the structure of each answer, and of errors.

use crate::support::{affinor, check_json as check};
use serde_json::{Value, json};

const DIGITS: &str =
    "(d0, d1) -> (d0 + d1 floordiv 16, d1 mod 16), domain: d0 in [0, 9], d1 in [0, 14]";

#[test]
fn simplify() {
    let result = "(d0, d1) -> (d0, d1), domain: d0 in [0, 9], d1 in [0, 14]";
    check(
        &["simplify", DIGITS],
        "",
        0,
        &[
            json!({"schema": 1, "result": result, "ops": 0, "divmods": 0, "shared_ops": 0, "bits": 5, "complete": true}),
        ],
    );
    check(
        &["simplify", DIGITS, "--check"],
        "",
        0,
        &[
            json!({"schema": 1, "result": result, "ops": 0, "divmods": 0, "shared_ops": 0, "bits": 5, "complete": true,
                 "check": "proved", "check_ns": 0}),
        ],
    );
    let explained = affinor(&["simplify", DIGITS, "--explain", "--json"], b"").objects();
    let steps = explained[0]["steps"].as_array().expect("an array");
    assert!(!steps.is_empty());
    for step in steps {
        assert!(step["rule"].is_string() && step["bindings"].is_object(), "{step}");
        assert!(step["facts"].is_array(), "{step}");
        assert!(step["before"].is_string() && step["after"].is_string(), "{step}");
    }
    let why = affinor(&["why", DIGITS, "--json"], b"").objects();
    let told = why[0]["steps"].as_array().expect("an array");
    assert_eq!(told.len(), steps.len());
    for (told, step) in told.iter().zip(steps) {
        for key in ["rule", "bindings", "facts", "before", "after"] {
            assert_eq!(told[key], step[key], "{key}");
        }
        assert!(told["statement"].is_string() && told["where"].is_array(), "{told}");
    }
    assert_eq!(why[0]["result"], explained[0]["result"]);
}

#[test]
fn certificates() {
    let map = "(d0) -> (d0 mod 16), domain: d0 in [0, 14]";
    let result = "(d0) -> (d0), domain: d0 in [0, 14]";
    let certificate = |t: i64| {
        json!({"before": map, "after": result, "domain_steps": [], "result_steps": [
            {"rule": "div-block", "bindings": {"x": "d0", "c": 16, "t": t}, "bits": 6}]})
    };
    let line = json!({"id": 7, "map": map}).to_string();
    check(
        &["simplify", "--jsonl", "-", "--certificate"],
        &line,
        0,
        &[
            json!({"schema": 1, "id": 7, "result": result, "ops": 0, "divmods": 0, "shared_ops": 0, "bits": 5, "ns": 0,
                 "certificate": certificate(0)}),
        ],
    );
    let right = json!({"id": 7, "certificate": certificate(0)}).to_string();
    let wrong = certificate(1).to_string();
    check(
        &["replay", "-"],
        &format!("{right}\n{wrong}\n"),
        1,
        &[
            json!({"schema": 1, "id": 7, "verdict": "valid", "steps": 1, "bits": 6, "ns": 0, "before": map, "after": result}),
            json!({"schema": 1, "id": null, "verdict": "rejected", "steps": 1,
                 "reason": {"step": 1, "rule": "div-block", "kind": "condition",
                            "message": "the side condition c*t <= x is not established"},
                 "ns": 0, "before": map, "after": result}),
        ],
    );
}

#[test]
fn prove() {
    check(
        &["prove", "x floordiv c <= x where c >= 1, x >= 0"],
        "",
        0,
        &[json!({"schema": 1, "verdict": "proved", "toward_zero": {"verdict": "proved"}})],
    );
    check(
        &["prove", "(x mod 64) mod 7 = x mod 7 where x >= 0"],
        "",
        1,
        &[json!({"schema": 1, "verdict": "refuted",
                 "counterexample": {"point": {"x": 64}, "left": 0, "right": 1, "nodes": {
                     "left": [{"expr": "x mod 64", "value": 0}, {"expr": "(x mod 64) mod 7", "value": 0}],
                     "right": [{"expr": "x mod 7", "value": 1}],
                     "first_difference": {"left": {"expr": "x mod 64", "value": 0},
                                          "right": {"expr": "x", "value": 64}}}}})],
    );
    check(
        &["prove", "x floordiv c = x floordiv c"],
        "",
        1,
        &[json!({"schema": 1, "verdict": "refuted",
                 "counterexample": {"point": {"x": 0, "c": 0}, "divisor": 0},
                 "positive_divisors": {"where": ["c >= 1"], "verdict": "proved"}})],
    );
    let hard = "x*x*x + y*y*y <= z*z*z - 1 where x >= 1, y >= 1, z >= 1, x*x*x + y*y*y <= z*z*z";
    let run = affinor(&["prove", hard, "--json"], b"");
    assert_eq!(run.status, Some(3));
    assert_eq!(run.objects()[0]["verdict"], "unknown");
    assert!(run.objects()[0]["reason"].is_string());
}

#[test]
fn compose() {
    let (a, b) = (
        "(d0, d1) -> (d0 * 16 + d1), domain: d0 in [0, 3], d1 in [0, 15]",
        "(d0) -> (d0 floordiv 16, d0 mod 16), domain: d0 in [0, 63]",
    );
    check(
        &["compose", a, b],
        "",
        0,
        &[json!({"schema": 1, "result": "(d0, d1) -> ((d0 * 16 + d1) floordiv 16, \
                 (d0 * 16 + d1) mod 16), domain: d0 in [0, 3], d1 in [0, 15]"})],
    );
    check(
        &["compose", a, b, "--simplify"],
        "",
        0,
        &[
            json!({"schema": 1, "result": "(d0, d1) -> (d0, d1), domain: d0 in [0, 3], d1 in [0, 15]",
                 "ops": 0, "divmods": 0, "shared_ops": 0, "bits": 5, "complete": true}),
        ],
    );
}

#[test]
fn equal() {
    let identity = "(d0) -> (d0), domain: d0 in [0, 3]";
    let remainder = "(x) -> (x mod 4), domain: x in [0, 3]";
    let wider = "(x) -> (x mod 4), domain: x in [0, 4]";
    check(&["equal", identity, remainder], "", 0, &[json!({"schema": 1, "verdict": "proved"})]);
    check(
        &["equal", identity, wider],
        "",
        1,
        &[json!({"schema": 1, "verdict": "refuted",
                 "counterexample": {"point": {"d0": 4}, "left": null, "right": [0],
                                    "left_outside": "d0 = 4 is not in [0, 3]"}})],
    );
    let (all, even) = (
        "(d0)[s0] -> (s0), domain: d0 in [0, 3], s0 in [0, 7]",
        "(d0)[s0] -> (s0 * 2), domain: d0 in [0, 3], s0 in [0, 3]",
    );
    let both = "(d0)[s0, s1] -> (s0 * 2 + s1), domain: d0 in [0, 3], s0 in [0, 3], s1 in [0, 1]";
    check(&["equal", "--reads", all, both], "", 0, &[json!({"schema": 1, "verdict": "proved"})]);
    let run = affinor(&["equal", "--reads", all, even, "--json"], b"");
    let found = &run.objects()[0];
    assert_eq!((run.status, &found["verdict"]), (Some(1), &json!("refuted")));
    assert_eq!(found["counterexample"]["right"], Value::Null);
    assert_eq!(found["counterexample"]["left"][0], found["counterexample"]["point"]["s0"]);
}

#[test]
fn eval() {
    let map = "(d0, d1)[s0] -> (d0 * 8 + s0, d1 floordiv 2), domain: d0 in [0, 3], d1 in [-9, 9], s0 in [0, 7]";
    check(&["eval", map, "3,-5,1"], "", 0, &[json!({"schema": 1, "result": [25, -3]})]);
    check(&["eval", map, "4,4,1"], "", 0, &[json!({"schema": 1, "result": null, "outside": true})]);
    let negative = "(d0) -> (d0), domain: d0 in [-3, 3]";
    check(&["eval", negative, "-3"], "", 0, &[json!({"schema": 1, "result": [-3]})]);
    check(&["eval", "() -> (5)"], "", 0, &[json!({"schema": 1, "result": [5]})]);
}

#[test]
fn range() {
    let map = "(d0) -> (d0, d0 - d0 floordiv 2), domain: d0 in [0, 9]";
    check(
        &["range", map],
        "",
        0,
        &[json!({"schema": 1, "ranges": [[0, 9], [0, 5]], "tight": [true, true],
                 "attained_at": [[[0], [9]], [[0], [9]]]})],
    );
    // There are too many points to try all of them.
    let map = "(d0) -> (d0, d0 - d0 floordiv 2), domain: d0 in [0, 99999]";
    let ranges = [[0, 99999], [0, 50000]];
    check(
        &["range", map],
        "",
        0,
        &[json!({"schema": 1, "ranges": ranges, "tight": [true, true],
                 "attained_at": [[[0], [99999]], [[0], [99999]]]})],
    );
    check(
        &["range", "affine_map<(d0) -> (d0, d0 mod 4)>"],
        "",
        0,
        &[json!({"schema": 1, "ranges": [[null, null], [0, 3]], "tight": [true, true],
                 "attained_at": [[null, null], [[0], [3]]]})],
    );
}

#[test]
fn sessions() {
    check(
        &["-e", "let a = () -> (1)", "show", "show a", "quit", "show"],
        "",
        0,
        &[
            json!({"schema": 1, "result": "() -> (1)", "name": "a"}),
            json!({"schema": 1, "maps": {"a": "() -> (1)"}}),
            json!({"schema": 1, "result": "() -> (1)"}),
        ],
    );
    let help = affinor(&["help", "--json"], b"").objects();
    let commands = help[0]["commands"].as_array().expect("an array");
    assert!(commands.iter().all(|command| command["usage"].is_string()));
}

#[test]
fn errors_take_the_place_of_the_result() {
    check(
        &["simplify", "(d0) -> (d0,\n d1), domain: d0 in [0, 3]"],
        "",
        1,
        &[json!({"schema": 1, "error": {"kind": "name", "message": "unknown variable `d1`",
                 "source": "-", "line": 2, "column": 2, "length": 2, "hint": "did you mean `d0`?"}})],
    );
    check(
        &["--keep-going"],
        "show a\n\n  show (d0) -> (d0 / 0)\n",
        1,
        &[
            json!({"schema": 1, "error": {"kind": "name", "message": "unknown map `a`",
                   "source": "-", "line": 1, "column": 6, "length": 1,
                   "hint": "`let NAME = MAP` names one, `show` lists the names"}}),
            json!({"schema": 1, "error": {"kind": "division", "message": "division by zero",
                   "source": "-", "line": 3, "column": 22, "length": 1,
                   "hint": "divisors are integers of at least 1"}}),
        ],
    );
    check(
        &["compose", "() -> ()"],
        "",
        2,
        &[json!({"schema": 1, "error": {"kind": "usage",
                 "message": "`compose` needs SECOND",
                 "source": "-", "line": 1, "column": 1, "length": 7,
                 "hint": "put each map in single quotes, or both in one pair with `;` between; \
                          outside of quotes, `;` ends a shell's command"}})],
    );
}

#[test]
fn simplify_lines() {
    let input = concat!(
        r#"{"id": "c1", "vars": {"d0": [0, 9], "d1": [0, 14]}, "expr": "d0 + d1 floordiv 16"}"#,
        "\n\n",
        r#"{"id": "c2", "map": "(i)[s] -> (i * 8 + s, s mod 8), domain: i in [0, 3], s in [0, 7]"}"#,
        "\n",
        r#"{"id": ["any", 3], "vars": {"y": [0, 3], "x": [0, 9]}, "expr": "x + \u0079 + z"}"#,
        "\nrubbish\n",
        r#"{"id": 5, "vars": {"x": [0, 9]}}"#,
        "\n",
        r#"{"vars": {"x": [0]}, "expr": "x"}"#,
        "\n",
        r#"{"id": 6, "vars": {"x": [5, 4]}, "expr": "x mod 3"}"#,
    );
    let error =
        |id: Value, kind: &str, message: &str, [line, column, length]: [usize; 3], hint: Value| {
            json!({"schema": 1, "id": id, "error": {"kind": kind, "message": message, "source": "-",
               "line": line, "column": column, "length": length, "hint": hint}})
        };
    let written = r#"write {"id": .., "vars": {"d0": [0, 9]}, "expr": "d0 mod 4"}"#;
    let answers = [
        json!({"schema": 1, "id": "c1", "result": "d0", "ops": 0, "divmods": 0, "shared_ops": 0, "bits": 5, "ns": 0}),
        json!({"schema": 1, "id": "c2", "ops": 2, "divmods": 0, "shared_ops": 2, "bits": 6, "ns": 0,
                   "result": "(i)[s] -> (i * 8 + s, s), domain: i in [0, 3], s in [0, 7]"}),
        error(
            json!(["any", 3]),
            "name",
            "unknown variable `z`",
            [4, 78, 1],
            json!("known variables: y, x"),
        ),
        error(Value::Null, "encoding", "unexpected JSON: expected value", [5, 1, 1], Value::Null),
        error(
            json!(5),
            "encoding",
            "expected either `map`, or `vars` and `expr`",
            [6, 1, 32],
            json!(written),
        ),
        error(
            Value::Null,
            "domain",
            "the bounds of `x` are not two 64-bit integers",
            [7, 16, 3],
            json!("write [lo, hi]"),
        ),
        json!({"schema": 1, "id": 6, "result": "x mod 3", "ops": 1, "divmods": 1, "shared_ops": 1, "bits": 3, "ns": 0}),
    ];
    for threads in ["1", "2", "3"] {
        let arguments = ["simplify", "--jsonl", "-", "--threads", threads];
        check(&arguments, input, 1, &answers);
    }
}

#[test]
fn lines_with_checks_and_steps() {
    let input = r#"{"id": 1, "vars": {"x": [0, 9]}, "expr": "(x * 4 + 3) floordiv 4"}"#;
    let run = affinor(&["simplify", "--check", "--explain", "--jsonl", "-"], input.as_bytes());
    let found = &run.objects()[0];
    assert_eq!((found["result"].as_str(), found["check"].as_str()), (Some("x"), Some("proved")));
    assert!(found["check_ns"].is_u64());
    assert_eq!(found["steps"][0]["before"], "(x * 4 + 3) floordiv 4");
    assert_eq!(run.status, Some(0));
}

#[test]
fn trees_stand_beside_texts() {
    let map = "(d0) -> (d0 mod 4, 7), domain: d0 in [0, 9]";
    let tree = json!({"variables": [{"name": "d0", "kind": "dimension", "bounds": [0, 9]}], "constraints": [], "results": [["mod", "d0", 4], 7]});
    for arguments in [&["show", map, "--trees"][..], &["--json", "--trees", "show", map]] {
        let found = affinor(arguments, b"").objects();
        assert_eq!(
            found,
            [json!({"schema": 1, "result": map, "trees": {"/result": tree.clone()}})]
        );
    }
    // Errors are JSON too, and have no trees.
    let wrong = affinor(&["show", "(d0) -> (d1)", "--trees"], b"").objects();
    assert_eq!((wrong[0]["error"]["kind"].as_str(), wrong[0].get("trees")), (Some("name"), None));
}
