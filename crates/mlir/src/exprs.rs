//! Expressions over the counters of loops and over symbols, with their limits.
//!
//! Variables are numbered: counters from 0, dimensions of views from [`crate::view::PLACES`], symbols from [`SYMBOLS`].

use crate::body::{Stop, unknown};
use affinor::expr::{Expr, ExprError, IndexingMap, VariableId};

/// Symbols are the variables from this number on, which exceeds the nesting depth of loops in any text.
pub(crate) const SYMBOLS: u32 = 1 << 10;
/// Maximum size of an expression.
const MAX_SIZE: u32 = 1 << 12;

/// An expression, or the reason why it is unknown.
pub(crate) type Known = Result<Expr, Stop>;

/// Returns the results of a map on these operands.
pub(crate) fn of_map(map: &IndexingMap, operands: &[Expr]) -> Result<Vec<Expr>, Stop> {
    if operands.len() != map.domain().variables().len() || map.is_symbolic() {
        return unknown("its map has other variables than operands, or is not affine");
    }
    map.results().iter().map(|result| checked(result.substitute(operands))).collect()
}

/// Rejects an expression that is too large or not affine as unknown.
pub(crate) fn checked(expr: Result<Expr, ExprError>) -> Known {
    match expr {
        Ok(expr) if expr.size() <= MAX_SIZE => Ok(expr),
        Ok(_) => unknown("its indices are too large"),
        Err(error) => unknown(error.to_string()),
    }
}

/// Returns the counter of the loop at this depth.
pub(crate) fn counter(depth: usize) -> Expr {
    Expr::variable(VariableId(u32::try_from(depth).unwrap_or(SYMBOLS - 1)))
}

/// Returns the expression with the variables from `first` on replaced by `with`; `None` if it has one that is replaced by nothing.
pub(crate) fn replaced(
    expr: &Expr,
    first: usize,
    with: &[Option<Expr>],
) -> Result<Option<Expr>, Stop> {
    let mut used = std::collections::BTreeSet::new();
    expr.collect_variables(&mut used);
    let end = used.last().map_or(0, |last| last.index() + 1);
    let mut places: Vec<Expr> = (0..end).map(counter).collect();
    for id in used {
        match id.index().checked_sub(first).and_then(|k| with.get(k)) {
            Some(Some(expr)) => places[id.index()] = expr.clone(),
            Some(None) => return Ok(None),
            None => {}
        }
    }
    checked(expr.substitute(&places)).map(Some)
}
