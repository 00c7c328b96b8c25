//! Long answers on a terminal: an overview, pages of one screen, and answers redirected to a file.

use crate::support::affinor;
use crate::support::talk::{ROWS, Talk, state};
use std::fs;
use std::path::PathBuf;

/// Writes a file with a module of this many instructions that have operands.
fn module(state: &std::path::Path, count: usize) -> PathBuf {
    fs::create_dir_all(state).expect("a directory");
    let mut text = "ENTRY e {\n  r0 = f32[4] parameter(0)\n".to_owned();
    for number in 1..=count {
        let root = if number == count { "ROOT " } else { "" };
        let before = number - 1;
        text += &format!("  {root}r{number} = f32[4] reverse(r{before}), dimensions={{0}}\n");
    }
    let path = state.join("m.hlo");
    fs::write(&path, text + "}\n").expect("a file");
    path
}

#[test]
fn a_long_answer_stops_after_a_screenful() {
    let state = state("pages");
    module(&state, 40);
    let Some(mut talk) = Talk::start(&state) else {
        return;
    };
    let command = "hlo m.hlo\r";
    talk.keys(command);
    talk.expect("\ne (entry): 40 instructions, 40 exact, 0 at most, 0 unknown\r");
    talk.expect("\nsummary: 40 instructions, 40 exact");
    talk.expect("\n  r1 = f32[4]{0} reverse");
    let before = talk.written().lines().count();
    talk.expect("-- more --");
    assert!(talk.written().lines().count() <= before + usize::from(ROWS));
    assert!(!talk.written().contains("r40 ="));
    talk.keys("\r"); // one line
    talk.expect("reverse");
    talk.expect("-- more --");
    talk.keys("x "); // a key without a meaning, then a screenful
    talk.expect("-- more --");
    talk.keys("q");
    talk.expect("affinor> ");
    assert!(!talk.written().contains("r40 ="));
    talk.keys("eval _40 1\r"); // all maps were numbered, although not all were shown
    talk.expect("\n(2)");
    talk.expect("affinor> ");

    talk.keys(command);
    for _ in 0..2 {
        talk.expect("-- more --");
        talk.keys(" ");
    }
    talk.expect("r40 =");
    talk.expect("affinor> ");

    talk.keys(command);
    talk.expect("-- more --");
    talk.interrupt();
    talk.expect("affinor> ");
    talk.keys("help hlo\r"); // an equally long text that is not a module
    talk.expect("-- more --");
    talk.keys("q");
    talk.leave();
}

#[test]
fn an_answer_that_fits_is_shown_at_once() {
    let state = state("fits");
    module(&state, 3);
    let Some(mut talk) = Talk::start(&state) else {
        return;
    };
    talk.keys("hlo m.hlo\r");
    talk.expect("summary: 3 instructions");
    talk.expect("affinor> ");
    assert!(!talk.written().contains("(entry)") && !talk.written().contains("-- more --"));
    talk.keys("quit\r");
    assert!(talk.end().success());
}

#[test]
fn one_command_on_a_terminal_gives_the_overview() {
    let state = state("one_shot");
    let path = module(&state, 40).display().to_string();
    let Some(mut talk) = Talk::run(&state, &["hlo", "m.hlo", "--color", "never"]) else {
        return;
    };
    talk.expect("e (entry): 40 instructions, 40 exact, 0 at most, 0 unknown\r");
    talk.expect("summary: 40 instructions");
    talk.expect("`| less`");
    assert!(!talk.written().contains("r40 ="));
    assert!(talk.end().success());
    let mut talk = Talk::run(&state, &["hlo", "m.hlo", "--instruction", "r40", "--color", "never"])
        .expect("a terminal");
    talk.expect("r40 =");
    assert!(talk.end().success());
    // Without a terminal the answer is complete, as always.
    let run = affinor(&["hlo", &path], b"");
    assert!(run.out.contains("r40 =") && !run.out.contains("(entry)"));
}

#[test]
fn an_answer_goes_to_a_file() {
    let state = state("to_file");
    let path = module(&state, 40).display().to_string();
    let out = state.join("maps");
    let shown = affinor(&["hlo", &path], b"").out;
    let Some(mut talk) = Talk::start_with(&state, &["--color", "always"]) else {
        return;
    };
    let lines = shown.lines().count();
    talk.keys("hlo m.hlo > maps\r");
    talk.expect(&format!("wrote {lines} lines to maps"));
    assert_eq!(fs::read_to_string(&out).expect("the file"), shown);
    talk.keys("eval _40 1 >> ./maps\r");
    talk.expect("wrote 1 line to ./maps");
    assert_eq!(fs::read_to_string(&out).expect("the file"), shown + "(2)\n");
    fs::remove_file(&out).expect("the file");
    talk.keys("hlo m.hlo.not > maps\r");
    talk.expect("no such file");
    assert!(!out.exists());
    talk.keys("quit\r");
    assert!(talk.end().success());
}
