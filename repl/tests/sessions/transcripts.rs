//! Whole sessions: `tests/sessions/NAME.aff` is run, and everything that it writes must equal `NAME.txt`. To regenerate the
//! `.txt` files after an intended change: `REGENERATE=1 cargo test -p affinor-repl --test sessions`.

use crate::support::{self, golden};
use std::fs;
use std::path::PathBuf;

fn scripts() -> Vec<PathBuf> {
    let directory = support::repository().join("tests/sessions");
    let mut scripts: Vec<PathBuf> = fs::read_dir(&directory)
        .expect("the directory of sessions")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "aff"))
        .collect();
    scripts.sort();
    scripts
}

#[test]
fn sessions_answer_as_written() {
    let scripts = scripts();
    assert!(!scripts.is_empty());
    for path in scripts {
        let script = fs::read_to_string(&path).expect("a script");
        let found = support::transcript(&support::commands_of_script(&script), true);
        golden::check_file(&path.with_extension("txt"), &found);
    }
}

#[test]
fn a_transcript_holds_its_commands() {
    let commands =
        support::commands_of_script("let a = (d0,\n d1) -> (d0) # note\n\nshow a\nquit\nshow a");
    let transcript = support::transcript(&commands, true);
    assert_eq!(support::commands_of_transcript(&transcript), commands);
    assert!(transcript.ends_with("> quit\n> show a\n"), "{transcript}");
}
