//! The scalars that are known before a loop. In a computation with a single call in the module, they include the known operands
//! of that call.

use super::known::Known;
use super::number::Number;
use super::reads::{InstructionPlace, TuplePath, ValueSource};
use affinor::num::Interrupt;
use affinor_hlo::module::{ComputationId, Module};
use affinor_hlo::opcode::Opcode;
use std::collections::BTreeMap;

/// Maximum number of nested calls through which the initial state of a loop is followed.
const CALLS: usize = 4;

/// Values of scalars, by part of the state.
pub(super) type Scalars = BTreeMap<TuplePath, i64>;

/// Returns the known scalars of the initial state of the loop at `place`.
pub(super) fn starts(module: &Module, place: InstructionPlace, interrupt: &Interrupt) -> Scalars {
    of_operand(module, place, interrupt, CALLS)
}

/// Returns the known scalars of operand 0 of an instruction, followed through at most `calls` calls.
fn of_operand(
    module: &Module,
    place: InstructionPlace,
    interrupt: &Interrupt,
    calls: usize,
) -> Scalars {
    let computation = &module[place.computation];
    let Some(operand) = computation[place.instruction].operands().first() else {
        return Scalars::new();
    };
    let of_known = |given: Scalars| {
        let known = Known::new(module, place.computation, Vec::new(), interrupt);
        let mut known = known.with_given(numbers(&given));
        let mut found = Scalars::new();
        let mut is_complete = true;
        for (path, leaf) in computation[*operand].shape().leaves() {
            if leaf.as_array().is_none_or(|array| array.rank() > 0) {
                continue;
            }
            let source = ValueSource::Operand { operand: 0, path: path.clone() };
            let element = known.element(Some(place.instruction), &source, Vec::new());
            match element.and_then(|element| known.value(&element)?.value()) {
                Some(value) => found.extend([(path, value)]),
                None => is_complete = false,
            }
        }
        (found, is_complete)
    };
    let (found, is_complete) = of_known(Scalars::new());
    let caller = || only_caller(module, place.computation);
    match caller().filter(|_| calls > 0 && !is_complete) {
        Some(caller) => of_known(of_operand(module, caller, interrupt, calls - 1)).0,
        None => found,
    }
}

/// Returns the call of a computation with one parameter, unless another instruction of the module refers to it.
fn only_caller(module: &Module, computation: ComputationId) -> Option<InstructionPlace> {
    if computation == module.entry() || module[computation].parameters().len() != 1 {
        return None;
    }
    let mut callers = Vec::new();
    for (id, body) in module.computations() {
        for (number, instruction) in body.instructions() {
            let mut called = instruction.attributes().computations();
            if called.any(|reference| reference.target() == Some(computation)) {
                let is_call = matches!(instruction.opcode(), Opcode::Call | Opcode::Fusion);
                is_call.then_some(())?;
                callers.push(InstructionPlace { computation: id, instruction: number });
            }
        }
    }
    match callers[..] {
        [only] => Some(only),
        _ => None,
    }
}

/// Returns the scalars as constant numbers.
pub(super) fn numbers(state: &Scalars) -> BTreeMap<TuplePath, Number> {
    state.iter().map(|(path, value)| (path.clone(), Number::constant(*value))).collect()
}
