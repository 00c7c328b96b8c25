//! Steps inside subscripts of C: `a[k++] = b[i];` as `a[k] = b[i]; k++;`.
//!
//! Law: the name occurs once in its statement, and the step is always evaluated, so nothing else in the statement depends on when
//! it happens. The statement that is the body of a loop or condition becomes a block. Any other step is left unchanged.

use super::token::{Class, Token, balanced_length};

/// The maximum number of steps that are moved.
const MAX_STEPS: usize = 1 << 6;

/// Returns the tokens with such steps as statements. Inserted brackets have the position of the step.
pub fn with_steps_apart(mut tokens: Vec<Token<'_>>) -> Vec<Token<'_>> {
    let mut from = 0;
    for _ in 0..MAX_STEPS {
        let found = (from..tokens.len()).find_map(|at| Some((at, Step::at(&tokens, at)?)));
        let Some((at, step)) = found else {
            break;
        };
        match step.written(&tokens) {
            Some((start, end, new)) => drop(tokens.splice(start..end, new)),
            None => from = at + 1,
        }
    }
    tokens
}

/// A name between `[` and `]` with `++` or `--` beside it.
struct Step {
    /// The first of the three tokens.
    at: usize,
    name: usize,
}

impl Step {
    /// Returns the step whose signs begin at `at`.
    fn at(tokens: &[Token], at: usize) -> Option<Step> {
        let sign = tokens.get(at).filter(|token| matches!(token.text, "+" | "-"))?;
        let next = tokens.get(at + 1).filter(|next| next.text == sign.text)?;
        let is_name = |at: usize| tokens.get(at).is_some_and(|token| token.class == Class::Name);
        let text = |at: usize| tokens.get(at).map_or("", |token| token.text);
        let before = at.checked_sub(1)?;
        let (first, name) = match is_name(before) {
            true => (before, before),
            false if is_name(at + 2) => (at, at + 2),
            false => return None,
        };
        let is_inside = matches!(text(first.checked_sub(1)?), "[" | "+" | "-" | "*")
            && matches!(text(first + 3), "]" | "+" | "-" | "*");
        (sign.span.end == next.span.start && is_inside).then_some(Step { at: first, name })
    }

    /// Returns the statement with the step apart, and the start and end of the tokens that it replaces.
    fn written<'t>(&self, tokens: &[Token<'t>]) -> Option<(usize, usize, Vec<Token<'t>>)> {
        let (start, is_body) = start(tokens, self.at)?;
        let end = end(tokens, start)?;
        let statement = tokens.get(start..end)?;
        let name = tokens.get(self.name)?;
        let is_once = statement.iter().filter(|token| token.text == name.text).count() == 1;
        let is_choice = |token: &Token| {
            matches!(token.text, "&&" | "||" | "?" | "and" | "or" | "if" | "for" | "while" | "{")
        };
        if !is_once || statement.iter().any(is_choice) {
            return None;
        }
        let sign = |text: &'static str| Token {
            class: Class::Operator,
            text,
            span: name.span.clone(),
            indent: None,
        };
        let own = &tokens[self.at..self.at + 3];
        let signs = own.iter().filter(|token| token.class != Class::Name).cloned();
        let step = [name.clone()].into_iter().chain(signs).chain([sign(";")]);
        let rest = tokens[start..self.at].iter().chain([name]).chain(&tokens[self.at + 3..end]);
        let mut new: Vec<Token> = Vec::new();
        new.extend(is_body.then(|| sign("{")));
        match self.name == self.at {
            true => new.extend(rest.cloned().chain(step)),
            false => new.extend(step.chain(rest.cloned())),
        }
        new.extend(is_body.then(|| sign("}")));
        Some((start, end, new))
    }
}

/// Returns the start of the statement around `at`, and whether it is the body of a loop or condition without brackets.
fn start(tokens: &[Token], at: usize) -> Option<(usize, bool)> {
    let mut depth = 0usize;
    let mut is_subscript = false;
    for place in (0..at).rev() {
        match tokens[place].text {
            ")" if depth == 0 && is_header(tokens, place) => {
                return is_subscript.then_some((place + 1, true));
            }
            ")" | "]" => depth += 1,
            "[" if depth == 0 => is_subscript = true,
            "(" if depth == 0 => return None,
            "(" | "[" => depth -= 1,
            ";" | "{" | "}" if depth == 0 => return is_subscript.then_some((place + 1, false)),
            "else" | "do" if depth == 0 => return is_subscript.then_some((place + 1, true)),
            _ => {}
        }
    }
    is_subscript.then_some((0, false))
}

/// Returns whether the bracket at `close` closes the header of a loop or condition.
fn is_header(tokens: &[Token], close: usize) -> bool {
    let mut depth = 0usize;
    for place in (0..=close).rev() {
        match tokens[place].text {
            ")" => depth += 1,
            "(" if depth == 1 => {
                let before = place.checked_sub(1).map_or("", |before| tokens[before].text);
                return matches!(before, "for" | "while" | "if");
            }
            "(" => depth -= 1,
            _ => {}
        }
    }
    false
}

/// Returns the index after the semicolon that ends the statement.
fn end(tokens: &[Token], start: usize) -> Option<usize> {
    let mut at = start;
    while at < tokens.len() {
        match tokens[at].text {
            ";" => return Some(at + 1),
            "}" => return None,
            _ => at += balanced_length(tokens[at..].iter().map(|token| token.text))?,
        }
    }
    None
}
