//! What a question says of the texts in its holes: the conditions behind it, the name, the elements, the identity on a map.
//!
//! Law: a condition says the same behind `where`; the same name in the indices of two elements may have two values, so such a
//! question has no line.

use super::holes::{Hole, says};
use crate::token::names;
use affinor::text::is_name;

/// Returns a question without nouns that say nothing more: `is every offset of E < 9` is `is E < 9`, and what an op reads is an
/// element of its input.
pub fn without_nouns(text: &str) -> String {
    const NOUNS: [&str; 9] =
        ["offset", "index", "indice", "value", "address", "element", "entry", "position", "result"];
    let of = ["its input", "its operand", "the input", "the operand", "its inputs", "its operands"];
    let text = of.iter().fold(text.to_owned(), |text, of| text.replace(&format!(" of {of} "), " "));
    let words: Vec<&str> = text.splitn(5, ' ').collect();
    let is_noun = |word: &str| {
        let one = word.strip_suffix("es").or(word.strip_suffix('s')).unwrap_or(word);
        NOUNS.contains(&word) || NOUNS.contains(&one)
    };
    match words[..] {
        [
            "is" | "are" | "Is" | "Are",
            "every" | "each" | "all" | "any",
            noun,
            "of" | "in",
            rest,
        ] if is_noun(noun) => {
            format!("is {rest}")
        }
        _ => text,
    }
}

/// Returns a line with a condition behind a word of English, `P if i < 8`, behind `where`.
pub fn under_condition(line: String) -> String {
    const WORDS: [&str; 10] = [
        " if ",
        " when ",
        " whenever ",
        " assuming that ",
        " assuming ",
        " provided that ",
        " provided ",
        " given that ",
        " as long as ",
        " so long as ",
    ];
    // `P for x = 16`
    let is_value = |part: &str| {
        let sides = part.split_once('=').map(|(name, value)| (name.trim(), value.trim()));
        sides.is_some_and(|(name, value)| is_name(name) && value.parse::<i64>().is_ok())
    };
    let of_values = line.rsplit_once(" for ");
    let of_values = of_values.filter(|(_, list)| list.split(", ").all(is_value));
    let found = of_values.or_else(|| WORDS.iter().find_map(|word| line.rsplit_once(word)));
    match found {
        Some((claim, condition)) if says(condition) && !condition.contains(" else ") => {
            format!("{} where {condition}", claim.trim_end().trim_end_matches(','))
        }
        _ => line,
    }
}

/// Returns the indices of the elements that a question is about. The same name in the indices of two elements may have two values.
pub fn elements(parts: Vec<&str>) -> Option<Vec<&str>> {
    let is_element = |part: &&&str| Hole::Element.takes(part);
    let words = |part: &str| -> Vec<String> { names(part).map(str::to_owned).collect() };
    if let [first, second, ..] = parts[..]
        && parts.iter().take(2).filter(is_element).count() == 2
    {
        let ((array, index), (other, second)) = (first.split_once('[')?, second.split_once('[')?);
        let (used, others) = (words(index), words(second));
        if array != other || used.iter().any(|name| others.contains(name)) {
            return None;
        }
    }
    if parts.iter().any(|part| Hole::Element.takes(part) && part.contains("][")) {
        return None;
    }
    // `can x * 4 be loaded as float4` compares no numbers.
    let is_compared =
        parts.get(1).is_none_or(|part| !part.contains(' ') || says(part) || part.contains(','));
    let inner = |part| match Hole::Element.takes(part) {
        true => part.split_once('[').map_or(part, |(_, inner)| inner.trim_end_matches(']')),
        false => part,
    };
    is_compared.then(|| parts.into_iter().map(inner).collect())
}

/// Returns the identity on the dimensions of a map that is written.
pub fn identity(map: &str) -> Option<String> {
    let (names, rest) =
        map.trim_start_matches("affine_map<").trim().strip_prefix('(')?.split_once(')')?;
    let is_plain = rest.trim_start().starts_with("->");
    let same = format!("({names}) -> ({names})");
    match map.find(", domain:") {
        _ if !is_plain => None,
        Some(at) => Some(format!("{same}{}", &map[at..])),
        None => map.starts_with("affine_map<").then(|| format!("affine_map<{same}>")),
    }
}

/// Returns the name in a condition on a single one: `x` in `x > 0`.
pub fn only_name(text: &str) -> Option<&str> {
    names(text).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_filled_in() {
        for (text, expected) in [
            ("is every offset of x * 4 < 9 for x in range(2)", "is x * 4 < 9 for x in range(2)"),
            ("are all addresses of x * 4 even", "is x * 4 even"),
            ("what elements of its input does f read", "what elements does f read"),
            ("is every day of x good", "is every day of x good"),
        ] {
            assert_eq!(without_nouns(text), expected);
        }
        for (line, expected) in [
            ("x < 3 if x < 2", "x < 3 where x < 2"),
            ("(x) == 0 for x = 16", "(x) == 0 where x = 16"),
            ("x if x > 0 else 0", "x if x > 0 else 0"),
            ("x for x in range(3)", "x for x in range(3)"),
        ] {
            assert_eq!(under_condition(line.to_owned()), expected);
        }
        assert_eq!(elements(vec!["a[2*i]", "a[2*j+1]"]), Some(vec!["2*i", "2*j+1"]));
        for other in ["b[2*j]", "a[i+1]"] {
            assert_eq!(elements(vec!["a[2*i]", other]), None, "{other}");
        }
        assert_eq!(elements(vec!["a[i][j]"]), None);
        assert_eq!(elements(vec!["x * 4", "loaded as float4"]), None);
        let of = "affine_map<(i, j) -> (j, i)>";
        assert_eq!(identity(of).as_deref(), Some("affine_map<(i, j) -> (i, j)>"));
        let of = "(i) -> (i // 2), domain: i in [0, 3]";
        assert_eq!(identity(of).as_deref(), Some("(i) -> (i), domain: i in [0, 3]"));
        assert_eq!(identity("affine_map<(i)[s] -> (i + s)>"), None);
    }
}
