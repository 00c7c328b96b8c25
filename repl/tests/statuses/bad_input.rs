//! Bad input of every kind gives one diagnostic with its position and the right exit status, and the session continues; with
//! little memory and time, and without a panic.

use crate::support::{Run, affinor, finish, program};
use serde_json::Value;
use std::fs;
use std::time::{Duration, Instant};

/// Far longer than any of these takes, even on a loaded machine.
const PATIENCE: Duration = Duration::from_secs(60);

fn timed(run: impl FnOnce() -> Run) -> Run {
    let start = Instant::now();
    let run = run();
    assert!(start.elapsed() < PATIENCE, "{:?}", start.elapsed());
    run
}

/// Checks a line between two good commands, in a script on standard input: one diagnostic of this kind at this position, exit
/// status 1, and answers to the good commands.
#[track_caller]
fn check(line: impl AsRef<[u8]>, kind: &str, column: usize) {
    let line = line.as_ref();
    let input = [b"let before = () -> (1)\n", line, b"\neval before\n"].concat();
    let run = timed(|| affinor(&["--json", "--keep-going"], &input));
    let objects = run.objects();
    let [_, failure, after] = objects.as_slice() else {
        panic!("expected three answers: {:?}", run.out.get(..500));
    };
    assert_eq!(after["result"], serde_json::json!([1]));
    let error = &failure["error"];
    let found = (error["kind"].as_str(), error["line"].as_u64(), error["column"].as_u64());
    assert_eq!(found, (Some(kind), Some(2), Some(column as u64)), "{error}");
    assert_eq!((run.status, run.err.as_str()), (Some(1), ""));

    let run = timed(|| affinor(&[], &input));
    assert_eq!((run.status, run.out.as_str()), (Some(1), "before = () -> (1)\n"));
    assert_eq!(run.err.matches("error[").count(), 1, "{}", run.err);
    assert!(run.err.contains(&format!("-:2:{column}")), "{}", run.err);
    assert!(run.err.len() < 5_000, "{} bytes", run.err.len());
}

#[test]
fn texts_of_maps() {
    check("show (d0) -> (d0)), domain: d0 in [0, 3]", "syntax", 18);
    check("show (d0] -> (d0)", "syntax", 9);
    check("show (d0) -> (d1), domain: d0 in [0, 3]", "name", 15);
    check("show (d0) -> (d0 floordiv 0), domain: d0 in [0, 3]", "division", 27);
    check("show (d0) -> (d0 mod 0), domain: d0 in [0, 3]", "division", 22);
    check("show (d0) -> (d0 mod d0), domain: d0 in [0, 3]", "division", 22);
    check("show (d0) -> (5 / d0), domain: d0 in [0, 3]", "division", 19);
    check(format!("show () -> (1{})", "0".repeat(30)), "overflow", 13);
    check("show (d0) -> (9223372036854775807 * 2 * d0), domain: d0 in [0, 3]", "overflow", 15);
    check("show (d0) -> (d0)", "domain", 18);
}

#[test]
fn unbalanced_brackets_reach_to_the_end_of_a_script() {
    let run = affinor(&["--json"], b"help quit\nshow (d0) -> ((d0), domain: d0 in [0, 3]\nhelp");
    let error = &run.objects()[1]["error"];
    assert_eq!((&error["kind"], &error["line"]), (&"syntax".into(), &2.into()), "{error}");
    assert_eq!(run.status, Some(1));
}

#[test]
fn rubbish() {
    check("\x07\x08$%^&", "syntax", 1);
    check("$%^&()!abc".repeat(1 << 20), "syntax", 1);
    check("abcdefghij".repeat(1 << 20), "name", 1);
    check(["show ", &"d0+".repeat(3 << 20)].concat(), "syntax", 6);
    check(["show (d0) -> (", &"d0+".repeat(3 << 20), "*)"].concat(), "too-large", 15 + (3 << 20));
    check(vec![0; 1 << 20], "syntax", 1);
}

#[test]
fn deep_nesting() {
    let deep = |open: &str, close: &str| {
        format!(
            "simplify (d0) -> ({}d0{}), domain: d0 in [0, 3]",
            open.repeat(100_000),
            close.repeat(100_000)
        )
    };
    check(deep("(", ")"), "too-large", 20_019);
    check(deep("-(", ")"), "too-large", 20_019);
    check(deep("min(1, ", ")"), "too-large", 18 + 7 * 20_000 + 4);
    check(deep("", " floordiv 2 mod 3 "), "too-large", 19);
    check(deep("(", " floordiv 2) mod 3 "), "too-large", 20_019);
}

#[test]
fn bytes_that_are_no_text() {
    check(b"show \xff\xfe", "encoding", 6);
    check(b"\xc3", "encoding", 1);
    check(b"show () -> () # \xe2\x82", "encoding", 17);
}

#[cfg(unix)]
#[test]
fn arguments_that_are_no_text() {
    use std::os::unix::ffi::OsStrExt;
    let bad = std::ffi::OsStr::from_bytes(b"() -> (\xff)");
    let mut command = program();
    command.arg("show").arg(bad).arg("--json");
    let run = finish(command, b"");
    let error = &run.objects()[0]["error"];
    assert_eq!((&error["kind"], &error["column"]), (&"encoding".into(), &8.into()), "{error}");
    assert_eq!((run.status, run.err.as_str()), (Some(1), ""));
}

/// Checks a file with this content: one diagnostic at this position, no other answer, and the session continues.
#[track_caller]
fn check_hlo(name: &str, content: &[u8], kind: &str, [line, column]: [u64; 2]) {
    check_hlo_in_part(name, content, (kind, [line, column]), None);
}

#[track_caller]
fn check_hlo_in_part(
    name: &str,
    content: &[u8],
    (kind, [line, column]): (&str, [u64; 2]),
    answered: Option<u64>,
) {
    let path = format!("{}/{name}.hlo", env!("CARGO_TARGET_TMPDIR"));
    fs::write(&path, content).expect("a file");
    let command = format!("hlo {path}");
    let run = timed(|| affinor(&["--json", "--keep-going", "-e", &command, "eval () -> (1)"], b""));
    let objects = run.objects();
    // A truncated text is analysed up to the point where it ends.
    let (answers, failure, after) = match objects.as_slice() {
        [failure, answers @ .., after] => (answers, failure, after),
        _ => panic!("expected two answers: {:?}", run.out.get(..500)),
    };
    let instructions = answers.last().map(|last| &last["summary"]["instructions"]);
    assert_eq!(instructions.and_then(Value::as_u64), answered, "{answers:?}");
    assert_eq!(after["result"], serde_json::json!([1]));
    let error = &failure["error"];
    let found = (error["kind"].as_str(), error["line"].as_u64(), error["column"].as_u64());
    assert_eq!(found, (Some(kind), Some(line), Some(column)), "{error}");
    assert_eq!(error["source"].as_str(), Some(path.as_str()));
    assert_eq!((run.status, run.err.as_str()), (Some(1), ""));
}

#[test]
fn hlo_files() {
    let module =
        "HloModule m\nENTRY e {\n  p = f32[8]{0} parameter(0)\n  ROOT n = f32[8]{0} negate(p)\n}\n";
    let cut = &module.as_bytes()[..60];
    check_hlo_in_part("truncated", cut, ("hlo", [4, 10]), Some(0));
    check_hlo("head", &module.as_bytes()[..15], "hlo", [2, 1]);
    check_hlo("control", module.replace("negate", "ne\u{1}gate").as_bytes(), "hlo", [4, 24]);
    check_hlo("bytes", &[module.as_bytes(), b"\xff"].concat(), "encoding", [6, 1]);
    check_hlo("empty", b"", "hlo", [1, 1]);
    check_hlo("rubbish", "x(".repeat(5 << 20).as_bytes(), "shape", [1, 5]);
}

#[test]
fn lines_of_json() {
    let deep = format!(
        r#"{{"id": "deep", "vars": {{"d0": [0, 3]}}, "expr": "{}d0{}"}}"#,
        "(".repeat(100_000),
        ")".repeat(100_000)
    );
    let rubbish = "[{".repeat(5 << 20);
    let good = r#"{"id": "good", "map": "() -> (5)"}"#;
    let input =
        [deep.as_bytes(), b"\n", rubbish.as_bytes(), b"\n\xff\xfe\n", good.as_bytes()].concat();
    let run = timed(|| affinor(&["simplify", "--jsonl", "-"], &input));
    let objects = run.objects();
    let kinds: Vec<_> = objects.iter().map(|object| object["error"]["kind"].as_str()).collect();
    assert_eq!(kinds, [Some("too-large"), Some("encoding"), Some("encoding"), None]);
    assert_eq!((&objects[0]["id"], &objects[3]["result"]), (&"deep".into(), &"() -> (5)".into()));
    assert_eq!((run.status, run.err.as_str()), (Some(1), ""));
}

#[cfg(unix)]
#[test]
fn files_without_an_end() {
    let run = timed(|| affinor(&["/dev/zero", "--json"], b""));
    assert_eq!(run.objects()[0]["error"]["kind"], "too-large");
    assert_eq!(run.status, Some(1));
    let run = timed(|| affinor(&["hlo", "/dev/zero", "--json"], b""));
    assert_eq!(run.objects()[0]["error"]["kind"], "too-large");
    assert_eq!(run.status, Some(1));
}

#[test]
fn a_reader_that_leaves_is_no_error() {
    use std::io::{BufRead, BufReader};
    use std::process::Stdio;
    let mut child = program()
        .args(["rules", "list"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut out = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut first = String::new();
    out.read_line(&mut first).expect("a line");
    drop(out);
    let output = child.wait_with_output().expect("the program ends");
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), b"".as_slice()));
}
