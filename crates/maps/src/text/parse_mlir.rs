//! Parses maps in MLIR syntax: `affine_map<...>` with an optional set, and `#xla.indexing_map<...>`.
//!
//! Other attributes are rejected: `#map` is an alias that the surrounding text defines, and is unknown here.

use super::ast::{ComparisonText, DomainText, MapText, SetText, Side};
use super::parse::term;
use super::parse_maps::{plain, results, variables};
use super::token::{Token, Tokens, excerpt};
use crate::text::{Error, ErrorKind};

/// Parses `affine_map<...>`, and the `affine_set<...>` after it, if any.
///
/// # Errors
/// The errors of [`plain`].
pub(super) fn affine_map<'t>(tokens: &mut Tokens<'t>) -> Result<MapText<'t>, Error> {
    tokens.expect(Token::AffineMap, "`affine_map`")?;
    tokens.expect(Token::Less, "`<` after `affine_map`")?;
    let variables = variables(tokens)?;
    tokens.expect(Token::Arrow, "`->` after the variables")?;
    let results = results(tokens)?;
    tokens.expect(Token::Greater, "`>` at the end of `affine_map<...`")?;
    let domain = match tokens.eat(Token::Comma) {
        true => DomainText::Set(affine_set(tokens)?),
        false => DomainText::Absent,
    };
    Ok(MapText {
        is_affine_map: true,
        is_symbolic: false,
        variables,
        results,
        domain,
        end: tokens.previous_end(),
    })
}

fn affine_set<'t>(tokens: &mut Tokens<'t>) -> Result<SetText<'t>, Error> {
    let start = tokens.span().start;
    let after_map = "`affine_set<...>` with the domain after `affine_map<...>,`";
    tokens.expect(Token::AffineSet, after_map)?;
    tokens.expect(Token::Less, "`<` after `affine_set`")?;
    let variables = variables(tokens)?;
    tokens.expect(Token::Colon, "`:` after the variables")?;
    tokens.expect(Token::LeftParen, "`(` and the constraints")?;
    let mut constraints = Vec::new();
    while !tokens.eat(Token::RightParen) {
        if !constraints.is_empty() {
            tokens.expect(Token::Comma, "an operator, `,` or `)`")?;
        }
        constraints.push(comparison(tokens)?);
    }
    tokens.expect(Token::Greater, "`>` at the end of `affine_set<...`")?;
    Ok(SetText { variables, constraints, span: start..tokens.previous_end() })
}

fn comparison<'t>(tokens: &mut Tokens<'t>) -> Result<ComparisonText<'t>, Error> {
    let lhs = term(tokens)?;
    let side = match tokens.token() {
        Token::GreaterEqual => Side::AtLeast,
        Token::LessEqual => Side::AtMost,
        Token::Equal => Side::Equal,
        _ => return Err(tokens.unexpected("an operator, `>=`, `<=` or `==`")),
    };
    tokens.advance();
    let rhs = term(tokens)?;
    Ok(ComparisonText { lhs, side, rhs })
}

/// Parses `#xla.indexing_map<...>`, whether or not the map is quoted.
///
/// # Errors
/// The errors of [`plain`], and [`ErrorKind::Unsupported`] for another attribute.
pub(super) fn attribute<'t>(tokens: &mut Tokens<'t>) -> Result<MapText<'t>, Error> {
    let (name, span) = (tokens.word(), tokens.span());
    if !matches!(name, "#xla.indexing_map" | "#xla_gpu.indexing_map") {
        let name = excerpt(name);
        let error = match name.contains('.') {
            true => format!("unsupported MLIR attribute `{name}<...>`"),
            false => format!("`{name}` is an MLIR alias defined elsewhere"),
        };
        let error = Error::new(ErrorKind::Unsupported, span, error);
        return Err(error.hint("write the map itself; a comment has a space after its `#`"));
    }
    tokens.advance();
    tokens.expect(Token::Less, "`<` after the name of the attribute")?;
    let map = match tokens.eat(Token::Quote) {
        true => {
            let map = plain(tokens, Token::Quote)?;
            tokens.expect(Token::Quote, "`\"` at the end of the map")?;
            map
        }
        false => plain(tokens, Token::Greater)?,
    };
    tokens.expect(Token::Greater, "`>` at the end of the attribute")?;
    Ok(MapText { end: tokens.previous_end(), ..map })
}
