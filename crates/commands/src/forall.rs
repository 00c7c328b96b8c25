//! The quantifier before a statement: `forall x y, P`, `∀ (x : Int), P`, `forall x. P`, `forall x in [0, 9]: P`.
//!
//! Law: the names of a statement range over all integers, so a quantifier before it has no effect. A quantifier over
//! another type is an error, and so is a bound name that has a value in the session, which the quantifier would shadow.

use super::arguments::Argument;
use super::failure::Failure;
use super::table::Call;
use super::token::identifiers;
use affinor::text::{Error, ErrorKind, is_name};

/// The names of the type of all integers.
const INTEGERS: [&str; 6] = ["Int", "int", "ℤ", "Z", "integer", "Integer"];

const EXAMPLE: &str = "for example `forall x y, x + y = y + x`, or `forall x in [0, 9]: x < 10`";
const OTHER_NAME: &str = "give it another name here";

/// Checks whether a text begins with a quantifier.
pub fn is_quantified(text: &str) -> bool {
    quantifier(text.trim_start()).is_some()
}

/// Checks whether a text begins with a quantifier that is followed by one of the other kind, and so is not about all values.
pub fn alternates(text: &str) -> bool {
    let exists = |text: &str| text.contains('∃') || identifiers(text).any(|word| word == "exists");
    let begins = identifiers(text).next() == Some("exists") || text.trim_start().starts_with('∃');
    let all = |text: &str| text.contains('∀') || identifiers(text).any(|word| word == "forall");
    is_quantified(text) && exists(text) || begins && all(text)
}

/// Splits a text after the quantifier that it begins with.
fn quantifier(text: &str) -> Option<(&str, &str)> {
    let word = ["forall", "for all", "∀"].into_iter().find(|word| text.starts_with(word))?;
    let (word, rest) = text.split_at(word.len());
    (word == "∀" || rest.starts_with([' ', '('])).then_some((word, rest))
}

/// Checks whether the quantifier has bounds, as in `forall i in [0, 9]: P`. Such bounds are read with the statement, as code.
pub fn has_bounds(text: &str) -> bool {
    let rest = quantifier(text.trim_start()).and_then(|(_, rest)| {
        rest.split_once(" in ").or_else(|| {
            let of_sign = rest.split_once('∈');
            of_sign.filter(|(_, of)| of.trim_start().starts_with(['[', 'r']))
        })
    });
    rest.is_some_and(|(binders, _)| are_names(binders))
}

/// Returns the statement after the quantifiers of a text, or the whole text if it has no quantifiers.
///
/// # Errors
/// If a type is not that of integers, a name has a value in the session, or the quantifier has no statement.
pub fn without_quantifiers(call: &Call<'_>, argument: &Argument) -> Result<Argument, Failure> {
    let text = argument.text.as_str();
    if ["exists ", "exists(", "∃"].iter().any(|word| text.trim_start().starts_with(word)) {
        let message = "`prove` is about all values, and this says that some exist";
        let failure = argument.wrong(ErrorKind::Unsupported, message);
        return Err(
            failure.hint("`points k where k * 4 == 8, 0 <= k < 10` lists them; `solve` finds one")
        );
    }
    if !is_quantified(text) || has_bounds(text) {
        return Ok(argument.clone());
    }
    let wrong = |span: std::ops::Range<usize>, message: String, hint: &str| {
        argument.blame(Error::new(ErrorKind::Syntax, span, message).hint(hint))
    };
    let start = text.len() - text.trim_start().len();
    let word = quantifier(&text[start..]).map_or("forall", |(word, _)| word);
    let mut at = start + word.len();
    // `forall x, y: P`
    if let Some((names, of)) = text[at..].split_once(':')
        && are_names(names)
        && !is_type(of)
    {
        let mut names = names.split([',', ' ']).filter(|name| call.session.value(name).is_some());
        let colon = text.len() - of.len();
        return match (names.next(), argument.part(colon..text.len())) {
            (None, Some(statement)) if !of.trim().is_empty() => Ok(statement),
            (Some(name), _) => Err(wrong(at..colon, of_session(name), OTHER_NAME)),
            _ => Err(wrong(at..text.len(), "expected a statement".to_owned(), EXAMPLE)),
        };
    }
    loop {
        let rest = &text[at..];
        let end = rest.find([',', '.']).map(|end| at + end);
        let Some(end) = end.filter(|end| at == start + word.len() || binds(&text[at..*end])) else {
            break;
        };
        let binders = &text[at..end];
        let plain = binders.replace(['(', ')'], " ");
        let (names, of) = plain.split_once([':', '∈']).unwrap_or((&plain, "Int"));
        if !INTEGERS.contains(&of.trim()) {
            let message = format!("the names of a statement are integers, not `{}`", of.trim());
            let hint = "bound a name after the statement: `x mod 2 < 2 where x >= 0`";
            return Err(wrong(at..end, message, hint));
        }
        let mut names = names.split_whitespace().peekable();
        if names.peek().is_none() || !names.clone().all(is_name) {
            let message = format!("expected names after `{word}`");
            return Err(wrong(at..end, message, EXAMPLE));
        }
        if let Some(name) = names.find(|name| call.session.value(name).is_some()) {
            return Err(wrong(at..end, of_session(name), OTHER_NAME));
        }
        at = end + 1;
    }
    let statement = argument.part(at..text.len()).filter(|part| !part.text.trim().is_empty());
    match statement.filter(|_| at > start + word.len()) {
        Some(statement) => without_quantifiers(call, &statement),
        None => {
            let message = format!("expected names and a statement after `{word}`");
            Err(wrong(0..text.len(), message, EXAMPLE))
        }
    }
}

/// Checks whether a text begins with a type, after which the binders end or continue.
fn is_type(text: &str) -> bool {
    let rest = text.trim_start().trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
    rest.len() < text.trim_start().len() && rest.trim_start().starts_with([',', '.'])
}

/// Checks whether the text consists of names separated by commas or spaces.
fn are_names(text: &str) -> bool {
    let mut names = text.split([',', ' ']).filter(|name| !name.is_empty()).peekable();
    names.peek().is_some() && names.all(is_name)
}

fn of_session(name: &str) -> String {
    format!("`{name}` stands for a value of the session")
}

/// Checks whether the text consists of names, possibly with their type, and is not a statement.
fn binds(text: &str) -> bool {
    let plain = text.replace(['(', ')'], " ");
    let names = plain.split_once(':').map_or(plain.as_str(), |(names, _)| names);
    let mut words = names.split_whitespace().peekable();
    words.peek().is_some() && words.all(is_name)
}
