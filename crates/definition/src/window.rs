//! Ops that slide a window over an array.
//!
//! *Operation semantics*, "ReduceWindow", "ConvWithGeneralPadding (convolution)", "SelectAndScatter".
//!
//! In each dimension, the window of output position `d` has its tap `s` on element `i` of the base, which is dilated, then
//! padded: `stride * d + window_dilation * s = low + base_dilation * i`.

use super::access::{Access, Definition};
use super::combiner::Combiner;
use super::contraction::initial;
use super::op::{NoDefinition, Op};
use super::relation::{Relation, Sum, d, i};
use affinor_hlo::attribute::WindowDimension;
use affinor_maps::text::Error;

/// Adds the condition that tap `tap` of the window at `position` is on element `element`.
fn lies_on(
    reads: &mut Relation,
    window: WindowDimension,
    position: Sum,
    tap: Sum,
    element: Sum,
) -> Result<(), Error> {
    reads.equate(
        position * window.stride + tap * window.window_dilation,
        element * window.base_dilation + window.padding_low,
    )
}

/// "Applies a reduction function to all elements in each window"; a tap on padding contributes only the initial value.
pub(super) fn reduce_window(op: &Op<'_>) -> Result<Definition, NoDefinition> {
    let n = op.operand_count() / 2;
    let window = op.instruction.window(op.operand(0)?.len())?;
    let combiner = Combiner::of(op, "to_apply", n)?;
    let taps = window.iter();
    let taps = taps.fold(1_i64, |taps, window| taps.saturating_mul(window.size));
    let folded = combiner.folded(taps);
    let is_padded = |window: &WindowDimension| {
        window.base_dilation > 1 || window.padding_low != 0 || window.padding_high != 0
    };
    let mut accesses = Vec::new();
    for (part, path) in op.output_paths(n)?.iter().enumerate() {
        let output = op.output_part(path)?;
        for &input in folded.needs(part) {
            let mut reads = Relation::new(&output, &op.operand(input)?);
            for (k, window) in window.iter().enumerate() {
                let tap = reads.over(window.size);
                lies_on(&mut reads, *window, d(k), tap, i(k))?;
            }
            let elements = Access::new(input, reads).of_output(path);
            for access in [elements, initial(op, path, input)?] {
                accesses.push(folded.judge(&combiner, (part, input), access));
            }
        }
        if !folded.needs(part).contains(&part) && window.iter().any(is_padded) {
            let initial = initial(op, path, part)?;
            accesses.push(initial.at_most("a window without elements may be its initial value"));
        }
    }
    Ok(accesses.into_iter().collect())
}

/// "Computes a convolution": for each output element the sum, over taps and input features, of an input element times a kernel
/// element. There is no product for a tap on padding.
///
/// "`feature_group_count`": the features are divided into groups, and an output feature reads the input features of its own
/// group. "`batch_group_count`": the batch is divided into groups, and an output feature reads the batch of its own group.
pub(super) fn convolution(op: &Op<'_>) -> Result<Definition, NoDefinition> {
    if op.instruction.attributes().get("sparsity_config").is_some() {
        return Err(op.unknown("a sparse convolution is not supported"));
    }
    let dimensions = op.instruction.convolution_dimensions()?;
    let (input, kernel, output) = (&dimensions.input, &dimensions.kernel, &dimensions.output);
    let window = op.instruction.window(output.spatial.len())?;
    let sizes = (op.operand(0)?, op.operand(1)?, op.output()?);
    let size = |sizes: &[i64], k: usize| sizes.get(k).copied().unwrap_or(0);
    let feature_groups = op.instruction.group_count("feature_group_count")?;
    let batch_groups = op.instruction.group_count("batch_group_count")?;
    let features = size(&sizes.2, output.feature);
    let kernel_features = size(&sizes.1, kernel.feature);
    let batch = size(&sizes.2, output.batch);

    let of_operand = |operand: usize| -> Result<Access, NoDefinition> {
        let mut reads = op.relation(operand)?;
        let from_input = operand == 0;
        let index = |reads: &mut Relation, own: bool, k: usize, size: i64| match own {
            true => i(k),
            false => reads.over(size),
        };
        for (k, window) in window.iter().enumerate() {
            let x = input.spatial[k];
            let element = index(&mut reads, from_input, x, size(&sizes.0, x));
            let in_kernel = kernel.spatial[k];
            let stored = index(&mut reads, !from_input, in_kernel, window.size);
            let tap = match window.reversal {
                true => Sum::from(window.size) - 1 - stored,
                false => stored,
            };
            lies_on(&mut reads, *window, d(output.spatial[k]), tap, element)?;
        }
        // The group of the output feature, and its index within the group.
        let feature_group = reads.over(feature_groups);
        let in_group = reads.over(features / feature_groups);
        let from_group = feature_group.clone() * (features / feature_groups) + in_group;
        reads.equate(d(output.feature), from_group)?;
        let batch_group = reads.over(batch_groups);
        let in_group = reads.over(features / batch_groups);
        let from_group = batch_group.clone() * (features / batch_groups) + in_group;
        reads.equate(d(output.feature), from_group)?;

        let kernel_feature = index(&mut reads, !from_input, kernel.feature, kernel_features);
        if from_input {
            let feature = feature_group * kernel_features + kernel_feature;
            reads.equate(i(input.feature), feature)?;
            reads.equate(i(input.batch), batch_group * batch + d(output.batch))?;
        } else {
            reads.equate(i(kernel.batch), d(output.feature))?;
        }
        Ok(Access::new(operand, reads))
    };
    Ok(Definition::from_iter([of_operand(0)?, of_operand(1)?]))
}

/// "For each window of the operand, one element is selected", by comparing the elements of the window; "the value of the source
/// at that window is scattered to it". An element of the result depends on all elements of the windows that contain it, and on
/// the source elements of the windows that selected it.
pub(super) fn select_and_scatter(op: &Op<'_>) -> Result<Definition, NoDefinition> {
    let rank = op.operand(0)?.len();
    let window = op.instruction.window(rank)?;
    let source = op.operand(1)?;
    let combiner = Combiner::of(op, "scatter", 1)?;

    let mut compared = op.relation(0)?;
    let mut selected = op.relation(1)?;
    for (k, window) in window.iter().enumerate() {
        let position = compared.over(source.get(k).copied().unwrap_or(0));
        let (own, other) = (compared.over(window.size), compared.over(window.size));
        lies_on(&mut compared, *window, position.clone(), own, d(k))?;
        lies_on(&mut compared, *window, position, other, i(k))?;
        let tap = selected.over(window.size);
        lies_on(&mut selected, *window, i(k), tap, d(k))?;
    }
    let compares = window.iter().any(|window| window.size > 1);
    let compared = Access::new(0, compared).as_choice();
    let sizes = op.operand(0)?;
    let inside = |k: usize, window: &WindowDimension| {
        let end = |size: &[i64]| size.get(k).map(|size| size.saturating_sub(1));
        let last = end(&source)?
            .checked_mul(window.stride)?
            .checked_add((window.size - 1).checked_mul(window.window_dilation)?)?
            .checked_sub(window.padding_low)?;
        let all = window.size > 1 && window.padding_low <= 0 && window.base_dilation == 1;
        Some(all && last <= end(&sizes)?)
    };
    let mut dimensions = window.iter().enumerate();
    let compared = match dimensions.any(|(k, window)| inside(k, window) == Some(true)) {
        true => compared,
        false => compared.possibly("a window with one element inside the array compares nothing"),
    };
    let select = Combiner::of(op, "select", 1)?;
    let uses_both = select.uses_state(0, 0) && select.uses_element(0, 0);
    let compared = compared.at_most_unless(uses_both, select.reason());
    let is_compared =
        compares && !(select.states(0, true).is_empty() && select.elements(0, true).is_empty());
    let selected = Access::new(1, selected);
    let selected = match compares {
        true => selected.possibly("values decide which element of a window is selected"),
        false => selected,
    };
    let selected = selected.at_most_unless(combiner.uses_element(0, 0), combiner.reason());
    let replaced = "it is replaced where an element of the source goes";
    let initial = Access::new(2, op.relation(2)?);
    let initial = initial.at_most_unless(combiner.uses_state(0, 0), replaced);
    let is_scattered = !combiner.elements(0, true).is_empty();
    let accesses = is_scattered.then_some(selected).into_iter();
    let accesses = accesses.chain([initial]);
    Ok(accesses.chain(is_compared.then_some(compared)).collect())
}
