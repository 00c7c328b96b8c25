//! The known scalars of a loop's state before each iteration, for loops with few iterations.
//!
//! Law: state `t` has the values of scalars after `t` iterations. The value of a scalar is known if it is known before the loop
//! and the body computes it from scalars known at `t - 1`; or if the scalar is a counter (`trips`). There is one state more
//! than the body has runs: the number of runs is that of `trips`, or else the condition holds in each state except the last.
//!
//! So arbitrary arithmetic on counters is followed, such as a grid whose innermost index restarts at 0.

use super::known::Known;
use super::number::Number;
use super::reads::{InstructionPlace, TuplePath};
use super::trips::{self, Starts, Trips};
use affinor::num::{Interrupt, Interval};
use affinor_hlo::module::{ComputationId, Module};
use std::collections::BTreeMap;

/// Maximum number of iterations of a loop that is followed one by one.
const ITERATIONS: usize = 256;

/// Values of scalars, by part of the state.
pub(super) type State = BTreeMap<TuplePath, i64>;

/// The known scalars of each state of a loop: one state more than there are iterations.
pub(super) struct Course {
    states: Vec<State>,
}

impl Course {
    /// Computes the course of the loop at `place`; `None` if its trip count is unknown or above the limit.
    pub(super) fn of(
        module: &Module,
        place: InstructionPlace,
        trips: Option<&Trips>,
        starts: &Starts,
        interrupt: &Interrupt,
    ) -> Option<Course> {
        let instruction = &module[place.computation][place.instruction];
        let body = instruction.called("body").ok()?;
        let condition = instruction.called("condition").ok()?;
        let counted = trips.map(|trips| usize::try_from(trips.count)).transpose().ok()?;
        counted.is_none_or(|count| count <= ITERATIONS).then_some(())?;
        let starts = starts.iter();
        let starts = starts.filter_map(|(path, start)| Some((path.clone(), start.as_point()?)));
        let mut state: State = starts.collect();
        let mut course = Course { states: Vec::new() };
        loop {
            if let Some(trips) = trips {
                let time = Number::constant(i64::try_from(course.states.len()).ok()?);
                let counters = trips.at(&time, 0)?.numbers.into_iter();
                state.extend(counters.filter_map(|(path, at)| Some((path, at.value()?))));
            }
            let goes_on = match counted {
                Some(count) => course.states.len() < count,
                None => in_state(module, condition, &state, interrupt).result(&[])?.value()? != 0,
            };
            let mut known = in_state(module, body, &state, interrupt);
            let next = state.keys().filter(|_| goes_on);
            let next = next.filter_map(|path| Some((path.clone(), known.result(path)?.value()?)));
            let next: State = next.collect();
            course.states.push(std::mem::replace(&mut state, next));
            if !goes_on {
                return Some(course);
            }
            (course.states.len() <= ITERATIONS).then_some(())?;
        }
    }

    /// Returns the trip count, without counters that hold at all times.
    pub(super) fn trips(&self) -> Option<Trips> {
        let count = i64::try_from(self.iterations()).ok()?;
        Some(Trips { count, counters: BTreeMap::new() })
    }

    /// Returns the number of iterations.
    pub(super) fn iterations(&self) -> usize {
        self.states.len() - 1
    }

    /// Returns the known scalars before each iteration.
    pub(super) fn before_iterations(&self) -> &[State] {
        &self.states[..self.iterations()]
    }

    /// Returns the intervals of the scalars that are known before each iteration.
    pub(super) fn ranges(&self) -> Starts {
        let before = self.before_iterations();
        let mut found = Starts::new();
        for path in before.first().into_iter().flat_map(BTreeMap::keys) {
            let values: Option<Vec<i64>> = before.iter().map(|x| x.get(path).copied()).collect();
            let values = values.unwrap_or_default();
            if let (Some(least), Some(most)) = (values.iter().min(), values.iter().max()) {
                found.insert(path.clone(), Interval::new(*least, *most));
            }
        }
        found
    }

    /// Returns the known scalars of state `time`.
    pub(super) fn numbers(&self, time: usize) -> BTreeMap<TuplePath, Number> {
        numbers(&self.states[time])
    }
}

/// Returns the scalars as constant numbers.
pub(super) fn numbers(state: &State) -> BTreeMap<TuplePath, Number> {
    state.iter().map(|(path, value)| (path.clone(), Number::constant(*value))).collect()
}

fn in_state<'m>(
    module: &'m Module,
    computation: ComputationId,
    state: &State,
    interrupt: &Interrupt,
) -> Known<'m> {
    trips::known(module, computation, Vec::new(), interrupt).with_given(numbers(state))
}
