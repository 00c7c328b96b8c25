//! Operations of the generator on matrices, features and devices, and those with imprecise reads.

use super::build::{Draft, Generator};
use super::program::Op;
use super::shape::{Array, Kind, Shape};

impl Generator {
    /// Adds an operation of this family.
    pub fn matrix(&mut self, draft: &mut Draft, from: usize) -> Option<usize> {
        let sizes = draft.sizes(from);
        let rank = sizes.len();
        match self.random.below(12) {
            9 => Some(self.started(draft, from)),
            10 => {
                let (state, new) = (self.need(draft, Kind::U32, &[2]), self.sizes());
                let parts =
                    [&[2][..], &new].map(|sizes| Shape::Array(Array::new(Kind::U32, sizes)));
                Some(self.add(draft, Op::RngBits, Shape::Tuple(parts.to_vec()), &[state]))
            }
            11 if rank > 0 => {
                let op = Op::DimensionSize(self.random.below(rank));
                Some(self.array(draft, op, Kind::S32, &[], &[from]))
            }
            0 | 1 => self.triangle(draft),
            2 if rank > 0 => self.batch_norm(draft, from),
            3 if rank > 0 && sizes[rank - 1] > 0 => {
                let mut new = sizes.clone();
                new[rank - 1] = self.random.within(1, sizes[rank - 1]);
                let values = Shape::Array(Array::new(Kind::F32, &new));
                let places = Shape::Array(Array::new(Kind::S32, &new));
                let shape = Shape::Tuple(vec![values, places]);
                Some(self.add(draft, Op::TopK(new[rank - 1]), shape, &[from]))
            }
            4 => {
                let bounds = [self.need(draft, Kind::F32, &[]), self.need(draft, Kind::F32, &[])];
                let new = self.sizes();
                Some(self.array(draft, Op::Rng, Kind::F32, &new, &bounds))
            }
            5 => {
                let new = self.sizes();
                let more = self.need(draft, Kind::F32, &[]);
                Some(self.array(draft, Op::CustomCall, Kind::F32, &new, &[from, more]))
            }
            6 => self.mapped(draft, from),
            _ => self.collective(draft, from),
        }
    }

    /// Adds an asynchronous operation, as a start and a done instruction.
    fn started(&mut self, draft: &mut Draft, from: usize) -> usize {
        let whole = draft.shape(from).clone();
        let context = Shape::Array(Array::new(Kind::U32, &[]));
        let (op, shape, done) = match self.random.below(3) {
            0 => {
                let shape = Shape::Tuple(vec![whole.clone(), whole.clone(), context]);
                (Op::Start("copy-start", None), shape, Op::Done("copy-done", 0))
            }
            1 => {
                let op = Op::Start("all-reduce-start", Some(self.sum()));
                (op, whole.clone(), Op::Done("all-reduce-done", 0))
            }
            _ => {
                let mut inner = self.draft("async", false, 0);
                let given = self.parameter(&mut inner, whole.clone());
                let dimensions = self.random.subset(draft.sizes(from).len());
                let reversed = Op::Moved("reverse", dimensions);
                self.add(&mut inner, reversed, whole.clone(), &[given]);
                let op = Op::Start("async-start", Some(self.finish(inner)));
                let operands = Shape::Tuple(vec![whole.clone()]);
                let shape = Shape::Tuple(vec![operands, whole.clone(), context]);
                (op, shape, Op::Done("async-done", 1))
            }
        };
        let start = self.add(draft, op, shape, &[from]);
        self.add(draft, done, whole, &[start])
    }

    fn triangle(&mut self, draft: &mut Draft) -> Option<usize> {
        let (rows, columns) = (self.random.within(1, 4), self.random.within(1, 3));
        let batch: Vec<i64> = (0..self.random.below(2)).map(|_| self.random.within(1, 2)).collect();
        let of = |two: [i64; 2]| [&batch[..], &two].concat();
        let matrix = self.need(draft, Kind::F32, &of([rows, rows]));
        let lower = self.random.percent(50);
        if self.random.percent(35) {
            let op = Op::Cholesky { lower };
            return Some(self.array(draft, op, Kind::F32, &of([rows, rows]), &[matrix]));
        }
        let left = self.random.percent(50);
        let sizes = of(if left { [rows, columns] } else { [columns, rows] });
        let side = self.need(draft, Kind::F32, &sizes);
        let op = Op::TriangularSolve {
            left,
            lower,
            unit: self.random.percent(50),
            transposed: self.random.percent(50),
        };
        Some(self.array(draft, op, Kind::F32, &sizes, &[matrix, side]))
    }

    fn batch_norm(&mut self, draft: &mut Draft, from: usize) -> Option<usize> {
        let sizes = draft.sizes(from);
        let feature = self.random.below(sizes.len());
        let few = [sizes[feature]];
        let which = self.random.pick(&["training", "inference", "grad"]);
        let mut operands = vec![from];
        let statistics = match which {
            "training" => 2,
            "inference" => 4,
            _ => 3,
        };
        for _ in 0..statistics {
            operands.push(self.need(draft, Kind::F32, &few));
        }
        if which == "grad" {
            operands.push(self.need(draft, Kind::F32, &sizes));
        }
        let of = |sizes: &[i64]| Shape::Array(Array::new(Kind::F32, sizes));
        let shape = match which {
            "inference" => of(&sizes),
            _ => Shape::Tuple(vec![of(&sizes), of(&few), of(&few)]),
        };
        Some(self.add(draft, Op::BatchNorm(which, feature), shape, &operands))
    }

    fn mapped(&mut self, draft: &mut Draft, from: usize) -> Option<usize> {
        let sizes = draft.sizes(from);
        let other = self.need(draft, Kind::F32, &sizes);
        let to_apply = self.reducer(&[Kind::F32]);
        Some(self.array(draft, Op::Map(to_apply), Kind::F32, &sizes, &[from, other]))
    }

    fn collective(&mut self, draft: &mut Draft, from: usize) -> Option<usize> {
        let mut sizes = draft.sizes(from);
        let group = self.random.within(1, 2);
        let along = (!sizes.is_empty()).then(|| self.random.below(sizes.len()));
        let opcode = self.random.pick(&[
            "all-reduce",
            "all-gather",
            "reduce-scatter",
            "all-to-all",
            "collective-permute",
            "collective-broadcast",
        ]);
        let is_split = matches!(opcode, "reduce-scatter" | "all-to-all");
        let dimension = match opcode {
            "all-reduce" | "collective-broadcast" | "collective-permute" => None,
            _ => Some(along?),
        };
        if let Some(k) = dimension {
            if is_split && sizes[k] % group != 0 {
                return None;
            }
            match opcode {
                "all-gather" => sizes[k] *= group,
                "reduce-scatter" => sizes[k] /= group,
                _ => {}
            }
        }
        let folds = matches!(opcode, "all-reduce" | "reduce-scatter");
        let to_apply = folds.then(|| self.sum());
        let op = Op::Collective { opcode, dimension, group, to_apply };
        Some(self.array(draft, op, Kind::F32, &sizes, &[from]))
    }

    /// Returns a computation that adds two numbers.
    pub fn sum(&mut self) -> usize {
        let mut draft = self.draft("add", false, 0);
        let scalar = Shape::Array(Array::new(Kind::F32, &[]));
        let a = self.parameter(&mut draft, scalar.clone());
        let b = self.parameter(&mut draft, scalar);
        self.array(&mut draft, Op::Pointwise("add", ""), Kind::F32, &[], &[a, b]);
        self.finish(draft)
    }
}
