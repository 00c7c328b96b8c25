//! The comments of code: `//`, `/* .. */` and `# `. In Python and in maps, `a // b` divides.
//!
//! Law: after an operand, `//` begins a comment only if words follow that cannot be an operand, after two blanks or MLIR.

use crate::bare::is_hlo;

/// A comment.
#[derive(Clone, Copy, Debug)]
pub struct Comment<'t> {
    /// The position of its sign.
    pub at: usize,
    /// The text in it.
    pub text: &'t str,
}

/// Words between operands.
const OPERATORS: [&str; 11] =
    ["if", "else", "for", "in", "and", "or", "not", "where", "mod", "with", "given"];

/// Returns the comments of a text. One of `/* .. */` ends with its line.
pub fn comments(text: &str) -> Vec<Comment<'_>> {
    let mut found = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let mut from = 0;
        let begins_at = |from: usize| {
            (from..line.len()).find(|at| line.is_char_boundary(*at) && begins(line, *at))
        };
        while let Some(at) = begins_at(from) {
            let is_block = line[at..].starts_with("/*");
            let end = line[at..].find("*/").filter(|_| is_block).map_or(line.len(), |end| at + end);
            found.push(Comment { at: start + at, text: uncommented(&line[at..end]) });
            from = if is_block { end + 2 } else { end };
        }
        start += line.len();
    }
    found.retain(|comment| !comment.text.is_empty());
    found
}

/// Returns the text without the signs of a comment around it.
pub fn uncommented(text: &str) -> &str {
    text.trim().trim_start_matches(['#', '/', '*']).trim_end_matches(['*', '/']).trim()
}

/// Returns whether a comment begins at a position of a line.
fn begins(line: &str, at: usize) -> bool {
    let (before, after) = (line[..at].trim_end(), &line[at..]);
    if after.starts_with("/*") {
        return true;
    }
    if after.starts_with("# ") {
        return before.is_empty() || line[..at].ends_with([' ', ';']);
    }
    let is_after_statement = before.is_empty() || before.ends_with([';', '{', '}']);
    let is_apart = || line[..at].ends_with("  ") || is_hlo(before) || after.contains("<<<");
    after.starts_with("//") && (is_after_statement || is_apart() && has_words(&after[2..]))
}

/// Returns whether a text has two words in a row, or the sizes of a launch: it is no operand.
fn has_words(text: &str) -> bool {
    let is_word = |word: &&str| {
        word.starts_with(|c: char| c.is_alphabetic())
            && word.chars().all(|c| c.is_alphanumeric() || "_.-,'".contains(c))
            && !OPERATORS.contains(word)
    };
    let words: Vec<&str> = text.trim().trim_end_matches(['?', ':', '.']).split(' ').collect();
    let is_number =
        |word: &&str| word.bytes().all(|byte| byte.is_ascii_digit()) && !word.is_empty();
    // `block of 64` and `256 threads`
    let is_pair = |pair: &[&str]| is_word(&pair[1]) && (is_word(&pair[0]) || is_number(&pair[0]));
    text.contains("<<<") || words.windows(2).any(is_pair)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_words() {
        for (text, expected) in [
            ("a[i] = 0; // as above", &["as above"][..]),
            ("%t = gpu.thread_id x   // block of 64", &["block of 64"]),
            ("y = x[1:]  # is it contiguous?", &["is it contiguous?"]),
            ("# one\nx = 4 # two\n// three", &["one", "two", "three"]),
            ("a[i] = b[i] // <<<4, 64>>>", &["<<<4, 64>>>"]),
            ("int i = 0; /* 256 threads */ a[i] = 0;", &["256 threads"]),
            ("a[i] = 0; /* one */ /* two? */", &["one", "two?"]),
            // A quotient, an attribute of MLIR, a comment without a text.
            ("x = a // b", &[]),
            ("how many values does i // 7 have?", &[]),
            ("is x // 8 equal to i?", &[]),
            ("x // 4 with x = 3", &[]),
            ("x = a // 4 if b else c", &[]),
            ("#map = affine_map<(i) -> (i)>", &[]),
            ("a[i] = 0; //", &[]),
        ] {
            let found: Vec<&str> = comments(text).into_iter().map(|found| found.text).collect();
            assert_eq!(found, expected, "{text}");
        }
    }
}
