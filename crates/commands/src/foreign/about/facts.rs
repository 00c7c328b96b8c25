//! Comments beside code that state sizes: `// block of 64`, `// launched as k<<<8, 128>>>`, `# N = 1000, 8 programs`.
//!
//! Law: a comment with a word that has no use is no fact. One that states a size nevertheless is named in a note.

use super::comments::comments;
use super::meanings::{filler, is_free};
use super::tokens::{Token, tokens};
use super::values::value;
use crate::seen::{Fact, Value};

/// Words for sizes: a comment with one of them and a number should not be passed over.
const SIZED: [&str; 12] = [
    "thread",
    "block",
    "grid",
    "program",
    "element",
    "float",
    "launch",
    "<<<",
    "global size",
    "local size",
    "workgroup",
    "work-group",
];

/// Returns the values of a text that has nothing else.
pub fn read(text: &str) -> Option<Vec<Value>> {
    let given = tokens(text)?;
    let mut values = Vec::new();
    let mut at = 0;
    while at < given.len() {
        let rest = &given[at..];
        let is_block = match &rest[0] {
            Token::Word(word, _) | Token::Element(word, _) => word == "block",
            _ => false,
        };
        at += if let Some((value, length)) = value(rest, &is_free) {
            values.push(match value {
                // `block (32, 8)` states the sizes of all blocks.
                Value::Program(sizes) if is_block => Value::Threads(sizes),
                value => value,
            });
            length
        } else if rest[0].word() == "dim3" || matches!(rest[0], Token::Sign("," | ":")) {
            1
        } else {
            filler(rest)?
        };
    }
    (!values.is_empty()).then_some(values)
}

/// Returns the facts in the comments of a text.
pub fn facts(text: &str) -> Vec<Fact> {
    let found = comments(text).into_iter().filter_map(|comment| {
        let values = read(comment.text)?;
        Some(Fact { text: comment.text.to_owned(), values })
    });
    found.collect()
}

/// Returns the note on a comment that states sizes in words that are not understood.
pub fn unused(comment: &str) -> String {
    format!("the comment `{comment}` is not used")
}

/// Returns the comments of a text that state sizes, but in words that are not understood.
pub fn unread(text: &str) -> Vec<&str> {
    let mut found: Vec<&str> = comments(text).into_iter().map(|comment| comment.text).collect();
    found.retain(|text| states_size(text) && !text.ends_with('?') && read(text).is_none());
    found
}

/// Returns whether a comment has a number and a word for a size.
pub fn states_size(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    lower.contains(|c: char| c.is_ascii_digit()) && SIZED.iter().any(|word| lower.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_state_sizes() {
        let bound = |name: &str, lo, hi| Value::Bound(name.to_owned(), Some(lo), Some(hi));
        let of = |name: &str, size: &str| Value::Of(name.to_owned(), vec![size.to_owned()]);
        let launch = |grid, block| Value::Launch(vec![grid], vec![block]);
        for (text, expected) in [
            ("block of 64", Some(vec![Value::Threads(vec![64])])),
            ("256 threads", Some(vec![Value::Threads(vec![256])])),
            ("blockDim = (32, 8)", Some(vec![Value::Threads(vec![32, 8])])),
            (
                "dim3 block(16, 16), grid(4, 2)",
                Some(vec![Value::Threads(vec![16, 16]), Value::Programs(vec![4, 2])]),
            ),
            ("block = dim3(16, 16)", Some(vec![Value::Threads(vec![16, 16])])),
            ("a 16x16 block", Some(vec![Value::Threads(vec![16, 16])])),
            ("block (16, 16)", Some(vec![Value::Threads(vec![16, 16])])),
            ("threads per block = 128", Some(vec![Value::Threads(vec![128])])),
            ("blockDim.x = 256", Some(vec![bound("blockDim.x", 256, 256)])),
            ("<<<8, 128>>>", Some(vec![launch(8, 128)])),
            ("launched as k<<<1, 64>>>", Some(vec![launch(1, 64)])),
            ("k<<<2, dim3(64)>>>(x, y + 1);", Some(vec![launch(2, 64)])),
            ("8 blocks of 128", Some(vec![launch(8, 128)])),
            ("grid of (4, 2)", Some(vec![Value::Programs(vec![4, 2])])),
            ("the grid is (10,)", Some(vec![Value::Programs(vec![10])])),
            ("the grid is 48 programs", Some(vec![Value::Programs(vec![48])])),
            ("N = 1000, 8 programs", Some(vec![bound("N", 1000, 1000), Value::Programs(vec![8])])),
            ("in has 1000 floats", Some(vec![of("in", "1000")])),
            ("y_ptr has 1000 elements.", Some(vec![of("y_ptr", "1000")])),
            ("row in 0..63, tx in 0..31", Some(vec![bound("row", 0, 63), bound("tx", 0, 31)])),
            ("global size 1024", Some(vec![Value::Global(vec![1024])])),
            ("work-group size of 64", Some(vec![Value::Threads(vec![64])])),
            // Other words, no value, an id.
            ("block of 64 odd threads", None),
            ("one block for each row", None),
            ("as above", None),
            ("BLOCK = 64 rows", None),
            ("TODO: 4 of them", None),
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
        assert_eq!(
            unread("a[i] = 0; // 4 warps of 8 purple threads"),
            ["4 warps of 8 purple threads"]
        );
        assert_eq!(unread("a[i] = 0; // 4 purple ones"), [""; 0]);
        assert_eq!(unread("a[i] = 0; // block of 64"), [""; 0]);
    }
}
