//! Exported rules, used by someone who has the exported directory and not this program.

use crate::support::exported::{check_notices, export, exported, run, text};
use affinor::prove::{TextAnswer, decide_text};
use std::fs;
use std::path::PathBuf;

#[test]
fn the_manifest_is_checked_by_evaluation() {
    let directory = exported("json", "export-json");
    let script = directory.join("recheck.py");
    let check = || run("python3", &[&script.to_string_lossy()]);
    check_notices(
        &check,
        &directory,
        &[
            ("rules.json", "(c*x + y) floordiv c => x + t", "(c*x + y) floordiv c => x - t"),
            ("rules.json", "\"y < c*t + c\"", "\"y <= c*t + c\""),
            ("rules.json", "\"rule_sha256\": \"", "\"rule_sha256\": \"0"),
            ("must_fail.json", "(x mod a) mod b => x mod b", "(x mod a) mod b => (x mod a) mod b"),
        ],
    );
}

#[test]
fn obligations_are_unsat_and_those_of_false_rules_are_not() {
    let directory = exported("smtlib", "export-smtlib");
    let answers = |folder: &str, steps: u32| -> Vec<(PathBuf, TextAnswer)> {
        let files = fs::read_dir(directory.join(folder)).expect("a directory");
        let mut paths: Vec<PathBuf> = files.map(|file| file.expect("a file").path()).collect();
        paths.sort();
        let answer = |path: PathBuf| {
            let answer = decide_text(&text(&path), &[], steps, None);
            (path, answer)
        };
        paths.into_iter().map(answer).collect()
    };
    let obligations = answers("obligations", 20_000_000);
    assert!(obligations.len() > 200);
    for (path, answer) in obligations {
        assert!(matches!(answer, TextAnswer::Unsatisfiable), "{}: {answer:?}", path.display());
    }
    let must_fail = answers("must_fail", 200_000);
    assert!(must_fail.len() >= 100);
    for (path, answer) in must_fail {
        assert!(!matches!(answer, TextAnswer::Unsatisfiable), "{}", path.display());
    }
}

/// The script judges solvers' answers correctly; the solvers themselves are tested above.
#[test]
fn the_script_for_solvers_notices_changes() {
    let directory = exported("smtlib", "export-smtlib-script");
    let script = directory.join("recheck.sh");
    let honest = directory.with_extension("solver");
    // A stand-in for a solver, which gives the expected answers except for one changed file.
    fs::write(
        &honest,
        "if grep -q changed \"$1\"; then echo sat; elif grep -q '^; Expected: unsat' \"$1\"; then echo unsat; else echo sat; fi\n",
    )
    .expect("written");
    let solver = honest.to_string_lossy();
    let check = || run("sh", &[&script.to_string_lossy(), "sh", &solver]);
    check_notices(
        &check,
        &directory,
        &[("obligations/div-strip.statement.smt2", "(check-sat)", "; changed\n(check-sat)")],
    );
    let (_, said) = check();
    assert!(said.contains(" obligations are unsat, 100 scripts of false rules are not"), "{said}");
    let (passes, said) = run("sh", &[&script.to_string_lossy(), "sh", "-c", "echo unsat"]);
    assert!(!passes && said.contains("a false rule would be proved"), "{said}");
    let (passes, _) = run("sh", &[&script.to_string_lossy(), "sh", "-c", "echo sat"]);
    assert!(!passes);
    fs::write(directory.join("claims/new.smt2"), "").expect("written");
    assert!(!check().0, "a file that is not listed");
}

#[test]
fn exports_are_the_same_every_time_and_overwrite_nothing() {
    let (first, second) = (exported("json", "export-1"), exported("json", "export-2"));
    for name in ["rules.json", "must_fail.json", "SHA256SUMS", "README.md", "recheck.py"] {
        assert_eq!(text(&first.join(name)), text(&second.join(name)), "{name}");
    }
    let again = export("json", &first);
    let said = String::from_utf8_lossy(&again.stderr).into_owned();
    assert!(!again.status.success() && said.contains("it is not empty"), "{said}");
    let wrong = export("jsom", &first);
    let said = String::from_utf8_lossy(&wrong.stderr).into_owned();
    assert!(!wrong.status.success() && said.contains("did you mean `json`?"), "{said}");
}
