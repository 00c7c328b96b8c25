//! The parts of an instruction by name, as its text states them, without any analysis.

use super::asked::threads;
use super::output::ByComputation;
use super::places::places;
use super::question::OfModule;
use crate::failure::Failure;
use crate::output::{Object, Output, Role, Text};
use crate::table::Call;
use affinor_hlo::attribute::Attribute;
use affinor_hlo::layout::{Layout, TileDimension};
use affinor_hlo::module::{Computation, ComputationId, Instruction, InstructionId};
use affinor_hlo::shape::{ArrayShape, Dimension};
use affinor_layout::memory::{memory_space_name, order_in_words};
use serde_json::Value;
use std::fmt::Display;

/// Emits the parts of the requested instructions.
pub(super) fn run(call: &mut Call<'_>, given: OfModule<'_>) -> Result<(), Failure> {
    let module = given.module;
    let (threads, places) = (threads(call)?, places(call, module, |_| true)?);
    let mut answers = ByComputation::default();
    let answer = |(): &mut (), (id, instruction): &(ComputationId, InstructionId)| {
        (*id, parts(&module[*id], *instruction))
    };
    call.each_in_order(threads, &places, &|| (), &answer, |call, (id, output)| {
        call.emit(answers.below(id, module, output));
    })
}

/// Returns the parts of one instruction of a computation.
fn parts(computation: &Computation, id: InstructionId) -> Output {
    let instruction = &computation[id];
    Output::new(text(computation, instruction), json(computation, id, instruction))
}

/// Returns
/// `{"computation", "instruction", "root", "shape", "arrays", "opcode", "parameter", "literal", "operands", "attributes"}`
fn json(computation: &Computation, id: InstructionId, instruction: &Instruction) -> Object {
    let operands = computation.operands(instruction).map(|operand| {
        Object::nested().with("name", operand.name()).with("shape", operand.shape().to_string())
    });
    let attributes = instruction.attributes().iter().map(|attribute| {
        Object::nested().with("name", attribute.name()).with("value", value_of(attribute))
    });
    let arrays = instruction.shape().arrays().into_iter();
    let arrays: Vec<Object> = arrays.map(|(path, array)| array_object(path, array)).collect();
    Object::new()
        .with("computation", computation.name())
        .with("instruction", instruction.name())
        .with("root", id == computation.root())
        .with("shape", instruction.shape().to_string())
        .with("arrays", arrays)
        .with("opcode", instruction.opcode().name())
        .with_some("parameter", instruction.parameter_number())
        .with_some("literal", instruction.literal().map(|literal| literal.text()))
        .with("operands", operands.collect::<Vec<_>>())
        .with("attributes", attributes.collect::<Vec<_>>())
}

/// Returns `{"path", "element_type", "dimensions", "minor_to_major", "tiles", "memory_space", "memory", "words"}`; a dimension of
/// dynamic size is a text, `<=8` or `?`, and so is a tile's `*`.
fn array_object(path: Vec<usize>, array: &ArrayShape) -> Object {
    let dimension = |dimension: &Dimension| match dimension.size() {
        Some(size) if !dimension.is_dynamic() => Value::from(size),
        _ => Value::from(dimension.to_string()),
    };
    let tile = |dimension: &TileDimension| match dimension {
        TileDimension::Size(size) => Value::from(*size),
        TileDimension::Combine => Value::from("*"),
    };
    let layout = array.layout();
    let dimensions: Vec<Value> = array.dimensions().iter().map(dimension).collect();
    let tiles = layout.tiles().iter();
    let tiles: Vec<Value> = tiles
        .map(|each| Value::from(each.dimensions().iter().map(tile).collect::<Vec<_>>()))
        .collect();
    Object::nested()
        .with("path", path)
        .with("element_type", array.element_type().to_string())
        .with("dimensions", dimensions)
        .with("minor_to_major", layout.minor_to_major().to_vec())
        .with("tiles", tiles)
        .with("memory_space", layout.memory_space())
        .with("memory", memory_space_name(layout.memory_space()))
        .with("words", layout_words(layout))
}

fn text(computation: &Computation, instruction: &Instruction) -> Text {
    let mut text = Text::new().plain("  ");
    text.push(Role::Name, instruction.name());
    let mut line = |label: &str, words: String| {
        text.push(Role::Faint, format!("\n    {label:<11}"));
        text.push(Role::Plain, words);
    };
    for (path, array) in instruction.shape().arrays() {
        let part = match path.as_slice() {
            [] => String::new(),
            path => format!("part {}: ", separated(path, ".")),
        };
        let sizes = match array.rank() {
            0 => "one element".to_owned(),
            _ => separated(array.dimensions(), " x "),
        };
        line("shape", format!("{part}{sizes} of {}", array.element_type()));
        line("layout", layout_words(array.layout()));
        let space = array.layout().memory_space();
        line("memory", format!("S({space}): {}", memory_space_name(space)));
    }
    if instruction.shape().arrays().is_empty() {
        line("shape", instruction.shape().to_string());
    }
    line("operation", instruction.opcode().name().to_owned());
    if let Some(number) = instruction.parameter_number() {
        line("parameter", number.to_string());
    }
    if let Some(literal) = instruction.literal() {
        line("literal", literal.text().to_owned());
    }
    for operand in computation.operands(instruction) {
        line("operand", format!("{}: {}", operand.name(), operand.shape()));
    }
    for attribute in instruction.attributes().iter() {
        let value = value_of(attribute);
        line("attribute", format!("{}: {value}", attribute.name()));
    }
    text
}

/// Returns the value of an attribute as it is written.
fn value_of(attribute: &Attribute) -> String {
    let text = attribute.to_string();
    let value = text.split_once('=').map(|(_, value)| value.to_owned());
    value.unwrap_or(text)
}

/// Describes a layout in words.
fn layout_words(layout: &Layout) -> String {
    let order = order_in_words(layout.minor_to_major());
    let tiles: Vec<String> =
        layout.tiles().iter().map(|tile| separated(tile.dimensions(), " x ")).collect();
    match tiles.as_slice() {
        [] => order,
        tiles => format!("{order}; in tiles of {}", tiles.join(", each in tiles of ")),
    }
}

fn separated<T: Display>(list: &[T], separator: &str) -> String {
    let list: Vec<String> = list.iter().map(T::to_string).collect();
    list.join(separator)
}
