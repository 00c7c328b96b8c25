//! Questions whose bounds come first, or in the words of a loop: `if i goes from 0 to 9, is i * 3 % 10 unique?`, and
//! `how many iterations does affine.for %i = 0 to 50 step 7 have`.
//!
//! Law: the question is the same with its bounds after it.

use affinor::text::is_name;

/// Words before bounds.
const BEFORE: [&str; 8] =
    ["if ", "for ", "when ", "with ", "given ", "suppose ", "let ", "assuming "];

/// Words that a question begins with.
const ASKING: [&str; 10] =
    ["is", "are", "does", "do", "can", "could", "will", "how", "what", "which"];

/// Returns whether a text begins as a question.
pub fn asks(text: &str) -> bool {
    let first = text.split(' ').next().unwrap_or("");
    ASKING.iter().any(|word| first.eq_ignore_ascii_case(word))
}

/// Words between a name and its ends that say nothing more: `i goes from 0 to 9`.
const GOING: [&str; 8] =
    [" goes ", " runs ", " ranges ", " varies ", " go ", " run ", " range ", " is in "];

/// Returns a question with the bounds moved from before it to after it.
pub fn behind(text: &str) -> Option<String> {
    let lower = text.to_ascii_lowercase();
    let word = BEFORE.iter().find(|word| lower.starts_with(**word))?;
    let rest = &text[word.len()..];
    let (bounds, asked) = [", ", "; ", ". ", ": "].iter().find_map(|between| {
        rest.match_indices(between)
            .map(|(at, _)| (&rest[..at], &rest[at + between.len()..]))
            .find(|(_, asked)| asks(asked))
    })?;
    let bounds = GOING.iter().fold(bounds.to_owned(), |bounds, word| {
        bounds.replace(word, if *word == " is in " { " in " } else { " " })
    });
    let has_ends = bounds.contains(" in ") || bounds.contains(" from ");
    let word = match has_ends {
        true => "for",
        false if bounds.contains(['<', '>', '=']) => "where",
        false => return None,
    };
    Some(format!("{} {word} {bounds}", asked.trim_end_matches('?').trim_end()))
}

/// Returns a text with the head of a loop of MLIR as a variable with its range.
pub fn looped(text: &str) -> Option<String> {
    let at =
        ["affine.for %", "scf.for %"].iter().find_map(|word| Some((text.find(word)?, word.len())));
    let (at, length) = at.filter(|(at, _)| *at > 0)?;
    let words: Vec<&str> = text[at + length..].split(' ').collect();
    match &words[..] {
        [name, "=", lo, "to", hi, "step", step, rest @ ..] => {
            ranged(&text[..at], name, &[lo, hi, step], rest)
        }
        [name, "=", lo, "to", hi, rest @ ..] => ranged(&text[..at], name, &[lo, hi], rest),
        _ => None,
    }
}

fn ranged(before: &str, name: &str, ends: &[&str], rest: &[&str]) -> Option<String> {
    let ends = ends.iter().map(|end| end.parse::<i64>().ok().map(|end| end.to_string()));
    let ends: Vec<String> = ends.collect::<Option<_>>()?;
    let line =
        format!("{before}{name} for {name} in range({}) {}", ends.join(", "), rest.join(" "));
    is_name(name).then(|| line.trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_behind_the_question() {
        for (text, expected) in [
            (
                "if i goes from 0 to 99, how many values does i // 7 have?",
                Some("how many values does i // 7 have for i from 0 to 99"),
            ),
            (
                "For i in range(8), is i * 3 % 8 unique",
                Some("is i * 3 % 8 unique for i in range(8)"),
            ),
            ("with 0 <= j < 8, is j // 8 == 0", Some("is j // 8 == 0 where 0 <= j < 8")),
            (
                "for i in range(4), j in range(2), is i + j < 5",
                Some("is i + j < 5 for i in range(4), j in range(2)"),
            ),
            ("for i in range(8), i * 3", None),
            ("if it rains, is it wet", None),
            ("let x = 4", None),
        ] {
            assert_eq!(behind(text).as_deref(), expected, "{text}");
        }
        for (text, expected) in [
            (
                "how many iterations does affine.for %i = 3 to 50 step 7 have",
                Some("how many iterations does i for i in range(3, 50, 7) have"),
            ),
            ("count of scf.for %k = 0 to 8", Some("count of k for k in range(0, 8)")),
            ("count of scf.for %k = %a to 8", None),
            ("affine.for %i = 0 to 8", None),
        ] {
            assert_eq!(looped(text).as_deref(), expected, "{text}");
        }
    }
}
