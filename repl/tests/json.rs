//! The JSON that programs rely on: the shape of each answer, and of errors.

mod support;

use serde_json::{Value, json};
use support::affinor;

/// Running `arguments` with `--json` prints exactly these objects. Times differ from run to run, so
/// `ns` and `check_ns` are compared as 0, after a look that they are numbers.
#[track_caller]
fn check(arguments: &[&str], input: &str, status: i32, expected: &[Value]) {
    let arguments: Vec<&str> = arguments.iter().copied().chain(["--json"]).collect();
    let run = affinor(&arguments, input.as_bytes());
    let mut found = run.objects();
    for object in &mut found {
        for key in ["ns", "check_ns"] {
            if let Some(time) = object.get_mut(key) {
                assert!(time.is_u64(), "{time}");
                *time = json!(0);
            }
        }
    }
    assert_eq!(found, expected);
    assert_eq!((run.status, run.err.as_str()), (Some(status), ""));
}

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
            json!({"schema": 1, "result": result, "ops": 0, "divmods": 0, "shared_ops": 0, "complete": true}),
        ],
    );
    check(
        &["simplify", DIGITS, "--check"],
        "",
        0,
        &[
            json!({"schema": 1, "result": result, "ops": 0, "divmods": 0, "shared_ops": 0, "complete": true,
                 "check": "proved", "check_ns": 0}),
        ],
    );
    let explained = affinor(&["simplify", DIGITS, "--explain", "--json"], b"").objects();
    let steps = explained[0]["steps"].as_array().expect("an array");
    assert!(!steps.is_empty());
    for step in steps {
        assert!(
            step["rule"].is_string() && step["bindings"].is_object(),
            "{step}"
        );
        assert!(step["facts"].is_array(), "{step}");
        assert!(
            step["before"].is_string() && step["after"].is_string(),
            "{step}"
        );
    }
    let why = affinor(&["why", DIGITS, "--json"], b"").objects();
    let told = why[0]["steps"].as_array().expect("an array");
    assert_eq!(told.len(), steps.len());
    for (told, step) in told.iter().zip(steps) {
        for key in ["rule", "bindings", "facts", "before", "after"] {
            assert_eq!(told[key], step[key], "{key}");
        }
        assert!(
            told["statement"].is_string() && told["where"].is_array(),
            "{told}"
        );
    }
    assert_eq!(why[0]["result"], explained[0]["result"]);
}

#[test]
fn certificates() {
    let map = "(d0) -> (d0 mod 16), domain: d0 in [0, 14]";
    let result = "(d0) -> (d0), domain: d0 in [0, 14]";
    let certificate = |t: i64| {
        json!({"before": map, "after": result, "domain_steps": [], "result_steps": [
            {"rule": "div-block", "bindings": {"x": "d0", "c": 16, "t": t}}]})
    };
    let line = json!({"id": 7, "map": map}).to_string();
    check(
        &["simplify", "--jsonl", "-", "--certificate"],
        &line,
        0,
        &[
            json!({"schema": 1, "id": 7, "result": result, "ops": 0, "divmods": 0, "shared_ops": 0, "ns": 0,
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
            json!({"schema": 1, "id": 7, "verdict": "valid", "steps": 1, "ns": 0, "before": map, "after": result}),
            json!({"schema": 1, "id": null, "verdict": "rejected", "steps": 1,
                 "reason": {"step": 1, "rule": "div-block", "kind": "condition",
                            "message": "its side condition c*t <= x does not follow"},
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
        &[json!({"schema": 1, "verdict": "proved"})],
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
                 "counterexample": {"point": {"x": 0, "c": 0}, "divisor": 0}})],
    );
    let hard = "x*x*x + y*y*y <= z*z*z - 1 where x >= 1, y >= 1, z >= 1, x*x*x + y*y*y <= z*z*z";
    let run = affinor(&["prove", hard, "--json"], b"");
    assert_eq!(run.status, Some(3));
    assert_eq!(run.objects()[0]["verdict"], "unknown");
    assert!(run.objects()[0]["reason"].is_string());
}

#[test]
fn rules() {
    for rule in affinor(&["rules", "list", "--json"], b"").objects() {
        for key in [
            "name",
            "file",
            "statement",
            "purpose",
            "hash",
            "truncating",
            "cvc5",
        ] {
            assert!(rule[key].is_string(), "{key} of {rule}");
        }
        assert!(rule["where"].is_array(), "{rule}");
        assert_eq!(rule["verdict"], "proved", "{rule}");
    }
    let proved = affinor(&["rules", "prove", "div-div", "mod-def", "--json"], b"").objects();
    assert_eq!(proved.len(), 2);
    for (rule, name) in proved.iter().zip(["div-div", "mod-def"]) {
        assert_eq!(
            (&rule["name"], &rule["verdict"]),
            (&json!(name), &json!("proved"))
        );
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
        &[
            json!({"schema": 1, "result": "(d0, d1) -> ((d0 * 16 + d1) floordiv 16, \
                 (d0 * 16 + d1) mod 16), domain: d0 in [0, 3], d1 in [0, 15]"}),
        ],
    );
    check(
        &["compose", a, b, "--simplify"],
        "",
        0,
        &[
            json!({"schema": 1, "result": "(d0, d1) -> (d0, d1), domain: d0 in [0, 3], d1 in [0, 15]",
                 "ops": 0, "divmods": 0, "shared_ops": 0, "complete": true}),
        ],
    );
}

#[test]
fn equal() {
    let identity = "(d0) -> (d0), domain: d0 in [0, 3]";
    let remainder = "(x) -> (x mod 4), domain: x in [0, 3]";
    let wider = "(x) -> (x mod 4), domain: x in [0, 4]";
    check(
        &["equal", identity, remainder],
        "",
        0,
        &[json!({"schema": 1, "verdict": "proved"})],
    );
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
    check(
        &["equal", "--reads", all, both],
        "",
        0,
        &[json!({"schema": 1, "verdict": "proved"})],
    );
    let run = affinor(&["equal", "--reads", all, even, "--json"], b"");
    let found = &run.objects()[0];
    assert_eq!(
        (run.status, &found["verdict"]),
        (Some(1), &json!("refuted"))
    );
    assert_eq!(found["counterexample"]["right"], Value::Null);
    assert_eq!(
        found["counterexample"]["left"][0],
        found["counterexample"]["point"]["s0"]
    );
}

#[test]
fn eval() {
    let map = "(d0, d1)[s0] -> (d0 * 8 + s0, d1 floordiv 2), domain: d0 in [0, 3], d1 in [-9, 9], s0 in [0, 7]";
    check(
        &["eval", map, "3,-5,1"],
        "",
        0,
        &[json!({"schema": 1, "result": [25, -3]})],
    );
    check(
        &["eval", map, "4,4,1"],
        "",
        0,
        &[json!({"schema": 1, "result": null, "outside": true})],
    );
    let negative = "(d0) -> (d0), domain: d0 in [-3, 3]";
    check(
        &["eval", negative, "-3"],
        "",
        0,
        &[json!({"schema": 1, "result": [-3]})],
    );
    check(
        &["eval", "() -> (5)"],
        "",
        0,
        &[json!({"schema": 1, "result": [5]})],
    );
}

#[test]
fn range() {
    let map = "(d0) -> (d0, d0 - d0 floordiv 2), domain: d0 in [0, 9]";
    check(
        &["range", map],
        "",
        0,
        &[json!({"schema": 1, "ranges": [[0, 9], [-4, 9]], "tight": [true, false]})],
    );
    check(
        &["range", "affine_map<(d0) -> (d0, d0 mod 4)>"],
        "",
        0,
        &[json!({"schema": 1, "ranges": [[null, null], [0, 3]], "tight": [true, true]})],
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
        &[
            json!({"schema": 1, "error": {"kind": "name", "message": "there is no variable `d1`",
                 "source": "-", "line": 2, "column": 2, "length": 2, "hint": "did you mean `d0`?"}}),
        ],
    );
    check(
        &["--keep-going"],
        "show a\n\n  show (d0) -> (d0 / 0)\n",
        1,
        &[
            json!({"schema": 1, "error": {"kind": "name", "message": "no map is called `a`",
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
                 "message": "the following required arguments were not provided: <SECOND>",
                 "source": "-", "line": null, "column": null, "length": null, "hint": null}})],
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
        json!({"schema": 1, "id": "c1", "result": "d0", "ops": 0, "divmods": 0, "shared_ops": 0, "ns": 0}),
        json!({"schema": 1, "id": "c2", "ops": 2, "divmods": 0, "shared_ops": 2, "ns": 0,
                   "result": "(i)[s] -> (i * 8 + s, s), domain: i in [0, 3], s in [0, 7]"}),
        error(
            json!(["any", 3]),
            "name",
            "there is no variable `z`",
            [4, 78, 1],
            json!("known variables: y, x"),
        ),
        error(
            Value::Null,
            "encoding",
            "this is not the JSON that is expected: expected value",
            [5, 1, 1],
            Value::Null,
        ),
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
            [7, 1, 33],
            json!("write [lo, hi]"),
        ),
        json!({"schema": 1, "id": 6, "result": "x mod 3", "ops": 1, "divmods": 1, "shared_ops": 1, "ns": 0}),
    ];
    for threads in ["1", "2", "3"] {
        let arguments = ["simplify", "--jsonl", "-", "--threads", threads];
        check(&arguments, input, 1, &answers);
    }
}

#[test]
fn lines_with_checks_and_steps() {
    let input = r#"{"id": 1, "vars": {"x": [0, 9]}, "expr": "(x * 4 + 3) floordiv 4"}"#;
    let run = affinor(
        &["simplify", "--check", "--explain", "--jsonl", "-"],
        input.as_bytes(),
    );
    let found = &run.objects()[0];
    assert_eq!(
        (found["result"].as_str(), found["check"].as_str()),
        (Some("x"), Some("proved"))
    );
    assert!(found["check_ns"].is_u64());
    assert_eq!(found["steps"][0]["before"], "(x * 4 + 3) floordiv 4");
    assert_eq!(run.status, Some(0));
}

#[test]
fn hlo() {
    let path = concat!(env!("CARGO_TARGET_TMPDIR"), "/json.hlo");
    let text = "HloModule m\n\
        fused {\n  p0 = f32[8,4]{1,0} parameter(0)\n  ROOT t = f32[4,8]{1,0} transpose(p0), dimensions={1,0}\n}\n\
        ENTRY main.5 {\n  a = f32[8,4]{1,0} parameter(0)\n  i = s32[] parameter(1)\n\
        \x20 f = f32[4,8]{1,0} fusion(a), kind=kLoop, calls=fused\n\
        \x20 ROOT d = f32[4,2]{1,0} dynamic-slice(f, i, i), dynamic_slice_sizes={4,2}\n}\n";
    std::fs::write(path, text).expect("a file");
    let transposed = "(d0, d1) -> (d1, d0), domain: d0 in [0, 3], d1 in [0, 7]";
    let fusion = json!({"schema": 1, "computation": "main.5", "instruction": "f", "opcode": "fusion",
        "shape": "f32[4,8]{1,0}", "direction": "output-to-input",
        "results": [{"output": [], "operand": 0, "operand_path": [], "name": "a",
                     "maps": [{"map": transposed, "exact": true, "runtime": []}]}]});
    check(
        &["hlo", path, "--computation", "main.5", "--instruction", "f"],
        "",
        0,
        &[fusion],
    );

    let all = affinor(&["hlo", path, "--json"], b"").objects();
    let names: Vec<&str> = all
        .iter()
        .filter_map(|object| object["instruction"].as_str())
        .collect();
    assert_eq!(names, ["t", "f", "d"]);
    let map = &all[2]["results"][0]["maps"][0];
    let runtime = map["runtime"][0].as_object().expect("a runtime variable");
    assert_eq!(
        runtime.keys().collect::<Vec<_>>(),
        ["var", "operand", "operand_path", "map", "clamp"]
    );
    assert_eq!(map["exact"], true);

    let checked = affinor(&["hlo", path, "--check", "--json"], b"");
    assert_eq!((checked.status, checked.objects().len()), (Some(0), 3));
    for object in checked.objects() {
        for result in object["results"].as_array().expect("a list") {
            assert_eq!(result["check"], "proved", "{object}");
        }
    }
    let back = json!({"schema": 1, "computation": "main.5", "instruction": "f", "opcode": "fusion",
        "shape": "f32[4,8]{1,0}", "direction": "input-to-output",
        "results": [{"output": [], "operand": 0, "operand_path": [], "name": "a",
                     "maps": [{"map": "(d0, d1) -> (d1, d0), domain: d0 in [0, 7], d1 in [0, 3]",
                               "exact": true, "runtime": []}]}]});
    let direction = ["--direction", "input-to-output"];
    let of_fusion = ["hlo", path, "--computation", "main.5", "--instruction", "f"];
    check(&[&of_fusion[..], &direction].concat(), "", 0, &[back]);
    for wrong in [
        &["--direction", "sideways"][..],
        &["--direction", "input-to-output", "--check"],
        &["--entry", "--check"],
    ] {
        let run = affinor(&[&["hlo", path, "--json"], wrong].concat(), b"");
        assert_eq!(
            (run.status, &run.objects()[0]["error"]["kind"]),
            (Some(2), &json!("usage"))
        );
    }

    let offset = |path: &str| {
        json!({"var": path, "parameter": 1, "parameter_path": [], "clamp": [0, 6],
        "map": "(d0, d1) -> (), domain: d0 in [0, 3], d1 in [0, 1]"})
    };
    let run = affinor(&["hlo", path, "--entry", "--json"], b"");
    let entry = run.objects();
    assert_eq!((run.status, entry.len()), (Some(0), 2));
    let sliced = &entry[0]["maps"][0];
    assert_eq!(
        (
            &entry[0]["parameter"],
            &entry[0]["parameter_path"],
            &entry[0]["output"],
            &sliced["exact"]
        ),
        (&json!(0), &json!([]), &json!([]), &json!(true))
    );
    assert_eq!(
        sliced["runtime"].as_array().and_then(|list| list.last()),
        Some(&offset("rt0"))
    );
    assert_eq!(entry[1]["maps"].as_array().map(Vec::len), Some(1));

    let raw = affinor(&["hlo", path, "--no-simplify", "--json"], b"");
    assert_eq!((raw.status, raw.objects().len()), (Some(0), 3));
    let missing = affinor(&["hlo", path, "--instruction", "g", "--json"], b"");
    assert_eq!(
        (missing.status, &missing.objects()[0]["error"]["kind"]),
        (Some(1), &json!("name"))
    );
}

#[test]
fn layout() {
    let position = "(d0, d1) -> ((d0 + d1) * 2 + d0 floordiv 2 * 8 - d1 mod 2), domain: d0 in [0, 2], d1 in [0, 4]";
    let run = affinor(
        &["layout", "f32[3,5]{1,0:T(2,2)}", "--json", "--index", "2,3"],
        b"",
    );
    let object = &run.objects()[0];
    for (key, expected) in [
        ("shape", json!("f32[3,5]{1,0:T(2,2)}")),
        ("elements", json!(15)),
        ("dense_bytes", json!(60)),
        ("physical_bytes", json!(96)),
        ("physical_shape", json!([2, 3, 2, 2])),
        ("map", json!(position)),
        ("index", json!([2, 3])),
        ("tile_index", json!([1, 1])),
        ("within_tile", json!([0, 1])),
        ("linear", json!(17)),
    ] {
        assert_eq!(object[key], expected, "{key}");
    }
    let back = |position: &str| {
        let run = affinor(
            &[
                "layout",
                "f32[3,5]{1,0:T(2,2)}",
                "--json",
                "--linear",
                position,
            ],
            b"",
        );
        let object = run.objects().remove(0);
        (object["index"].clone(), object["padding"].clone())
    };
    assert_eq!(back("17"), (json!([2, 3]), json!(false)));
    assert_eq!(back("9"), (Value::Null, json!(true)));
    check(
        &["layout", "equal", "f32[8,256]{1,0:T(8,128)}", "f32[8,256]"],
        "",
        1,
        &[json!({"schema": 1, "verdict": "refuted",
            "counterexample": {"point": {"d0": 0, "d1": 128}, "left": [1024], "right": [128]}})],
    );
    let run = affinor(&["bitcast?", "f32[3,5]{0,1}", "f32[5,3]", "--json"], b"");
    let object = &run.objects()[0];
    assert_eq!(object["reshape"]["verdict"], "refuted");
    assert_eq!(object["transposes"][0]["verdict"], "proved");
    assert_eq!(object["transposes"][0]["dimensions"], json!([1, 0]));
    assert_eq!(run.status, Some(0));
    let run = affinor(&["layout", "choose", "bf16[8,1,1280,16384]", "--json"], b"");
    let formats = run.objects()[0]["formats"].clone();
    let names: Vec<&str> = formats
        .as_array()
        .expect("an array")
        .iter()
        .filter_map(|format| format["format"].as_str())
        .collect();
    assert_eq!(names, ["linear", "TPU 16-bit tile"]);
}
