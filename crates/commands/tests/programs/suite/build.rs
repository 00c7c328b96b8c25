//! The generator's state: a computation under construction, and operands of a requested shape.

use super::program::{Computation, Instruction, Op, Program};
use super::random::Random;
use super::shape::{Array, Kind, Shape};

/// Maximum number of elements of an array.
pub const MOST: usize = 64;

/// A generator of programs.
pub struct Generator {
    pub random: Random,
    pub program: Program,
    names: usize,
}

/// A computation under construction.
pub struct Draft {
    pub computation: Computation,
    pub parameters: usize,
    /// Whether it may get further parameters.
    pub is_entry: bool,
    /// How deeply calls may still be nested.
    pub depth: usize,
}

impl Draft {
    pub fn shape(&self, k: usize) -> &Shape {
        &self.computation.instructions[k].shape
    }

    /// Returns the array shape of instruction `k`.
    pub fn array(&self, k: usize) -> &Array {
        self.shape(k).array().expect("an array")
    }

    pub fn sizes(&self, k: usize) -> Vec<i64> {
        self.array(k).sizes.clone()
    }

    pub fn kind(&self, k: usize) -> Kind {
        self.array(k).kind
    }

    /// Returns the instructions whose results are arrays that satisfy `holds`.
    pub fn arrays(&self, holds: impl Fn(&Array) -> bool) -> Vec<usize> {
        (0..self.computation.instructions.len())
            .filter(|k| self.shape(*k).array().is_some_and(&holds))
            .collect()
    }
}

impl Generator {
    pub fn new(seed: u64) -> Generator {
        Generator { random: Random::new(seed), program: Program::default(), names: 0 }
    }

    pub fn fresh(&mut self, word: &str) -> String {
        self.names += 1;
        format!("{word}.{}", self.names)
    }

    pub fn draft(&mut self, word: &str, is_entry: bool, depth: usize) -> Draft {
        let name = self.fresh(word);
        Draft {
            computation: Computation { name, instructions: Vec::new() },
            parameters: 0,
            is_entry,
            depth,
        }
    }

    /// Adds a computation to the program and returns its number.
    pub fn finish(&mut self, draft: Draft) -> usize {
        self.program.computations.push(draft.computation);
        self.program.computations.len() - 1
    }

    pub fn add(&mut self, draft: &mut Draft, op: Op, shape: Shape, operands: &[usize]) -> usize {
        let word = match op {
            Op::Parameter(_) => "p",
            Op::Constant(_) => "c",
            _ => "v",
        };
        let name = self.fresh(word);
        draft.computation.instructions.push(Instruction {
            name,
            shape,
            op,
            operands: operands.to_vec(),
        });
        draft.computation.instructions.len() - 1
    }

    /// Adds an operation whose result is an array, now and then with a layout of its own.
    pub fn array(
        &mut self,
        draft: &mut Draft,
        op: Op,
        kind: Kind,
        sizes: &[i64],
        operands: &[usize],
    ) -> usize {
        let mut array = Array::new(kind, sizes);
        if sizes.len() > 1 && self.random.percent(8) {
            array.layout = Some(self.random.permutation(sizes.len()));
        }
        if !sizes.is_empty() && !sizes.contains(&0) && self.random.percent(4) {
            let rank = self.random.within(1, sizes.len().min(2) as i64);
            array.tile = (0..rank).map(|_| self.random.within(2, 3)).collect();
        }
        self.add(draft, op, Shape::Array(array), operands)
    }

    pub fn parameter(&mut self, draft: &mut Draft, shape: Shape) -> usize {
        let op = Op::Parameter(draft.parameters);
        draft.parameters += 1;
        self.add(draft, op, shape, &[])
    }

    pub fn constant(&mut self, draft: &mut Draft, kind: Kind, sizes: &[i64]) -> usize {
        let array = Array::new(kind, sizes);
        let values = (0..array.count()).map(|_| kind.held(self.random.within(-2, 6)));
        let values = values.collect();
        self.add(draft, Op::Constant(values), Shape::Array(array), &[])
    }

    pub fn number(&mut self, draft: &mut Draft, value: i64) -> usize {
        let shape = Shape::Array(Array::new(Kind::S32, &[]));
        self.add(draft, Op::Constant(vec![value]), shape, &[])
    }

    /// Draws sizes for a new array.
    pub fn sizes(&mut self) -> Vec<i64> {
        loop {
            let rank = self.random.pick(&[0, 1, 1, 2, 2, 2, 3, 3, 4]);
            let mut size = || match self.random.below(40) {
                0 => 0,
                1..=6 => 1,
                7 => self.random.within(7, 12),
                _ => self.random.within(2, 6),
            };
            let sizes: Vec<i64> = (0..rank).map(|_| size()).collect();
            if sizes.iter().product::<i64>() <= MOST as i64 {
                return sizes;
            }
        }
    }

    /// Draws an existing array that satisfies `holds`, preferably a late one; `None` if there is no such array.
    pub fn some(&mut self, draft: &mut Draft, holds: impl Fn(&Array) -> bool) -> Option<usize> {
        let found = draft.arrays(holds);
        if found.is_empty() {
            return None;
        }
        let late = found.len().saturating_sub(3);
        match self.random.percent(60) {
            true => Some(self.random.pick(&found[late..])),
            false => Some(self.random.pick(&found)),
        }
    }

    /// Returns a value of this kind and these sizes: an existing one, one derived from another, or a new one.
    pub fn need(&mut self, draft: &mut Draft, kind: Kind, sizes: &[i64]) -> usize {
        let same = draft.arrays(|array| array.kind == kind && array.sizes == sizes);
        if !same.is_empty() && self.random.percent(65) {
            return self.random.pick(&same);
        }
        if self.random.percent(45)
            && let Some(made) = self.coerced(draft, kind, sizes)
        {
            return made;
        }
        let count = sizes.iter().product::<i64>();
        if draft.is_entry && (draft.parameters < 5 || count > 12) && self.random.percent(85) {
            return self.parameter(draft, Shape::Array(Array::new(kind, sizes)));
        }
        if count <= 12 && self.random.percent(60) {
            return self.constant(draft, kind, sizes);
        }
        let one = self.constant(draft, kind, &[]);
        match sizes {
            [] => one,
            _ => self.array(draft, Op::Broadcast(Vec::new()), kind, sizes, &[one]),
        }
    }

    /// Returns a value of these sizes derived from an existing array.
    fn coerced(&mut self, draft: &mut Draft, kind: Kind, sizes: &[i64]) -> Option<usize> {
        let count: i64 = sizes.iter().product();
        let from = self.some(draft, |array| {
            array.kind == kind
                && array.sizes != sizes
                && (array.sizes.is_empty()
                    || array.count() as i64 == count
                    || array.sizes.len() == sizes.len())
        })?;
        self.made_of(draft, from, sizes)
    }

    /// Returns the elements of `from` as an array of these sizes: repeated, permuted, sliced or padded.
    pub fn made_of(&mut self, draft: &mut Draft, from: usize, sizes: &[i64]) -> Option<usize> {
        let (kind, old) = (draft.kind(from), draft.sizes(from));
        if old.is_empty() {
            return Some(self.array(draft, Op::Broadcast(Vec::new()), kind, sizes, &[from]));
        }
        if old.iter().product::<i64>() == sizes.iter().product::<i64>() {
            return Some(self.array(draft, Op::Reshape, kind, sizes, &[from]));
        }
        if old.len() != sizes.len() {
            return None;
        }
        let pairs = || old.iter().zip(sizes);
        if pairs().all(|(old, new)| new <= old) {
            let sides = pairs().map(|(old, new)| {
                let start = self.random.within(0, old - new);
                [start, start + new, 1]
            });
            let op = Op::Slice(sides.collect());
            return Some(self.array(draft, op, kind, sizes, &[from]));
        }
        let sides = pairs().map(|(old, new)| {
            let low = self.random.within(-1, 2);
            [low, new - old - low, 0]
        });
        let sides: Vec<[i64; 3]> = sides.collect();
        let padding = self.need(draft, kind, &[]);
        Some(self.array(draft, Op::Pad(sides), kind, sizes, &[from, padding]))
    }

    /// Returns integers of these sizes for use as indices below `end`: parameters, constants, iotas or computed values.
    pub fn indices(&mut self, draft: &mut Draft, sizes: &[i64]) -> usize {
        let kind = Kind::S32;
        if sizes.is_empty() {
            return match self.random.below(7) {
                6 => {
                    let count = self.random.within(2, 4);
                    let all = self.indices(draft, &[count]);
                    let at = self.random.within(0, count - 1);
                    let op = Op::Slice(vec![[at, at + 1, 1]]);
                    let one = self.array(draft, op, kind, &[1], &[all]);
                    self.array(draft, Op::Reshape, kind, &[], &[one])
                }
                0 => {
                    let value = self.random.within(-1, 5);
                    self.number(draft, value)
                }
                1 => {
                    let (a, b) = (self.need(draft, kind, &[]), self.need(draft, kind, &[]));
                    let op = Op::Pointwise(self.random.pick(&["add", "multiply", "subtract"]), "");
                    self.array(draft, op, kind, &[], &[a, b])
                }
                _ => self.need(draft, kind, &[]),
            };
        }
        match self.random.below(7) {
            0 => self.constant(draft, kind, sizes),
            1 => {
                let op = Op::Iota(self.random.below(sizes.len()));
                self.array(draft, op, kind, sizes, &[])
            }
            2 => {
                let op = Op::Iota(self.random.below(sizes.len()));
                let counted = self.array(draft, op, kind, sizes, &[]);
                let other = self.need(draft, kind, sizes);
                let op = Op::Pointwise(self.random.pick(&["add", "multiply", "maximum"]), "");
                self.array(draft, op, kind, sizes, &[counted, other])
            }
            3 => {
                let value = self.need(draft, Kind::F32, sizes);
                self.array(draft, Op::Pointwise("convert", ""), kind, sizes, &[value])
            }
            _ => self.need(draft, kind, sizes),
        }
    }
}
