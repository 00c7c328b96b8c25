//! The scalars of a loop's state before each iteration, where they are known and the iterations are few.
//!
//! Law: state `t` has values of scalars after `t` iterations. A scalar has one there if it has one before the loop, and if the body
//! makes one of those that have one at `t - 1`; or if it counts (`trips`). The body runs as often as there are states but the last:
//! as often as `trips` says, or else as the condition holds in each state but the last.
//!
//! A loop in a computation that one call of the module runs starts from what this call passes.
//!
//! So any arithmetic on counters is followed, as that of a grid whose innermost index starts again at 0.

use super::known::Known;
use super::number::Number;
use super::reads::{InstructionPlace, TuplePath, ValueSource};
use super::trips::Trips;
use affinor::num::Interrupt;
use affinor_hlo::module::{ComputationId, Module};
use affinor_hlo::opcode::Opcode;
use std::collections::BTreeMap;

/// Most iterations of a loop that is followed one by one.
const ITERATIONS: usize = 256;

/// Most calls that a loop stands in, through which its start is followed.
const CALLS: usize = 4;

/// Values of scalars, by part of the state.
pub(super) type Scalars = BTreeMap<TuplePath, i64>;

/// The scalars that are known before the loop at `place`.
pub(super) fn starts(module: &Module, place: InstructionPlace, interrupt: &Interrupt) -> Scalars {
    of_operand(module, place, interrupt, CALLS)
}

/// The scalars that are known of operand 0 of an instruction, through so many calls.
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

/// The call of a computation with one parameter, if nothing else in the module runs it.
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

/// The known scalars of each state of a loop: one state more than there are iterations.
pub(super) struct Course {
    states: Vec<Scalars>,
}

impl Course {
    /// The course of the loop at `place`; none if it has more iterations than are followed, or if it is not known how many.
    pub(super) fn of(
        module: &Module,
        place: InstructionPlace,
        trips: Option<&Trips>,
        interrupt: &Interrupt,
    ) -> Option<Course> {
        let instruction = &module[place.computation][place.instruction];
        let body = instruction.called("body").ok()?;
        let condition = instruction.called("condition").ok()?;
        let counted = trips.map(|trips| usize::try_from(trips.count)).transpose().ok()?;
        counted.is_none_or(|count| count <= ITERATIONS).then_some(())?;
        let mut state = starts(module, place, interrupt);
        let mut course = Course { states: Vec::new() };
        loop {
            if let Some(trips) = trips {
                let time = Number::constant(i64::try_from(course.states.len()).ok()?);
                for (path, counter) in &trips.counters {
                    state.insert(path.clone(), counter.at(&time)?.value()?);
                }
            }
            let goes_on = match counted {
                Some(count) => course.states.len() < count,
                None => in_state(module, condition, &state, interrupt).result(&[])?.value()? != 0,
            };
            let mut known = in_state(module, body, &state, interrupt);
            let next = state.keys().filter(|_| goes_on);
            let next = next.filter_map(|path| Some((path.clone(), known.result(path)?.value()?)));
            let next: Scalars = next.collect();
            course.states.push(std::mem::replace(&mut state, next));
            if !goes_on {
                return Some(course);
            }
            (course.states.len() <= ITERATIONS).then_some(())?;
        }
    }

    /// How often the body runs, with no counters that are known at all times.
    pub(super) fn trips(&self) -> Option<Trips> {
        let count = i64::try_from(self.iterations()).ok()?;
        Some(Trips { count, counters: BTreeMap::new() })
    }

    /// How often the body runs.
    pub(super) fn iterations(&self) -> usize {
        self.states.len() - 1
    }

    /// Follows elements of a computation of the loop that is given state `time`, at indices over variables with these bounds.
    pub(super) fn known<'m>(
        &self,
        module: &'m Module,
        computation: ComputationId,
        time: usize,
        bounds: Vec<affinor::num::Interval>,
        interrupt: &Interrupt,
    ) -> Known<'m> {
        let known = Known::new(module, computation, bounds, interrupt);
        known.with_given(numbers(&self.states[time]))
    }
}

fn in_state<'m>(
    module: &'m Module,
    computation: ComputationId,
    state: &Scalars,
    interrupt: &Interrupt,
) -> Known<'m> {
    Known::new(module, computation, Vec::new(), interrupt).with_given(numbers(state))
}

fn numbers(state: &Scalars) -> BTreeMap<TuplePath, Number> {
    state.iter().map(|(path, value)| (path.clone(), Number::constant(*value))).collect()
}
