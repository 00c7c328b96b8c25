//! Runs the built program, and transcripts of it.
#![allow(dead_code, reason = "each test crate uses its part")]

pub mod exported;
#[path = "../../../tests/support/golden.rs"]
pub mod golden;
pub mod screen;
#[cfg(unix)]
pub mod talk;

use affinor_commands::{Line, Lines, Splitter};
use serde_json::{Value, json};
use std::io::{Cursor, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The outcome of a run of the program.
#[derive(Debug)]
pub struct Run {
    /// The exit status; `None` after a signal.
    pub status: Option<i32>,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

impl Run {
    /// Returns the lines of standard output, each of which must be a JSON object with `"schema": 1`.
    #[track_caller]
    pub fn objects(&self) -> Vec<Value> {
        let object = |line: &str| {
            let value: Value = serde_json::from_str(line).expect(line);
            assert_eq!(value["schema"], 1, "{line}");
            value
        };
        self.out.lines().map(object).collect()
    }
}

/// Returns the directory of the whole project.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Returns a command for the program, without the user's own settings.
pub fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_affinor"));
    command.env_remove("NO_COLOR").env("TERM", "xterm");
    command
}

/// Runs the program with `input` on standard input.
pub fn affinor(arguments: &[&str], input: &[u8]) -> Run {
    let mut command = program();
    command.args(arguments);
    finish(command, input)
}

/// Checks that running `arguments` with `--json` prints exactly these objects. Times differ from run to run, so `ns` and
/// `check_ns` are compared as 0, after a check that they are numbers.
#[track_caller]
pub fn check_json(arguments: &[&str], input: &str, status: i32, expected: &[Value]) {
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

/// Runs a prepared command with `input` on standard input.
pub fn finish(mut command: Command, input: &[u8]) -> Run {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut pipe = child.stdin.take().expect("a pipe");
    let input = input.to_vec();
    let writer = std::thread::spawn(move || {
        let _ = pipe.write_all(&input); // the program may end before it has read all input
    });
    let Output { status, stdout, stderr } = child.wait_with_output().expect("the program ends");
    writer.join().expect("the writer ends");
    Run {
        status: status.code(),
        out: String::from_utf8(stdout).expect("UTF-8 on standard output"),
        err: String::from_utf8(stderr).expect("UTF-8 on standard error"),
    }
}

/// Returns the transcript of a session of `commands`: each command after `> `, its further lines after `. `, then everything
/// that it writes to standard output and standard error.
pub fn transcript(commands: &[String], ascii: bool) -> String {
    let mut text = String::new();
    let mut answers = answers(commands, ascii).into_iter();
    for command in commands {
        let answer = answers.next().unwrap_or_default();
        let command = command.replace('\n', "\n. ");
        text.push_str(&format!("> {command}\n{answer}"));
    }
    text
}

/// Returns the commands of a transcript.
pub fn commands_of_transcript(transcript: &str) -> Vec<String> {
    let mut commands: Vec<String> = Vec::new();
    for line in transcript.lines() {
        if let Some(command) = line.strip_prefix("> ") {
            commands.push(command.to_owned());
        } else if let (Some(more), Some(command)) = (line.strip_prefix(". "), commands.last_mut()) {
            command.push('\n');
            command.push_str(more);
        }
    }
    commands
}

/// Returns the commands of a script, without comments alone.
pub fn commands_of_script(script: &str) -> Vec<String> {
    let mut splitter = Splitter::new();
    let mut commands = Vec::new();
    let mut lines = Lines::new(Box::new(Cursor::new(script.to_owned())));
    while let Some(Line::Text(line)) = lines.next_of_script().expect("a text in memory") {
        commands.extend(splitter.push(&line).expect("a script of moderate size"));
    }
    commands.extend(splitter.finish());
    // The headings of scripts are comments.
    let is_heading = |text: &str| text.starts_with("# ") && !text.contains('\n');
    let texts = commands.into_iter().map(|script| script.text);
    texts.filter(|text| !is_heading(text)).collect()
}

/// Returns the answer to each command of one session. `help quit`, which changes nothing and whose answer is known, is
/// inserted between the commands as a separator of the answers.
fn answers(commands: &[String], ascii: bool) -> Vec<String> {
    const MARK: &str = "help quit";
    let mark = affinor(&["-e", MARK], b"").out;
    let (mut reader, writer) = std::io::pipe().expect("a pipe");
    let mut command = program();
    command
        .current_dir(repository()) // a transcript may name files of the repository
        .args(ascii.then_some("--ascii"))
        .args(["--keep-going", "-e"])
        .args(commands.iter().flat_map(|command| [command, MARK]))
        .stdin(Stdio::null())
        .stdout(writer.try_clone().expect("a pipe"))
        .stderr(writer);
    let mut child = command.spawn().expect("the program starts");
    drop(command); // closes this process's end of the pipe
    let mut all = String::new();
    reader.read_to_string(&mut all).expect("UTF-8");
    child.wait().expect("the program ends");
    all.split(&mark).map(str::to_owned).collect()
}
