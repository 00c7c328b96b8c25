//! Summarizes the findings about all compared values in one sentence.
//!
//! Law: "nothing differs" is reported only if every value is the same computation. If only the reads are known to be the same,
//! the sentence says so.

use crate::output::{Object, Output, Role, Text};
use crate::words::count;

/// The number of findings of each kind.
#[derive(Default)]
pub(super) struct Tally {
    pub(super) compared: usize,
    /// The same operations on the same elements.
    pub(super) same: usize,
    /// The same computation up to rounding.
    pub(super) rounded: usize,
    pub(super) changed: usize,
    /// The number of changed instructions with another shape, and with other operands.
    pub(super) reshaped: usize,
    pub(super) rewired: usize,
    /// The same reads, but another operation or another constant.
    pub(super) recomputed: usize,
    /// The same data, located by an index that is read from another place.
    pub(super) found_otherwise: usize,
    pub(super) added: usize,
    pub(super) removed: usize,
    pub(super) unknown: usize,
}

impl Tally {
    /// Adds the findings about the results of two modules.
    pub(super) fn add(&mut self, found: &Tally) {
        self.same += found.same;
        self.rounded += found.rounded;
        self.changed += found.changed;
        self.recomputed += found.recomputed;
        self.found_otherwise += found.found_otherwise;
        self.unknown += found.unknown;
    }
}

pub(super) fn summary(tally: &Tally) -> Output {
    let other = tally.changed - tally.reshaped - tally.rewired;
    let apart = tally.changed + tally.recomputed + tally.unknown;
    let agreeing = tally.compared - apart.min(tally.compared);
    let same = tally.same.min(agreeing);
    let rounded = tally.rounded.min(agreeing - same);
    let open = agreeing - same - rounded;
    let said = [
        (same, "the same"),
        (rounded, "the same but for rounding"),
        (open, "of the same reads"),
        (other, "changed"),
        (tally.recomputed, "computed differently"),
        (tally.rewired, "of other operands"),
        (tally.reshaped, "of another shape"),
        (tally.added, "added"),
        (tally.removed, "removed"),
        (tally.unknown, "unknown"),
    ];
    let found = said.iter().filter(|(number, _)| *number > 0);
    let found: Vec<String> = found.map(|(number, word)| format!("{number} {word}")).collect();
    let compared = count(tally.compared, "value");
    let differs = said[3..].iter().any(|(number, _)| *number > 0);
    let text = match (differs, rounded, open) {
        (false, 0, 0) => {
            Text::of(Role::Good, "nothing differs").plain(format!(": {compared} compared"))
        }
        (false, _, 0) => Text::of(Role::Good, "nothing differs but for rounding")
            .plain(format!(": {compared} compared, {rounded} that may be rounded differently")),
        (false, ..) => Text::of(Role::Good, "reads agree")
            .plain(format!(": {compared} compared, {open} not shown to be the same computation")),
        (true, ..) => Text::new().plain(format!("{compared} compared: {}", found.join(", "))),
    };
    let json = Object::new()
        .with("compared", tally.compared)
        .with("same", same)
        .with("rounded", rounded)
        .with("same_reads", agreeing - same)
        .with("changed", tally.changed)
        .with("computed_otherwise", tally.recomputed)
        .with("other_index", tally.found_otherwise)
        .with("other_operands", tally.rewired)
        .with("other_shape", tally.reshaped)
        .with("added", tally.added)
        .with("removed", tally.removed)
        .with("unknown", tally.unknown);
    Output::new(text, json)
}
