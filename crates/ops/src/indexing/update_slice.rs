//! Dynamic update slice: overwrites a box of the operand at a place known only at run time.
//!
//! Law: with `o_k` the value of the k-th offset, clamped to `[0, output_k - update_k]`, `output[d]` is `update[d - o]` where
//! `d - o` is an index of the update, and `operand[d]` elsewhere. The domains of the maps to the operand and of the map to the
//! update are disjoint and cover the output.
//! Source: XLA, *Operation semantics*, `DynamicUpdateSlice`.
//! For all sizes: the laws `update-*` of `rules/ops.rules`.

use super::builder::MapBuilder;
use super::offsets::{Offsets, window_offsets};
use super::op::{Entries, NoMap, Op, entry, require};
use super::reads::{Exactness, OperandMap, Reads};
use affinor::expr::{Expr, ExprError, IndexingMap, VariableId};
use affinor::num::Interval;

/// Returns the reads of a dynamic update slice.
pub(super) fn entries(op: &Op<'_>) -> Entries {
    let (output, update) = (op.sizes()?, op.operand_sizes(1)?);
    require(output == op.operand_sizes(0)?, || "the operand has a different shape")?;
    let maps = output_to_operands(&output, &update)?;
    let offsets = Offsets::from_operand(op, 2, output.len(), &output)?;
    let runtime = offsets.sources(&maps.offsets);
    let at_run_time =
        |map| OperandMap { map, exactness: Exactness::Exact, runtime: runtime.clone() };
    let mut entries = vec![
        entry(0, Reads::union(maps.data.into_iter().map(at_run_time))),
        entry(1, Reads::union([at_run_time(maps.update)])),
    ];
    entries.extend(offsets.entries);
    Ok(entries)
}

/// The maps of a dynamic update slice.
#[derive(Debug)]
pub(super) struct UpdateMaps {
    /// The maps to the operand: two for each dimension that the update does not fill.
    pub(super) data: Vec<IndexingMap>,
    /// The map to the update.
    pub(super) update: IndexingMap,
    /// The runtime variables of all these maps, with their clamps.
    pub(super) offsets: Vec<(VariableId, Interval)>,
}

/// Returns the maps for an output (and operand) and an update of these sizes.
pub(super) fn output_to_operands(output: &[i64], update: &[i64]) -> Result<UpdateMaps, NoMap> {
    let mut builder = MapBuilder::over(output);
    let Some((offsets, starts)) = window_offsets(&mut builder, output, update) else {
        return Err(NoMap::invalid(format!(
            "dynamic-update-slice puts sizes {update:?} into sizes {output:?}"
        )));
    };
    let indices = builder.dimensions();
    let pairs = indices.iter().zip(&starts);
    let within: Result<Vec<Expr>, ExprError> = pairs.map(|(x, start)| x.sub(start)).collect();
    let within = within?;
    let mut to_update = builder.clone().finish(within.clone());
    let mut to_operand = builder.finish(indices);
    let mut data = Vec::new();
    // One map for each first axis along which an element misses the update, before or after it; along the axes before, the
    // element is within the update. So the cases are disjoint.
    for ((position, size), out) in within.iter().zip(update).zip(output) {
        let inside = Interval::of_size(*size);
        if size == out {
            continue; // the offset is 0, and every index is inside
        }
        if *size > 0 {
            data.push(to_operand.restricted(position, Interval::new(-out, -1)));
            data.push(to_operand.restricted(position, Interval::new(*size, *out)));
        } else {
            data.push(to_operand.clone()); // no index is inside, so this is the last case
        }
        to_operand = to_operand.restricted(position, inside);
        to_update = to_update.restricted(position, inside);
    }
    if output.contains(&0) {
        data.clear();
    }
    Ok(UpdateMaps { data, update: to_update, offsets })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::indexing::testing::{built, check_at, points};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn each_element_is_the_updates_or_the_operands(
            axes in prop::collection::vec((0i64..4, 0i64..3), 0..3)
        ) {
            let update: Vec<i64> = axes.iter().map(|(size, _)| *size).collect();
            let output: Vec<i64> = axes.iter().map(|(size, more)| size + more).collect();
            let maps = built(output_to_operands(&output, &update));
            for starts in points(&axes.iter().map(|(_, more)| more + 1).collect::<Vec<_>>()) {
                // The definition: write the update into an array of places, then compare.
                let mut from_update = std::collections::BTreeMap::new();
                for place in points(&update) {
                    let at: Vec<i64> = place.iter().zip(&starts).map(|(x, o)| x + o).collect();
                    from_update.insert(at, place);
                }
                let overwritten = |d: &[i64]| from_update.get(d).cloned();
                check_at(std::slice::from_ref(&maps.update), &output, &starts, |d| {
                    overwritten(d).into_iter().collect()
                });
                check_at(&maps.data, &output, &starts, |d| match overwritten(d) {
                    Some(_) => vec![],
                    None => vec![d.to_vec()],
                });
            }
        }
    }

    #[test]
    fn refuses_what_does_not_fit() {
        assert!(output_to_operands(&[4], &[5]).is_err());
        assert!(output_to_operands(&[4, 4], &[4]).is_err());
    }

    #[test]
    fn a_full_update_leaves_nothing_of_the_operand() {
        let maps = built(output_to_operands(&[4, 3], &[4, 3]));
        assert!(maps.data.is_empty());
        assert!(maps.update.domain().constraints().is_empty());
    }
}
