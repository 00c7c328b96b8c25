//! Rewrites the largest elements of each row as the beginning of a sort.
//!
//! Law: the elements are in the order of the comparison; among equal elements, the one with the lower index comes first.

use super::texts::{array, listed, target};
use affinor_hlo::attribute::AttributeValue;
use affinor_hlo::module::{Computation, Instruction, Module};

/// Returns the text of a `topk`.
pub(super) fn text(computation: &Computation, instruction: &Instruction) -> Option<String> {
    let operand = computation.operands(instruction).next()?;
    let is_largest = match instruction.attributes().get("largest").map(|x| x.value()) {
        None | Some(AttributeValue::Boolean(true)) => true,
        Some(AttributeValue::Boolean(false)) => false,
        Some(_) => return None,
    };
    let direction = if is_largest { "GT" } else { "LT" };
    let before = comparison(operand, direction)?;
    sorted(operand, instruction, &before, "before")
}

/// Returns the text of a library call that does the same, by the comparison that it names.
pub(super) fn text_of_call(
    module: &Module,
    computation: &Computation,
    instruction: &Instruction,
) -> Option<String> {
    (target(instruction)? == "TopK").then_some(())?;
    let operand = computation.operands(instruction).next()?;
    let called: Vec<_> = instruction.attributes().computations().collect();
    match called.as_slice() {
        [] => sorted(operand, instruction, &comparison(operand, "GT")?, "before"),
        // The comparison takes two values and their two indices.
        [before] => match module[before.target()?].parameters().len() {
            4 => sorted(operand, instruction, "", "given0"),
            _ => None,
        },
        _ => None,
    }
}

fn comparison(operand: &Instruction, direction: &str) -> Option<String> {
    let element_type = operand.shape().as_array()?.element_type();
    let name = element_type.name();
    let order = if element_type.is_float() { ", type=TOTALORDER" } else { "" };
    Some(format!(
        "before {{ a = {name}[] parameter(0)  b = {name}[] parameter(1)  i = s32[] parameter(2)  j = s32[] parameter(3)\n \
         ROOT c = pred[] compare(a, b), direction={direction}{order} }}\n"
    ))
}

fn sorted(
    operand: &Instruction,
    instruction: &Instruction,
    before: &str,
    name: &str,
) -> Option<String> {
    let (of, sizes) = array(operand, &[])?;
    let (values, kept) = array(instruction, &[0])?;
    let (indices, of_indices) = array(instruction, &[1])?;
    let last = sizes.len().checked_sub(1)?;
    let is_fitting = instruction.shape().as_tuple()?.len() == 2
        && (values, indices) == (of, "s32")
        && kept == of_indices
        && kept.len() == sizes.len()
        && kept[..last] == sizes[..last]
        && kept[last] <= sizes[last];
    is_fitting.then_some(())?;
    let ranges = listed(kept.iter().map(|size| format!("[0:{size}]")));
    let (sizes, kept) = (listed(sizes), listed(kept));
    Some(format!(
        "HloModule t\n{before}ENTRY e {{\n x = {of}[{sizes}] parameter(0)\n i = s32[{sizes}] iota(), iota_dimension={last}\n \
         s = ({of}[{sizes}], s32[{sizes}]) sort(x, i), dimensions={{{last}}}, is_stable=true, to_apply={name}\n \
         v = {of}[{sizes}] get-tuple-element(s), index=0\n v.first = {of}[{kept}] slice(v), slice={{{ranges}}}\n \
         j = s32[{sizes}] get-tuple-element(s), index=1\n j.first = s32[{kept}] slice(j), slice={{{ranges}}}\n \
         ROOT r = ({of}[{kept}], s32[{kept}]) tuple(v.first, j.first)\n}}\n"
    ))
}
