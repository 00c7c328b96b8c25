//! What stands beside the rules of an export that a script reads back: the rules as they were, to compare with.

use super::json::{manifest, must_fail, written};
use super::{File, Known, file};
use crate::rule::Rule;
use serde_json::json;

/// The manifests, the module that reads and evaluates what is in them, and which rules are not there and why.
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
