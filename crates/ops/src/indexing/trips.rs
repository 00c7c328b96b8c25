//! The trip count of a loop, and the scalars of its state that are known in each iteration.
//!
//! Law: in iteration `t`, counted from 0, a counter holds `start + step * t`. This is proved by induction: the loop starts with
//! the counter's start, and from a state in which each counter holds this value, the body computes one in which each holds
//! `start + step * (t + 1)`. The returned trip count is the `t` for which the condition fails, while it holds for every smaller
//! `t`. Guesses (the steps, from one run of the body; the trip count, by doubling and bisection) are then proved for all `t` at
//! once.
//!
//! If the start of a counter or the condition is unknown, the values in the backend config of the loop are used: XLA computed
//! them, and they are part of the module.

use super::known::Known;
use super::number::Number;
use super::reads::{InstructionPlace, TuplePath};
use super::starts::starts;
use affinor::expr::{Expr, VariableId};
use affinor::num::{Interrupt, Interval};
use affinor_hlo::module::{ComputationId, Instruction, Module};
use serde_json::Value as Json;
use std::collections::BTreeMap;

/// Maximum trip count of a loop that is followed.
const MOST: i64 = 1 << 40;

/// The known facts about a loop.
pub(super) struct Trips {
    /// The trip count.
    pub(super) count: i64,
    /// The counters, including scalars that stay constant, by part of the state.
    pub(super) counters: BTreeMap<TuplePath, Counter>,
}

/// A scalar of the state that grows by a constant in each iteration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Counter {
    start: i64,
    step: i64,
}

impl Counter {
    /// Returns its value in iteration `time`.
    pub(super) fn at(self, time: &Number) -> Option<Number> {
        Number::constant(self.start).plus(self.step, time)
    }

    /// Returns the same counter, one iteration later.
    fn later(self) -> Option<Counter> {
        let start = self.start.checked_add(self.step)?;
        Some(Counter { start, ..self })
    }
}

/// Returns the trip count of the loop at `place`, and its counters; `None` if the count is unknown.
pub(super) fn trips(
    module: &Module,
    place: InstructionPlace,
    interrupt: &Interrupt,
) -> Option<Trips> {
    let instruction = &module[place.computation][place.instruction];
    let body = instruction.called("body").ok()?;
    let turn = Turn { module, body, condition: instruction.called("condition").ok()?, interrupt };
    let starts = starts(module, place, interrupt);
    let said = Said::of(instruction);
    let mut counters = turn.guessed(&starts);
    if let Some((path, counter)) = said.counter {
        counters.entry(path).or_insert(counter);
    }
    // A counter may depend on scalars that turn out not to be counters.
    loop {
        let count = turn.count(&counters, said.count)?;
        let wrong = turn.wrong(&counters, count)?;
        if wrong.is_empty() {
            return Some(Trips { count, counters });
        }
        counters.retain(|path, _| !wrong.contains(path));
    }
}

/// The facts stated in the backend config of a loop.
struct Said {
    count: Option<i64>,
    counter: Option<(TuplePath, Counter)>,
}

impl Said {
    fn of(instruction: &Instruction) -> Said {
        let number = |key: &str, part: &str| match instruction.backend_config(key)?.get(part)? {
            Json::String(text) => text.parse::<i64>().ok(),
            other => other.as_i64(),
        };
        let count = number("known_trip_count", "n");
        let counter = || {
            let place = number("known_induction_variable", "tuple_index")?;
            let counter = Counter {
                start: number("known_init_step", "init")?,
                step: number("known_init_step", "step")?,
            };
            Some((vec![usize::try_from(place).ok()?], counter))
        };
        Said { count: count.filter(|count| (0..=MOST).contains(count)), counter: counter() }
    }
}

/// An iteration of a loop.
struct Turn<'m> {
    module: &'m Module,
    body: ComputationId,
    condition: ComputationId,
    interrupt: &'m Interrupt,
}

impl<'m> Turn<'m> {
    /// Values in a computation of the loop in iteration `time`; if that is variable 0, its bounds are the range of `time`.
    fn known(
        &self,
        computation: ComputationId,
        counters: &BTreeMap<TuplePath, Counter>,
        time: &Number,
    ) -> Option<Known<'m>> {
        let given = counters.iter().map(|(path, counter)| Some((path.clone(), counter.at(time)?)));
        let known = Known::new(self.module, computation, vec![time.range], self.interrupt);
        Some(known.with_given(given.collect::<Option<_>>()?))
    }

    /// Counters with these starts, and the steps observed in the first iteration.
    fn guessed(&self, starts: &BTreeMap<TuplePath, i64>) -> BTreeMap<TuplePath, Counter> {
        let still = starts.iter().map(|(path, start)| {
            let counter = Counter { start: *start, step: 0 };
            (path.clone(), counter)
        });
        let still: BTreeMap<TuplePath, Counter> = still.collect();
        let Some(mut first) = self.known(self.body, &still, &Number::constant(0)) else {
            return BTreeMap::new();
        };
        let moved = still.into_iter().filter_map(|(path, counter)| {
            let next = first.result(&path)?.value()?;
            let step = next.checked_sub(counter.start)?;
            Some((path, Counter { step, ..counter }))
        });
        moved.collect()
    }

    /// Returns whether the condition holds in iteration `time`; `None` if it is unknown.
    fn goes_on(&self, counters: &BTreeMap<TuplePath, Counter>, time: &Number) -> Option<bool> {
        let mut known = self.known(self.condition, counters, time)?;
        Some(known.result(&[])?.value()? != 0)
    }

    /// Returns the trip count, assuming the counters: the first iteration in which the condition fails, proved to be the first;
    /// or the count `said` by the backend config if the condition depends on more.
    fn count(&self, counters: &BTreeMap<TuplePath, Counter>, said: Option<i64>) -> Option<i64> {
        let at = |time: i64| self.goes_on(counters, &Number::constant(time));
        match self.first_without(&at) {
            Some(0) => Some(0),
            Some(count) => {
                (self.goes_on(counters, &time_in(0, count - 1)) == Some(true)).then_some(count)
            }
            None => said.filter(|count| at(0).is_none_or(|goes_on| goes_on == (*count > 0))),
        }
    }

    /// Returns an iteration in which the condition fails, although it holds in the one before.
    fn first_without(&self, goes_on: &dyn Fn(i64) -> Option<bool>) -> Option<i64> {
        if !goes_on(0)? {
            return Some(0);
        }
        let (mut with, mut without) = (0, 1);
        while goes_on(without)? {
            with = without;
            without *= 2;
            (without <= MOST).then_some(())?;
        }
        while without - with > 1 {
            let middle = with + (without - with) / 2;
            match goes_on(middle)? {
                true => with = middle,
                false => without = middle,
            }
        }
        Some(without)
    }

    /// Returns the counters that do not have the expected value in the next iteration; `None` if the body cannot be evaluated.
    fn wrong(&self, counters: &BTreeMap<TuplePath, Counter>, count: i64) -> Option<Vec<TuplePath>> {
        if count == 0 {
            return Some(Vec::new());
        }
        let time = time_in(0, count - 1);
        let mut known = self.known(self.body, counters, &time)?;
        let mut wrong = Vec::new();
        for (path, counter) in counters {
            // Written like the sum in the body: a single sum, in which the step is not a factor of another sum.
            let expected = counter.later()?.at(&time)?;
            let is_right = known.result(path).is_some_and(|found| found.expr == expected.expr);
            if !is_right {
                wrong.push(path.clone());
            }
        }
        Some(wrong)
    }
}

/// Any iteration from `first` to `last`, as variable 0.
fn time_in(first: i64, last: i64) -> Number {
    Number::new(Expr::variable(VariableId(0)), Interval::new(first, last))
}
