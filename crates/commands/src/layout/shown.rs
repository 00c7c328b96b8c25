//! The printed map of a CuTe layout: simplified, unless that introduces divisors that the layout's own digits do not have
//! (`mod 511` instead of `mod 512`), since a GPU would have to compute the division.

use crate::failure::Failure;
use crate::table::Call;
use affinor::expr::{Divisor, Expr, ExprKind, IndexingMap};
use affinor_layout::cute::Layout;
use affinor_layout::cute::algebra::recognise;
use std::collections::BTreeSet;

/// The maximal size, in nodes, of an expression that is searched for divisors.
const MOST_NODES: u32 = 1 << 12;

/// Returns the map of the layout.
///
/// # Errors
/// If the shipped rules do not load.
pub fn shown(call: &Call<'_>, layout: &Layout) -> Result<IndexingMap, Failure> {
    let simple = call.simplifier()?.simplify(layout.map(), &call.search_options()?).map;
    let (Some(own), Some(found)) = (divisors(layout.map()), divisors(&simple)) else {
        return Ok(simple);
    };
    if layout.swizzle().is_some() || found.is_subset(&own) {
        return Ok(simple);
    }
    let shortest = recognise(layout.map(), &call.proof_budget());
    let rank = layout.sizes().len();
    Ok(match shortest {
        Ok(made) if made.layout.sizes().len() == rank => made.layout.map().clone(),
        _ => layout.map().clone(),
    })
}

/// Returns the divisors of quotients and remainders in the results; `None` for very large results.
fn divisors(map: &IndexingMap) -> Option<BTreeSet<i64>> {
    let mut found = BTreeSet::new();
    let mut left: Vec<&Expr> = map.results().iter().collect();
    if left.iter().any(|expr| expr.size() > MOST_NODES) {
        return None;
    }
    while let Some(expr) = left.pop() {
        if let ExprKind::FloorDiv(_, Divisor::Integer(divisor))
        | ExprKind::CeilDiv(_, Divisor::Integer(divisor))
        | ExprKind::Mod(_, Divisor::Integer(divisor)) = expr.kind()
        {
            found.insert(*divisor);
        }
        left.extend(expr.operands());
    }
    Some(found)
}
