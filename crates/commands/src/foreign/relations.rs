//! Comparisons in English: `does i * 8 + j stay below 64` is `does i * 8 + j < 64`.
//!
//! Law: the words of a relation become its sign only between two values; the verbs before it say nothing more, except that
//! a question with "can" is about some point (`ever`), not about all.

use affinor::text::is_name;

/// Phrases with their signs; one is tried before those below it.
const PHRASES: [(&str, &str); 36] = [
    ("strictly less than", "<"),
    ("strictly greater than", ">"),
    ("less than or equal to", "<="),
    ("smaller than or equal to", "<="),
    ("greater than or equal to", ">="),
    ("larger than or equal to", ">="),
    ("no more than", "<="),
    ("not more than", "<="),
    ("no greater than", "<="),
    ("not greater than", "<="),
    ("no larger than", "<="),
    ("not larger than", "<="),
    ("no less than", ">="),
    ("not less than", ">="),
    ("no smaller than", ">="),
    ("not smaller than", ">="),
    ("at most", "<="),
    ("at least", ">="),
    ("not above", "<="),
    ("not below", ">="),
    ("less than", "<"),
    ("smaller than", "<"),
    ("lower than", "<"),
    ("greater than", ">"),
    ("larger than", ">"),
    ("bigger than", ">"),
    ("higher than", ">"),
    ("more than", ">"),
    ("not equal to", "!="),
    ("equal to", "=="),
    ("different from", "!="),
    ("below", "<"),
    ("under", "<"),
    ("above", ">"),
    ("beyond", ">"),
    ("over", ">"),
];

const SIGNS: [&str; 6] = ["<", "<=", ">", ">=", "==", "!="];

/// Verbs before a relation.
const VERBS: [&str; 23] = [
    "stay", "stays", "remain", "remains", "keep", "keeps", "lie", "lies", "be", "is", "are", "get",
    "gets", "go", "goes", "become", "becomes", "rise", "fall", "drop", "always", "strictly", "end",
];

/// Verbs that ask about some point.
const MODALS: [&str; 4] = ["can", "could", "may", "might"];

/// Returns the text with the signs of its relations; `None` if it has none in words.
pub fn signed(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split(' ').collect();
    let is_modal = MODALS.contains(&words[0].to_ascii_lowercase().as_str());
    let asks = ["is", "are", "does", "do", "will", "must", "can", "could"];
    let asks = asks.contains(&words[0].to_ascii_lowercase().as_str());
    let (mut made, mut bounds): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    let (mut at, mut is_found) = (0, false);
    while at < words.len() {
        let relation = relation(&words[at..]).filter(|(_, length)| {
            let right = words.get(at + length).filter(|word| is_value(word));
            // Maps are equal in another way than numbers.
            let is_number = || right.is_some_and(|word| word.parse::<i64>().is_ok());
            right.is_some() && is_left(&made) && (words[at] != "equal" || is_number())
        });
        let Some((sign, length)) = relation else {
            made.push(words[at]);
            at += 1;
            continue;
        };
        is_found |= sign != words[at];
        let mut is_never = false;
        while let Some(word) = made.pop_if(|word| VERBS.contains(word) || *word == "never") {
            (is_found, is_never) = (true, is_never || word == "never");
        }
        // In `is i for i in range(4) below 5`, the bounds belong after the claim.
        let start = made.iter().position(|word| *word == "for").filter(|at| asks && *at > 1);
        if let Some(start) = start {
            bounds = made.split_off(start);
        }
        if is_modal && !made.contains(&"ever") {
            made.push("ever");
        }
        made.push(if is_never { negated(sign) } else { sign });
        at += length;
    }
    made.append(&mut bounds);
    is_found.then(|| made.join(" "))
}

fn negated(sign: &'static str) -> &'static str {
    match sign {
        "<" => ">=",
        "<=" => ">",
        ">" => "<=",
        ">=" => "<",
        "==" => "!=",
        _ => "==",
    }
}

/// Returns the sign of the relation at the start, and its number of words.
fn relation(words: &[&str]) -> Option<(&'static str, usize)> {
    if let Some(sign) = SIGNS.iter().find(|sign| **sign == words[0]) {
        return Some((sign, 1));
    }
    PHRASES.iter().find_map(|(phrase, sign)| {
        let mut own = words.iter();
        let is_here = phrase.split(' ').all(|word| own.next() == Some(&word));
        is_here.then(|| (*sign, phrase.split(' ').count()))
    })
}

/// Returns whether a word may begin a value.
fn is_value(word: &str) -> bool {
    let is_number = word.starts_with(|c: char| c.is_ascii_digit() || "-(".contains(c));
    let name = word.trim_end_matches([',', ')']);
    is_number
        || is_name(name)
            && !["the", "a", "an", "all", "any", "this", "that", "it", "zero"].contains(&name)
}

/// Returns whether the words may end with a value, and verbs after it.
fn is_left(words: &[&str]) -> bool {
    let mut words = words
        .iter()
        .rev()
        .skip_while(|word| VERBS.contains(*word) || matches!(**word, "ever" | "never"));
    let (last, before) = (words.next(), words.next());
    // `the number of elements` is not a value.
    let is_noun = last.is_some_and(|word| word.len() > 3 && is_name(word))
        && before.is_some_and(|word| matches!(*word, "of" | "the"));
    let is_pronoun =
        |word: &str| matches!(word, "what" | "which" | "how" | "it" | "that" | "there");
    !is_noun
        && !last.is_some_and(|word| is_pronoun(word))
        && last
            .is_some_and(|word| word.ends_with(|c: char| c.is_alphanumeric() || ")]_".contains(c)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relations_are_signs() {
        for (text, expected) in [
            (
                "does i * 8 + j stay below 64 for i in range(8)",
                Some("does i * 8 + j < 64 for i in range(8)"),
            ),
            ("is x // 4 always less than or equal to x", Some("is x // 4 <= x")),
            ("i + j remains at least 3", Some("i + j >= 3")),
            (
                "can i * 3 be more than 7 for i in range(4)",
                Some("can i * 3 ever > 7 for i in range(4)"),
            ),
            ("how many of i * 3 are under 9", Some("how many of i * 3 < 9")),
            (
                "find x with x mod 3 not equal to 1, x at most 9",
                Some("find x with x mod 3 != 1, x <= 9"),
            ),
            ("is x % 4 equal to 3", Some("is x % 4 == 3")),
            ("is f equal to g", None),
            ("is i + 1 for i in range(4) less than 5", Some("is i + 1 < 5 for i in range(4)")),
            ("is the number of elements below 5", None),
            ("what is more than 3", None),
            ("i * 4 is never more than 12", Some("i * 4 <= 12")),
            // Without a value on a side.
            ("does x stay below the limit", None),
            ("below 64", None),
            ("x always in 3", None),
            ("stay below", None),
        ] {
            assert_eq!(signed(text).as_deref(), expected, "{text}");
        }
    }
}
