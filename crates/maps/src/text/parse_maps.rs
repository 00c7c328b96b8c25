//! Parses maps; the grammar is in the documentation of [`parse`](super::parse).

use super::ast::{DomainText, ItemText, MapText, NodeKind, Term, VariableText};
use super::parse::{integer, term};
use super::token::{Token, Tokens};
use crate::expr::{End, VariableKind};
use crate::num::{Interval, MINUS_INFINITY, PLUS_INFINITY};
use crate::text::{Error, ErrorKind};
use rustc_hash::FxHashMap;

/// Parses a map without enclosing brackets, up to the token `close`.
///
/// # Errors
/// The errors of [`term`], and [`ErrorKind::Name`] for a keyword as a name.
pub(super) fn plain<'t>(tokens: &mut Tokens<'t>, close: Token) -> Result<MapText<'t>, Error> {
    let mut variables = Vec::new();
    let is_symbolic = tokens.token() == Token::Less;
    if is_symbolic {
        names(tokens, VariableKind::Parameter, Token::Greater, &mut variables)?;
    }
    variables.extend(self::variables(tokens)?);
    tokens.expect(Token::Arrow, "`->` after the variables")?;
    let results = results(tokens)?;
    let domain = match domain(tokens, close)? {
        DomainText::Items(items) => DomainText::Items(bounds_first(items, &variables)),
        other => other,
    };
    Ok(MapText {
        is_affine_map: false,
        is_symbolic,
        variables,
        results,
        domain,
        end: tokens.previous_end(),
    })
}

/// Parses `term in [lo, hi]`. If `has_terms`, the bounds may be terms.
///
/// # Errors
/// The errors of [`term`].
pub fn item<'t>(tokens: &mut Tokens<'t>, has_terms: bool) -> Result<ItemText<'t>, Error> {
    let term = term(tokens)?;
    tokens.expect(Token::In, "an operator or `in [lo, hi]`")?;
    let (bounds, ends) = interval(tokens, has_terms)?;
    Ok(ItemText { term, bounds, ends })
}

pub(super) fn variables<'t>(tokens: &mut Tokens<'t>) -> Result<Vec<VariableText<'t>>, Error> {
    let mut list = Vec::new();
    if tokens.token() != Token::LeftParen {
        let error = tokens.unexpected("a map, which begins with `(`");
        return Err(error.hint("write a map as `(d0) -> (d0 * 2), domain: d0 in [0, 9]`"));
    }
    names(tokens, VariableKind::Dimension, Token::RightParen, &mut list)?;
    if tokens.token() == Token::LeftBracket {
        names(tokens, VariableKind::Range, Token::RightBracket, &mut list)?;
    }
    if tokens.token() == Token::LeftBrace {
        names(tokens, VariableKind::Runtime, Token::RightBrace, &mut list)?;
    }
    Ok(list)
}

/// Parses names up to the bracket `close`; the current token is the opening bracket.
fn names<'t>(
    tokens: &mut Tokens<'t>,
    kind: VariableKind,
    close: Token,
    list: &mut Vec<VariableText<'t>>,
) -> Result<(), Error> {
    let closing = match kind {
        VariableKind::Dimension => "`)`",
        VariableKind::Range => "`]`",
        VariableKind::Runtime => "`}`",
        VariableKind::Parameter => "`>`",
    };
    tokens.advance();
    if tokens.eat(close) {
        return Ok(());
    }
    loop {
        let (name, span) = (tokens.word(), tokens.span());
        if tokens.token().is_keyword() {
            let message = format!("the keyword `{name}` cannot be a variable name");
            return Err(Error::new(ErrorKind::Name, span, message).hint("choose another name"));
        }
        tokens.expect(Token::Name, &format!("the name of a variable or {closing}"))?;
        list.push(VariableText { name, span, kind });
        if tokens.eat(close) {
            return Ok(());
        }
        tokens.expect(Token::Comma, &format!("`,` or {closing}"))?;
    }
}

pub(super) fn results<'t>(tokens: &mut Tokens<'t>) -> Result<Vec<Term<'t>>, Error> {
    let mut list = Vec::new();
    tokens.expect(Token::LeftParen, "`(` and the results")?;
    if tokens.eat(Token::RightParen) {
        return Ok(list);
    }
    loop {
        list.push(term(tokens)?);
        if tokens.eat(Token::RightParen) {
            return Ok(list);
        }
        tokens.expect(Token::Comma, "an operator, `,` or `)`")?;
    }
}

fn domain<'t>(tokens: &mut Tokens<'t>, close: Token) -> Result<DomainText<'t>, Error> {
    if tokens.eat(Token::Comma) && tokens.token() != Token::Domain {
        return Err(tokens.unexpected("`domain:` after `,`"));
    }
    if !tokens.eat(Token::Domain) {
        return Ok(DomainText::Absent);
    }
    tokens.expect(Token::Colon, "`:` after `domain`")?;
    if tokens.eat(Token::Empty) {
        return Ok(DomainText::Empty);
    }
    let mut items = Vec::new();
    let is_end = |token| token == close || matches!(token, Token::End | Token::Semicolon);
    while !is_end(tokens.token()) {
        if close != Token::End && flag(tokens)? {
            break;
        }
        items.push(item(tokens, true)?);
        if !is_end(tokens.token()) && !tokens.eat(Token::Comma) && !tokens.is_after_newline() {
            return Err(tokens.unexpected("`,` or a new line before the next constraint"));
        }
    }
    Ok(DomainText::Items(items))
}

/// Moves the bounds of the variables, in their order, before the constraints. If a variable has no bounds, nothing is moved.
fn bounds_first<'t>(items: Vec<ItemText<'t>>, variables: &[VariableText<'t>]) -> Vec<ItemText<'t>> {
    let mut first = FxHashMap::default();
    for (place, item) in items.iter().enumerate() {
        if let NodeKind::Name(name) = item.term.node(item.term.root()).kind {
            first.entry(name).or_insert(place);
        }
    }
    let bounds: Option<Vec<usize>> =
        variables.iter().map(|variable| first.get(variable.name).copied()).collect();
    let Some(bounds) = bounds else {
        return items;
    };
    let mut items: Vec<Option<ItemText<'t>>> = items.into_iter().map(Some).collect();
    let own: Vec<_> = bounds.into_iter().filter_map(|place| items[place].take()).collect();
    own.into_iter().chain(items.into_iter().flatten()).collect()
}

/// Parses `is_simplified: true`, if present, which XLA writes at the end of a domain: a flag that does not affect the map.
fn flag(tokens: &mut Tokens<'_>) -> Result<bool, Error> {
    let mut ahead = tokens.clone();
    ahead.advance();
    if tokens.word() != "is_simplified" || ahead.token() != Token::Colon {
        return Ok(false);
    }
    ahead.advance();
    if !matches!(ahead.word(), "true" | "false") {
        return Err(ahead.unexpected("`true` or `false`"));
    }
    ahead.advance();
    *tokens = ahead;
    Ok(true)
}

/// Parses an interval; returns it without the bounds that are terms, and these bounds.
fn interval<'t>(
    tokens: &mut Tokens<'t>,
    has_terms: bool,
) -> Result<(Interval, Vec<(End, Term<'t>)>), Error> {
    let mut ends = Vec::new();
    let mut end = |tokens: &mut Tokens<'t>, end: End, infinity: i64| {
        if has_terms && !is_number(tokens) {
            ends.push((end, term(tokens)?));
            return Ok(infinity);
        }
        bound(tokens, infinity)
    };
    tokens.expect(Token::LeftBracket, "an interval `[lo, hi]`")?;
    let lo = end(tokens, End::Lower, MINUS_INFINITY)?;
    tokens.expect(Token::Comma, "`,` and the upper bound")?;
    let hi = end(tokens, End::Upper, PLUS_INFINITY)?;
    tokens.expect(Token::RightBracket, "`]`")?;
    Ok((Interval::new(lo, hi), ends))
}

/// Returns whether the next bound of an interval is a number or infinite.
fn is_number(tokens: &Tokens) -> bool {
    let mut ahead = tokens.clone();
    ahead.eat(Token::Minus);
    let is_number = ahead.token() == Token::Integer || ahead.word() == "inf";
    ahead.advance();
    is_number && matches!(ahead.token(), Token::Comma | Token::RightBracket)
}

/// Parses a finite bound, or the infinity allowed here.
fn bound(tokens: &mut Tokens, infinity: i64) -> Result<i64, Error> {
    let start = tokens.span().start;
    let negative = tokens.eat(Token::Minus);
    let span = start..tokens.span().end;
    if tokens.token() == Token::Name && tokens.word() == "inf" {
        if negative != (infinity == MINUS_INFINITY) {
            let error = Error::new(ErrorKind::Domain, span, "an interval has no such end");
            return Err(error.hint("an unbounded interval is written `[-inf, inf]`"));
        }
        tokens.advance();
        return Ok(infinity);
    }
    if tokens.token() != Token::Integer {
        let error = tokens.unexpected("an integer");
        return Err(error.hint("bounds are inclusive and must be integers"));
    }
    let magnitude = i128::from(integer(tokens)?);
    let value = if negative { -magnitude } else { magnitude };
    // The two ends of the 64-bit range represent the infinities.
    match i64::try_from(value) {
        Ok(value) if value != MINUS_INFINITY && value != PLUS_INFINITY => Ok(value),
        _ => {
            let message = "this bound does not fit in an interval";
            let error = Error::new(ErrorKind::Overflow, span, message);
            Err(error.hint("bounds lie between -2^63 + 1 and 2^63 - 2; or write `inf`"))
        }
    }
}
