//! The text language of index maps: `(d0)[s0] -> (d0 * 8 + s0), domain: d0 in [0, 3], s0 in [0, 7]`, also with
//! parameters: `<n>(d0)[s0] -> (d0 * n + s0), domain: n in [1, inf], d0 in [0, 3], s0 in [0, n - 1]`.
//!
//! [`token`] is the lexer; [`parse`], `parse_maps` and `parse_mlir` build the syntax tree ([`ast`]); `lower` and `lower_maps`
//! with `scope` and `ends` build expressions and maps; `isl` reads isl's; `print`, `print_mlir` and `print_maps` print them.
//!
//! Law: a printed map parses back to the same map. Parsing any text returns a value or one [`Error`], takes memory linear in its
//! length, and does not recurse.
//!
//! ```
//! use affinor_maps::text::{Style, parse_map, print_map};
//!
//! let map = parse_map("(d0) -> (16d0 // 2), domain: d0 in [0, 3]").unwrap();
//! assert_eq!(print_map(&map, Style::Plain), "(d0) -> (d0 * 16 floordiv 2), domain: d0 in [0, 3]");
//! ```

pub mod ast;
mod ends;
mod error;
mod isl;
pub mod json;
pub mod lower;
mod lower_maps;
mod memref;
pub mod parse;
mod parse_maps;
mod parse_mlir;
mod print;
mod print_maps;
mod print_mlir;
pub mod render;
mod scope;
pub mod token;
mod tree;
mod words;

pub use error::{Error, ErrorKind, Span};
pub use lower_maps::Part;
pub use memref::{memref, set_as_map};
pub use print::{Style, print_constraint, print_expr, print_interval, variable_names};
pub use print_maps::{print_map, print_map_strictly};
pub use print_mlir::{is_mlir_name, mlir_refusal};
pub use token::is_name;
pub use tree::{MAX_NESTED, Tree};
pub use words::count;

use crate::expr::{Expr, IndexingMap};
use crate::num::Interval;
use lower::Sizes;
use scope::Scope;
use std::fmt;
use std::str::FromStr;
use token::{Token, Tokens};

impl fmt::Display for IndexingMap {
    /// Prints the map in [`Style::Plain`].
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&print_map(self, Style::Plain))
    }
}

impl FromStr for IndexingMap {
    type Err = Error;

    /// Parses a map, as [`parse_map`] does.
    fn from_str(text: &str) -> Result<IndexingMap, Error> {
        parse_map(text)
    }
}

/// Parses a map.
///
/// # Errors
/// One [`Error`] at its position in `text`.
pub fn parse_map(text: &str) -> Result<IndexingMap, Error> {
    parse_map_at(text, &[])
}

/// Parses a map whose variables are to have these values: it suffices that the divisors are positive for these values. The map is
/// defined only where its divisors are positive.
///
/// # Errors
/// One [`Error`] at its position in `text`.
pub fn parse_map_at(text: &str, values: &[(&str, i64)]) -> Result<IndexingMap, Error> {
    let mut tokens = Tokens::new(text);
    if isl::begins(tokens.token()) {
        let map = isl::parsed(&mut tokens)?;
        check_end(&tokens)?;
        return isl::lowered(&map, text);
    }
    lower_maps::map_at(&map_text(&mut tokens)?, text, values)
}

/// Parses the parts of the results of a map as written, operands first; isl's notation is not supported.
///
/// # Errors
/// The errors of [`parse_map`].
pub fn parse_parts(text: &str) -> Result<Vec<Part>, Error> {
    lower_maps::parts(&map_text(&mut Tokens::new(text))?, text)
}

fn map_text<'t>(tokens: &mut Tokens<'t>) -> Result<ast::MapText<'t>, Error> {
    let map = match tokens.token() {
        Token::AffineMap => parse_mlir::affine_map(tokens),
        Token::Attribute => parse_mlir::attribute(tokens),
        _ => parse_maps::plain(tokens, Token::End),
    }?;
    check_end(tokens)?;
    Ok(map)
}

fn check_end(tokens: &Tokens<'_>) -> Result<(), Error> {
    match tokens.token() {
        Token::End => Ok(()),
        Token::Semicolon => Err(tokens
            .unexpected("one map only")
            .hint("`compose MAP ; MAP` composes two maps, `equal MAP ; MAP` compares them")),
        _ => Err(tokens.unexpected("the end of the map")),
    }
}

/// Parses an expression over the variables `names`, numbered in this order.
///
/// # Errors
/// One [`Error`] at its position in `text`.
pub fn parse_expr<N: AsRef<str>>(text: &str, names: &[N]) -> Result<Expr, Error> {
    expression(text, names, None)
}

/// Parses an expression over the variables `names`, numbered in this order, with products and quotients by expressions. Whether
/// the divisors are positive depends on a domain, and is not checked.
///
/// # Errors
/// One [`Error`] at its position in `text`.
pub fn parse_symbolic_expr<N: AsRef<str>>(text: &str, names: &[N]) -> Result<Expr, Error> {
    expression(text, names, Sizes::of_any(true).as_mut())
}

/// Parses `expr in [lo, hi]` over the variables `names`, numbered in this order.
///
/// # Errors
/// One [`Error`] at its position in `text`.
pub fn parse_constraint<N: AsRef<str>>(text: &str, names: &[N]) -> Result<(Expr, Interval), Error> {
    let mut tokens = Tokens::new(text);
    let item = parse_maps::item(&mut tokens, false)?;
    if tokens.token() != Token::End {
        return Err(tokens.unexpected("the end of the constraint"));
    }
    Ok((lower::expr(&item.term, &scope(names), text, None)?, item.bounds))
}

/// Splits `text` at `;`, except in comments, and trims the parts.
#[must_use]
pub fn split(text: &str) -> Vec<Span> {
    let mut tokens = Tokens::new(text);
    let mut pieces = Vec::new();
    loop {
        let start = tokens.span().start;
        let mut end = start;
        while !matches!(tokens.token(), Token::Semicolon | Token::End) {
            tokens.advance();
            end = tokens.previous_end();
        }
        pieces.push(start..end);
        if !tokens.eat(Token::Semicolon) {
            return pieces;
        }
    }
}

fn expression<N: AsRef<str>>(
    text: &str,
    names: &[N],
    sizes: Option<&mut Sizes>,
) -> Result<Expr, Error> {
    let mut tokens = Tokens::new(text);
    let term = parse::term(&mut tokens)?;
    if tokens.token() != Token::End {
        return Err(tokens.unexpected("an operator or the end of the expression"));
    }
    lower::expr(&term, &scope(names), text, sizes)
}

fn scope<N: AsRef<str>>(names: &[N]) -> Scope<'_> {
    Scope::new(names.iter().map(AsRef::as_ref))
}
