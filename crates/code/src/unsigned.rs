//! Comparisons of C that compare unsigned values although one of them can be negative.
//!
//! Law: conditions are evaluated in mathematical integers. So one whose comparison C would make unsigned, of a
//! value that its bounds allow to be below 0, is rejected: there it wraps to a large number.

use super::kinds::reachable;
use super::lower::Lowering;
use super::types::Type;
use affinor_maps::num::MINUS_INFINITY;
use affinor_maps::text::ast::{NodeId, NodeKind, Term};
use affinor_maps::text::token::excerpt;
use affinor_maps::text::{Error, ErrorKind};

/// Rejects the first such comparison in `conditions`; the lowering has the bounds of the names, and is not used after this.
///
/// # Errors
/// [`ErrorKind::Unsupported`] at the operand.
pub fn check(
    term: &Term<'_>,
    conditions: &[NodeId],
    lowering: &mut Lowering<'_>,
) -> Result<(), Error> {
    let used = reachable(term, conditions.iter().copied());
    lowering.is_typed = false;
    lowering.run(&used)?;
    let mut negative = Vec::new();
    for (id, node) in term.nodes().filter(|(id, _)| used[id.index()]) {
        let NodeKind::Compare(operands, _) = &node.kind else { continue };
        for operand in operands {
            let cases = lowering.number(*operand)?;
            let mut least = cases.iter().map(|case| lowering.range(&case.value, &case.limits).lo());
            if least.any(|least| least < 0 && least != MINUS_INFINITY) {
                negative.push((id, *operand));
            }
        }
    }
    lowering.is_typed = true;
    // A value that no type holds is rejected elsewhere, if it matters.
    if negative.is_empty() || lowering.run(&used).is_err() {
        return Ok(());
    }
    for (comparison, operand) in negative {
        let NodeKind::Compare(operands, _) = &term.node(comparison).kind else { continue };
        if matches!(lowering.common_type(operands), Type::Unsigned(_)) {
            let span = term.node(operand).span.clone();
            let text = excerpt(lowering.text.get(span.clone()).unwrap_or_default());
            let message = format!("C compares `{text}` as an unsigned value, which wraps below 0");
            let error = Error::new(ErrorKind::Unsupported, span, message);
            return Err(error.hint(
                "convert it, `(int)(i - 1) >= 0`, or compare without a difference: `i >= 1`",
            ));
        }
    }
    Ok(())
}
