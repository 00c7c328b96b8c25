//! Files next to the rules of an export that is read back by a script: the original rules, to compare with.

use super::json::{manifest, must_fail, written};
use super::parts::{File, Known, file};
use affinor::rule::{Condition, Rule, Slot, Term};
use serde_json::json;
use std::collections::BTreeSet;

/// Returns the manifests, the module that reads and evaluates them, and the list of rules not exported, with reasons.
pub(super) fn files(
    rules: &[Known<'_>],
    false_rules: &[Rule],
    missing: &[(&str, &str)],
) -> Vec<File> {
    let entry = |(name, reason): &(&str, &str)| json!({"name": name, "reason": reason});
    let missing = json!({
        "schema": 1,
        "rules": missing.iter().map(entry).collect::<Vec<_>>(),
    });
    vec![
        file("rules.json", manifest(rules)),
        file("must_fail.json", must_fail(false_rules)),
        file("not_exported.json", written(&missing)),
        file("affinor_rules.py", include_str!("files/affinor_rules.py")),
    ]
}

/// Like [`files`], for theorems: their check also reads the steps of their proofs.
pub(super) fn files_of_theorems(
    rules: &[Known<'_>],
    false_rules: &[Rule],
    missing: &[(&str, &str)],
) -> Vec<File> {
    let mut all = files(rules, false_rules, missing);
    all.extend([
        file("affinor_theorems.py", include_str!("files/affinor_theorems.py")),
        file("affinor_linear.py", include_str!("files/affinor_linear.py")),
    ]);
    all
}

/// Variables of a rule: whether it is an expression, and its slot.
pub(super) type Variables = BTreeSet<(bool, Slot)>;

pub(super) fn variables<'t>(terms: impl IntoIterator<Item = &'t Term>) -> Variables {
    let mut found = Variables::new();
    for term in terms {
        term.visit(&mut |term| match term {
            Term::Constant(slot) => drop(found.insert((false, *slot))),
            Term::Expression(slot) => drop(found.insert((true, *slot))),
            _ => {}
        });
    }
    found
}

pub(super) fn variables_of(conditions: &[Condition]) -> Variables {
    variables(conditions.iter().flat_map(Condition::sides))
}
