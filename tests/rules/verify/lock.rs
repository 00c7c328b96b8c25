//! `rules/PROOFS.lock`: every rule is proved again and compared with its entry.

use affinor::rule::verify::{BUDGET, Change, Lock, Source};
use affinor::rule::{Rule, RuleSet, read_rules};
use std::fs;
use std::path::{Path, PathBuf};

const RENEW: &str =
    "renew it with: affinor rules lock, then .ci/second_judge --write and .ci/third_judge --write";

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("rules")
}

fn shipped() -> RuleSet {
    RuleSet::shipped().unwrap_or_else(|error| panic!("{error:?}"))
}

#[test]
fn every_rule_is_proved_and_the_lock_says_so() {
    let rules = shipped();
    let path = directory().join("PROOFS.lock");
    let known = Lock::read(&fs::read_to_string(&path).expect("the lock is there"))
        .unwrap_or_else(|error| panic!("{error:?}"));
    let mut lock = Lock { solvers: known.solvers.clone(), ..Lock::default() };
    for rule in rules.rules() {
        let now = known.renewed(rule, &BUDGET);
        assert_eq!(now.z3, "proved", "{rule}");
        lock.entries.insert(rule.name.clone(), now);
    }
    let changes: Vec<String> = known.changes(&lock).iter().map(Change::to_string).collect();
    assert_eq!(changes, Vec::<String>::new(), "the lock is stale; {RENEW}");
    let text = fs::read_to_string(&path).expect("it was read before");
    assert_eq!(known.write(), text, "{RENEW}");
    assert_eq!(
        lock.pending(),
        [Vec::<&str>::new(), Vec::new()],
        "cvc5 or Rocq has not judged all; {RENEW}"
    );
}

/// Each way in which a lock can be stale is reported.
#[test]
fn stale_entries_are_reported() {
    let rules = |text: &str| {
        read_rules("test.rules", text).unwrap_or_else(|error| panic!("{error:?} in {text}"))
    };
    let lock = |known: &Lock, text: &str| {
        let entry = |rule: &Rule| (rule.name.clone(), known.renewed(rule, &BUDGET));
        Lock { entries: rules(text).iter().map(entry).collect(), ..Lock::default() }
    };
    let mut before = lock(
        &Lock::default(),
        "half: (2*x) floordiv 2 => x\nkept: x floordiv 1 => x\nlost: x + 0 => x\n",
    );
    assert_eq!(before.pending(), [["half", "kept", "lost"], ["half", "kept", "lost"]]);
    for entry in before.entries.values_mut() {
        entry.cvc5 = "proved".to_owned();
        entry.rocq = "proved".to_owned();
    }
    let after = lock(
        &before,
        "half: (2*x) floordiv 2 => x where x >= 0\nkept: x floordiv 1 => x \"Another purpose.\"\nnew: x mod 1 => 0\n",
    );
    let changes: Vec<String> = before.changes(&after).iter().map(Change::to_string).collect();
    assert_eq!(
        changes,
        [
            "half: changed (rule text, proof scripts, cvc5 proved -> pending, rocq proved -> pending)",
            "lost: gone",
            "new: added",
        ]
    );
    assert_eq!(after.pending(), [["half", "new"], ["half", "new"]]);
    assert!(after.changes(&after).is_empty());
    let mut wrong = after.clone();
    wrong.entries.get_mut("new").expect("an entry").truncating = "refuted".to_owned();
    let changes: Vec<String> = wrong.changes(&after).iter().map(Change::to_string).collect();
    assert_eq!(changes, ["new: changed (truncating refuted -> proved)"]);
}

#[test]
fn the_program_uses_rules_that_the_lock_knows() {
    let rules = Source::SHIPPED.rules().unwrap_or_else(|error| panic!("{error:?}"));
    assert_eq!(rules.rules().len(), shipped().rules().len());
}

/// Copies of rule files with one item of a `where` list left out: the text of each copy, and the rule.
fn copies_without_a_condition() -> Vec<(String, String, String, String)> {
    let mut copies = Vec::new();
    for file in fs::read_dir(directory()).expect("the rules are there") {
        let path = file.expect("a file").path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
        if !name.ends_with(".rules") || name == "refuted.rules" {
            continue;
        }
        let text = fs::read_to_string(&path).expect("a readable file");
        for (start, _) in text.match_indices("\n  where ") {
            let from = start + "\n  where ".len();
            let to = from + text[from..].find('\n').expect("a purpose follows");
            let items: Vec<&str> = text[from..to].split(", ").collect();
            let above = &text[..start];
            let head = above.rfind("\n\n").map_or(0, |position| position + 2);
            let rule = above[head..].split(':').next().unwrap_or_default().to_owned();
            for left_out in 0..items.len() {
                let mut kept = items.clone();
                let gone = kept.remove(left_out).to_owned();
                let clause = match kept.is_empty() {
                    true => String::new(),
                    false => format!("\n  where {}", kept.join(", ")),
                };
                let copy = format!("{}{clause}{}", &text[..start], &text[to..]);
                copies.push((name.clone(), rule.clone(), gone, copy));
            }
        }
    }
    copies
}

/// An edited file is refused by the loader, or the lock is reported as stale, as by `cargo test`.
#[test]
fn deleting_a_condition_from_a_rule_file_is_noticed() {
    let lock = Lock::shipped().unwrap_or_else(|error| panic!("{error:?}"));
    let copies = copies_without_a_condition();
    assert!(copies.len() > 50, "only {} copies", copies.len());
    for (file, rule, gone, copy) in copies {
        if let Ok(rules) = read_rules(&file, &copy) {
            let edited: &Rule = rules
                .iter()
                .find(|known| known.name == rule)
                .unwrap_or_else(|| panic!("{file} has the rule {rule}"));
            assert!(!lock.trusts(edited), "{rule} without {gone} is taken for the proved rule");
        }
    }
}

#[test]
fn bad_lock_files_are_refused() {
    for text in ["div-one rule=1", "a b c d e f g", "z3"] {
        assert!(Lock::read(text).is_err(), "{text}");
    }
}
