//! The texts of the rule files, with and without the lines of a rule.

use affinor::rule::RuleSet;
use std::path::Path;

/// The names and texts of the shipped files, in reading order.
pub fn shipped_texts() -> Vec<(&'static str, String)> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("rules");
    let text = |file| {
        std::fs::read_to_string(directory.join(file))
            .unwrap_or_else(|error| panic!("{file}: {error}"))
    };
    RuleSet::files().map(|file| (file, text(file))).collect()
}

/// Removes the lines of the rule called `name` from a text: its first line, and the indented or empty lines below it.
pub fn without_lines(text: &str, name: &str) -> String {
    let head = format!("{name}:");
    let mut is_inside = false;
    let kept = text.split_inclusive('\n').filter(|line| {
        let is_margin = !line.starts_with([' ', '\t']) && !line.trim().is_empty();
        if is_margin {
            is_inside = line.starts_with(&head);
        }
        !is_inside
    });
    kept.collect()
}
