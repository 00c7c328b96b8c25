//! Matches a text against a form of a question, whose words have alternatives and whose holes take texts.
//!
//! Law: a text in a hole ends at the first place where the next words stand and the rest of the form fits after them; of several
//! alternatives there, the earliest that fits is taken, and no words at all only if none stand anywhere.

use super::array::closing;
use super::numbers::integers;
use crate::bare::{is_cute, is_map};
use affinor::text::is_name;

/// A part of a form.
pub enum Part {
    /// Words between two holes: the alternatives of each; an empty alternative means no word.
    Words(Vec<Vec<String>>),
    /// A text of one kind.
    Hole(Hole),
}

/// The texts that a hole takes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Hole {
    /// `{}`: any text.
    Text,
    /// `{w}`: a word.
    Word,
    /// `{i}`: a number of at least 0.
    Number,
    /// `{m}`: an arithmetic expression.
    Value,
    /// `{l}`: a layout of CuTe without a swizzle.
    Layout,
    /// `{n}`: names, with commas between them.
    Names,
    /// `{s}`: sizes, `4x5`, `(4, 5)`, or a shape without a layout, whose elements lie in the order of their indices.
    Sizes,
    /// `{t}`: a tuple in brackets.
    Tuple,
    /// `{r}`: sizes, a shape or a memref.
    Shape,
    /// `{e}`: an element of an array, `a[i][j]`.
    Element,
    /// `{b}`: an element of an array, with its bounds.
    Bounded,
    /// `{v}`: an arithmetic expression in a single variable.
    OfOne,
    /// `{>}`: a map, or its name.
    Map,
    /// `{a}`: a map that is written, with its arrow.
    Arrow,
    /// `{o}`: the sign of a comparison.
    Sign,
    /// `{?}`: a comparison, without words.
    Claim,
    /// `{c}`: a call of a method of an array, or its subscripts, without words.
    Call,
}

impl Hole {
    fn of(word: &str) -> Option<Hole> {
        Some(match word.strip_prefix('{')?.strip_suffix('}')? {
            "" => Hole::Text,
            "w" => Hole::Word,
            "i" => Hole::Number,
            "m" => Hole::Value,
            "l" => Hole::Layout,
            "n" => Hole::Names,
            "s" => Hole::Sizes,
            "t" => Hole::Tuple,
            "r" => Hole::Shape,
            "e" => Hole::Element,
            "b" => Hole::Bounded,
            "v" => Hole::OfOne,
            ">" => Hole::Map,
            "a" => Hole::Arrow,
            "o" => Hole::Sign,
            "?" => Hole::Claim,
            "c" => Hole::Call,
            _ => return None,
        })
    }

    /// Returns whether the text is one word, whatever follows.
    fn is_word(self) -> bool {
        matches!(self, Hole::Word | Hole::Number | Hole::Sign)
    }

    pub fn takes(self, text: &str) -> bool {
        match self {
            Hole::Text | Hole::Word => true,
            Hole::Number => text.parse::<u64>().is_ok(),
            Hole::Value => says(text) && text.split(' ').all(|word| word != "="),
            Hole::Layout => {
                is_cute(text) && text.contains(':') && !text.contains(char::is_alphabetic)
            }
            Hole::Names => text.replace(" and ", ",").split(',').all(|name| is_name(name.trim())),
            Hole::Sizes => shape(text).is_some() && !text.contains(['{', '<']),
            Hole::Tuple => text.starts_with('(') && closing(text) == Some(text.len() - 1),
            Hole::Shape => shape(text).is_some(),
            Hole::Element => is_element(text),
            Hole::Bounded => text.split(" for ").next().is_some_and(is_element),
            Hole::Call => is_call(text),
            Hole::Sign => matches!(text, "<" | "<=" | ">" | ">=" | "==" | "!="),
            Hole::Claim => is_claim(text),
            Hole::OfOne => Hole::Value.takes(text) && has_one_name(text),
            Hole::Map => is_name(text) || Hole::Arrow.takes(text),
            Hole::Arrow => is_map(text) && text.contains("->"),
        }
    }
}

/// Returns whether a text is a statement or an arithmetic expression, not English.
pub fn says(text: &str) -> bool {
    let is_operator = |word| matches!(word, "mod" | "floordiv" | "ceildiv");
    let has_digit = text.contains(|c: char| c.is_ascii_digit());
    text.contains(['=', '<', '>', '/', '%', '*', '+'])
        || has_digit && text.split(' ').any(is_operator)
}

/// Returns whether two values are beside each other, as a command and its argument are, or words of English.
pub fn is_prose(text: &str) -> bool {
    let is_operator = |word: &str| matches!(word, "mod" | "floordiv" | "ceildiv" | "div" | "rem");
    let begins = |word: &str| word.starts_with(|c: char| c.is_alphanumeric() || c == '(');
    let ends = |word: &str| word.ends_with(|c: char| c.is_alphanumeric() || c == ')');
    let parts: Vec<&str> = text.split_whitespace().collect();
    parts
        .windows(2)
        .any(|pair| ends(pair[0]) && begins(pair[1]) && !pair.iter().any(|word| is_operator(word)))
}

/// Returns whether a text is an array with methods or subscripts after it, without an operator around them.
fn is_call(text: &str) -> bool {
    let mut depth = 0;
    let outside = text.chars().filter(|c| {
        depth += i32::from("([".contains(*c)) - i32::from(")]".contains(*c));
        depth == 0
    });
    let is_chain = outside.into_iter().all(|c| c.is_alphanumeric() || "_.)]".contains(c));
    let is_end = text.ends_with([')', ']']) || text.ends_with(".T");
    is_chain && is_end && !text.starts_with(['(', '[']) && !crate::bare::is_shape(text)
}

/// Returns whether a text compares values, among which no two names are beside each other.
fn is_claim(text: &str) -> bool {
    let claim = text.split(" for ").next().unwrap_or(text);
    let is_joint = |word: &str| matches!(word, "mod" | "floordiv" | "ceildiv" | "and" | "or");
    let is_word = |word: &str| is_name(word) && !is_joint(word);
    let words: Vec<&str> = claim.split_whitespace().collect();
    !text.contains(['{', ';', '\n'])
        && words.iter().any(|word| Hole::Sign.takes(word))
        && words.windows(2).all(|pair| !pair.iter().all(|word| is_word(word)))
}

/// Returns whether an expression has a single variable, apart from those in its bounds.
fn has_one_name(text: &str) -> bool {
    let value = text.split(" for ").next().unwrap_or(text);
    let words = value.split(|c: char| !(c.is_alphanumeric() || "_.".contains(c)));
    let mut names = words.filter(|word| {
        word.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && !matches!(*word, "mod" | "floordiv" | "ceildiv" | "min" | "max")
    });
    let first = names.next();
    first.is_some_and(|first| names.all(|name| name == first))
}

fn is_element(text: &str) -> bool {
    let Some((name, mut rest)) = text.find('[').map(|open| text.split_at(open)) else {
        return false;
    };
    while let Some(close) = closing(rest).filter(|_| rest.starts_with('[')) {
        rest = &rest[close + 1..];
    }
    is_name(name) && rest.is_empty()
}

/// Returns the shape with these sizes; its type is f32 if none is given.
pub fn shape(text: &str) -> Option<String> {
    let is_memref = text.starts_with("memref<") && text.ends_with('>');
    if is_memref || text.contains('[') && !text.starts_with('[') && !text.contains(' ') {
        return Some(text.to_owned());
    }
    let sizes = text.trim_start_matches(['(', '[']).trim_end_matches([')', ']']);
    let sizes =
        if sizes.contains(',') { sizes.to_owned() } else { sizes.replace(['x', '×'], ",") };
    let sizes = integers(&sizes).ok().filter(|sizes| sizes.iter().all(|size| *size > 0))?;
    let sizes: Vec<String> = sizes.iter().map(i64::to_string).collect();
    Some(format!("f32[{}]", sizes.join(",")))
}

/// Parses a form: `a|b` are alternatives, `_` means no word, and `+` joins words.
pub fn parsed(form: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    for word in form.split(' ') {
        let spelt = |word: &str| if word == "_" { String::new() } else { word.replace('+', " ") };
        match (Hole::of(word), parts.last_mut()) {
            (Some(hole), _) => parts.push(Part::Hole(hole)),
            (None, Some(Part::Words(words))) => words.push(word.split('|').map(spelt).collect()),
            (None, _) => parts.push(Part::Words(vec![word.split('|').map(spelt).collect()])),
        }
    }
    parts
}

/// Returns the holes of a form.
pub fn holes(parts: &[Part]) -> impl Iterator<Item = Hole> {
    parts.iter().filter_map(|part| match part {
        Part::Hole(hole) => Some(*hole),
        Part::Words(_) => None,
    })
}

/// Returns the texts in the holes of a form; `lower` is `text` in lower case. Only the last of several texts may be empty.
pub fn texts<'t>(parts: &[Part], text: &'t str, lower: &str) -> Option<Vec<&'t str>> {
    let mut found = Vec::new();
    let is_match = text.len() == lower.len() && fits(parts, (text, lower), 0, None, &mut found);
    let full = found.len().saturating_sub(usize::from(found.len() > 1)).max(1);
    (is_match && found.iter().take(full).all(|part| !part.is_empty())).then_some(found)
}

/// Matches from `at` on, where a text of the kind `open` may have begun.
fn fits<'t>(
    parts: &[Part],
    (text, lower): (&'t str, &str),
    at: usize,
    open: Option<Hole>,
    found: &mut Vec<&'t str>,
) -> bool {
    let Some(rest) = text.get(at..) else { return false };
    let Some((part, behind)) = parts.split_first() else {
        let last = rest.trim();
        match open {
            // The bounds may be missing after the last words.
            Some(hole) if hole.takes(last) => found.push(last),
            _ => return open.is_none() && last.is_empty(),
        }
        return true;
    };
    match part {
        Part::Words(words) => {
            let known = found.len();
            let places = starts(rest).take(if open.is_some() { usize::MAX } else { 1 });
            for start in places {
                let one = rest[..start].trim();
                let mut all = Vec::new();
                ends(words, lower, at + start, &mut all);
                all.retain(|end| *end > at + start);
                if all.is_empty() || open.is_some_and(|hole| !hole.takes(one)) {
                    continue;
                }
                for end in all {
                    found.truncate(known);
                    found.extend(open.map(|_| one));
                    if fits(behind, (text, lower), end, None, found) {
                        return true;
                    }
                }
            }
            found.truncate(known);
            let may_be_none = words.iter().all(|word| word.iter().any(String::is_empty));
            may_be_none && fits(behind, (text, lower), at, open, found)
        }
        Part::Hole(_) if open.is_some() => false,
        Part::Hole(hole) if hole.is_word() => {
            let Some(word) = rest.split_whitespace().next().filter(|word| hole.takes(word)) else {
                return false;
            };
            let start = rest.len() - rest.trim_start().len();
            found.push(word);
            fits(behind, (text, lower), at + start + word.len(), None, found)
        }
        Part::Hole(hole) => fits(behind, (text, lower), at, Some(*hole), found),
    }
}

/// Returns the positions of the words of a text.
fn starts(text: &str) -> impl Iterator<Item = usize> {
    let mut is_behind_space = true;
    text.char_indices().filter_map(move |(at, c)| {
        let was_space = std::mem::replace(&mut is_behind_space, c.is_whitespace());
        (was_space && !c.is_whitespace()).then_some(at)
    })
}

/// Adds the positions after the words that stand at `at`, the earliest alternatives first.
fn ends(words: &[Vec<String>], lower: &str, at: usize, found: &mut Vec<usize>) {
    let Some((alternatives, behind)) = words.split_first() else {
        found.push(at);
        return;
    };
    let rest = lower[at..].trim_start();
    for word in alternatives {
        match rest.strip_prefix(word.as_str()) {
            Some(_) if word.is_empty() => ends(behind, lower, at, found),
            // Bounds may follow a comma, which stays before them.
            Some(left)
                if left.is_empty()
                    || left.starts_with(char::is_whitespace)
                    || behind.is_empty() && left.starts_with(", ") =>
            {
                ends(behind, lower, lower.len() - left.len(), found);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holes_take_their_kinds() {
        let found = |form: &str, text: &str| {
            texts(&parsed(form), text, &text.to_ascii_lowercase()).map(|found| found.join(" | "))
        };
        for (form, text, expected) in [
            ("row|col of {i} in a|_ {s}", "Row of 17 in a 4x5", Some("17 | 4x5")),
            ("row|col of {i} in a|_ {s}", "row of 17 in a house", None),
            ("row|col of {i} in a|_ {s}", "row of x in 4x5", None),
            ("row|col of {i} in a|_ {s}", "row of 3 in f32[4,5]{0,1}", None),
            (
                "{e} conflicts {}",
                "s[i][j] conflicts for i in range(9)",
                Some("s[i][j] | for i in range(9)"),
            ),
            ("{e} conflicts {}", "s[i] + 1 conflicts", None),
            ("find {n} with {}", "find x, y with x + y < 3", Some("x, y | x + y < 3")),
            ("find {n} with {}", "find a way with x < 3", None),
            ("{>} then {>}", "f then (i) -> (i)", Some("f | (i) -> (i)")),
            ("{>} then {>}", "if a then b", None),
            ("{>} then {>}", "let then = (i) -> (i)", None),
            ("same element of {v}", "same element of t % 4 + t", Some("t % 4 + t")),
            ("same element of {v}", "same element of t % 4 + k for k in range(2)", None),
            ("same element of {v}", "same element of f", None),
            ("{a} == {a}", "(i) -> (i) == f", None),
            ("do {?}", "do i mod 4 < 4", Some("i mod 4 < 4")),
            ("do {?}", "do { i++; } while (i < 4)", None),
            ("does {?}", "does i wrap < 4", None),
            ("what is {m}", "what is -7 mod 3", Some("-7 mod 3")),
            ("what is {m}", "what is mod", None),
        ] {
            assert_eq!(found(form, text).as_deref(), expected, "{text}");
        }
        assert_eq!(shape("(4, 5)").as_deref(), Some("f32[4,5]"));
        assert_eq!(shape("s8[4]{0}").as_deref(), Some("s8[4]{0}"));
        assert_eq!(shape("0x5"), None);
    }
}
