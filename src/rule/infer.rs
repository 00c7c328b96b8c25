//! Reads a rule that declares no sorts: `name: statement where ..`, as it is typed in a session.
//!
//! A name is a constant where only a constant can stand: in a divisor, as the left factor of a product, and
//! on the left of `let`. Every other name is an expression.

use super::load::{is_rule_name, purpose_of};
use super::parse;
use super::terms::{Sort, Sorts, TermReader};
use super::{Rule, Term, check};
use crate::error::{Error, ErrorKind};
use crate::syntax::token::{Token, Tokens};

/// The file that rules of a session name as theirs.
pub const SESSION: &str = "session";

/// Reads a rule with a name; the purpose may be left out.
///
/// # Errors
/// One [`Error`] at its position in `text`: those of [`load`](super::load()).
pub fn read_rule(text: &str) -> Result<Rule, Error> {
    let Some((name, body)) = text.split_once(':') else {
        return Err(
            Error::new(ErrorKind::Rule, 0..text.len(), "expected `name: statement`")
                .hint("for example: half: (2*x) floordiv 2 => x"),
        );
    };
    let name_span = 0..name.len();
    if !is_rule_name(name) {
        let message = format!("'{name}' is no name of a rule");
        return Err(Error::new(ErrorKind::Rule, name_span, message)
            .hint("use lower-case words joined by '-'"));
    }
    let (statement, purpose) = body.split_once('"').unwrap_or((body, "\""));
    let shift = |error: Error| error.shifted(name.len() + 1);
    let sorts = sorts(statement).map_err(shift)?;
    let mut rule = whole(statement, &sorts).map_err(shift)?;
    rule.name = name.to_owned();
    rule.purpose = purpose_of(purpose).unwrap_or_default();
    rule.file = SESSION.to_owned();
    rule.line = 1;
    check::rule(&rule, &name_span)?;
    Ok(rule)
}

fn whole(statement: &str, sorts: &Sorts) -> Result<Rule, Error> {
    let mut tokens = Tokens::new(statement);
    let rule = parse::body(&mut tokens, &TermReader { sorts })?;
    match tokens.token() {
        Token::End => Ok(rule),
        _ => {
            let parts = parse::expected_parts();
            Err(tokens.unexpected(&format!("{parts} or the end of the rule")))
        }
    }
}

/// The sorts of the names in a statement.
fn sorts(statement: &str) -> Result<Sorts, Error> {
    let mut constants = named_by_let(statement);
    // First with every other name an expression, to see where the names stand.
    let rule = whole(statement, &Sorts::with_constants(&constants))?;
    for term in rule
        .stated_terms()
        .chain(rule.witnesses.iter().map(|(_, term)| term))
    {
        term.visit(&mut |part| match part {
            Term::FloorDiv(_, divisor) | Term::Mod(_, divisor) => {
                divisor.visit(&mut |part| note(&rule, part, &mut constants));
            }
            Term::Product(factor, _) => note(&rule, factor, &mut constants),
            _ => {}
        });
    }
    Ok(Sorts::with_constants(&constants))
}

fn note(rule: &Rule, term: &Term, constants: &mut Vec<String>) {
    if let Term::Expression(slot) = term
        && let Some(name) = rule.expressions.get(*slot as usize)
        && !constants.contains(name)
    {
        constants.push(name.clone());
    }
}

/// The names to which `let` gives values.
fn named_by_let(statement: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut tokens = Tokens::new(statement);
    let (mut in_let, mut at_start) = (false, false);
    while tokens.token() != Token::End {
        let word = tokens.word();
        match tokens.token() {
            Token::Name if parse::begins_part(word) => (in_let, at_start) = (word == "let", true),
            Token::Name if in_let && at_start => {
                names.push(word.to_owned());
                at_start = false;
            }
            token => at_start = token == Token::Comma,
        }
        tokens.advance();
    }
    names
}

impl Sorts {
    fn with_constants(names: &[String]) -> Sorts {
        let mut sorts = Sorts::expressions();
        for name in names {
            sorts.know(name, Sort::Constant);
        }
        sorts
    }
}
