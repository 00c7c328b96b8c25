//! Words of answers: counts, tuples, and the known word nearest to an unknown one.

use affinor::text::Style;
pub use affinor::text::count;
use std::time::Duration;

/// Formats a tuple: `(1, 2)`.
pub fn tuple(values: &[i64]) -> String {
    let list: Vec<String> = values.iter().map(i64::to_string).collect();
    format!("({})", list.join(", "))
}

/// Formats a path in a tuple: `{1,0}`; the path of the whole value is empty.
pub fn braces(path: &[usize]) -> String {
    match path {
        [] => String::new(),
        path => {
            let steps: Vec<String> = path.iter().map(usize::to_string).collect();
            format!("{{{}}}", steps.join(","))
        }
    }
}

/// Returns the known word nearest to `word`; `None` if more than a third of its letters differ from each known word.
pub fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    if word.len() > 40 {
        return None;
    }
    known
        .map(|candidate| (distance(word, candidate), candidate))
        .filter(|(distance, candidate)| {
            let length = candidate.chars().count();
            *distance < length && *distance * 3 <= length.max(3)
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Returns the Levenshtein distance: the number of letters to insert, delete or replace to get from one word to the other.
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (index, letter) in from.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], index + 1);
        for (column, other) in to.iter().enumerate() {
            let replaced = diagonal + usize::from(letter != *other);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[to.len()]
}

/// Returns a duration as an integer of JSON, in nanoseconds.
pub fn nanoseconds(elapsed: Duration) -> u64 {
    u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX)
}

/// Returns the word for a style in `set style`.
pub fn style_word(style: Style) -> &'static str {
    match style {
        Style::Plain => "plain",
        Style::Xla => "xla",
        Style::Mlir => "mlir",
    }
}
