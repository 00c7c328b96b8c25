//! The program for egglog, used by someone who has the exported directory and not this program. egglog is not needed here:
//! the export's own script evaluates the program; the export's README.md lists the releases of egglog it was run with.

use crate::support::exported::{change, exported, run, text};
use std::fs;
use std::path::Path;

fn recheck(directory: &Path, options: &[&str]) -> (bool, String) {
    let script = directory.join("recheck.py");
    run("python3", &[&[&*script.to_string_lossy()], options].concat())
}

#[test]
fn the_program_is_checked_by_evaluation_and_changes_are_noticed() {
    let directory = exported("egglog", "export-egglog");
    let (passes, said) = recheck(&directory, &[]);
    assert!(passes, "{said}");
    // Change a byte of a file that only egglog reads: the checksums detect it.
    let four = directory.join("four.egg");
    let before = text(&four);
    fs::write(&four, before.replacen("109", "108", 1)).expect("written");
    let (passes, said) = recheck(&directory, &[]);
    assert!(!passes && said.contains("FAILED: four.egg"), "{said}");
    fs::write(&four, before).expect("written");
    // With new checksums each of these is detected, all in one run.
    for (file, from, to) in [
        // A condition that admits false cases, and one that excludes true cases.
        ("rules.egg", "(< y-hi (+ (* c t) c))", "(<= y-hi (+ (* c t) c))"),
        ("rules.egg", "(< x-hi (+ (* c t) c))", "(< x-hi (+ (* c t) 0))"),
        // A right-hand side.
        (
            "rules.egg",
            "((union root (Add x (FloorDiv y (Integer c)))))",
            "((union root (Add y (FloorDiv y (Integer c)))))",
        ),
        // A text; a rule that must fail, but holds.
        (
            "claims.egg",
            "; | (x floordiv a + y) floordiv b => (x + a*y)",
            "; | (x floordiv a + y) floordiv b => (x + b*y)",
        ),
        (
            "must_fail.egg",
            "; | (x mod a) mod b => x mod b\n",
            "; | (x mod a) mod b => (x mod a) mod b\n",
        ),
    ] {
        change(&directory, file, from, to, true);
    }
    let (passes, said) = recheck(&directory, &[]);
    assert!(!passes, "{said}");
    for name in ["div-strip", "div-extract", "div-block", "div-div", "mod-of-mod"] {
        assert!(said.contains(&format!("FAILED: {name}")), "{name}: {said}");
    }
}

/// Changes each operator that has a counterpart, in each rule of `bounds`: the first operator of every rule at once, then the
/// second, and so on.
#[test]
fn another_sign_in_a_rule_of_bounds_is_noticed() {
    let directory = exported("egglog", "export-egglog-bounds");
    let original = text(&directory.join("rules.egg"));
    let forms: Vec<&str> = original
        .split_inclusive(":ruleset bounds)\n")
        .filter_map(|piece| piece.rfind("(rule (").map(|start| &piece[start..]))
        .filter(|form| form.ends_with(":ruleset bounds)\n"))
        .collect();
    assert_eq!(forms.len(), 17);
    let mut changed = 0;
    for turn in 0.. {
        let mut program = original.clone();
        let mut others = Vec::new();
        for form in &forms {
            if let Some(other) = with_another_sign(form, turn) {
                program = program.replacen(form, &other, 1);
                others.push(other.split_whitespace().collect::<Vec<_>>().join(" "));
            }
        }
        if others.is_empty() {
            break;
        }
        changed += others.len();
        change(&directory, "rules.egg", &original, &program, true);
        // Only the first run checks everything: it takes ten times as long.
        let options: &[&str] = if turn == 0 { &[] } else { &["--bounds"] };
        let (passes, said) = recheck(&directory, options);
        assert!(!passes && !said.contains("FAILED: rules.egg"), "{said}");
        for other in others {
            assert!(said.contains(&other), "{other}: {said}");
        }
        change(&directory, "rules.egg", &program, &original, true);
    }
    assert!(changed > 60, "{changed}");
}

/// Replaces the operator with this number, among those with a counterpart, by its counterpart; `None` if there are fewer.
fn with_another_sign(form: &str, number: usize) -> Option<String> {
    const PAIRS: [(&str, &str); 8] = [
        ("(+ ", "(- "),
        ("(- ", "(+ "),
        ("(>= ", "(<= "),
        ("(< ", "(> "),
        ("(lo ", "(hi "),
        ("(hi ", "(lo "),
        ("(min ", "(max "),
        ("(max ", "(min "),
    ];
    let mut places: Vec<(usize, &str, &str)> = PAIRS
        .iter()
        .flat_map(|(from, to)| form.match_indices(from).map(|(at, _)| (at, *from, *to)))
        .collect();
    places.sort_unstable();
    let (at, from, to) = *places.get(number)?;
    let (before, after) = form.split_at(at);
    Some(format!("{before}{to}{}", &after[from.len()..]))
}

#[test]
fn the_program_is_the_same_every_time_and_leaves_no_rule_out() {
    let (first, second) =
        (exported("egglog", "export-egglog-1"), exported("egglog", "export-egglog-2"));
    assert_eq!(text(&first.join("SHA256SUMS")), text(&second.join("SHA256SUMS")));
    let rules = affinor::rule::RuleSet::shipped().expect("the shipped rules");
    let lock = affinor::rule::verify::Lock::shipped().expect("the shipped lock");
    let [program, claims, not_fired] =
        ["rules.egg", "claims.egg", "not_fired.md"].map(|name| text(&first.join(name)));
    for rule in rules.rules() {
        let hash = format!("; rule-sha256 {}\n", lock.entries[&rule.name].rule);
        assert!(claims.contains(&hash), "the hash of {}", rule.name);
        let fires = program.contains(&format!("(ruleset {})\n", rule.name));
        let listed = not_fired.contains(&format!("| `{}` |", rule.name));
        assert!(fires != listed, "{}", rule.name);
        assert!(!fires || program.contains(&hash), "the hash of {}", rule.name);
    }
}
