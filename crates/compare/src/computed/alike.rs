//! Compares two instructions as operations, whatever their names.
//!
//! Law: instructions with the same text compute the same results from the same operands. Layouts and notes about the program are
//! omitted from the text; called computations are written out.

use affinor_hlo::attribute::{AttributeValue, Attributes};
use affinor_hlo::element_type::ElementType;
use affinor_hlo::module::{Computation, ComputationId, Instruction, InstructionId, Module};
use affinor_hlo::opcode::Opcode;
use affinor_hlo::shape::Shape;
use affinor_ops::indexing::{SILENT, is_commutative, is_pointwise};
use std::collections::BTreeMap;

/// Attributes whose effect is fully captured by the maps of an op.
const GEOMETRY: [&str; 15] = [
    "batch_group_count",
    "dim_labels",
    "dimensions",
    "feature_group_count",
    "index_vector_dim",
    "input_batching_dims",
    "inserted_window_dims",
    "lhs_batch_dims",
    "lhs_contracting_dims",
    "rhs_batch_dims",
    "rhs_contracting_dims",
    "scatter_dims_to_operand_dims",
    "scatter_indices_batching_dims",
    "update_window_dims",
    "window",
];

/// Maximum nesting depth of called computations.
const NESTING: usize = 50;

/// Returns the attributes of an instruction as text; `None` if a computation that they call is not in the module. Without
/// `geometry`, attributes that the maps capture are omitted.
pub(super) fn attributes(
    module: &Module,
    instruction: &Instruction,
    geometry: bool,
) -> Option<String> {
    said(module, instruction, geometry, NESTING)
}

/// Returns the attributes of an instruction as text, without the called computations.
pub(super) fn attributes_alone(
    module: &Module,
    instruction: &Instruction,
    geometry: bool,
) -> Option<String> {
    said(module, instruction, geometry, 0)
}

fn said(
    module: &Module,
    instruction: &Instruction,
    geometry: bool,
    nesting: usize,
) -> Option<String> {
    let is_custom = *instruction.opcode() == Opcode::CustomCall;
    let counts = |name: &str| match name {
        "backend_config" => is_custom,
        "frontend_attributes" => changes_shape(instruction),
        // The direction is compared together with the order of the operands.
        "direction" => *instruction.opcode() != Opcode::Compare,
        name => !SILENT.contains(&name) && (geometry || !GEOMETRY.contains(&name)),
    };
    let listed = listed(module, instruction.attributes(), &counts, nesting)?;
    // The target is given the bytes of its operands in stated layouts, and so it is with those of its results.
    let is_laid_out = || instruction.attributes().get("operand_layout_constraints").is_some();
    Some(match is_custom && is_laid_out() {
        true => format!("{listed} {}", instruction.shape()),
        false => listed,
    })
}

/// Returns whether the operation is a pure function of its operands.
pub(crate) fn is_function(instruction: &Instruction) -> bool {
    use Opcode as O;
    let has_effect = || {
        let said = instruction.attributes().get("custom_call_has_side_effect");
        said.is_some_and(|said| *said.value() != AttributeValue::Boolean(false))
    };
    !matches!(
        instruction.opcode(),
        O::Infeed | O::Outfeed | O::Recv | O::RecvDone | O::Rng | O::RngGetAndUpdateState
    ) && (!has_effect() || changes_shape(instruction))
}

/// Returns whether the operation changes global to local shapes or back. Its attributes state which shards a device holds; it is
/// marked with an effect only so that no pass removes it.
fn changes_shape(instruction: &Instruction) -> bool {
    let target = instruction.attributes().get("custom_call_target").map(|target| target.value());
    ["xla.sdy.GlobalToLocalShape", "xla.sdy.LocalToGlobalShape"]
        .iter()
        .any(|known| target == Some(&AttributeValue::String((*known).into())))
}

/// Returns the opcode of an operation. A bitcast that only changes the type of elements, at the same places, counts as a
/// bitcast-convert.
pub(super) fn opcode_of(body: &Computation, instruction: &Instruction) -> Opcode {
    let own = instruction.opcode().clone();
    let from = body.operands(instruction).next().map(Instruction::shape);
    let (Opcode::Bitcast, Some(from)) = (&own, from) else {
        return own;
    };
    let to = instruction.shape();
    let bits = [from, to].map(|shape| shape.as_array().map(|array| array.element_type().bits()));
    // The sizes, the layout and the tiles.
    let places = [from, to].map(|shape| {
        let text = shape.to_string();
        text.find('[').map(|start| text[start..].to_owned())
    });
    match bits[0].is_some() && bits[0] == bits[1] && places[0].is_some() && places[0] == places[1] {
        true => Opcode::BitcastConvert,
        false => own,
    }
}

/// Returns whether each element is a function of the operands' elements at the same index.
pub(super) fn is_elementwise(body: &Computation, instruction: &Instruction) -> bool {
    is_pointwise(&opcode_of(body, instruction))
}

/// Returns whether the operation is a fold that combines all elements in one way.
pub(super) fn is_fold(opcode: &Opcode) -> bool {
    matches!(opcode, Opcode::Convolution | Opcode::Dot | Opcode::Reduce | Opcode::ReduceWindow)
}

/// Returns the types and sizes of the arrays of a shape, without layouts.
pub(super) fn shape_text(shape: &Shape) -> String {
    let leaves = shape.leaves();
    let leaf = |(path, leaf): &(Vec<usize>, &Shape)| match leaf.as_array() {
        None => format!("{path:?} {leaf}"),
        Some(array) => format!("{path:?} {} {:?}", array.element_type().name(), array.dimensions()),
    };
    leaves.iter().map(leaf).collect::<Vec<_>>().join(", ")
}

/// Returns whether operations on one or two numbers of this type are different functions whenever their opcodes differ.
pub(super) fn are_different(opcodes: [&Opcode; 2], operands: usize, of: ElementType) -> bool {
    use Opcode as O;
    let is_number = of != ElementType::Pred && of.bits() >= 8;
    let of_two = |opcode: &Opcode| {
        matches!(opcode, O::Add | O::Divide | O::Maximum | O::Minimum | O::Multiply | O::Subtract)
    };
    let of_one = |opcode: &Opcode| {
        matches!(opcode, O::Cosine | O::Exponential | O::Logistic | O::Negate | O::Sine | O::Tanh)
    };
    let [old, new] = opcodes;
    let is_known = match operands {
        1 => of_one(old) && of_one(new),
        2 => of_two(old) && of_two(new),
        _ => false,
    };
    is_number && is_known && old != new
}

/// Returns the binary operation that a computation of two scalars consists of.
pub(crate) fn combiner(
    module: &Module,
    instruction: &Instruction,
) -> Option<(Opcode, ElementType)> {
    let body = &module[instruction.called("to_apply").ok()?];
    let root = &body[body.root()];
    let [one, other] = root.operands() else {
        return None;
    };
    let is_parameter = |id: &InstructionId| body[*id].parameter_number();
    (is_parameter(one)? != is_parameter(other)?).then_some(())?;
    let element_type = root.shape().as_array()?.element_type();
    Some((root.opcode().clone(), element_type))
}

fn listed(
    module: &Module,
    attributes: &Attributes,
    counts: &dyn Fn(&str) -> bool,
    nesting: usize,
) -> Option<String> {
    let mut written = Vec::new();
    for attribute in attributes.iter().filter(|x| counts(x.name())) {
        let value = match attribute.value() {
            AttributeValue::Computation(_) if nesting == 0 => "1".to_owned(),
            AttributeValue::Computations(references) if nesting == 0 => {
                references.len().to_string()
            }
            AttributeValue::Computation(reference) => body(module, reference.target()?, nesting)?,
            AttributeValue::Computations(references) => {
                let bodies = references.iter();
                let bodies = bodies.map(|x| body(module, x.target()?, nesting));
                bodies.collect::<Option<Vec<_>>>()?.join(" ")
            }
            AttributeValue::Record(inner) => listed(module, inner, &|_| true, nesting)?,
            AttributeValue::Signature(_) | AttributeValue::Wrong(..) => return None,
            other => format!("{other:?}"),
        };
        written.push(format!("{}={value}", attribute.name()));
    }
    written.sort();
    Some(format!("({})", written.join(", ")))
}

/// Returns a computation as text without names: the instructions that its result depends on, in order.
fn body(module: &Module, id: ComputationId, nesting: usize) -> Option<String> {
    let nesting = nesting.checked_sub(1).filter(|left| *left > 0)?;
    let computation = &module[id];
    let mut labels: BTreeMap<InstructionId, String> = BTreeMap::new();
    let mut lines = Vec::new();
    // Operands come before their users.
    for (at, instruction) in computation.instructions() {
        if let Some(number) = instruction.parameter_number() {
            labels.insert(at, format!("p{number}"));
            lines.push(format!("p{number}: {}", shape_text(instruction.shape())));
            continue;
        }
        let operands = instruction.operands().iter().map(|x| labels.get(x).cloned());
        let mut operands: Vec<String> = operands.collect::<Option<_>>()?;
        if is_commutative(instruction.opcode()) {
            operands.sort();
        }
        is_function(instruction).then_some(())?;
        let direction = instruction.word("direction").ok().flatten();
        let literal = instruction.literal().map(|literal| literal.text());
        let literal = literal.unwrap_or_default();
        (!literal.contains("...")).then_some(())?;
        lines.push(format!(
            "{} {} {literal} {} {} {}",
            instruction.opcode(),
            shape_text(instruction.shape()),
            direction.unwrap_or_default(),
            operands.join(" "),
            said(module, instruction, true, nesting)?,
        ));
        labels.insert(at, format!("v{}", labels.len()));
    }
    let root = labels.get(&computation.root())?;
    Some(format!("{{{}; {root}}}", lines.join("; ")))
}
