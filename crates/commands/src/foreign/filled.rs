//! The statements of a question about the texts in its holes: the conditions after it, the name, the elements, the identity on a map.
//!
//! Law: a condition says the same after `where`; the same name in the indices of two elements may have two values, so such a
//! question has no line.

use super::holes::{Hole, says};
use super::vectors::ELEMENTS;
use crate::token::{listed, names};
use affinor::expr::{IndexingMap, VariableKind};
use affinor::text::{is_name, parse_map};

/// Returns a question without nouns that say nothing more: `is every offset of E < 9` is `is E < 9`, and what an op reads is an
/// element of its input.
pub fn without_nouns(text: &str) -> String {
    const NOUNS: [&str; 9] =
        ["offset", "index", "indice", "value", "address", "element", "entry", "position", "result"];
    let of = ["its input", "its operand", "the input", "the operand", "its inputs", "its operands"];
    let text = of.iter().fold(by_sizes(text), |text, of| text.replace(&format!(" of {of} "), " "));
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

/// Returns a text with `5 by 8` as `5x8`.
fn by_sizes(text: &str) -> String {
    let words: Vec<&str> = text.split(' ').collect();
    let is_number = |word: Option<&&str>| word.is_some_and(|word| word.parse::<u32>().is_ok());
    let (mut made, mut at) = (String::new(), 0);
    while at < words.len() {
        made += words[at];
        let is_by = words.get(at + 1) == Some(&"by");
        let is_size = is_number(words.get(at)) && is_by && is_number(words.get(at + 2));
        made += if is_size { "x" } else { " " };
        at += if is_size { 2 } else { 1 };
    }
    made.trim_end().to_owned()
}

/// Returns the product of all sizes in brackets: `<<<(16, 4), 256>>>`.
pub fn product(text: &str) -> Option<String> {
    // Sizes may be computed: `(cdiv(1000, 128), 4)`
    if let Some(inner) = text.strip_prefix('(').and_then(|text| text.strip_suffix(')'))
        && text.contains("cdiv(")
    {
        return Some(listed(inner).join(" * "));
    }
    let sizes = text.trim_start_matches("f32[").replace(['<', '>', '(', ')', '[', ']'], " ");
    let sizes: Vec<&str> = sizes.split([',', ' ']).filter(|size| !size.is_empty()).collect();
    let are_sizes = !sizes.is_empty() && sizes.iter().all(|size| size.parse::<u32>().is_ok());
    are_sizes.then(|| sizes.join(" * "))
}

/// Returns the type of the elements before the first text, `float a[threadIdx.x]`, and the texts without it.
pub fn typed(mut parts: Vec<String>) -> (Option<String>, Vec<String>) {
    let first = parts.first().and_then(|part| part.split_once(' '));
    let first = first.filter(|(kind, rest)| {
        rest.contains('[') && ELEMENTS.iter().any(|(known, _)| known == kind)
    });
    let Some((kind, rest)) = first.map(|(kind, rest)| (format!(" of {kind}"), rest.to_owned()))
    else {
        return (None, parts);
    };
    parts[0] = rest;
    (Some(kind), parts)
}

/// Returns the digits of a number in a base, the highest first.
pub fn digits(number: &str, base: &str) -> Option<String> {
    let base: u64 = base.parse().ok().filter(|base| (2..=36).contains(base))?;
    let (mut rest, mut weights) = (number.parse::<u64>().ok()?, vec![1]);
    while rest >= base {
        weights.push(weights.last()? * base);
        rest /= base;
    }
    let digit = |weight: &u64| format!("{number} // {weight} % {base}");
    Some(format!("({})", weights.iter().rev().map(digit).collect::<Vec<_>>().join(", ")))
}

/// Returns `compose B ; A` for `compose A ; B` if only this order fits: `compose A with B` does not say which map comes first.
pub fn fitting(line: String) -> String {
    let sides = line.strip_prefix("compose ").and_then(|rest| rest.split_once(" ; "));
    let swapped = sides.and_then(|(first, second)| {
        let (a, b) = (parse_map(first.trim()).ok()?, parse_map(second.trim()).ok()?);
        let takes = |map: &IndexingMap| map.domain().count(VariableKind::Dimension);
        let is_other = a.results().len() != takes(&b) && b.results().len() == takes(&a);
        is_other.then(|| format!("compose {} ; {}", second.trim(), first.trim()))
    });
    swapped.unwrap_or(line)
}

/// Returns the position `k` of an element of a matrix in column-major order as that in row-major order, or the other way round.
pub fn reordered(sizes: &str, to_rows: bool) -> Option<String> {
    let sizes = sizes.strip_prefix("f32[")?.strip_suffix(']')?;
    let sizes: Option<Vec<u32>> = sizes.split(',').map(|size| size.parse().ok()).collect();
    let [rows, columns] = sizes?[..] else { return None };
    let (minor, other) = if to_rows { (rows, columns) } else { (columns, rows) };
    let count = rows.checked_mul(columns)?;
    Some(format!("k % {minor} * {other} + k // {minor} for k in range({count})"))
}

/// Returns `eval MAP 2,3,10` for `at MAP ; (2, 3)[10]`; any other line stays as it is.
pub fn applied(line: String) -> Option<String> {
    let Some((map, point)) = line.strip_prefix("at ").and_then(|line| line.split_once(" ; "))
    else {
        return Some(line);
    };
    let numbers = point.replace([')', ']'], ",").replace(['(', '[', ' '], "");
    let numbers: Vec<&str> = numbers.split(',').filter(|number| !number.is_empty()).collect();
    let are_numbers = numbers.iter().all(|number| number.parse::<i64>().is_ok());
    are_numbers.then(|| format!("eval {map} {}", numbers.join(",")))
}

/// Returns a question about an array in column-major order without these words.
pub fn without_order(text: &str) -> Option<String> {
    const WORDS: [&str; 8] = [
        "in column-major order, ",
        "in column-major order",
        "in column major order, ",
        "in column major order",
        "in Fortran order",
        "column-major ",
        "column major ",
        "Fortran-order ",
    ];
    let word = WORDS.iter().find(|word| text.contains(**word))?;
    Some(text.replacen(word, "", 1).trim().to_owned())
}

/// Returns the line about an element of sizes in row-major order as one about column-major order.
pub fn by_columns(line: &str) -> Option<String> {
    let (sizes, rest) = line.strip_prefix("layout f32[")?.split_once(']')?;
    let order: Vec<String> = (0..sizes.split(',').count()).map(|axis| axis.to_string()).collect();
    rest.starts_with(" --").then(|| format!("layout f32[{sizes}]{{{}}}{rest}", order.join(",")))
}

/// Returns a line with a condition after an English word, `P if i < 8`, moved after `where`.
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
            ("index 37 in a 5 by 8 matrix", "index 37 in a 5x8 matrix"),
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
        for (line, expected) in [
            ("at (i) -> (i) ; 5", Some("eval (i) -> (i) 5")),
            ("at f ; (2, 3)[10]", Some("eval f 2,3,10")),
            ("at f ; all points", None),
            ("i + j", Some("i + j")),
        ] {
            assert_eq!(applied(line.to_owned()).as_deref(), expected);
        }
        assert_eq!(product("<<<(16, 4), 256>>>").as_deref(), Some("16 * 4 * 256"));
        assert_eq!(product("(16, n)"), None);
        let rest = without_order("in column-major order, element 1");
        assert_eq!(rest.as_deref(), Some("element 1"));
        let line = by_columns("layout f32[4,5] --index 2,3");
        assert_eq!(line.as_deref(), Some("layout f32[4,5]{0,1} --index 2,3"));
        assert_eq!(by_columns("layout f32[4,5]{1,0} --index 2,3"), None);
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
