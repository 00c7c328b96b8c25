//! Rewrites as other rule languages write them: `(a*b + c) / b => a if 0 <= c && c < b`, `x / 2 / 3 -> x / 6, x >= 0`.
//!
//! Law: an arrow between two terms is a rewrite, whatever its conditions are; between two conditions it is an implication, which
//! is not read here. A rewrite that the language of rules cannot say is the equation of its sides, as code.

use super::holes::is_prose;
use crate::formula::Statement;
use crate::implication::split_at_words;
use affinor::rule::read_rule;
use affinor::text::ErrorKind;

/// Arrows between the sides of a rewrite; longer ones come first.
const ARROWS: [&str; 8] = ["==>", "-->", "~~>", "=>", "~>", "->", "⇒", "⟶"];

/// Words before conditions; longer ones come first.
const CONDITIONS: [&str; 16] = [
    " provided that ",
    " provided ",
    " assuming that ",
    " assuming ",
    " given that ",
    " given ",
    " as long as ",
    " whenever ",
    " where ",
    " when ",
    " with ",
    " for ",
    " if ",
    ",",
    "&&",
    " and ",
];

/// Words between two conditions.
const JOINS: [&str; 4] = ["&&", ",", " and ", "∧"];

/// Words that a rewrite or a statement may begin with, besides the name of a rule.
const OPENINGS: [&str; 6] =
    ["rewrite rule ", "rewrite ", "the rewrite ", "rewriting ", "the rule ", "simplification "];

/// Words after a rewrite in a question.
const ENDINGS: [&str; 10] = [
    "always sound",
    "a sound rule",
    "a sound rewrite",
    "a valid rule",
    "a valid rewrite",
    "sound",
    "valid",
    "correct",
    "unsound",
    "safe",
];

/// Translates a rewrite with its conditions, or a statement with `if`, to a line.
pub fn line(text: &str) -> Option<String> {
    let text = text.trim().trim_end_matches(['?', '.', ';']).trim_end();
    let is_typed = ["affine_", "memref<", "tensor<"].iter().any(|word| text.contains(word));
    if text.contains(['\n', '{', '"', ';', '#']) || is_typed {
        return None;
    }
    asked(text).or_else(|| commanded(text)).or_else(|| conditioned(text))
}

/// Translates `is x*2/2 => x sound if x >= 0`, and `rewrite x / 2 / 3 => x / 6`.
fn asked(text: &str) -> Option<String> {
    let question = text.strip_prefix("is ").or_else(|| text.strip_prefix("Is "));
    let rest = question.unwrap_or(text);
    let plain = OPENINGS.iter().find_map(|word| rest.strip_prefix(word));
    if question.is_none() {
        return plain.and_then(|rest| conditioned(rest).or_else(|| Some(written(rest, "")?.1)));
    }
    let rest = plain.unwrap_or(rest);
    let (at, ending) =
        ENDINGS.iter().find_map(|word| Some((rest.find(&format!(" {word}"))?, *word)))?;
    let behind = &rest[at + 1 + ending.len()..];
    let is_end = behind.is_empty() || behind.starts_with([' ', ',']);
    let rewrite = format!("{}{behind}", &rest[..at]);
    is_end.then(|| conditioned(&rewrite).or_else(|| Some(written(&rewrite, "")?.1)))?
}

/// Translates a rewrite after `prove` and `rule NAME:`, which stay.
fn commanded(text: &str) -> Option<String> {
    if let Some(rest) = text.strip_prefix("prove ") {
        let is_formula = Statement::read(rest).is_ok();
        let line = conditioned(rest).filter(|_| !is_formula)?;
        return Some(format!("prove {}", line.trim_start_matches("prove ")));
    }
    let rest = text.strip_prefix("rule ")?;
    let (head, rest) = match rest.split_once(": ") {
        Some((name, rest)) => (format!("rule {name}: "), rest),
        None => ("rule ".to_owned(), rest),
    };
    let line = conditioned(rest)?;
    // A rule has no `or`: its error says how it is written.
    let (claim, _, under) = split_at_words(rest, &CONDITIONS)?;
    match line.contains("=>") {
        true => Some(format!("{head}{line}")),
        false => Some(format!("{head}{claim} where {}", under.trim()))
            .filter(|line| line != text && claim.contains("=>")),
    }
}

/// Translates a rewrite, or a comparison with `if`; `None` for one that is already in the language of rules.
fn conditioned(text: &str) -> Option<String> {
    if let Some((conditions, rewrite)) = premised(text) {
        return Some(written(rewrite, conditions)?.1);
    }
    let (rewrite, word, conditions) = split_at_words(text, &CONDITIONS).unwrap_or((text, "", ""));
    if conditions.contains(" else ") || conditions.contains(" split ") {
        return None;
    }
    let Some((arrow, line)) = written(rewrite, conditions) else {
        return implied(text).or_else(|| compared(rewrite, word, conditions));
    };
    let is_plain = arrow == "=>"
        && (word.is_empty() || word == " where " && !conditions.contains("&&"))
        && line.contains("=>");
    (!is_plain && line != text).then_some(line)
}

/// Splits `if 0 <= c < b then L => R`, and `for all c >= 0: L => R`.
fn premised(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix("if ").or_else(|| text.strip_prefix("when "))?;
    let (conditions, rewrite) =
        [" then ", ": ", ", "].iter().find_map(|word| rest.split_once(word))?;
    are_conditions(conditions).then_some((conditions, rewrite))
}

/// Translates `P -> Q` for two comparisons to the implication that it is in the language of rules.
fn implied(text: &str) -> Option<String> {
    let (premise, arrow, claim) = split_at_words(text, &ARROWS)?;
    let are_both = are_conditions(premise) && are_conditions(claim.split(" where ").next()?);
    let line = format!("{} => {}", premise.trim(), claim.trim());
    (arrow != "=>" && are_both && Statement::read(&line).is_ok()).then_some(line)
}

/// Translates `P if C` for a comparison, where `if` has no `else`; its other words are those of code.
fn compared(claim: &str, word: &str, conditions: &str) -> Option<String> {
    let is_compared = ["==", "<", ">", "!="].iter().any(|sign| claim.contains(sign));
    // `x = 3` alone names a value.
    let is_equation = claim.split_once(" = ").is_some_and(|(left, _)| has_operation(left));
    let is_said = (is_compared || is_equation) && !claim.contains([':', '?']);
    let is_arrow = ARROWS.iter().any(|arrow| claim.contains(arrow));
    let is_new = !matches!(word, "" | " where " | " with " | " for " | "&&" | " and ");
    // Bounds, `i in [0, 9]`, and domains are code.
    // `i < 4, j < 8` may be two statements.
    let is_one = word != ","
        || is_equation
        || claim.contains("==")
        || has_operation(claim.split(['<', '>']).next().unwrap_or(claim));
    let is_claim = is_said && is_one && !is_arrow && !is_prose(claim) && is_code(claim);
    (is_claim && is_new && are_conditions(conditions))
        .then(|| format!("{} where {}", claim.trim(), conditions.trim()))
}

/// Returns the arrow of a rewrite, and its line.
fn written(rewrite: &str, conditions: &str) -> Option<(&'static str, String)> {
    let (left, arrow, right) = split_at_words(rewrite, &ARROWS)?;
    let arrow = *ARROWS.iter().find(|own| **own == arrow)?;
    let (left, right) = (left.trim(), right.trim());
    let is_arrow_of_maps = arrow == "->" && !has_operation(left);
    if is_arrow_of_maps || !is_term(left) || !is_term(right) || !has_operation(left) {
        return None;
    }
    let conditions = conditions.trim();
    if !conditions.is_empty() && !are_conditions(conditions) {
        return None;
    }
    let all = parts(conditions).join(", ");
    let under = if all.is_empty() { String::new() } else { format!(" where {all}") };
    let rule = format!("{left} => {right}{under}");
    if read_rule(&rule).is_ok() {
        return Some((arrow, rule));
    }
    // `or` and `!=` are those of formulas, and bits those of code.
    let is_formula = read_rule(&format!("{left} => {right}")).is_ok();
    let line = match is_formula {
        true => format!("prove {left} == {right}{under}"),
        false => format!("({left}) == ({right}){under}"),
    };
    let is_read = arrow != "->" && is_code(&format!("({left}) == ({right}){under}"));
    is_read.then_some((arrow, line))
}

/// Returns whether a text is code, perhaps with bounds that are missing.
fn is_code(text: &str) -> bool {
    let error = affinor_code::read(text, false, &|_| None).err();
    error.is_none_or(|error| error.kind != ErrorKind::Syntax)
}

/// Returns the conditions of a list.
fn parts(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = text.trim();
    while let Some((one, _, behind)) = split_at_words(rest, &JOINS) {
        parts.push(one.trim());
        rest = behind;
    }
    parts.push(rest.trim());
    parts.retain(|part| !part.is_empty());
    parts
}

/// Returns whether each part of a list compares.
fn are_conditions(text: &str) -> bool {
    let parts = parts(text);
    let is_one = |part: &&str| {
        part.replace("<<", "").replace(">>", "").contains(['<', '>', '=', '≤', '≥', '≠'])
            && !part.contains(" in ")
            && !ARROWS.iter().any(|arrow| part.contains(arrow))
    };
    !parts.is_empty() && parts.iter().all(is_one)
}

/// Returns whether a text may be a term: it compares and joins nothing.
fn is_term(text: &str) -> bool {
    let plain = text.replace("<<", "").replace(">>", "");
    let words = [" and ", " or ", "not ", "&&", "||", " in ", " for ", " if "];
    !text.is_empty()
        && !is_prose(text)
        && !plain.contains(['<', '>', '=', '!', '?', ':', '[', ']', '∧', '∨', '¬'])
        && !words.iter().any(|word| plain.contains(word))
}

/// Returns whether a term is more than names and brackets around them.
fn has_operation(text: &str) -> bool {
    let is_called = |name: &str| name.ends_with(|c: char| c.is_alphanumeric() || c == '_');
    let is_call = text.split_once('(').is_some_and(|(name, _)| is_called(name));
    let is_word = |word| matches!(word, "mod" | "floordiv" | "ceildiv" | "div" | "rem");
    let is_sign = |c: char| "+-*/%&|^~<>".contains(c);
    is_call || text.contains(is_sign) || text.split([' ', '(', ')']).any(is_word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rewrites_are_lines() {
        for (text, expected) in [
            (
                "(a*b + c) / b => a where 0 <= c && c < b",
                Some("(a*b + c) / b => a where 0 <= c, c < b"),
            ),
            (
                "(a*b + c) / b => a if 0 <= c && c < b",
                Some("(a*b + c) / b => a where 0 <= c, c < b"),
            ),
            ("x / 2 / 3 -> x / 6, x >= 0", Some("x / 2 / 3 => x / 6 where x >= 0")),
            ("x % n ==> x when 0 <= x < n", Some("x % n => x where 0 <= x < n")),
            ("min(x, y) => y provided that y <= x", Some("min(x, y) => y where y <= x")),
            ("if 0 <= c < b then (a*b + c) / b => a", Some("(a*b + c) / b => a where 0 <= c < b")),
            ("x / x => 1 if x != 0", Some("prove x / x == 1 where x != 0")),
            ("x*y/y => x where y > 0 || y < 0", Some("prove x*y/y == x where y > 0 || y < 0")),
            ("a < b, b < c", None),
            ("x % n < n, n > 0", Some("x % n < n where n > 0")),
            ("x & 7 => x % 8", Some("(x & 7) == (x % 8)")),
            ("abs(x) => x when x >= 0", Some("(abs(x)) == (x) where x >= 0")),
            (
                "rule r: x % n => x if 0 <= x && x < n",
                Some("rule r: x % n => x where 0 <= x, x < n"),
            ),
            ("rule x % n => x if 0 <= x < n", Some("rule x % n => x where 0 <= x < n")),
            ("prove x*c % c => 0 if c > 0", Some("prove x*c % c => 0 where c > 0")),
            ("is x*2/2 => x sound?", Some("x*2/2 => x")),
            ("is the rewrite x % n => x valid if 0 <= x < n", Some("x % n => x where 0 <= x < n")),
            ("rewrite x / 2 / 3 => x / 6", Some("x / 2 / 3 => x / 6")),
            // A comparison keeps the signs of its language.
            ("x / 4 == 0 if 0 <= x && x < 4", Some("x / 4 == 0 where 0 <= x && x < 4")),
            ("x >= 0 -> x / 4 / 8 == x / 32", Some("x >= 0 => x / 4 / 8 == x / 32")),
            ("x >> 2 => x / 4", Some("(x >> 2) == (x / 4)")),
            ("rule r: x / x => 1 if x != 0", Some("rule r: x / x => 1 where x != 0")),
            ("x*y % n == 0, n > 0", Some("x*y % n == 0 where n > 0")),
            // In the language of rules, implications, maps, choices, and other arrows.
            ("x / 2 / 3 => x / 6", None),
            ("(a*b + c) / b => a where 0 <= c, c < b", None),
            ("0 <= c && c < b => (a*b + c) / b == a", None),
            ("x > 3 && y > 3 => x + y > 6", None),
            ("a && b => a", None),
            ("(i, j) => i * 8 + j", None),
            ("(i, j) -> (i * 8 + j), domain: i in [0, 3], j in [0, 7]", None),
            ("(d0) -> (d0), domain: d0 in [0, 9]", None),
            ("x % 2 == y if c else z", None),
            ("x // 4 == y, x in [0, 9]", None),
            ("b (h w) c -> b h w c, h=4", None),
            ("f32[4,8] -> f32[32]", None),
            ("p->x + 1 == 2, p > 0", None),
            ("prove x / 4 => x >> 2", Some("prove (x / 4) == (x >> 2)")),
            ("rule x / 4 => x / 2 / 2", None),
            ("is it sound", None),
            ("rule r", None),
            ("rewrite this", None),
        ] {
            assert_eq!(line(text).as_deref(), expected, "{text}");
        }
    }
}
