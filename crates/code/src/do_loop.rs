//! `do { .. } while (i < n);` as `first_0 = i; while (i < max(first_0 + 1, n)) { .. }`.
//!
//! Law: the first iteration runs at any value, and each further iteration only if the condition holds. The end of a loop that
//! steps its variable up is therefore the later of both ends, of one that steps it down the earlier. Out of scope: other
//! conditions; any other `do` is left unchanged.

use super::token::{Class, Token, balanced_length};

/// The names for the initial values of the loops.
const FIRST: [&str; 8] =
    ["first_0", "first_1", "first_2", "first_3", "first_4", "first_5", "first_6", "first_7"];

/// Returns the tokens with such loops rewritten. Inserted tokens have the position of `do`.
pub fn without_do(mut tokens: Vec<Token<'_>>) -> Vec<Token<'_>> {
    for name in FIRST {
        let is_loop = |at: &usize| tokens[*at].text == "do" && is_block(&tokens, *at + 1);
        let found = (0..tokens.len()).rev().filter(is_loop);
        let Some((at, new)) =
            found.into_iter().find_map(|at| Some((at, written(&tokens, at, name)?)))
        else {
            break;
        };
        tokens.splice(at..at + new.1, new.0);
    }
    tokens
}

fn is_block(tokens: &[Token], at: usize) -> bool {
    tokens.get(at).is_some_and(|token| token.text == "{")
}

/// Returns the index after the bracket that closes the one at `from`.
fn closed(tokens: &[Token], from: usize) -> Option<usize> {
    let texts = tokens.get(from..)?.iter().map(|token| token.text);
    balanced_length(texts).map(|length| from + length)
}

/// Returns the rewritten loop for the `do` at `at`, and the number of tokens that it replaces.
fn written<'t>(tokens: &[Token<'t>], at: usize, name: &'t str) -> Option<(Vec<Token<'t>>, usize)> {
    let is_free = tokens.iter().all(|token| token.text != name);
    let behind = closed(tokens, at + 1)?;
    let open = (tokens.get(behind)?.text == "while").then_some(behind + 1)?;
    let close = closed(tokens, open)?;
    let [variable, relation, end @ ..] = tokens.get(open + 1..close - 1)? else {
        return None;
    };
    let is_plain = |token: &Token| {
        !matches!(token.text, "<" | ">" | "=" | "&" | "|" | "&&" | "||" | "," | "?" | "==" | "!=")
    };
    let is_one = variable.class == Class::Name && !end.is_empty() && end.iter().all(is_plain);
    let (choice, first): (&str, &[&str]) = match relation.text {
        "<" => ("max", &["+", "1"]),
        "<=" => ("max", &[]),
        ">" => ("min", &["-", "1"]),
        ">=" => ("min", &[]),
        _ => return None,
    };
    if !is_one || !is_free || tokens.get(close)?.text != ";" {
        return None;
    }
    let place = &tokens[at];
    let token = |text: &'t str| Token {
        class: match text {
            "1" => Class::Integer,
            text if text.starts_with(char::is_alphabetic) => Class::Name,
            _ => Class::Operator,
        },
        text,
        span: place.span.clone(),
        indent: None,
    };
    let mut new = vec![
        Token { indent: place.indent, ..token(name) },
        token("="),
        variable.clone(),
        token(";"),
        token("while"),
        token("("),
        variable.clone(),
        relation.clone(),
        token(choice),
        token("("),
        token(name),
    ];
    new.extend(first.iter().map(|text| token(text)));
    new.push(token(","));
    new.extend(end.iter().cloned());
    new.extend([token(")"), token(")")]);
    new.extend(tokens[at + 1..behind].iter().cloned());
    Some((new, close + 1 - at))
}
