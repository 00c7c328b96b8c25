//! The names of indices, as written and as used in maps.
//!
//! Law: an `arange` is one index wherever it is placed along the same dimension, counted from the last, and a different index
//! along another dimension.

use super::value::{Known, Named};

/// Returns the name of a variable in maps: `threadIdx_x`, `arange_0_64`.
pub fn in_maps(written: &str) -> String {
    let mut name = String::new();
    for letter in written.strip_prefix("tl.").unwrap_or(written).chars() {
        match letter.is_alphanumeric() || letter == '_' {
            true => name.push(letter),
            false if !name.ends_with('_') => name.push('_'),
            false => {}
        }
    }
    if written.ends_with(')') {
        name.truncate(name.trim_end_matches('_').len());
    }
    if !affinor_maps::text::is_name(&name) {
        name.insert(0, '_'); // a keyword of maps
    }
    name
}

/// Returns the name of an index without its blanks. If the text of an `arange`, or of a name for its value, continues with a
/// subscript, it names the index along that dimension: `tl.arange(0,8)1`, one dimension before the last, and `offs[1]`.
pub fn index_name(text: &str) -> String {
    let mut name: String = text.split_whitespace().collect();
    if !name.ends_with(']') {
        return name;
    }
    let inner = name.rsplit('[').next().unwrap_or("").trim_end_matches(']').replace("...", ":");
    let behind = inner.rsplit(':').next().unwrap_or("").split(',');
    let behind = behind.filter(|part| !part.is_empty()).count();
    match end_of_range(&name) {
        Some(close) => {
            name.truncate(close);
            name.push_str(&behind.to_string());
        }
        None => {
            let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
            name.truncate(name.find(|c| !is_part(c)).unwrap_or(name.len()));
            name.push_str(&format!("[{behind}]"));
        }
    }
    name
}

/// Returns the names in maps of the `arange`s of a value.
pub fn ranges_of(value: &Named) -> Vec<String> {
    let variables = value.maps.iter().flat_map(|map| map.domain().variables());
    let names = variables.map(|variable| variable.name.to_string());
    names.filter(|name| name.contains("arange_")).collect()
}

/// Returns the value of a name; for `offs[1]`, with the indices of its `arange`s along that dimension.
pub fn known_along(known: Known, name: &str) -> Option<Named> {
    let Some((name, behind)) = name.strip_suffix(']').and_then(|name| name.split_once('[')) else {
        return known(name);
    };
    let value = known(name)?;
    let along = |name: &str| match name.contains("arange_") {
        true => format!("{name}_{behind}"),
        false => name.to_owned(),
    };
    let maps = value.maps.iter().map(|map| {
        let names = map.domain().variables().iter().map(|variable| along(&variable.name).into());
        map.renamed(&names.collect::<Vec<_>>())
    });
    let maps = maps.collect();
    let axes = value.axes.iter().map(|(name, behind)| (along(name), *behind)).collect();
    Some(Named { maps, axes, ..value })
}

/// Returns whether this is the text of an `arange` that continues up to a subscript.
pub fn is_range_along(text: &str) -> bool {
    text.ends_with(']') && end_of_range(text).is_some_and(|end| end < text.len())
}

/// Returns the position after the call of `arange` with which the text begins.
fn end_of_range(text: &str) -> Option<usize> {
    let (function, _) =
        text.split_once('(').filter(|(name, _)| name.trim_end().ends_with("arange"))?;
    let mut depth = 0usize;
    let is_word = function.trim_end().chars().all(|c| c.is_alphanumeric() || "._".contains(c));
    let mut letters = text.char_indices().filter(|_| is_word);
    letters.find_map(|(at, letter)| {
        depth += usize::from(letter == '(');
        depth = depth.saturating_sub(usize::from(letter == ')'));
        (letter == ')' && depth == 0).then_some(at + 1)
    })
}
