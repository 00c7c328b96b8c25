//! Code and a question about it in one text: `CODE question`, `does CODE overlap`, a question in the last comment of code.

use super::words::{Asked, asked};
use crate::token::identifiers;

/// Returns the code of a text, and the question around or behind it.
pub fn around(text: &str) -> Option<(String, String)> {
    let text = text.trim();
    commented(text).or_else(|| loops(text)).or_else(|| behind(text)).or_else(|| listed(text))
}

/// Returns what a text asks about code; words of the code are its names.
fn read(text: &str, code: &str) -> Option<Asked> {
    let text = super::uncommented(text);
    let is_name = |name: &str| identifiers(code).any(|word| word == name);
    (text.contains(' ') && text.len() <= super::LONGEST)
        .then(|| asked(text, &is_name, &is_name))
        .flatten()
}

/// Splits a question off the comment that ends code.
fn commented(text: &str) -> Option<(String, String)> {
    let last = text.rfind('\n').map_or(0, |at| at + 1);
    let marks = ["//", "# ", "/*"].iter().filter_map(|mark| Some(last + text[last..].find(mark)?));
    let at = marks.min()?;
    let (code, comment) = (text[..at].trim(), super::uncommented(&text[at..]));
    // `a // b` divides.
    let is_end = code.ends_with([';', '}', ')', ']']) || text[at..].starts_with('#') || at == last;
    (is_end && !code.is_empty() && read(comment, code).is_some())
        .then(|| (code.to_owned(), comment.to_owned()))
}

/// Splits loops off the words around them, `can for (..) a[i] = a[i + 4]; be vectorized by 4`.
fn loops(text: &str) -> Option<(String, String)> {
    let heads = ["for (", "for(", "affine.for ", "scf.for ", "affine.parallel "];
    let start = heads.iter().filter_map(|head| text.find(head)).min()?;
    let end = text.rfind([';', '}']).filter(|end| *end > start)? + 1;
    let (before, code) = (text[..start].trim(), text[start..end].trim());
    // `.. parallel? for (..)`, `.. in for (..)`
    let before = before.trim_end_matches(['?', ':']).trim_end();
    let asks = format!("{before} {}", text[end..].trim());
    read(&asks, code)?;
    // Only words before the loops: `for` itself begins them.
    let is_whole = !asks.trim().is_empty() && !code.contains('?');
    is_whole.then(|| (code.to_owned(), asks.trim().to_owned()))
}

/// Splits a question off the end of statements.
fn behind(text: &str) -> Option<(String, String)> {
    let at = text.rfind([';', '}', '\n'])? + 1;
    let (code, asks) = (text[..at].trim(), text[at..].trim());
    let is_code = code.contains(['[', '(']) && code.contains('=');
    (is_code && read(asks, code).is_some()).then(|| (code.to_owned(), asks.to_owned()))
}

/// Splits a question off code by the comma between them: `te.compute(..), is every element read`.
fn listed(text: &str) -> Option<(String, String)> {
    let mut depth = 0;
    let commas = text.char_indices().filter(|(_, sign)| {
        depth += i32::from("([{".contains(*sign)) - i32::from(")]}".contains(*sign));
        *sign == ',' && depth == 0
    });
    let parts = commas.map(|(at, _)| (text[..at].trim(), text[at + 1..].trim()));
    let asks = |(code, asks): &(&str, &str)| {
        code.contains(['(', '[']) && asks.ends_with('?') && read(asks, code).is_some()
    };
    let (code, asks) = parts.into_iter().find(asks)?;
    Some((code.to_owned(), asks.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_split_off() {
        for (text, expected) in [
            (
                "does for (i = 0; i < 9; i++) a[i] = a[i+2]; carry a dependence?",
                Some(("for (i = 0; i < 9; i++) a[i] = a[i+2];", "does carry a dependence?")),
            ),
            (
                "y[i] = x[2*i]; is the load coalesced",
                Some(("y[i] = x[2*i];", "is the load coalesced")),
            ),
            (
                "b[j] = a[j % 4] # which elements are read for j in 0..9?",
                Some(("b[j] = a[j % 4]", "which elements are read for j in 0..9?")),
            ),
            (
                "A[i, j // 4], which elements are read at i = 3, j = 5?",
                Some(("A[i, j // 4]", "which elements are read at i = 3, j = 5?")),
            ),
            // No question behind the comma, or one inside of brackets.
            ("A[i, j], A[j, i]", None),
            ("f(a, is it read?)", None),
            // A word that is not known, a comment that asks nothing, no code.
            ("is for (i = 0; i < 9; i++) a[i] = 0; green?", None),
            ("y[i] = x[i]; // as above", None),
            ("HloModule m\n\n# A map where a statement was wanted", None),
            ("is it coalesced?", None),
        ] {
            let expected = expected.map(|(code, asks)| (code.to_owned(), asks.to_owned()));
            assert_eq!(around(text), expected, "{text}");
        }
    }
}
