//! Exit statuses: 0 done, 1 wrong input or a refuted check, 2 usage, 3 undecided.

use crate::support::{self, affinor, finish, program};

#[track_caller]
fn check(arguments: &[&str], input: &str, status: i32) {
    let run = affinor(arguments, input.as_bytes());
    assert_eq!(run.status, Some(status), "{run:?}");
    if status == 0 {
        assert_eq!(run.err, "");
    }
}

fn at_root(path: &str) -> String {
    support::repository().join(path).display().to_string()
}

const A: &str = "(d0) -> (d0), domain: d0 in [0, 3]";
const B: &str = "(d0) -> (d0 mod 3), domain: d0 in [0, 3]";

#[test]
fn zero_when_all_is_done() {
    check(&["--version"], "", 0);
    check(&["--help"], "", 0);
    check(&["simplify", "--help"], "", 0);
    check(&["help"], "", 0);
    check(&["simplify", A], "", 0);
    check(&["equal", A, A], "", 0);
    check(&["simplify", B, "--certificate"], "", 0);
    check(&["replay", &at_root("tests/sessions/certificate.jsonl")], "", 0);
    check(&["eval", A, "9"], "", 0); // outside the domain is an answer
    check(&[], "", 0);
    check(&[], "# nothing\n\n", 0);
    check(&["-"], "help\n", 0);
    check(&["-e", "help", "quit", "frobnicate"], "", 0); // nothing runs after `quit`
}

#[test]
fn one_when_an_input_is_wrong_or_a_check_is_refuted() {
    check(&["equal", A, B], "", 1);
    check(&["simplify", "(d0"], "", 1);
    check(&["show", "a"], "", 1);
    check(&["hlo", "no such file.hlo"], "", 1);
    let wrong = "tests/sessions/wrong_certificates.jsonl";
    check(&["replay", &at_root(wrong)], "", 1);
    check(&["replay", "-"], "{}", 1);
    check(&["replay", "-"], "\n", 1); // an empty check is not a success
    check(&["replay", "-"], "", 1);
    check(&["no-such-file.aff"], "", 1);
    check(&["hlo", "/"], "", 1);
    check(&["/"], "", 1);
    check(&[], "frobnicate\n", 1);
    check(&["-e", "let a = (d0", "help"], "", 1);
    check(&["--keep-going"], "show a\nhelp\n", 1);
    check(&["compose", A, "(d0, d1) -> (), domain: d0 in [0, 3], d1 in [0, 3]"], "", 1);
}

#[test]
fn a_rule_is_added_or_why_it_is_not() {
    let low = "low: x floordiv c => x - x where c >= 1, 0 <= x, x < c";
    check(&["rule", low], "", 0);
    check(&["rule", "half: x floordiv 2 => x"], "", 1); // false
    check(&["rule", "half: x + x => 2*x"], "", 1); // true, but cannot fire
    check(&["rule", "--law", "half: x + x => 2*x"], "", 0);
    check(&["rule", "half: x +"], "", 1);
    check(&["rules", "off", "range-sum"], "", 2);
    check(&["rules", "off", "no-such-rule"], "", 1);
    let cubes = "x*x*x + y*y*y <= z*z*z - 1 where x >= 1, y >= 1, z >= 1, x*x*x + y*y*y <= z*z*z";
    check(&["rule", "--law", &format!("cubes: {cubes}")], "", 3);
}

/// Indented lines below a `rule` belong to it, both in a script file and in a script on standard input.
#[test]
fn a_rule_goes_on_over_indented_lines() {
    let script = "rule half: (c*x + y) floordiv c\n  => x\n  where c >= 1, 0 <= y,\n    y < c # below\n\n  split multiples\n";
    let other =
        "rule low: x floordiv c => x - x\n  where c >= 1, 0 <= x < c\n  \"Low.\"\nrules list low\n";
    check(&[], other, 0);
    check(&["-"], &format!("rules list div-div\n{other}"), 0);
    // An empty line ends it: the indented text below is a command.
    check(&[], script, 1);
    check(&[], &script.replace("\n\n", "\n"), 0);
}

#[test]
fn two_for_wrong_usage() {
    check(&["frobnicate"], "", 2);
    check(&["--frobnicate"], "", 2);
    check(&["compose", A], "", 2);
    check(&["compose", A, A, A], "", 2);
    check(&["simplify"], "", 2);
    check(&["simplify", A, "--frobnicate"], "", 2);
    check(&["simplify", A, "--jsonl", "-"], "", 2);
    check(&["rules", "frobnicate"], "", 2);
    check(&["help", "frobnicate"], "", 2);
    check(&["why"], "", 2);
    check(&["script.aff", "simplify", A, "--color", "blue"], "", 2);
    check(&["rules", "off"], "", 2);
    check(&["rules", "lock", "div-div"], "", 2);
    check(&["rule", "--lax", "a: x => x"], "", 2);
    check(&[], "rule --lax a: x => x\n", 2);
    check(&[], "compose a\n", 2);
    check(&[], "help --frobnicate\n", 2);
}

#[test]
fn three_when_a_check_stays_open() {
    // The values exceed 64 bits, so no counterexample can be shown and nothing is proved.
    let domain = "domain: d0 in [4611686018427387904, 4611686018427387990]";
    let left = format!("(d0) -> (d0 * 4), {domain}");
    let right = format!("(d0) -> (d0 * 4 + d0 mod 2), {domain}");
    check(&["equal", &left, &right], "", 3);
    check(&["-e", &format!("equal {left} ; {right}"), "help"], "", 3);
    check(&["-e", &format!("equal {left} ; {right}"), &format!("equal {A} ; {B}")], "", 1);
}

#[test]
fn without_the_solver_only_proofs_stay_open() {
    let run = |arguments: &[&str]| {
        let mut command = program();
        let nowhere = at_root("tests/no-such-directory");
        command.env("Z3_LIBRARY_PATH_OVERRIDE", nowhere);
        command.args(arguments);
        finish(command, b"")
    };
    let law = "x mod c < c where c >= 1";
    let open = run(&["prove", law]);
    assert_eq!(open.status, Some(3), "{open:?}");
    let reason =
        "no libz3 5.3 or newer can be used: none was found; Z3_LIBRARY_PATH_OVERRIDE names";
    assert!(open.out.contains(reason), "{open:?}");
    let done = run(&["simplify", B, "--check", "--certificate"]);
    assert_eq!(done.status, Some(0), "{done:?}");
}

/// Returns a certificate whose check takes more work than its size allows.
fn heavy_certificate() -> String {
    let constraints: Vec<String> =
        (2..602).map(|i| format!("(d0 + d1 * {i}) floordiv {i} in [0, 9000]")).collect();
    let map =
        format!("(d0, d1) -> (d0), domain: d0 in [0, 9], d1 in [0, 9], {}", constraints.join(", "));
    let step = |k: i32| {
        let sum = (2..602).map(|i| format!("(d0 * {i} + d1 + {k}) floordiv {i}"));
        let sum: Vec<String> = sum.collect();
        let x = sum.join(" + ");
        format!(r#"{{"rule": "div-block", "bindings": {{"x": "{x}", "c": 999999, "t": 0}}}}"#)
    };
    let steps: Vec<String> = (0..3).map(step).collect();
    let steps = steps.join(", ");
    format!(
        r#"{{"before": "{map}", "after": "{map}", "domain_steps": [], "result_steps": [{steps}]}}"#
    )
}

#[test]
fn a_certificate_that_is_too_much_work_is_not_checked() {
    let certificate = heavy_certificate();
    check(&["replay", "-"], &certificate, 3);
    let run = affinor(&["replay", "-"], certificate.as_bytes());
    let expected = "not checked: stopped at the budget of steps\n";
    assert!(run.out.starts_with(expected), "{}", run.out);
    let run = affinor(&["replay", "-", "--json"], certificate.as_bytes());
    let answer = &run.objects()[0];
    assert_eq!(answer["verdict"], "unknown");
    assert_eq!(answer["reason"]["kind"], "stopped");
    check(&["replay", "-"], &format!("{certificate}\n{{}}"), 1);
}

#[test]
fn the_first_error_ends_a_script_unless_told_otherwise() {
    let script = "show a\nlet b = () -> (1)\n";
    assert_eq!(affinor(&[], script.as_bytes()).out, "");
    assert_eq!(affinor(&["--keep-going"], script.as_bytes()).out, "b = () -> (1)\n");
    assert_eq!(affinor(&["--keep-going", "--quiet"], script.as_bytes()).out, "");
}

#[test]
fn files_and_commands_share_a_session() {
    let path = concat!(env!("CARGO_TARGET_TMPDIR"), "/statuses.aff");
    std::fs::write(path, "let a = () -> (\n  7)\nshow b # missing\n").expect("a file");
    let run = affinor(&[path, "-e", "eval a"], b"");
    assert!(run.err.contains(&format!("{path}:3:6")), "{}", run.err);
    assert_eq!((run.status, run.out.as_str()), (Some(1), "a = () -> (7)\n"));
    let run = affinor(&[path, "--keep-going", "-e", "eval a"], b"");
    assert_eq!((run.status, run.out.as_str()), (Some(1), "a = () -> (7)\n(7)\n"));
}

#[test]
fn answers_and_diagnostics_go_to_their_streams() {
    let run = affinor(&["show", "a"], b"");
    assert_eq!(run.out, "");
    assert!(run.err.starts_with("error[name]: unknown map `a`"), "{}", run.err);
    let run = affinor(&["show", "a", "--json"], b"");
    assert_eq!(run.err, "");
    assert_eq!(run.objects()[0]["error"]["kind"], "name");
}

#[test]
fn colour_is_for_terminals_unless_asked_for() {
    assert!(!affinor(&["show", "a"], b"").err.contains('\x1b'));
    assert!(affinor(&["show", "a", "--color", "always"], b"").err.contains('\x1b'));
    assert!(!affinor(&["show", "a", "--color", "never"], b"").err.contains('\x1b'));
    let mut command = program();
    command.env("NO_COLOR", "1").args(["show", "a", "--color", "always"]);
    assert!(finish(command, b"").err.contains('\x1b'));
}

#[test]
fn ascii_means_ascii() {
    // An error in a text of several lines is drawn.
    let show = ["show", "(d0) -> (d0\n + d7), domain: d0 in [0, 3]"];
    assert!(!affinor(&show, b"").err.is_ascii());
    assert!(affinor(&[show[0], show[1], "--ascii"], b"").err.is_ascii());
    let why = ["why", "(d0) -> (d0 floordiv 4), domain: d0 in [0, 3]"];
    assert!(!affinor(&why, b"").out.is_ascii());
    assert!(affinor(&[why[0], why[1], "--ascii"], b"").out.is_ascii());
}

#[test]
fn maps_come_in_the_style_that_is_wanted() {
    let map = "(d0) -> (d0 floordiv 3), domain: d0 in [0, 30]";
    let shown = |style| affinor(&["show", map, "--style", style], b"").out;
    assert_eq!(shown("plain"), format!("{map}\n"));
    assert_eq!(shown("xla"), format!("{}\n", map.replace("floordiv", "/")));
    assert_eq!(
        shown("mlir"),
        "affine_map<(d0) -> (d0 floordiv 3)>, affine_set<(d0) : (d0 >= 0, d0 <= 30)>\n"
    );
    let clamp = "(d0) -> (min(d0, 3)), domain: d0 in [0, 30]";
    for command in ["show", "simplify"] {
        let refused = affinor(&[command, clamp, "--style", "mlir"], b"");
        assert_eq!((refused.status, refused.out.as_str()), (Some(1), ""), "{command}");
        assert!(refused.err.contains("does not support `min`"), "{}", refused.err);
    }
}

/// Failing to write an answer is an error; but if the reader closes the pipe, the program ends silently.
#[cfg(target_os = "linux")]
#[test]
fn an_answer_that_cannot_be_written_is_no_success() {
    for arguments in [
        &["--version"][..],
        &["--help"],
        &["simplify", "--help"],
        &["help"],
        &["help", "--json"],
        &["completions", "bash"],
        &["show", "() -> (5)"],
        &["nonsense.aff", "--json"],
    ] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full");
        let mut command = program();
        command.args(arguments).stdout(full.expect("Linux has it"));
        let output = command.output().expect("the program starts");
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {err}");
        assert!(err.starts_with("error: standard output: "), "{arguments:?}: {err}");

        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let mut command = program();
        command.args(arguments).stdout(writer);
        let output = command.output().expect("the program starts");
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(err, "", "{arguments:?}");
    }
}

#[test]
fn completions_know_the_commands() {
    for shell in ["bash", "zsh", "fish"] {
        let script = affinor(&["completions", shell], b"").out;
        for command in affinor_commands::COMMANDS.iter() {
            assert!(script.contains(command.name), "{shell}: {}", command.name);
            for alias in command.aliases() {
                assert!(!script.contains(alias), "{shell}: {alias}");
                assert!(affinor(&[alias, "--help"], b"").out.contains(command.summary), "{alias}");
            }
            for word in command.options.iter().flat_map(|option| (option.values)()) {
                assert!(script.contains(word), "{shell}: {word}");
            }
        }
    }
}
