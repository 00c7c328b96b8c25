//! Operations of the generator that move elements, and elementwise operations.

use super::build::{Draft, Generator, MOST};
use super::moved::MOVED;
use super::program::Op;
use super::shape::{Array, Kind, Shape};

/// Unary opcodes whose operand and result are of one kind.
const UNARY: &[&str] = &[
    "abs",
    "cbrt",
    "ceil",
    "cosine",
    "erf",
    "exponential",
    "exponential-minus-one",
    "floor",
    "log",
    "log-plus-one",
    "logistic",
    "negate",
    "round-nearest-even",
    "rsqrt",
    "sign",
    "sine",
    "sqrt",
    "tan",
    "tanh",
];
const BINARY: &[&str] =
    &["add", "atan2", "divide", "maximum", "minimum", "multiply", "power", "remainder", "subtract"];
const INTEGER: &[&str] = &[
    "add",
    "and",
    "divide",
    "maximum",
    "minimum",
    "multiply",
    "or",
    "remainder",
    "shift-left",
    "shift-right-logical",
    "subtract",
    "xor",
];

impl Generator {
    /// Adds an operation of this family.
    pub fn move_elements(&mut self, draft: &mut Draft) -> Option<usize> {
        let is_fit = |array: &Array| array.count() <= MOST;
        let from = self.some(draft, is_fit)?;
        let (kind, sizes) = (draft.kind(from), draft.sizes(from));
        let rank = sizes.len();
        let made = match self.random.below(17) {
            0 => self.pointwise(draft, from),
            1 => self.chosen(draft, from),
            2 => {
                let mut wide = sizes.clone();
                let mut dimensions: Vec<usize> = (0..rank).collect();
                for _ in 0..self.random.within(1, 2) {
                    let (at, size) = (self.random.below(wide.len() + 1), self.random.within(1, 3));
                    wide.insert(at, size);
                    dimensions.iter_mut().filter(|k| **k >= at).for_each(|k| *k += 1);
                }
                self.array(draft, Op::Broadcast(dimensions), kind, &wide, &[from])
            }
            3 | 4 => {
                let (op, sizes) = (Op::Reshape, self.regrouped(&sizes));
                self.array(draft, op, kind, &sizes, &[from])
            }
            5 | 6 => {
                let moved = &MOVED[self.random.below(MOVED.len())];
                let (attribute, sizes) = (moved.draw)(&mut self.random, &sizes)?;
                let op = Op::Moved(moved.opcode, attribute);
                self.array(draft, op, kind, &sizes, &[from])
            }
            7 | 8 => self.slice(draft, from),
            9 => self.pad(draft, from)?,
            10 | 11 => self.concatenate(draft, from)?,
            12 | 13 => self.dynamic_slice(draft, from)?,
            14 => self.dynamic_update_slice(draft, from),
            15 => self.bitcast(draft, from),
            _ => self.array(draft, Op::Copy, kind, &sizes, &[from]),
        };
        Some(made)
    }

    /// Draws other sizes with the same product.
    fn regrouped(&mut self, sizes: &[i64]) -> Vec<i64> {
        let count: i64 = sizes.iter().product();
        if count == 0 {
            return vec![0];
        }
        let (mut rest, mut new) = (count, Vec::new());
        while rest > 1 && new.len() < 3 {
            let divisors: Vec<i64> = (1..=rest).filter(|d| rest % d == 0).collect();
            let size = self.random.pick(&divisors);
            new.push(size);
            rest /= size;
        }
        if rest > 1 || self.random.percent(10) {
            new.push(rest);
        }
        new
    }

    fn pointwise(&mut self, draft: &mut Draft, from: usize) -> usize {
        let (kind, sizes) = (draft.kind(from), draft.sizes(from));
        let (opcodes, count) = match (kind, self.random.below(3)) {
            (Kind::F32, 0) => (UNARY, 1),
            (Kind::F32, _) => (BINARY, 2),
            (Kind::S32 | Kind::U32, _) => (INTEGER, 2),
            (Kind::Pred, _) => (&["and", "or", "xor"][..], 2),
            _ => (&["copy"][..], 1),
        };
        let opcode = self.random.pick(opcodes);
        if opcode == "copy" {
            return self.array(draft, Op::Copy, kind, &sizes, &[from]);
        }
        let mut operands = vec![from];
        if count == 2 {
            operands.push(self.need(draft, kind, &sizes));
        }
        if self.random.percent(50) {
            operands.reverse();
        }
        self.array(draft, Op::Pointwise(opcode, ""), kind, &sizes, &operands)
    }

    /// Adds a select, clamp, compare or convert.
    fn chosen(&mut self, draft: &mut Draft, from: usize) -> usize {
        let (kind, sizes) = (draft.kind(from), draft.sizes(from));
        let scalar = self.random.percent(30);
        let few = if scalar { Vec::new() } else { sizes.clone() };
        match (self.random.below(5), kind) {
            (4, Kind::F32) => self.numeric(draft, from),
            (_, Kind::C64) => {
                let op = Op::Pointwise(self.random.pick(&["real", "imag"]), "");
                self.array(draft, op, Kind::F32, &sizes, &[from])
            }
            (0, _) => {
                let predicate = self.need(draft, Kind::Pred, &few);
                let other = self.need(draft, kind, &sizes);
                let operands = [predicate, from, other];
                self.array(draft, Op::Pointwise("select", ""), kind, &sizes, &operands)
            }
            (1, Kind::F32 | Kind::S32) => {
                let (lo, hi) = (self.need(draft, kind, &few), self.need(draft, kind, &few));
                let operands = [lo, from, hi];
                self.array(draft, Op::Pointwise("clamp", ""), kind, &sizes, &operands)
            }
            (2, Kind::F32 | Kind::S32) => {
                let other = self.need(draft, kind, &sizes);
                let direction = self.random.pick(&["direction=LT", "direction=EQ", "direction=GE"]);
                let op = Op::Pointwise("compare", direction);
                self.array(draft, op, Kind::Pred, &sizes, &[from, other])
            }
            _ => {
                let to = self.random.pick(&[Kind::F32, Kind::S32, Kind::S32, Kind::Pred]);
                self.array(draft, Op::Pointwise("convert", ""), to, &sizes, &[from])
            }
        }
    }

    /// Adds an operation that computes other numbers from floats.
    fn numeric(&mut self, draft: &mut Draft, from: usize) -> usize {
        let sizes = draft.sizes(from);
        let (to, opcode, attribute) = self.random.pick(&[
            (Kind::F32, "reduce-precision", "exponent_bits=5, mantissa_bits=10"),
            (Kind::Pred, "is-finite", ""),
            (Kind::C64, "complex", ""),
        ]);
        let mut operands = vec![from];
        if opcode == "complex" {
            operands.push(self.need(draft, Kind::F32, &sizes));
        }
        self.array(draft, Op::Pointwise(opcode, attribute), to, &sizes, &operands)
    }

    fn slice(&mut self, draft: &mut Draft, from: usize) -> usize {
        let sides = draft.sizes(from).into_iter().map(|size| {
            let start = self.random.within(0, size.min(2));
            let limit = self.random.within(start, size).max(self.random.within(start, size));
            [start, limit, self.random.pick(&[1, 1, 1, 2, 3])]
        });
        let sides: Vec<[i64; 3]> = sides.collect();
        let counts = sides.iter().map(|[a, b, step]| (b - a + step - 1) / step);
        let new: Vec<i64> = counts.collect();
        let kind = draft.kind(from);
        self.array(draft, Op::Slice(sides), kind, &new, &[from])
    }

    fn pad(&mut self, draft: &mut Draft, from: usize) -> Option<usize> {
        let (kind, sizes) = (draft.kind(from), draft.sizes(from));
        let sides = sizes.iter().map(|_| {
            let interior = self.random.pick(&[0, 0, 0, 1, 2]);
            let (low, high) = (self.random.within(-2, 2), self.random.within(-2, 2));
            [low, high, interior]
        });
        let sides: Vec<[i64; 3]> = sides.collect();
        let pairs = sizes.iter().zip(&sides);
        let new: Vec<i64> = pairs
            .map(|(size, [low, high, interior])| size + (size - 1).max(0) * interior + low + high)
            .collect();
        if sizes.is_empty() || new.iter().any(|n| *n < 0) || new.iter().product::<i64>() > 96 {
            return None;
        }
        let value = self.need(draft, kind, &[]);
        Some(self.array(draft, Op::Pad(sides), kind, &new, &[from, value]))
    }

    fn concatenate(&mut self, draft: &mut Draft, from: usize) -> Option<usize> {
        let (kind, sizes) = (draft.kind(from), draft.sizes(from));
        if sizes.is_empty() {
            return None;
        }
        let along = self.random.below(sizes.len());
        let mut operands = vec![from];
        for _ in 0..self.random.within(0, 2) {
            if self.random.percent(40) {
                operands.push(from);
                continue;
            }
            let mut other = sizes.clone();
            other[along] = self.random.within(1, 4);
            operands.push(self.need(draft, kind, &other));
        }
        let mut new = sizes.clone();
        new[along] = operands.iter().map(|k| draft.sizes(*k)[along]).sum();
        let is_small = new.iter().product::<i64>() <= 96;
        let op = Op::Concatenate(along);
        is_small.then(|| self.array(draft, op, kind, &new, &operands))
    }

    fn dynamic_slice(&mut self, draft: &mut Draft, from: usize) -> Option<usize> {
        let (kind, sizes) = (draft.kind(from), draft.sizes(from));
        if sizes.contains(&0) {
            return None;
        }
        let part: Vec<i64> = sizes.iter().map(|n| self.random.within(1, *n)).collect();
        let mut operands = vec![from];
        for _ in &sizes {
            operands.push(self.indices(draft, &[]));
        }
        Some(self.array(draft, Op::DynamicSlice, kind, &part, &operands))
    }

    fn dynamic_update_slice(&mut self, draft: &mut Draft, from: usize) -> usize {
        let (kind, sizes) = (draft.kind(from), draft.sizes(from));
        let lowest = |size: &i64| (*size).min(1);
        let part: Vec<i64> =
            sizes.iter().map(|size| self.random.within(lowest(size), *size)).collect();
        let mut operands = vec![from, self.need(draft, kind, &part)];
        for _ in &sizes {
            operands.push(self.indices(draft, &[]));
        }
        self.array(draft, Op::DynamicUpdateSlice, kind, &sizes, &operands)
    }

    /// Adds a bitcast: to another shape and layout, or to elements of another width.
    fn bitcast(&mut self, draft: &mut Draft, from: usize) -> usize {
        let (kind, sizes) = (draft.kind(from), draft.sizes(from));
        let last = sizes.last().copied();
        match (self.random.below(3), kind, last) {
            (0, Kind::F32 | Kind::S32 | Kind::U32, _) => {
                let (to, parts) =
                    self.random.pick(&[(Kind::U16, 2), (Kind::U8, 4), (Kind::U32, 1)]);
                let mut new = sizes;
                if parts > 1 {
                    new.push(parts);
                }
                self.array(draft, Op::BitcastConvert, to, &new, &[from])
            }
            (0, Kind::U16 | Kind::U8, Some(last)) if last * kind.bits() == 32 => {
                let new = &sizes[..sizes.len() - 1];
                self.array(draft, Op::BitcastConvert, Kind::U32, new, &[from])
            }
            _ if !draft.array(from).tile.is_empty() => {
                let held = draft.array(from).held();
                let shape = Shape::Array(Array::new(kind, &[held]));
                self.add(draft, Op::Bitcast, shape, &[from])
            }
            _ => {
                let mut array = Array::new(kind, &self.regrouped(&sizes));
                let rank = array.sizes.len();
                if rank > 1 && self.random.percent(50) {
                    array.layout = Some(self.random.permutation(rank));
                }
                self.add(draft, Op::Bitcast, Shape::Array(array), &[from])
            }
        }
    }
}
