//! Tuples, and the operations of the generator that call computations.

use super::build::{Draft, Generator};
use super::program::{Op, Program};
use super::shape::{Array, Kind, Shape};

/// Returns the program of a seed, with 2 to 8 operations.
pub fn program(seed: u64) -> Program {
    let mut generator = Generator::new(seed);
    let mut draft = generator.draft("main", true, 0);
    draft.depth = generator.random.pick(&[2, 2, 3]);
    for _ in 0..generator.random.within(1, 2) {
        let sizes = generator.sizes();
        let shape = Shape::Array(Array::new(Kind::F32, &sizes));
        generator.parameter(&mut draft, shape);
    }
    let count = generator.random.within(2, 8);
    let mut made = Vec::new();
    while made.len() < count as usize {
        made.extend(generator.step(&mut draft));
    }
    generator.root(&mut draft, &made);
    generator.finish(draft);
    generator.program
}

impl Generator {
    /// Adds an operation; `None` if the one drawn does not fit the existing values.
    pub fn step(&mut self, draft: &mut Draft) -> Option<usize> {
        self.open_tuples(draft);
        match self.random.below(20) {
            0..=8 => self.move_elements(draft),
            9..=13 => self.fold_elements(draft),
            14..=16 => self.move_windows(draft),
            _ if draft.depth == 0 => self.move_elements(draft),
            _ => self.call(draft),
        }
    }

    /// Takes an array out of a new tuple.
    fn open_tuples(&mut self, draft: &mut Draft) {
        let Some(last) = draft.computation.instructions.len().checked_sub(1) else {
            return;
        };
        let mut at = last;
        while let Shape::Tuple(parts) = draft.shape(at).clone() {
            if parts.is_empty() {
                return;
            }
            let k = self.random.below(parts.len());
            if self.random.percent(10) {
                let shape = draft.shape(at).clone();
                at = self.add(draft, Op::Barrier, shape, &[at]);
            }
            at = self.add(draft, Op::Element(k), parts[k].clone(), &[at]);
        }
    }

    /// Ends a computation: its root is the last value, or a tuple of several, nested now and then.
    fn root(&mut self, draft: &mut Draft, made: &[usize]) {
        let last = *made.last().expect("an operation");
        if self.random.percent(65) {
            if last + 1 != draft.computation.instructions.len() {
                self.tuple(draft, &[last]);
            }
            return;
        }
        let mut parts = vec![last];
        for _ in 0..self.random.within(0, 2) {
            parts.push(self.random.pick(made));
        }
        if self.random.percent(30) {
            let inner = [self.random.pick(&parts), self.random.pick(made)];
            parts.push(self.tuple(draft, &inner));
        }
        self.tuple(draft, &parts);
    }

    pub fn tuple(&mut self, draft: &mut Draft, parts: &[usize]) -> usize {
        let shapes = parts.iter().map(|k| draft.shape(*k).clone()).collect();
        self.add(draft, Op::Tuple, Shape::Tuple(shapes), parts)
    }

    fn call(&mut self, draft: &mut Draft) -> Option<usize> {
        match self.random.below(8) {
            0..=2 => self.fusion(draft),
            3 | 4 => self.conditional(draft),
            _ => self.repeat(draft),
        }
    }

    /// Adds a fusion or a call of a new computation, now and then a second one with other operands.
    fn fusion(&mut self, draft: &mut Draft) -> Option<usize> {
        let mut operands = Vec::new();
        for _ in 0..self.random.within(1, 3) {
            operands.push(self.some(draft, |_| true)?);
        }
        let mut inner = self.draft("inner", false, draft.depth - 1);
        for k in &operands {
            self.parameter(&mut inner, draft.shape(*k).clone());
        }
        let count = self.random.within(1, 3) as usize;
        let mut made = Vec::new();
        while made.len() < count {
            made.extend(self.step(&mut inner));
        }
        self.root(&mut inner, &made);
        let shape = inner.computation.root().shape.clone();
        let callee = self.finish(inner);
        let op = match self.random.percent(65) {
            true => Op::Fusion(callee),
            false => Op::Call(callee),
        };
        let first = self.add(draft, op.clone(), shape.clone(), &operands);
        if self.random.percent(85) {
            return Some(first);
        }
        let others = operands.iter().map(|k| {
            let array = draft.array(*k).clone();
            let same = draft.arrays(|other| *other == array);
            self.random.pick(&same)
        });
        let others: Vec<usize> = others.collect();
        Some(self.add(draft, op, shape, &others))
    }

    fn conditional(&mut self, draft: &mut Draft) -> Option<usize> {
        let mut results = Vec::new();
        for _ in 0..self.random.pick(&[1, 1, 2]) {
            let like = self.some(draft, |_| true)?;
            results.push((draft.kind(like), draft.sizes(like)));
        }
        let count = self.random.within(1, 3) as usize;
        let is_pred = count == 2 && self.random.percent(50);
        let choice = match is_pred {
            true => self.need(draft, Kind::Pred, &[]),
            false => self.indices(draft, &[]),
        };
        let (mut operands, mut branches) = (vec![choice], Vec::new());
        for _ in 0..count {
            let mut operand = self.some(draft, |_| true)?;
            if self.random.percent(30) {
                let other = self.some(draft, |_| true)?;
                operand = self.tuple(draft, &[operand, other]);
            }
            let mut inner = self.draft("branch", false, draft.depth - 1);
            self.parameter(&mut inner, draft.shape(operand).clone());
            self.open_tuples(&mut inner);
            while self.random.percent(60) {
                self.step(&mut inner);
            }
            let mut made = Vec::new();
            for (kind, sizes) in &results {
                let one = self.need(&mut inner, *kind, sizes);
                let shape = Shape::Array(Array::new(*kind, sizes));
                made.push(self.add(&mut inner, Op::Copy, shape, &[one]));
            }
            if made.len() > 1 {
                self.tuple(&mut inner, &made);
            }
            branches.push(self.finish(inner));
            operands.push(operand);
        }
        let arrays = results.iter().map(|(kind, sizes)| Shape::Array(Array::new(*kind, sizes)));
        let mut parts: Vec<Shape> = arrays.collect();
        let shape = match parts.len() {
            1 => parts.remove(0),
            _ => Shape::Tuple(parts),
        };
        Some(self.add(draft, Op::Conditional { branches, is_pred }, shape, &operands))
    }

    /// Adds a counted loop over arrays: passed on, changed at the counter, shifted, or updated in part.
    fn repeat(&mut self, draft: &mut Draft) -> Option<usize> {
        let start = match self.random.percent(70) {
            true => self.number(draft, 0),
            false => self.need(draft, Kind::S32, &[]),
        };
        let turns = self.random.within(0, 4);
        let bound = match self.random.below(3) {
            0 => self.need(draft, Kind::S32, &[]),
            _ => self.number(draft, turns),
        };
        let mut parts = vec![start, bound];
        for _ in 0..self.random.within(1, 3) {
            parts.push(self.some(draft, |_| true)?);
        }
        if self.random.percent(25) {
            let inner = [self.some(draft, |_| true)?, self.some(draft, |_| true)?];
            parts.push(self.tuple(draft, &inner));
        }
        let state = self.tuple(draft, &parts);
        let shape = draft.shape(state).clone();
        let condition = self.goes_on(&shape, "direction=LT", turns);
        let body = self.body(&shape, draft.depth - 1);
        let op = Op::While { condition, body };
        Some(self.add(draft, op, shape, &[state]))
    }

    fn body(&mut self, shape: &Shape, depth: usize) -> usize {
        let mut inner = self.draft("body", false, depth);
        let given = self.parameter(&mut inner, shape.clone());
        let Shape::Tuple(exact) = shape else {
            panic!("the state is a tuple");
        };
        let parts: Vec<usize> = (0..exact.len())
            .map(|k| self.add(&mut inner, Op::Element(k), exact[k].clone(), &[given]))
            .collect();
        let one = self.number(&mut inner, 1);
        let op = Op::Pointwise("add", "");
        let next = self.array(&mut inner, op, Kind::S32, &[], &[parts[0], one]);
        let mut results = vec![next, parts[1]];
        for part in &parts[2..] {
            if let Shape::Tuple(pair) = inner.shape(*part).clone() {
                let made = self.changed_pair(&mut inner, *part, &pair);
                results.push(made);
                continue;
            }
            let (kind, sizes) = (inner.kind(*part), inner.sizes(*part));
            let made = match self.random.below(6) {
                0 => *part,
                1 => {
                    let opcode = if kind == Kind::Pred { "or" } else { "add" };
                    let other = self.need(&mut inner, kind, &sizes);
                    let op = Op::Pointwise(opcode, "");
                    self.array(&mut inner, op, kind, &sizes, &[*part, other])
                }
                2 | 3 if !sizes.is_empty() && !sizes.contains(&0) => {
                    self.updated(&mut inner, *part, parts[0])
                }
                _ => {
                    while self.random.percent(60) {
                        self.step(&mut inner);
                    }
                    self.need(&mut inner, kind, &sizes)
                }
            };
            results.push(made);
        }
        self.next_state(inner, shape, results)
    }

    /// Passes a pair of arrays on, or changes part of it.
    fn changed_pair(&mut self, inner: &mut Draft, pair: usize, shapes: &[Shape]) -> usize {
        if self.random.percent(40) {
            return pair;
        }
        let mut parts = Vec::new();
        for (k, shape) in shapes.iter().enumerate() {
            let part = self.add(inner, Op::Element(k), shape.clone(), &[pair]);
            if self.random.percent(50) {
                parts.push(part);
                continue;
            }
            let (kind, sizes) = (inner.kind(part), inner.sizes(part));
            let other = self.need(inner, kind, &sizes);
            parts.push(self.add(inner, Op::Copy, shape.clone(), &[other]));
        }
        self.tuple(inner, &parts)
    }

    /// Updates the row at the counter: with the row itself, a changed row, or another value.
    fn updated(&mut self, inner: &mut Draft, part: usize, counter: usize) -> usize {
        let (kind, sizes) = (inner.kind(part), inner.sizes(part));
        let along = self.random.below(sizes.len());
        let mut row = sizes.clone();
        row[along] = 1;
        let zero = self.number(inner, 0);
        let places: Vec<usize> =
            (0..sizes.len()).map(|k| if k == along { counter } else { zero }).collect();
        let update = match self.random.percent(60) {
            true => {
                let operands = [&[part][..], &places].concat();
                let found = self.array(inner, Op::DynamicSlice, kind, &row, &operands);
                let other = self.need(inner, kind, &row);
                let opcode = if kind == Kind::Pred { "or" } else { "multiply" };
                self.array(inner, Op::Pointwise(opcode, ""), kind, &row, &[found, other])
            }
            false => self.need(inner, kind, &row),
        };
        let operands = [&[part, update][..], &places].concat();
        self.array(inner, Op::DynamicUpdateSlice, kind, &sizes, &operands)
    }
}
