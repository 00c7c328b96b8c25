//! Reads the facts about a program in `data/measured_programs.jsonl`.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Indices of elements.
pub type Elements = BTreeSet<Vec<i64>>;

/// For each output element, by its key, elements of a parameter.
pub type ByOutput = BTreeMap<String, Elements>;

/// Returns the elements of parameter `k` that each output element depends on, as measured, and those that it reads by
/// definition, if known.
pub fn measured(row: &Value, k: usize) -> (ByOutput, Option<ByOutput>) {
    let elements = |table: &Value| -> ByOutput {
        let entries = table.as_object().expect("a table").iter();
        let set = |list: &Value| serde_json::from_value(list.clone()).expect("indices");
        entries.map(|(key, list)| (key.clone(), set(list))).collect()
    };
    let key = k.to_string();
    let deps = elements(&row["deps"][&key]);
    let by_definition = match &row["reads"][&key] {
        Value::Null if row["exact"][&key] == true => Some(deps.clone()),
        Value::Null => None,
        reads => Some(elements(reads)),
    };
    (deps, by_definition)
}
