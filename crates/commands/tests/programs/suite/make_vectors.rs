//! Gathers and scatters of the generator.

use super::build::{Draft, Generator};
use super::program::{Op, Vectors};
use super::shape::{Array, Kind, Shape};

/// The shapes of the arrays around an array that is indexed by windows.
pub struct Geometry {
    pub vectors: Vectors,
    /// The sizes of the window in each dimension of the array.
    pub window: Vec<i64>,
    /// The sizes of the array of index vectors.
    pub indices: Vec<i64>,
    /// The sizes of the array of all windows.
    pub moving: Vec<i64>,
}

impl Generator {
    /// Adds an operation of this family.
    pub fn move_windows(&mut self, draft: &mut Draft) -> Option<usize> {
        let from =
            self.some(draft, |array| !array.sizes.is_empty() && !array.sizes.contains(&0))?;
        let geometry = self.geometry(&draft.sizes(from));
        if geometry.moving.iter().product::<i64>() > 72 {
            return None;
        }
        let kind = draft.kind(from);
        if self.random.percent(55) {
            let indices = self.indices(draft, &geometry.indices);
            let op = Op::Gather(geometry.vectors, geometry.window);
            return Some(self.array(draft, op, kind, &geometry.moving, &[from, indices]));
        }
        self.scatter(draft, from, geometry)
    }

    fn scatter(&mut self, draft: &mut Draft, from: usize, geometry: Geometry) -> Option<usize> {
        let sizes = draft.sizes(from);
        let mut bases = vec![from];
        if self.random.percent(25) {
            bases.push(self.need(draft, Kind::S32, &sizes));
        }
        let kinds: Vec<Kind> = bases.iter().map(|k| draft.kind(*k)).collect();
        if !kinds.iter().all(|kind| matches!(kind, Kind::F32 | Kind::S32)) {
            return None;
        }
        let mut operands = bases;
        operands.push(self.indices(draft, &geometry.indices));
        for kind in &kinds {
            operands.push(self.need(draft, *kind, &geometry.moving));
        }
        let to_apply = self.reducer(&kinds);
        let arrays = kinds.iter().map(|kind| Shape::Array(Array::new(*kind, &sizes)));
        let mut parts: Vec<Shape> = arrays.collect();
        let shape = match parts.len() {
            1 => parts.remove(0),
            _ => Shape::Tuple(parts),
        };
        Some(self.add(draft, Op::Scatter(geometry.vectors, to_apply), shape, &operands))
    }

    /// Draws windows of an array of these sizes.
    pub fn geometry(&mut self, sizes: &[i64]) -> Geometry {
        let rank = sizes.len();
        let mut window: Vec<i64> = sizes.iter().map(|n| self.random.within(1, *n)).collect();
        let (mut collapsed, mut operand_batch) = (Vec::new(), Vec::new());
        for (k, size) in window.iter_mut().enumerate() {
            match self.random.below(10) {
                0..=4 => {
                    collapsed.push(k);
                    *size = 1;
                }
                5 if operand_batch.is_empty() => {
                    operand_batch.push(k);
                    *size = 1;
                }
                _ => {}
            }
        }
        let candidates = self.random.permutation(rank).into_iter();
        let mut index_map: Vec<usize> = candidates.filter(|k| !operand_batch.contains(k)).collect();
        let count = self.random.below(index_map.len() + 1);
        index_map.truncate(count.max(usize::from(!index_map.is_empty())));
        // The sizes of the batch of windows, batching dimensions included.
        let mut batch: Vec<i64> =
            (0..self.random.below(3)).map(|_| self.random.within(1, 4)).collect();
        let mut batching = None;
        if let [k] = operand_batch[..] {
            let at = self.random.below(batch.len() + 1);
            batch.insert(at, sizes[k]);
            batching = Some(at);
        }
        let vector = match index_map.len() {
            1 if self.random.percent(30) => batch.len(),
            _ => self.random.below(batch.len() + 1),
        };
        let mut indices = batch.clone();
        let is_implied = index_map.len() == 1 && vector == batch.len() && self.random.percent(50);
        if !is_implied {
            indices.insert(vector, index_map.len() as i64);
        }
        let before = |at: usize| at + usize::from(!is_implied && at >= vector);
        let counted: Vec<i64> = (0..rank)
            .filter(|k| !collapsed.contains(k) && !operand_batch.contains(k))
            .map(|k| window[k])
            .collect();
        // The positions of the window's dimensions among the batch dimensions.
        let all = batch.len() + counted.len();
        let mut places = self.random.permutation(all);
        places.truncate(counted.len());
        places.sort_unstable();
        let (mut batches, mut sides) = (batch.iter(), counted.iter());
        let moving: Vec<i64> = (0..all)
            .map(|k| match places.contains(&k) {
                true => *sides.next().expect("a side of the window"),
                false => *batches.next().expect("a batch"),
            })
            .collect();
        Geometry {
            vectors: Vectors {
                window: places,
                collapsed,
                index_map,
                indices_batch: batching.map(before).into_iter().collect(),
                operand_batch,
                vector,
            },
            window,
            indices,
            moving,
        }
    }
}
