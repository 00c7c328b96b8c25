//! The tasks of `tests/sessions/tasks_*.aff` that write files: each is one line of a shell script.

use crate::support;
use std::fs;
use std::path::PathBuf;

/// Returns a new directory, and its path as an argument.
fn directory(name: &str) -> (PathBuf, String) {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("tasks-{name}"));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("a directory");
    let text = path.to_str().expect("UTF-8").to_owned();
    (path, text)
}

#[track_caller]
fn done(arguments: &[&str]) -> String {
    let run = support::affinor(arguments, b"");
    assert_eq!((run.status, run.err.as_str()), (Some(0), ""), "{arguments:?}");
    run.out
}

/// 37: the rules as scripts for any SMT-LIB solver.
#[test]
fn rules_are_written_for_a_solver() {
    let (path, _) = directory("rules");
    let out = path.join("smt");
    let said =
        done(&["rules", "export", "--format", "smtlib", "--out", out.to_str().expect("UTF-8")]);
    assert!(said.contains("README.md explains how to check them"), "{said}");
    assert!(out.join("README.md").exists());
    let scripts = fs::read_dir(&out).expect("a directory").count();
    assert!(scripts > 1, "{scripts}");
}

/// 55: a picture that a notebook can display.
#[test]
fn a_layout_is_drawn_into_a_file() {
    let (path, _) = directory("picture");
    let file = path.join("layout.svg");
    done(&["layout", "f32[3,5]{1,0:T(2,2)}", "--svg", file.to_str().expect("UTF-8")]);
    let svg = fs::read_to_string(file).expect("a picture");
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"), "{svg}");
}

/// 60: many modules at once.
#[test]
fn a_directory_of_modules_is_answered_into_a_file() {
    let (path, directory) = directory("corpus");
    let module = "ENTRY e {\n p = f32[4,8] parameter(0)\n ROOT t = f32[8,4] transpose(p), dimensions={1,0}\n}\n";
    for number in 0..3 {
        let text = format!("HloModule m{number}\n\n{module}");
        fs::write(path.join(format!("m{number}.hlo")), text).expect("a module");
    }
    let file = path.join("answers.jsonl");
    let out = file.to_str().expect("UTF-8");
    done(&["hlo", "--corpus", &directory, "--out", out]);
    let lines = fs::read_to_string(&file).expect("answers");
    let mut modules = 0;
    for line in lines.lines() {
        let object: serde_json::Value = serde_json::from_str(line).expect(line);
        modules += usize::from(object["exact"] == 1);
    }
    assert_eq!(modules, 3, "{lines}");
}
