//! Exports rules into new directories, and changes them there.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Exports rules into a new directory, and returns it.
pub fn exported(format: &str, name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&directory); // it does not exist the first time
    let run = export(format, &directory);
    assert!(run.status.success(), "{run:?}");
    directory
}

/// Runs `rules export`.
pub fn export(format: &str, directory: &Path) -> Output {
    let mut program = super::program();
    program.args(["rules", "export", "--format", format, "--out"]);
    program.arg(directory).output().expect("the program runs")
}

/// Runs a program, and returns whether it succeeds, and its output.
pub fn run(program: &str, arguments: &[&str]) -> (bool, String) {
    let output = Command::new(program).args(arguments).output();
    let output = output.unwrap_or_else(|error| panic!("{program}: {error}"));
    let text = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8_lossy(&text).into_owned())
}

/// Returns the contents of a file.
pub fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Checks that the export's check passes, and fails once `from` is replaced by `to` in a file, even if the new checksum is
/// listed.
#[track_caller]
pub fn check_notices(
    check: &dyn Fn() -> (bool, String),
    directory: &Path,
    changes: &[(&str, &str, &str)],
) {
    let (passes, said) = check();
    assert!(passes, "{said}");
    let sums = directory.join("SHA256SUMS");
    let listed = text(&sums);
    for (file, from, to) in changes {
        let path = directory.join(file);
        let before = text(&path);
        let after = before.replacen(from, to, 1);
        assert_ne!(before, after, "{file} has no {from}");
        fs::write(&path, &after).expect("written");
        let (passes, said) = check();
        assert!(!passes, "{file}, {from} for {to}: {said}");
        let hash = |text: &str| affinor::rule::verify::sha256(text.as_bytes());
        fs::write(&sums, listed.replace(&hash(&before), &hash(&after))).expect("written");
        let (passes, said) = check();
        assert!(!passes, "{file}, {from} for {to}, listed: {said}");
        fs::write(&path, before).expect("written");
        fs::write(&sums, &listed).expect("written");
    }
}

/// Changes a file, and lists its new checksum if `listed`.
#[track_caller]
pub fn change(directory: &Path, file: &str, from: &str, to: &str, listed: bool) {
    let path = directory.join(file);
    let before = text(&path);
    let after = before.replacen(from, to, 1);
    assert_ne!(before, after, "{file} has no {from}");
    fs::write(&path, &after).expect("written");
    if listed {
        let sums = directory.join("SHA256SUMS");
        let hash = |text: &str| affinor::rule::verify::sha256(text.as_bytes());
        let listed = text(&sums).replace(&hash(&before), &hash(&after));
        fs::write(&sums, listed).expect("written");
    }
}
