//! Boxes in answers.

use super::output::{Role, Text};
use super::words::count;
use affinor_ops::footprint::image::{Progression, Region};

/// Formats a region: `[0, 8] step 4 x [1, 8], 24 elements`.
pub(super) fn region_text(region: &Region) -> Text {
    let size = match region.size() {
        Some(size) => count(i128::try_from(size).unwrap_or(i128::MAX), "element"),
        None => "more than 2^128 elements".to_owned(),
    };
    if region.size() == Some(0) {
        return Text::of(Role::Faint, "nothing is read");
    }
    let dimensions: Vec<String> = region.progressions.iter().map(progression).collect();
    let dimensions = match dimensions.is_empty() {
        true => "a scalar".to_owned(),
        false => dimensions.join(" x "),
    };
    Text::of(Role::Formula, dimensions).plain(format!(", {size}"))
}

fn progression(values: &Progression) -> String {
    match values.step {
        1 => format!("[{}, {}]", values.first, values.last()),
        step => format!("[{}, {}] step {step}", values.first, values.last()),
    }
}
