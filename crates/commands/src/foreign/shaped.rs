//! Arrays whose sizes follow a text: `x.T[1:3] with x of shape (4, 6)`, `x[::-1] for x of length 10`.
//!
//! Law: each array is named by a line of its own, and the rest of the text is the last line.

use super::array::closing;
use super::numbers::integers;
use crate::token::identifiers;
use affinor::text::is_name;

/// Words before the arrays.
const BEFORE: [&str; 9] =
    ["  # ", " # ", " with ", " where ", " given ", " for ", " if ", "; ", ", "];

/// Words between the name of an array and its sizes.
const BETWEEN: [&str; 11] = [
    " of shape ",
    " has shape ",
    " with shape ",
    " of size ",
    " of length ",
    " has length ",
    ".shape == ",
    ".shape = ",
    ".shape=",
    ".shape is ",
    ": ",
];

/// Words between two arrays.
const JOINS: [&str; 4] = [" and ", ", and ", ", ", "; "];

/// Returns the lines for a text with the sizes of its arrays.
pub fn lines(text: &str) -> Option<Vec<String>> {
    let places = BEFORE
        .iter()
        .flat_map(|word| text.match_indices(word).map(move |(at, _)| (at, at + word.len())));
    let mut places: Vec<(usize, usize)> = places.collect();
    places.sort_unstable();
    places.into_iter().find_map(|(end, start)| {
        let (asked, arrays) = (text[..end].trim(), arrays(&text[start..])?);
        let is_used = |name: &str| identifiers(asked).any(|word| word == name);
        if !arrays.iter().all(|(name, _)| is_used(name)) {
            return None;
        }
        let lines = arrays.iter().map(|(name, sizes)| format!("{name} = np.zeros({sizes})"));
        Some(lines.chain([asked.to_owned()]).collect())
    })
}

/// Returns each array with its sizes, if the text has nothing else.
fn arrays(text: &str) -> Option<Vec<(&str, String)>> {
    let mut found = Vec::new();
    let mut rest = text;
    loop {
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_'))?;
        let (name, behind) = rest.split_at(end);
        let behind = BETWEEN.iter().find_map(|word| behind.strip_prefix(word))?.trim_start();
        let (sizes, after) = sizes(behind)?;
        if !is_name(name) {
            return None;
        }
        found.push((name, sizes));
        if after.trim().is_empty() {
            return Some(found);
        }
        rest = JOINS.iter().find_map(|word| after.strip_prefix(word))?.trim_start();
    }
}

/// Splits the sizes from the text after them: `(4, 8)`, `[4, 8]`, `4x8`, `10`, or a type `f32[4,8]`.
fn sizes(text: &str) -> Option<(String, &str)> {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(text.len());
    let (word, behind) = text.split_at(end);
    if behind.starts_with(['(', '['])
        && !word.contains(|c: char| c.is_ascii_digit() && word.starts_with(c))
    {
        let end = closing(behind)?;
        let inner = behind.get(1..end)?.trim();
        integers(inner).ok()?;
        let is_type = behind.starts_with('[') && word.ends_with(|c: char| c.is_ascii_digit());
        let comma = if inner.contains(',') { "" } else { "," };
        return (word.is_empty() || is_type)
            .then(|| (format!("({inner}{comma})"), &behind[end + 1..]));
    }
    let is_size = |size: &str| size.parse::<u32>().is_ok();
    let comma = if word.contains('x') { "" } else { "," };
    word.split('x').all(is_size).then(|| (format!("({}{comma})", word.replace('x', ", ")), behind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_stand_behind_a_text() {
        for (text, expected) in [
            ("x.T[1:3] with x of shape (4, 6)", "x = np.zeros((4, 6)) | x.T[1:3]"),
            ("x[::-1][::2] for x of length 10", "x = np.zeros((10,)) | x[::-1][::2]"),
            (
                "jnp.roll(x, 2, axis=1), x.shape = (4, 8)",
                "x = np.zeros((4, 8)) | jnp.roll(x, 2, axis=1)",
            ),
            ("x.T with x: f32[4,8]", "x = np.zeros((4,8)) | x.T"),
            ("x.T where x has shape 4x8", "x = np.zeros((4, 8)) | x.T"),
            (
                "einsum('ij,jk->ik', a, b) with a of shape (2, 3) and b of shape [3, 4]",
                "a = np.zeros((2, 3)) | b = np.zeros((3, 4)) | einsum('ij,jk->ik', a, b)",
            ),
        ] {
            let lines = lines(text).unwrap_or_default();
            assert_eq!(lines.join(" | "), expected, "{text}");
        }
        for text in [
            "x.T with y of shape (4, 6)",
            "x.T with x of shape (4, n)",
            "x.T with x of shape (4, 6) transposed",
            "x.T with x of shape (4, 6) and",
            "i * 4 for i in range(9)",
            "f(x), x: int",
            "x, y",
        ] {
            assert_eq!(lines(text), None, "{text}");
        }
    }
}
