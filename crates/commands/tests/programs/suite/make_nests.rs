//! Programs with a loop in the body of a loop, where offsets depend on both counters, on one that continues from each run of the
//! inner loop to the next, or on an entry of a table. The inner loop may run up to the outer counter.

use super::build::{Draft, Generator};
use super::program::{Op, Program};
use super::shape::{Array, Kind, Shape};

const SCALAR: fn() -> Shape = || Shape::Array(Array::new(Kind::S32, &[]));

/// The two trip counts, and the number of elements that an iteration moves.
struct Nest {
    outer: i64,
    inner: i64,
    width: i64,
}

/// Returns the program of a seed, with nested loops. The state of both is the inner and the outer counter, a third one, two
/// arrays, a window of one, and a table of offsets.
pub fn nested(seed: u64) -> Program {
    let mut generator = Generator::new(seed ^ 0x6e65_7374);
    let mut within = |lo, hi| generator.random.within(lo, hi);
    let nest = Nest { outer: within(1, 4), inner: within(1, 4), width: within(1, 2) };
    let mut draft = generator.draft("main", true, 0);
    let array = |size: i64| Shape::Array(Array::new(Kind::F32, &[size]));
    let size = nest.outer * nest.inner + 2;
    let mut parts: Vec<usize> = (0..3).map(|_| generator.number(&mut draft, 0)).collect();
    let sizes = [size, size, nest.width];
    parts.extend(sizes.iter().map(|size| generator.parameter(&mut draft, array(*size))));
    let table = Shape::Array(Array::new(Kind::S32, &[size - 2]));
    parts.push(generator.parameter(&mut draft, table));
    let state = generator.tuple(&mut draft, &parts);
    let shape = draft.shape(state).clone();
    let condition = match generator.random.percent(30) {
        true => generator.below(&shape, 0, Err(1)),
        false => generator.below(&shape, 0, Ok(nest.inner)),
    };
    let body = generator.moved(&shape, &nest);
    let inner = Op::While { condition, body };
    let condition = generator.below(&shape, 1, Ok(nest.outer));
    let body = generator.around(&shape, inner);
    generator.add(&mut draft, Op::While { condition, body }, shape, &[state]);
    generator.finish(draft);
    generator.program
}

impl Generator {
    /// Returns the condition that a counter is below a number, or at most another part of the state.
    fn below(&mut self, state: &Shape, part: usize, end: Result<i64, usize>) -> usize {
        let mut condition = self.draft("condition", false, 0);
        let given = self.parameter(&mut condition, state.clone());
        let own = self.add(&mut condition, Op::Element(part), SCALAR(), &[given]);
        let (end, direction) = match end {
            Ok(end) => (self.number(&mut condition, end), "direction=LT"),
            Err(part) => {
                let end = self.add(&mut condition, Op::Element(part), SCALAR(), &[given]);
                (end, "direction=LE")
            }
        };
        let op = Op::Pointwise("compare", direction);
        self.array(&mut condition, op, Kind::Pred, &[], &[own, end]);
        self.finish(condition)
    }

    /// Returns the parts of a state.
    fn parts(&mut self, body: &mut Draft, state: &Shape, given: usize) -> Vec<usize> {
        let Shape::Tuple(shapes) = state else {
            panic!("the state is a tuple");
        };
        let parts = shapes.iter().enumerate();
        parts.map(|(k, shape)| self.add(body, Op::Element(k), shape.clone(), &[given])).collect()
    }

    fn whole(&mut self, body: &mut Draft, opcode: &'static str, x: usize, y: usize) -> usize {
        self.array(body, Op::Pointwise(opcode, ""), Kind::S32, &[], &[x, y])
    }

    fn times(&mut self, body: &mut Draft, x: usize, factor: i64) -> usize {
        let factor = self.number(body, factor);
        self.whole(body, "multiply", x, factor)
    }

    /// Returns an offset that depends on the counters, at times an entry of the table.
    fn offset(&mut self, body: &mut Draft, parts: &[usize], nest: &Nest) -> usize {
        let at = self.counted_offset(body, parts, nest);
        if !self.random.percent(30) {
            return at;
        }
        let entry = self.array(body, Op::DynamicSlice, Kind::S32, &[1], &[parts[6], at]);
        let entry = self.array(body, Op::Reshape, Kind::S32, &[], &[entry]);
        if self.random.percent(50) {
            return entry;
        }
        // Entries below 0 count from the end, as in NumPy.
        let size = self.number(body, nest.outer * nest.inner + 2);
        let zero = self.number(body, 0);
        let from_end = self.whole(body, "add", entry, size);
        let less = Op::Pointwise("compare", "direction=LT");
        let less = self.array(body, less, Kind::Pred, &[], &[entry, zero]);
        let select = Op::Pointwise("select", "");
        self.array(body, select, Kind::S32, &[], &[less, from_end, entry])
    }

    fn counted_offset(&mut self, body: &mut Draft, parts: &[usize], nest: &Nest) -> usize {
        let (j, i, n) = (parts[0], parts[1], parts[2]);
        let kind = self.random.below(6);
        let (x, y) = match kind {
            0 => return n,
            1 => (i, j),
            2 => (self.times(body, j, nest.outer), i),
            3 => (n, i),
            _ => (self.times(body, i, nest.inner), j),
        };
        let sum = self.whole(body, "add", x, y);
        if kind < 5 {
            return sum;
        }
        let last = self.number(body, nest.outer * nest.inner - 1);
        self.whole(body, "subtract", last, sum)
    }

    /// Returns the body of the inner loop: it moves a window from one array to the other.
    fn moved(&mut self, state: &Shape, nest: &Nest) -> usize {
        let mut body = self.draft("body", false, 0);
        let given = self.parameter(&mut body, state.clone());
        let parts = self.parts(&mut body, state, given);
        let (from, to, kept) = (parts[3], parts[4], parts[5]);
        let at = self.offset(&mut body, &parts, nest);
        let into = match self.random.percent(60) {
            true => at,
            false => self.random.pick(&parts[..3]),
        };
        let (f32, window) = (Kind::F32, [nest.width]);
        let mut new = self.array(&mut body, Op::DynamicSlice, f32, &window, &[from, at]);
        let other = match self.random.below(3) {
            0 => Some(kept),
            1 => Some(self.array(&mut body, Op::DynamicSlice, f32, &window, &[to, into])),
            _ => None,
        };
        if let Some(other) = other {
            new = self.array(&mut body, Op::Pointwise("add", ""), f32, &window, &[new, other]);
        }
        let sizes = body.sizes(to);
        let written = [to, new, into];
        let written = self.array(&mut body, Op::DynamicUpdateSlice, f32, &sizes, &written);
        let kept = self.random.pick(&[kept, new]);
        let one = self.number(&mut body, 1);
        let next = self.whole(&mut body, "add", parts[0], one);
        let third = self.whole(&mut body, "add", parts[2], one);
        let table = match self.random.percent(10) {
            true => {
                let entry = self.array(&mut body, Op::Broadcast(vec![]), Kind::S32, &[1], &[third]);
                let sizes = body.sizes(parts[6]);
                let changed = [parts[6], entry, parts[0]];
                self.array(&mut body, Op::DynamicUpdateSlice, Kind::S32, &sizes, &changed)
            }
            false => parts[6],
        };
        self.tuple(&mut body, &[next, parts[1], third, from, written, kept, table]);
        self.finish(body)
    }

    /// Returns the body of the outer loop.
    fn around(&mut self, state: &Shape, inner: Op) -> usize {
        let mut body = self.draft("body", false, 0);
        let given = self.parameter(&mut body, state.clone());
        let before = self.parts(&mut body, state, given);
        let zero = self.number(&mut body, 0);
        let start = [&[zero], &before[1..]].concat();
        let start = self.tuple(&mut body, &start);
        let after = self.add(&mut body, inner, state.clone(), &[start]);
        let after = self.parts(&mut body, state, after);
        let one = self.number(&mut body, 1);
        let next = self.whole(&mut body, "add", before[1], one);
        let third = match self.random.percent(30) {
            true => {
                let twice = self.times(&mut body, before[2], 2);
                self.whole(&mut body, "add", twice, one)
            }
            false => after[2],
        };
        let kept = self.random.pick(&[before[5], after[5]]);
        self.tuple(&mut body, &[zero, next, third, after[3], after[4], kept, after[6]]);
        self.finish(body)
    }
}
