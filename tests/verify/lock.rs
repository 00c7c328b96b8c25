//! `rules/PROOFS.lock`: every rule is proved again and compared with it.

use affinor::rule::{Rule, RuleSet, load};
use affinor::verify::{Budget, Entry, Lock, entry, proved_rules};
use std::fs;
use std::path::{Path, PathBuf};

const RENEW: &str = "renew it with: REGENERATE=1 cargo test -p affinor --test verify lock, then .ci/second_judge --write";

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
    let mut lock = Lock {
        solvers: known.solvers.clone(),
        ..Lock::default()
    };
    for rule in rules.rules() {
        let mut now = entry(rule, &Budget::default());
        assert_eq!(now.z3, "proved", "{rule}");
        if let Some(known) = known.entries.get(&rule.name)
            && known.scripts == now.scripts
        {
            now.cvc5.clone_from(&known.cvc5);
        }
        lock.entries.insert(rule.name.clone(), now);
    }
    if std::env::var_os("REGENERATE").is_some() {
        fs::write(&path, lock.write()).expect("the lock can be written");
    } else {
        for (name, now) in &lock.entries {
            assert_eq!(
                known.entries.get(name),
                Some(now),
                "{name}: the lock is stale; {RENEW}"
            );
        }
        assert_eq!(
            known.entries.len(),
            lock.entries.len(),
            "the lock names rules that are gone; {RENEW}"
        );
        assert_eq!(
            known.write(),
            fs::read_to_string(&path).expect("it was read before"),
            "{RENEW}"
        );
    }
    let pending = |(_, entry): &(&String, &Entry)| entry.cvc5 == "pending";
    assert_eq!(
        lock.entries.iter().find(pending),
        None,
        "cvc5 has not judged all; {RENEW}"
    );
}

#[test]
fn the_program_uses_rules_that_the_lock_knows() {
    let rules = proved_rules().unwrap_or_else(|error| panic!("{error:?}"));
    assert_eq!(rules.rules().len(), shipped().rules().len());
}

/// A copy of a rule file with one item of a `where` list left out: the text of the copy, and the rule.
fn copies_without_a_condition() -> Vec<(String, String, String, String)> {
    let mut copies = Vec::new();
    for file in fs::read_dir(directory()).expect("the rules are there") {
        let path = file.expect("a file").path();
        let name = path
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or_default()
            .to_owned();
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
            let rule = above[head..]
                .split(':')
                .next()
                .unwrap_or_default()
                .to_owned();
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

/// What `cargo test` would do about an edited file: refuse to load it, or find the lock stale.
#[test]
fn deleting_a_condition_from_a_rule_file_is_noticed() {
    let lock = Lock::shipped().unwrap_or_else(|error| panic!("{error:?}"));
    let copies = copies_without_a_condition();
    assert!(copies.len() > 50, "only {} copies", copies.len());
    for (file, rule, gone, copy) in copies {
        if let Ok(rules) = load(&file, &copy) {
            let edited: &Rule = rules
                .iter()
                .find(|known| known.name == rule)
                .unwrap_or_else(|| panic!("{file} has the rule {rule}"));
            assert!(
                !lock.trusts(edited),
                "{rule} without {gone} is taken for the proved rule"
            );
        }
    }
}

#[test]
fn bad_lock_files_are_refused() {
    for text in ["div-one rule=1", "a b c d e f g", "z3"] {
        assert!(Lock::read(text).is_err(), "{text}");
    }
}
