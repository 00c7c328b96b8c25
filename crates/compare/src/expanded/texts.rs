//! Building blocks of the texts of operations.

use affinor_hlo::attribute::AttributeValue;
use affinor_hlo::module::Instruction;

/// Returns sizes as `2,3`.
pub(super) fn listed<T: ToString>(all: impl IntoIterator<Item = T>) -> String {
    all.into_iter().map(|one| one.to_string()).collect::<Vec<_>>().join(",")
}

/// Returns the type and the fixed sizes of an array.
pub(super) fn array(instruction: &Instruction, path: &[usize]) -> Option<(&'static str, Vec<i64>)> {
    let array = instruction.shape().at(path)?.as_array()?;
    Some((array.element_type().name(), array.fixed_sizes()?))
}

/// Returns the target of a custom-call.
pub(super) fn target(instruction: &Instruction) -> Option<&str> {
    match instruction.attributes().get("custom_call_target")?.value() {
        AttributeValue::String(name) => Some(name),
        _ => None,
    }
}

/// Returns whether an attribute is a note about the program.
pub(super) fn is_note(name: &str) -> bool {
    affinor_ops::indexing::SILENT.contains(&name)
}
