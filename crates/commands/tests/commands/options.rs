//! Options may precede or follow texts; an unknown option of a command is an error.

use crate::support::memory::Memory;
use affinor::text::ErrorKind;
use affinor_commands::{COMMANDS, Failure, Kind, OF_ANY, OF_PROGRAM, Session};

const A: &str = "let a = (d0) -> (d0 floordiv 4), domain: d0 in [0, 9]";

/// Runs a line after [`A`], and returns each answer as text, or as JSON if it has no text.
fn run(line: &str) -> Result<Vec<String>, Failure> {
    let mut session = Session::new();
    let mut host = Memory::default();
    for line in [A, line] {
        host.outputs.clear();
        session.run(line, &mut host)?;
    }
    let written = host.outputs.iter().map(|output| match &output.json {
        Some(json) if output.text.is_empty() => serde_json::Value::Object(json.clone()).to_string(),
        _ => output.text.clone().without_numbers().to_string(),
    });
    Ok(written.collect())
}

/// Checks that all lines have the same answers.
#[track_caller]
fn check_same(lines: &[&str]) {
    let answers: Vec<_> = lines.iter().map(|line| run(line)).collect();
    for (line, answer) in lines.iter().zip(&answers) {
        assert!(answer.is_ok(), "{line}: {answer:?}");
        assert_eq!(answer, &answers[0], "{line}");
    }
}

/// Checks that an answer contains `part`.
#[track_caller]
fn check(line: &str, part: &str) {
    let answers = run(line).unwrap_or_else(|failure| panic!("{line}: {failure}"));
    assert!(answers.join("\n").contains(part), "{line}: {answers:?}");
}

/// Checks that the line is a usage error at `marked`, with a hint that contains `hint`.
#[track_caller]
fn check_fails(line: &str, marked: &str, hint: &str) {
    let failure = run(line).expect_err(line);
    let span = failure.error.span.clone().unwrap_or(0..0);
    assert_eq!((failure.error.kind, line.get(span)), (ErrorKind::Usage, Some(marked)), "{failure}");
    let found = failure.error.hint.unwrap_or_default();
    assert!(found.contains(hint), "{line}: {found}");
}

#[test]
fn an_option_stands_in_front_or_behind() {
    check_same(&["simplify --json a", "simplify a --json"]);
    check_same(&[
        "prove --json x floordiv 4 <= x where x >= 0",
        "prove x floordiv 4 <= x where x >= 0 --json",
        "prove x floordiv 4 <= x --json where x >= 0",
    ]);
    check_same(&[
        "rule --law r: x mod c < c where c >= 1",
        "rule r: x mod c < c where c >= 1 --law",
    ]);
    check_same(&["x / 4 == x // 4 --c", "--c x / 4 == x // 4", "paste x / 4 == x // 4 --c"]);
    check_same(&["a --json", "show a --json", "show --json a"]);
    check_same(&["let b = simplify a --json", "let --json b = simplify a"]);
    check_same(&["let b = x / 4 --c", "let --c b = x / 4", "b = x / 4 --c"]);
    check_same(&["range a --json", "range --json a"]);
    check("time range a --json", "\"ranges\"");
    check("a --style xla", "(d0) -> (d0 / 4), domain");
    check("a --style=mlir", "affine_map<(d0) -> (d0 floordiv 4)>");
    check("a --trees", "\"trees\":{\"/result\":");
    check("x // 4 - -y", "x floordiv 4");
    check("(x --y)", "x"); // inside of brackets it is not an option
}

#[test]
fn c_rounds_toward_zero() {
    check("x / 4 == x // 4 --c", "refuted: at x = -1");
    check("x / 4 == x // 4", "proved");
    check("equal x / 4, domain: x in [0, 9] ; a --c", "proved");
    check("equal x / 4, domain: x in [-9, 9] ; x // 4, domain: x in [-9, 9] --c", "refuted");
    check("eval --c x / 4, domain: x in [-9, 9] ; -1", "0");
    check("bind x = -1 in x / 4, domain: x in [-9, 9] --c", "() -> (0)");
    let hint = "type code";
    for line in
        ["simplify --c a", "equal a ; a --c", "range (d0) -> (d0 // 4), domain: d0 in [0, 9] --c"]
    {
        let failure = run(line).expect_err(line);
        assert_eq!(failure.error.kind, ErrorKind::Usage, "{line}");
        assert!(failure.error.hint.is_some_and(|found| found.contains(hint)), "{line}");
    }
    check("prove x / 4 = x floordiv 4 --c", "refuted: at x = -1");
}

#[test]
fn what_is_no_option_is_an_error_with_the_nearest() {
    check_fails("x // 4 --explain", "--explain", "it has `--c`, `--bits`");
    check_fails("prove x = x --jsn", "--jsn", "did you mean `--json`?");
    check_fails("rule r: x mod c < c where c >= 1 --lw", "--lw", "did you mean `--law`?");
    check_fails("prove x --y = 3", "--y", "`- -x` for a double negation");
    check_fails("let b = a --simplfy", "--simplfy", "it has");
    check_fails("a --color always", "--color", "`affinor --color ..` in a shell");
    check_fails("a --help", "--help", "`help show`");
    check_fails("a --style klingon", "klingon", "plain, xla, mlir");
    check_fails("a --style", "--style", "");
}

#[test]
fn the_settings_of_the_session_stay() {
    let mut session = Session::new();
    let mut host = Memory::default();
    for line in [A, "a --style xla", "a --ascii", "set"] {
        host.outputs.clear();
        session.run(line, &mut host).expect(line);
    }
    let settings = host.outputs[0].text.to_string();
    assert!(settings.starts_with("style plain\nascii off"), "{settings}");
}

#[test]
fn commands_that_take_maps_take_code() {
    for command in COMMANDS.iter() {
        let takes_map = command.parameters.iter().any(|parameter| parameter.kind == Kind::Map);
        let has_c = command.options.iter().any(|option| option.name == "c");
        assert!(has_c || !takes_map, "{}", command.name);
        let program = command.options.iter().find(|option| OF_PROGRAM.contains(&option.name));
        assert!(program.is_none(), "{}", command.name);
    }
    assert!(OF_ANY.iter().all(|any| !OF_PROGRAM.contains(&any.name)));
}
