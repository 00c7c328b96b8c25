//! Expressions over the counters of loops and over symbols, with their limits.
//!
//! Variables are numbered: counters from 0, dimensions of views from [`crate::view::PLACES`], symbols from [`SYMBOLS`].

use crate::body::{Stop, unknown};
use affinor_maps::expr::{
    Domain, Expr, ExprError, IndexingMap, Variable, VariableId, VariableKind,
};
use affinor_maps::num::{Interval, MINUS_INFINITY, PLUS_INFINITY};

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

/// Returns the interval of the counter of a loop with this trip count.
pub(crate) fn of_count(count: Option<i64>) -> Interval {
    count.map_or(Interval::at_least(0), Interval::of_size)
}

/// Returns the interval of the integers outside of `bounds`, if that is one.
pub(crate) fn outside_of(bounds: Interval) -> Option<Interval> {
    match (bounds.lo(), bounds.hi()) {
        (MINUS_INFINITY, high) => Some(Interval::new(high.checked_add(1)?, PLUS_INFINITY)),
        (low, PLUS_INFINITY) => Some(Interval::new(MINUS_INFINITY, low.checked_sub(1)?)),
        _ => None,
    }
}

/// Returns the map from points to values, with these symbols.
pub(crate) fn map_over(
    counts: &[Option<i64>],
    results: &[Expr],
    constraints: &[(Expr, Interval)],
    symbols: &[usize],
) -> Result<IndexingMap, Stop> {
    let last = symbols.last().map_or(0, |last| last + 1 + SYMBOLS as usize);
    let mut places: Vec<Expr> = (0..counts.len().max(last)).map(counter).collect();
    for (k, symbol) in symbols.iter().enumerate() {
        places[*symbol + SYMBOLS as usize] = counter(counts.len() + k);
    }
    let moved = |expr: &Expr| checked(expr.substitute(&places));
    let dimensions = counts.iter().enumerate().map(|(k, count)| {
        let bounds = of_count(*count);
        Variable::new(format!("d{k}"), VariableKind::Dimension, bounds)
    });
    let of_symbols = (0..symbols.len())
        .map(|k| Variable::new(format!("s{k}"), VariableKind::Range, Interval::ALL));
    let mut domain = Domain::new(dimensions.chain(of_symbols).collect());
    for (expr, bounds) in constraints {
        domain.constrain(&moved(expr)?, *bounds);
    }
    let results = results.iter().map(moved).collect::<Result<_, _>>()?;
    Ok(IndexingMap::new(domain, results))
}
