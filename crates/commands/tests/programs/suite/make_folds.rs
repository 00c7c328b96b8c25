//! Operations of the generator that fold elements, and those on whole lines and matrices.

use super::build::{Draft, Generator};
use super::program::{Convolution, Dot, Op, Window};
use super::shape::{Array, Kind, Shape};

impl Generator {
    /// Returns a computation on scalars that folds `kinds`: its parameters are the states, then the elements.
    pub fn reducer(&mut self, kinds: &[Kind]) -> usize {
        let mut draft = self.draft("fold", false, 0);
        let mut given = Vec::new();
        for kind in kinds.iter().chain(kinds) {
            given.push(self.parameter(&mut draft, Shape::Array(Array::new(*kind, &[]))));
        }
        let (count, comparison) = (kinds.len(), Op::Pointwise("compare", "direction=GT"));
        let mut results = Vec::new();
        for (i, kind) in kinds.iter().enumerate() {
            let (state, element) = (given[i], given[count + i]);
            let style = self.random.below(20);
            let made = match style {
                0 => state,
                1 => element,
                2 => self.constant(&mut draft, *kind, &[]),
                3..=6 => {
                    let j = self.random.below(count);
                    let pair = [given[j], given[count + j]];
                    let test = self.array(&mut draft, comparison.clone(), Kind::Pred, &[], &pair);
                    let op = Op::Pointwise("select", "");
                    self.array(&mut draft, op, *kind, &[], &[test, state, element])
                }
                _ => {
                    let opcode = match kind {
                        Kind::Pred => "or",
                        _ => self.random.pick(&["add", "maximum", "multiply"]),
                    };
                    let op = Op::Pointwise(opcode, "");
                    self.array(&mut draft, op, *kind, &[], &[state, element])
                }
            };
            results.push(made);
        }
        if count > 1 {
            let parts = results.iter().map(|k| draft.shape(*k).clone()).collect();
            self.add(&mut draft, Op::Tuple, Shape::Tuple(parts), &results);
        } else if results[0] + 1 != draft.computation.instructions.len() {
            let kind = kinds[0];
            self.array(&mut draft, Op::Copy, kind, &[], &results);
        }
        self.finish(draft)
    }

    /// Returns a comparison of elements of `kinds`, with two parameters for each.
    pub fn comparison(&mut self, kinds: &[Kind]) -> usize {
        let mut draft = self.draft("compare", false, 0);
        let mut given = Vec::new();
        for kind in kinds.iter().flat_map(|kind| [kind, kind]) {
            given.push(self.parameter(&mut draft, Shape::Array(Array::new(*kind, &[]))));
        }
        let mut test = None;
        for k in self.random.permutation(kinds.len()) {
            if test.is_some() && self.random.percent(70) {
                continue;
            }
            let op = Op::Pointwise("compare", "direction=LT");
            let pair = [given[2 * k], given[2 * k + 1]];
            let one = self.array(&mut draft, op, Kind::Pred, &[], &pair);
            test = Some(match test {
                None => one,
                Some(other) => {
                    let op = Op::Pointwise("or", "");
                    self.array(&mut draft, op, Kind::Pred, &[], &[other, one])
                }
            });
        }
        self.finish(draft)
    }

    /// Adds an operation of this family.
    pub fn fold_elements(&mut self, draft: &mut Draft) -> Option<usize> {
        let from = self.some(draft, |array| array.kind == Kind::F32)?;
        let sizes = draft.sizes(from);
        let rank = sizes.len();
        match self.random.below(14) {
            0..=2 => self.reduce(draft, from),
            3 | 4 => self.reduce_window(draft, from),
            5 => self.select_and_scatter(draft, from),
            6 | 7 => self.dot(draft, from),
            8 => self.dot_variant(draft, from),
            9 | 10 => self.convolution(draft),
            11 => self.sort(draft, from),
            12 if rank > 0 => {
                let kind = self.random.pick(&["FFT", "RFFT", "IRFFT"]);
                self.fourier(draft, from, kind)
            }
            _ => self.matrix(draft, from),
        }
    }

    fn reduce(&mut self, draft: &mut Draft, from: usize) -> Option<usize> {
        let sizes = draft.sizes(from);
        let dimensions = self.random.subset(sizes.len());
        let mut inputs = vec![from];
        for _ in 0..self.random.pick(&[0, 0, 0, 1, 2]) {
            let kind = self.random.pick(&[Kind::F32, Kind::S32]);
            inputs.push(self.need(draft, kind, &sizes));
        }
        let kept = (0..sizes.len()).filter(|k| !dimensions.contains(k));
        let new: Vec<i64> = kept.map(|k| sizes[k]).collect();
        let (to_apply, operands, shape) = self.folded(draft, &inputs, &new);
        let op = Op::Reduce { dimensions, to_apply };
        Some(self.add(draft, op, shape, &operands))
    }

    /// Returns the reducer, all operands and the shape of the result of folding `inputs`.
    fn folded(
        &mut self,
        draft: &mut Draft,
        inputs: &[usize],
        sizes: &[i64],
    ) -> (usize, Vec<usize>, Shape) {
        let kinds: Vec<Kind> = inputs.iter().map(|k| draft.kind(*k)).collect();
        let mut operands = inputs.to_vec();
        for kind in &kinds {
            operands.push(self.need(draft, *kind, &[]));
        }
        let arrays = kinds.iter().map(|kind| Shape::Array(Array::new(*kind, sizes)));
        let mut parts: Vec<Shape> = arrays.collect();
        let shape = match parts.len() {
            1 => parts.remove(0),
            _ => Shape::Tuple(parts),
        };
        (self.reducer(&kinds), operands, shape)
    }

    fn window(&mut self, base: i64) -> Window {
        let size = self.random.within(1, base.clamp(1, 3));
        Window {
            size,
            stride: self.random.pick(&[1, 1, 2, 3]),
            low: self.random.pick(&[0, 0, 1, 2, -1]),
            high: self.random.pick(&[0, 0, 1, 2, -1]),
            base_dilation: self.random.pick(&[1, 1, 1, 2]),
            window_dilation: self.random.pick(&[1, 1, 1, 2]),
            reversed: false,
        }
    }

    fn reduce_window(&mut self, draft: &mut Draft, from: usize) -> Option<usize> {
        let sizes = draft.sizes(from);
        let window: Vec<Window> = sizes.iter().map(|n| self.window(*n)).collect();
        let new: Vec<i64> = window.iter().zip(&sizes).map(|(w, n)| w.count(*n)).collect();
        if sizes.is_empty() || sizes.contains(&0) || new.contains(&0) {
            return None;
        }
        let mut inputs = vec![from];
        if self.random.percent(25) {
            inputs.push(self.need(draft, Kind::S32, &sizes));
        }
        let (to_apply, operands, shape) = self.folded(draft, &inputs, &new);
        let op = Op::ReduceWindow { window, to_apply };
        Some(self.add(draft, op, shape, &operands))
    }

    fn select_and_scatter(&mut self, draft: &mut Draft, from: usize) -> Option<usize> {
        let sizes = draft.sizes(from);
        let mut plain = |base: i64| Window {
            low: self.random.pick(&[0, 0, 1]),
            high: self.random.pick(&[0, 0, 1]),
            base_dilation: 1,
            window_dilation: 1,
            ..self.window(base)
        };
        let window: Vec<Window> = sizes.iter().map(|n| plain(*n)).collect();
        let source: Vec<i64> = window.iter().zip(&sizes).map(|(w, n)| w.count(*n)).collect();
        if sizes.is_empty() || sizes.contains(&0) || source.contains(&0) {
            return None;
        }
        let operands =
            [from, self.need(draft, Kind::F32, &source), self.need(draft, Kind::F32, &[])];
        let select = self.comparison(&[Kind::F32]);
        let scatter = self.sum();
        let op = Op::SelectAndScatter { window, select, scatter };
        Some(self.array(draft, op, Kind::F32, &sizes, &operands))
    }

    fn dot(&mut self, draft: &mut Draft, from: usize) -> Option<usize> {
        let lhs = draft.sizes(from);
        let (mut batch, mut sums, mut free) = (Vec::new(), Vec::new(), Vec::new());
        for k in self.random.permutation(lhs.len()) {
            match self.random.below(4) {
                0 => batch.push(k),
                1 | 2 => sums.push(k),
                _ => free.push(k),
            }
        }
        free.sort_unstable();
        let mut rhs: Vec<(usize, i64)> = Vec::new(); // the origin and the size of each dimension
        rhs.extend((0..batch.len()).map(|k| (k, lhs[batch[k]])));
        rhs.extend((0..sums.len()).map(|k| (100 + k, lhs[sums[k]])));
        let more = self.random.below(2);
        rhs.extend((0..more).map(|_| (1000, self.random.within(1, 3))));
        let order = self.random.permutation(rhs.len());
        let rhs: Vec<(usize, i64)> = order.into_iter().map(|k| rhs[k]).collect();
        let place = |what: usize| rhs.iter().position(|(is, _)| *is == what).expect("a place");
        let dot = Dot {
            rhs_batch: (0..batch.len()).map(place).collect(),
            rhs_contracting: (0..sums.len()).map(|k| place(100 + k)).collect(),
            lhs_batch: batch.clone(),
            lhs_contracting: sums,
        };
        let sizes: Vec<i64> = rhs.iter().map(|(_, size)| *size).collect();
        let mut new: Vec<i64> = batch.iter().chain(&free).map(|k| lhs[*k]).collect();
        new.extend(rhs.iter().filter(|(is, _)| *is == 1000).map(|(_, size)| *size));
        if new.iter().product::<i64>() > 96 {
            return None;
        }
        let other = self.need(draft, Kind::F32, &sizes);
        Some(self.array(draft, Op::Dot(dot), Kind::F32, &new, &[from, other]))
    }

    fn dot_variant(&mut self, draft: &mut Draft, from: usize) -> Option<usize> {
        let sizes = draft.sizes(from);
        let [rows, sums] = sizes[..] else { return None };
        if rows == 0 || sums == 0 {
            return None;
        }
        let columns = self.random.within(1, 3);
        let new = [rows, columns];
        if self.random.percent(50) {
            let groups = self.random.within(1, 3);
            let rhs = self.need(draft, Kind::F32, &[groups, sums, columns]);
            let counts = self.indices(draft, &[groups]);
            return Some(self.array(draft, Op::RaggedDot, Kind::F32, &new, &[from, rhs, counts]));
        }
        let block = |size: i64| if size % 2 == 0 { size / 2 } else { size };
        let rhs = self.need(draft, Kind::F32, &[sums, columns]);
        let lhs_scale = self.need(draft, Kind::F32, &[rows, block(sums)]);
        let rhs_scale = self.need(draft, Kind::F32, &[block(sums), columns]);
        let dot = Dot {
            lhs_batch: Vec::new(),
            lhs_contracting: vec![1],
            rhs_batch: Vec::new(),
            rhs_contracting: vec![0],
        };
        let operands = [from, rhs, lhs_scale, rhs_scale];
        Some(self.array(draft, Op::ScaledDot(dot), Kind::F32, &new, &operands))
    }

    fn convolution(&mut self, draft: &mut Draft) -> Option<usize> {
        let space = self.random.below(3);
        let groups = self.random.pick(&[(1, 1), (1, 1), (2, 1), (1, 2)]);
        let (feature_groups, batch_groups) = groups;
        let (batch, inputs) = (self.random.within(1, 2), self.random.within(1, 2));
        let outputs = self.random.within(1, 2) * feature_groups * batch_groups;
        let base: Vec<i64> = (0..space).map(|_| self.random.within(2, 5)).collect();
        let window: Vec<Window> = base
            .iter()
            .map(|n| Window { reversed: self.random.percent(30), ..self.window(*n) })
            .collect();
        let counts: Vec<i64> = window.iter().zip(&base).map(|(w, n)| w.count(*n)).collect();
        if counts.contains(&0) || counts.iter().product::<i64>() > 24 {
            return None;
        }
        let places = [(); 3].map(|()| self.random.permutation(space + 2));
        let sizes = |places: &[usize], two: [i64; 2], rest: &[i64]| -> Vec<i64> {
            let mut sizes = vec![0; places.len()];
            for (k, size) in places.iter().zip(two.iter().chain(rest)) {
                sizes[*k] = *size;
            }
            sizes
        };
        let taps: Vec<i64> = window.iter().map(|w| w.size).collect();
        let two = [batch * batch_groups, inputs * feature_groups];
        let input = sizes(&places[0], two, &base);
        let kernel = sizes(&places[1], [inputs, outputs], &taps);
        let output = sizes(&places[2], [batch, outputs], &counts);
        let operands = [self.need(draft, Kind::F32, &input), self.need(draft, Kind::F32, &kernel)];
        let [input, kernel, placed] = places;
        let conv =
            Convolution { window, input, kernel, output: placed, feature_groups, batch_groups };
        Some(self.array(draft, Op::Convolution(conv), Kind::F32, &output, &operands))
    }

    fn sort(&mut self, draft: &mut Draft, from: usize) -> Option<usize> {
        let sizes = draft.sizes(from);
        if sizes.is_empty() {
            return None;
        }
        let mut operands = vec![from];
        for _ in 0..self.random.pick(&[0, 0, 1, 2]) {
            operands.push(self.need(draft, Kind::S32, &sizes));
        }
        let kinds: Vec<Kind> = operands.iter().map(|k| draft.kind(*k)).collect();
        let op = Op::Sort {
            dimension: self.random.below(sizes.len()),
            to_apply: self.comparison(&kinds),
        };
        let arrays = kinds.iter().map(|kind| Shape::Array(Array::new(*kind, &sizes)));
        let mut parts: Vec<Shape> = arrays.collect();
        let shape = match parts.len() {
            1 => parts.remove(0),
            _ => Shape::Tuple(parts),
        };
        Some(self.add(draft, op, shape, &operands))
    }

    fn fourier(&mut self, draft: &mut Draft, from: usize, kind: &'static str) -> Option<usize> {
        let sizes = draft.sizes(from);
        if sizes.contains(&0) {
            return None;
        }
        let count = self.random.below(sizes.len().min(3)) + 1;
        let mut lengths = sizes[sizes.len() - count..].to_vec();
        let mut new = sizes.clone();
        let last = sizes.len() - 1;
        let (operand, to) = match kind {
            "RFFT" => {
                new[last] = sizes[last] / 2 + 1;
                (from, Kind::C64)
            }
            _ => (self.need(draft, Kind::C64, &sizes), Kind::C64),
        };
        let mut result = to;
        if kind == "IRFFT" {
            new[last] = (sizes[last] - 1) * 2 + 1;
            lengths[count - 1] = new[last];
            result = Kind::F32;
        }
        let op = Op::Fft { kind, lengths };
        Some(self.array(draft, op, result, &new, &[operand]))
    }
}
