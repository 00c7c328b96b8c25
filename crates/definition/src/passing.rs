//! Ops that pass values on unchanged, and the test for other ops that move elements unchanged.
//!
//! *Operation semantics*, "Tuple", "GetTupleElement", "OptimizationBarrier", "AddDependency", "Send"; *Asynchronous operations*
//! for the starts and ends of other ops.

use super::access::{Access, Definition};
use super::op::{NoDefinition, Op, same_index};
use affinor_hlo::module::{Computation, Instruction};
use affinor_hlo::opcode::{Opcode, Values};
use affinor_hlo::shape::{ArrayShape, Shape};

/// The arrays of the result at `to` are the arrays of operand `operand` at `from`.
fn pass(
    op: &Op<'_>,
    operand: usize,
    from: &[usize],
    to: &[usize],
) -> Result<Vec<Access>, NoDefinition> {
    let shape = op.operand_shape(operand)?.at(from);
    let shape = shape.ok_or_else(|| op.invalid("the operand has no such part"))?;
    if let (true, [], [], Shape::Array(_)) = (op.given.is_some(), from, to, shape) {
        return Ok(vec![Access::new(operand, op.same_index(operand)?)]);
    }
    let mut accesses = Vec::new();
    for (path, leaf) in shape.leaves() {
        let Shape::Array(array) = leaf else {
            continue;
        };
        let (from, to) = ([from, &path].concat(), [to, &path].concat());
        let reads = same_index(&op.output_part(&to)?, &op.sizes(array)?)?;
        accesses.push(Access::new(operand, reads).of_output(&to).of_part(&from));
    }
    Ok(accesses)
}

/// "A tuple containing the operands": part `k` is operand `k`.
pub(super) fn tuple(op: &Op<'_>) -> Result<Definition, NoDefinition> {
    Ok(operands(op, &[])?.into_iter().collect())
}

/// The part of the result at `to` is a tuple of the operands.
pub(super) fn operands(op: &Op<'_>, to: &[usize]) -> Result<Vec<Access>, NoDefinition> {
    together((0..op.operand_count()).map(|k| pass(op, k, &[], &[to, &[k]].concat())))
}

/// The part of the result at `to` is the operand, or a tuple of several.
pub(super) fn operand_or_tuple(op: &Op<'_>, to: &[usize]) -> Result<Vec<Access>, NoDefinition> {
    match op.operand_count() {
        1 => pass(op, 0, &[], to),
        _ => operands(op, to),
    }
}

fn together<T: FromIterator<Access>>(
    parts: impl Iterator<Item = Result<Vec<Access>, NoDefinition>>,
) -> Result<T, NoDefinition> {
    let parts: Vec<Vec<Access>> = parts.collect::<Result<_, _>>()?;
    Ok(parts.into_iter().flatten().collect())
}

/// "Indexes into a tuple": the result is part `index` of the operand.
pub(super) fn get_tuple_element(op: &Op<'_>) -> Result<Definition, NoDefinition> {
    done(op, op.instruction.tuple_index()?)
}

/// The result is operand `operand`.
pub(super) fn operand(op: &Op<'_>, operand: usize) -> Result<Definition, NoDefinition> {
    Ok(pass(op, operand, &[], &[])?.into_iter().collect())
}

/// The result is the state in operand 0; unknown if the update binds further operands.
pub(super) fn update(op: &Op<'_>) -> Result<Definition, NoDefinition> {
    match op.operand_count() {
        1 => operand(op, 0),
        _ => Err(op.unknown("only its start names the computation")),
    }
}

/// The start of a copy gives `(copy, operand, context)`; of a send `(operand, context, token)`: `parts` lists the parts that
/// are the operand.
pub(super) fn start(op: &Op<'_>, parts: &[usize]) -> Result<Definition, NoDefinition> {
    together(parts.iter().map(|part| pass(op, 0, &[], &[*part])))
}

/// The end of an asynchronous op: the result is part `part` of the operand.
pub(super) fn done(op: &Op<'_>, part: usize) -> Result<Definition, NoDefinition> {
    Ok(pass(op, 0, &[part], &[])?.into_iter().collect())
}

/// "Blocks any optimization pass from moving computations across the barrier": all operands are passed on unchanged.
pub(super) fn barrier(op: &Op<'_>) -> Result<Definition, NoDefinition> {
    match op.operand_count() {
        1 => operand(op, 0),
        _ => tuple(op),
    }
}

/// Returns whether each element of the result is one element of an operand, with its value.
pub(super) fn moves(body: &Computation, instruction: &Instruction) -> bool {
    match instruction.opcode() {
        opcode if opcode.values() == Values::Moved => true,
        // With another type, the same bits are another value, and padding is not an element.
        Opcode::Bitcast => {
            let operand = body.operands(instruction).next();
            let arrays = (instruction.shape(), operand.map(Instruction::shape));
            let (Some(output), Some(operand)) =
                (arrays.0.as_array(), arrays.1.and_then(Shape::as_array))
            else {
                return false;
            };
            let has_all = |array: &ArrayShape| {
                array.layout().tiles().is_empty() && array.layout().metadata_prefix_bytes() == 0
            };
            output.element_type() == operand.element_type()
                && output.layout().element_bits() == operand.layout().element_bits()
                && has_all(output)
                && has_all(operand)
        }
        _ => false,
    }
}
