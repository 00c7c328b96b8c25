//! `link`: the command that it writes is run by sh, and gives the session's answer.

use crate::support;
use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

/// Returns `PATH` with the directory of the program in front.
fn path() -> OsString {
    let program = Path::new(env!("CARGO_BIN_EXE_affinor"));
    let own = program.parent().expect("its directory").to_owned();
    let others = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths([own].into_iter().chain(std::env::split_paths(&others))).expect("a path")
}

/// Runs a session of these lines, and returns its answers without errors.
fn session(lines: &[&str]) -> support::Run {
    let mut command = support::program();
    command.current_dir(support::repository()).args(["--keep-going", "-e"]).args(lines);
    support::finish(command, b"")
}

/// Runs a script with sh in the directory of the project.
fn shell(script: &str) -> support::Run {
    let mut command = Command::new("sh");
    command.args(["-c", script]).env("PATH", path()).current_dir(support::repository());
    support::finish(command, b"")
}

/// Checks the link of a session, and that its command gives the session's last answer.
#[track_caller]
fn check(lines: &[&str], link: &str) {
    let (before, all) = (session(&lines[..lines.len() - 1]), session(lines));
    let linked = session(&[lines, &["link"]].concat());
    let script = linked.out.strip_prefix(all.out.as_str()).expect("the same answers").trim_end();
    assert_eq!(script, link);
    let found = shell(script);
    let answer = all.out.strip_prefix(before.out.as_str()).expect("the same answers");
    assert!(found.out.ends_with(answer) && !answer.is_empty(), "{script}\n{}\n{answer}", found.out);
    assert_eq!((found.err.as_str(), found.status), ("", all.status));
}

const A: &str = "let a = (d0) -> (d0 mod 4), domain: d0 in [0, 9]";
const B: &str = "let b = (x) -> (x), domain: x in [0, 9]";

#[test]
fn a_link_answers_as_the_session_did() {
    for (lines, link) in [
        (
            &[A, B, "equal a ; b"][..],
            "affinor -e 'equal (d0) -> (d0 mod 4), domain: d0 in [0, 9] ; (x) -> (x), domain: x in [0, 9]'",
        ),
        (
            &[A, B, "equal a and b # as of today"],
            "affinor -e 'equal (d0) -> (d0 mod 4), domain: d0 in [0, 9] and (x) -> (x), domain: x in [0, 9]'",
        ),
        (&[A, "eval a 7"], "affinor -e 'eval (d0) -> (d0 mod 4), domain: d0 in [0, 9] 7'"),
        (
            &[A, "simplify a", "range _1"],
            "affinor -e 'range (d0) -> (d0 mod 4), domain: d0 in [0, 9]'",
        ),
        (
            &[A, "show a", "count _", "help maps"][..3],
            "affinor -e 'count (d0) -> (d0 mod 4), domain: d0 in [0, 9]'",
        ),
        (
            &[A, B, "let c = compose a ; b --simplify"],
            "affinor -e 'let c = compose (d0) -> (d0 mod 4), domain: d0 in [0, 9] ; (x) -> (x), domain: x in [0, 9] --simplify'",
        ),
        (&[A, "let c = a"], "affinor -e 'let c = (d0) -> (d0 mod 4), domain: d0 in [0, 9]'"),
        (
            &[A, "bind d0 = 6 in a"],
            "affinor -e 'bind d0 = 6 in (d0) -> (d0 mod 4), domain: d0 in [0, 9]'",
        ),
        (
            &[A, "show a", "bind d0 = 6"],
            "affinor -e 'bind d0 = 6 in (d0) -> (d0 mod 4), domain: d0 in [0, 9]'",
        ),
        (
            &[
                "let a = (d0) -> ((d0 * 8 + 3) floordiv 8), domain: d0 in [0, 9]",
                "simplify a",
                "why --full",
            ],
            "affinor -e 'why --full (d0) -> ((d0 * 8 + 3) floordiv 8), domain: d0 in [0, 9]'",
        ),
        (
            &["set style xla", A, "simplify a"],
            "affinor -q -e 'set style xla' 'simplify (d0) -> (d0 mod 4), domain: d0 in [0, 9]'",
        ),
        (
            &[
                "rules off div-strip",
                "simplify (d0) -> ((d0 * 8 + 3) floordiv 8), domain: d0 in [0, 9]",
            ],
            "affinor -q -e 'rules off div-strip' 'simplify (d0) -> ((d0 * 8 + 3) floordiv 8), domain: d0 in [0, 9]'",
        ),
        (
            &["rule half: (2*x) floordiv 2 => x", A, "simplify a"],
            "affinor -q -e 'rule half: (2*x) floordiv 2 => x' 'simplify (d0) -> (d0 mod 4), domain: d0 in [0, 9]'",
        ),
        (
            &["hlo tests/sessions/model.hlo --entry"],
            "# with the file tests/sessions/model.hlo\naffinor -e 'hlo tests/sessions/model.hlo --entry'",
        ),
        (
            &["let f = op transpose f32[2,3] {1,0}", "emit f --as c"],
            "affinor -e 'emit (d0, d1) -> (d1, d0), domain: d0 in [0, 2], d1 in [0, 1] --as c --name f'",
        ),
        (&["prove (x mod 64) mod 7 = x mod 7"], "affinor -e 'prove (x mod 64) mod 7 = x mod 7'"),
    ] {
        check(lines, link);
    }
}

#[test]
fn messages_of_the_session_are_skipped() {
    let run = session(&[
        A,
        "eval a 7",
        "show",
        "rules list div-strip",
        "set style xla",
        "help maps",
        "link",
    ]);
    let last = run.out.lines().last();
    assert_eq!(last, Some("affinor -e 'eval (d0) -> (d0 mod 4), domain: d0 in [0, 9] 7'"));
    let none = session(&["help maps", "link"]);
    assert!(
        none.err.contains("there is no answer that a command could give again"),
        "{}",
        none.err
    );
    // An error is an answer too.
    let failed =
        session(&[A, "compose a ; (x, y) -> (x), domain: x in [0, 1], y in [0, 1]", "link"]);
    let script = failed.out.lines().last().expect("a command");
    let again = shell(script);
    assert!(
        again.err.contains("the first map has 1 result, this one has 2 dimensions"),
        "{}",
        again.err
    );
}

#[test]
fn quotes_and_line_breaks_survive_the_shell() {
    let lines = ["show (d0,\n d1) -> (d0 +\n d1), domain: d0 in [0, 1], d1 in [0, 2] # it's here"];
    let linked = session(&[lines[0], "link"]);
    let script = &linked.out[session(&lines).out.len()..];
    assert_eq!(shell(script).out, session(&lines).out, "{script}");
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("it's a dump.hlo");
    std::fs::copy(support::repository().join("tests/sessions/model.hlo"), &file).expect("a copy");
    let line = format!("hlo \"{}\" --entry", file.display());
    let answer = session(&[&line]);
    assert_eq!(answer.status, Some(0), "{}", answer.err);
    let linked = session(&[&line, "link"]);
    let script = &linked.out[answer.out.len()..];
    assert!(
        script.starts_with("# with the file ") && script.contains("it's a dump.hlo\n"),
        "{script}"
    );
    assert_eq!(shell(script).out, answer.out);
}

/// Returns the commands in the address of a page.
fn commands_of(url: &str) -> Vec<String> {
    use base64::Engine;
    let (_, fragment) = url.split_once("#s=").expect("a fragment");
    let packed = base64::engine::general_purpose::URL_SAFE_NO_PAD.decode(fragment.trim_end());
    let mut text = String::new();
    let mut decoder =
        flate2::bufread::DeflateDecoder::new(std::io::Cursor::new(packed.expect("base64url")));
    std::io::Read::read_to_string(&mut decoder, &mut text).expect("deflated text");
    text.split('\u{1e}').map(str::to_owned).collect()
}

#[test]
fn a_link_to_a_page_brings_the_commands() {
    for (lines, commands) in [
        (&[A, "eval a 7"][..], &["eval (d0) -> (d0 mod 4), domain: d0 in [0, 9] 7"][..]),
        (
            &["rules off div-strip", "simplify (x,\n y) -> (x), domain: x in [0, 9], y in [0, 1]"],
            &["rules off div-strip", "simplify (x,\n y) -> (x), domain: x in [0, 9], y in [0, 1]"],
        ),
    ] {
        let linked = session(&[lines, &["link --page https://example.org/a/?b=1"]].concat());
        let url = linked.out.strip_prefix(session(lines).out.as_str()).expect("the same answers");
        assert!(url.starts_with("https://example.org/a/?b=1#s="), "{url}");
        assert_eq!(commands_of(url), commands);
    }
    for page in
        ["example.org", "javascript:1//http://", "\"https://example.org/#s=x\"", "\"https://a b\""]
    {
        let run = session(&[A, "eval a 7", &format!("link --page {page}")]);
        assert!(run.err.contains("begins with http:// or https://"), "{page}: {}", run.err);
    }
    let file = session(&["hlo tests/sessions/model.hlo --entry", "link --page http://localhost/"]);
    assert!(file.out.contains("to drop on the page: tests/sessions/model.hlo\n"), "{}", file.out);
}

#[test]
fn a_link_is_written_as_a_script() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("link.sh");
    let _ = std::fs::remove_file(&file);
    let line = format!("link {}", file.display());
    for _ in 0..2 {
        let run = session(&[A, "eval a 7", &line]);
        assert_eq!((run.status, run.err.as_str()), (Some(0), ""));
        let text = std::fs::read_to_string(&file).expect("the script");
        assert_eq!(
            text,
            "#!/bin/sh\naffinor -e 'eval (d0) -> (d0 mod 4), domain: d0 in [0, 9] 7'\n"
        );
        assert_eq!(shell(&text).out, "(3)\n");
    }
    std::fs::write(&file, "mine").expect("written");
    assert!(session(&[A, "eval a 7", &line]).err.contains("already exists"));
    assert_eq!(std::fs::read_to_string(&file).expect("the file"), "mine");
}
