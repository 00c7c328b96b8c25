//! Every rule with one thing changed: refuted, or proved because the change does not matter, or open; and
//! none that has a counterexample is ever proved. `mutants.txt` lists what is not refuted.

use crate::mutants::{Mutant, mutants};
use affinor::rule::{RuleSet, Truth};
use affinor::verify::{Budget, Verdict, counterexample, judge};
use std::fmt::Write;
use std::fs;
use std::path::Path;

const HEAD: &str = "\
# Rules with one thing changed that have no counterexample: proved, because what was changed is redundant or does not
# matter, or open. Written by: REGENERATE=1 cargo test -p affinor --test verify mutations
";

#[test]
fn no_mutant_with_a_counterexample_is_proved() {
    let rules = RuleSet::shipped().unwrap_or_else(|error| panic!("{error:?}"));
    let budget = Budget {
        steps: 3_000_000,
        interrupt: None,
    };
    let (mut refuted, mut proved, mut open) = (0, Vec::new(), Vec::new());
    for rule in rules.rules() {
        for Mutant {
            change,
            rule: mutant,
        } in mutants(rule)
        {
            let name = format!("{}: {change}", rule.name);
            match judge(&mutant, &budget) {
                Verdict::Refuted(point) => {
                    let truth = mutant.truth(&point);
                    let wrong = matches!(truth, Truth::Fails | Truth::Undefined);
                    assert!(wrong, "{name} at {point:?}");
                    refuted += 1;
                }
                Verdict::Proved => {
                    assert_eq!(counterexample(&mutant), None, "{name} is proved");
                    proved.push(name);
                }
                Verdict::Unknown(_) => open.push(name),
            }
        }
    }
    let mut text = HEAD.to_owned();
    let _ = writeln!(
        text,
        "{refuted} refuted, {} proved, {} open",
        proved.len(),
        open.len()
    );
    let numbered = proved.iter().map(|name| ("proved", name));
    for (verdict, name) in numbered.chain(open.iter().map(|name| ("open", name))) {
        let _ = writeln!(text, "{verdict} {name}");
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/verify/mutants.txt");
    if std::env::var_os("REGENERATE").is_some() {
        fs::write(&path, &text).expect("the list can be written");
    }
    let expected = fs::read_to_string(&path).expect("the list is there");
    assert_eq!(
        text, expected,
        "if this is right, write it: REGENERATE=1 cargo test -p affinor --test verify mutations"
    );
}
