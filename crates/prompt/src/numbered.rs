//! The number under which a map can be reused, shown beside the answer that contains the map.

use affinor_commands::{Output, Role, Text};

/// Returns the text of an answer with its number: `_3 = ` before a map; below an answer with more than the map.
#[must_use]
pub fn numbered(output: Output) -> Text {
    let text = output.text;
    let Some(number) = output.number.filter(|_| !text.has_numbers()) else {
        return text;
    };
    let is_map = text.pieces().next().is_some_and(|(role, _)| role == Role::Formula);
    if !is_map {
        return text.with(Role::Faint, format!("\n_{number} is the map"));
    }
    let mut numbered = Text::of(Role::Faint, format!("_{number} = "));
    numbered.append(text);
    numbered
}
