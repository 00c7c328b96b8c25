//! Bitcast: the same bytes under another shape and layout.
//!
//! Law: `output[d] = operand[i]` where `d` in the output's layout and `i` in the operand's layout have the
//! same physical position. Without tiles the physical order of a layout is a permutation of the
//! dimensions, so the map is transpose, reshape, transpose: with equal physical sizes it is a
//! permutation, with two descending layouts it is the map of a reshape.
//! Source: XLA, *Shapes and layout*; `minor_to_major` lists the fastest varying dimension first.
//! For all sizes: the laws `bitcast-*` of `rules/ops.rules`.
//!
//! Tiles, packed elements and elements of different widths, where one may be read as parts of several, are handled by
//! `same_memory`.

use super::builder::{MapBuilder, check_dimensions, identity};
use super::op::{Entries, NoMap, Op, bounded_sizes, entry};
use super::reads::Reads;
use super::reshape::{check_same_count, regroup};
use super::same_memory;
use affinor::expr::{Expr, IndexingMap};
use affinor_hlo::element_type::ElementType;
use affinor_hlo::shape::ArrayShape;

/// Returns the reads of a bitcast.
pub(super) fn entries(op: &Op<'_>) -> Entries {
    let (output, operand) = (op.array()?, op.operand_array(0)?);
    let (to, from) = (output.element_type(), operand.element_type());
    let same_place =
        output.dimensions() == operand.dimensions() && output.layout() == operand.layout();
    if same_place && to.bytes() == from.bytes() {
        let map = identity(&bounded_sizes(output)?);
        return Ok(vec![entry(0, Reads::exactly(map))]);
    }
    if !is_a_matter_of_order(output, operand) {
        return op.single(|_, _| same_memory::output_to_operand(output, operand));
    }
    op.single(|output_sizes, operand_sizes| {
        let (to, from) = (output.layout(), operand.layout());
        let (to, from) = (to.minor_to_major(), from.minor_to_major());
        output_to_operand(output_sizes, to, operand_sizes, from)
    })
}

/// Returns whether the dimension orders alone determine the reads of such a bitcast.
pub(super) fn is_a_matter_of_order(output: &ArrayShape, operand: &ArrayShape) -> bool {
    let orders_only = |array: &&ArrayShape| {
        let layout = array.layout();
        layout.tiles().is_empty()
            && layout.tail_padding_alignment() == 1
            && layout.element_bits() == 0
            && layout.metadata_prefix_bytes() == 0
            && layout.splits().is_empty()
    };
    [output, operand].iter().all(orders_only)
        && output.element_type().bytes() == operand.element_type().bytes()
}

/// Returns the reads of a bitcast-convert.
pub(super) fn convert_entries(op: &Op<'_>) -> Entries {
    // A truth value is stored, and converted, as a byte.
    let bits = |element_type: ElementType| match element_type {
        ElementType::Pred => 8,
        other => other.bits(),
    };
    let to = bits(op.array()?.element_type());
    let from = bits(op.operand_array(0)?.element_type());
    op.single(|output, operand| convert_to_operand(output, to, operand, from))
}

/// Returns the map of a bitcast between two untiled layouts of elements of one width.
pub(super) fn output_to_operand(
    output: &[i64],
    output_minor_to_major: &[usize],
    operand: &[i64],
    operand_minor_to_major: &[usize],
) -> Result<IndexingMap, NoMap> {
    check_layout(output, output_minor_to_major)?;
    check_layout(operand, operand_minor_to_major)?;
    check_same_count("bitcast", output, operand)?;
    let builder = MapBuilder::over(output);
    let indices = builder.dimensions();
    let physical_indices = major_to_minor(&indices, output_minor_to_major);
    let moved = regroup(
        &major_to_minor(output, output_minor_to_major),
        &major_to_minor(operand, operand_minor_to_major),
        &physical_indices,
    )?;
    let mut results = vec![Expr::constant(0); operand.len()];
    for (dimension, index) in operand_minor_to_major.iter().rev().zip(moved) {
        if let Some(result) = results.get_mut(*dimension) {
            *result = index;
        }
    }
    Ok(builder.finish(results))
}

fn check_layout(sizes: &[i64], minor_to_major: &[usize]) -> Result<(), NoMap> {
    check_dimensions("a layout", minor_to_major, sizes.len())?;
    if minor_to_major.len() != sizes.len() {
        return Err(NoMap::invalid(format!(
            "a layout orders {} dimension(s) of a tensor of rank {}",
            minor_to_major.len(),
            sizes.len()
        )));
    }
    Ok(())
}

/// Returns the items of all dimensions in physical order, slowest varying first.
pub(super) fn major_to_minor<T: Clone>(items: &[T], minor_to_major: &[usize]) -> Vec<T> {
    minor_to_major.iter().rev().filter_map(|dimension| items.get(*dimension).cloned()).collect()
}

/// Returns the map of a bitcast-convert, which reads an element as several narrower ones or the reverse: the minor dimension
/// counts the parts. Source: XLA, *Operation semantics*, `BitcastConvertType`.
pub(super) fn convert_to_operand(
    output: &[i64],
    output_bits: u32,
    operand: &[i64],
    operand_bits: u32,
) -> Result<IndexingMap, NoMap> {
    let mut builder = MapBuilder::over(output);
    let mut results = builder.dimensions();
    let parts =
        |wide: u32, narrow: u32| (narrow > 0 && wide.is_multiple_of(narrow)).then(|| wide / narrow);
    if output_bits == operand_bits && output == operand {
        return Ok(builder.finish(results));
    }
    if let (Some(parts), Some((last, rest))) =
        (parts(output_bits, operand_bits), operand.split_last())
        && rest == output
        && *last == i64::from(parts)
    {
        results.push(builder.range(*last));
        return Ok(builder.finish(results));
    }
    if let (Some(parts), Some((last, rest))) =
        (parts(operand_bits, output_bits), output.split_last())
        && rest == operand
        && *last == i64::from(parts)
    {
        results.pop();
        return Ok(builder.finish(results));
    }
    Err(NoMap::invalid(format!(
        "bitcast-convert of sizes {operand:?} with {operand_bits} bits does not give sizes {output:?} \
         with {output_bits} bits"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::indexing::testing::{built, check_against, points, position, reshaped_sizes};
    use proptest::prelude::*;

    /// Returns the position in memory of an index.
    fn physical(sizes: &[i64], minor_to_major: &[usize], index: &[i64]) -> i64 {
        position(&major_to_minor(sizes, minor_to_major), &major_to_minor(index, minor_to_major))
    }

    fn shuffled(sizes: &[i64]) -> impl Strategy<Value = Vec<usize>> + use<> {
        Just((0..sizes.len()).collect::<Vec<usize>>()).prop_shuffle()
    }

    proptest! {
        #[test]
        fn reads_what_the_loop_reads(
            (output, operand, output_layout, operand_layout) in reshaped_sizes()
                .prop_flat_map(|(x, y)| (Just(x.clone()), Just(y.clone()), shuffled(&x), shuffled(&y)))
        ) {
            let map = built(output_to_operand(&output, &output_layout, &operand, &operand_layout));
            let all = points(&operand);
            check_against(&[map], &output, |d| {
                let place = physical(&output, &output_layout, d);
                all.iter().filter(|i| physical(&operand, &operand_layout, i) == place).cloned().collect()
            });
        }
    }

    /// Checks the results, as text with `v0, v1, ..` for the output's indices.
    #[track_caller]
    fn check(output: (&[i64], &[usize]), operand: (&[i64], &[usize]), results: &[&str]) {
        let map = built(output_to_operand(output.0, output.1, operand.0, operand.1));
        let text: Vec<String> = map.results().iter().map(|x| format!("{x:?}")).collect();
        assert_eq!(text, results);
    }

    #[test]
    fn a_permutation_stays_one_and_a_reshape_too() {
        check((&[5, 4], &[0, 1]), (&[4, 5], &[1, 0]), &["v1", "v0"]);
        check((&[4, 8], &[1, 0]), (&[32], &[0]), &["(+8*v0 +1*v1 +0)"]);
        check(
            (&[4, 6, 17, 15], &[1, 3, 2, 0]),
            (&[4, 17, 15, 6], &[3, 2, 1, 0]),
            &["v0", "v2", "v3", "v1"],
        );
        check((&[4, 1, 5, 1], &[1, 3, 2, 0]), (&[4, 5], &[1, 0]), &["v0", "v2"]);
        check((&[], &[]), (&[1], &[0]), &["0"]);
    }

    #[test]
    fn refuses_what_does_not_fit() {
        assert!(output_to_operand(&[4], &[0], &[5], &[0]).is_err());
        assert!(output_to_operand(&[4, 2], &[0], &[8], &[0]).is_err());
        assert!(output_to_operand(&[4, 2], &[0, 0], &[8], &[0]).is_err());
    }

    #[test]
    fn bitcast_convert_counts_parts_in_the_minor_dimension() {
        let same = built(convert_to_operand(&[3], 32, &[3], 32));
        check_against(&[same], &[3], |d| vec![d.to_vec()]);
        let joined = built(convert_to_operand(&[3], 32, &[3, 4], 8));
        check_against(&[joined], &[3], |d| (0..4).map(|part| vec![d[0], part]).collect());
        let split = built(convert_to_operand(&[3, 2], 16, &[3], 32));
        check_against(&[split], &[3, 2], |d| vec![vec![d[0]]]);
        assert!(convert_to_operand(&[3, 2], 8, &[3], 32).is_err());
        assert!(convert_to_operand(&[3], 32, &[3], 8).is_err());
    }
}
