//! An answer that holds only vacuously reports it.

use crate::support::memory::Memory;
use affinor_commands::{Session, Status};

/// Returns the text and the JSON of the last answer, and the status of the line.
fn run(line: &str) -> (String, serde_json::Value, Status) {
    let mut session = Session::new();
    let mut host = Memory::default();
    let status = session.run(line, &mut host).unwrap_or_else(|failure| panic!("{line}: {failure}"));
    let output = host.outputs.pop().expect("an answer");
    (output.text.to_string(), output.json.unwrap_or_default().into(), status)
}

#[track_caller]
fn check(line: &str, is_vacuous: bool) {
    let (text, json, status) = run(line);
    assert_eq!((json["verdict"].as_str(), status), (Some("proved"), Status::Done), "{line}");
    assert_eq!(
        text.contains("proved, but no values meet the conditions"),
        is_vacuous,
        "{line}: {text}"
    );
    assert_eq!(json["vacuous"].as_bool(), is_vacuous.then_some(true), "{line}");
}

#[test]
fn statements() {
    check("prove 1 = 2 where x < x", true);
    check("prove x mod c = x where c >= 1, c <= 0", true);
    check("prove x = y where 2*x = 1", true);
    check("prove x floordiv 4 <= x where x >= 0", false);
    check("prove x = x", false);
    check("prove x = 0 where x >= 0, x < 1", false);
    // The nearest point is far away, and is found.
    check("prove x > 0 where x >= 1000000", false);
}

#[test]
fn maps_and_code() {
    check("equal (d0) -> (d0), domain: empty ; (d0) -> (7), domain: empty", true);
    let empty = "domain: d0 in [0, 9], d0 mod 4 in [1, 1], d0 mod 2 in [0, 0]";
    check(&format!("equal (d0) -> (d0), {empty} ; (d0) -> (7), {empty}"), true);
    check(&format!("prove (d0) -> (d0), {empty} ; (d0) -> (7), {empty}"), true);
    check("equal (d0) -> (d0), domain: d0 in [0, 9] ; (i) -> (i), domain: i in [0, 9]", false);
    check("x // 2 == y where 2*x == 1 and y % 2 == 0 --c", true);
    check("x % 4 < 4 where x >= 0 --c", false);
}

#[test]
fn a_rule_about_nothing_is_not_added() {
    for line in [
        "rule r: x mod c => 0 where c >= 1, x < x",
        "rule --law r: x mod c = 0 where c >= 1, c < 1",
    ] {
        let (text, json, status) = run(line);
        assert_eq!(
            (json["added"].as_bool(), json["vacuous"].as_bool()),
            (Some(false), Some(true)),
            "{line}"
        );
        assert_eq!(status, Status::Wrong, "{line}");
        assert!(text.contains("not added: it would say nothing"), "{text}");
    }
    let (_, json, _) = run("rule r: (2*x + y) floordiv 2 => x where 0 <= y, y < 2");
    assert_eq!((json["added"].as_bool(), json["vacuous"].as_bool()), (Some(true), None));
}
