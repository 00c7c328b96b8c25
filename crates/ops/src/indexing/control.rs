//! Loops whose course does not depend on the parameters of the program.
//!
//! Law: the loop runs its body as often as there are states, and before run `t` the parts that state `t` names have its values.
//! They are found by running what decides it: the condition, and the scalars that it needs.

use super::concrete::{Concrete, Given};
use super::op::arrays;
use super::passed_on::passed_on;
use super::reads::{InstructionPlace, TuplePath};
use affinor::num::{Fuel, Interrupt};
use affinor_hlo::module::{ComputationId, InstructionId, Module};
use std::collections::BTreeSet;

/// Most values that are worked out for one loop.
const STEPS: u64 = 1_000_000;

/// Most times that a loop is followed.
const TRIPS: usize = 65_536;

/// The course of a loop.
#[derive(Clone, Debug)]
pub struct LoopCourse {
    /// The loop.
    pub at: InstructionPlace,
    /// Its body.
    pub body: ComputationId,
    /// The parts of its state that the body passes on as it got them.
    pub unchanged: BTreeSet<TuplePath>,
    /// For each run of the body, values of parts that are scalars: of the same parts each time.
    states: Vec<Given>,
}

impl LoopCourse {
    /// Returns the course of the loop at `at`, which stands in a computation without calls; `None` if it is not known.
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

    /// How often the body runs.
    #[must_use]
    pub fn trips(&self) -> usize {
        self.states.len()
    }

    /// Returns the integer that an element of the body has in each run; `None` if one of them is not known.
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

/// Returns the integer that an element of a part of an instruction's result is, in a computation without calls and whatever the
/// parameters are; `None` if that is not known.
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

/// Returns the value of such an element as the word that a literal has for it; `None` if it is not known, or no finite number.
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
