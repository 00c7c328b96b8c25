//! Matches a text against a form of a question, whose words have alternatives and whose holes take texts.
//!
//! Law: of several matches, the one with the earliest alternatives is taken; a text in a hole ends at the first place where the
//! next words stand.

use super::array::closing;
use super::numbers::integers;
use crate::bare::{is_cute, is_map};
use affinor::text::is_name;

/// A part of a form.
pub enum Part {
    /// Words between two holes, in each spelling.
    Words(Vec<String>),
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
    /// `{i}`: a number that is no negative one.
    Number,
    /// `{m}`: a value of arithmetic.
    Value,
    /// `{l}`: a layout of CuTe without a swizzle.
    Layout,
    /// `{n}`: names, with commas between them.
    Names,
    /// `{s}`: sizes, `4x5`, `(4, 5)`, or a shape without a layout, whose elements lie in the order of their indices.
    Sizes,
    /// `{r}`: sizes, a shape or a memref.
    Shape,
    /// `{e}`: an element of an array, `a[i][j]`.
    Element,
    /// `{>}`: a map, or its name.
    Map,
    /// `{c}`: a call of a method of an array, without words.
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
            "r" => Hole::Shape,
            "e" => Hole::Element,
            ">" => Hole::Map,
            "c" => Hole::Call,
            _ => return None,
        })
    }

    /// Whether the text is one word, whatever follows.
    fn is_word(self) -> bool {
        matches!(self, Hole::Word | Hole::Number)
    }

    fn takes(self, text: &str) -> bool {
        match self {
            Hole::Text | Hole::Word => true,
            Hole::Number => text.parse::<u64>().is_ok(),
            Hole::Value => says(text) && text.split(' ').all(|word| word != "="),
            Hole::Layout => {
                is_cute(text) && text.contains(':') && !text.contains(char::is_alphabetic)
            }
            Hole::Names => text.split(',').all(|name| is_name(name.trim())),
            Hole::Sizes => shape(text).is_some() && !text.contains(['{', '<']),
            Hole::Shape => shape(text).is_some(),
            Hole::Element => is_element(text),
            Hole::Call => text.contains('.') && text.ends_with(')') && !text.starts_with('('),
            Hole::Map => is_name(text) || is_map(text) && text.contains("->"),
        }
    }
}

/// Whether a text is a statement or a value of arithmetic, not of English.
pub fn says(text: &str) -> bool {
    let is_operator = |word| matches!(word, "mod" | "floordiv" | "ceildiv");
    let has_digit = text.contains(|c: char| c.is_ascii_digit());
    text.contains(['=', '<', '>', '/', '%', '*', '+'])
        || has_digit && text.split(' ').any(is_operator)
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

/// Returns the shape that sizes are, of f32 where they have no type.
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

/// Parses a form: `a|b` are alternatives, of which `_` is no word and `+` joins words.
pub fn parsed(form: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    for word in form.split(' ') {
        if let Some(hole) = Hole::of(word) {
            parts.push(Part::Hole(hole));
            continue;
        }
        let known = match parts.pop() {
            Some(Part::Words(known)) => known,
            hole => {
                parts.extend(hole);
                vec![String::new()]
            }
        };
        let with = |start: &String, word: &str| match word {
            "_" => start.clone(),
            _ if start.is_empty() => word.replace('+', " "),
            _ => format!("{start} {}", word.replace('+', " ")),
        };
        let longer =
            known.iter().flat_map(|start| word.split('|').map(move |word| with(start, word)));
        parts.push(Part::Words(longer.collect()));
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
            // The bounds may be missing behind the last words.
            Some(hole) if hole.takes(last) => found.push(last),
            _ => return open.is_none() && last.is_empty(),
        }
        return true;
    };
    match part {
        Part::Words(spellings) => spellings.iter().any(|words| {
            if words.is_empty() {
                return fits(behind, (text, lower), at, open, found);
            }
            let start = between_spaces(&lower[at..], words);
            let known = found.len();
            let Some(start) =
                start.filter(|start| open.is_some() || rest[..*start].trim().is_empty())
            else {
                return false;
            };
            if let Some(hole) = open {
                let one = rest[..start].trim();
                if !hole.takes(one) {
                    return false;
                }
                found.push(one);
            }
            let is_match = fits(behind, (text, lower), at + start + words.len(), None, found);
            if !is_match {
                found.truncate(known);
            }
            is_match
        }),
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

/// Returns the position of words with spaces or an end of the text on both sides.
fn between_spaces(text: &str, words: &str) -> Option<usize> {
    let mut places = text.match_indices(words).map(|(at, _)| at);
    places.find(|at| {
        let (before, behind) = (&text[..*at], &text[at + words.len()..]);
        (before.is_empty() || before.ends_with(char::is_whitespace))
            && (behind.is_empty() || behind.starts_with(char::is_whitespace))
    })
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
