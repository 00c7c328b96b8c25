//! Loops whose control flow does not depend on the parameters of the program.
//!
//! Law: the loop runs its body as often as there are states, and before run `t` the parts listed in state `t` have the values
//! listed there. The states are found by evaluating the condition and the scalars that it depends on.

use super::concrete::{Concrete, Given};
use super::op::arrays;
use super::passed_on::passed_on;
use super::reads::{InstructionPlace, TuplePath};
use affinor::num::{Fuel, Interrupt};
use affinor_hlo::module::{ComputationId, InstructionId, Module};
use std::collections::BTreeSet;

/// Maximum number of values that are evaluated for one loop.
const STEPS: u64 = 1_000_000;

/// Maximum number of iterations that are evaluated.
const TRIPS: usize = 65_536;

/// The control flow of a loop: the known scalars before each run of its body.
#[derive(Clone, Debug)]
pub struct LoopCourse {
    /// The loop.
    pub at: InstructionPlace,
    /// The body of the loop.
    pub body: ComputationId,
    /// The parts of the loop's state that the body passes on unchanged.
    pub unchanged: BTreeSet<TuplePath>,
    /// For each run of the body, the values of scalar parts of the state; the same parts in each run.
    states: Vec<Given>,
}

impl LoopCourse {
    /// Returns the course of the loop at `at`, which is in a computation without calls; `None` if it is unknown.
    #[must_use]
    pub fn of(module: &Module, at: InstructionPlace, interrupt: &Interrupt) -> Option<LoopCourse> {
        let outside = &module[at.computation];
        let instruction = &outside[at.instruction];
        let body_id = instruction.called("body").ok()?;
        let (body, condition) = (&module[body_id], &module[instruction.called("condition").ok()?]);
        let start = *instruction.operands().first()?;
        let parts = arrays(instruction.shape());
        let fuel = Fuel::new(STEPS, interrupt);
        let mut before = Concrete::new(outside, Given::new(), &fuel);
        let mut state = Given::new();
        for (path, array) in &parts {
            if array.rank() == 0
                && let Some(value) = before.value(start, path, &[])
            {
                state.insert(path.clone(), value);
            }
        }
        let mut test = Concrete::new(condition, Given::new(), &fuel);
        let mut run = Concrete::new(body, Given::new(), &fuel);
        let mut states = Vec::new();
        loop {
            test.give(state.clone());
            if test.value(condition.root(), &[], &[])?.integer()? == 0 {
                break;
            }
            (states.len() < TRIPS).then_some(())?;
            run.give(state.clone());
            let next = state.keys().filter_map(|path| {
                let value = run.value(body.root(), path, &[])?;
                Some((path.clone(), value))
            });
            let next = next.collect();
            states.push(std::mem::replace(&mut state, next));
        }
        if let Some(last) = states.last().cloned() {
            for state in &mut states {
                state.retain(|path, _| last.contains_key(path));
            }
        }
        Some(LoopCourse {
            at,
            body: body_id,
            unchanged: passed_on(body, instruction.shape()),
            states,
        })
    }

    /// Returns the number of iterations.
    #[must_use]
    pub fn trips(&self) -> usize {
        self.states.len()
    }

    /// Returns the integer value of an element in the body in each run; `None` if one of these values is unknown.
    #[must_use]
    pub fn integers(
        &self,
        module: &Module,
        instruction: InstructionId,
        path: &[usize],
        index: &[i64],
        interrupt: &Interrupt,
    ) -> Option<Vec<i64>> {
        let fuel = Fuel::new(STEPS, interrupt);
        let mut run = Concrete::new(&module[self.body], Given::new(), &fuel);
        let value = |state: &Given| {
            run.give(state.clone());
            run.value(instruction, path, index)?.integer()
        };
        self.states.iter().map(value).collect()
    }
}

/// Returns the integer value of an element of a part of an instruction's result, if it is the same for all parameters of its
/// computation, which has no calls; `None` if it is unknown.
#[must_use]
pub fn known_integer(
    module: &Module,
    at: InstructionPlace,
    path: &[usize],
    index: &[i64],
    interrupt: &Interrupt,
) -> Option<i64> {
    let fuel = Fuel::new(STEPS, interrupt);
    let mut known = Concrete::new(&module[at.computation], Given::new(), &fuel);
    known.value(at.instruction, path, index)?.integer()
}

/// Returns the value of such an element as a word of a literal; `None` if it is unknown, or not finite.
#[must_use]
pub fn known_word(
    module: &Module,
    at: InstructionPlace,
    path: &[usize],
    index: &[i64],
    interrupt: &Interrupt,
) -> Option<String> {
    let fuel = Fuel::new(STEPS, interrupt);
    let body = &module[at.computation];
    let array = body[at.instruction].shape().at(path)?.as_array()?;
    let value = Concrete::new(body, Given::new(), &fuel).value(at.instruction, path, index)?;
    value.word(array.element_type())
}
