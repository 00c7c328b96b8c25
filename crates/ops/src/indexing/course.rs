//! The scalars of a loop's state before each iteration, where they are known and the iterations are few.
//!
//! Law: state `t` has values of scalars after `t` iterations. A scalar has one there if it has one before the loop, and if the body
//! makes one of those that have one at `t - 1`; or if it counts (`trips`). The body runs as often as there are states but the last:
//! as often as `trips` says, or else as the condition holds in each state but the last.
//!
//! So any arithmetic on counters is followed, as that of a grid whose innermost index starts again at 0.

use super::known::Known;
use super::number::Number;
use super::reads::InstructionPlace;
use super::starts::{Scalars, numbers, starts};
use super::trips::Trips;
use affinor::num::Interrupt;
use affinor_hlo::module::{ComputationId, Module};
use std::collections::BTreeMap;

/// Most iterations of a loop that is followed one by one.
const ITERATIONS: usize = 256;

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
