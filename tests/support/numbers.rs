//! Deterministic pseudorandom numbers, and the indices of arrays.

#![allow(dead_code, reason = "each test crate uses its own part of this")]

pub struct Random(pub u64);

impl Random {
    /// Draws a number from 0 up to, but excluding, `end`.
    pub fn below(&mut self, end: i64) -> i64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as i64) % end
    }

    /// Draws an index of a list of this length, as [`Random::below`].
    pub fn place(&mut self, length: usize) -> usize {
        self.below(length as i64) as usize
    }

    pub fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.place(all.len())]
    }
}

/// Returns all indices of an array of these sizes, in row-major order.
pub fn indices(sizes: &[i64]) -> Vec<Vec<i64>> {
    sizes.iter().fold(vec![Vec::new()], |all, size| {
        let longer = |index: &Vec<i64>| {
            let index = index.clone();
            (0..*size).map(move |k| [&index[..], &[k]].concat())
        };
        all.iter().flat_map(longer).collect()
    })
}
