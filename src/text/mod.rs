//! The text language of index maps: `(d0)[s0] -> (d0 * 8 + s0), domain: d0 in [0, 3], s0 in [0, 7]`.
//!
//! [`token`] makes words, [`parse`], [`parse_maps`] and [`parse_mlir`] make what was typed ([`ast`]),
//! [`lower`] and [`lower_maps`] make expressions and maps of it, and [`print`](mod@print) and [`print_mlir`] write them.
//!
//! Law: what is printed parses back to the same map. Reading any text ends with a value or with one
//! [`Error`], takes memory in proportion to its length, and does not recurse.
//!
//! ```
//! use affinor::text::{Style, parse_map, print_map};
//!
//! let map = parse_map("(d0) -> (16d0 // 2), domain: d0 in [0, 3]").unwrap();
//! assert_eq!(print_map(&map, Style::Plain), "(d0) -> (d0 * 16 floordiv 2), domain: d0 in [0, 3]");
//! ```

pub mod ast;
mod error;
pub(crate) mod json;
pub mod lower;
pub mod lower_maps;
pub mod parse;
pub mod parse_maps;
pub mod parse_mlir;
pub mod print;
pub mod print_mlir;
pub mod render;
pub mod scope;
pub mod token;
mod words;

pub use error::{Error, ErrorKind, Span};
pub use print::{
    Style, print_constraint, print_expr, print_interval, print_map, print_map_strictly,
    variable_names,
};
pub use print_mlir::mlir_refusal;
pub use token::is_name;
pub(crate) use words::count;

use crate::expr::{Expr, IndexingMap};
use crate::num::Interval;
use scope::Scope;
use std::fmt;
use std::str::FromStr;
use token::{Token, Tokens};

impl fmt::Display for IndexingMap {
    /// Writes the map in [`Style::Plain`].
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&print_map(self, Style::Plain))
    }
}

impl FromStr for IndexingMap {
    type Err = Error;

    /// Reads a map, as [`parse_map`] does.
    fn from_str(text: &str) -> Result<IndexingMap, Error> {
        parse_map(text)
    }
}

/// Reads a map.
///
/// # Errors
/// One [`Error`] at its position in `text`.
pub fn parse_map(text: &str) -> Result<IndexingMap, Error> {
    let mut tokens = Tokens::new(text);
    let map = parse_maps::map(&mut tokens)?;
    expect_end(&tokens)?;
    lower_maps::map(&map, text)
}

/// Reads an expression over the variables called `names`, numbered in this order.
///
/// # Errors
/// One [`Error`] at its position in `text`.
pub fn parse_expr<N: AsRef<str>>(text: &str, names: &[N]) -> Result<Expr, Error> {
    let mut tokens = Tokens::new(text);
    let term = parse::term(&mut tokens)?;
    if tokens.token() != Token::End {
        return Err(tokens.unexpected("an operator or the end of the expression"));
    }
    lower::expr(&term, &scope(names), text)
}

/// Reads `expr in [lo, hi]` over the variables called `names`, numbered in this order.
///
/// # Errors
/// One [`Error`] at its position in `text`.
pub fn parse_constraint<N: AsRef<str>>(text: &str, names: &[N]) -> Result<(Expr, Interval), Error> {
    let mut tokens = Tokens::new(text);
    let item = parse_maps::item(&mut tokens)?;
    if tokens.token() != Token::End {
        return Err(tokens.unexpected("the end of the constraint"));
    }
    lower_maps::item(&item, &scope(names), text)
}

/// The pieces of `text` between `;`, without the space around them. A `;` in a comment is none.
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

fn scope<N: AsRef<str>>(names: &[N]) -> Scope<'_> {
    Scope::new(names.iter().map(AsRef::as_ref))
}

fn expect_end(tokens: &Tokens) -> Result<(), Error> {
    match tokens.token() {
        Token::End => Ok(()),
        Token::Semicolon => Err(tokens.unexpected("one map only")),
        _ => Err(tokens.unexpected("the end of the map")),
    }
}
