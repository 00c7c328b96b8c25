//! Implications in the texts of statements: finds their words, and rewrites those in brackets with `not` and `or`.

use affinor::text::{Error, ErrorKind};

/// The maximum size of a text in bytes, and the maximum nesting depth of brackets.
const MAX_BYTES: usize = 1 << 16;
const MAX_DEPTH: usize = 100;

/// Words between a premise and its conclusion.
pub const IMPLIES: [&str; 4] = ["==>", "=>", "->", " implies "];

/// Words between two equivalent formulas.
pub const EQUIVALENT: [&str; 2] = ["<=>", "<->"];

/// Returns the text with `==` for each `=` that is a comparison.
pub fn equations(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut before = ' ';
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        out.push(letter);
        let next = letters.peek().copied().unwrap_or(' ');
        if letter == '=' && !"<>=!".contains(before) && !"=>".contains(next) {
            out.push('=');
        }
        before = letter;
    }
    out
}

/// Returns the text with each implication in brackets rewritten with `not` and `or`.
///
/// # Errors
/// [`ErrorKind::Syntax`] for unbalanced brackets, [`ErrorKind::TooLarge`] for deeply nested ones and for long texts.
pub fn spelled(text: &str) -> Result<String, Error> {
    let mut open: Vec<String> = Vec::new();
    let mut out = String::new();
    for letter in text.chars() {
        match letter {
            '(' => open.push(std::mem::take(&mut out)),
            ')' => {
                let inner = spelled_inside(&out);
                let Some(outer) = open.pop() else {
                    let message = "a bracket is closed that is not open";
                    return Err(Error::new(ErrorKind::Syntax, 0..text.len(), message));
                };
                out = outer + "(" + &inner + ")";
            }
            _ => out.push(letter),
        }
        if out.len() > MAX_BYTES || open.len() > MAX_DEPTH {
            let message = "brackets are nested too deep, or the text is too long";
            return Err(Error::new(ErrorKind::TooLarge, 0..text.len(), message));
        }
    }
    match open.is_empty() {
        true => Ok(out),
        false => Err(Error::new(ErrorKind::Syntax, 0..text.len(), "a bracket is not closed")),
    }
}

fn spelled_inside(text: &str) -> String {
    if let Some((left, _, right)) = split_at_words(text, &EQUIVALENT) {
        let (left, right) = (spelled_inside(left), spelled_inside(right));
        return format!("(({left}) and ({right})) or (not ({left}) and not ({right}))");
    }
    let (mut premises, mut claim) = (String::new(), text);
    while let Some((premise, _, rest)) = split_at_words(claim, &IMPLIES) {
        premises += &format!("not ({premise}) or ");
        claim = rest;
    }
    match premises.is_empty() {
        true => claim.to_owned(),
        false => format!("{premises}({claim})"),
    }
}

/// Splits a text at the first of the words outside brackets: the text before it, the word, and the rest.
pub fn split_at_words<'t>(text: &'t str, words: &[&str]) -> Option<(&'t str, &'t str, &'t str)> {
    let mut depth = 0usize;
    for (at, letter) in text.char_indices() {
        match letter {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        let here = text.get(at..).unwrap_or("");
        let is_longer = here.starts_with("<=>") && !words.contains(&"<=>");
        let word = words.iter().find(|word| here.starts_with(**word));
        if let (0, Some(word), false) = (depth, word, is_longer) {
            return Some((text.get(..at)?, here.get(..word.len())?, here.get(word.len()..)?));
        }
    }
    None
}

/// Splits a list of conditions at the commas outside brackets.
pub fn conditions(mut text: &str) -> Vec<&str> {
    let mut list = Vec::new();
    while let Some((one, _, rest)) = split_at_words(text, &[","]) {
        list.push(one);
        text = rest;
    }
    list.push(text);
    list
}
