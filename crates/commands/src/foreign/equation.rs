//! Equations that are solved, and congruences: `solve 3x = 2 mod 7 for 0 <= x < 20`, `x ≡ y (mod 8)`.
//!
//! Law: `a ≡ b (mod n)` means that `n` divides `a - b`; so does `a = b mod n` after `solve`, as in mathematical notation.

use crate::token::identifiers;
use affinor::text::is_name;

/// Translates an equation to a line of commands.
pub fn line(text: &str) -> Option<String> {
    let text = text.trim().trim_end_matches(['?', '.']);
    match text.strip_prefix("solve ") {
        Some(rest) => solved(rest.trim().trim_start_matches("for ").trim()),
        None if text.contains('≡') && !text.starts_with("prove ") => congruence(text, "≡"),
        None => None,
    }
}

/// Translates `a ≡ b (mod n) ..` to a statement.
fn congruence(text: &str, sign: &str) -> Option<String> {
    let (left, rest) = text.split_once(sign)?;
    let (right, rest) = rest.split_once("mod ").or_else(|| rest.split_once("mod\u{a0}"))?;
    let is_in_brackets = right.trim_end().ends_with('(');
    let right = right.trim_end().trim_end_matches('(').trim();
    let (modulus, rest) = match is_in_brackets {
        true => rest.split_once(')')?,
        false => {
            let rest = rest.trim_start();
            rest.split_at(rest.find([' ', ',']).unwrap_or(rest.len()))
        }
    };
    let parts = [left.trim(), right, modulus.trim()];
    let is_one = |part: &&str| !part.is_empty() && !part.contains(['=', '≡', '<', '>']);
    let claim = format!("(({}) - ({})) % {} == 0", parts[0], parts[1], parts[2]);
    parts.iter().all(is_one).then(|| format!("{claim}{rest}").trim_end().to_owned())
}

/// Translates an equation to a query for its points, with the bounds after `for`, `with`, `where` or a comma; a congruence
/// without bounds has one point for each residue class.
fn solved(text: &str) -> Option<String> {
    let ends = [" for ", " with ", " where ", ", "];
    let end = ends.iter().filter_map(|word| Some((text.find(word)?, word.len()))).min();
    let (equation, bounds) = match end {
        Some((at, length)) => (&text[..at], text[at + length..].trim()),
        None => (text, ""),
    };
    if equation.contains(['<', '>', '!']) {
        return None;
    }
    let equation = equation.replace("==", "=");
    let is_congruence = equation.contains("mod ") && !equation.contains('%');
    let claim = match (equation.matches('=').count(), equation.contains('≡')) {
        (0, true) => congruence(&equation, "≡")?,
        (1, false) if is_congruence => {
            let (_, right) = equation.split_once('=')?;
            // In `x mod 4 = 3`, the `mod` is part of the value.
            match right.contains("mod ") {
                true => congruence(&equation, "=")?,
                false => equation.replace('=', "=="),
            }
        }
        (1, false) => equation.replace('=', "=="),
        _ => return None,
    };
    let mut names: Vec<&str> = Vec::new();
    for word in
        identifiers(&equation).map(|word| word.trim_start_matches(|c: char| c.is_ascii_digit()))
    {
        let is_operator = matches!(word, "mod" | "floordiv" | "ceildiv" | "min" | "max" | "abs");
        if is_name(word) && !is_operator && !names.contains(&word) {
            names.push(word);
        }
    }
    let modulus =
        equation.rsplit_once("mod").map(|(_, modulus)| modulus.trim_matches(['(', ')', ' ']));
    let modulus =
        modulus.filter(|_| claim.ends_with("== 0")).and_then(|text| text.parse::<u32>().ok());
    let bounds = match (&names[..], modulus) {
        ([name], Some(modulus)) if bounds.is_empty() => format!("0 <= {name} < {modulus}"),
        _ => bounds.trim_start_matches("for ").replace(" for ", ", "),
    };
    // Without bounds for each name, one solution is looked for.
    let parts: Vec<&str> = bounds.split(", ").collect();
    let is_bounded = |name: &&str| {
        parts.iter().any(|part| {
            let is_two_sided = part.contains(" in ") || part.matches(['<', '>']).count() == 2;
            is_two_sided && identifiers(part).any(|word| word == *name)
        })
    };
    (!names.is_empty() && !bounds.is_empty() && names.iter().all(is_bounded))
        .then(|| format!("points {} where {claim}, {bounds}", names.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equations_are_lines() {
        for (text, expected) in [
            (
                "solve 3x = 2 mod 7 for 0 <= x < 20",
                Some("points x where ((3x) - (2)) % 7 == 0, 0 <= x < 20"),
            ),
            (
                "solve (tid % 32) * 4 + tid / 32 == 37 for tid in range(128)",
                Some("points tid where (tid % 32) * 4 + tid / 32 == 37, tid in range(128)"),
            ),
            (
                "solve 3*x + 5*y = 21 for x in [0, 9] for y in [0, 9]",
                Some("points x, y where 3*x + 5*y == 21, x in [0, 9], y in [0, 9]"),
            ),
            ("solve x mod 4 = 3, 0 <= x < 9", Some("points x where x mod 4 == 3, 0 <= x < 9")),
            ("solve 7*x = 1 mod 31", Some("points x where ((7*x) - (1)) % 31 == 0, 0 <= x < 31")),
            ("solve 3x ≡ 2 (mod 7)", Some("points x where ((3x) - (2)) % 7 == 0, 0 <= x < 7")),
            ("solve 3x = 2 mod n", None),
            ("x ≡ x % 7 (mod 7)", Some("((x) - (x % 7)) % 7 == 0")),
            ("a ≡ b mod 4 where a == b", Some("((a) - (b)) % 4 == 0 where a == b")),
            // Without bounds, without an equation, and with several equations.
            ("solve x = 3", None),
            ("solve x + y = 3, x > 1", None),
            ("solve x + y = 3, 0 <= x < 9", None),
            ("solve x < 3 for x in range(9)", None),
            ("solve x * 2 >= 3 for x in range(9)", None),
            ("solve x = y = 3 for x in range(9)", None),
            ("solve", None),
            ("a ≡ b", None),
            ("a ≡ b ≡ c (mod 3)", None),
        ] {
            assert_eq!(line(text).as_deref(), expected, "{text}");
        }
    }
}
