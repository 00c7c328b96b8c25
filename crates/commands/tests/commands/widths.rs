//! `--bits`: commands that answer with a map, or compare maps, report whether all subexpressions fit.

use crate::support::memory::Memory;
use affinor_commands::{Session, Status};
use serde_json::Value;

/// Returns the text and the JSON of the last answer, and the status of the line, or the message of the error.
fn run(line: &str) -> Result<(String, Value, Status), String> {
    let (mut session, mut host) = (Session::new(), Memory::default());
    let status = session.run(line, &mut host).map_err(|failure| failure.error.message)?;
    let output = host.outputs.pop().expect("an answer");
    Ok((output.text.to_string(), output.json.unwrap_or_default().into(), status))
}

/// `a * x - b` and `a * (x - 32)` for a = 2^26.
const APART: &str = "(x) -> (67108864 * x - 67108864 * 32), domain: x in [32, 40]";
const TOGETHER: &str = "(x) -> (67108864 * (x - 32)), domain: x in [32, 40]";
const WIDE: &str = "(i, j) -> (i * 100000 + j), domain: i in [0, 100000], j in [0, 9]";

#[test]
fn answers_with_a_map() {
    let (fit, leave) = ("proved: every result and every part fits in", "not every result fits in");
    let parts_leave = "every result fits in 32 bits, but not every part as written";
    for (line, said, status) in [
        (format!("simplify {TOGETHER} --bits 32"), fit, Status::Done),
        (format!("simplify {APART} --bits 32"), parts_leave, Status::Wrong),
        (format!("simplify {APART} --bits 33"), fit, Status::Done),
        (format!("simplify {APART} --bits 32 --unsigned"), fit, Status::Done),
        (format!("{WIDE} --bits 32"), leave, Status::Wrong),
        (format!("{WIDE} --bits 64"), fit, Status::Done),
        (format!("show {WIDE} --bits 32"), leave, Status::Wrong),
        (format!("bind i = 3 in {WIDE} --bits 32"), fit, Status::Done),
        (
            format!("compose (i) -> (i, 0), domain: i in [0, 3] ; {WIDE} --bits 32"),
            fit,
            Status::Done,
        ),
        (
            format!("compose (i) -> (i, 0), domain: i in [0, 30000] ; {WIDE} --bits 32"),
            leave,
            Status::Wrong,
        ),
        ("inverse (x) -> (7 * x), domain: x in [0, 3] --bits 6".into(), fit, Status::Done),
        (
            "inverse (x) -> (7 * x), domain: x in [0, 3] --bits 4".into(),
            "fits in 4 bits, but not every part",
            Status::Wrong,
        ),
        ("i * 70000 for i in range(70000) --bits 32".into(), leave, Status::Wrong),
        ("i * 70000 for i in range(70000) --bits 40".into(), fit, Status::Done),
    ] {
        let (text, json, found) = run(&line).unwrap_or_else(|error| panic!("{line}: {error}"));
        assert!(text.contains(said), "{line}: {text}");
        assert_eq!(found, status, "{line}");
        let fits = &json["fits"];
        assert_eq!(fits["parts_fit"].as_bool(), Some(status == Status::Done), "{line}: {fits}");
        assert_eq!(fits["leaves"].as_array().map(Vec::is_empty), Some(status == Status::Done));
    }
}

#[test]
fn a_form_that_fits_is_offered() {
    let (text, json, _) = run(&format!("simplify {APART} --bits 32")).expect("it reads");
    let offered = "(x) -> (67108864 * (x - 32)), domain: x in [32, 40]";
    assert!(text.ends_with(&format!("all parts fit of {offered}")), "{text}");
    assert_eq!(json["fits"]["fitting"], offered);
}

#[test]
fn equal_maps() {
    let (text, json, status) = run(&format!("equal {APART} ; {TOGETHER} --bits 32")).expect("maps");
    assert_eq!(status, Status::Wrong); // they are equal, but one exceeds 32 bits
    assert_eq!(json["verdict"], "proved");
    let of = |index: usize| json["fits"][index]["parts_fit"].as_bool();
    assert_eq!((of(0), of(1)), (Some(false), Some(true)));
    assert!(text.contains("\nfirst: every result fits in 32 bits, but not every part"), "{text}");
    assert!(text.contains("\n  67108864 * 32 is 2147483648\n"), "{text}");
    assert!(text.ends_with("\nsecond: every result and every part fits in 32 bits"), "{text}");
    let (_, json, status) = run(&format!("prove {APART} ; {TOGETHER} --bits 34")).expect("maps");
    assert_eq!((json["verdict"].as_str(), status), (Some("proved"), Status::Done));
}

#[test]
fn what_does_not_read() {
    for (line, message) in [
        (format!("{WIDE} --unsigned"), "`--unsigned` needs `--bits`"),
        (format!("simplify {WIDE} --bits 65"), "expected a number of bits, 2 to 64"),
        (format!("equal {WIDE} ; {WIDE} --bits x"), "expected a number of bits, 2 to 64"),
        (
            "simplify --jsonl maps.jsonl --bits 32".into(),
            "`--bits` takes a map, not `--jsonl FILE`",
        ),
        ("simplify maps.mlir --bits 32".into(), "`--bits` takes a map, not a file"),
    ] {
        assert_eq!(run(&line).expect_err(&line), message, "{line}");
    }
}
