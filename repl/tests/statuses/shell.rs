//! A command in the arguments of the process has the same answer as at the prompt, even if a shell split or expanded its
//! words.

use crate::support::{affinor, program};
use std::fs::{self, File};
use std::path::Path;

const A: &str = "(d0) -> (d0), domain: d0 in [0, 3]";
const B: &str = "(d0) -> (d0 mod 4), domain: d0 in [0, 3]";

/// Checks that the command-line arguments give the same answer as the line at the prompt.
#[track_caller]
fn check_same(words: &[&str], line: &str) {
    let prompt = affinor(&["-e", line], b"");
    assert_eq!((prompt.err.as_str(), prompt.status), ("", Some(0)), "{line}");
    let run = affinor(words, b"");
    assert_eq!((run.err.as_str(), run.status), ("", Some(0)), "{words:?}");
    assert_eq!(run.out, prompt.out, "{words:?}");
}

/// Checks that the command fails with this status, and that its message has all these parts.
#[track_caller]
fn check_fails(words: &[&str], status: i32, says: &[&str]) {
    let run = affinor(words, b"");
    assert_eq!((run.status, run.out.as_str()), (Some(status), ""), "{run:?}");
    for part in says {
        assert!(run.err.contains(part), "{part} in {}", run.err);
    }
}

#[test]
fn two_maps_are_one_word_or_two() {
    let both = format!("{A} ; {B}");
    for name in ["equal", "compose", "contains", "reads", "inverse"] {
        let (one, other) = match name {
            "inverse" => (A, A),
            _ => (A, B),
        };
        let line = format!("{name} {one} ; {other}");
        check_same(&[name, one, other], &line);
        check_same(&[name, &line[name.len() + 1..]], &line);
        check_same(&[name, one, ";", other], &line);
        check_same(&[name, &format!("{one};"), other], &line);
    }
    check_same(&["equal", &format!("{A} and {B}")], &format!("equal {both}"));
    let line = format!("compose {both} --simplify");
    check_same(&["compose", &both, "--simplify"], &line);
    check_same(&["compose", "--simplify", &both], &line);
    check_same(&["compose", &format!("{both} --simplify")], &line);
    check_same(&["eval", &format!("{B} 3")], &format!("eval {B} 3"));
    check_same(&["tile", &format!("{A} ; 2")], &format!("tile {A} ; 2"));
    check_same(&["bitcast", "f32[2,3] f32[6]"], "bitcast f32[2,3] f32[6]");
}

#[test]
fn words_of_a_text_are_put_together() {
    let reshape = "op reshape f32[10,10,10] -> f32[50,20]";
    let words = ["op", "reshape", "f32[10,10,10]", "->", "f32[50,20]"];
    check_same(&words, reshape);
    check_same(&["op", "reshape f32[10,10,10]", "->", "f32[50,20]"], reshape);
    let transpose = "op transpose f32[2,3] dimensions={1,0} --check";
    let words = ["op", "transpose", "f32[2,3]", "dimensions={1,0}", "--check"];
    check_same(&words, transpose);
    check_same(&["simplify", "i", "+", "3"], "simplify i + 3");
    check_same(&["simplify", "i", "-", "3"], "simplify i - 3");
    check_same(&["prove", "x", "<=", "x", "+", "1"], "prove x <= x + 1");
}

#[test]
fn text_removed_by_a_shell_is_reported() {
    let quotes = "single quotes";
    check_fails(&["equal", A], 2, &["`equal` needs RIGHT", "`;` ends a shell's command"]);
    check_fails(&["compose"], 2, &["FIRST"]);
    let arrow = "the shell took the `>` of `->` for a redirection";
    let words = ["op", "reshape", "f32[2,3]", "-"];
    check_fails(&words, 2, &[arrow, quotes, "may have created a file"]);
    check_fails(&[&words[..], &["--check"]].concat(), 2, &[arrow]);
    check_fails(&[&words[..], &["dimensions=1"]].concat(), 2, &[arrow]);
    check_fails(&["simplify", "d0", "-"], 2, &[arrow, quotes]);
    // bash splits `dimensions={1,0}` into two words, and expands `*` to the names of files.
    let words = ["op", "transpose", "f32[2,3]", "dimensions=1", "dimensions=0"];
    check_fails(&words, 1, &["given twice", quotes, "`{}`"]);
    check_fails(&["simplify", "i", "Cargo.toml", "4"], 1, &[quotes, "`*`"]);
    // A quoted argument is the text itself.
    let run = affinor(&["equal", &format!("{A} ; (d0")], b"");
    assert!(!run.err.contains("shell"), "{}", run.err);
    let run = affinor(&["-e", "simplify (d0"], b"");
    assert!(!run.err.contains("shell"), "{}", run.err);
}

#[cfg(target_os = "linux")]
#[test]
fn the_file_that_a_shell_made_is_named() {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("redirected");
    let _ = fs::create_dir_all(&directory); // it may exist already
    for (name, words, says) in [
        ("f32[6]", &["op", "reshape", "f32[2,3]", "-"][..], "remove the file `f32[6]`"),
        ("=", &["prove", "x", "+", "1", "x"], "the answer goes to the file `=`"),
        ("x", &["prove", "2*x"], "the answer goes to the file `x`"),
    ] {
        let path = directory.join(name);
        let mut command = program();
        command.args(words).stdout(File::create(&path).expect("a file"));
        let output = command.output().expect("the program runs");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains(says), "{said}");
        assert_eq!(fs::read_to_string(&path).expect("the file"), "");
        fs::remove_file(path).expect("the file");
    }
}

#[test]
fn options_stand_in_front_of_a_text_behind_it_and_in_it() {
    let line = "prove --json x floordiv 4 <= x where x >= 0";
    let text = "x floordiv 4 <= x where x >= 0";
    check_same(&["prove", text, "--json"], line);
    check_same(&["prove", "--json", text], line);
    check_same(&["prove", &format!("{text} --json")], line);
    let line = "paste x // 4 == x // 4 --c";
    for words in [
        &["paste", "x // 4 == x // 4", "--c"][..],
        &["paste", "--c", "x // 4 == x // 4"],
        &["paste", "--c x // 4 == x // 4"],
    ] {
        check_same(words, line);
    }
    check_fails(&["prove", "x = x", "--jsn"], 2, &["no option `--jsn`", "did you mean `--json`?"]);
    check_fails(&["prove", "x = x --jsn"], 2, &["no option `--jsn`", "did you mean `--json`?"]);
    check_same(&["prove", "x / 4 <= x / 4 + 1", "--c"], "prove --c x / 4 <= x / 4 + 1");
    check_fails(&["hlo", "model.hlo", "--c"], 2, &["no option `--c`"]);
}

#[test]
fn a_text_may_begin_with_a_minus() {
    check_same(&["prove", "-x mod 4 = (-x) mod 4"], "prove -x mod 4 = (-x) mod 4");
    check_same(&["prove", "-x", "mod", "4", "=", "-x", "mod", "4"], "prove -x mod 4 = -x mod 4");
    check_same(
        &["simplify", "-x // 4, domain: x in [0, 9]", "--json"],
        "simplify --json -x // 4, domain: x in [0, 9]",
    );
    check_same(&["prove", "-1 - x <= -x", "-q"], "prove -1 - x <= -x");
    check_same(
        &["eval", "(d0) -> (d0), domain: d0 in [-9, 9]", "-3"],
        "eval (d0) -> (d0), domain: d0 in [-9, 9] -3",
    );
}
