//! Statements in English: `if A then B`, `A iff B`, `assume A; prove B`, `i in [0, 31] => P`, `exists i in [0, 9]: P`.
//!
//! Law: a premise that bounds a name is the same as these bounds after the statement. Existence is a question for the points.

use crate::token;
use affinor::text::{Error, ErrorKind, is_name};

/// Translates a statement to a line of commands.
pub fn line(text: &str) -> Option<String> {
    let whole = text.trim();
    let text = whole.trim_end_matches(['?', '.', ';']);
    if let Some(line) = typed(text) {
        return Some(line);
    }
    let starts = |word: &str| text.strip_prefix(word).map(str::trim);
    if let Some(rest) = starts("exists ").or_else(|| starts("∃ ")).or_else(|| starts("∃")) {
        return existence(rest);
    }
    if let Some(rest) = ["forall ", "for all ", "∀"].iter().find_map(|word| starts(word)) {
        return universal(rest);
    }
    if let Some(rest) = starts("if ") {
        if let Some((premise, conclusion)) = rest.split_once(" then ") {
            return implication(premise.trim_end_matches(','), conclusion);
        }
        // `if x is odd is x*x always odd`, `if x is odd, x*x is odd`
        return [", ", " is "].iter().find_map(|word| {
            rest.match_indices(word).find_map(|(at, _)| {
                let (premise, conclusion) = (&rest[..at], &rest[at + word.len()..]);
                worded(conclusion)?;
                implication(premise, conclusion)
            })
        });
    }
    if let Some((premise, conclusion)) = text.split_once(" implies ")
        && (worded(premise).is_some() || worded(conclusion).is_some())
    {
        return implication(premise, conclusion);
    }
    if let Some(rest) = starts("assume ").or_else(|| starts("suppose ")) {
        let words = ["; prove ", ", prove ", "; show ", " then ", "; is "];
        let (premise, conclusion) = words.iter().find_map(|word| rest.split_once(word))?;
        return implication(premise, conclusion);
    }
    if let Some(rest) = starts("given ") {
        let (premise, conclusion) = rest.split_once(", is ")?;
        return implication(premise, conclusion);
    }
    if let Some((claim, option)) = asserted(text).filter(|(claim, _)| is_statement(claim)) {
        return Some(format!("{claim}{option}"));
    }
    if let Some(claim) = text.strip_suffix(" in C").filter(|claim| is_statement(claim)) {
        return Some(format!("{claim} --c"));
    }
    let compared = [" vs ", " vs. ", " ≡ "].iter().find_map(|sign| text.split_once(sign));
    if let Some((left, right)) = compared.filter(|(left, _)| is_value(left)) {
        return Some(format!("equal {left} ; {right}"));
    }
    if let Some((left, right)) = text.split_once(" iff ") {
        let is_plain = is_statement(left) && is_statement(right);
        return (is_plain && !text.contains(['\n', ',']) && !text.contains("=>"))
            .then(|| joined(left, "<=>", right));
    }
    if let Some((premise, conclusion)) = text.split_once("=>") {
        return bounds(premise).and_then(|_| implication(premise, conclusion));
    }
    // A statement that is asked; of C, `?` has two values after it.
    let is_asked = whole.ends_with('?') && is_statement(text) && !text.contains(['?', '\n']);
    is_asked.then(|| text.trim_end().to_owned())
}

/// Translates `unsigned i: P` and `P for unsigned i` to code that declares the name.
fn typed(text: &str) -> Option<String> {
    let declared = |part: &str| {
        let turned = part.split_once(" is ").map(|(name, kind)| format!("{kind} {name}"));
        let part = turned.as_deref().unwrap_or(part);
        let words: Vec<&str> = part.split_whitespace().collect();
        let types = words.iter().take_while(|word| affinor_code::is_type(word)).count();
        let (kind, names) = (words[..types].join(" "), words[types..].join(" "));
        let are_names = names.split(',').all(|name| is_name(name.trim()));
        (types > 0 && are_names).then(|| format!("{kind} {names}"))
    };
    let before = text.split_once(": ").and_then(|(made, claim)| Some((declared(made)?, claim)));
    let behind = || {
        let mut words = [" for ", " where ", " with ", " given ", " if "].iter();
        words.find_map(|word| {
            let (claim, made) = text.rsplit_once(word)?;
            Some((declared(made)?, claim))
        })
    };
    let (made, claim) = before.or_else(behind)?;
    let is_claim = is_statement(claim) && !claim.contains([';', '\n', '?']);
    is_claim.then(|| format!("{made}; {}", claim.trim().trim_end_matches(',')))
}

/// Translates what follows `forall`: `x y. P`, `x, y: P`, or with bounds, `i in [0, 9]: P`. Statements of Lean and Rocq, which
/// have types or a comma before `P`, are others'.
fn universal(text: &str) -> Option<String> {
    let end = [". ", ": "].iter().filter_map(|sign| text.find(sign)).min()?;
    let (names, claim) = (&text[..end], text[end + 1..].trim());
    let claim = claim.replace(" div ", " floordiv ");
    let mut words = names.split([' ', ',']).filter(|word| !word.is_empty());
    let is_typed = names.ends_with(' ') && text[end..].starts_with(':');
    if is_typed || !is_statement(&claim) {
        return None;
    }
    match words.all(is_name) {
        true => Some(format!("prove {claim}")),
        false => bounds(names).map(|bounds| format!("{claim} for {bounds}")),
    }
}

/// Returns `A => B`, or `B for i in ..` if the premise is that.
fn implication(premise: &str, conclusion: &str) -> Option<String> {
    let in_signs = |text: &str| {
        let parts: Vec<&str> = text.trim().split(" and ").collect();
        let parts = parts.into_iter().map(|part| worded(part).unwrap_or_else(|| part.to_owned()));
        parts.collect::<Vec<_>>().join(" and ")
    };
    let (premise, conclusion) = (&in_signs(premise), in_signs(conclusion));
    let is_more = conclusion.contains([';', '\n']) || conclusion.contains(" else ");
    if !is_statement(&conclusion) || is_more {
        return None;
    }
    match bounds(premise) {
        Some(bounds) => Some(format!("{conclusion} for {bounds}")),
        // Several premises hold at once: a comma binds less than the `and` that it becomes.
        None if premise.contains(',')
            && (premise.contains(['(', '[', '|']) || premise.contains(" or ")) =>
        {
            None
        }
        None => {
            let premise = premise.replace(',', " and");
            is_statement(&premise).then(|| joined(&premise, "=>", &conclusion))
        }
    }
}

/// Translates `x is odd`, `is x*x always even`, `n is a multiple of 4` to a comparison.
fn worded(text: &str) -> Option<String> {
    const WORDS: [(&str, &str); 7] = [
        ("odd", "% 2 == 1"),
        ("even", "% 2 == 0"),
        ("positive", "> 0"),
        ("negative", "< 0"),
        ("nonnegative", ">= 0"),
        ("non-negative", ">= 0"),
        ("zero", "== 0"),
    ];
    let text = text.trim().trim_end_matches('?');
    let value = |text: &str| {
        let text = text.strip_suffix(" always").unwrap_or(text);
        let text = text.strip_suffix(" is").unwrap_or(text);
        let text = text.strip_prefix("is ").unwrap_or(text).trim().to_owned();
        let is_one = is_name(&text) || is_value(&text) && !text.contains(['=', '<', '>', ',']);
        is_one.then_some(text)
    };
    if let Some((before, divisor)) =
        text.split_once(" a multiple of ").or_else(|| text.split_once(" divisible by "))
    {
        let is_one = is_name(divisor) || divisor.parse::<u32>().is_ok();
        return is_one.then(|| Some(format!("({}) % {divisor} == 0", value(before)?)))?;
    }
    let (before, word) = text.rsplit_once(' ')?;
    let (_, sign) = WORDS.iter().find(|(own, _)| *own == word)?;
    Some(format!("({}) {sign}", value(before)?))
}

/// Returns a formula of two, with the words that formulas have.
fn joined(left: &str, sign: &str, right: &str) -> String {
    format!("{left} {sign} {right}").replace("&&", "and").replace("||", "or")
}

/// Returns a premise `i in [0, 31]`, `i in range(8)`.
fn bounds(premise: &str) -> Option<&str> {
    let premise = premise.trim();
    let (name, values) = premise.split_once(" in ")?;
    let values = values.trim();
    let is_interval = values.starts_with('[') && values.ends_with([']', ')'])
        || values.starts_with("range(") && values.ends_with(')');
    let is_one = values.matches(['[', '(']).count() == 1 && is_name(name.trim());
    (is_interval && is_one).then_some(premise)
}

/// Returns the statement of an assertion of Python or C, and the option by which it is read as C if only C has the assertion.
fn asserted(text: &str) -> Option<(&str, &'static str)> {
    let (claim, option) = match text.strip_prefix("assert ") {
        Some(claim) => (claim, ""),
        None => match super::numbers::only_call(text)? {
            ("assert", claim) => (claim, ""),
            ("static_assert" | "TORCH_CHECK" | "CUTE_STATIC_ASSERT", claim) => (claim, " --c"),
            _ => return None,
        },
    };
    Some((claim.split_once(", \"").map_or(claim, |(claim, _)| claim).trim(), option))
}

/// Returns whether a text is a value, a map or a layout, not words.
fn is_value(text: &str) -> bool {
    text.contains(['/', '%', '*', '+', '(', '[', ':'])
}

fn is_statement(text: &str) -> bool {
    text.contains(['=', '<', '>']) && !text.contains("->")
}

/// Translates `i in [0, 9]: P` and `i in range(9), P`.
fn existence(rest: &str) -> Option<String> {
    let behind = rest.find([']', ')']).map(|at| at + 1)?;
    let (given, claim) = (bounds(&rest[..behind])?, rest[behind..].trim_start());
    let claim =
        [":", ",", "such that ", "with ", "."].iter().find_map(|sign| claim.strip_prefix(sign))?;
    let name = given.split_once(" in ")?.0.trim();
    is_statement(claim).then(|| format!("points {name} where {}, {given}", compared(claim)))
}

/// Returns the error for `exists x, P`, in which no bounds are given.
pub fn unbounded(text: &str) -> Option<Result<String, Error>> {
    let rest = ["exists ", "∃"].iter().find_map(|word| text.strip_prefix(word))?;
    let end = rest.find(':').or_else(|| rest.find(','))?;
    let names: Vec<&str> = rest[..end].split([' ', ',']).filter(|name| !name.is_empty()).collect();
    let claim = compared(&rest[end + 1..]);
    // All names of the claim are looked for.
    let is_word =
        |word: &str| matches!(word, "and" | "or" | "not" | "mod" | "floordiv" | "min" | "max");
    if token::names(&claim).all(|word| names.contains(&word) || is_word(word))
        && is_statement(&claim)
    {
        return Some(Ok(format!("solve {claim}")));
    }
    let bounds: Vec<String> = names.iter().map(|name| format!("{name} in [-9, 9]")).collect();
    let line = format!("points {} where {claim}", names.join(", "));
    let error = Error::without_span(ErrorKind::Domain, "a point is looked for within bounds");
    let is_one =
        names.iter().all(|name| is_name(name)) && !names.is_empty() && is_statement(&claim);
    let has_bounds = claim.matches(['<', '>']).count() > names.len() || claim.contains(" in ");
    is_one.then(|| match has_bounds {
        true => Ok(line),
        false => Err(error.hint(format!("add them: `{line}, {}`", bounds.join(", ")))),
    })
}

/// Returns a claim with the comparisons of code: `x = 3 ∧ y ≠ 2` is `x == 3 and y != 2`.
fn compared(claim: &str) -> String {
    let signs = [("∧", "and"), ("/\\", "and"), ("≤", "<="), ("≥", ">="), ("≠", "!=")];
    let claim =
        signs.iter().fold(claim.trim().to_owned(), |text, (sign, other)| text.replace(sign, other));
    claim.replace(" = ", " == ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_lines() {
        for (text, expected) in [
            ("if x is odd is x*x always odd", Some("(x) % 2 == 1 => (x*x) % 2 == 1")),
            ("if n is a multiple of 4, n / 2 is even", Some("(n) % 4 == 0 => (n / 2) % 2 == 0")),
            ("if it is raining is it wet", None),
            ("x is even implies x*x is even", Some("(x) % 2 == 0 => (x*x) % 2 == 0")),
            ("if x % 4 == 0 then x % 2 == 0", Some("x % 4 == 0 => x % 2 == 0")),
            (
                "x % 6 == 0 iff x % 2 == 0 && x % 3 == 0",
                Some("x % 6 == 0 <=> x % 2 == 0 and x % 3 == 0"),
            ),
            ("assume 0 <= i < 32; prove i // 8 <= 3", Some("0 <= i < 32 => i // 8 <= 3")),
            ("given i in [0, 31], is i // 8 <= 3?", Some("i // 8 <= 3 for i in [0, 31]")),
            ("i in [0, 31] => i // 8 <= 3", Some("i // 8 <= 3 for i in [0, 31]")),
            (
                "exists i in [0, 9]: i * 3 % 10 == 7",
                Some("points i where i * 3 % 10 == 7, i in [0, 9]"),
            ),
            (
                "∃ i in range(4) such that i * 2 == 5",
                Some("points i where i * 2 == 5, i in range(4)"),
            ),
            (
                "forall x y. x < y => x div 4 <= y div 4",
                Some("prove x < y => x floordiv 4 <= y floordiv 4"),
            ),
            ("for all i in [0, 7]: i // 8 == 0", Some("i // 8 == 0 for i in [0, 7]")),
            ("forall x : Z, x mod 4 < 4", None),
            ("forall (n : nat), n mod 4 < 4", None),
            ("assert i // 2 // 3 == i // 6", Some("i // 2 // 3 == i // 6")),
            ("assert n % 8 == 0, \"not whole\"", Some("n % 8 == 0")),
            ("static_assert(-7 / 2 == -3, \"rounds\");", Some("-7 / 2 == -3 --c")),
            ("assert(x % 8 < 8)", Some("x % 8 < 8")),
            ("i / 2 / 3 == i / 6 in C", Some("i / 2 / 3 == i / 6 --c")),
            ("i // 2 // 3 vs i // 6", Some("equal i // 2 // 3 ; i // 6")),
            ("(i * 4) mod 8 ≡ i mod 2 * 4", Some("equal (i * 4) mod 8 ; i mod 2 * 4")),
            ("assert x", None),
            ("unsigned i: i / 4 * 4 <= i", Some("unsigned i; i / 4 * 4 <= i")),
            ("x % 8 < 8 for unsigned int x?", Some("unsigned int x; x % 8 < 8")),
            ("x + 1 > x where x is unsigned", Some("unsigned x; x + 1 > x")),
            ("unsigned char c, d: c * d < 65026", Some("unsigned char c, d; c * d < 65026")),
            ("x % 8 < 8?", Some("x % 8 < 8")),
            ("x % 8 < 8 ? 1 : 2", None),
            ("x % 8 < 8 for x in range(9)", None),
            ("unsigned i: i / 4", None),
            ("cats vs dogs", None),
            // Without bounds, rules, code, and prose.
            ("exists i: i * 3 == 7", None),
            ("x % 4 == 0 => x % 2 == 0", None),
            ("x + 0 => x", None),
            ("if (i < 4) a[i] = 0;", None),
            ("if it rains then it pours", None),
            ("i in [0, 31] => i", None),
            ("assume nothing", None),
            (
                "assume 0 <= i < 4, j < 8; prove i + j < 11",
                Some("0 <= i < 4 and j < 8 => i + j < 11"),
            ),
            ("assume f(x, y) == 0; prove x == 0", None),
            ("assume a == 0 or b == 0, c == 1; prove b * c == 0", None),
            ("a == 0 => b == 0 iff c == 0", None),
            ("if x % 2 == 0 then y == 1 else y == 2", None),
        ] {
            assert_eq!(line(text).as_deref(), expected, "{text}");
        }
    }
}
