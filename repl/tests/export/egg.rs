//! The crate for egg, used by someone who has the exported directory and not this program.

use crate::support;
use crate::support::exported::{change, exported, text};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Runs the check of the export, with the package versions that this program was built with.
fn recheck(directory: &Path) -> (bool, String) {
    let lock = support::repository().join("Cargo.lock");
    for crate_directory in [directory.to_owned(), directory.join("example")] {
        fs::copy(&lock, crate_directory.join("Cargo.lock")).expect("a copy");
    }
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("export-egg-target");
    let output = Command::new("sh")
        .arg(directory.join("recheck.sh"))
        .arg("--offline")
        .env("CARGO_TARGET_DIR", target)
        .output()
        .expect("sh runs");
    let said = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8_lossy(&said).into_owned())
}

/// There is a single test, so that the crate's dependencies are built once.
#[test]
fn the_crate_is_checked_by_its_own_tests_and_notices_changes() {
    let directory = exported("egg", "export-egg");
    let (passes, said) = recheck(&directory);
    assert!(passes, "{said}");
    for line in [
        "(floordiv (mod (+ (+ (* 100 d0) (* 10 d1)) d2) 100) 10)  =>  d1",
        "(+ (* -1 (floordiv (+ (+ (* -11 d0) (* -1 d1)) 109) 11)) 9)  =>  d0",
    ] {
        assert!(said.contains(line), "{line} in {said}");
    }
    // Change a byte alone: the checksums detect it.
    for (file, from, to) in [
        ("src/rules/floordiv.rs", ".floordiv(", ".modulo("),
        ("src/rules/ops.rs", "sha256: \"", "sha256: \"0"),
        ("src/num/interval.rs", "lo", "l0"),
    ] {
        change(&directory, file, from, to, false);
        let (passes, said) = recheck(&directory);
        assert!(!passes && said.contains("SHA256SUMS"), "{file}: {said}");
        change(&directory, file, to, from, false);
    }
    // Change the checksums too: the tests detect each of these, all in one build.
    for (file, from, to) in [
        // A condition that admits false cases.
        ("src/rules/floordiv.rs", "y.below(c.times(t).plus(c))", "y.at_most(c.times(t).plus(c))"),
        // A right-hand side.
        ("src/rules/floordiv.rs", "x.plus(y.floordiv(c))", "x.plus(y.floordiv(x))"),
        // A text with another meaning; a hash.
        (
            "src/rules/floordiv.rs",
            "(x floordiv a + y) floordiv b => (x + a*y)",
            "(x floordiv a + y) floordiv b => (x + b*y)",
        ),
        ("src/rules/ops.rs", "sha256: \"", "sha256: \"0"),
        // A rule that must fail, but holds.
        (
            "must_fail/rules.rs",
            "Rewrite(x.modulo(a).modulo(b), x.modulo(b))",
            "Rewrite(x.modulo(a).modulo(b), x.modulo(a).modulo(b))",
        ),
    ] {
        change(&directory, file, from, to, true);
    }
    let (passes, said) = recheck(&directory);
    assert!(!passes, "{said}");
    for name in ["div-strip", "div-extract", "div-div", "reverse-in-bounds", "mod-of-mod"] {
        assert!(said.contains(&format!("\"{name}\"")), "{name} in {said}");
    }
}

#[test]
fn the_crate_is_the_same_every_time_and_leaves_no_rule_out() {
    let (first, second) = (exported("egg", "export-egg-1"), exported("egg", "export-egg-2"));
    assert_eq!(text(&first.join("SHA256SUMS")), text(&second.join("SHA256SUMS")));
    let rules = affinor::rule::RuleSet::shipped().expect("the shipped rules");
    let lock = affinor::rule::verify::Lock::shipped().expect("the shipped lock");
    let not_fired = text(&first.join("not_fired.md"));
    for rule in rules.rules() {
        let module = rule.file.replace(".rules", ".rs");
        let file = text(&first.join("src/rules").join(module));
        let start = file.find(&format!("name: {:?}.into(),", rule.name)).expect("the rule");
        let entry = &file[start..];
        let entry = &entry[..entry.find("\n        },\n").expect("the end of the rule")];
        assert!(entry.contains(&lock.entries[&rule.name].rule), "the hash of {}", rule.name);
        let listed = not_fired.contains(&format!("| `{}` |", rule.name));
        assert_eq!(listed, entry.contains("instance: None"), "{}", rule.name);
    }
    // The export is written for the release of egg that this program uses.
    let used = text(&support::repository().join("Cargo.lock"));
    let version =
        used.split("name = \"egg\"\nversion = \"").nth(1).and_then(|rest| rest.split('"').next());
    let manifest = text(&first.join("Cargo.toml"));
    assert!(manifest.contains(&format!("version = \"={}\"", version.expect("egg"))), "{manifest}");
}
