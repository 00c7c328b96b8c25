//! Statements of Lean 4 and Rocq: `theorem t (a b : Nat) (h : 0 < b) : a / b * b <= a := by omega`, `Goal forall x : Z, x / 1 = x.`
//!
//! Law: over `Int` and `Z`, `/` and the remainder by positive divisors round down there, too; a name of type `Nat` is at least 0. A
//! statement with another meaning there (differences of `Nat`, powers) is an error. A divisor below 1 is an error here, which
//! is reported.

use crate::token::{identifiers, names};
use affinor::text::{Error, ErrorKind, is_name};

/// Translates a theorem to a line of `prove`.
pub fn line(text: &str) -> Option<Result<String, Error>> {
    let text = text.trim();
    let (word, rest) = text.split_once(char::is_whitespace)?;
    let behind_name = |rest: &str| {
        let rest = rest.trim_start();
        let end = rest.find(|c: char| c.is_whitespace() || "({:".contains(c))?;
        Some(rest[end..].to_owned())
    };
    let rest = match word {
        "theorem" | "lemma" => behind_name(rest)?,
        "example" => rest.to_owned(),
        "Goal" => format!(": {}", in_lean(rest)),
        "Corollary" | "Fact" | "Lemma" | "Remark" | "Theorem" => in_lean(&behind_name(rest)?),
        _ if text.starts_with('∀')
            && (text.contains('ℕ') || text.contains("Nat") || text.contains('→')) =>
        {
            return Some(statement(&format!(": {text}")));
        }
        _ => return None,
    };
    rest.contains(':').then(|| statement(&rest))
}

/// Returns the first sentence of Rocq, without its proof, in the signs of Lean.
fn in_lean(text: &str) -> String {
    let ends = |at: &usize| text[at + 1..].chars().next().is_none_or(char::is_whitespace);
    let end = text.match_indices('.').map(|(at, _)| at).find(ends).unwrap_or(text.len());
    let signs =
        [("forall ", "∀ "), ("exists ", "∃ "), ("<->", "↔"), ("<>", "≠"), ("~", "¬"), ("%Z", "")];
    signs.iter().fold(text[..end].to_owned(), |text, (sign, other)| text.replace(sign, other))
}

fn statement(text: &str) -> Result<String, Error> {
    let text = text.split(":=").next().unwrap_or(text);
    let mut premises = Vec::new();
    let mut has_naturals = false;
    let mut rest = text.trim_start();
    while rest.starts_with(['(', '{', '[']) {
        let Some(end) = rest.find([')', '}', ']']) else {
            return Err(unclosed());
        };
        has_naturals |= bind(&rest[1..end], &mut premises)?;
        rest = rest[end + 1..].trim_start();
    }
    let Some(mut claim) = rest.strip_prefix(':').map(str::trim) else {
        let message = "expected `:` and the statement";
        return Err(Error::without_span(ErrorKind::Syntax, message));
    };
    while let Some(bound) = claim.strip_prefix('∀') {
        let Some((binders, inner)) = bound.split_once(',') else {
            return Err(unclosed());
        };
        let mut binders = binders.trim();
        if !binders.starts_with('(') {
            has_naturals |= bind(binders, &mut premises)?;
            binders = "";
        }
        for group in binders.split(')').map(str::trim).filter(|group| !group.is_empty()) {
            has_naturals |= bind(group.trim_start_matches('('), &mut premises)?;
        }
        claim = inner.trim();
    }
    let foreign =
        [("^", "powers"), ("∣", "divisibility: `x % 4 = 0`"), ("∃", "`∃`"), ("∀", "`∀` inside")];
    for (sign, meant) in foreign {
        if text.contains(sign) && (sign != "∀" || claim.contains(sign)) {
            let message = format!("`{sign}` is not supported here");
            return Err(Error::without_span(ErrorKind::Unsupported, message)
                .hint(format!("write without {meant}")));
        }
    }
    let truncated = if has_naturals { differences(claim) } else { None };
    let claim = truncated.as_deref().unwrap_or(claim);
    if has_naturals
        && truncated.is_none()
        && claim.replace("->", "").replace("<-", "").contains('-')
    {
        let message = "a difference of `Nat` is at least 0 there";
        let error = Error::without_span(ErrorKind::Unsupported, message);
        return Err(error.hint("write `max(a - b, 0)` in a line of `prove`, or take `Int`"));
    }
    let divisors = open_divisors(claim, &premises);
    if let Some(divisor) = divisors.first() {
        let message = format!(
            "the divisor `{divisor}` may be below 1: Lean and Rocq define that quotient, but here divisors are positive"
        );
        let error = Error::without_span(ErrorKind::Unsupported, message);
        let (names, numbers): (Vec<&str>, Vec<&str>) =
            divisors.iter().partition(|divisor| divisor.starts_with(char::is_alphabetic));
        let wanted = (1..).zip(&names).map(|(number, name)| format!("(h{number} : 0 < {name})"));
        let wanted: Vec<String> = wanted.collect();
        let hint = match (numbers.is_empty(), &names[..]) {
            (true, [name]) => format!("add a hypothesis in front of the colon, `(h : 0 < {name})`"),
            (true, _) => format!("add hypotheses in front of the colon, `{}`", wanted.join(" ")),
            (false, _) => "take a positive divisor".to_owned(),
        };
        return Err(error.hint(hint));
    }
    let claim = plain(claim);
    let premises: Vec<String> = premises.iter().map(|premise| plain(premise)).collect();
    Ok(match premises.is_empty() {
        true => format!("prove {claim}"),
        false => format!("prove {claim} where {}", premises.join(", ")),
    })
}

/// Returns a claim with each difference of two names or numbers, `a - b`, as `max(a - b, 0)`, as `Nat` has it; `None` for others.
fn differences(claim: &str) -> Option<String> {
    let words: Vec<&str> = claim.split_whitespace().collect();
    let is_one = |word: &str| {
        let word = word.trim_matches(['(', ')']);
        is_name(word) || word.parse::<u64>().is_ok()
    };
    let mut made: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    for at in (0..words.len()).filter(|at| words[*at] == "-") {
        let (left, right) = (words.get(at.checked_sub(1)?)?, words.get(at + 1)?);
        // Nothing binds tighter than the difference, and it is the first of its sum.
        let before = at.checked_sub(2).map(|before| words[before]);
        let is_first = left.starts_with('(')
            || before.is_none_or(|word| matches!(word, "=" | "<" | "<=" | "≤" | "->" | "→" | "∧"));
        let behind = words.get(at + 2);
        let is_last = right.ends_with(')')
            || !behind.is_some_and(|word| matches!(*word, "*" | "/" | "%" | "^"));
        if !is_one(left)
            || !is_one(right)
            || !is_first
            || !is_last
            || left.ends_with(')')
            || right.starts_with('(')
        {
            return None;
        }
        let (open, name) = left.split_at(left.len() - left.trim_start_matches('(').len());
        let (other, close) = right.split_at(right.trim_end_matches(')').len());
        made[at - 1] = format!("{open}max({name}");
        made[at + 1] = format!("{other}, 0){close}");
    }
    (words.contains(&"-")
        && !words.iter().any(|word| *word != "-" && *word != "->" && word.contains('-')))
    .then(|| made.join(" "))
}

/// Returns the names that divide in a claim, and that no hypothesis is about, other than that they are natural; and numbers below 1.
fn open_divisors<'t>(claim: &'t str, premises: &[String]) -> Vec<&'t str> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    // That it is not 0 leaves negative values.
    let bounds = |premise: &str| !["<>", "≠", "!="].iter().any(|sign| premise.contains(sign));
    let is_open = |name: &&str| {
        // `0 < y -> ..` in the claim.
        let inside = ["->", "→"].iter().find_map(|sign| claim.rsplit_once(sign));
        let has = |(premise, _): (&str, &str)| {
            bounds(premise) && names(premise).any(|word| word == *name)
        };
        if inside.is_some_and(has) {
            return false;
        }
        let own = format!("{name} >= 0");
        let mut others = premises.iter().filter(|premise| **premise != own && bounds(premise));
        !others.any(|premise| identifiers(premise).any(|word| word == *name))
    };
    let divisions = claim.match_indices(['/', '%']).chain(claim.match_indices(" mod "));
    let mut found: Vec<&'t str> = Vec::new();
    for divisor in divisions.into_iter().filter_map(|(at, sign)| {
        let behind = claim[at + sign.len()..].trim_start();
        // A number below 1, in brackets or not.
        let number = behind.trim_start_matches(['(', ' ']);
        let end = number[1.min(number.len())..].find(|c: char| !c.is_ascii_digit());
        let number = &number[..end.map_or(number.len(), |end| end + 1)];
        if number.replace(' ', "").parse().is_ok_and(|value: i64| value < 1) {
            return Some(number);
        }
        let end = match behind.starts_with('(') {
            true => super::array::closing(behind)?,
            false => behind.find(|c: char| !is_part(c)).unwrap_or(behind.len()),
        };
        names(&behind[..end]).find(is_open)
    }) {
        if !found.contains(&divisor) {
            found.push(divisor);
        }
    }
    found
}

/// Records the premises in `names : type` or `h : P`; returns whether it is about `Nat`.
fn bind(text: &str, premises: &mut Vec<String>) -> Result<bool, Error> {
    let (names, of) = text.split_once(':').unwrap_or((text, "Int"));
    let names: Vec<&str> = names.split_whitespace().collect();
    let is_natural = matches!(of.trim(), "Nat" | "nat" | "ℕ");
    if !names.iter().all(|name| is_name(name)) {
        let message = format!("expected names and their type, found `{}`", text.trim());
        return Err(Error::without_span(ErrorKind::Syntax, message));
    }
    match of.trim() {
        "Nat" | "nat" | "ℕ" => premises.extend(names.iter().map(|name| format!("{name} >= 0"))),
        "Int" | "Z" | "ℤ" => {}
        premise if premise.contains(['<', '>', '=', '≤', '≥', '≠', '¬', '∧', '∨']) => {
            premises.push(premise.to_owned());
        }
        other => {
            let message = format!("`{other}` is not a type of integers");
            return Err(Error::without_span(ErrorKind::Unsupported, message)
                .hint("names are of `Int` or `Nat`"));
        }
    }
    Ok(is_natural)
}

fn plain(text: &str) -> String {
    let signs = [
        ("→", "->"),
        ("↔", "<=>"),
        ("∧", " and "),
        ("∨", " or "),
        ("¬", " not "),
        ("≤", "<="),
        ("≥", ">="),
        ("≠", "!="),
        ("/\\", " and "),
        ("\\/", " or "),
    ];
    signs
        .iter()
        .fold(text.to_owned(), |text, (sign, word)| text.replace(sign, word))
        .trim()
        .to_owned()
}

fn unclosed() -> Error {
    Error::without_span(ErrorKind::Syntax, "a binder is not closed")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn theorems_are_lines() {
        for (text, expected) in [
            (
                "example (a b : Nat) : a - b + b = a := by omega",
                "prove max(a - b, 0) + b = a where a >= 0, b >= 0",
            ),
            (
                "example (a b : Nat) (h : 0 < b) : a / b * b + a % b = a",
                "prove a / b * b + a % b = a where a >= 0, b >= 0, 0 < b",
            ),
            ("theorem foo : ∀ n : ℕ, n % 4 < 4 := by omega", "prove n % 4 < 4 where n >= 0"),
            (
                "lemma l (x : ℤ) (h : x ≠ 0 ∨ x ≥ 2) : x > 1 → x ≥ 1",
                "prove x > 1 -> x >= 1 where x != 0  or  x >= 2",
            ),
            ("∀ (x y : ℤ), 0 ≤ y → x ≤ x + y", "prove 0 <= y -> x <= x + y"),
            ("theorem t {x : Int} : x - 1 < x := by omega", "prove x - 1 < x"),
            ("Goal forall x : Z, x / 4 / 8 = x / 32. Proof. lia. Qed.", "prove x / 4 / 8 = x / 32"),
            (
                "Lemma l (x y : Z) : 0 < y -> x mod y <> y /\\ x / y * y <= x.",
                "prove 0 < y -> x mod y != y  and  x / y * y <= x",
            ),
            ("Theorem t : forall (n : nat), (n mod 4 < 4)%Z.", "prove (n mod 4 < 4) where n >= 0"),
        ] {
            assert_eq!(line(text), Some(Ok(expected.to_owned())), "{text}");
        }
    }

    #[test]
    fn other_statements_are_errors() {
        for text in [
            "example (a b : Nat) : a * 2 - b + b = a",
            "example (x : Int) : x ^ 2 >= 0",
            "example (x : Real) : x = x",
            "example (x : Int : x = x",
            "theorem t (x : Fin 4) : x < 4",
            "example (x : Int) : ∃ y, y > x",
            "Goal forall n : nat, n + 1 - 1 <= n.",
            "Lemma l : forall x : R, x = x.",
            "Goal exists x : Z, x = 1.",
            "example (a : Int) : a / -2 = -(a / 2)",
            "example (a : Int) : a % (-3) = a % 3",
            "example (a : Nat) : a / 0 = 0",
            "Goal forall x : Z, x mod -3 <= 0.",
            "Goal forall a b : Z, b <> 0 -> b * (a / b) + a mod b = a.",
        ] {
            assert!(matches!(line(text), Some(Err(_))), "{text}");
        }
        for text in ["theorem", "example", "Goal", "Lemma l", "∀ x, x = x", "x / 4 = 1"] {
            assert_eq!(line(text), None, "{text}");
        }
    }
}
