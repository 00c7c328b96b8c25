//! `rules/needed.txt`: for each fired rule, a map that needs it; `tests/rules/needed.rs` checks the file.

const NEEDED: &str = include_str!("../../rules/needed.txt");

/// Iterates over rule names, each with a map whose result is larger, or has a looser domain, without the rule.
pub fn examples() -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = NEEDED.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split_once(": "))
}

/// Returns a map that needs the rule `name`.
#[must_use]
pub fn example_of(name: &str) -> Option<&'static str> {
    let found = examples().find(|(known, _)| *known == name);
    found.map(|(_, map)| map)
}
