//! Questions that several lines answer: a pair of inverses, an exact cover, code of the simplified value, a quotient in two
//! languages, an element of a declared array.
//!
//! Law: each line is shown; together they have the meaning of the question.

use super::declared::addressed;
use super::domains::counted_from_zero;
use super::holes::{Hole, Part, is_prose, parsed, texts};
use super::ranges::dotted;
use std::sync::LazyLock;

/// Forms with their lines. [`super::holes`] defines their words and holes.
const FORMS: [(&str, &[&str]); 7] = [
    (
        "are {>} and {>} inverses|inverse|mutual+inverses of|to|_ each|_ other|_",
        &["compose {0} ; {1} --simplify", "compose {1} ; {0} --simplify"],
    ),
    (
        "is {>} the|an|_ inverse of|to {>}",
        &["compose {0} ; {1} --simplify", "compose {1} ; {0} --simplify"],
    ),
    (
        "do|does|will {a} cover|reach|hit|visit|fill|tile|partition|write|read|touch|produce all+of|every+element+of|each+element+of|every+number+in|_ {} exactly+once|once|precisely+once|without+overlap|without+overlaps|with+no+overlap|without+gaps+or+overlap {}",
        &["image {0} {2}", "injective {0} {2}"],
    ),
    (
        "do|does|will {m} cover|reach|hit|visit|fill|tile|partition|write|read|touch|produce all+of|every+element+of|each+element+of|every+number+in|_ {} exactly+once|once|precisely+once|without+overlap|without+overlaps|with+no+overlap|without+gaps+or+overlap {}",
        &["image {0} {2}", "injective {0} {2}"],
    ),
    (
        "do|does|will {m} cover|reach|hit|visit|fill|tile all+of|every+element+of|each+element+of|every+number+in|_ {} completely|fully|entirely|without+gaps {}",
        &["image {0} {2}"],
    ),
    (
        "do|does|will {m} cover|reach|hit|visit|fill all+of|every+element+of|each+element+of|every+number+in|_ {} for {}",
        &["image {0} for {2}"],
    ),
    (
        "which|what numbers|integers|values|offsets|addresses|elements from|in|between|of|up+to|below|_ {} are|is not|never of+the+form|reached+by|hit+by|covered+by|read+by|attained+by|taken+by|values+of|expressible+as|representable+as|missed+by|touched+by {}",
        &["image {1} --missing {0}"],
    ),
];

static PARSED: LazyLock<Vec<(Vec<Part>, &[&str])>> =
    LazyLock::new(|| FORMS.iter().map(|(form, lines)| (parsed(form), *lines)).collect());

/// Languages that `emit` writes, by the words of a question.
const EMITTED: [(&str, &str); 9] = [
    ("python", "python"),
    ("c", "c"),
    ("c++", "c"),
    ("cpp", "c"),
    ("cuda", "cuda"),
    ("triton", "triton"),
    ("mlir", "mlir"),
    ("latex", "latex"),
    ("isl", "isl"),
];

/// Languages by the rounding of their quotients of integers: toward zero, or down.
const TO_ZERO: [&str; 10] =
    ["c", "c++", "cuda", "rust", "java", "go", "javascript", "js", "swift", "c#"];
const DOWN: [&str; 6] = ["python", "numpy", "torch", "pytorch", "triton's python", "ruby"];

/// Translates a question to lines.
pub fn lines(text: &str) -> Option<Vec<String>> {
    let text = text.trim().trim_end_matches(['?', ';']).trim_end();
    if text.contains('\n') {
        return None;
    }
    of_forms(text)
        .or_else(|| emitted(text))
        .or_else(|| in_languages(text))
        .or_else(|| declared(text))
}

fn of_forms(text: &str) -> Option<Vec<String>> {
    let ends = dotted(text);
    let text = ends.as_deref().unwrap_or(text);
    let lower = text.to_ascii_lowercase();
    PARSED.iter().find_map(|(form, lines)| {
        let found = texts(form, text, &lower)?;
        let (mut bounds, mut option) = (Vec::new(), String::new());
        for line in *lines {
            let filled = (0..).zip(&found);
            let line = filled.fold((*line).to_owned(), |line, (number, part)| {
                line.replace(&format!("{{{number}}}"), part)
            });
            // The interval is an option, and its two ends a point.
            let line = match line.split_once(" --missing ") {
                Some((line, interval)) => {
                    option = format!(" --missing {}", ends_of(interval)?);
                    line.to_owned()
                }
                None => line,
            };
            bounds.push(line.replace(" , ", ", ").trim_end().to_owned() + &option);
        }
        Some(bounds)
    })
}

/// Returns the ends `0,20` of `0 to 20`, `[0, 20]`, `0 and 20`, `0..20` and `range(21)`.
fn ends_of(text: &str) -> Option<String> {
    let text = text.trim();
    let number = |text: &str| text.trim().parse::<i64>().ok();
    if let Some(inner) = text.strip_prefix("range(").and_then(|rest| rest.strip_suffix(')')) {
        let (lo, hi) = inner.split_once(',').unwrap_or(("0", inner));
        return Some(format!("{},{}", number(lo)?, number(hi)? - 1));
    }
    let inner = text.trim_matches(['[', ']']);
    let cuts = [" to ", " and ", "...", "..", ",", "-"].into_iter();
    let (lo, hi) = cuts.filter_map(|cut| inner.split_once(cut)).next().unwrap_or(("0", inner));
    Some(format!("{},{}", number(lo)?, number(hi)?))
}

/// Translates `triton code for E, i < 4`, and `smt2 for x >= 0 => P`.
fn emitted(text: &str) -> Option<Vec<String>> {
    let text = super::openings::without_opening(text).unwrap_or(text);
    let lower = text.to_ascii_lowercase();
    let (word, rest) = lower.split_once(' ')?;
    let rest = &text[text.len() - rest.len()..];
    if matches!(word, "smt2" | "smtlib" | "smt-lib" | "smt" | "smtlib2" | "z3") {
        let words = ["script for ", "script of ", "query for ", "code for ", "for ", "of "];
        let claim = words.iter().find_map(|word| rest.strip_prefix(word))?.trim();
        let claim = claim.strip_prefix("prove ").unwrap_or(claim);
        let premise = ["==>", "=>", "->"].iter().find_map(|arrow| claim.split_once(arrow));
        let premise = premise.filter(|(premise, _)| premise.contains(['<', '>', '=']));
        return Some(vec![match premise {
            Some((premise, claim)) => {
                let premise = premise.trim().replace(" and ", ", ").replace(" && ", ", ");
                format!("prove {} where {premise} --smtlib", claim.trim())
            }
            None => format!("prove {claim} --smtlib"),
        }]);
    }
    let (_, language) = EMITTED.iter().find(|(own, _)| *own == word)?;
    let words =
        ["code for ", "code of ", "code to compute ", "expression for ", "source for ", "for "];
    let value = words.iter().find_map(|word| rest.strip_prefix(word))?.trim();
    let value = counted_from_zero(value);
    let is_value = Hole::Value.takes(&value) || value.contains("->") || value.contains("lambda");
    is_value.then(|| vec![format!("simplify {value}"), format!("emit _ --as {language}")])
}

/// Translates `-7 / 2 in C and in python`, where `/` of Python is `//`, its quotient of integers.
fn in_languages(text: &str) -> Option<Vec<String>> {
    let text = super::openings::without_opening(text).unwrap_or(text);
    let (value, languages) = text.split_once(" in ").or_else(|| text.split_once(" for "))?;
    let languages = languages.replace(" in ", " ").replace(',', " ");
    let words = languages.split(' ').filter(|word| {
        !word.is_empty() && !matches!(*word, "and" | "vs" | "vs." | "versus" | "or" | "both" | "in")
    });
    let is_words = is_prose(value) || value.contains([',', ';']);
    let has_value = Hole::Value.takes(value) && !is_words;
    let is_claim =
        value.contains(['=', '<', '>']) && !value.contains("<<") && !value.contains(">>");
    let mut lines = Vec::new();
    for word in words {
        let word = word.to_ascii_lowercase();
        if TO_ZERO.contains(&word.as_str()) {
            lines.push(format!("{value} --c"));
        } else if DOWN.contains(&word.as_str()) {
            lines.push(value.replace("//", "/").replace('/', "//"));
        } else {
            return None;
        }
    }
    (has_value && !is_claim && !lines.is_empty()).then_some(lines)
}

/// Translates `int a[5][6][7]; address of a[2][3][4]` to the position of the element in the array.
fn declared(text: &str) -> Option<Vec<String>> {
    let (made, asked) = text.split_once(';')?;
    let element = addressed(asked.trim())?;
    let made = format!("{};", made.trim());
    super::declared::declared(&made)?;
    Some(vec![made, format!("address of {element}")])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_several_lines() {
        for (text, expected) in [
            (
                "does min(xo*8, 22) + xi cover 0..29 exactly once, xo in 0..3, xi in 0..7",
                "image min(xo*8, 22) + xi, xo in [0, 3], xi in [0, 7] | injective min(xo*8, 22) + xi, xo in [0, 3], xi in [0, 7]",
            ),
            (
                "does i * 4 + j cover [0, 15] exactly once for i in range(4), j in range(4)?",
                "image i * 4 + j for i in range(4), j in range(4) | injective i * 4 + j for i in range(4), j in range(4)",
            ),
            (
                "which numbers from 0 to 20 are not of the form 3*i + 5*j, i in 0..6, j in 0..4",
                "image 3*i + 5*j, i in [0, 6], j in [0, 4] --missing 0,20",
            ),
            (
                "triton code for (i*768 + j) // 96 with i < 4, j < 768",
                "simplify (i*768 + j) // 96 with 0 <= i < 4, 0 <= j < 768 | emit _ --as triton",
            ),
            (
                "C code for x % 8 for x in range(64)",
                "simplify x % 8 for x in range(64) | emit _ --as c",
            ),
            (
                "smt2 for x >= 0 -> (x / 4) / 8 == x / 32",
                "prove (x / 4) / 8 == x / 32 where x >= 0 --smtlib",
            ),
            ("smtlib script for x % 4 < 4", "prove x % 4 < 4 --smtlib"),
            ("-7 / 2 in C and in python", "-7 / 2 --c | -7 // 2"),
            ("what is -7 % 3 in Rust vs Python?", "-7 % 3 --c | -7 % 3"),
            ("int a[5][6][7]; address of a[2][3][4]", "int a[5][6][7]; | address of a[2][3][4]"),
            (
                "are f and (j) -> (j - 3) inverses?",
                "compose f ; (j) -> (j - 3) --simplify | compose (j) -> (j - 3) ; f --simplify",
            ),
        ] {
            let found = lines(text).map(|lines| lines.join(" | "));
            assert_eq!(found.as_deref(), Some(expected), "{text}");
        }
        for text in [
            "does it cover everything",
            "triton code",
            "c for cats",
            "x / 4 in [0, 9]",
            "how many values does x % 5 take in C",
            "range of i in python",
            "x % 8 == x in C and in python",
            "int a; address of a",
        ] {
            assert_eq!(lines(text), None, "{text}");
        }
    }
}
