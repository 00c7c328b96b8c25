//! Windows of an array whose places are vectors in a second array: the geometry common to gather and scatter.
//!
//! Law: a third array (gather's output, scatter's updates; here: the moving array) holds, at batch index
//! `b..`, one window of the first (here: the still array). The window's place in dimension `k` is element `v` of the
//! index vector at `b..` where entry `v` of the index map is `k`; the batch index itself where `k` is a batching
//! dimension; 0 elsewhere. The moving array's other dimensions count within the window, in the order
//! of the still array's dimensions that are neither collapsed (their windows have size 1, or 0) nor batching.
//! Source: XLA, *Operation semantics*, `Gather` and `Scatter`.

use super::builder::{MapBuilder, check_dimensions};
use super::op::NoMap;
use super::reads::{RuntimeVariable, TuplePath, ValueSource};
use affinor::expr::{Expr, IndexingMap, VariableId};
use affinor::num::Interval;

/// The sizes and dimension numbers of a gather or a scatter.
#[derive(Clone, Copy, Debug)]
pub(super) struct IndexVectors<'a> {
    pub(super) still: &'a [i64],
    pub(super) indices: &'a [i64],
    pub(super) moving: &'a [i64],
    /// The size of a window in each dimension of the still array.
    pub(super) window: &'a [i64],
    /// The dimensions of the moving array that index within a window.
    pub(super) offset: &'a [usize],
    /// The dimensions of the still array that the moving array omits.
    pub(super) collapsed: &'a [usize],
    /// Entry `v` is the still array's dimension that element `v` of an index vector addresses.
    pub(super) index_map: &'a [usize],
    /// Batching dimensions of the still array, each paired with a batching dimension of the indices.
    pub(super) still_batching: &'a [usize],
    pub(super) indices_batching: &'a [usize],
    /// The dimension of index vectors; the rank of the indices if each index is a scalar.
    pub(super) vector: usize,
}

/// The place of a window in one dimension of the still array.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Place {
    /// At an element of the index vector.
    Vector(usize),
    /// At the batch index in this position of [`IndexVectors::batch`].
    Batch(usize),
    /// At 0.
    Begin,
}

impl IndexVectors<'_> {
    /// Rejects sizes and dimension numbers that contradict each other.
    pub(super) fn check(&self, what: &str) -> Result<(), NoMap> {
        let rank = self.still.len();
        let left_out = [self.collapsed, self.still_batching].concat();
        check_dimensions(what, self.offset, self.moving.len())?;
        check_dimensions(what, &left_out, rank)?;
        check_dimensions(what, &[self.index_map, self.still_batching].concat(), rank)?;
        check_dimensions(what, self.indices_batching, self.indices.len())?;
        let sizes = |sizes: &[i64], list: &[usize]| -> Vec<i64> {
            list.iter().filter_map(|k| sizes.get(*k).copied()).collect()
        };
        let vectors = self.indices.get(self.vector).copied().unwrap_or(1);
        let fits =
            self.vector <= self.indices.len()
                && !self.indices_batching.contains(&self.vector)
                && self.offset.is_sorted()
                && i64::try_from(self.index_map.len()) == Ok(vectors)
                && self.window.len() == rank
                && self.window.iter().zip(self.still).enumerate().all(|(k, (window, size))| {
                    window <= size || *size == 0 && left_out.contains(&k)
                })
                && sizes(self.window, &left_out).iter().all(|size| *size <= 1)
                && sizes(self.window, &self.kept()) == sizes(self.moving, self.offset)
                && sizes(self.indices, &self.batch()) == sizes(self.moving, &self.moving_batch())
                && sizes(self.still, self.still_batching)
                    == sizes(self.indices, self.indices_batching);
        match fits {
            true => Ok(()),
            false => Err(NoMap::invalid(format!(
                "{what} with these dimension numbers does not relate sizes {:?} by indices of sizes {:?} and \
                 windows of sizes {:?} to sizes {:?}",
                self.still, self.indices, self.window, self.moving
            ))),
        }
    }

    /// Returns whether the still array, or its window, has no elements; then there are no windows.
    pub(super) fn is_empty(&self) -> bool {
        self.still.contains(&0) || self.window.contains(&0)
    }

    /// Returns the still array's dimensions that the moving array indexes within a window, in order.
    pub(super) fn kept(&self) -> Vec<usize> {
        (0..self.still.len())
            .filter(|k| !self.collapsed.contains(k) && !self.still_batching.contains(k))
            .collect()
    }

    /// Returns the dimensions of the indices that are not index vectors, in order.
    pub(super) fn batch(&self) -> Vec<usize> {
        (0..self.indices.len()).filter(|k| *k != self.vector).collect()
    }

    /// Returns the moving array's dimensions that correspond to [`IndexVectors::batch`].
    pub(super) fn moving_batch(&self) -> Vec<usize> {
        (0..self.moving.len()).filter(|k| !self.offset.contains(k)).collect()
    }

    /// Returns the place of windows in dimension `k` of the still array.
    pub(super) fn place(&self, k: usize) -> Place {
        let position = |list: &[usize]| list.iter().position(|x| *x == k);
        if let Some(v) = position(self.index_map) {
            return Place::Vector(v);
        }
        let batching = position(self.still_batching).and_then(|i| self.indices_batching.get(i));
        let batch =
            batching.and_then(|dimension| self.batch().iter().position(|other| other == dimension));
        batch.map_or(Place::Begin, Place::Batch)
    }

    /// Returns the index of element `v` of the index vector at batch index `batch`.
    pub(super) fn index(&self, batch: &[Expr], v: Expr) -> Vec<Expr> {
        let mut index = batch.to_vec();
        if self.vector < self.indices.len() {
            index.insert(self.vector.min(index.len()), v);
        }
        index
    }

    /// Returns the map to the whole index vector at batch index `batch`, over the variables of `builder`.
    pub(super) fn indices_map(&self, mut builder: MapBuilder, batch: &[Expr]) -> IndexingMap {
        let element = match self.indices.get(self.vector) {
            Some(size) => builder.range(*size),
            None => Expr::constant(0),
        };
        builder.finish(self.index(batch, element))
    }

    /// Returns the source of a window's place: element `v` of the index vector at batch index `batch` of operand number
    /// `operand`.
    pub(super) fn source(
        &self,
        operand: usize,
        (variable, clamp): (VariableId, Interval),
        batch: &[Expr],
        v: usize,
    ) -> RuntimeVariable {
        RuntimeVariable {
            variable,
            source: ValueSource::Operand { operand, path: TuplePath::new() },
            index: self.index(batch, Expr::constant(v as i64)),
            clamp,
            is_choice: false,
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Owned data that an [`IndexVectors`] borrows.
    #[derive(Clone, Debug)]
    pub(in crate::indexing) struct Owned {
        pub(in crate::indexing) still: Vec<i64>,
        pub(in crate::indexing) indices: Vec<i64>,
        pub(in crate::indexing) moving: Vec<i64>,
        window: Vec<i64>,
        offset: Vec<usize>,
        collapsed: Vec<usize>,
        index_map: Vec<usize>,
        still_batching: Vec<usize>,
        indices_batching: Vec<usize>,
        vector: usize,
    }

    impl Owned {
        pub(in crate::indexing) fn borrowed(&self) -> IndexVectors<'_> {
            IndexVectors {
                still: &self.still,
                indices: &self.indices,
                moving: &self.moving,
                window: &self.window,
                offset: &self.offset,
                collapsed: &self.collapsed,
                index_map: &self.index_map,
                still_batching: &self.still_batching,
                indices_batching: &self.indices_batching,
                vector: self.vector,
            }
        }

        /// The definition as a plain loop: returns, for an index of the moving array, the place of its window and the
        /// index within the window; `element` gives the elements of the indices.
        pub(in crate::indexing) fn placed(
            &self,
            moving: &[i64],
            element: impl Fn(&[i64]) -> i64,
        ) -> (Vec<i64>, Vec<i64>) {
            let rank = self.still.len();
            let (mut place, mut within) = (vec![0; rank], vec![0; rank]);
            let (mut batch, mut offsets) = (Vec::new(), Vec::new());
            for (k, x) in moving.iter().enumerate() {
                if self.offset.contains(&k) { offsets.push(*x) } else { batch.push(*x) }
            }
            let mut full = batch.clone(); // gets a component for each dimension of the indices
            if self.vector < self.indices.len() {
                full.insert(self.vector, 0);
            }
            for (v, k) in self.index_map.iter().enumerate() {
                let mut at = full.clone();
                if self.vector < self.indices.len() {
                    at[self.vector] = v as i64;
                }
                place[*k] = element(&at);
            }
            for (k, b) in self.still_batching.iter().zip(&self.indices_batching) {
                place[*k] = full[*b];
            }
            let mut offsets = offsets.into_iter();
            for (k, within) in within.iter_mut().enumerate() {
                if !self.collapsed.contains(&k) && !self.still_batching.contains(&k) {
                    *within = offsets.next().expect("one for each");
                }
            }
            (place, within)
        }
    }

    /// Returns the role of a dimension of the still array, and whether an index is given for it.
    fn dimension() -> impl Strategy<Value = (i64, i64, u8, bool)> {
        (1i64..4).prop_flat_map(|size| (Just(size), 1..=size, 0u8..3, any::<bool>()))
    }

    pub(in crate::indexing) fn cases() -> impl Strategy<Value = Owned> {
        let dimensions = prop::collection::vec(dimension(), 1..4);
        let batch = prop::collection::vec(1i64..4, 0..2);
        (dimensions, batch, any::<bool>(), any::<prop::sample::Index>())
            .prop_flat_map(|(dimensions, batch, single, at)| {
                let mut owned = Owned {
                    still: dimensions.iter().map(|dimension| dimension.0).collect(),
                    indices: batch,
                    moving: Vec::new(),
                    window: Vec::new(),
                    offset: Vec::new(),
                    collapsed: Vec::new(),
                    index_map: Vec::new(),
                    still_batching: Vec::new(),
                    indices_batching: Vec::new(),
                    vector: 0,
                };
                for (k, (size, window, role, given)) in dimensions.iter().enumerate() {
                    match role {
                        0 => {
                            owned.still_batching.push(k);
                            owned.indices_batching.push(owned.indices.len());
                            owned.indices.push(*size);
                        }
                        1 => owned.collapsed.push(k),
                        _ => {}
                    }
                    owned.window.push(if *role < 2 { 1 } else { *window });
                    if *role > 0 && *given {
                        owned.index_map.push(k);
                    }
                }
                let map = Just(owned.index_map.clone()).prop_shuffle();
                let kept = owned.borrowed().kept().len();
                let places: Vec<usize> = (0..kept + owned.indices.len()).collect();
                let offset = prop::sample::subsequence(places, kept);
                (Just(owned), map, offset, Just((single, at)))
            })
            .prop_map(|(mut owned, map, offset, (single, at))| {
                owned.index_map = map;
                owned.offset = offset;
                owned.vector = owned.indices.len();
                let batch = owned.indices.clone();
                if owned.index_map.len() != 1 || !single {
                    owned.vector = at.index(owned.indices.len() + 1);
                    owned.indices.insert(owned.vector, owned.index_map.len() as i64);
                    for dimension in &mut owned.indices_batching {
                        *dimension += usize::from(*dimension >= owned.vector);
                    }
                }
                let kept = owned.borrowed().kept();
                let mut sizes = kept.iter().map(|k| owned.window[*k]);
                let mut batch = batch.into_iter();
                owned.moving = (0..kept.len() + batch.len())
                    .filter_map(|k| match owned.offset.contains(&k) {
                        true => sizes.next(),
                        false => batch.next(),
                    })
                    .collect();
                owned
            })
    }

    proptest! {
        #[test]
        fn cases_are_right(owned in cases()) {
            prop_assert!(owned.borrowed().check("gather").is_ok(), "{:?}", owned);
        }

        #[test]
        fn another_size_is_refused(owned in cases(), at in any::<prop::sample::Index>()) {
            let mut wrong = owned;
            if !wrong.moving.is_empty() {
                let k = at.index(wrong.moving.len());
                wrong.moving[k] += 1;
                prop_assert!(wrong.borrowed().check("gather").is_err(), "{:?}", wrong);
            }
        }
    }
}
