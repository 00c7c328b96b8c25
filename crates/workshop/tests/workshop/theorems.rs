//! Certificates that have a theorem in Rocq, and those that have none.

use affinor::certificate::read_line;
use affinor::rule::sources::REFUTED;
use affinor::rule::verify::BUDGET;
use affinor::rule::{RuleSet, read_rules};
use affinor::text::ErrorKind;
use affinor_workshop::export::Theorems;
use affinor_workshop::rocq;

/// A certificate that cannot be stated, or is too large, has no theorem.
#[test]
fn what_is_no_theorem_for_rocq() {
    let rules = RuleSet::shipped().expect("the shipped rules");
    let theorem = |before: &str, after: &str, steps: &str| {
        let line = format!(
            r#"{{"before": "{before}", "after": "{after}", "domain_steps": [], "result_steps": [{steps}]}}"#
        );
        let certificate = read_line(&line, &rules).1.expect("a certificate").certificate;
        rocq::theorem(&certificate, &rules).map_err(|error| error.kind)
    };
    const BEFORE: &str = "(d0) -> (d0 mod 8), domain: d0 in [0, 7]";
    const AFTER: &str = "(d0) -> (d0), domain: d0 in [0, 7]";
    let step = r#"{"rule": "div-block", "bindings": {"c": 8, "t": 0, "x": "d0"}}"#;
    let text = theorem(BEFORE, AFTER, step).expect("a theorem");
    assert!(text.contains("forall d0 : Z, before d0 ->\n  (d0 mod 8) = d0."), "{text}");

    let nested = (0..8).fold("d0".to_owned(), |x, n| format!("({x}) mod {}", 90 - n));
    let deep = (0..60).fold("d0".to_owned(), |x, n| format!("({x}) mod {}", 90 - n));
    let map = |result: &str| format!("(d0) -> ({result}), domain: d0 in [0, 99]");
    assert!(theorem(&map(&nested), &map("d0"), "").is_ok());
    for (before, after, steps, kind) in [
        // Another number of results or variables, or variables of other kinds.
        ("(d0) -> (d0, d0), domain: d0 in [0, 7]", AFTER, "", ErrorKind::Arity),
        (BEFORE, "(d0) -> (), domain: d0 in [0, 7]", "", ErrorKind::Arity),
        (BEFORE, "(d0, d1) -> (d0), domain: d0 in [0, 7], d1 in [0, 0]", "", ErrorKind::Arity),
        ("(d0)[s0] -> (d0), domain: d0 in [0, 7], s0 in [0, 0]", AFTER, "", ErrorKind::Arity),
        ("()[s0] -> (s0), domain: s0 in [0, 7]", AFTER, "", ErrorKind::Arity),
        // Steps of an unknown rule, and without all bindings.
        (BEFORE, AFTER, r#"{"rule": "no-rule", "bindings": {}}"#, ErrorKind::Arity),
        (BEFORE, AFTER, r#"{"rule": "div-block", "bindings": {"x": "d0"}}"#, ErrorKind::Arity),
        // Each nested remainder doubles the text that Rocq has to read.
        (&map(&deep), AFTER, "", ErrorKind::TooLarge),
    ] {
        assert_eq!(theorem(before, after, steps), Err(kind), "{before} ; {after} ; {steps}");
    }
}

/// For rules without a proof in any file, steps are found for true rules, and never for a false rule.
#[test]
fn steps_are_found_for_true_rules_alone() {
    let written = |text: &str| {
        let rules = read_rules("found.rules", text).expect("rules");
        let all: Vec<_> = rules.iter().collect();
        Theorems::of(&all, &BUDGET).expect("proofs that can be read")
    };
    for (rule, step) in [
        ("(c*x + y) floordiv c => x where c >= 1, 0 <= y, y < c", Some("nonneg c ")),
        ("(c*x + y) floordiv c => x where c >= 1, 0 <= y, y <= c", None),
        ("min(c, x) => c where c >= 1, x mod c = 0, x >= 1", Some("zero c ")),
        ("min(c, x) => c where c >= 1, x mod c = 0, x >= 0", None),
        ("max(x, y) => y where x <= y", Some("both_sides")),
        ("max(x, y) => y where x <= y + 1", None),
        ("x mod c <= c - 1 where c >= 1", Some("otherwise")),
        ("x mod c <= c - 2 where c >= 1", None),
        ("c*x <= c*y <=> x <= y where c >= 1", Some("both_ways")),
        ("c*x <= c*y <=> x <= y where c >= 0", None),
    ] {
        let theorems = written(&format!("found-1: {rule}\n  \"Found.\"\n"));
        assert_eq!(theorems.proved, [step.is_some()], "{rule}\n{}", theorems.text);
        let sought = step.unwrap_or("(* found-1: no proof of it is in rules/proofs.txt");
        assert!(theorems.text.contains(sought), "{rule}\n{}", theorems.text);
        assert_eq!(theorems.text.contains("Theorem found_1 :"), step.is_some(), "{rule}");
    }
    let refuted = read_rules("refuted.rules", REFUTED).expect("rules");
    let theorems = Theorems::of(&refuted.iter().collect::<Vec<_>>(), &BUDGET).expect("proofs");
    assert_eq!(theorems.proved, vec![false; refuted.len()], "{}", theorems.text);
}
