//! Maps and sets as isl writes them: `[n] -> { S[i, j] -> A[i + j, floor(i/4)] : 0 <= i < n and 0 <= j <= 9 }`.
//!
//! ```text
//! isl    := [tuple '->'] '{' piece {';' piece} '}'
//! piece  := tuple ['->' tuple] [':' formula]
//! tuple  := [NAME] '[' [entry {',' entry}] ']'             entry := NAME ['=' term] | term
//! ```
//!
//! The first tuple lists the parameters. Names of spaces (`S`, `A`) have no meaning for the map, but pieces are joined only
//! within one space. An entry that is not a new name is equal to the dimension at its position. In a term, `floor(x/c)`,
//! `ceil(x/c)`, `floord(x, c)` and `ceild(x, c)` are quotients; a bare `x/c` is rational in isl, and is rejected. A set is the
//! identity on its points. Source: isl's manual, *Input and Output*.
//!
//! [`parse`] builds the syntax tree; [`reader`] turns it into conditions ([`formula`]): `and` and `or` of comparisons, from which
//! [`eliminate`] removes the integers of `exists`. [`lower`] solves for outputs and builds the domain, for which [`bounds`] finds
//! the bounds common to all cases of an `or`.
//!
//! Law: the map has the pairs of inputs and outputs of isl's relation, as long as parameters are integers, as they are in isl. An
//! existential integer that is not eliminated is a range variable, as is an output with several values: a pair is in the relation
//! if there is a value for it.

mod bounds;
mod eliminate;
mod formula;
mod lower;
mod parse;
mod reader;

pub use lower::map as lowered;
pub use parse::map as parsed;

use super::token::Token;

/// Returns whether a map that begins with this token is in isl's syntax.
pub(super) fn begins(token: Token) -> bool {
    matches!(token, Token::LeftBracket | Token::LeftBrace)
}
