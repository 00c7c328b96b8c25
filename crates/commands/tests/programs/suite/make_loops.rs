//! Programs with counted loops: scans, caches that are filled, loop-carried states, and values computed from them.

use super::build::{Draft, Generator};
use super::program::{Op, Program};
use super::shape::{Array, Kind, Shape};

/// The counter of a loop.
struct Counter {
    start: i64,
    step: i64,
    turns: i64,
    bound: i64,
    direction: &'static str,
}

/// The number of elements in a row of a loop's arrays.
const WIDTH: i64 = 2;

/// Returns the program of a seed, with a loop whose trip count is known.
pub fn looped(seed: u64) -> Program {
    let mut generator = Generator::new(seed ^ 0x6c6f_6f70);
    let mut draft = generator.draft("main", true, 0);
    let counter = generator.counter();
    let rows = generator.random.within(2, 5);
    let shape = |sizes: &[i64]| Shape::Array(Array::new(Kind::F32, sizes));
    let start = generator.number(&mut draft, counter.start);
    let bound = generator.number(&mut draft, counter.bound);
    let mut parts = vec![start, bound];
    let count = generator.random.within(2, 4);
    for _ in 0..count {
        let sizes = generator.random.pick(&[vec![WIDTH], vec![rows, WIDTH], vec![rows, WIDTH]]);
        parts.push(generator.parameter(&mut draft, shape(&sizes)));
    }
    let state = generator.tuple(&mut draft, &parts);
    let of_state = draft.shape(state).clone();
    let condition = generator.goes_on(&of_state, counter.direction, counter.bound);
    let body = generator.turn(&of_state, &counter);
    let op = Op::While { condition, body };
    generator.add(&mut draft, op, of_state, &[state]);
    generator.finish(draft);
    generator.program
}

impl Generator {
    fn counter(&mut self) -> Counter {
        let turns = self.random.within(0, 5);
        let step = self.random.pick(&[1, 1, 1, 2, -1, -1, -2, 3]);
        let start = match step > 0 {
            true => self.random.within(-1, 1),
            false => self.random.within(2, 5),
        };
        // The bound of the condition: the value at the end, or one before it by less than a step.
        let end = start + step * turns;
        let slack = self.random.within(0, step.abs() - 1) * step.signum();
        let (direction, bound) = match (self.random.below(3), step > 0) {
            (0, true) => ("direction=LT", end - slack),
            (1, true) => ("direction=LE", end - slack - 1),
            (0, false) => ("direction=GT", end - slack),
            (1, false) => ("direction=GE", end - slack + 1),
            _ => ("direction=NE", end),
        };
        Counter { start, step, turns, bound, direction }
    }

    /// Makes the condition that the counter is on this side of a number, or of the second part of the state.
    pub(super) fn goes_on(&mut self, state: &Shape, direction: &'static str, bound: i64) -> usize {
        let mut condition = self.draft("condition", false, 0);
        let given = self.parameter(&mut condition, state.clone());
        let scalar = Shape::Array(Array::new(Kind::S32, &[]));
        let own = self.add(&mut condition, Op::Element(0), scalar.clone(), &[given]);
        let limit = match self.random.percent(50) {
            true => self.add(&mut condition, Op::Element(1), scalar, &[given]),
            false => self.number(&mut condition, bound),
        };
        let op = Op::Pointwise("compare", direction);
        self.array(&mut condition, op, Kind::Pred, &[], &[own, limit]);
        self.finish(condition)
    }

    fn turn(&mut self, state: &Shape, counter: &Counter) -> usize {
        let mut body = self.draft("body", false, 0);
        let given = self.parameter(&mut body, state.clone());
        let Shape::Tuple(shapes) = state else {
            panic!("the state is a tuple");
        };
        let parts: Vec<usize> = (0..shapes.len())
            .map(|k| self.add(&mut body, Op::Element(k), shapes[k].clone(), &[given]))
            .collect();
        let step = self.number(&mut body, counter.step);
        let next = self.integer(&mut body, "add", &[parts[0], step]);
        let place = self.place(&mut body, parts[0], counter);
        let mut results = vec![next, parts[1]];
        for part in &parts[2..] {
            let made = match body.sizes(*part).len() {
                _ if self.random.percent(20) => *part,
                1 => self.row(&mut body, &parts[2..], place),
                _ => self.filled_in(&mut body, *part, &parts[2..], place),
            };
            results.push(made);
        }
        self.next_state(body, state, results)
    }

    /// Finishes the body of a loop: a state keeps its shape, layouts included.
    pub(super) fn next_state(
        &mut self,
        mut body: Draft,
        state: &Shape,
        parts: Vec<usize>,
    ) -> usize {
        let Shape::Tuple(shapes) = state else {
            panic!("the state is a tuple");
        };
        let results: Vec<usize> = parts
            .into_iter()
            .zip(shapes)
            .map(|(k, shape)| match body.shape(k) == shape {
                true => k,
                false => self.add(&mut body, Op::Copy, shape.clone(), &[k]),
            })
            .collect();
        self.add(&mut body, Op::Tuple, state.clone(), &results);
        self.finish(body)
    }

    fn integer(&mut self, body: &mut Draft, opcode: &'static str, operands: &[usize]) -> usize {
        self.array(body, Op::Pointwise(opcode, ""), Kind::S32, &[], operands)
    }

    /// Returns a row number: the counter, one next to it, or one counted from the end.
    fn place(&mut self, body: &mut Draft, counter: usize, of: &Counter) -> usize {
        match self.random.below(4) {
            0 => {
                let last = self.number(body, of.start + of.step * (of.turns - 1));
                self.integer(body, "subtract", &[last, counter])
            }
            1 => {
                let more = self.random.within(-1, 1);
                let more = self.number(body, more);
                self.integer(body, "add", &[counter, more])
            }
            _ => counter,
        }
    }

    /// Returns a row computed from the state, from the row of an array at `place`, or from all rows of an array.
    fn row(&mut self, body: &mut Draft, parts: &[usize], place: usize) -> usize {
        let mut made: Option<usize> = None;
        for _ in 0..self.random.within(1, 2) {
            let part = self.random.pick(parts);
            let one = match (body.sizes(part).len(), self.random.percent(25)) {
                (1, true) => self.turned(body, part),
                (1, false) => part,
                (_, true) => {
                    let zero = self.constant(body, Kind::F32, &[]);
                    let to_apply = self.reducer(&[Kind::F32]);
                    let dimensions = vec![0];
                    let op = Op::Reduce { dimensions, to_apply };
                    self.array(body, op, Kind::F32, &[WIDTH], &[part, zero])
                }
                (_, false) => {
                    let zero = self.number(body, 0);
                    let operands = [part, place, zero];
                    let row = [1, WIDTH];
                    let row = self.array(body, Op::DynamicSlice, Kind::F32, &row, &operands);
                    self.array(body, Op::Reshape, Kind::F32, &[WIDTH], &[row])
                }
            };
            made = Some(match made {
                None => one,
                Some(other) => {
                    let op = Op::Pointwise("add", "");
                    self.array(body, op, Kind::F32, &[WIDTH], &[other, one])
                }
            });
        }
        made.expect("at least one")
    }

    /// Reverses the elements of a row.
    fn turned(&mut self, body: &mut Draft, row: usize) -> usize {
        let op = Op::Moved("reverse", vec![0]);
        self.array(body, op, Kind::F32, &[WIDTH], &[row])
    }

    /// Returns an array with one or two new rows.
    fn filled_in(&mut self, body: &mut Draft, part: usize, parts: &[usize], place: usize) -> usize {
        let sizes = body.sizes(part);
        let count = self.random.within(1, 2.min(sizes[0]));
        let row = self.row(body, parts, place);
        let op = Op::Broadcast(vec![1]);
        let rows = self.array(body, op, Kind::F32, &[count, WIDTH], &[row]);
        let zero = self.number(body, 0);
        let operands = [part, rows, place, zero];
        self.array(body, Op::DynamicUpdateSlice, Kind::F32, &sizes, &operands)
    }
}
