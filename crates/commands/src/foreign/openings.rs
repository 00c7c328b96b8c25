//! Words before the noun that a question asks for.

/// Words that a question may begin with, before the noun that it asks for.
const OPENINGS: [&str; 14] = [
    "what is",
    "what's",
    "whats",
    "what are",
    "find",
    "compute",
    "calculate",
    "determine",
    "get",
    "give me",
    "give",
    "show me",
    "show",
    "tell me",
];

/// Returns a question without the words that it begins with: `what is the range of i` is `range of i`.
pub fn without_opening(text: &str) -> Option<&str> {
    let after = |text: &'_ str, words: &str| -> Option<usize> {
        let start = text.get(..words.len())?;
        let is_word = text[words.len()..].starts_with(' ');
        (is_word && start.eq_ignore_ascii_case(words)).then_some(words.len())
    };
    let opening = OPENINGS.iter().find_map(|words| after(text, words))?;
    let rest = text[opening..].trim_start();
    let article = ["the", "a", "an"].iter().find_map(|words| after(rest, words)).unwrap_or(0);
    Some(rest[article..].trim_start())
}
