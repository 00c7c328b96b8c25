//! The map of a CuTe layout as it is shown: simplified, unless the layout's own digits say it without foreign divisors
//! (`mod 511`, where the layout has a `mod 512`), which a GPU would really divide by.

use crate::failure::Failure;
use crate::table::Call;
use affinor::expr::{Divisor, Expr, ExprKind, IndexingMap};
use affinor_layout::cute::Layout;
use affinor_layout::cute::algebra::recognise;
use std::collections::BTreeSet;

/// Most nodes of an expression whose divisors are looked at.
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

/// What quotients and remainders in the results divide by; `None` of very long ones.
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
