//! The origin of the value of a runtime variable.
//!
//! Law: the element at the returned index of the returned source is the given element. Only ops that pass elements on unchanged
//! are followed, so that two variables for the same element of the same tensor are recognized as equal.

use super::operation::OperationOf;
use super::reads::{Exactness, InstructionPlace, OperandReads, Reads, TuplePath, ValueSource};
use affinor::expr::{Expr, VariableKind};
use affinor::text::Error;
use affinor_hlo::element_type::ElementType;
use affinor_hlo::module::{Computation, InstructionId, Module};
use affinor_hlo::opcode::{Opcode, Values};

/// Returns the source and index of a value in terms of the computation that contains the instruction at `place`; the given
/// `source` and `index` are in terms of this instruction.
pub(super) fn seen_from(
    module: &Module,
    operation: &mut OperationOf<'_>,
    place: InstructionPlace,
    source: &ValueSource,
    index: Vec<Expr>,
) -> Result<(ValueSource, Vec<Expr>), Error> {
    let computation = &module[place.computation];
    match source {
        ValueSource::Operand { operand, path } => {
            let operands = computation[place.instruction].operands();
            match operands.get(*operand) {
                Some(instruction) => {
                    let value = Value { instruction: *instruction, path: path.clone(), index };
                    followed(computation, operation, place, value)
                }
                None => Ok((source.clone(), index)), // unreachable: the op has checked its operands
            }
        }
        ValueSource::Instruction { at, through, path } => {
            let through = [&[place], &through[..]].concat();
            let (at, path) = (*at, path.clone());
            Ok((ValueSource::Instruction { at, through, path }, index))
        }
    }
}

/// An element of a part of an instruction's result.
struct Value {
    instruction: InstructionId,
    path: TuplePath,
    index: Vec<Expr>,
}

/// Returns the element that `value` is equal to, followed as far as ops pass it on.
fn followed(
    computation: &Computation,
    operation: &mut OperationOf<'_>,
    place: InstructionPlace,
    mut value: Value,
) -> Result<(ValueSource, Vec<Expr>), Error> {
    loop {
        let at = InstructionPlace { instruction: value.instruction, ..place };
        let instruction = &computation[value.instruction];
        if let Some(operand) = instruction.parameter_number() {
            let path = value.path;
            return Ok((ValueSource::Operand { operand, path }, value.index));
        }
        let before = if keeps_values(computation, value.instruction) {
            step(&operation(at)?, &value)
        } else {
            None
        };
        match before
            .and_then(|(k, path, index)| Some((*instruction.operands().get(k)?, path, index)))
        {
            Some((instruction, path, index)) => {
                value = Value { instruction, path, index };
            }
            None => {
                let (path, through) = (value.path, Vec::new());
                return Ok((ValueSource::Instruction { at, through, path }, value.index));
            }
        }
    }
}

/// Returns the operand's element from which `value` is passed on, if the maps determine exactly one.
fn step(entries: &[OperandReads], value: &Value) -> Option<(usize, TuplePath, Vec<Expr>)> {
    let mut of_part = entries.iter().filter(|entry| entry.output == value.path);
    let (entry, None) = (of_part.next()?, of_part.next()) else {
        return None;
    };
    let Reads::Maps(maps) = &entry.reads else {
        return None;
    };
    let [map] = maps.as_slice() else {
        return None;
    };
    let domain = map.map.domain();
    let total = domain.constraints().is_empty()
        && domain.count(VariableKind::Dimension) == domain.variables().len();
    if !total || map.exactness != Exactness::Exact {
        return None;
    }
    let index = map.map.results().iter().map(|result| result.substitute(&value.index));
    let index = index.collect::<Result<_, _>>().ok()?;
    Some((entry.operand, entry.operand_path.clone(), index))
}

/// Returns whether each element of the result is one element of an operand, as an integer.
fn keeps_values(computation: &Computation, id: InstructionId) -> bool {
    let instruction = &computation[id];
    let element_type = |id: InstructionId| {
        let array = computation[id].shape().as_array();
        array.map(|array| array.element_type())
    };
    let types = || Some((element_type(*instruction.operands().first()?)?, element_type(id)?));
    match instruction.opcode() {
        opcode if opcode.values() == Values::Moved => true,
        Opcode::Bitcast => types().is_some_and(|(from, to)| from == to),
        Opcode::Convert => types().is_some_and(|(from, to)| holds_all(to, from)),
        _ => false,
    }
}

/// Returns whether every value of the integer type `from` is a value of the integer type `to`.
pub(super) fn holds_all(to: ElementType, from: ElementType) -> bool {
    let (signed, unsigned) = (ElementType::is_signed_integer, ElementType::is_unsigned_integer);
    if (signed(from) && signed(to)) || (unsigned(from) && unsigned(to)) {
        from.bits() <= to.bits()
    } else {
        unsigned(from) && signed(to) && from.bits() < to.bits()
    }
}
