//! The line that a question in other words may mean: its expression and bounds, after the command that a word of it suggests.
//!
//! Law: only proposed, never run; the expression is one that code has.

use crate::foreign::ranges::dotted;
use crate::foreign::relations::signed;
use affinor::text::is_name;
use affinor_code::read;

/// Beginnings of words in a question, each with the command that answers about an expression.
const COMMANDS: [(&str, &str); 36] = [
    ("bank", "banks"),
    ("conflict", "banks"),
    ("coalesc", "coalesce"),
    ("sector", "coalesce"),
    ("transaction", "coalesce"),
    ("vectori", "vector"),
    ("injectiv", "injective"),
    ("collid", "injective"),
    ("collision", "injective"),
    ("overlap", "injective"),
    ("unique", "injective"),
    ("same", "injective"),
    ("biject", "injective --onto"),
    ("permut", "injective --onto"),
    ("cover", "injective --onto"),
    ("overflow", "fits"),
    ("fit", "fits"),
    ("inver", "inverse"),
    ("stride", "strides"),
    ("step", "strides"),
    ("solution", "count"),
    ("many", "count"),
    ("number", "count"),
    ("distinct", "count"),
    ("maxim", "range"),
    ("minim", "range"),
    ("largest", "range"),
    ("smallest", "range"),
    ("highest", "range"),
    ("lowest", "range"),
    ("biggest", "range"),
    ("bound", "range"),
    ("between", "range"),
    ("values", "image"),
    ("simpl", "simplify"),
    ("cheap", "simplify"),
];

/// Words with an expression on either side.
const COMPARISONS: [&str; 6] = ["differ", "equal", "equivalent", "same", "agree", "identical"];

/// The maximum number of words that are considered.
const MAX_WORDS: usize = 200;

/// Returns the line that a question may mean.
pub fn line(question: &str) -> Option<String> {
    let signed = signed(question);
    let question = signed.as_deref().unwrap_or(question);
    let dotted = dotted(question);
    let question = dotted.as_deref().unwrap_or(question);
    let (parts, bounds, has_number) = parts(question);
    let lower = question.to_ascii_lowercase();
    let has = |stem: &str| {
        lower.split(|c: char| !c.is_ascii_alphabetic()).any(|word| word.starts_with(stem))
    };
    let valid = |part: &str| {
        let text = format!("{part}{bounds}");
        read(&text, false, &|_| None).ok().map(|code| (text, code.relation.is_some()))
    };
    let values: Vec<(String, bool)> = parts.iter().filter_map(|part| valid(part)).collect();
    match &values[..] {
        [(_, false), (_, false)] if COMPARISONS.iter().any(|stem| has(stem)) => {
            Some(format!("equal {} ; {}{bounds}", parts[0], parts[1])).filter(|_| parts.len() == 2)
        }
        [(text, true)] => Some(text.clone()),
        [(text, false)] if !text.starts_with('[') => {
            // A value without names is the answer itself.
            let has_name = text.match_indices(|c: char| c.is_alphabetic()).any(|(at, _)| {
                let end = text[at..].find(|c: char| !(c.is_alphanumeric() || "_.".contains(c)));
                !end.is_some_and(|end| text[at + end..].starts_with('('))
            });
            let command = COMMANDS.iter().find(|(stem, _)| has_name && has(stem));
            // A number on its own is compared with the values.
            let command = command.map(|(_, command)| *command);
            let command = command.filter(|command| !has_number || *command != "count");
            let command = command.or((has_name && has_number).then_some("range"));
            Some(match command.map(|command| command.split_once(' ').unwrap_or((command, ""))) {
                Some((command, "")) => format!("{command} {text}"),
                Some((command, option)) => format!("{command} {text} {option}"),
                None => text.clone(),
            })
        }
        _ => None,
    }
}

/// Returns the expressions in a question, its bounds with a blank in front, and whether it also has a number.
fn parts(question: &str) -> (Vec<String>, String, bool) {
    let words: Vec<&str> = question.split_whitespace().take(MAX_WORDS).collect();
    let word = |at: usize| words.get(at).copied().unwrap_or("");
    let is_operator = |word: &str| {
        matches!(word, "mod" | "floordiv" | "ceildiv")
            || !word.is_empty() && word.chars().all(|c| "+-*/%&|^<>=!".contains(c))
    };
    let is_name = |word: &str| word.split('.').all(is_name);
    let begins = |at: usize| is_name(word(at)) && word(at + 1) == "in" && is_range(word(at + 2));
    // Bounds that are not read, `in 0..31`, belong to the question all the same.
    let is_other =
        |at: usize| word(at) == "in" && word(at + 1).starts_with(|c: char| c.is_ascii_digit());
    if (0..words.len()).any(is_other) {
        return (Vec::new(), String::new(), false);
    }
    let mut is_code = vec![false; words.len()];
    let mut is_bound = vec![false; words.len()];
    let mut depth = 0i32;
    for at in 0..words.len() {
        let here = word(at);
        let has_sign = here.contains(|c: char| "+*/%&|^()[]<>=".contains(c) || c.is_ascii_digit());
        let is_beside = is_operator(word(at + 1)) || at > 0 && is_operator(word(at - 1));
        let goes_on =
            at > 0 && is_bound[at - 1] && (here == "in" || is_bound_end(word(at - 1)) || depth > 0);
        is_bound[at] = begins(at) || here == "for" && begins(at + 1) || goes_on;
        is_code[at] = !is_bound[at] && (depth > 0 || has_sign || is_beside || is_operator(here));
        let open = |c: char| i32::from("([{".contains(c)) - i32::from(")]}".contains(c));
        depth = (depth + here.chars().map(open).sum::<i32>()).max(0);
    }
    let mut parts: Vec<String> = Vec::new();
    let mut is_open = false;
    for (at, here) in words.iter().enumerate().filter(|(at, _)| !is_bound[*at]) {
        match (is_code[at], is_open) {
            (true, true) => *parts.last_mut().unwrap_or(&mut String::new()) += &format!(" {here}"),
            (true, false) => parts.push((*here).to_owned()),
            _ => {}
        }
        is_open = is_code[at];
    }
    let (parts, others): (Vec<String>, Vec<String>) =
        parts.iter().map(|part| value(part)).partition(|part| part.contains(is_sign));
    let has_number = others.iter().any(|part| part.parse::<i64>().is_ok());
    let bounds = words.iter().zip(&is_bound).filter(|(_, is_bound)| **is_bound);
    let bounds: Vec<&str> = bounds.map(|(word, _)| *word).collect();
    let bounds = bounds.join(" ");
    let bounds = bounds.trim_end_matches(['?', ',', '.', ':', ';']);
    match bounds.is_empty() {
        true => (parts, String::new(), has_number),
        false if bounds.starts_with("for ") => (parts, format!(" {bounds}"), has_number),
        false => (parts, format!(" for {bounds}"), has_number),
    }
}

fn is_sign(c: char) -> bool {
    "+-*/%&|^<>=([".contains(c)
}

fn is_range(word: &str) -> bool {
    word.starts_with('[') || word.starts_with("range(")
}

fn is_bound_end(word: &str) -> bool {
    word == "for" || word == "in"
}

/// Returns an expression without the signs of the sentence, and without the name or element before `=`.
fn value(part: &str) -> String {
    let part = part.trim_matches(['?', ',', '.', ':', ';']).trim();
    match part.split_once(" = ") {
        Some((name, value)) if is_name(name) || name.ends_with(']') => value.to_owned(),
        _ => part.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_propose_lines() {
        for (question, expected) in [
            (
                "where is a[i] = 2*i - i*i//4 largest for i in range(8)",
                Some("range 2*i - i*i//4 for i in range(8)"),
            ),
            (
                "when do floor(x / 4) and trunc(x / 4) differ for x in [-8, 8]",
                Some("equal floor(x / 4) ; trunc(x / 4) for x in [-8, 8]"),
            ),
            (
                "tell me the biggest value that i * 4 + j has, i in [0, 7], j in [0, 3]?",
                Some("range i * 4 + j for i in [0, 7], j in [0, 3]"),
            ),
            (
                "which programs write a place twice: pid * 64 + r for pid in range(4) for r in range(128)",
                Some("pid * 64 + r for pid in range(4) for r in range(128)"),
            ),
            ("why would x // 4 * 4 <= x hold", Some("x // 4 * 4 <= x")),
            (
                "do threads cover it: i = blockIdx.x * 2 + threadIdx.x for blockIdx.x in range(4), threadIdx.x in range(2)",
                Some(
                    "injective blockIdx.x * 2 + threadIdx.x for blockIdx.x in range(4), threadIdx.x in range(2) --onto",
                ),
            ),
            ("would i * 4 go past 12 for i in range(4)", Some("range i * 4 for i in range(4)")),
            ("how many programs does (cdiv(9, 4), 2) launch", Some("(cdiv(9, 4), 2)")),
            (
                "do threads collide in t * 4 with t in 0..31",
                Some("injective t * 4 for t in [0, 31]"),
            ),
            ("does pid * 4 cover everything", Some("injective pid * 4 --onto")),
            // Without an expression, with several, with one that is not in the code.
            ("how does this work", None),
            ("which is cheaper, x * 8 or x << 3", None),
            ("how many of (1 2 3) are odd", None),
            ("how many tiles of 128 cover 1000", None),
        ] {
            assert_eq!(line(question).as_deref(), expected, "{question}");
        }
    }
}
