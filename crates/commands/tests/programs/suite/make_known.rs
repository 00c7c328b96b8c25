//! Programs whose offsets and indices are known before they run: constants, counters, and values computed from them.

use super::build::{Draft, Generator};
use super::make_vectors::Geometry;
use super::program::{Op, Program};
use super::shape::{Array, Kind, Shape};

/// Returns the program of a seed, with 1 to 3 operations at known offsets.
pub fn known(seed: u64) -> Program {
    let mut generator = Generator::new(seed ^ 0x6b6e_6f77);
    let mut draft = generator.draft("main", true, 2);
    let sizes = generator.filled();
    let shape = Shape::Array(Array::new(Kind::F32, &sizes));
    let mut from = generator.parameter(&mut draft, shape);
    for _ in 0..generator.random.within(1, 3) {
        from = match draft.sizes(from).is_empty() {
            true => {
                let sizes = generator.filled();
                generator.array(&mut draft, Op::Broadcast(Vec::new()), Kind::F32, &sizes, &[from])
            }
            false => from,
        };
        let inside = generator.random.percent(30);
        from = match inside {
            true => generator.placed_inside(&mut draft, from),
            false => generator.placed(&mut draft, from, Generator::known),
        };
    }
    let shape = draft.shape(from).clone();
    generator.add(&mut draft, Op::Copy, shape, &[from]);
    generator.finish(draft);
    generator.program
}

/// A function that adds integers of these sizes.
type Integers = fn(&mut Generator, &mut Draft, &[i64]) -> usize;

impl Generator {
    /// Draws sizes without a 0, of at least one dimension.
    fn filled(&mut self) -> Vec<i64> {
        loop {
            let sizes = self.sizes();
            if !sizes.is_empty() && !sizes.contains(&0) {
                return sizes;
            }
        }
    }

    /// Adds an operation on `from` with offsets or indices.
    fn placed(&mut self, draft: &mut Draft, from: usize, integers: Integers) -> usize {
        let sizes = draft.sizes(from);
        let window: Vec<i64> = sizes.iter().map(|size| self.random.within(1, *size)).collect();
        if self.random.percent(45) {
            let mut operands = vec![from];
            let is_update = self.random.percent(40);
            if is_update {
                let shape = Shape::Array(Array::new(Kind::F32, &window));
                operands.push(match draft.is_entry {
                    true => self.parameter(draft, shape),
                    false => self.constant(draft, Kind::F32, &window),
                });
            }
            for _ in &sizes {
                operands.push(integers(self, draft, &[]));
            }
            let (op, result) = match is_update {
                true => (Op::DynamicUpdateSlice, &sizes),
                false => (Op::DynamicSlice, &window),
            };
            return self.array(draft, op, Kind::F32, result, &operands);
        }
        let geometry = loop {
            let found = self.geometry(&sizes);
            if found.moving.iter().product::<i64>() <= 72 {
                break found;
            }
        };
        let Geometry { vectors, window, indices, moving } = geometry;
        let indices = integers(self, draft, &indices);
        if self.random.percent(65) {
            let op = Op::Gather(vectors, window);
            return self.array(draft, op, Kind::F32, &moving, &[from, indices]);
        }
        let updates = match draft.is_entry {
            true => self.parameter(draft, Shape::Array(Array::new(Kind::F32, &moving))),
            false => self.constant(draft, Kind::F32, &moving),
        };
        let to_apply = self.reducer(&[Kind::F32]);
        let shape = draft.shape(from).clone();
        self.add(draft, Op::Scatter(vectors, to_apply), shape, &[from, indices, updates])
    }

    /// Adds such an operation in a fusion, a call, or the branch that is taken; some of its integers are computed from
    /// operands.
    fn placed_inside(&mut self, draft: &mut Draft, from: usize) -> usize {
        let mut inner = self.draft("inner", false, 0);
        self.parameter(&mut inner, draft.shape(from).clone());
        let mut operands = vec![from];
        let in_branch = self.random.percent(25);
        if !in_branch {
            for sizes in [vec![], vec![self.random.within(1, 6)], vec![]] {
                operands.push(self.known(draft, &sizes));
                self.parameter(&mut inner, Shape::Array(Array::new(Kind::S32, &sizes)));
            }
        }
        self.placed(&mut inner, 0, Generator::given);
        let shape = inner.computation.root().shape.clone();
        let callee = self.finish(inner);
        if !in_branch {
            let op = self.random.pick(&[Op::Fusion(callee), Op::Call(callee)]);
            return self.add(draft, op, shape, &operands);
        }
        let mut other = self.draft("other", false, 0);
        self.parameter(&mut other, draft.shape(from).clone());
        let array = shape.array().expect("an array").clone();
        let one = self.constant(&mut other, Kind::F32, &[]);
        self.add(&mut other, Op::Broadcast(Vec::new()), Shape::Array(array), &[one]);
        let other = self.finish(other);
        let choice = self.known(draft, &[]);
        let branches = self.random.pick(&[vec![callee, other], vec![other, callee], vec![callee]]);
        let operands: Vec<usize> =
            [choice].into_iter().chain(branches.iter().map(|_| from)).collect();
        let is_pred = false;
        self.add(draft, Op::Conditional { branches, is_pred }, shape, &operands)
    }

    /// Returns known integers, some of which are computed from parameters of the computation.
    fn given(&mut self, draft: &mut Draft, sizes: &[i64]) -> usize {
        let found = draft.arrays(|array| array.kind == Kind::S32);
        let found: Vec<usize> = found.into_iter().filter(|k| *k < draft.parameters).collect();
        if found.is_empty() || self.random.percent(25) {
            return self.known(draft, sizes);
        }
        let one = self.random.pick(&found);
        let made = match draft.sizes(one) == sizes {
            true => Some(one),
            false => self.rearranged(draft, one, sizes),
        };
        let other = self.known(draft, sizes);
        let Some(made) = made else {
            return other;
        };
        let op = Op::Pointwise(self.random.pick(&["add", "maximum", "subtract"]), "");
        self.array(draft, op, Kind::S32, sizes, &[made, other])
    }

    /// Rearranges elements of known integers into an array of these sizes.
    fn rearranged(&mut self, draft: &mut Draft, from: usize, sizes: &[i64]) -> Option<usize> {
        let old = draft.sizes(from);
        if let Some(k) = sizes.iter().position(|size| old == [*size]) {
            return Some(self.array(
                draft,
                Op::Broadcast(vec![k]),
                draft.kind(from),
                sizes,
                &[from],
            ));
        }
        let is_fit = old.is_empty() || old.iter().product::<i64>() == sizes.iter().product::<i64>();
        is_fit.then(|| self.made_of(draft, from, sizes)).flatten()
    }

    /// Returns known integers for offsets.
    fn known(&mut self, draft: &mut Draft, sizes: &[i64]) -> usize {
        let depth = self.random.within(0, 4);
        self.known_of(draft, Kind::S32, sizes, depth)
    }

    fn known_of(&mut self, draft: &mut Draft, kind: Kind, sizes: &[i64], depth: i64) -> usize {
        let below = depth - 1;
        if depth == 0 {
            return match self.random.below(4) {
                0 if sizes.len() > 1 || sizes.iter().any(|size| *size > 1) => {
                    self.constant(draft, kind, sizes)
                }
                1 | 2 if !sizes.is_empty() => {
                    let op = Op::Iota(self.random.below(sizes.len()));
                    self.array(draft, op, kind, sizes, &[])
                }
                _ => {
                    let one = self.constant(draft, kind, &[]);
                    match sizes {
                        [] => one,
                        _ => self.array(draft, Op::Broadcast(Vec::new()), kind, sizes, &[one]),
                    }
                }
            };
        }
        let is_float = kind == Kind::F32;
        match self.random.below(12) {
            0..=2 => {
                let op = self.random.pick(&["add", "subtract", "multiply", "minimum", "maximum"]);
                let operands = [(); 2].map(|()| self.known_of(draft, kind, sizes, below));
                self.array(draft, Op::Pointwise(op, ""), kind, sizes, &operands)
            }
            3 if !is_float => {
                let op = self.random.pick(&[
                    "divide",
                    "remainder",
                    "shift-left",
                    "shift-right-logical",
                    "and",
                ]);
                let x = self.known_of(draft, kind, sizes, below);
                let most = self.random.pick(&[1, 2, 3]);
                let y = self.add_constant(draft, kind, most);
                let y = match sizes {
                    [] => y,
                    _ => self.array(draft, Op::Broadcast(Vec::new()), kind, sizes, &[y]),
                };
                self.array(draft, Op::Pointwise(op, ""), kind, sizes, &[x, y])
            }
            4 if matches!(kind, Kind::S32 | Kind::F32) => {
                let op = self.random.pick(&["negate", "abs", "sign"]);
                let x = self.known_of(draft, kind, sizes, below);
                self.array(draft, Op::Pointwise(op, ""), kind, sizes, &[x])
            }
            5 => {
                let other = self.random.pick(&[Kind::S32, Kind::U8, Kind::U32, Kind::F32]);
                let x = self.known_of(draft, other, sizes, below);
                self.array(draft, Op::Pointwise("convert", ""), kind, sizes, &[x])
            }
            6 if !is_float => {
                let direction = self.random.pick(&["direction=LT", "direction=GE", "direction=EQ"]);
                let [a, b, x, y] =
                    [(); 4].map(|()| self.known_of(draft, kind, sizes, below.min(1)));
                let op = Op::Pointwise("compare", direction);
                let choice = self.array(draft, op, Kind::Pred, sizes, &[a, b]);
                self.array(draft, Op::Pointwise("select", ""), kind, sizes, &[choice, x, y])
            }
            7 if !sizes.is_empty() && !sizes.contains(&0) => {
                let k = self.random.below(sizes.len());
                let first = self.random.within(1, sizes[k]);
                if first == sizes[k] {
                    return self.known_of(draft, kind, sizes, below);
                }
                let parts = [first, sizes[k] - first].map(|size| {
                    let mut own = sizes.to_vec();
                    own[k] = size;
                    self.known_of(draft, kind, &own, below.min(1))
                });
                self.array(draft, Op::Concatenate(k), kind, sizes, &parts)
            }
            8 if !sizes.is_empty() => {
                let more: Vec<i64> =
                    sizes.iter().map(|size| size + self.random.within(0, 2)).collect();
                let x = self.known_of(draft, kind, &more, below);
                if self.random.percent(60) {
                    return self.made_of(draft, x, sizes).unwrap_or(x);
                }
                let starts =
                    sizes.iter().map(|_| self.known_of(draft, Kind::S32, &[], below.min(1)));
                let operands: Vec<usize> =
                    [x].into_iter().chain(starts.collect::<Vec<_>>()).collect();
                self.array(draft, Op::DynamicSlice, kind, sizes, &operands)
            }
            9 => {
                let flat = vec![sizes.iter().product::<i64>()];
                let x = self.known_of(draft, kind, &flat, below);
                self.array(draft, Op::Reshape, kind, sizes, &[x])
            }
            10 if sizes.len() > 1 => {
                let dimension = self.random.below(sizes.len());
                let x = self.known_of(draft, kind, &sizes[dimension..=dimension], below);
                self.array(draft, Op::Broadcast(vec![dimension]), kind, sizes, &[x])
            }
            11 if !sizes.is_empty() => {
                let x = self.known_of(draft, kind, sizes, below);
                let reversed = (0..sizes.len()).filter(|_| self.random.percent(60)).collect();
                self.array(draft, Op::Moved("reverse", reversed), kind, sizes, &[x])
            }
            _ => {
                // Through a call.
                let mut inner = self.draft("made", false, 0);
                let x = self.known_of(draft, kind, sizes, below);
                self.parameter(&mut inner, draft.shape(x).clone());
                let other = self.known_of(&mut inner, kind, sizes, below.min(1));
                self.array(&mut inner, Op::Pointwise("add", ""), kind, sizes, &[0, other]);
                let shape = inner.computation.root().shape.clone();
                let callee = self.finish(inner);
                let op = self.random.pick(&[Op::Fusion(callee), Op::Call(callee)]);
                self.add(draft, op, shape, &[x])
            }
        }
    }

    fn add_constant(&mut self, draft: &mut Draft, kind: Kind, value: i64) -> usize {
        let shape = Shape::Array(Array::new(kind, &[]));
        self.add(draft, Op::Constant(vec![value]), shape, &[])
    }
}
