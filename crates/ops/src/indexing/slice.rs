//! Slice and dynamic slice: a box of the operand, strided or at a place known at run time.
//!
//! Laws: slice has `output[d] = operand[start + stride * d]`. Dynamic slice has `output[d] = operand[d + o]` where `o_k` is the
//! value of the k-th offset, clamped to `[0, operand_k - output_k]`.
//! Source: XLA, *Operation semantics*, `Slice` and `DynamicSlice`.
//! For all sizes: the laws `slice-*` of `rules/ops.rules`.

use super::builder::MapBuilder;
use super::offsets::{Offsets, window_offsets};
use super::op::{Entries, NoMap, Op, entry};
use super::reads::{Exactness, OperandMap, Reads};
use affinor::expr::{Expr, ExprError, IndexingMap, VariableId};
use affinor::num;
use affinor::num::Interval;
use affinor_hlo::attribute::SliceRange;

/// Returns the reads of a slice.
pub(super) fn entries(op: &Op<'_>) -> Entries {
    op.single(|output, operand| {
        let ranges = op.instruction.slice_ranges(operand.len())?;
        output_to_operand(output, operand, ranges)
    })
}

/// Returns the reads of a dynamic slice.
pub(super) fn dynamic_entries(op: &Op<'_>) -> Entries {
    let (output, operand) = (op.sizes()?, op.operand_sizes(0)?);
    let (map, variables) = dynamic_to_operand(&output, &operand)?;
    let offsets = Offsets::from_operand(op, 1, operand.len(), &output)?;
    let data =
        OperandMap { map, exactness: Exactness::Exact, runtime: offsets.sources(&variables) };
    let mut entries = vec![entry(0, Reads::union([data]))];
    entries.extend(offsets.entries);
    Ok(entries)
}

/// Returns the map of a slice.
pub(super) fn output_to_operand(
    output: &[i64],
    operand: &[i64],
    slices: &[SliceRange],
) -> Result<IndexingMap, NoMap> {
    if slices.len() != operand.len() || output.len() != operand.len() {
        return Err(NoMap::invalid(format!(
            "slice of {} dimension(s) of sizes {operand:?} gives sizes {output:?}",
            slices.len()
        )));
    }
    let builder = MapBuilder::over(output);
    let mut results = Vec::with_capacity(output.len());
    for (((slice, size), out), index) in
        slices.iter().zip(operand).zip(output).zip(builder.dimensions())
    {
        let within = 0 <= slice.start
            && slice.start <= slice.limit
            && slice.limit <= *size
            && slice.stride >= 1;
        if !within || num::ceildiv(slice.limit - slice.start, slice.stride) != *out {
            return Err(NoMap::invalid(format!(
                "slice [{}:{}:{}] of a dimension of size {size} does not give size {out}",
                slice.start, slice.limit, slice.stride
            )));
        }
        results.push(Expr::sum(slice.start, [(slice.stride, index)])?);
    }
    Ok(builder.finish(results))
}

/// Returns the map of a dynamic slice, and the variable of each offset with its clamp.
pub(super) fn dynamic_to_operand(
    output: &[i64],
    operand: &[i64],
) -> Result<(IndexingMap, Vec<(VariableId, Interval)>), NoMap> {
    let mut builder = MapBuilder::over(output);
    let Some((variables, offsets)) = window_offsets(&mut builder, operand, output) else {
        return Err(NoMap::invalid(format!(
            "dynamic-slice of sizes {operand:?} cannot give sizes {output:?}"
        )));
    };
    let indices = builder.dimensions();
    let pairs = indices.iter().zip(&offsets);
    let results: Result<Vec<Expr>, ExprError> = pairs.map(|(x, offset)| x.add(offset)).collect();
    Ok((builder.finish(results?), variables))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::indexing::testing::{built, check_against, points, read_by};
    use proptest::prelude::*;

    fn slice_of(size: i64) -> impl Strategy<Value = (i64, SliceRange)> {
        (0..=size, 0..=size, 1i64..4).prop_map(move |(x, y, stride)| {
            let (start, limit) = (x.min(y), x.max(y));
            (size, SliceRange { start, limit, stride })
        })
    }

    proptest! {
        #[test]
        fn reads_what_the_loop_reads(
            axes in prop::collection::vec((0i64..7).prop_flat_map(slice_of), 0..3)
        ) {
            let (operand, slices): (Vec<i64>, Vec<SliceRange>) = axes.into_iter().unzip();
            let taken: Vec<Vec<i64>> = slices
                .iter()
                .map(|s| (s.start..s.limit).step_by(s.stride as usize).collect())
                .collect();
            let output: Vec<i64> = taken.iter().map(|list| list.len() as i64).collect();
            let map = built(output_to_operand(&output, &operand, &slices));
            check_against(&[map], &output, |d| {
                vec![d.iter().zip(&taken).map(|(x, list)| list[*x as usize]).collect()]
            });
        }

        #[test]
        fn dynamic_slice_reads_what_the_loop_reads(
            axes in prop::collection::vec((0i64..4, 0i64..3), 0..3)
        ) {
            let output: Vec<i64> = axes.iter().map(|(out, _)| *out).collect();
            let operand: Vec<i64> = axes.iter().map(|(out, more)| out + more).collect();
            let (map, offsets) = built(dynamic_to_operand(&output, &operand));
            let clamps: Vec<Interval> = offsets.iter().map(|(_, clamp)| *clamp).collect();
            for starts in points(&axes.iter().map(|(_, more)| more + 1).collect::<Vec<_>>()) {
                prop_assert!(starts.iter().zip(&clamps).all(|(start, clamp)| clamp.contains(*start)));
                for d in points(&output) {
                    let index: Vec<i64> = d.iter().zip(&starts).map(|(x, start)| x + start).collect();
                    prop_assert_eq!(read_by(&map, &d, &starts), [index].into());
                }
            }
        }
    }

    #[test]
    fn refuses_what_does_not_fit() {
        let slice = |start, limit, stride| SliceRange { start, limit, stride };
        for (output, operand, slice) in [
            (4, 10, slice(0, 5, 1)),
            (5, 4, slice(0, 5, 1)),
            (1, 4, slice(-1, 0, 1)),
            (2, 4, slice(3, 1, 1)),
            (4, 4, slice(0, 4, 0)),
        ] {
            let map = output_to_operand(&[output], &[operand], &[slice]);
            assert!(matches!(map, Err(NoMap::Invalid(_))), "{slice:?}: {map:?}");
        }
        assert!(dynamic_to_operand(&[5], &[4]).is_err());
        assert!(dynamic_to_operand(&[4], &[4, 1]).is_err());
    }
}
