//! Exports that a script reads back, by a parser and an evaluation of its own.

mod support;

use std::fs;
use support::exported::{check_notices, exported, run, text};

/// What the check of an export says; every change must be noticed, also by who lists the new sums.
#[track_caller]
fn check(format: &str, says: &str, changes: &[(&str, &str, &str)]) {
    let directory = exported(format, &format!("export-text-{format}"));
    let script = directory.join("recheck.py");
    let recheck = || run("python3", &[&script.to_string_lossy()]);
    check_notices(&recheck, &directory, changes);
    assert_eq!(recheck().1.trim_end(), says);
    let again = exported(format, &format!("export-text-{format}-again"));
    let mut files = 0;
    for entry in fs::read_dir(&directory).expect("a directory") {
        let path = entry.expect("a file").path();
        if path.is_file() {
            let name = path.file_name().expect("a name");
            assert_eq!(text(&path), text(&again.join(name)), "{}", path.display());
            files += 1;
        }
    }
    let listed = text(&directory.join("SHA256SUMS"));
    assert_eq!(files, listed.lines().count() + 1);
}

#[test]
fn lines_for_halide_are_the_rules() {
    check(
        "halide",
        "49 rules and 121 facts agree with the manifest at 12023 points, 3 are listed as missing, 50 false ones failed",
        &[
            (
                "rules.halide",
                "(x*c0 + y)/c0, y/c0 + x",
                "(x*c0 + y)/c0, y/c0 - x",
            ),
            ("rules.halide", "y < c0*c1 + c0", "y <= c0*c1 + c0"),
            ("rules.halide", "// rule-sha256 ", "// rule-sha256 0"),
            ("rules.halide", "// scripts-sha256 ", "// scripts-sha256 0"),
            ("rules.json", "\"y < c*t + c\"", "\"y <= c*t + c\""),
            (
                "rules.json",
                "\"scripts_sha256\": \"",
                "\"scripts_sha256\": \"0",
            ),
            ("must_fail.halide", "(x%c0)%c1, x%c1", "(x%c1)%c1, x%c1"),
            ("not_exported.json", "constraint-crt", "constraint-cut"),
        ],
    );
}

#[test]
fn rules_in_rare_are_the_rules() {
    check(
        "rare",
        "173 rules (107 with a condition) agree with the manifest at 12133 points, 0 are listed as missing, 50 false ones failed",
        &[
            (
                "rules.rare",
                "(div (+ (* c x) y) c)\n  (+ x (div y c))",
                "(div (+ (* c x) y) c)\n  (- x (div y c))",
            ),
            ("rules.rare", "(>= c 1)", "(>= c 0)"),
            ("rules.rare", "(c Int)", "(c Bool)"),
            ("rules.rare", "; rule-sha256 ", "; rule-sha256 0"),
            ("rules.json", "\"y < c*t + c\"", "\"y <= c*t + c\""),
            ("must_fail.rare", "(mod (mod x a) b)", "(mod (mod x b) b)"),
        ],
    );
}
