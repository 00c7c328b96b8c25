//! Scaled dots, and ragged dots, whose rows are divided into groups.
//!
//! Laws: a scaled dot multiplies each operand element by the element of its scale at the index divided by the block size, which
//! is the operand's size over the scale's, in each dimension. A ragged dot, whose rows (a free dimension of the left operand)
//! are divided into groups of sizes known only at run time, multiplies each row by the right operand of its group; rows after
//! the last group are 0. If a contracted or batch dimension is divided instead, each group is a dot of a part. Source: XLA,
//! *Operation semantics*, `ScaledDot` and `RaggedDot`.
//! For all sizes: the law `scale-in-bounds` of `rules/ops.rules`.

use super::builder::{MapBuilder, everything};
use super::dot::{Side, output_to_operands, sides};
use super::op::{Entries, NoMap, Op, entry, exactly, require};
use super::reads::{OperandMap, Reads};
use affinor::expr::IndexingMap;

/// Returns the reads of a scaled dot from both operands and from their scales.
pub(super) fn scaled_entries(op: &Op<'_>) -> Entries {
    if op.operands.len() != 4 {
        return Err(NoMap::unknown("a scaled dot with a different number of scales has no map"));
    }
    let (lhs, rhs) = (op.operand_sizes(0)?, op.operand_sizes(1)?);
    let dimensions = op.instruction.dot_dimensions(lhs.len(), rhs.len())?;
    let (left, right) = sides(&dimensions, &lhs, &rhs);
    let (to_lhs, to_rhs) = output_to_operands(&op.sizes()?, left, right)?;
    let to_lhs_scale = scale(&to_lhs, &lhs, &op.operand_sizes(2)?)?;
    let to_rhs_scale = scale(&to_rhs, &rhs, &op.operand_sizes(3)?)?;
    exactly([to_lhs, to_rhs, to_lhs_scale, to_rhs_scale])
}

/// Returns the map to the scales of the elements that `map` reads. A scalar scale applies to all of them.
pub(super) fn scale(
    map: &IndexingMap,
    operand: &[i64],
    scale: &[i64],
) -> Result<IndexingMap, NoMap> {
    let domain = map.domain().clone();
    if scale.is_empty() {
        return Ok(IndexingMap::new(domain, Vec::new()));
    }
    let fits = scale.len() == operand.len()
        && scale.iter().zip(operand).all(|(part, size)| *part > 0 && size % part == 0);
    require(fits, || format!("scales of sizes {scale:?} for sizes {operand:?}"))?;
    let mut results = Vec::with_capacity(scale.len());
    for ((index, size), part) in map.results().iter().zip(operand).zip(scale) {
        results.push(match size / part {
            0 | 1 => index.clone(),
            block => index.floordiv(block)?,
        });
    }
    Ok(IndexingMap::new(domain, results))
}

/// Returns the reads of a ragged dot from both operands and from the group sizes.
pub(super) fn ragged_entries(op: &Op<'_>) -> Entries {
    let (lhs, rhs) = (op.operand_sizes(0)?, op.operand_sizes(1)?);
    let dimensions = op.instruction.dot_dimensions(lhs.len(), rhs.len())?;
    let ragged = op.instruction.optional_dimensions("lhs_ragged_dims", lhs.len())?;
    let group = op.instruction.optional_dimensions("rhs_group_dims", rhs.len())?;
    let is_row =
        |k: &usize| !dimensions.lhs_batch.contains(k) && !dimensions.lhs_contracting.contains(k);
    if let ([along], []) = (ragged.as_slice(), group.as_slice()) {
        return of_parts(op, sides(&dimensions, &lhs, &rhs), *along);
    }
    let ([row], [group]) = (ragged.as_slice(), group.as_slice()) else {
        return Err(NoMap::unknown("only one dimension falls into groups"));
    };
    if !is_row(row) {
        return Err(NoMap::unknown(
            "its ragged dimension is not a free dimension of the left operand",
        ));
    }
    // Without its group dimension, the right operand is that of a dot; then any group may be read.
    let contracting_sizes: Vec<i64> =
        rhs.iter().enumerate().filter(|(k, _)| k != group).map(|(_, size)| *size).collect();
    let shifted = |list: &[usize]| -> Vec<usize> {
        list.iter().map(|k| k - usize::from(k > group)).collect()
    };
    if dimensions.rhs_batch.contains(group) || dimensions.rhs_contracting.contains(group) {
        return Err(NoMap::invalid("the group dimension of the right operand has two meanings"));
    }
    let (rhs_batch, rhs_contracting) =
        (shifted(&dimensions.rhs_batch), shifted(&dimensions.rhs_contracting));
    let output = op.sizes()?;
    let (to_lhs, to_rhs) = output_to_operands(
        &output,
        sides(&dimensions, &lhs, &rhs).0,
        Side { sizes: &contracting_sizes, batch: &rhs_batch, contracting: &rhs_contracting },
    )?;
    let name = op.instruction.name();
    let at_most =
        |map, reason: &str| Reads::union([OperandMap::at_most(map, format!("`{name}`: {reason}"))]);
    let groups = "which group a row falls into is known only at run time";
    let mut entries = vec![
        entry(0, at_most(to_lhs, "a row after the last group is not read")),
        entry(1, at_most(any_group(&to_rhs, *group, rhs[*group]), groups)),
    ];
    for k in 2..op.operands.len() {
        let sizes = op.operand_sizes(k)?;
        entries.push(entry(k, at_most(everything(&output, &sizes), groups)));
    }
    Ok(entries)
}

/// Returns the reads of a ragged dot whose contracted or batch dimension `along`, of the left operand, is divided into groups:
/// each group is a separate dot, so the reads of the whole dot are an upper bound. If the dimension is contracted, the group is
/// an additional first dimension of the result.
fn of_parts(op: &Op<'_>, (left, right): (Side<'_>, Side<'_>), along: usize) -> Entries {
    let output = op.sizes()?;
    let is_contracted = left.contracting.contains(&along);
    if !is_contracted && !left.batch.contains(&along) {
        return Err(NoMap::invalid("rows in groups need a group dimension of the right operand"));
    }
    let of_dot = match (is_contracted, output.split_first()) {
        (false, _) => &output[..],
        (true, Some((_, rest))) => rest,
        (true, None) => return Err(NoMap::invalid("expected a dimension for the groups")),
    };
    let (to_lhs, to_rhs) = output_to_operands(of_dot, left, right)?;
    let builder = MapBuilder::over(&output);
    let behind = builder.dimensions()[output.len() - of_dot.len()..].to_vec();
    let of_group = builder.finish(behind);
    let name = op.instruction.name();
    let at_most =
        |map, reason: &str| Reads::union([OperandMap::at_most(map, format!("`{name}`: {reason}"))]);
    let reason = match is_contracted {
        true => "which part of the sum is of a group is known only at run time",
        false => "the elements after the last group are not read",
    };
    let mut entries = Vec::new();
    for (k, map) in [to_lhs, to_rhs].iter().enumerate() {
        let map = of_group.then(map).map_err(|error| NoMap::unknown(error.to_string()))?;
        entries.push(entry(k, at_most(map, reason)));
    }
    for k in 2..op.operands.len() {
        entries.push(entry(k, at_most(everything(&output, &op.operand_sizes(k)?), reason)));
    }
    Ok(entries)
}

/// Returns the map with an additional result at `place`: any index below `size`.
fn any_group(map: &IndexingMap, place: usize, size: i64) -> IndexingMap {
    use affinor::expr::{Domain, Expr, Variable, VariableId, VariableKind};
    use affinor::num::Interval;
    let (domain, mut results) = map.clone().into_parts();
    let ranges = domain.count(VariableKind::Range);
    let mut variables = domain.variables().to_vec();
    let group = Expr::variable(VariableId(variables.len() as u32)); // a dot has no runtime variables
    let name = format!("s{ranges}");
    variables.push(Variable::new(name, VariableKind::Range, Interval::of_size(size)));
    results.insert(place.min(results.len()), group);
    IndexingMap::new(Domain::new(variables), results)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::indexing::testing::{built, check_against};

    fn sides() -> (Side<'static>, Side<'static>) {
        let side = |sizes, contracting| Side { sizes, batch: &[], contracting };
        (side(&[2, 4], &[1]), side(&[4, 3], &[0]))
    }

    #[test]
    fn a_scale_is_read_block_by_block() {
        let (lhs, rhs) = sides();
        let (to_lhs, _) = built(output_to_operands(&[2, 3], lhs, rhs));
        let map = built(scale(&to_lhs, &[2, 4], &[2, 2]));
        check_against(&[map], &[2, 3], |d| (0..4).map(|k| vec![d[0], k / 2]).collect());
        let one = built(scale(&to_lhs, &[2, 4], &[]));
        check_against(&[one], &[2, 3], |_| vec![vec![]]);
        assert!(scale(&to_lhs, &[2, 4], &[2, 3]).is_err());
        assert!(scale(&to_lhs, &[2, 4], &[2]).is_err());
    }

    #[test]
    fn a_row_may_be_of_any_group() {
        let (lhs, rhs) = sides();
        let (_, to_rhs) = built(output_to_operands(&[2, 3], lhs, rhs));
        let map = any_group(&to_rhs, 0, 5);
        check_against(&[map], &[2, 3], |d| {
            (0..5)
                .flat_map(|g| (0..4).map(move |k| (g, k)))
                .map(|(g, k)| vec![g, k, d[1]])
                .collect()
        });
    }
}
