//! The trip count of a loop, and the scalars of its state that are known in each iteration.
//!
//! Law: in iteration `t`, counted from 0, a counter holds `start + step * t`. This is proved by induction: the loop starts with
//! the counter's start, and from a state in which each counter holds this value, the body computes one in which each holds
//! `start + step * (t + 1)`. The returned trip count is the `t` for which the condition fails, while it holds for every smaller
//! `t`. Guesses (the steps, from one run of the body; the trip count, by doubling and bisection) are then proved for all `t` at
//! once.
//!
//! A start may be known by its interval only: it is then a variable, the same one in every iteration, and the law holds for each
//! of its values. So a scalar that the body passes on is a counter with step 0.
//!
//! If the start of a counter or the condition is unknown, the values in the backend config of the loop are used: XLA computed
//! them, and they are part of the module.

use super::known::Known;
use super::number::Number;
use super::reads::{InstructionPlace, TuplePath};
use affinor::expr::{Expr, VariableId};
use affinor::num::{Interrupt, Interval};
use affinor_hlo::module::{ComputationId, Instruction, Module};
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Maximum depth of loops through which the last value of a counter is followed.
const DEPTH: usize = 3;

/// Intervals of scalars in the initial state of a loop, by part.
pub(super) type Starts = BTreeMap<TuplePath, Interval>;

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
    start: Interval,
    step: i64,
}

type Counters = BTreeMap<TuplePath, Counter>;

/// The values of counters in an iteration.
pub(super) struct Scalars {
    pub(super) numbers: BTreeMap<TuplePath, Number>,
    /// The starts that are variables, in order, with their intervals.
    pub(super) starts: Vec<(TuplePath, Interval)>,
}

impl Trips {
    /// Returns the values of the counters in iteration `time`. Starts that are not known are variables, numbered from `first` on.
    pub(super) fn at(&self, time: &Number, first: usize) -> Option<Scalars> {
        at(&self.counters, time, first)
    }
}

/// [`Trips::at`].
fn at(counters: &Counters, time: &Number, first: usize) -> Option<Scalars> {
    let mut scalars = Scalars { numbers: BTreeMap::new(), starts: Vec::new() };
    for (path, counter) in counters {
        let id = VariableId(u32::try_from(first + scalars.starts.len()).ok()?);
        let start = Number::new(Expr::variable(id), counter.start);
        if start.value().is_none() {
            scalars.starts.push((path.clone(), counter.start));
        }
        scalars.numbers.insert(path.clone(), start.plus(counter.step, time)?);
    }
    Some(scalars)
}

/// Returns the trip count of the loop at `place`, and its counters; `None` if the count is unknown.
pub(super) fn trips(
    module: &Module,
    place: InstructionPlace,
    starts: &Starts,
    interrupt: &Interrupt,
) -> Option<Trips> {
    within(module, &module[place.computation][place.instruction], starts, interrupt, DEPTH)
}

/// Lets `known` follow the counters of loops to their last values, through `depth` nested loops.
fn through_loops<'m>(
    known: Known<'m>,
    module: &'m Module,
    interrupt: &Interrupt,
    depth: usize,
) -> Known<'m> {
    let Some(below) = depth.checked_sub(1) else {
        return known;
    };
    let interrupt = interrupt.clone();
    known.with_growth(Rc::new(move |instruction, starts| {
        let trips = within(module, instruction, starts, &interrupt, below)?;
        let grown = trips.counters.iter();
        let grown = grown.map(|(path, x)| Some((path.clone(), x.step.checked_mul(trips.count)?)));
        grown.collect()
    }))
}

/// Returns the known values in a computation, also after loops that it runs.
pub(super) fn known<'m>(
    module: &'m Module,
    computation: ComputationId,
    bounds: Vec<Interval>,
    interrupt: &Interrupt,
) -> Known<'m> {
    let known = Known::new(module, computation, bounds, interrupt);
    through_loops(known, module, interrupt, DEPTH)
}

fn within(
    module: &Module,
    instruction: &Instruction,
    starts: &Starts,
    interrupt: &Interrupt,
    depth: usize,
) -> Option<Trips> {
    let body = instruction.called("body").ok()?;
    let condition = instruction.called("condition").ok()?;
    let turn = Turn { module, body, condition, interrupt, depth };
    let said = Said::of(instruction);
    let mut counters = turn.guessed(starts);
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
                start: Interval::point(number("known_init_step", "init")?),
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
    depth: usize,
}

impl<'m> Turn<'m> {
    /// Values in a computation of the loop in iteration `time`, which is variable 0 unless it is constant.
    fn known(
        &self,
        computation: ComputationId,
        counters: &Counters,
        time: &Number,
    ) -> Option<Known<'m>> {
        let scalars = at(counters, time, 1)?;
        let starts = scalars.starts.iter().map(|(_, start)| *start);
        let bounds = [time.range].into_iter().chain(starts).collect();
        let known = Known::new(self.module, computation, bounds, self.interrupt);
        let known = through_loops(known, self.module, self.interrupt, self.depth);
        Some(known.with_given(scalars.numbers))
    }

    /// Counters with these starts, and the steps observed in the first iteration.
    fn guessed(&self, starts: &Starts) -> Counters {
        let still = starts.iter().map(|(path, start)| {
            let counter = Counter { start: *start, step: 0 };
            (path.clone(), counter)
        });
        let still: Counters = still.collect();
        let zero = Number::constant(0);
        let (Some(mut first), Some(before)) =
            (self.known(self.body, &still, &zero), at(&still, &zero, 1))
        else {
            return BTreeMap::new();
        };
        let moved = still.into_iter().filter_map(|(path, counter)| {
            let grown = first.result(&path)?.plus(-1, before.numbers.get(&path)?)?;
            Some((path, Counter { step: grown.expr.as_constant()?, ..counter }))
        });
        moved.collect()
    }

    /// Returns whether the condition holds in iteration `time`; `None` if it is unknown.
    fn goes_on(&self, counters: &Counters, time: &Number) -> Option<bool> {
        let mut known = self.known(self.condition, counters, time)?;
        Some(known.result(&[])?.value()? != 0)
    }

    /// Returns the trip count, assuming the counters: the first iteration in which the condition fails, proved to be the first;
    /// or the count `said` by the backend config if the condition depends on more.
    fn count(&self, counters: &Counters, said: Option<i64>) -> Option<i64> {
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
    fn wrong(&self, counters: &Counters, count: i64) -> Option<Vec<TuplePath>> {
        if count == 0 {
            return Some(Vec::new());
        }
        let time = time_in(0, count - 1);
        let mut known = self.known(self.body, counters, &time)?;
        let now = at(counters, &time, 1)?;
        let mut wrong = Vec::new();
        for (path, counter) in counters {
            let expected = now.numbers.get(path)?.plus(1, &Number::constant(counter.step))?;
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
