//! Code and a question about it in one text: `CODE question`, `question? CODE`, `does CODE overlap`, a question in the last
//! comment of code.

use super::comments::comments;
use super::facts;
use super::words::{Asked, asked};
use crate::bare::is_paste;
use crate::foreign::clauses;
use crate::token::identifiers;

/// Words that sizes after code begin with.
const CLAUSES: [&str; 8] = ["with", "given", "assuming", "when", "if", "for", "where", "in"];

/// Returns the code of a text, and the question around or after it.
pub fn around(text: &str) -> Option<(String, String)> {
    let text = text.trim();
    commented(text)
        .or_else(|| loops(text))
        .or_else(|| before(text))
        .or_else(|| behind(text))
        .or_else(|| listed(text))
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
    let last = comments(text).pop().filter(|last| !text[last.at..].contains('\n'))?;
    let code = text[..last.at].trim();
    (!code.is_empty() && read(last.text, code).is_some())
        .then(|| (code.to_owned(), last.text.to_owned()))
}

/// Splits a question off the code after it: `is it coalesced? v = a[i * 2]`. Sizes after the code belong to the question.
pub fn before(text: &str) -> Option<(String, String)> {
    parts(text).find_map(|(asks, code)| {
        let (code, sizes) = sized(code);
        let asks = format!("{} {sizes}", asks.trim_end_matches('?')).trim().to_owned();
        read(&asks, code).map(|_| (code.to_owned(), asks))
    })
}

/// Returns whether a text is a question before a statement of code, but the question is not understood.
pub fn is_unread(text: &str) -> bool {
    let is_asked = |(asks, code): (&str, &str)| clauses::asks(asks) && code.contains('=');
    before(text).is_none() && parts(text).any(is_asked)
}

/// Returns questions and the code after them, as the signs of a text may part it.
fn parts(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let text = text.trim();
    let is_end = move |(at, sign): &(usize, char)| {
        matches!(sign, '?' | ':') && text[at + 1..].starts_with([' ', '\n']) || *sign == '\n'
    };
    let ends = text.char_indices().filter(is_end);
    let parts = ends.map(|(at, _)| (super::uncommented(&text[..at]), text[at + 1..].trim()));
    parts.filter(|(asks, code)| {
        super::is_asking(asks) && is_paste(code) && code.contains(['[', '('])
    })
}

/// Splits the sizes off the end of code, `.. a[i] = 0; with blockDim.x = 128`.
fn sized(code: &str) -> (&str, &str) {
    let code = code.trim_end_matches(['?', '.']);
    let is_clause = |tail: &str, words: &[&str]| {
        let first = tail.split(' ').next().unwrap_or("");
        words.contains(&first) && facts::read(tail).is_some()
    };
    let last = code.rfind([';', '}', '\n']).map_or(0, |at| at + 1);
    let tail = code[last..].trim();
    if is_clause(tail, &CLAUSES) {
        return (code[..last].trim(), tail);
    }
    // Bounds after a value, `for i in range(8)`, are its own.
    let spaces = code.match_indices(' ').map(|(at, _)| at);
    let mut tails = spaces.map(|at| (code[..at].trim(), code[at..].trim()));
    tails.find(|(_, tail)| is_clause(tail, &CLAUSES[..4])).unwrap_or((code, ""))
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

/// Splits a question off the end of statements, or of a single one before the first word of a question.
fn behind(text: &str) -> Option<(String, String)> {
    let is_one = |code: &str, asks: &str| {
        let is_code = code.contains(['[', '(']) && code.contains('=') && is_paste(code);
        is_code && read(asks, code).is_some()
    };
    let split = |at: usize| (text[..at].trim(), text[at..].trim());
    let of_statements = text.rfind([';', '}', '\n']).map(|at| split(at + 1));
    let of_statements = of_statements.filter(|(code, asks)| is_one(code, asks));
    let of_words = || {
        let spaces = text.match_indices(' ').map(|(at, _)| split(at));
        let mut tails = spaces.filter(|(code, asks)| {
            text.ends_with('?') && clauses::asks(asks) && !clauses::asks(code)
        });
        tails.find(|(code, asks)| is_one(code, asks))
    };
    let (code, asks) = of_statements.or_else(of_words)?;
    Some((code.to_owned(), asks.to_owned()))
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
            (
                "is this load coalesced? float v = A[tid * 4]; // blockDim.x = 256",
                Some(("float v = A[tid * 4]; // blockDim.x = 256", "is this load coalesced")),
            ),
            (
                "which element does thread 3 read: x = in[tid ^ 5]; with blockDim.x = 128",
                Some((
                    "x = in[tid ^ 5];",
                    "which element does thread 3 read with blockDim.x = 128",
                )),
            ),
            (
                "do two programs write the same element?\ny[pid * 4] = 0\nz[pid] = 1",
                Some(("y[pid * 4] = 0\nz[pid] = 1", "do two programs write the same element")),
            ),
            (
                "# does it stay in bounds?\ny[pid * 4] = 0 with 4 programs",
                Some(("y[pid * 4] = 0", "does it stay in bounds with 4 programs")),
            ),
            (
                "%b = f32[8]{0} reverse(%a), dimensions={0}   which element of a does b[5] read?",
                Some((
                    "%b = f32[8]{0} reverse(%a), dimensions={0}",
                    "which element of a does b[5] read?",
                )),
            ),
            (
                "%v = vector.load %m[%i] : memref<8xf32>, vector<4xf32>  // is it in bounds?",
                Some((
                    "%v = vector.load %m[%i] : memref<8xf32>, vector<4xf32>",
                    "is it in bounds?",
                )),
            ),
            // A question about the value in it, code that is none.
            ("is it coalesced? yes", None),
            ("x = a if is_it(b) else c", None),
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
