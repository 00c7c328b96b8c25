//! `upstream`: its answer to a line, as a status and as JSON. Its parser is tested in
//! `crates/workshop/tests/workshop/upstream`.

use crate::support::memory::Memory;
use affinor::text::ErrorKind;
use affinor_commands::{Failure, Session, Status};
use serde_json::{Value, json};

/// Runs the command on a text, or on the file `list.txt`.
fn run(text: &str, file: &[u8]) -> (Result<Status, Failure>, Vec<Value>) {
    let (mut session, mut host) = (Session::new(), Memory::default());
    host.files.insert("list.txt", file.to_vec());
    let status = session.run(&format!("upstream {text}"), &mut host);
    assert_eq!(host.reports, []);
    let outputs = host.outputs.into_iter();
    let answers = outputs.filter_map(|output| output.json.map(Value::Object));
    (status, answers.collect())
}

/// Checks the verdict of one line, and the fields of its first rule; `null` stands for a missing field.
#[track_caller]
fn check(text: &str, status: Status, verdict: &str, fields: &[(&str, Value)]) {
    let (found, answers) = run(text, b"");
    assert_eq!(found, Ok(status), "{text}");
    let [answer] = &answers[..] else {
        panic!("{text}: {answers:?}");
    };
    assert_eq!(answer["verdict"], verdict, "{text}: {answer}");
    for (path, value) in fields {
        assert_eq!(
            answer["rules"][0].pointer(path).unwrap_or(&Value::Null),
            value,
            "{text} {path}: {answer}"
        );
    }
}

#[test]
fn a_line_is_judged_in_each_meaning() {
    check(
        "rewrite((x / c0) / c2, x / fold(c0 * c2), c0 > 0 && c2 > 0 && !overflows(c0 * c2))",
        Status::Done,
        "proved",
        &[
            ("/verdict", json!("proved")),
            ("/toward_zero/verdict", json!("proved")),
            ("/known/is", json!("rule")),
        ],
    );
    // Without the guard, the product overflows.
    check(
        "rewrite((x / c0) / c2, x / fold(c0 * c2), c0 > 0 && c2 > 0)",
        Status::Done,
        "proved",
        &[("/overflow/fails", json!(true))],
    );
    check(
        "rewrite(x / x, 1)",
        Status::Wrong,
        "refuted",
        &[
            ("/verdict", json!("proved")),
            ("/assumed", json!(["x >= 1"])),
            ("/below_one/point", json!({"x": 0})),
        ],
    );
    check("x floordiv x -> 1", Status::Done, "proved", &[("/below_one", Value::Null)]);
    // A line with division rounded toward zero is judged with that division.
    check(
        "truncdiv(3 * x + y, 3) -> x + truncdiv(y, 3)",
        Status::Wrong,
        "refuted",
        &[
            ("/verdict", json!("proved")),
            ("/divides", json!("toward zero")),
            ("/toward_zero/counterexample/point", json!({"x": -1, "y": 1})),
        ],
    );
    check(
        "truncdiv(-x, c) -> 0 - truncdiv(x, c) if c > 0",
        Status::Done,
        "proved",
        &[("/verdict", json!("refuted")), ("/toward_zero/verdict", json!("proved"))],
    );
    // Two readings of one line.
    check(
        "rewrite(max(x, y) * min(x, y), x * y)",
        Status::Done,
        "proved",
        &[("/overflow/fails", json!(false)), ("/toward_zero", Value::Null)],
    );
    check(
        "rewrite(x * x + y * y == z * z * 3, x == 0 && y == 0 && z == 0)",
        Status::Undecided,
        "unknown",
        &[("/verdict", json!("unknown"))],
    );
}

#[test]
fn what_is_known_is_told_from_what_is_new() {
    let known = |text, is: &str, fields: &[(&str, Value)]| {
        let fields = [&[("/known/is", json!(is))], fields].concat();
        check(text, Status::Done, "proved", &fields);
    };
    known(
        "x - c*(x floordiv c) -> x mod c if c > 0",
        "rule",
        &[("/known/rule", json!("mod-def")), ("/known/from_right_to_left", json!(true))],
    );
    known("rewrite((x - y) + (y - z), x - z)", "derived", &[]);
    known("rewrite((x * c0) / c1, x * fold(c0 / c1), c0 % c1 == 0 && c1 > 0)", "derived", &[]);
    known(
        "rewrite(((x + c0) / c1) * c1 - x, (-x) % c1, c1 > 0 && c0 + 1 == c1)",
        "tried",
        &[("/known/values", json!(4))],
    );
    known("rewrite(min(z, y) < min(x, y), z < min(x, y))", "new", &[("/known/at", json!({}))]);
}

#[test]
fn one_line_never_stops_the_rest() {
    let file = b"rewrite(x - x, 0) ||\n  rewrite(select(x, y, z), y) ||\n rewrite(x + , y) || rewrite(x + 0, y)\n\
        rewrite(x + 1, x)\nx + 0 -> x\n";
    let (status, answers) = run("list.txt", file);
    assert_eq!(status, Ok(Status::Wrong));
    let kinds = answers.iter().map(|answer| {
        let line = answer["line"].as_u64();
        (line, answer["verdict"].as_str(), answer["not_stated"]["word"].as_str())
    });
    assert_eq!(
        kinds.collect::<Vec<_>>(),
        [
            (Some(1), Some("proved"), None),
            (Some(2), None, Some("select")),
            (Some(3), None, Some(",")),
            (Some(3), None, Some("y")),
            (Some(4), Some("refuted"), None),
            (Some(5), Some("proved"), None),
            (None, None, None),
        ]
    );
    let place = &answers[1]["not_stated"];
    assert_eq!((&place["line"], &place["column"]), (&json!(2), &json!(11)));
    let totals = answers.last().expect("the totals");
    assert_eq!(
        totals,
        &json!({"schema": 1, "lines": 6, "proved": 2, "refuted": 1, "unknown": 0, "not_stated": 3,
            "by_rule": totals["by_rule"], "derived": totals["derived"], "new": 0})
    );
}

#[test]
fn what_has_no_line_is_an_error() {
    let fails = |text: &str, file: &[u8], kind: ErrorKind| {
        let (status, answers) = run(text, file);
        assert_eq!(status.expect_err(text).error.kind, kind, "{text}");
        assert_eq!(answers, [] as [Value; 0]);
    };
    fails("x + y = y + x", b"", ErrorKind::Rule);
    fails("list.txt", b"# x -> x\n// rewrite(x, x)\nint rewrite;\n", ErrorKind::Rule);
    fails("list.txt", b"\xff -> x", ErrorKind::Encoding);
    fails("none.txt", b"", ErrorKind::File);
    fails("", b"", ErrorKind::Usage);
}
