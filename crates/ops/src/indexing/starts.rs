//! The scalars that are known before a loop, at least by an interval. In a computation with a single call in the module, they
//! include the known operands of that call; in the body of a single loop, its counters.

use super::arithmetic::held;
use super::course::{Course, State, numbers};
use super::known::Known;
use super::number::Number;
use super::reads::{InstructionPlace, TuplePath, ValueSource};
use super::trips::{Starts, known, trips};
use affinor::expr::{Expr, VariableId};
use affinor::num::{Interrupt, Interval};
use affinor_hlo::element_type::ElementType;
use affinor_hlo::module::{ComputationId, Module};
use affinor_hlo::opcode::Opcode;
use affinor_hlo::shape::Shape;
use std::collections::BTreeMap;

/// Maximum number of nested calls and loops through which the initial state of a loop is followed.
const CALLS: usize = 4;

/// Returns the scalars of the initial state of the loop at `place`: integers that are not known have all values of their type.
/// With `state`, those for these scalars of the parameter of its computation.
pub(super) fn starts(
    module: &Module,
    place: InstructionPlace,
    state: Option<&State>,
    interrupt: &Interrupt,
) -> Starts {
    match state {
        None => of_operand(module, place, interrupt, CALLS),
        Some(state) => {
            let known = known(module, place.computation, Vec::new(), interrupt);
            of_known(module, place, known.with_given(numbers(state))).0
        }
    }
}

/// Returns the intervals of operand 0 of an instruction, followed through at most `calls` calls.
fn of_operand(
    module: &Module,
    place: InstructionPlace,
    interrupt: &Interrupt,
    calls: usize,
) -> Starts {
    let alone = known(module, place.computation, Vec::new(), interrupt);
    let (found, is_complete) = of_known(module, place, alone);
    let caller = || only_caller(module, place.computation);
    match caller().filter(|_| calls > 0 && !is_complete) {
        Some(caller) => {
            let starts = of_operand(module, caller, interrupt, calls - 1);
            match given(module, caller, &starts, interrupt) {
                Some((given, bounds)) => {
                    let known = known(module, place.computation, bounds, interrupt);
                    of_known(module, place, known.with_given(given)).0
                }
                None => found,
            }
        }
        None => found,
    }
}

/// Returns the intervals of operand 0 of an instruction, and whether each is that of an expression.
fn of_known(module: &Module, place: InstructionPlace, mut known: Known<'_>) -> (Starts, bool) {
    let computation = &module[place.computation];
    let (mut found, mut is_complete) = (Starts::new(), true);
    let Some(operand) = computation[place.instruction].operands().first() else {
        return (found, is_complete);
    };
    for (path, element_type) in scalars(computation[*operand].shape()) {
        let source = ValueSource::Operand { operand: 0, path: path.clone() };
        let element = known.element(Some(place.instruction), &source, Vec::new());
        let value = element.and_then(|element| known.value(&element));
        is_complete &= value.is_some();
        // The extreme values of 64 bits are in no interval.
        let whole = held(element_type).filter(|_| element_type.bits() < 64);
        let whole = whole.filter(|_| !element_type.is_float());
        found.extend(value.map(|value| value.range).or(whole).map(|range| (path, range)));
    }
    (found, is_complete)
}

/// Returns the scalars of the only parameter of the computation that `caller` runs on an operand with these `starts`, over
/// variables with the returned bounds.
#[allow(clippy::type_complexity, reason = "the one caller takes it apart")]
fn given(
    module: &Module,
    caller: InstructionPlace,
    starts: &Starts,
    interrupt: &Interrupt,
) -> Option<(BTreeMap<TuplePath, Number>, Vec<Interval>)> {
    let (mut given, mut bounds, mut ranges) = (BTreeMap::new(), Vec::new(), starts.clone());
    if *module[caller.computation][caller.instruction].opcode() == Opcode::While {
        let trips = trips(module, caller, starts, interrupt);
        let course = || Course::of(module, caller, trips.as_ref(), starts, interrupt);
        let is_counter = |path: &TuplePath| {
            trips.as_ref().is_some_and(|trips| trips.counters.contains_key(path))
        };
        ranges = match starts.keys().all(is_counter) {
            true => Starts::new(),
            false => course().map(|course| course.ranges()).unwrap_or_default(),
        };
        if let Some(trips) = &trips {
            bounds.push(Interval::new(0, trips.count.checked_sub(1)?.max(0)));
            let time = Number::new(Expr::variable(VariableId(0)), bounds[0]);
            let scalars = trips.at(&time, 1)?;
            bounds.extend(scalars.starts.into_iter().map(|(_, start)| start));
            given = scalars.numbers;
        }
    }
    for (path, range) in ranges {
        let id = VariableId(bounds.len() as u32);
        given.entry(path).or_insert_with(|| {
            bounds.push(range);
            Number::new(Expr::variable(id), range)
        });
    }
    Some((given, bounds))
}

/// Returns the scalars of a state.
pub(super) fn scalars(state: &Shape) -> impl Iterator<Item = (TuplePath, ElementType)> {
    state.leaves().into_iter().filter_map(|(path, leaf)| {
        let array = leaf.as_array().filter(|array| array.rank() == 0)?;
        Some((path, array.element_type()))
    })
}

/// Returns the call of a computation with one parameter, or the loop of which it is the body, unless another
/// instruction of the module refers to it.
fn only_caller(module: &Module, computation: ComputationId) -> Option<InstructionPlace> {
    if computation == module.entry() || module[computation].parameters().len() != 1 {
        return None;
    }
    let mut callers = Vec::new();
    for (id, body) in module.computations() {
        for (number, instruction) in body.instructions() {
            let mut called = instruction.attributes().computations();
            if called.any(|reference| reference.target() == Some(computation)) {
                let is_call = match instruction.opcode() {
                    Opcode::Call | Opcode::Fusion => true,
                    Opcode::While => instruction.called("condition").ok()? != computation,
                    _ => false,
                };
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
