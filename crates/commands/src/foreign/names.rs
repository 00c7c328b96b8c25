//! Names of the session in lines of other notations: `it`, names that are looked for, maps whose bounds follow their name.

use crate::session::Session;
use affinor::text::is_name;

/// Commands that take a map with its bounds.
const COMMANDS: [&str; 8] =
    ["injective", "inverse", "image", "range", "count", "points", "simplify", "strides"];

/// Returns a line about `it`, which is the last answer unless it is a name.
pub fn of_last(session: &Session, line: String) -> String {
    let Some((command, rest)) = line.split_once(' ') else { return line };
    let word = rest.split(' ').next().unwrap_or("");
    let is_named = session.names().any(|name| name == word);
    match matches!(word, "it" | "this" | "that" | "these" | "they") && !is_named {
        true => format!("{command} _{}", &rest[word.len()..]),
        false => line,
    }
}

/// Returns the command about the last answer that a word alone is, perhaps with a question mark: `injective?`.
pub fn alone(session: &Session, text: &str) -> Option<String> {
    let word = text.trim().trim_end_matches('?').trim_end();
    let is_one =
        COMMANDS.contains(&word) || matches!(word, "banks" | "coalesce" | "fits" | "vector");
    (is_one && session.last.is_some()).then(|| format!("{word} _"))
}

/// Returns `points x_ where x_ < 3` for `points x where x < 3` if `x` names a map: a name that is looked for is another one.
pub fn unknown(session: &Session, line: String) -> String {
    let behind = ["points ", "count "].iter().find_map(|word| line.strip_prefix(word));
    let Some((names, _)) = behind.and_then(|rest| rest.split_once(" where ")) else { return line };
    let names = names.split(',').map(str::trim);
    let is_known = |name: &&str| is_name(name) && session.names().any(|other| other == *name);
    let known: Vec<&str> = names.filter(is_known).collect();
    replaced(&line, |_, word| known.contains(&word).then(|| format!("{word}_")))
}

/// Returns a text with other words for its names; `of` has the text before each, and the name.
pub fn replaced(text: &str, of: impl Fn(&str, &str) -> Option<String>) -> String {
    let (mut made, mut rest) = (String::new(), text);
    while let Some(start) = rest.find(|c: char| c.is_alphabetic() || c == '_') {
        let (before, word) = rest.split_at(start);
        let end = word.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(word.len());
        let (word, behind) = word.split_at(end);
        made += before;
        made += &of(before, word).unwrap_or_else(|| word.to_owned());
        rest = behind;
    }
    made + rest
}

/// Returns `injective affine_map<..>, domain: ..` for a name with several results, `injective f for i in [0, 3]`.
pub fn bounded(session: &Session, text: &str) -> Option<String> {
    let (word, rest) = text.split_once(' ').filter(|(word, _)| COMMANDS.contains(word))?;
    let rest = rest.trim_start();
    let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_'))?;
    let (name, behind) = rest.split_at(end);
    let of_code = |bounds: &&str| bounds.contains(" in [") && !bounds.contains(" for ");
    let bounds = behind.trim_start().strip_prefix("for ").filter(of_code);
    let bounds = bounds.or_else(|| behind.strip_prefix(", domain: "))?;
    let map = session.map(name).filter(|map| map.results().len() > 1)?.to_string();
    map.starts_with("affine_map<").then(|| format!("{word} {map}, domain: {bounds}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use affinor::text::parse_map;

    #[test]
    fn names_of_the_session_are_known() {
        let mut session = Session::new();
        let map = parse_map("affine_map<(i) -> (i floordiv 4, i mod 4)>").expect("a map");
        session.name("f".to_owned(), map);
        let unknown = |line: &str| unknown(&session, line.to_owned());
        assert_eq!(unknown("points f, g where f + g < ff"), "points f_, g where f_ + g < ff");
        assert_eq!(unknown("range f where f < 3"), "range f where f < 3");
        let lines = ["injective f for i in [0, 9]", "injective f, domain: i in [0, 9]"];
        for line in lines {
            let expected =
                "injective affine_map<(i) -> (i floordiv 4, i mod 4)>, domain: i in [0, 9]";
            assert_eq!(bounded(&session, line).as_deref(), Some(expected));
        }
        for line in [
            "injective g, domain: i in [0, 9]",
            "injective f",
            "let f for i in [0, 9]",
            "range f for i in range(9)",
        ] {
            assert_eq!(bounded(&session, line), None, "{line}");
        }
        for (line, expected) in [
            ("injective it", "injective _"),
            ("injective item", "injective item"),
            ("compose f ; g", "compose f ; g"),
        ] {
            assert_eq!(of_last(&session, line.to_owned()), expected);
        }
    }
}
