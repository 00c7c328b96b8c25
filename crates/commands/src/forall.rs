//! The quantifier in front of a statement: `forall x y, P`, `∀ (x : Int), P`, `forall x. P`.
//!
//! Law: the names of a statement are any integers, so that in front of it the quantifier says nothing more. One over
//! another type is an error, and so is a name that stands for a value of the session, which the quantifier would hide.

use super::arguments::Argument;
use super::failure::Failure;
use super::table::Call;
use affinor::text::{Error, ErrorKind, is_name};

/// The names of the type of all integers.
const INTEGERS: [&str; 6] = ["Int", "int", "ℤ", "Z", "integer", "Integer"];

/// Does a text begin with the quantifier?
pub fn is_quantified(text: &str) -> bool {
    let text = text.trim_start();
    let rest = text.strip_prefix("forall").filter(|rest| rest.starts_with([' ', '(']));
    rest.is_some() || text.starts_with('∀')
}

/// The statement behind the quantifiers of a text, which is all of it if there are none.
///
/// # Errors
/// For a type that is not that of integers, a name of the session, and a quantifier without a statement.
pub fn without_quantifiers(call: &Call<'_>, argument: &Argument) -> Result<Argument, Failure> {
    let text = argument.text.as_str();
    if !is_quantified(text) {
        return Ok(argument.clone());
    }
    let wrong = |span: std::ops::Range<usize>, message: String, hint: &str| {
        argument.blame(Error::new(ErrorKind::Syntax, span, message).hint(hint))
    };
    let start = text.len() - text.trim_start().len();
    let word = if text[start..].starts_with('∀') { "∀" } else { "forall" };
    let mut at = start + word.len();
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
            let hint = "bound a name behind the statement: `x mod 2 < 2 where x >= 0`";
            return Err(wrong(at..end, message, hint));
        }
        let mut names = names.split_whitespace().peekable();
        if names.peek().is_none() || !names.clone().all(is_name) {
            let message = format!("expected names behind `{word}`");
            return Err(wrong(at..end, message, "for example `forall x y, x + y = y + x`"));
        }
        if let Some(name) = names.find(|name| call.session.value(name).is_some()) {
            let message = format!("`{name}` stands for a value of the session");
            return Err(wrong(at..end, message, "give it another name here"));
        }
        at = end + 1;
    }
    let statement = argument.part(at..text.len()).filter(|part| !part.text.trim().is_empty());
    match statement.filter(|_| at > start + word.len()) {
        Some(statement) => without_quantifiers(call, &statement),
        None => {
            let message = format!("expected names and a statement behind `{word}`");
            Err(wrong(0..text.len(), message, "for example `forall x y, x + y = y + x`"))
        }
    }
}

/// Are these names, perhaps with their type, and no statement?
fn binds(text: &str) -> bool {
    let plain = text.replace(['(', ')'], " ");
    let names = plain.split_once(':').map_or(plain.as_str(), |(names, _)| names);
    let mut words = names.split_whitespace().peekable();
    words.peek().is_some() && words.all(is_name)
}
