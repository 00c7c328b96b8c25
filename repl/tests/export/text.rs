//! Exports that a script reads back, with its own parser and evaluator.

use crate::support::exported::{check_notices, exported, run, text};
use std::fs;

/// Checks the output of the export's check, and that it detects every change, even if the new checksums are listed.
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
        assert_eq!(text(&directory.join(name)), text(&again.join(name)), "{name}");
    }
}

#[test]
fn lines_for_halide_are_the_rules() {
    check(
        "halide",
        "54 rules and 137 facts agree with the manifest at 13548 points, 3 are listed as missing, 50 false ones failed",
        &[
            ("rules.halide", "(x*c0 + y)/c0, y/c0 + x", "(x*c0 + y)/c0, y/c0 - x"),
            ("rules.halide", "y < c0*c1 + c0", "y <= c0*c1 + c0"),
            ("rules.halide", "// rule-sha256 ", "// rule-sha256 0"),
            ("rules.halide", "// scripts-sha256 ", "// scripts-sha256 0"),
            ("rules.json", "\"y < c*t + c\"", "\"y <= c*t + c\""),
            ("rules.json", "\"scripts_sha256\": \"", "\"scripts_sha256\": \"0"),
            ("must_fail.halide", "(x%c0)%c1, x%c1", "(x%c1)%c1, x%c1"),
            ("not_exported.json", "constraint-crt", "constraint-cut"),
        ],
    );
}

#[test]
fn rules_in_rare_are_the_rules() {
    check(
        "rare",
        "194 rules (117 with a condition) agree with the manifest at 13658 points, 0 are listed as missing, 50 false ones failed",
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

const PROVED: &str = "194 theorems agree with the manifest at 13658 points and each step of their proofs follows, 0 rules are listed as missing, 50 false ones failed";

#[test]
fn theorems_for_lean_are_the_rules() {
    check(
        "lean",
        PROVED,
        &[
            ("Affinor/Rules.lean", "/ c = x + t", "/ c = x - t"),
            ("Affinor/Rules.lean", "y < c * t + c", "y ≤ c * t + c"),
            ("Affinor/Rules.lean", "-- rule-sha256 ", "-- rule-sha256 0"),
            ("Affinor/Rules.lean", "  linear\n", "  sorry\n"),
            // Proofs with a step missing, or with a step that does not follow.
            ("Affinor/Rules.lean", "  have known1 := quotient x c (by linear)\n", ""),
            ("Affinor/Rules.lean", "never c (t - 1 - x / c)", "never c (t + 1 - x / c)"),
            ("Affinor/Rules.lean", "zero h v (by", "zero h h (by"),
            ("Affinor/Rules.lean", "  · intro side\n", "  · skip\n"),
            (
                "Affinor/Rules.lean",
                "\nend Affinor",
                "\nlemma more : 0 = 0 := by\n  linear\n\nend Affinor",
            ),
            // Lemmas that are weaker, or not proved.
            ("Affinor/Lemmas.lean", "(h : 1 ≤ d)", "(h : 2 ≤ d)"),
            ("Affinor/Lemmas.lean", ": y < 0", ": y ≤ 0"),
            ("Affinor/Lemmas.lean", "theorem nonneg", "axiom nonneg"),
            ("Affinor/Lemmas.lean", "<;> omega", "<;> sorry"),
            ("MustFail.lean", "(x % a) % b", "(x % b) % b"),
        ],
    );
}

#[test]
fn theorems_for_rocq_are_the_rules() {
    check(
        "rocq",
        PROVED,
        &[
            ("Rules.v", "/ c = x + t", "/ c = x - t"),
            ("Rules.v", "y < c * t + c", "y <= c * t + c"),
            ("Rules.v", "<-> (1 = 0)", "<-> (1 <= 0)"),
            ("Rules.v", "forall c t x : Z", "forall t c x : Z"),
            ("Rules.v", "rule-sha256 ", "rule-sha256 0"),
            ("Rules.v", "Qed.", "Admitted."),
            ("Rules.v", "  linear.\n", "  admit.\n"),
            // Proofs with a step missing, or with a step that does not follow.
            ("Rules.v", "  quotient x c.\n", ""),
            ("Rules.v", "never c (t - 1 - x / c)", "never c (t + 1 - x / c)"),
            ("Rules.v", "zero h v.", "zero h h."),
            ("Rules.v", "  both_sides.\n", "  both_ways.\n"),
            ("Rules.v", "Theorem div_block", "Axiom more : False.\nTheorem div_block"),
            // Lemmas that are weaker, or not proved.
            ("Lemmas.v", "1 <= d -> d", "2 <= d -> d"),
            ("Lemmas.v", "Lemma product_zero", "Axiom product_zero"),
            ("Lemmas.v", "Qed.", "Admitted."),
            // The theorems that Rocq is asked about, and those that it must refute.
            ("Assumptions.v", "  div_strip,\n", ""),
            ("MustFail.v", "(x mod a) mod b", "(x mod b) mod b"),
            ("MustFail.v", "specialize (rule (1)", "specialize (rule (2)"),
        ],
    );
}

#[test]
fn every_rule_has_a_proof() {
    for format in ["lean", "rocq"] {
        let directory = exported(format, &format!("export-text-{format}-proofs"));
        let missing = text(&directory.join("not_exported.json"));
        assert!(!missing.contains("\"name\""), "{missing}");
    }
}

/// All proofs that use quotients and products fail without these steps. The steps for Lean are the same.
#[test]
fn steps_of_proofs_are_needed() {
    let directory = exported("rocq", "export-text-rocq-steps");
    let rules = directory.join("Rules.v");
    let before = text(&rules);
    let is_step = |line: &str| {
        let word = line.split_whitespace().next();
        ["quotient", "nonneg", "zero", "never"].contains(&word.unwrap_or_default())
    };
    let theorems = before.split("\n\n");
    let with_steps = theorems.filter(|theorem| theorem.lines().any(is_step)).count();
    let lines = before.split_inclusive('\n');
    let after: String = lines.filter(|line| !is_step(line)).collect();
    fs::write(&rules, after).expect("written");
    let script = directory.join("recheck.py");
    let (passes, said) = run("python3", &[&script.to_string_lossy()]);
    assert!(!passes && with_steps > 100, "{said}");
    assert_eq!(said.matches(": its steps do not show").count(), with_steps);
}
