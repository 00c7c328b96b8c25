//! The names that a fragment of code changes, determined from its tokens alone.
//!
//! Law: a name that may have another value after the fragment is among them, unless the fragment declares it.

use super::token::{Class, is_assignment, is_reserved};
use super::tokens::Tokens;
use super::types::is_type;

/// Returns the names that the next `length` tokens change, once for each change.
pub fn changes<'t>(tokens: &Tokens<'t>, length: usize) -> Vec<&'t str> {
    let (mut found, mut depth) = (Vec::new(), 0usize);
    for at in 0..length {
        match tokens.ahead(at).text {
            "(" | "[" => depth += 1,
            ")" | "]" => depth = depth.saturating_sub(1),
            _ => {}
        }
        let (name, next) = (tokens.ahead(at), tokens.ahead(at + 1).text);
        let is_declared = at > 0 && is_type(tokens.ahead(at - 1).text);
        // In brackets, Python's `=` names an argument.
        let is_argument = tokens.by_lines && depth > 0 && next == "=";
        let is_assigned = is_assignment(next) && !is_argument;
        let is_target = depth > 0 && next == ")" && tokens.ahead(at + 2).text == "=";
        let is_changed = is_assigned || is_target || is_tuple_target(tokens, at, depth > 0);
        found
            .extend((name.class == Class::Name && is_changed && !is_declared).then_some(name.text));
        found.extend(aside(tokens, at));
    }
    found
}

/// Returns the name that changes as a side effect here: its address is passed, `f(&k)`, or it is stepped, `k++` or `++k`.
pub fn aside<'t>(tokens: &Tokens<'t>, at: usize) -> Option<&'t str> {
    passed(tokens, at).or_else(|| counted(tokens, at))
}

fn passed<'t>(tokens: &Tokens<'t>, at: usize) -> Option<&'t str> {
    let before = tokens.ahead(at.checked_sub(1)?).text;
    let (name, next) = (tokens.ahead(at + 1), tokens.ahead(at + 2).text);
    let is_passed =
        tokens.ahead(at).text == "&" && (is_assignment(before) || matches!(before, "(" | ","));
    (is_passed && name.class == Class::Name && next != "[").then_some(name.text)
}

/// Returns the variable beside `++` or `--`, unless that is an element of an array.
pub fn counted<'t>(tokens: &Tokens<'t>, at: usize) -> Option<&'t str> {
    let (first, second) = (tokens.ahead(at), tokens.ahead(at + 1));
    let is_one = first.text == second.text && first.span.end == second.span.start;
    if !is_one || !matches!(first.text, "+" | "-") {
        return None;
    }
    let is_name = |at: usize| {
        let token = tokens.ahead(at);
        token.class == Class::Name && !is_reserved(token.text)
    };
    match at.checked_sub(1).filter(|before| is_name(*before)) {
        Some(before) => Some(tokens.ahead(before).text),
        None if tokens.ahead(at + 3).text == "[" => None,
        None => is_name(at + 2).then(|| tokens.ahead(at + 2).text),
    }
}

/// Returns whether the name is the first of several targets of an assignment: `a, b = ..`, or in brackets `(a, b) = ..`.
fn is_tuple_target(tokens: &Tokens, at: usize, in_brackets: bool) -> bool {
    if tokens.ahead(at + 1).text != "," {
        return false;
    }
    let mut at = at;
    while tokens.ahead(at).class == Class::Name && tokens.ahead(at + 1).text == "," {
        at += 2;
    }
    let end = at + 1;
    tokens.ahead(at).class == Class::Name
        && match in_brackets {
            true => tokens.ahead(end).text == ")" && tokens.ahead(end + 1).text == "=",
            false => tokens.ahead(end).text == "=",
        }
}

/// Returns the name that the statement at `at` steps, the index of the amount (`None` if it is 1), and whether the name grows.
pub fn increment<'t>(tokens: &Tokens<'t>, at: usize) -> Option<(&'t str, Option<usize>, bool)> {
    let (name, operator) = (tokens.ahead(at), tokens.ahead(at + 1).text);
    for (sign, place) in [(at, at + 3), (at + 1, at + 3)] {
        if let Some(name) = counted(tokens, sign).filter(|_| tokens.ahead(place).text == ";") {
            return Some((name, None, tokens.ahead(sign).text == "+"));
        }
    }
    if name.class != Class::Name || name.text.contains(['.', ':']) {
        return None;
    }
    let again = tokens.ahead(at + 2).text == name.text && tokens.ahead(at + 3).text == "+";
    match operator {
        "+=" => Some((name.text, Some(at + 2), true)),
        "-=" => Some((name.text, Some(at + 2), false)),
        "=" if again => Some((name.text, Some(at + 4), true)),
        _ => None,
    }
}
