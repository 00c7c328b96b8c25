//! Programs that run over the blocks of an array, like a kernel's two-dimensional grid: the inner index is reset to 0 at its
//! end.

use super::build::{Draft, Generator};
use super::program::{Op, Program};
use super::shape::{Array, Kind, Shape};

/// A grid, and the arrays that it divides.
struct Grid {
    counts: [i64; 2],
    block: [i64; 2],
}

impl Grid {
    fn sizes(&self) -> Vec<i64> {
        self.counts.iter().zip(&self.block).map(|(count, size)| count * size).collect()
    }
}

const SCALAR: fn() -> Shape = || Shape::Array(Array::new(Kind::S32, &[]));

/// Returns the program of a seed, with a loop over a grid.
pub fn gridded(seed: u64) -> Program {
    let mut generator = Generator::new(seed ^ 0x6772_6964);
    let mut within = |lo, hi| generator.random.within(lo, hi);
    let grid = Grid { counts: [within(1, 3), within(1, 4)], block: [within(1, 2), within(1, 3)] };
    let mut draft = generator.draft("main", true, 0);
    let array = Shape::Array(Array::new(Kind::F32, &grid.sizes()));
    let mut parts: Vec<usize> = (0..3).map(|_| generator.number(&mut draft, 0)).collect();
    parts.extend((0..2).map(|_| generator.parameter(&mut draft, array.clone())));
    let state = generator.tuple(&mut draft, &parts);
    let of_state = draft.shape(state).clone();
    let condition = generator.is_inside(&of_state, &grid);
    let body = generator.block_done(&of_state, &grid);
    generator.add(&mut draft, Op::While { condition, body }, of_state, &[state]);
    generator.finish(draft);
    generator.program
}

impl Generator {
    /// Returns the loop's condition: whether a block remains.
    fn is_inside(&mut self, state: &Shape, grid: &Grid) -> usize {
        let mut condition = self.draft("condition", false, 0);
        let given = self.parameter(&mut condition, state.clone());
        // The condition bounds either the number of blocks or the outer index.
        let (part, end) = match self.random.percent(70) {
            true => (0, grid.counts[0] * grid.counts[1]),
            false => (1, grid.counts[0]),
        };
        let own = self.add(&mut condition, Op::Element(part), SCALAR(), &[given]);
        let end = self.number(&mut condition, end);
        let op = Op::Pointwise("compare", "direction=LT");
        self.array(&mut condition, op, Kind::Pred, &[], &[own, end]);
        self.finish(condition)
    }

    fn block_done(&mut self, state: &Shape, grid: &Grid) -> usize {
        let mut body = self.draft("body", false, 0);
        let given = self.parameter(&mut body, state.clone());
        let sizes = grid.sizes();
        let array = Shape::Array(Array::new(Kind::F32, &sizes));
        let shapes = [SCALAR(), SCALAR(), SCALAR(), array.clone(), array.clone()];
        let parts: Vec<usize> = (0..)
            .zip(shapes)
            .map(|(k, shape)| self.add(&mut body, Op::Element(k), shape, &[given]))
            .collect();
        let one = self.number(&mut body, 1);
        let zero = self.number(&mut body, 0);
        let end = self.number(&mut body, grid.counts[1]);
        let count = self.scalar(&mut body, "add", &[parts[0], one]);
        let inner = self.scalar(&mut body, "add", &[parts[2], one]);
        let op = Op::Pointwise("compare", "direction=EQ");
        let is_end = self.array(&mut body, op, Kind::Pred, &[], &[inner, end]);
        let outer = self.scalar(&mut body, "add", &[parts[1], one]);
        let outer = self.scalar(&mut body, "select", &[is_end, outer, parts[1]]);
        let inner = self.scalar(&mut body, "select", &[is_end, zero, inner]);
        let read = self.corner(&mut body, grid, &parts[1..3]);
        let written = match self.random.percent(70) {
            true => read,
            false => self.corner(&mut body, grid, &parts[1..3]),
        };
        let taken = self.taken(&mut body, grid, parts[3], read);
        let turned = self.random.below(2);
        let mut made = match self.random.below(3) {
            0 => self.array(
                &mut body,
                Op::Moved("reverse", vec![turned]),
                Kind::F32,
                &grid.block,
                &[taken],
            ),
            _ => taken,
        };
        if self.random.percent(40) {
            // Part of the old elements is kept.
            let old = self.taken(&mut body, grid, parts[4], written);
            made = self.array(
                &mut body,
                Op::Pointwise("add", ""),
                Kind::F32,
                &grid.block,
                &[made, old],
            );
        }
        let put = |generator: &mut Self, body: &mut Draft, part, block, at: [usize; 2]| {
            let operands = [part, block, at[0], at[1]];
            generator.add(body, Op::DynamicUpdateSlice, array.clone(), &operands)
        };
        let result = put(self, &mut body, parts[4], made, written);
        // Interpreted kernels write the blocks that they read back.
        let given = match self.random.percent(60) {
            true => put(self, &mut body, parts[3], taken, read),
            false => parts[3],
        };
        let next = [count, outer, inner, given, result];
        self.add(&mut body, Op::Tuple, state.clone(), &next);
        self.finish(body)
    }

    fn scalar(&mut self, body: &mut Draft, opcode: &'static str, operands: &[usize]) -> usize {
        self.add(body, Op::Pointwise(opcode, ""), SCALAR(), operands)
    }

    /// Returns the first index of the block with these indices, or of its mirror image.
    fn corner(&mut self, body: &mut Draft, grid: &Grid, indices: &[usize]) -> [usize; 2] {
        let mirrored = self.random.below(4);
        [0, 1].map(|k| {
            let mut index = indices[k];
            if mirrored == k {
                let last = self.number(body, grid.counts[k] - 1);
                index = self.scalar(body, "subtract", &[last, index]);
            }
            let size = self.number(body, grid.block[k]);
            self.scalar(body, "multiply", &[index, size])
        })
    }

    fn taken(&mut self, body: &mut Draft, grid: &Grid, part: usize, at: [usize; 2]) -> usize {
        let operands = [part, at[0], at[1]];
        self.array(body, Op::DynamicSlice, Kind::F32, &grid.block, &operands)
    }
}
