//! Exports that a script reads back, by a parser and an evaluation of its own.

use crate::support::exported::{check_notices, exported, run, text};
use affinor::prove::{TextAnswer, decide_text};
use std::fs;
use std::path::Path;

/// What the check of an export says; every change must be noticed, also by who lists the new sums.
#[track_caller]
fn check(format: &str, says: &str, changes: &[(&str, &str, &str)]) {
    let directory = exported(format, &format!("export-text-{format}"));
    let script = directory.join("recheck.py");
    let recheck = || run("python3", &[&script.to_string_lossy()]);
    check_notices(&recheck, &directory, changes);
    assert_eq!(recheck().1.trim_end(), says);
    let again = exported(format, &format!("export-text-{format}-again"));
    for line in text(&directory.join("SHA256SUMS")).lines() {
        let (_, name) = line.split_once("  ").expect("a sum and a name");
        assert_eq!(
            text(&directory.join(name)),
            text(&again.join(name)),
            "{name}"
        );
    }
}

#[test]
fn lines_for_halide_are_the_rules() {
    check(
        "halide",
        "50 rules and 128 facts agree with the manifest at 12623 points, 3 are listed as missing, 50 false ones failed",
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
        "181 rules (108 with a condition) agree with the manifest at 12733 points, 0 are listed as missing, 50 false ones failed",
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

#[test]
fn theorems_for_lean_are_the_rules() {
    check(
        "lean",
        "170 theorems agree with the manifest at 12204 points, 11 rules are listed as missing, 50 false ones failed",
        &[
            ("Affinor/Rules.lean", "/ c = x + t", "/ c = x - t"),
            ("Affinor/Rules.lean", "y < c * t + c", "y ≤ c * t + c"),
            ("Affinor/Rules.lean", "-- rule-sha256 ", "-- rule-sha256 0"),
            ("Affinor/Rules.lean", "  by_products", "  sorry"),
            (
                "Affinor/Lemmas.lean",
                "theorem min_cases",
                "axiom min_cases",
            ),
            ("MustFail.lean", "(x % a) % b", "(x % b) % b"),
        ],
    );
}

/// What the proofs for Lean leave to `omega`, decided by Z3.
#[test]
fn what_proofs_for_lean_say_of_products_is_enough() {
    let directory = exported("lean", "export-text-lean-scripts");
    let answers = scripts(&directory);
    assert_eq!(answers.len(), 170);
    for (name, answer) in answers {
        assert!(
            matches!(answer, TextAnswer::Unsatisfiable),
            "{name}: {answer:?}"
        );
    }
    let rules = directory.join("Affinor/Rules.lean");
    let without: String = text(&rules)
        .lines()
        .filter(|line| !line.starts_with("  have prod"))
        .map(|line| format!("{line}\n"))
        .collect();
    fs::write(&rules, without).expect("written");
    let answers = scripts(&directory);
    let enough = answers
        .iter()
        .filter(|(_, answer)| matches!(answer, TextAnswer::Unsatisfiable));
    let enough = enough.count();
    assert!(enough < 80, "{enough} proofs need no products");
}

/// Each theorem's last step, and whether it holds.
fn scripts(directory: &Path) -> Vec<(String, TextAnswer)> {
    let script = directory.join("recheck.py");
    let (succeeds, said) = run("python3", &[&script.to_string_lossy(), "--scripts"]);
    assert!(succeeds, "{said}");
    let decided = |line: &str| {
        let problem: serde_json::Value = serde_json::from_str(line).expect(line);
        let text = problem["smtlib"].as_str().expect("a script");
        let answer = decide_text(text, &[], 20_000_000, None);
        (problem["name"].to_string(), answer)
    };
    said.lines().map(decided).collect()
}
