//! How often a loop's body runs, and which scalars of its state are known in each iteration.
//!
//! Law: in iteration `t`, counted from 0, a counter holds `start + step * t`. It does so by induction: the loop starts from
//! its start, and of a state in which each counter holds that, the body makes one in which each holds `start + step * (t + 1)`.
//! The body runs as often as answered: the condition holds for every smaller `t`, and not for that one. What is guessed
//! (steps, from one run of the body; the number of iterations, by doubling and bisection) is then shown, for all `t` at once.
//!
//! Where the start of a counter or the condition is not known, the backend config of the loop says it: XLA worked it out,
//! and the module means it.

use super::known::Known;
use super::number::Number;
use super::reads::{InstructionPlace, TuplePath};
use super::starts::starts;
use affinor::expr::{Expr, VariableId};
use affinor::num::{Interrupt, Interval};
use affinor_hlo::module::{ComputationId, Instruction, Module};
use serde_json::Value as Json;
use std::collections::BTreeMap;

/// Most iterations of a loop that is followed.
const MOST: i64 = 1 << 40;

/// What is known of a loop.
pub(super) struct Trips {
    /// How often its body runs.
    pub(super) count: i64,
    /// The counters, and the scalars that stay what they are, by part of the state.
    pub(super) counters: BTreeMap<TuplePath, Counter>,
}

/// A scalar of the state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Counter {
    start: i64,
    step: i64,
}

impl Counter {
    /// Its value in the iteration that `time` counts.
    pub(super) fn at(self, time: &Number) -> Option<Number> {
        Number::constant(self.start).plus(self.step, time)
    }

    /// The same, one iteration later.
    fn later(self) -> Option<Counter> {
        let start = self.start.checked_add(self.step)?;
        Some(Counter { start, ..self })
    }
}

/// How often the body of the loop at `place` runs, if that is known.
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
    // A counter may be made of others that turn out to be none.
    loop {
        let count = turn.count(&counters, said.count)?;
        let wrong = turn.wrong(&counters, count)?;
        if wrong.is_empty() {
            return Some(Trips { count, counters });
        }
        counters.retain(|path, _| !wrong.contains(path));
    }
}

/// What the backend config of a loop says.
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

/// One turn of a loop.
struct Turn<'m> {
    module: &'m Module,
    body: ComputationId,
    condition: ComputationId,
    interrupt: &'m Interrupt,
}

impl<'m> Turn<'m> {
    /// A computation of the loop in the iteration `time`, which lies in `times` if it is variable 0.
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

    /// Counters with these starts, and the steps that they make in the first iteration.
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

    /// Whether the body runs in the iteration `time`.
    fn goes_on(&self, counters: &BTreeMap<TuplePath, Counter>, time: &Number) -> Option<bool> {
        let mut known = self.known(self.condition, counters, time)?;
        Some(known.result(&[])?.value()? != 0)
    }

    /// How often the body runs, if the counters are what they seem: the first iteration without, shown to be that, or what
    /// is said where the condition depends on more.
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

    /// An iteration in which the body does not run, and before which it does.
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

    /// The counters that do not hold in the next iteration what they should; none if that cannot be asked.
    fn wrong(&self, counters: &BTreeMap<TuplePath, Counter>, count: i64) -> Option<Vec<TuplePath>> {
        if count == 0 {
            return Some(Vec::new());
        }
        let time = time_in(0, count - 1);
        let mut known = self.known(self.body, counters, &time)?;
        let mut wrong = Vec::new();
        for (path, counter) in counters {
            // Written as the body adds to it: one sum, in which the step is no factor of another.
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
